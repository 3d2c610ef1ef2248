"""What a command line that no parser takes may have meant: an error that names the nearest."""

from __future__ import annotations

import shlex
from itertools import takewhile

from tideline_cli.cli.commands import COMMANDS, options_of, verb
from tideline_cli.cli.options import GLOBAL
from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tideline_cli.cli.options import Option

_WORDS = {
    "recall": ("search", "find", "query", "ask", "lookup", "grep"),
    "remember": ("add", "save", "note", "store", "learn", "new", "put"),
    "forget": ("rm", "delete", "remove", "del", "archive"),
    "show": ("get", "cat", "view", "open"),
    "list": ("ls", "all"),
    "edit": ("update", "change", "modify", "tag", "rename"),
    "status": ("stats", "info"),
    "history": ("log", "journal"),
    "undo": ("revert", "rollback"),
    "restore": ("undelete", "unarchive"),
    "purge": ("erase", "wipe", "shred", "destroy"),
    "config": ("settings",),
    "doctor": ("check", "verify", "fsck"),
    "completions": ("completion",),
    "--version": ("version",),
}
_MEANT = {word: name for name, words in _WORDS.items() for word in words}
_OFFERED = 4


def no_command(argv: Sequence[str], place: int) -> UsageError:
    """Return the error for a word, at `place` of a command line, that is no command."""
    word, rest = argv[place], list(argv[place + 1 :])
    meant = _MEANT.get(word.lower())
    if meant is not None:
        call = shlex.join(("tideline", *argv[:place], *_call(word.lower(), meant, rest)))
        return UsageError(f"there is no command {word!r}: try `{call}`")
    near = nearest(word, COMMANDS) or _meant_by_a_slip(word)
    if near:
        return UsageError(f"there is no command {word!r}", hint=f"did you mean {_either(near)}?")
    hint = "`tideline help` lists the commands"
    if any(part[:1] != "-" for part in rest) or " " in word:
        words = shlex.quote(" ".join((word, *rest)))
        hint += f"; to write that down: tideline remember {words}"
    return UsageError(f"there is no command {_short(word)}", hint=hint)


def _meant_by_a_slip(word: str) -> list[str]:
    """Return what is meant by the words of other programs that a slip or two make of this one."""
    return list(dict.fromkeys(_MEANT[near] for near in nearest(word, _MEANT)))


def no_option(name: str, argv: Sequence[str], typed: str) -> UsageError:
    """Return the error for something `typed` that begins with a dash and is no option of the
    command, which may be text."""
    options = (*(options_of(name) if name else ()), *GLOBAL)
    part = next((one for one in argv if one == typed or _begins(one, typed)), typed)
    page = f"tideline {name} --help" if name else "tideline --help"
    takes_text = bool(name) and any(one.kind == "text" for one in verb(name).ARGUMENTS)
    flag = part.partition("=")[0]
    owner = next((one for one in argv if one in COMMANDS and flag in _flags(options_of(one))), "")
    near = nearest(flag, _flags(options)) if _is_like_option(part) else []
    if not name and owner:
        hint = f"it is an option of {owner}, and stands behind it: tideline {owner} {part} …"
    elif near:
        hint = f"did you mean {_either(near)}? `{page}` lists the options"
    elif takes_text:
        hint = f"behind -- it is text: {_as_text(argv, name, options)}"
    else:
        hint = f"`{page}` lists the options"
    return UsageError(f"no such option: {_short(part)}", hint=hint)


def is_no_global(part: str) -> bool:
    """Say whether what stands before a command looks like an option, and is none that may."""
    known = [flag for option in GLOBAL for flag in option.flags]
    return part.startswith("--") and part.partition("=")[0] not in known


def nearest(typed: str, known: Iterable[str]) -> list[str]:
    """Return the names that one or two slips turn into what was typed, or that one begins the
    other with: the nearest alone, of those the ones that begin most like it, in order."""
    bare = typed.lower().replace("_", "-")
    slips = {name: _apart(bare, name) for name in known}
    apart = {name: count + (bare.lstrip("-")[:1] != name.lstrip("-")[:1])  # few miss the first one
             for name, count in slips.items() if count <= _allowed(bare)}  # fmt: skip
    least = min(apart.values(), default=0)
    near = {name: _shared(bare, name) for name, count in apart.items() if count == least}
    most = max(near.values(), default=0)
    return [name for name, shared in near.items() if shared == most][:_OFFERED]


def _shared(one: str, other: str) -> int:
    """Return how many letters two words have in common at their beginnings."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _allowed(word: str) -> int:
    letters = len(word.lstrip("-"))
    return 0 if letters < 3 else 1 if letters < 6 else 2


def _apart(one: str, other: str) -> int:
    """Return how many slips lie between two words: a letter more, less, other, or two swapped.
    A word that the other begins with counts as one."""
    short, long = sorted((one, other), key=len)
    if len(short.lstrip("-")) >= 3 and long.startswith(short) and short != long:
        return 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row = row, [i]
        for j, against in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = above
    return row[-1]


def _call(word: str, meant: str, rest: list[str]) -> list[str]:
    """Return the command that a word stands for, and what was typed behind it as it takes that."""
    if meant.startswith("-"):
        return [meant]
    ahead = next((n for n, part in enumerate(rest) if part.startswith("-")), len(rest))
    words, more = rest[:ahead], rest[ahead:]
    if word == "tag":
        tags = [part for tag in words[1:] or ["TAG"] for part in ("--tag", tag)]
        return [meant, *(words[:1] or ["ID"]), *tags, *more]
    text = [" ".join(words)] if words else []
    if meant in ("forget", "show") and not all(map(_is_reference, words)):
        return ["recall", *text, *more] if meant == "show" else [meant, "--query", *text, *more]
    is_text = any(one.kind == "text" for one in verb(meant).ARGUMENTS)
    return [meant, *(text if is_text else words), *more]


def _is_reference(word: str) -> bool:
    """Say whether a word looks like an id, the beginning or the end of one, or `@1`."""
    return word.startswith("@") or (
        len(word) >= 4 and word.isascii() and word.isalnum() and any(map(str.isdigit, word))
    )


def _is_like_option(part: str) -> bool:
    """Say whether what begins with a dash looks like an option rather than like text."""
    name = part.partition("=")[0].lstrip("-").replace("-", "").replace("_", "")
    return part.startswith("--") and name.isalpha()


def _begins(part: str, typed: str) -> bool:
    """Say whether a part of a command line is what a parser names by its beginning: `--flag=…`, or
    one letter of `-abc`."""
    if typed.startswith("--"):
        return part.partition("=")[0] == typed
    return part[:1] == "-" and part[:2] != "--" and typed[1:] in part


def _as_text(argv: Sequence[str], name: str, options: Iterable[Option]) -> str:
    """Return the same call with its words behind `--`."""
    flags: Mapping[str, Option] = {flag: one for one in options for flag in one.flags}
    kept, words, rest = ["tideline"], [], list(argv)
    has_command = False
    while rest:
        part = rest.pop(0)
        option = flags.get(part.partition("=")[0])
        if option is not None:
            kept.append(part)
            if option.kind != "flag" and "=" not in part and rest:
                kept.append(rest.pop(0))
        elif part == name and not has_command:
            kept.append(part)
            has_command = True
        elif part != "--":
            words.append(part)
    return shlex.join((*kept, "--", *words))


def _flags(options: Iterable[Option]) -> list[str]:
    return ["--help", *(flag for one in options for flag in one.flags if flag.startswith("--"))]


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
