"""Which command lines are calls of clients: they must not fail, whatever order their words have."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOOK = "hook"
_VALUED = ("--db", "--origin", "--now", "--color", "--scope")
_FOR_PEOPLE = ("-h", "--help", "--pause", "--resume")


def after_hook(argv: Sequence[str]) -> list[str] | None:
    """Return the words of a client's call: the client and its event, as far as they are said. None
    for a command line that is none: `hook` alone, and its options for people, are for people."""
    words = [word for word, before in zip(argv, ("", *argv), strict=False) if before not in _VALUED]
    plain = [word for word in words if not word.startswith("-")]
    if HOOK not in plain or any(word.partition("=")[0] in _FOR_PEOPLE for word in words):
        return None
    place = plain.index(HOOK)
    options = [word for word in words if word.startswith("-")]
    if place and (not argv[0].startswith("-") or _is_command(plain[:place])):
        return None
    named = plain[place + 1 :]
    return named if named or _has_strange(options) else None


def _is_command(words: Iterable[str]) -> bool:
    """Say whether a word names a command, which takes what follows. Any other is the value of an
    option that nobody knows."""
    from tideline_cli.cli.commands import COMMANDS  # noqa: PLC0415  where a word stands in front

    return any(word in COMMANDS for word in words)


def _has_strange(options: Iterable[str]) -> bool:
    """Say whether there is an option that people do not give."""
    from tideline_cli.cli.commands import options_of  # noqa: PLC0415  where no client is named
    from tideline_cli.cli.options import GLOBAL  # noqa: PLC0415  as above

    known = {flag for option in (*GLOBAL, *options_of(HOOK)) for flag in option.flags}
    return any(option.partition("=")[0] not in known for option in options)
