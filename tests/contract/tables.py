"""What the option tables say, held against the help, the manual, the completions, the README and
what the commands do. Each check yields what is wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.conftest import run_main
from tests.support import ROOT
from tideline_cli import errors
from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.generate import man as generate_man
from tideline_cli.cli.option_values import convert
from tideline_cli.cli.options import GLOBAL, Option
from tideline_cli.config import SWITCHES
from tideline_cli.config.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.contract.world import World

_DEFAULT = re.compile(r"\[default: ([^\s;\]]+?)(?:;|\]|, )")
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_OTHERS = ("TIDELINE_HOME", "TIDELINE_NOW", "TIDELINE_API_KEY", "NO_COLOR", "FORCE_COLOR")
_OF_OTHER_PROGRAMS = frozenset(("--user",))
_SHELLS = ("tideline.bash", "_tideline", "tideline.fish", "tideline.ps1")
_CALLS = {
    "remember": ("a new text",), "recall": ("deploy",), "context": ("deploy offsite cat",),
    "import": ("rows.jsonl",), "ingest": ("talk.txt", "--dry-run"),
    "extract": ("talk.txt", "--dry-run"), "embed": ("text",),
    "relink": ("--dry-run",), "consolidate": ("--dry-run", "--llm", "none"),
    "eval": ("make",), "serve": ("word",),
    "schedule": ("--cron",), "retention": ("--days", "9", "--dry-run"), "dream": ("--dry-run",),
    "gc": ("--dry-run",), "sync": ("status",),
}  # fmt: skip
"""Words and flags with which a command does something, and changes nothing if it can."""


def complaints(world: World) -> list[str]:
    """Return everything that is wrong, the commands one by one."""
    found = [*_documents(), *_variables(), *_exit_codes()]
    for name in COMMANDS:
        found += of_command(name, world)
    return found


def of_command(name: str, world: World) -> list[str]:
    """Return what is wrong with one command's options."""
    help_text = _flat(run_main(name, "--help").out)
    page = _flat(generate_man.plain(generate_man.layout(name)))
    found = []
    for option in (*verb(name).Options.ALL, *GLOBAL):
        found += [*_told(option, help_text, page), *_completed(name, option)]
    for option in verb(name).Options.ALL:
        found += [*_excluded(name, option), *_enforced(name, option)]
        found += _default(name, option, world)
    return [f"{name}: {one}" for one in found]


def _flat(text: str) -> str:
    """Return a text without its line breaks, which stand wherever a line is full."""
    return " ".join(text.split())


def _packed(text: str) -> str:
    """Return a text without spaces: a word that is longer than its column is cut."""
    return "".join(text.replace("`", "").split())


def _told(option: Option, help_text: str, page: str) -> Iterator[str]:
    if not option.help or not option.help.endswith((".", "]")):
        yield f"{option.flags[0]} has no help"
    for place, text in (("help", help_text), ("man", page)):
        for flag in option.flags:
            if not re.search(rf"(?<![\w-]){flag}(?![\w-])", text):
                yield f"{flag} is not in the {place}"
        if _packed(option.explained) not in _packed(text):
            yield f"what {option.flags[0]} means is not in the {place}"
    if option.kind == "count":
        for bound in (option.least, option.most):
            if f"{bound:,}" not in option.explained:
                yield f"{option.flags[0]}: its help lacks the bound {bound:,}"
    for choice in option.choices:
        if choice not in page:
            yield f"{option.flags[0]}: the man page lacks {choice}"


def _completed(name: str, option: Option) -> Iterator[str]:
    for shell in _SHELLS:
        script = (ROOT / "completions" / shell).read_text("utf-8")
        bare = option.flags[0].lstrip("-")
        if bare not in script or name not in script:
            yield f"{option.flags[0]} is not in {shell}"


def _call(name: str, *more: str) -> tuple[str, ...]:
    return (name, *more, *_CALLS.get(name, ()))


def _enforced(name: str, option: Option) -> Iterator[str]:
    """Say which bound or choice is not kept."""
    flag = option.flags[0]
    if option.kind == "count":
        for value in (option.least - 1, option.most + 1):
            done = run_main(name, f"{flag}={value}", stdin="x")
            if done.code != 2 or f"from {option.least:,} to {option.most:,}" not in done.err:
                yield f"{flag}={value} is taken"
        for value in (option.least, option.most):
            if "whole number" in run_main(*_call(name, f"{flag}={value}"), stdin="x").err:
                yield f"{flag}={value} is refused"
    elif option.kind == "share":
        for value in ("-0.01", "1.01", "x"):
            if run_main(name, f"{flag}={value}", stdin="x").code != 2:
                yield f"{flag}={value} is taken"
    elif option.kind == "choice":
        done = run_main(name, f"{flag}=no-such-choice", stdin="x")
        if done.code != 2 or any(choice not in done.err for choice in option.choices):
            yield f"{flag} takes what is no choice, or does not name them"
        for choice in option.choices:
            if "unknown" in run_main(*_call(name, f"{flag}={choice}"), stdin="x").err:
                yield f"{flag}={choice} is refused"
    elif option.kind in ("time", "start", "last", "end", "duration", "number", "pair"):
        done = run_main(name, f"{flag}=?", stdin="x")
        yield from () if done.code == 2 else (f"{flag}=? is taken",)


def _excluded(name: str, option: Option) -> Iterator[str]:
    """Say which pair that the table keeps apart is taken."""
    options = {other.name: other for other in (*verb(name).Options.ALL, *GLOBAL)}
    for other in option.excludes:
        more = ("word",) if other == "words" else _given(options[other])
        done = run_main(name, *_given(option), *more, stdin="x")
        if done.code != 2 or "cannot go with" not in done.err:
            yield f"{option.flags[0]} goes with {other}"
    for other, allowed in option.beside:
        more = _given(options[other]) if other in options else (f"--{other}",)
        for choice in option.choices:
            done = run_main(name, f"{option.flags[0]}={choice}", *more, stdin="x")
            if (choice in allowed) is ("cannot go with" in done.err):
                yield f"--{other}: {choice} is refused, or taken, against the table"


def _given(option: Option) -> tuple[str, ...]:
    day = "2026-01-01"
    value = {
        "count": str(option.least), "choice": (*option.choices, "")[0], "time": day, "start": day,
        "last": day, "end": day,
    }.get(option.kind, "x")  # fmt: skip
    return (option.flags[0],) if option.kind == "flag" else (option.flags[0], value)


def _default(name: str, option: Option, world: World) -> Iterator[str]:
    """Say where the documented default is not the one in force: given aloud it changes nothing."""
    stated = _DEFAULT.search(option.help)
    if option.default not in (None, False, ()) and stated is None and not option.many:
        yield f"{option.flags[0]}: its default {option.default!r} is not told"
    if stated is None:
        return
    text = stated[1].replace(",", "")
    is_word = option.kind in ("text", "file") and option.default is None
    if is_word or (option.kind == "choice" and text not in option.choices):
        return  # a sentence, not a value
    if option.default is not None and convert(option, text) != option.default:
        yield f"{option.flags[0]}: told is {text}, in force is {option.default!r}"
    plain = world.call(_call(name), b"")
    aloud = world.call(_call(name, f"{option.flags[0]}={text}"), b"")
    if plain != aloud:
        yield f"{option.flags[0]}={text}, the default, changes what happens: {aloud!r:.200}"


def _documents() -> Iterator[str]:
    """Say which flags and commands of the documents there are not, and which they lack."""
    known = {flag for name in COMMANDS for option in (*verb(name).Options.ALL, *GLOBAL)
             for flag in option.flags} | {"--help", "--version"}  # fmt: skip
    listed = _page("commands")
    pages = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for name in COMMANDS:
        if f"- `{name}" not in listed:
            yield f"docs/commands.md lacks {name}"
        for page in pages:
            for flag, line in _flags_of_calls(page.read_text("utf-8"), name):
                options = (*verb(name).Options.ALL, *GLOBAL)
                if flag not in {f for option in options for f in option.flags}:
                    yield f"{page.name}: {flag} is no option of {name}: {line}"
    for path in (ROOT / "README.md", ROOT / "docs" / "command-line.md"):
        for flag in sorted(set(_FLAG.findall(path.read_text("utf-8")))):
            if flag not in known | _OF_OTHER_PROGRAMS:
                yield f"{path.name}: there is no {flag}"
    of_remember = [flag for option in verb("remember").Options.ALL for flag in option.flags[:1]]
    told = _page("concepts")
    lacks = "docs/concepts.md lacks {} of remember"
    yield from (lacks.format(flag) for flag in of_remember if f"`{flag}" not in told)


def _page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


def _flags_of_calls(text: str, name: str) -> Iterator[tuple[str, str]]:
    for line in re.findall(rf"tideline {name}(?![\w-])([^\n`|;#(]*)", text):
        for flag in _FLAG.findall(line):
            if flag not in ("--help",):
                yield flag, line.strip()


def _variables() -> Iterator[str]:
    """Say which variable docs/settings.md or the manual lacks, or has too much."""
    of_settings = {setting.env for setting in SETTINGS.values() if setting.env}
    known = of_settings | set(SWITCHES) | set(_OTHERS)
    places = {"docs/settings.md": _page("settings"),
              "man": generate_man.plain(generate_man.layout(""))}  # fmt: skip
    for place, text in places.items():
        named = set(re.findall(r"\b(?:TIDELINE_[A-Z_]+|NO_COLOR|FORCE_COLOR)\b", text))
        yield from (f"{place} lacks {name}" for name in sorted(known - named))
        yield from (f"{place} has {name}, which is none" for name in sorted(named - known))


def _exit_codes() -> Iterator[str]:
    """Say which exit code docs/exit-codes.md, docs/troubleshooting.md or the manual lacks."""
    kinds = [errors.TidelineError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    known = {kind.exit_code for kind in kinds} | {0, 70, 130}
    table = _page("exit-codes").partition("## ")[0]
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.M)}
    helped = {int(code) for code in re.findall(r"^## (\d+)", _page("troubleshooting"), re.M)}
    page = {int(item.literal) for item in generate_man.EXIT_CODES}
    if not known == told == page:
        yield f"exit codes: {sorted(known)}, docs {sorted(told)}, man {sorted(page)}"
    if helped != known:
        yield f"exit codes: docs/troubleshooting.md helps with {sorted(helped)}"
