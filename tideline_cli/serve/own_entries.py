"""Which entries of a client's settings call this program: hooks by their words, servers by theirs.
Pure."""

from __future__ import annotations

from collections import Counter
from posixpath import basename
from shlex import split

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from tideline_cli.serve.json_text import JsonText, Node

    Words = tuple[str, ...]

_PROGRAMS = ("tideline", "tideline.exe", "tideline_cli")


@record
class Handler:
    """A handler that calls our hook: its words, its node, the list of its event, its place there,
    and the list of its group where it is in one."""

    words: Words
    node: Node
    listed: Node
    place: int
    group: Node | None


def handlers(file: JsonText, event: str, client: str) -> list[Handler]:
    """Return the handlers of an event that call our hook for a client, in order."""
    listed = file.at("hooks", event)
    if listed is None or listed.kind != "array":
        return []
    found = []
    for place, item in enumerate(listed.items):
        inner = item.value.item("hooks")
        group = inner.value if inner is not None and inner.value.kind == "array" else None
        nodes = [item.value] if group is None else [one.value for one in group.items]
        found += [Handler(words, node, listed, place, group) for node in nodes
                  if _calls(words := called_words(file.form(node)), client)]  # fmt: skip
    return found


def ours(
    file: JsonText, old: JsonText | None, event: str, client: str, known: Collection[Words]
) -> list[Handler]:
    """Return the handlers that setup has put in: by their words, or, where somebody has changed
    those, what was not there before."""
    found = handlers(file, event, client)
    written = [one for one in found if one.words in known] or found
    before = Counter(
        one.words for one in (handlers(old, event, client) if old is not None else ())
    )
    kept = []
    for one in written:
        if before[one.words] > 0:
            before[one.words] -= 1
        else:
            kept.append(one)
    return kept


def called_words(entry: Any) -> Words:
    """Return the words that a handler or a server calls, none where it calls nothing."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return ()
    command, more = entry["command"], entry.get("args")
    if isinstance(more, list):
        return (command, *(one if isinstance(one, str) else "" for one in more))
    try:
        return tuple(split(command))
    except ValueError:
        return ()


def first_handler(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the handler of an entry as we write it: of a group the first."""
    inner = entry.get("hooks")
    return inner[0] if isinstance(inner, list) else entry


def is_own_server(words: Sequence[str]) -> bool:
    """Say whether the words of a server start ours."""
    return _after_program(words)[:1] == ("mcp",)


def _calls(words: Sequence[str], client: str) -> bool:
    return _after_program(words)[:2] == ("hook", client)


def _after_program(words: Sequence[str]) -> Words:
    """Return what follows the name of this program, nothing where it is not called."""
    place = next((n for n, word in enumerate(words) if basename(word) in _PROGRAMS), len(words))
    return tuple(words[place + 1 :])
