"""What a model's reply says: each form that a prompt asks for, every value checked.

Pure. Nothing here raises for any text: what cannot be read is not there.
"""

from __future__ import annotations

import json
import re
from math import floor, isfinite

from tideline_cli.llm.model_settings import scalar
from tideline_cli.model.fact import SEGMENTS
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    from tideline_cli.model.fact import Segment

    T = TypeVar("T")

# What the examples of our prompts hold in the place of words.
_BLANKS = frozenset(("", "…", "...", "<…>", "<...>", "[…]", "[...]", "string", "<string>"))


_NAMES = ("content", "text", "fact")  # what models call the text of a fact


_LONG = 200  # characters of a prompt that no answer repeats by chance


@record
class Draft:
    """A fact as a model words it."""

    content: str
    segment: Segment
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
    """A reply to an extraction; `parsed` tells an empty one from one that cannot be read. `known`
    are the ids of stored facts that are said again."""

    facts: tuple[Draft, ...]
    parsed: bool
    relationships: tuple[Reference, ...]
    refused: tuple[str, ...] = ()  # items that are no facts
    known: tuple[str, ...] = ()


@record
class DistilledItem:
    """A memory as a model distils it from one message."""

    kind: str
    text: str
    confidence: float


def unechoed(text: str, system: str, prompt: str) -> str:
    """Return a reply without the prompt that some programs repeat before it."""
    rest = text
    for sent in (system.strip(), prompt.strip()):
        at = rest.find(sent) if len(sent) >= _LONG else -1
        is_first = bool(sent) and rest.lstrip().startswith(sent)
        if is_first:
            at = len(rest) - len(rest.lstrip())
        if at >= 0:
            rest = rest[at + len(sent) :]
    return rest


def archive_request(text: str) -> list[str] | None:
    """Return the ids of the last object with a list `archive`; None without one, or without ids."""
    value = _archive(text)
    if value is None:
        return None
    return _usable(value["archive"], lambda one: _text(one) or None)


def _archive(text: str) -> dict[str, Any] | None:
    """Return the last object with a list `archive`, unless it is the example of our prompt."""
    real = [value for value in json_objects(text) if value.get("archive") != ["id", "id"]]
    return _last(real, "archive")


def archive_reasons(text: str) -> dict[str, tuple[str | None, str | None]]:
    """Return for each id of a consolidation (the id that replaces it, the reason), where said."""
    because = (_archive(text) or {}).get("because")
    if not isinstance(because, dict):
        return {}
    return {scalar(key): _because(said) for key, said in because.items()}


def extracted(text: str) -> Extracted:
    """Return the facts and edges of an extraction.

    The last object with a list `facts` counts; the example of our prompt is no such object. A list
    that has items and none of them usable is not read.
    """
    values = [value for value in json_objects(text) if not _is_example(value)]
    counts = _last(values, "facts") or _bare_list(text)
    if counts is None:
        return Extracted((), False, ())
    known = tuple(said for one in counts["facts"] if (said := _known(one)) is not None)
    rest = [one for one in counts["facts"] if _known(one) is None]
    drafts = _usable(rest, _draft)
    if drafts is None and not known:
        return Extracted((), False, ())
    facts, edges = tuple(drafts or ()), tuple(_references(values) or ())
    odd = tuple(json.dumps(one, ensure_ascii=False)[:_LONG] for one in rest if _draft(one) is None)
    return Extracted(facts, True, edges, odd, known)


def _bare_list(text: str) -> dict[str, Any] | None:
    """Return the last list of a reply as one of facts, if there is no object and a fact in it."""
    lists = [value for value in json_values(text) if isinstance(value, list)]
    is_one = lists and any(isinstance(one, dict) and _draft(one) is not None for one in lists[-1])
    return {"facts": lists[-1]} if is_one and not json_objects(text.partition("[")[0]) else None


def relationships(text: str) -> list[Reference] | None:
    """Return the edges, with both ends, in the last object with `relationships`; None for none."""
    values = [value for value in json_objects(text) if not _is_example(value)]
    return _references(values)


def questions(text: str) -> dict[str, str] | None:
    """Return the questions of the last object with a list `questions`, by the id of their fact;
    None when there is no such list. The example of our prompt is none."""
    counts = _last(json_objects(text), "questions")
    if counts is None:
        return None
    found: dict[str, str] = {}
    for one in counts["questions"]:
        fact_id, question = (
            (_name(one.get("id")), _text(one.get("question"))) if isinstance(one, dict)
            else (None, None)
        )  # fmt: skip
        if fact_id and question and question != "…":
            found[fact_id] = question
    return found if found or not counts["questions"] else None


def items(text: str) -> list[DistilledItem] | None:
    """Return distilled memories; None when nothing is well-formed, [] for an empty answer.

    The last list that holds one counts, else every object that is one; where the last object tells
    of an error, nothing does.
    """
    values = json_values(text)
    if values and isinstance(values[-1], dict) and _tells_error(values[-1]):
        return None
    listed = [found for value in values if (found := _listed(value)) is not None]
    lists = [found for found in listed if not _are_blank(found, "text")]
    for found in reversed(lists):
        if memories := _items(found):
            return memories
    if memories := _items([value for value in values if not _are_blank([value], "text")]):
        return memories
    return [] if [] in lists else None


def summary(text: str) -> str | None:
    """Return the summary of a reply, the last object with one; None when there is none."""
    values = [value for value in json_objects(text) if not _are_blank([value], "summary")]
    counts = _last(values, "summary", str)
    return counts["summary"].strip() if counts else None


def _is_example(value: dict[str, Any]) -> bool:
    """Say whether an object is the example of a prompt: its list holds words left open alone."""
    lists = ((value.get(key), word) for key, word in (("facts", "content"), ("relationships", "a")))
    return any(isinstance(listed, list) and _are_blank(listed, word) for listed, word in lists)


def _are_blank(listed: list[Any], word: str) -> bool:
    said = [one.get(word) for one in listed if isinstance(one, dict)]
    return bool(said) and all(isinstance(one, str) and one.strip() in _BLANKS for one in said)


def _because(value: Any) -> tuple[str | None, str | None]:
    if isinstance(value, dict):
        return _text(value.get("by")), _text(value.get("reason"))
    return None, _text(value)


def _listed(value: Any) -> list[Any] | None:
    """Return a list, or the only value of an object when it is one."""
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    return value if isinstance(value, list) else None


def _items(values: list[Any]) -> list[DistilledItem]:
    return [item for one in values if (item := _item(one)) is not None]


def _item(value: Any) -> DistilledItem | None:
    if not isinstance(value, dict):
        return None
    kind, text = _text(value.get("kind")), _text(value.get("text"))
    if kind is None or text is None:
        return None
    confidence = _number(value.get("confidence"))
    is_share = confidence is not None and 0 <= confidence <= 1
    sure = confidence if is_share and confidence else 0.0
    return DistilledItem(kind.strip().lower(), text.strip(), sure)


def _draft(value: Any) -> Draft | None:
    if isinstance(value, str):
        value = {"content": value}
    if not isinstance(value, dict):
        return None
    content = next((said for key in _NAMES if (said := _text(value.get(key)))), None)
    said = (_text(value.get("segment")) or "").strip().lower()
    if content is None or content.strip() in _BLANKS:
        return None
    segment: Segment = next((name for name in SEGMENTS if name == said), "knowledge")
    importance, corrects = _number(value.get("importance")), _text(value.get("corrects"))
    return Draft(content.strip(), segment, importance, corrects)


def _known(value: Any) -> str | None:
    """Return the id of a stored fact that an item names in the place of a new one."""
    if not isinstance(value, dict) or _text(value.get("content")) is not None:
        return None
    named = _name(value.get("known"))
    return None if named is None else named.strip(" []`\"'") or None


def _references(values: Iterable[dict[str, Any]]) -> list[Reference] | None:
    counts = _last(values, "relationships")
    return None if counts is None else _usable(counts["relationships"], _reference)


def _reference(value: Any) -> Reference | None:
    if not isinstance(value, dict):
        return None
    a, b = (_name(value.get(end)) or "" for end in "ab")
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


def _name(value: Any) -> str | None:
    """Return what names a fact: a text, or a whole number."""
    number = _number(value)
    return f"{number:.0f}" if number is not None and number.is_integer() else _text(value)


def _number(value: Any) -> float | None:
    return value if isinstance(value, float) and isfinite(value) else None


def _last(values: Iterable[dict[str, Any]], key: str, form: type = list) -> dict[str, Any] | None:
    """Return the last object with a value of that form; None for none, or if an error is told."""
    told = [one for one in values if isinstance(one.get(key), form) or _tells_error(one)]
    return None if not told or _tells_error(told[-1]) else told[-1]


def _tells_error(value: dict[str, Any]) -> bool:
    return bool(value.get("error") or value.get("errors"))


def _usable(listed: list[Any], read: Callable[[Any], T | None]) -> list[T] | None:
    """Return what the items of a list say; None where it has items and none says anything."""
    found = [item for one in listed if (item := read(one)) is not None]
    return found if found or not listed else None


# A quoted string counts as one token, so that its brackets open and close nothing.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_IN_OBJECT = re.compile(rf"[{{}}]|{_STRING}", re.DOTALL)
_IN_VALUE = re.compile(rf"[{{}}\[\]]|{_STRING}", re.DOTALL)
# What a reasoning model thinks aloud, in the spellings of several makers.
_THOUGHTS = (
    r"(?:seed:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection|scratchpad"
    r"|inner_monologue|internal|plan(?:ning)?|draft|commentary)"
)
_TAG = (
    rf"<(?P<close>/?){_THOUGHTS}(?:\s[^<>]{{0,80}})?>|\[(?P<shut>/?)(?:think(?:ing)?|reasoning)\]"
    rf"|◁(?P<stop>/?){_THOUGHTS}▷|<\|(?P<phase>begin|end)_of_{_THOUGHTS}\|>"
    r"|<\|channel\|>\s{0,4}(?P<channel>analysis|commentary|thought|final)[^<>]{0,80}<\|message\|>"
    r"|(?P<over><\|(?:end|return|start|call)\|>)"
)
_OPEN_OBJECT = re.compile(rf"{{|{_TAG}", re.IGNORECASE)
_OPEN_VALUE = re.compile(rf"{_TAG}|[{{\[]", re.IGNORECASE)
_ANY_TAG = re.compile(_TAG, re.IGNORECASE)


def balanced_objects(text: str) -> list[str]:
    """Return the top-level balanced {...} of a text, in order; one that never closes ends it.

    What stands in the tags of a reasoning model is no part of it, and nothing before the end of
    such a thought that has no beginning.
    """
    return _balanced(text, _OPEN_OBJECT, _IN_OBJECT)


def json_objects(text: str) -> list[dict[str, Any]]:
    """Return the top-level objects of a text that are JSON, or nearly, in order; of one that is
    cut off the whole parts."""
    values = (_decoded(chunk) for chunk in _balanced(text, _OPEN_OBJECT, _IN_OBJECT, mends=True))
    return [value for value in values if isinstance(value, dict)]


def json_values(text: str) -> list[Any]:
    """Return the top-level objects and lists of a text in the same way."""
    values = (_decoded(chunk) for chunk in _balanced(text, _OPEN_VALUE, _IN_VALUE, mends=True))
    return [value for value in values if value is not None]


def _balanced(
    text: str, opening: re.Pattern[str], tokens: re.Pattern[str], *, mends: bool = False
) -> list[str]:
    """Return what balances outside of thoughts; with `mends`, also what is cut off, closed."""
    chunks: list[str] = []
    end = 0
    while (found := opening.search(text, end)) is not None:
        if found[0] in ("{", "["):
            end = _end(text, found.start(), tokens)
            if end < 0:
                chunks += filter(None, [_closed(text[found.start() :])] if mends else [])
                break
            chunks.append(text[found.start() : end])
        elif _begins(found):
            end = _thought_end(text, found.end())
        else:
            end = found.end()
            if not found["over"] and found["channel"] is None:
                chunks.clear()  # a thought whose beginning the template has cut off
    return chunks


def _closed(text: str) -> str:
    """Return a value that never closes up to its last whole part, with its brackets closed; nothing
    where it has none."""
    open_: list[str] = []
    end, left = 0, ""
    for token in _IN_VALUE.finditer(text):
        first = token[0][0]
        if first in "{[":
            open_.append("}" if first == "{" else "]")
            if len(open_) > _DEEPEST:
                return ""
        elif first in "}]":
            if not open_ or open_.pop() != first:
                break
            if text[token.start() - 1] not in "{[":
                end, left = token.end(), "".join(reversed(open_))
    return text[:end] + left if end else ""


def _begins(tag: re.Match[str]) -> bool:
    """Say whether a tag begins a thought."""
    if tag["channel"] is not None:
        return tag["channel"].lower() != "final"
    if tag["phase"] is not None:
        return tag["phase"].lower() == "begin"
    return not tag["over"] and not (tag["close"] or tag["shut"] or tag["stop"])


def _thought_end(text: str, start: int) -> int:
    """Return where a thought ends: at the first tag that ends one, or with the text."""
    tag = next((tag for tag in _ANY_TAG.finditer(text, start) if not _begins(tag)), None)
    return len(text) if tag is None else tag.end()


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
    """Return the value of JSON, numbers as floats, where commas or quotes may be amiss; None for
    what is none."""
    for said in (text, _ODD.sub(_in_json, text)):
        try:
            return _JSON.decode(said)
        except (ValueError, RecursionError):
            continue
    return None


def _in_json(token: re.Match[str]) -> str:
    """Return a string in single quotes as JSON writes it, and no comma before a closing bracket."""
    if token["single"] is not None:
        return json.dumps(token["single"].replace("\\'", "'"), ensure_ascii=False)
    return token[0] if token["comma"] is None else ""


def _refuse(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


_ODD = re.compile(
    rf"{_STRING}|'(?P<single>[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'(?=\s*[:,}}\]])"
    r"|(?P<comma>,)(?=\s*[}\]])",
    re.DOTALL,
)
_DEEPEST = 100  # brackets in one another
_JSON = json.JSONDecoder(parse_int=float, parse_constant=_refuse)
