"""Manual pages in roff, from the tables that the commands are made of."""

from __future__ import annotations

from tideline_cli import __version__
from tideline_cli.cli.commands import COMMANDS, SUMMARY
from tideline_cli.cli.fast import verb
from tideline_cli.cli.options import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tideline_cli.cli.options import Argument, Option

EXITS = (
    ("0", "Done."),
    ("1", "Nothing matched."),
    ("2", "Usage: a value that is not allowed."),
    ("3", "No such id."),
    ("4", "Blocked by the write-gate, the threat scan, or policy."),
    ("5", "The store is damaged, not a tideline database, or newer than this program."),
    ("6", "Embedder, model or network unavailable."),
    ("73", "Cannot create or write: disk full, read-only, permissions."),
    ("75", "Busy: another writer holds the store beyond the timeout."),
    ("130", "Interrupted."),
)
_ENVIRONMENT = (
    ("TIDELINE_HOME", "Folder of everything: the memory file, settings, state."),
    ("TIDELINE_DB", "The memory file."),
    ("TIDELINE_ORIGIN", "Whose memory it is."),
    ("TIDELINE_NOW", "The time to work at, for scripts and tests."),
    ("NO_COLOR, FORCE_COLOR", "Never, or always, use color."),
)
_FILES = (
    ("$XDG_DATA_HOME/tideline/tideline.db", "The memory file (~/.local/share by default)."),
    ("$XDG_CONFIG_HOME/tideline/config.toml", "Your settings (~/.config by default)."),
    (".tideline.toml", "Settings of a project, found upwards: origin, tags, limits."),
)


def pages() -> dict[str, str]:
    """Return every page by its file name."""
    made = {f"tideline-{name}.1": page(name) for name in COMMANDS}
    return {"tideline.1": main_page(), **made}


def main_page() -> str:
    """Return the page of the whole program."""
    lines = _head("tideline", SUMMARY.rstrip("."))
    lines += [".SH SYNOPSIS", r".B tideline", r"[\fIOPTION\fR]... \fICOMMAND\fR [\fIARG\fR]..."]
    lines += [".SH DESCRIPTION"]
    lines += _text(
        "tideline writes down durable facts, gets the right ones back, and prints them as a "
        "block for a prompt. One SQLite file, no daemon, no model, no network.\n\n"
        "Options may stand before or after the command."
    )
    lines.append(".SH COMMANDS")
    for panel in dict.fromkeys(command.panel for command in COMMANDS.values()):
        lines.append(f".SS {_escaped(panel)}")
        for name, command in COMMANDS.items():
            if command.panel == panel:
                lines += _item(rf"\fBtideline\-{_escaped(name)}\fR(1)", command.summary)
    lines += [".SH OPTIONS", *_options(GLOBAL)]
    lines += [".SH ENVIRONMENT", *_items(_ENVIRONMENT), ".SH FILES", *_items(_FILES)]
    return "\n".join([*lines, *_exits(), ""])


def page(name: str) -> str:
    """Return the page of one command."""
    module = verb(name)
    lines = _head(f"tideline-{name}", COMMANDS[name].summary.rstrip("."))
    words = " ".join(map(_synopsis, module.ARGUMENTS))
    lines += [".SH SYNOPSIS", rf".B tideline {_escaped(name)}", rf"[\fIOPTION\fR]... {words}"]
    lines += [".SH DESCRIPTION", *_text(module.HELP)]
    for argument in module.ARGUMENTS:
        lines += _item(rf"\fI{_escaped(argument.metavar)}\fR", argument.help)
    lines += [".SH OPTIONS", *_options(module.OPTIONS)]
    lines += [".SS Everywhere", *_options(GLOBAL)]
    lines += _exits()
    if module.EXAMPLES:
        lines += [".SH EXAMPLES", ".nf"]
        lines += [_escaped(example) for example in examples(name, module.EXAMPLES)]
        lines.append(".fi")
    lines += [".SH SEE ALSO", r".BR tideline (1)", ""]
    return "\n".join(lines)


def examples(name: str, given: Sequence[tuple[str, str]]) -> list[str]:
    """Return the example command lines of a command."""
    lines = []
    for text, flags in given:
        quoted = f'"{text}"' if " " in text and not text.startswith(("-", ">")) else text
        lines.append(" ".join(part for part in ("tideline", name, quoted, flags) if part))
    return lines


def _head(name: str, summary: str) -> list[str]:
    title = _escaped(name)
    return [
        f'.TH "{name.upper()}" "1" "" "tideline {__version__}" "User Commands"',
        ".SH NAME",
        rf"{title} \- {_escaped(summary[0].lower() + summary[1:])}",
    ]


def _exits() -> list[str]:
    return [".SH EXIT STATUS", *_items(EXITS)]


def _options(options: Iterable[Option]) -> list[str]:
    lines: list[str] = []
    for option in options:
        value = rf" \fI{_escaped(option.placeholder)}\fR" if option.placeholder else ""
        flags = ", ".join(rf"\fB{_escaped(flag)}\fR" for flag in option.flags)
        values = f" One of {', '.join(option.choices)}." if option.choices else ""
        again = " May be given again." if option.many else ""
        lines += _item(flags + value, option.help + values + again)
    return lines


def _synopsis(argument: Argument) -> str:
    metavar = rf"\fI{_escaped(argument.metavar)}\fR" + ("..." if argument.many else "")
    return metavar if argument.least else f"[{metavar}]"


def _items(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [line for term, text in rows for line in _item(rf"\fB{_escaped(term)}\fR", text)]


def _item(term: str, text: str) -> list[str]:
    return [".TP", term, *_text(text)]


def _text(text: str) -> list[str]:
    lines: list[str] = []
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            lines.append(".PP")
        lines.append(_guarded(_escaped(" ".join(paragraph.split()))))
    return lines


def _guarded(line: str) -> str:
    """Keep a line that begins like a request from being one."""
    return rf"\&{line}" if line.startswith((".", "'")) else line


def _escaped(text: str) -> str:
    for raw, safe in (("\\", r"\e"), ("-", r"\-"), ("…", "..."), ("`", r"\(ga"), ("'", r"\(aq")):
        text = text.replace(raw, safe)
    return text.encode("ascii", "xmlcharrefreplace").decode()
