"""The JSON values that stand in a text: found in prose, outside of a model's thoughts.

Pure. Nothing here raises for any text: what cannot be read is not there.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    """Return the top-level objects of a text that are strict JSON, in order."""
    values = (_decoded(chunk) for chunk in balanced_objects(text))
    return [value for value in values if isinstance(value, dict)]


def json_values(text: str) -> list[Any]:
    """Return the top-level objects and lists of a text that are strict JSON, in order."""
    values = (_decoded(chunk) for chunk in _balanced(text, _OPEN_VALUE, _IN_VALUE))
    return [value for value in values if value is not None]


def _balanced(text: str, opening: re.Pattern[str], tokens: re.Pattern[str]) -> list[str]:
    """Return what balances outside of thoughts."""
    chunks: list[str] = []
    end = 0
    while (found := opening.search(text, end)) is not None:
        if found[0] in ("{", "["):
            end = _end(text, found.start(), tokens)
            if end < 0:
                break
            chunks.append(text[found.start() : end])
        elif _begins(found):
            end = _thought_end(text, found.end())
        else:
            end = found.end()
            if not found["over"] and found["channel"] is None:
                chunks.clear()  # a thought whose beginning the template has cut off
    return chunks


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
    """Return the value of strict JSON, numbers as floats; None for what is none."""
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


_JSON = json.JSONDecoder(parse_int=float, parse_constant=_refuse)
