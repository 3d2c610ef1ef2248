"""To and from JSON: one wire form for --json, HTTP, MCP and export.

Both ways go by the C functions of `json` alone, which a recall of facts with tags or metadata needs
as well; importing `json` costs 5 ms.
"""

from __future__ import annotations

from math import inf, nan

from tideline_cli.errors import UsageError
from tideline_cli.model import instant
from tideline_cli.model.fields import FIELDS
from tideline_cli.model.lean import encode_basestring, once
from tideline_cli.model.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Breakdown, Hit

# By the form of a field; a value of a form that is not here is JSON as it is.
_AS_JSON: dict[str, Callable[[Any], object]] = {
    "texts": list,
    "time": lambda ms: None if ms is None else instant.iso(ms),
    "origin": lambda origin: origin.key,
}


@once
def _converted() -> tuple[tuple[str, Callable[[Any], object]], ...]:
    """Return the fields that JSON has in another form, and how each is converted."""
    return tuple((field.name, _AS_JSON[field.form]) for field in FIELDS if field.form in _AS_JSON)


def dumps(value: object) -> str:
    """Return `value` (None, bool, int, float, str, list, tuple, mapping) as one line of JSON."""
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(dumps, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(str(k))}: {dumps(v)}" for k, v in value.items()) + "}"
    raise TypeError(f"no JSON form for {type(value).__name__}")


def check_keys(row: Mapping[str, object], known: Collection[str]) -> None:
    """Raise UsageError for a key that a line of a batch does not have."""
    unknown = set(row) - set(known)
    if unknown:
        raise UsageError(
            f"unknown key: {min(unknown)!r}", hint="use some of " + ", ".join(sorted(known))
        )


_BLANKS = " \t\r\n"  # a line read from a file ends with one


def loads(text: str) -> Any:
    """Return the value of a JSON text; raises ValueError when it is not JSON."""
    try:
        try:
            value, end = _scanner()(text, 0)
            if end == len(text) or not text[end:].strip(_BLANKS):
                return value
        except (StopIteration, ValueError, TypeError, SystemError):
            # A blank in front, bytes, or no JSON: the library reads it or says what is wrong. Where
            # it is not loaded, the scanner has no error of its own for a text that is cut off.
            pass
        import json  # noqa: PLC0415  12 ms, and what we have written needs none of it

        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def value_at(text: str, start: int) -> Any:
    """Return the JSON value that begins at a place of a text; raises ValueError for none."""
    try:
        return _scanner()(text, start)[0]
    except (StopIteration, SystemError) as error:
        raise ValueError(f"no JSON at {start}") from error


class _Standard:
    """How `json` reads a text where nothing else is asked of it."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}.__getitem__


@once
def _scanner() -> Callable[[str, int], tuple[Any, int]]:
    from tideline_cli.model.lean import make_scanner  # noqa: PLC0415  many facts hold no JSON

    scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Standard)  # type: ignore[arg-type]
    return scan


def fact_form(fact: Fact) -> dict[str, Any]:
    """Return the contract's object for a fact."""
    form = as_dict(fact)
    for name, converted in _converted():
        form[name] = converted(form[name])
    return form


def hit_form(hit: Hit, rank: int, *, explain: bool) -> dict[str, Any]:
    """Return the contract's object for a ranked hit."""
    fact = hit.fact
    form: dict[str, Any] = {
        "rank": rank,
        "id": fact.id,
        "content": fact.content,
        "title": fact.title,
        "segment": fact.segment,
        "score": hit.score,
        "lane": hit.why.lane,
        "source": fact.source,
        "source_turn": fact.source_turn,
        "session": fact.session,
        "turn": fact.turn,
        "speaker": fact.speaker,
        "role": fact.role,
        "document": fact.document,
        "agent": fact.agent,
        "created_at": instant.iso(fact.created_at),
        "weak": hit.weak,
        "similarity": hit.why.cosine,
    }
    if hit.via is not None:
        form["via"] = {
            "id": hit.via.id, "kind": hit.via.kind, "direction": "out" if hit.via.leaves else "in"
        }  # fmt: skip
    if explain:
        form["explain"] = breakdown_form(hit.why)
    return form


def breakdown_form(why: Breakdown) -> dict[str, Any]:
    """Return the factors of a score as an object."""
    form = as_dict(why)
    form["matched_terms"] = list(why.matched_terms)
    form["label_terms"] = list(why.label_terms)
    if why.parts is None:
        del form["parts"]
    if why.group is None:
        del form["group"]
    return form


def _text(value: str) -> str:
    quoted = encode_basestring(value)
    # A terminal may obey these inside a JSON string; as escapes they say the same.
    return quoted if quoted.isascii() and "\x7f" not in quoted else quoted.translate(_VISIBLE)


def _number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"JSON has no number for {value}")
    return repr(value)


# DEL and C1, separators of lines, marks that change the direction of a text.
_VISIBLE = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
}
