"""What is said when a known fact is said again: what has changed of it."""

from __future__ import annotations

from tideline_cli.cli import ages
from tideline_cli.model.fields import ONE_WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tideline_cli.model.fact import Fact

_FIRST = ("segment", "tier", "kind", "title", "slot", "scope")
_PERIOD = ("valid_from", "valid_to")
_NAMED = (*_FIRST, *(name for name in ONE_WORD if name not in (*_FIRST, *_PERIOD)))
_CHANGEABLE = (
    "pinned", "tags", *_NAMED, "metadata", "derived_from", *_PERIOD,
)  # fmt: skip


def changed(before: Fact, after: Fact) -> list[str]:
    """Return the names of the labels that differ."""
    return [name for name in _CHANGEABLE if getattr(before, name) != getattr(after, name)]


def told(before: Fact, after: Fact) -> str:
    """Return in a few words what became of a fact that was said again."""
    return ", ".join(_phrases(before, after))


def _phrases(before: Fact, after: Fact) -> Iterator[str]:
    if after.pinned != before.pinned:
        yield "now pinned"
    yield from _added("tag", before.tags, after.tags)
    for name in _NAMED:
        if getattr(before, name) != getattr(after, name):
            yield f"{name.replace('_', ' ')}: {getattr(after, name)}"
    yield from _added("metadata", _pairs(before.metadata), _pairs(after.metadata))
    yield from _added("derived from", before.derived_from, after.derived_from)
    if after.valid_from != before.valid_from and after.valid_from is not None:
        yield f"holds from {ages.day(after.valid_from)}"
    if after.valid_to != before.valid_to:
        end = after.valid_to
        yield "holds without end" if end is None else f"holds until {ages.until(end)}"


def _pairs(metadata: Mapping[str, object] | None) -> list[str]:
    return [f"{key}={value}" for key, value in (metadata or {}).items()]


def _added(what: str, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    new = [value for value in after if value not in before]
    if new:
        yield f"{what} added: {', '.join(new)}"
