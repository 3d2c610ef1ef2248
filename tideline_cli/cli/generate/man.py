"""The manual: a page for tideline and one for each command, as roff and as plain text; and help as
JSON, from the same tables."""

from __future__ import annotations

import textwrap

from tideline_cli import __version__
from tideline_cli.cli.commands import COMMANDS, SUMMARY, verb
from tideline_cli.cli.options import GLOBAL, Argument, Option
from tideline_cli.config import PROJECT_FILE
from tideline_cli.config.settings import SETTINGS
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType
    from typing import Any


@record
class Term:
    """An entry of a list: what is typed literally, what stands for a value, what it means."""

    literal: str
    placeholder: str
    text: str


@record
class Code:
    """A line to type."""

    line: str


Block = str | Term | Code


@record
class Page:
    """A manual page; in texts, what stands between backticks is literal."""

    name: str
    sections: Sequence[tuple[str, Sequence[Block]]]


HELP = Option("flag", "Show a short help.", name="help", flags=("--help", "-h"))
VERSION = Option("flag", "Print the version.", name="version", flags=("--version", "-V"))
EXIT_CODES = (
    Term("0", "", "Done; also when a pipe was closed, when context has nothing to say, and for "
         "context --auto and hook whatever happens."),
    Term("1", "", "Nothing matched, or nothing but archived and ended facts; a question was "
         "answered with no; import could use no row."),
    Term("2", "", "Usage."),
    Term("3", "", "No such id."),
    Term("4", "", "Blocked by the write-gate, the threat scan or policy; an undo or a restore that "
         "later changes stand against."),
    Term("5", "", "The store is damaged, not a tideline database, or newer than this program."),
    Term("6", "", "Embedder, model or network unavailable; a model's reply that cannot be used."),
    Term("70", "", "An internal error, worth a report, or a missing part of the program."),
    Term("73", "", "Cannot create or write: disk full, read-only, permissions; too little memory, "
         "too few open files."),
    Term("75", "", "Busy: another process held the store for more than 10 seconds, or has replaced "
         "it meanwhile; a server takes no more connections now."),
    Term("130", "", "Interrupted, or a list that was left."),
)
ENVIRONMENT: tuple[str | Term, ...] = (
    Term("TIDELINE_HOME", "", "One folder for memory, settings and state."),
    *(
        Term(setting.env, "", f"{setting.help[0].upper()}{setting.help[1:]}.")
        for setting in SETTINGS.values()
        if setting.env
    ),
    Term("TIDELINE_NOW", "",
         "The time it pretends to be: ISO 8601 (UTC where no zone is named), or epoch "
         "milliseconds."),
    Term("TIDELINE_ALLOW_NETWORK_FS", "",
         "1 (true, yes, on) lets the memory file lie on a network file system, for one machine at "
         "a time."),
    Term("TIDELINE_DISABLE_EXTRACT", "",
         "1 (true, yes, on) freezes dream, gc, consolidate, extract and relink."),
    Term("TIDELINE_HOOKS", "", "0 (false, no, off) switches the hooks of agents off."),
    Term("TIDELINE_API_KEY", "", "The key of the endpoint."),
    Term("NO_COLOR", "", "When not empty, no color."),
    Term("FORCE_COLOR", "", "When not empty, color in a pipe too."),
    Term("PAGER", "", "What shows results that are longer than the terminal; less by default, none "
         "where it is empty or cat."),
    Term("COLUMNS", "", "How wide tables are, instead of the terminal's width."),
    "A flag wins over the environment, the environment over a project's settings, and those over "
    "your own.",
)
_FILES = (
    Term("$XDG_DATA_HOME/tideline/tideline.db", "", "The memory; by default under ~/.local/share."),
    Term("$XDG_CONFIG_HOME/tideline/config.toml", "", "Your settings; by default under ~/.config."),
    Term("$XDG_STATE_HOME/tideline/last-recall/", "",
         "The facts shown last; by default under ~/.local/state."),
    Term("$XDG_CONFIG_HOME/tideline/trusted", "", "Project files that `config trust` trusts."),
    Term(PROJECT_FILE, "", "Settings of a project, in the working folder or above it."),
)  # fmt: skip
_DESCRIPTION = (
    "tideline stores short facts in one SQLite file, finds the right ones again by word and by "
    "likeness, and prints them as a block that can be piped into a prompt.",
    "Texts are joined by spaces; `-`, or no text with a pipe, reads standard input. An ID may be "
    "cut to a unique beginning or ending of at least 4 characters; in a terminal `@1`, `@2` and so "
    "on are the facts that were shown last. On a terminal results are tables; in a pipe they are "
    "plain lines; with `--json` they are one JSON object. Results go to standard output, notes and "
    "errors to standard error; with `--json` each is an object on a line of its own, with the key "
    "note, warning or error.",
)
_TROFF = {
    "\\": "\\(rs", "-": "\\-", "'": "\\(aq", '"': "\\(dq", "^": "\\(ha", "~": "\\(ti",
    "…": "...",
}  # fmt: skip
_WIDTH = 78
_LONGEST_CHOICE = 40


def pages() -> dict[str, str]:
    """Return every page as roff, by its file name."""
    return {f"{page.name}.1": roff(page) for page in map(layout, ("", *COMMANDS))}


def layout(command: str) -> Page:
    """Return the contents of a command's page, or for an empty name of that of tideline."""
    return _of_command(command) if command else _of_program()


def examples(name: str, given: Sequence[tuple[str, str]]) -> list[str]:
    """Return the example command lines of a command."""
    arguments = verb(name).ARGUMENTS
    is_text = bool(arguments) and arguments[0].kind == "text"
    lines = []
    for words, flags in given:
        quoted = f'"{words}"' if is_text and " " in words else words
        lines.append(" ".join(part for part in ("tideline", name, quoted, flags) if part))
    return lines


def usage(name: str) -> str:
    """Return the arguments of a command as its synopsis shows them."""
    return " ".join(map(_argument_usage, verb(name).ARGUMENTS))


def roff(shown: Page) -> str:
    """Return a page for man."""
    title = _escaped(shown.name.upper())
    lines = [f'.TH "{title}" "1" "" "tideline {_escaped(__version__)}" "tideline manual"']
    lines += [".nh", ".ad l"]
    for heading, blocks in shown.sections:
        lines.append(f'.SH "{heading}"')
        for i, block in enumerate(blocks):
            match block:
                case Term(literal, placeholder, text):
                    styled = (("B", literal), ("I", placeholder))
                    term = " ".join(f"\\f{f}{_escaped(part)}\\fR" for f, part in styled if part)
                    lines += [".TP", term, _line(text)] if text else [term]
                case Code(line):
                    lines += [".PP", ".RS 4", ".nf", f"\\fB{_escaped(line)}\\fR", ".fi", ".RE"]
                case _:
                    lines += [".PP"] * bool(i) + [_line(block)]
    return "\n".join(lines) + "\n"


def plain(shown: Page) -> str:
    """Return a page as text, for a system without man."""
    lines = [f"{shown.name.upper()}(1)"]
    for heading, blocks in shown.sections:
        lines += ["", heading]
        for i, block in enumerate(blocks):
            match block:
                case Term(literal, placeholder, text):
                    lines.append("    " + f"{literal} {placeholder}".strip())
                    lines += _wrapped(text, 8)
                case Code(line):
                    lines.append(f"    {line}")
                case _:
                    lines += [""] * bool(i) + _wrapped(block, 4)
    return "\n".join(lines) + "\n"


def _of_program() -> Page:
    shown = [Code(line) for name in COMMANDS for line in examples(name, verb(name).EXAMPLES[:1])]
    others = ", ".join(f"`tideline-{name}`(1)" for name in sorted(COMMANDS))
    return Page(
        "tideline",
        (
            ("NAME", (f"tideline - {_phrase(SUMMARY)}",)),
            ("SYNOPSIS", (Term("tideline", "[OPTIONS] COMMAND [ARGS]...", ""),)),
            ("DESCRIPTION", _DESCRIPTION),
            *_panels(),
            ("OPTIONS", [_option(option) for option in (*GLOBAL, HELP, VERSION)]),
            ("EXIT STATUS", EXIT_CODES),
            ("ENVIRONMENT", ENVIRONMENT),
            ("FILES", _FILES),
            ("EXAMPLES", shown),
            ("SEE ALSO", (others,)),
        ),
    )


def _panels() -> Iterator[tuple[str, list[Block]]]:
    """Yield a section for each panel of commands."""
    for panel in dict.fromkeys(its for _, _, its in COMMANDS.values()):
        rows: list[Block] = [
            Term(name, usage(name), summary)
            for name, (_, summary, its) in COMMANDS.items()
            if its == panel
        ]
        yield f"COMMANDS: {panel.upper()}", rows


def _of_command(name: str) -> Page:
    module = verb(name)
    _, summary, panel = COMMANDS[name]
    near = [other for other, (_, _, its) in COMMANDS.items() if its == panel]
    others = [f"`tideline-{other}`(1)" for other in near if other != name]
    sections: list[tuple[str, Sequence[Block]]] = [
        ("NAME", (f"tideline-{name} - {_phrase(summary)}",)),
        ("SYNOPSIS", (Term(f"tideline {name}", f"[OPTIONS] {usage(name)}".rstrip(), ""),)),
        ("DESCRIPTION", [" ".join(text.split()) for text in help_of(module).split("\n\n")]),
        ("ARGUMENTS", [_argument(one) for one in module.ARGUMENTS]),
        ("OPTIONS", [_option(option) for option in module.Options.ALL]),
        ("GLOBAL OPTIONS", [_option(option) for option in (*GLOBAL, HELP)]),
        ("EXIT STATUS", EXIT_CODES),
        ("EXAMPLES", [Code(line) for line in examples(name, module.EXAMPLES)]),
        ("SEE ALSO", (", ".join(("`tideline`(1)", *others)),)),
    ]
    return Page(f"tideline-{name}", [section for section in sections if section[1]])


def _option(option: Option) -> Term:
    text = option.explained
    placeholder = option.placeholder
    if len(placeholder) > _LONGEST_CHOICE:
        placeholder = option.name.upper()
    if option.choices and placeholder != "|".join(option.choices):
        text += " One of " + ", ".join(option.choices) + "."
    if option.many:
        text += " May be given more than once."
    return Term(", ".join(option.flags), placeholder, text)


def _argument(argument: Argument) -> Term:
    known = f" One of {', '.join(argument.choices)}." if argument.choices else ""
    return Term("", argument.metavar, argument.help + known)


def _argument_usage(argument: Argument) -> str:
    shown = f"{argument.metavar}..." if argument.many else argument.metavar
    return shown if argument.least else f"[{shown}]"


def _phrase(sentence: str) -> str:
    """Return a summary as NAME wants it: a small letter first, no full stop."""
    return (sentence[:1].lower() + sentence[1:]).rstrip(".")


def _line(text: str) -> str:
    """Return a text as one line of roff, literal parts bold."""
    parts = [_escaped(part) for part in text.split("`")]
    marked = "".join(f"\\fB{part}\\fR" if i % 2 else part for i, part in enumerate(parts))
    return f"\\&{marked}" if marked.startswith(".") else marked


def _escaped(text: str) -> str:
    """Return a text that roff prints as it stands, with hyphens that can be copied."""
    spelled = (_TROFF.get(char, char) for char in text)
    return "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in spelled)


def _wrapped(text: str, indent: int) -> list[str]:
    margin = " " * indent
    return textwrap.wrap(
        text.replace("`", ""), _WIDTH, initial_indent=margin, subsequent_indent=margin,
        break_on_hyphens=False, break_long_words=False,
    )  # fmt: skip


KINDS = ("start", "last", "end")
"""The kinds of options that take a time in words."""
RULES = """TIME is a day (2026-11-07), a month (2026-11), a year (2026), a week (2026-W45), today,
yesterday, tomorrow, friday, "last week", "next month"; a point in time (2026-11-07T14:30,
with Z or +01:00 for a zone, now, epoch milliseconds); or so long ago: 12h, 7d, 2w, "2 weeks ago",
and ahead: +30d, "in 3 days". A day lasts from midnight to midnight in the zone of this machine
(TZ), and so does every time without a zone: --since takes its beginning, --until and --as-of its
end, and what is valid to a day holds on that day. In JSON, in rows and in files times are ISO 8601
UTC."""


def help_of(command: ModuleType) -> str:
    """Return the help of a command, with the rules of times where it takes one."""
    text: str = command.HELP
    takes_times = any(option.kind in KINDS for option in command.Options.ALL)
    return f"{text}\n\n{RULES}" if takes_times else text


def help_forms() -> dict[str, Any]:
    """Return what there is: every command, and the options that all of them take."""
    commands = [
        {"name": name, "summary": summary, "panel": panel}
        for name, (_, summary, panel) in COMMANDS.items()
    ]
    return {"help": SUMMARY, "commands": commands, "options": list(map(_option_form, GLOBAL))}


def help_form(name: str) -> dict[str, Any]:
    """Return the help of one command; the options of all commands are those of `whole`."""
    module = verb(name)
    return {
        "command": name,
        "help": help_of(module),
        "arguments": list(map(_argument_form, module.ARGUMENTS)),
        "options": list(map(_option_form, module.Options.ALL)),
        "examples": examples(name, module.EXAMPLES),
    }


def _argument_form(argument: Argument) -> dict[str, Any]:
    return {
        "metavar": argument.metavar,
        "help": argument.help,
        "required": argument.least > 0,
        "repeatable": argument.many,
    }


def _option_form(option: Option) -> dict[str, Any]:
    return {
        "flags": list(option.flags),
        "metavar": option.placeholder or None,
        "choices": list(option.choices),
        "repeatable": option.many,
        "help": option.explained,
    }
