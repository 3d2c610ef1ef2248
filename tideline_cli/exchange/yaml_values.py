"""Values of YAML, as editors and people write them in front of notes, from the events of PyYAML's
safe parser: nothing in them is made an object of Python, and dates and versions stay words.

Anchors, aliases and tags are refused, so no text grows as it is read.
"""

from __future__ import annotations

import yaml  # noqa: TID251  its events alone

from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 100
_NONE = ("", "~", "null", "Null", "NULL")
_TRUTH = {"true": True, "True": True, "TRUE": True,
          "false": False, "False": False, "FALSE": False}  # fmt: skip


def yaml_value(text: str, *, typed: bool) -> Any:
    """Return the value that a text states; with `typed` words may be truth values and numbers of
    JSON, else they are words or None. Raises ValueError for what is no YAML, or not read."""
    try:
        return _built(yaml.parse(text, Loader=_PARSER), typed=typed)
    except yaml.MarkedYAMLError as error:
        raise ValueError(error.problem or error.context or "it is no YAML") from None
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None


def _built(events: Iterable[Any], *, typed: bool) -> Any:
    """Return the value of one document."""
    found: list[Any] = []
    inside: list[tuple[list[Any], bool]] = [(found, False)]  # members, and whether of a mapping
    for event in events:
        members, is_mapping = inside[-1]
        _refuse_strange(event)
        if isinstance(event, yaml.ScalarEvent):
            is_key = is_mapping and len(members) % 2 == 0
            is_plain = event.implicit[0] and not is_key
            members.append(_word(event.value, typed=typed) if is_plain else event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            if len(inside) > _DEEPEST:
                raise ValueError("it is nested too deeply")
            inside.append(([], isinstance(event, yaml.MappingStartEvent)))
        elif isinstance(event, yaml.CollectionEndEvent):
            inside.pop()
            inside[-1][0].append(_mapping(members) if is_mapping else members)
    if len(found) != 1:
        raise ValueError("it is several documents, or none")
    return found[0]


def _refuse_strange(event: Any) -> None:
    if isinstance(event, yaml.AliasEvent):
        raise ValueError("an alias is not read")
    if getattr(event, "anchor", None) is not None:
        raise ValueError("an anchor is not read")
    if getattr(event, "tag", None) is not None:
        raise ValueError("a tag is not read")


def _mapping(members: list[Any]) -> dict[str, Any]:
    """Return the mapping of keys and values that stand there in turn."""
    found: dict[str, Any] = {}
    for name, value in zip(members[::2], members[1::2], strict=True):
        if not isinstance(name, str):
            raise ValueError("a list or a mapping stands as a name")
        if name in found:
            raise ValueError(f"{name!r:.40} stands there twice")
        found[name] = value
    return found


def _word(text: str, *, typed: bool) -> Any:
    """Return what plain words state."""
    if text in _NONE:
        return None
    if not typed:
        return text
    if text in _TRUTH:
        return _TRUTH[text]
    try:
        value = codec.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float) else text
