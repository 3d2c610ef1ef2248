"""What a model's reply says: JSON found in prose, every value checked.

Pure. Nothing here raises for any text: what cannot be read is not there.
"""

from __future__ import annotations

import json
import re
from math import floor, isfinite

from tideline_cli.llm.wording import scalar
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# A quoted string counts as one token, so that its brackets open and close nothing.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_OBJECT, _VALUE = re.compile(r"{"), re.compile(r"[{\[]")
_IN_OBJECT = re.compile(rf"[{{}}]|{_STRING}", re.DOTALL)
_IN_VALUE = re.compile(rf"[{{}}\[\]]|{_STRING}", re.DOTALL)
# A tag at the start of a line cannot be part of a JSON string, which holds no line break.
_THOUGHT = re.compile(
    r"^[ \t]*<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE | re.MULTILINE
)
_THOUGHT_END = re.compile(r"\A.*^[ \t]*</(?:think|thinking)>", re.DOTALL | re.I | re.MULTILINE)


@record
class Draft:
    """A fact as a model words it."""

    content: str
    segment: str
    importance: float | None = None
    corrects: str | None = None


@record
class Reference:
    """An edge as a model proposes it; `a` and `b` are an id or `new:<index>`."""

    a: str
    b: str
    type: str | None = None
    reason: str | None = None
    strength: int | None = None


@record
class Extracted:
    """A reply to an extraction; `parsed` tells an empty one from one that cannot be read."""

    facts: tuple[Draft, ...]
    parsed: bool
    relationships: tuple[Reference, ...]


@record
class Item:
    """A memory as a model distils it from one message."""

    kind: str
    text: str
    confidence: float


def objects(text: str) -> list[str]:
    """Return the top-level balanced {...} of a text, in order; one that never closes ends it."""
    return list(_balanced(text, _OBJECT, _IN_OBJECT))


def archive_ids(text: str) -> list[str]:
    """Return the ids that a consolidation wants archived; none for a reply that says nothing."""
    return archive_request(text) or []


def archive_request(text: str) -> list[str] | None:
    """Return the ids of the first object with a list `archive`; None when there is none."""
    wanted = _first_list(_objects(text), "archive")
    if wanted is None:
        return None
    return [identifier for one in wanted if (identifier := _text(one))]


def archive_reasons(text: str) -> dict[str, tuple[str | None, str | None]]:
    """Return for each id of a consolidation (the id that replaces it, the reason), where said."""
    for value in _objects(text):
        because = value.get("because")
        if isinstance(value.get("archive"), list) and isinstance(because, dict):
            return {scalar(key): _because(said) for key, said in because.items()}
    return {}


def extracted(text: str) -> Extracted:
    """Return the facts and edges of an extraction.

    The first object with a list `facts` counts; without one, `{}` says that there are none.
    """
    values = list(_objects(text))
    found = _first_list(values, "facts")
    if found is None:
        return Extracted((), {} in values, ())
    drafts = tuple(draft for one in found if (draft := _draft(one)) is not None)
    return Extracted(drafts, True, tuple(_references(values)))


def relationships(text: str) -> list[Reference]:
    """Return the edges in the first object with a list `relationships`; both ends are named."""
    return _references(_objects(text))


def items(text: str) -> list[Item] | None:
    """Return distilled memories; None when nothing is well-formed, [] for an empty answer.

    The first list that holds one counts, else every object that is one.
    """
    values = [
        value
        for chunk in _balanced(_spoken(text), _VALUE, _IN_VALUE)
        if (value := _decoded(chunk)) is not None
    ]
    lists = [listed for value in values if (listed := _listed(value)) is not None]
    for listed in lists:
        if found := _items(listed):
            return found
    if found := _items(values):
        return found
    return [] if [] in lists else None


def _because(value: Any) -> tuple[str | None, str | None]:
    if isinstance(value, dict):
        return _text(value.get("by")), _text(value.get("reason"))
    return None, _text(value)


def _listed(value: Any) -> list[Any] | None:
    """Return a list, or the only value of an object when it is one; {} is an empty list."""
    if isinstance(value, dict) and len(value) <= 1:
        value = next(iter(value.values()), [])
    return value if isinstance(value, list) else None


def _items(values: list[Any]) -> list[Item]:
    return [item for one in values if (item := _item(one)) is not None]


def _item(value: Any) -> Item | None:
    if not isinstance(value, dict):
        return None
    kind, text = _text(value.get("kind")), _text(value.get("text"))
    if kind is None or text is None:
        return None
    confidence = _number(value.get("confidence"))
    is_share = confidence is not None and 0 <= confidence <= 1
    return Item(kind.strip(), text.strip(), confidence if is_share and confidence else 0.0)


def _draft(value: Any) -> Draft | None:
    if not isinstance(value, dict):
        return None
    content, segment = _text(value.get("content")), _text(value.get("segment"))
    if content is None or segment is None or not content.strip():
        return None
    importance, corrects = _number(value.get("importance")), _text(value.get("corrects"))
    return Draft(content.strip(), segment, importance, corrects)


def _references(values: Iterable[dict[str, Any]]) -> list[Reference]:
    found = _first_list(values, "relationships") or []
    return [reference for one in found if (reference := _reference(one)) is not None]


def _reference(value: Any) -> Reference | None:
    if not isinstance(value, dict):
        return None
    a, b = (_text(value.get(end)) or "" for end in "ab")
    if not a.strip() or not b.strip():
        return None
    kind, reason = _text(value.get("type")), _text(value.get("reason"))
    kind = None if kind is None else kind.strip()
    return Reference(a.strip(), b.strip(), kind, reason, _strength(value.get("strength")))


def _strength(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else floor(max(1.0, min(5.0, number)) + 0.5)  # a half goes up


def _text(value: Any) -> str | None:
    return scalar(value) if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    return value if isinstance(value, float) and isfinite(value) else None


def _first_list(values: Iterable[dict[str, Any]], key: str) -> list[Any] | None:
    for found in values:
        value = found.get(key)
        if isinstance(value, list):
            return value
    return None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for chunk in objects(_spoken(text)):
        value = _decoded(chunk)
        if isinstance(value, dict):
            yield value


def _spoken(text: str) -> str:
    """Return a reply without what a reasoning model thinks aloud before it."""
    if "think" not in text.lower():
        return text
    return _THOUGHT_END.sub("", _THOUGHT.sub("", text))


def _balanced(text: str, opening: re.Pattern[str], tokens: re.Pattern[str]) -> Iterator[str]:
    end = 0
    while (found := opening.search(text, end)) is not None:
        end = _end(text, found.start(), tokens)
        if end < 0:
            return
        yield text[found.start() : end]


def _end(text: str, start: int, tokens: re.Pattern[str]) -> int:
    depth = 0
    for token in tokens.finditer(text, start):
        first = text[token.start()]
        if first in "{[":
            depth += 1
        elif first in "}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return -1


def _decoded(text: str) -> Any:
    """Return the value of strict JSON, numbers as floats; None for what is none."""
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


_JSON = json.JSONDecoder(parse_int=float, parse_constant=_refuse)
