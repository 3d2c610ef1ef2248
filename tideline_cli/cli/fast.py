"""The first parser: it runs the command lines that it understands, and leaves all others to Typer.

It reads the same options as Typer and hands over whatever it is not sure of (help, unknown flags,
missing values), so a command line means the same on both ways.
"""

from __future__ import annotations

from tideline_cli import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.cli.options import Option

    Given = dict[str, Any]

_COMPLETE = "__complete"  # the hidden word of the completion scripts
_PICK = "__pick"  # the hidden word of fzf's calls


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    if argv and argv[0] == _COMPLETE:
        from tideline_cli.cli import completion_values  # noqa: PLC0415  when TAB is pressed

        return completion_values.run(argv[1:])
    if argv and argv[0] == _PICK:
        from tideline_cli.cli.commands import pick  # noqa: PLC0415  while fzf is open

        return pick.answer_fzf(argv[1:])
    if "hook" in argv:
        from tideline_cli.cli import hook_door  # noqa: PLC0415  the call of a client

        words = hook_door.after_hook(argv)
        if words is not None:
            return hook_door.run(argv, words, parse)
    options = [part for part in argv if part.startswith("-")]
    if options == list(argv) and ("--version" in options or "-V" in options):
        as_json = "--json" in options
        print(f'{{"version": "{__version__}"}}' if as_json else f"tideline {__version__}")  # noqa: T201
        return 0
    parsed = parse(argv)
    if parsed is None:
        return _run_by_typer(argv)
    from tideline_cli.cli.perform import perform  # noqa: PLC0415  what --version does without

    return perform(*parsed, _show_help)


def _run_by_typer(argv: Sequence[str]) -> int:
    from tideline_cli.cli import app  # noqa: PLC0415  40-60 ms

    return app.run(argv)


def _show_help(name: str) -> None:
    _run_by_typer([*([name] if name else ()), "--help"])


def parse(argv: Sequence[str]) -> tuple[str, Given] | None:
    """Return the command's name and the texts given by option name, or None when not certain.
    The name is empty for the start page, where only global options are given."""
    from tideline_cli.cli.commands import (  # noqa: PLC0415  not for --version
        COMMANDS,
        DOOR,
        options_of,
        verb,
    )
    from tideline_cli.cli.options import GLOBAL  # noqa: PLC0415  as above

    given: Given = {}
    rest = list(argv)
    words: list[str] = []
    flags = _by_flag(GLOBAL)
    name = ""
    while rest:
        part = rest.pop(0)
        if part == "--" and name:
            words += rest
            break
        if len(part) > 1 and part[0] == "-":
            if not _take(part, rest, flags, given):
                return None
        elif name:
            words.append(part)
        elif part in COMMANDS:
            name = part
            flags |= _by_flag(options_of(name))
        else:
            return None
    if words and not verb(name).ARGUMENTS:
        return None
    given["words"] = words
    if name == DOOR and "--auto" in argv[: argv.index("--") if "--" in argv else None]:
        given["auto"] = True  # also where it was taken for the value of another option
    return name, given


def _by_flag(options: Sequence[Option]) -> dict[str, Option]:
    return {flag: option for option in options for flag in option.flags}


def _take(part: str, rest: list[str], flags: dict[str, Option], given: Given) -> bool:
    """Store what an option part says; False when its meaning is not certain."""
    if part.startswith("--"):
        flag, equals, value = part.partition("=")
        option = flags.get(flag)
        if option is None or (option.kind == "flag" and equals):
            return False
        return _store(option, value if equals else None, rest, given)
    for i, char in enumerate(part[1:], 1):
        option = flags.get("-" + char)
        if option is None:
            return False
        if option.kind != "flag":
            return _store(option, part[i + 1 :] or None, rest, given)
        given[option.name] = True
    return True


def _store(option: Option, value: str | None, rest: list[str], given: Given) -> bool:
    if option.kind == "flag":
        given[option.name] = True
        return True
    if value is None:
        if not rest:
            return False
        value = rest.pop(0)
    if option.many:
        given.setdefault(option.name, []).append(value)
    else:
        given[option.name] = value
    return True
