"""One row of a file to one fact: every value checked, unknown keys kept in the metadata."""

from __future__ import annotations

from _blake2 import blake2b
from math import isfinite

from tideline_cli.errors import UsageError
from tideline_cli.memory.remember import checked
from tideline_cli.model import codec, instant, ulid
from tideline_cli.model.fact import (
    HEATS,
    KINDS,
    LIFECYCLES,
    SEGMENTS,
    STATUSES,
    TIERS,
    Fact,
    clamped,
    initial_heat,
    one_of,
    slot_key,
)
from tideline_cli.model.origin import UNKNOWN, Origin, parse_origin
from tideline_cli.model.record import record
from tideline_cli.model.source import SOURCES, is_trusted, parse_source
from tideline_cli.model.text import storable
from tideline_cli.policy.gate import confined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.model.fact import Segment, Tier
    from tideline_cli.model.source import Source

KEYS = frozenset(
    "id content segment tier heat kind title tags importance decay_rate access_count "
    "last_accessed_at created_at source origin lifecycle status confidence slot valid_from "
    "valid_to pinned source_turn derived_from metadata links".split()
)
_ID_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:")
_LONGEST_ID = 64
_LARGEST_COUNT = 2**31


@record
class Ground:
    """What holds for every row of one import: whom rows without an origin belong to, when it is,
    and whether the owner vouches for the file."""

    origin: Origin
    now: int
    trusted: bool


def fact_from(row: Mapping[str, Any], ground: Ground, *, repeat: int = 0) -> Fact:
    """Return the fact that a row states; raise UsageError naming what is wrong with it.

    A row without an id gets one made of what it says, so that the same row is the same fact in a
    second run; `repeat` tells equal rows of one file apart.
    """
    content = row.get("content")
    if not isinstance(content, str):
        raise UsageError("no text", hint='a row needs "content"')
    content = checked(content)
    source = _source(row, ground)
    origin = _origin(row, ground)
    kind = _word(row, "kind", tuple(KINDS))
    segment, tier = _class(row, kind, source, ground)
    defaults = SEGMENTS[segment]
    importance = clamped(unit(row, "importance", clamp=True, default=None), defaults.importance)
    stated = instants(row, "created_at", None)
    created_at = ground.now if stated is None else stated
    slot = text(row, "slot")
    status: Any = _word(row, "status", STATUSES) if ground.trusted else None
    lifecycle: Any = _word(row, "lifecycle", LIFECYCLES) or "active"
    heat: Any = _word(row, "heat", HEATS) or initial_heat(segment, kind, tier, importance)
    turn = text(row, "source_turn")
    own_id = _id(row) if "id" in row else None
    used = instants(row, "last_accessed_at", None)
    return Fact(
        own_id or made_id(origin, content, turn, stated, repeat),
        content, segment, tier, heat, kind, text(row, "title"), strings(row, "tags"), importance,
        _rate(row, defaults.decay_rate), _count(row, "access_count"),
        created_at if used is None else used, created_at, source, origin, lifecycle, status,
        unit(row, "confidence", clamp=True, default=None), slot_key(slot) if slot else None,
        instants(row, "valid_from", None), instants(row, "valid_to", None),
        flag(row, "pinned") and ground.trusted, turn, strings(row, "derived_from"),
        metadata_of(row),
    )  # fmt: skip


def _origin(row: Mapping[str, Any], ground: Ground) -> Origin:
    named = text(row, "origin")
    if not named:
        return ground.origin
    origin = parse_origin(named)
    if origin == UNKNOWN:
        raise UsageError("an unknown origin may not write")
    if origin != ground.origin and not ground.origin.is_owner:
        raise UsageError("only the owner may write into another origin")
    return origin


def _class(
    row: Mapping[str, Any], kind: str | None, source: Source, ground: Ground
) -> tuple[Segment, Tier]:
    """Return segment and tier; a file that nobody vouches for gets neither what its source may
    not author nor permanence."""
    segment: Any = _word(row, "segment", tuple(SEGMENTS)) or (
        KINDS[kind][0] if kind else "knowledge"
    )
    if not ground.trusted:
        segment = confined(segment, source)
    tier: Any = _word(row, "tier", TIERS) or SEGMENTS[segment].tier
    if tier == "permanent" and not ground.trusted:
        tier = SEGMENTS[segment].tier
    return segment, tier


def made_id(origin: Origin, content: str, turn: str | None, stated: int | None, repeat: int) -> str:
    """Return a ULID that depends on what a row says alone; its time is the stated one, if any."""
    said = "\x1f".join((origin.key, content, turn or "", str(stated), str(repeat)))
    digest = bytearray(blake2b(said.encode(), digest_size=16).digest())
    if stated is not None and 0 <= stated < 1 << 48:
        digest[:6] = stated.to_bytes(6, "big")
    return ulid.text(bytes(digest))


def links_of(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the edges that a row states; raise UsageError when they are none."""
    links = row.get("links")
    if links is None:
        return []
    if not isinstance(links, list) or not all(
        isinstance(link, dict)
        and isinstance(link.get("kind"), str)
        and isinstance(link.get("target"), str)
        for link in links
    ):
        raise UsageError("links is not a list of objects with kind and target")
    return links


def strings(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts, each once."""
    values = row.get(name)
    if values is None:
        return ()
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UsageError(f"{name} is not a list of texts")
    return tuple(dict.fromkeys(storable(value, name) for value in values))


def unit(row: Mapping[str, Any], name: str, *, clamp: bool, default: float | None) -> float | None:
    """Return a number within 0..1; outside it is clamped or refused."""
    value = row.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{name} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not clamp and not 0.0 <= number <= 1.0:
        raise UsageError(f"{name} is not a number from 0 to 1")
    if not isfinite(number):
        return default
    return min(1.0, max(0.0, number))


def instants(row: Mapping[str, Any], name: str, default: int | None) -> int | None:
    """Return a time in milliseconds, from ISO 8601 or epoch milliseconds."""
    value = row.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise UsageError(f"{name} is not a time")
    return instant.parse(str(value))


def _source(row: Mapping[str, Any], ground: Ground) -> Source:
    stated = row.get("source")
    if stated is not None:
        stated = parse_source(one_of(str(stated), SOURCES, "source"))
    if ground.trusted:
        return stated or ("owner_message" if ground.origin.is_owner else "channel_message")
    return "retrieved_document"


def was_confined(row: Mapping[str, Any], fact: Fact) -> bool:
    """Say whether the row named a segment that its source may not author."""
    return row.get("segment") not in (None, fact.segment) and not is_trusted(fact.source)


def _word(row: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str | None:
    value = row.get(name)
    return None if value is None else one_of(str(value), allowed, name)


def text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise UsageError(f"{name} is not a text")
    return storable(value, name)


def _id(row: Mapping[str, Any]) -> str | None:
    value = row.get("id")
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_ID or set(value) - _ID_CHARS:
        raise UsageError(
            f"not an id: {value!r:.60}", hint="an id has 1 to 64 letters, digits, or _-.:"
        )
    return value


def _count(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST_COUNT:
        raise UsageError(f"{name} is not a whole number")
    return value


def flag(row: Mapping[str, Any], name: str) -> bool:
    value = row.get(name)
    if value in (None, 0, 1):
        return bool(value)
    raise UsageError(f"{name} is not true or false")


def _rate(row: Mapping[str, Any], default: float) -> float:
    value = row.get("decay_rate")
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 100:
        raise UsageError("decay_rate is not a number from 0 to 100")
    return float(value)


def metadata_of(row: Mapping[str, Any]) -> dict[str, Any] | None:
    stated = row.get("metadata")
    if stated is not None and not isinstance(stated, dict):
        raise UsageError("metadata is not an object")
    if row.keys() <= KEYS and not stated:
        return stated
    metadata = dict(stated or {}) | {key: row[key] for key in row if key not in KEYS}
    try:
        codec.dumps(metadata).encode()
    except (ValueError, RecursionError) as error:
        raise UsageError("metadata cannot be stored: not valid JSON") from error
    return metadata
