"""Results as lines of text, for clients that cannot read the other form."""

from __future__ import annotations

from tideline_cli.model.codec import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def of(tool: str, told: dict[str, Any]) -> str:
    """Return the result of a tool as text: the same values, already made safe."""
    lines = {"recall": _hits, "show": _facts, "timeline": _changes}.get(tool, _pairs)
    return "\n".join(lines(told))


def _hits(told: dict[str, Any]) -> Iterator[str]:
    if "notice" in told:
        yield told["notice"]
    if not told["hits"]:
        yield "nothing matched"
    for hit in told["hits"]:
        state = f", {hit['lifecycle']}" if "lifecycle" in hit else ""
        state += ", weak match" if hit["weak"] else ""
        yield f"{hit['id']} [{hit['segment']}] {hit['text']} ({hit['age_days']} days old{state})"
    for one in told.get("archived_matches", ()):
        kept = f", the same as {one['kept']}" if "kept" in one else ""
        why = f"{one['reason']} {one['archived_at'][:10]}{kept}"
        yield f"archived: {one['id']} {one['text']} ({why})"
    for one in told.get("ended_matches", ()):
        yield f"ended: {one['id']} {one['text']} ({one['ended_at'][:10]})"
    if "found_by" in told:
        yield f"found by {told['found_by']}"


def _facts(told: dict[str, Any]) -> Iterator[str]:
    yield told["notice"]
    for fact in told["facts"]:
        yield f"{fact['id']} {fact['text']}"
        for name, value in fact.items():
            if name not in ("id", "text", "links"):
                yield f"  {name}: {value if isinstance(value, str) else dumps(value)}"
        for link in fact["links"]:
            yield f"  link: {link['kind']} {link['id']} {link['text']}"
    yield from (f"missing: {one}" for one in told["missing"])


def _changes(told: dict[str, Any]) -> Iterator[str]:
    yield told.get("notice", "no changes")
    for one in told["changes"]:
        values = [dumps(one[name]) for name in ("before", "after") if name in one]
        parts = (one["at"], f"batch {one.get('batch', '-')}", one["verb"], one["did"],
                 one.get("id"), " → ".join(values))  # fmt: skip
        yield " ".join(part for part in parts if part)
    if told.get("more"):
        yield "there are more; a later `until`, or limit, shows others"


def _pairs(told: dict[str, Any]) -> Iterator[str]:
    for name, value in told.items():
        yield f"{name}: {value if isinstance(value, str) else dumps(value)}"
