"""The highest score that a fact can have, from one byte: how short it is, how often it repeats a
term, and how far its source is trusted and the words of its role weigh.

The byte is made when a fact is stored, and changes with its role alone. With the statistics of the
moment it gives a factor, which says whether the fact is worth reading.
"""

from __future__ import annotations

from tideline_cli.model.fact import ROLE_WEIGHTS
from tideline_cli.model.source import STANDING
from tideline_cli.ranking.bm25 import K1, B

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tideline_cli.model.source import Source

UNKNOWN = 0xFF
MOST_REPEATS = 8
"""So often and more often count alike in a bound."""
_LENGTHS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 19, 24, 32, 48, 96)  # lower edges
_TRUST_EDGES = (0.6, 0.65, 0.85, 1.0)  # upper edges
_REPEATS = (1, 2, 3, None)  # None is any number
_SHORTNESS = b"".join(  # of each length, the place of its edge
    bytes((place,)) * (_LENGTHS[place + 1] - edge) for place, edge in enumerate(_LENGTHS[:-1])
) + bytes((len(_LENGTHS) - 1,))


def _class_of(weight: float) -> int:
    """Return the place of the lowest edge that a weight does not pass."""
    return sum(weight > edge for edge in _TRUST_EDGES[:-1])


_TRUST = {source: _class_of(one.weight) for source, one in STANDING.items()}
FIRST_CODER = (
    "1.2 0.75 | 0 1 2 3 4 5 6 8 10 12 15 19 24 32 48 96 | 1 2 3 | 0.6 0.65 0.85 1.0 | "
    "channel_message=0.8 compaction=0.85 dream=0.85 extraction=0.9 owner_message=1.0 "
    "retrieved_document=0.6 tool_output=0.65 user_instruction=1.0"
)
"""The coder of files that name none: the value of CODER when the first bytes were made."""

CODER = " | ".join(
    " ".join(map(str, part))
    for part in (
        (K1, B), _LENGTHS, _REPEATS[:-1], _TRUST_EDGES,
        sorted([f"{source}={one.weight}" for source, one in STANDING.items()]),
    )
)  # fmt: skip
"""The tables that make the bytes, as one name. Bytes of another coder bound nothing. The weights of
roles have been the same since there are roles; others would have to be named here."""


def bound_code(terms: Sequence[str], source: Source, role: str | None = None) -> int:
    """Return the byte of a fact with these terms; `role` is None where roles do not weigh."""
    length = len(terms)
    most = 1 if len(set(terms)) == length else _most(terms)
    trust = _TRUST.get(source)
    if trust is None:  # a source of a newer program, or a damaged one
        return UNKNOWN
    if role is not None and role in ROLE_WEIGHTS:
        trust = _class_of(STANDING[source].weight * ROLE_WEIGHTS[role])
    return _SHORTNESS[min(length, _LENGTHS[-1])] << 4 | trust << 2 | min(most, 4) - 1


def may_have_distinct(least: int, most: int) -> bytes:
    """Say for each byte, by 1 or 0, whether its fact may have so many distinct terms."""
    table = bytearray(256)
    for byte in range(256):
        place = byte >> 4
        repeats = _REPEATS[byte & 3]
        longest = None if place + 1 == len(_LENGTHS) else _LENGTHS[place + 1] - 1
        fewest = 1 if repeats is None else -(-_LENGTHS[place] // repeats)
        table[byte] = fewest <= most and (longest is None or longest >= least)
    table[UNKNOWN] = 1
    return bytes(table)


def once_factors(mean_length: float) -> list[float]:
    """Return for each byte the highest factor by which a sum of idf becomes a score where no term
    is held more than once."""
    table = [
        _TRUST_EDGES[byte >> 2 & 3] * (K1 + 1.0) / (1.0 + _norm(byte, mean_length))
        for byte in range(256)
    ]
    table[UNKNOWN] = (K1 + 1.0) / (1.0 + K1 * (1.0 - B))
    return table


def repeat_shares(codes: Iterable[int], mean_length: float) -> tuple[float, ...]:
    """Return what f times of a term count more than f - 1 times, at most, as a share of what once
    counts, for f = 2, 3 … MOST_REPEATS; the last one is for any more."""
    norm = max((_norm(code, mean_length) for code in codes if code != UNKNOWN), default=0.0)
    norm = max(norm, K1 * (1.0 - B))
    worth = [f * (1.0 + norm) / (f + norm) for f in range(1, MOST_REPEATS)] + [1.0 + norm]
    return tuple([worth[place] - worth[place - 1] for place in range(1, MOST_REPEATS)])


def repeats_at_least(f: int) -> bytes:
    """Say for each byte, by 1 or 0, whether its fact may hold a term f times; 0 is no fact."""
    most = [_REPEATS[byte & 3] or f for byte in range(256)]
    return bytes([n >= f for n in most[:-1]]) + b"\x01"


def _norm(byte: int, mean_length: float) -> float:
    return K1 * (1.0 - B + B * _LENGTHS[byte >> 4] / mean_length)


def may_repeat(byte: int) -> bool:
    """Say whether a fact of this byte may hold a term more than once; 0 is no fact."""
    return byte == UNKNOWN or byte & 3 > 0


def _most(terms: Sequence[str]) -> int:
    counts: dict[str, int] = {}
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return max(counts.values())


def bound_factors(mean_length: float) -> list[float]:
    """Return for each byte the highest factor by which a sum of idf becomes a score:
    trust · f · (k1 + 1) / (f + k1 · (1 − b + b · length / mean))."""
    table: list[float] = []
    for byte in range(256):
        norm = _norm(byte, mean_length)
        f = _REPEATS[byte & 3]
        part = K1 + 1.0 if f is None else f * (K1 + 1.0) / (f + norm)
        table.append(_TRUST_EDGES[byte >> 2 & 3] * part)
    table[UNKNOWN] = K1 + 1.0
    return table
