"""The highest score that a fact can have, from one byte: how short it is, how often it repeats a
term, and the highest of what its source, its role and its strength weigh together.

The byte is made when a fact is stored, and again when its role, its importance or its use changes.
With the statistics of the moment it gives a factor, which says whether the fact is worth reading.
"""

from __future__ import annotations

from tideline_cli.model.fact import ROLE_WEIGHTS
from tideline_cli.model.lean import once
from tideline_cli.model.source import STANDING
from tideline_cli.model.text import said_terms
from tideline_cli.ranking.bm25 import K1, B
from tideline_cli.ranking.decay import DEPTH, is_immune, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tideline_cli.model.fact import Tier
    from tideline_cli.model.source import Source

UNKNOWN = 0xFF
ROW = 4056
"""Bytes of a row of the file, which with what goes with them fill a page of 4096."""
MOST_REPEATS = 32
"""So often and more often count alike in a bound."""
_LENGTHS = (0, 2, 4, 6, 8, 10, 12, 15, 19, 25, 40, 96, 250, 600)  # lower edges
_WEIGHTS = (0.35, 0.5, 0.65, 0.8, 0.9, 1.0)  # upper edges
_REPEATS = (1, 2, None)  # None is any number
_COUNTS = len(_REPEATS) * len(_WEIGHTS)
_SHORTNESS = b"".join(  # of each length, the place of its edge
    bytes((place,)) * (_LENGTHS[place + 1] - edge) for place, edge in enumerate(_LENGTHS[:-1])
) + bytes((len(_LENGTHS) - 1,))
_USES = (0, 15, None)  # upper edges of how often a fact was used; None is any number
FIRST_CODER = (
    "1.2 0.75 | 0 1 2 3 4 5 6 8 10 12 15 19 24 32 48 96 | 1 2 3 | 0.6 0.65 0.85 1.0 | "
    "channel_message=0.8 compaction=0.85 dream=0.85 extraction=0.9 owner_message=1.0 "
    "retrieved_document=0.6 tool_output=0.65 user_instruction=1.0"
)
"""The coder of files that name none: the value of CODER when the first bytes were made."""

CODER = " | ".join(
    " ".join(map(str, part))
    for part in (
        (ROW, K1, B, DEPTH), _LENGTHS, _REPEATS, _WEIGHTS, _USES,
        sorted([f"{source}={one.weight}" for source, one in STANDING.items()]),
        sorted([f"{role}={weight}" for role, weight in ROLE_WEIGHTS.items()]),
    )
)  # fmt: skip
"""The tables that make the bytes, and how they are stored, as one name. Bytes of another coder
bound nothing."""


def bound_of_fact(
    terms: str, source: Source, role: str | None, importance: float, tier: Tier, pinned: int,
    uses: int,
) -> int:  # fmt: skip
    """Return the byte of a fact, by what the file keeps of it; `role` is None where roles do not
    weigh."""
    highest = most_strength(importance, uses, immune=is_immune(tier, bool(pinned)))
    return bound_code(terms.split(), source, role, highest, said=len(said_terms(terms)))


def bound_code(
    terms: Sequence[str], source: Source, role: str | None = None, highest: float = 1.0, *,
    said: int,
) -> int:  # fmt: skip
    """Return the byte of a fact with these index terms, of which the first `said` are those that it
    is compared by: it tells how many they are, and how often any of all is repeated. `role` is None
    where roles do not weigh, `highest` the strength that the fact has at most."""
    standing = STANDING.get(source)
    if standing is None:  # a source of a newer program, or a damaged one
        return UNKNOWN
    weight = standing.weight * (1.0 - DEPTH + DEPTH * highest)
    if role is not None:
        weight *= ROLE_WEIGHTS.get(role, 1.0)
    weight -= 1e-12  # rounding, for which bounds have a margin
    place = sum(weight > edge for edge in _WEIGHTS[:-1])
    most = 1 if len(set(terms)) == len(terms) else _most(terms)
    repeats = min(most, len(_REPEATS)) - 1
    return 1 + _SHORTNESS[min(said, _LENGTHS[-1])] * _COUNTS + repeats * len(_WEIGHTS) + place


def most_strength(importance: float, uses: int, *, immune: bool) -> float:
    """Return the strength that a fact has at most until it is used more often than `changes_at`."""
    edge = next(edge for edge in _USES if edge is None or uses <= edge)
    if immune or edge is None:
        return 1.0
    return strength(importance, 0.0, edge, 0.0, immune=False)


STEPS = tuple(edge for edge in _USES if edge is not None)
"""How often a fact was used where its next use changes its byte."""


def changes_at(uses: int) -> bool:
    """Say whether a fact that has been used so often has another byte than before."""
    return uses - 1 in STEPS


def may_have_distinct(least: int, most: int) -> bytes:
    """Say for each byte, by 1 or 0, whether its fact may have so many distinct terms."""
    table = bytearray(256)
    for byte in range(256):
        place, repeats, _ = _parts(byte)
        longest = None if place + 1 == len(_LENGTHS) else _LENGTHS[place + 1] - 1
        fewest = 1 if repeats is None else -(-_LENGTHS[place] // repeats)
        table[byte] = fewest <= most and (longest is None or longest >= least)
    table[UNKNOWN] = 1
    return bytes(table)


def once_factors(mean_length: float, depth: float) -> list[float]:
    """Return for each byte the highest factor by which a sum of idf becomes a score where no term
    is held more than once; `depth` is how much of its score a fact loses that has faded."""
    return _factors(mean_length, depth, (1,) * len(_REPEATS))


def bound_factors(mean_length: float, depth: float) -> list[float]:
    """Return for each byte the highest factor by which a sum of idf becomes a score:
    trust · role · modulator · f · (k1 + 1) / (f + k1 · (1 − b + b · length / mean))."""
    return _factors(mean_length, depth, _REPEATS)


def repeat_shares(codes: Iterable[int], mean_length: float) -> tuple[float, ...]:
    """Return what f times of a term count more than f - 1 times, at most, as a share of what once
    counts, for f = 2, 3 … MOST_REPEATS; the last one is for any more."""
    norm = max([_norm(_parts(code)[0], mean_length) for code in codes], default=0.0)
    worth = [f * (1.0 + norm) / (f + norm) for f in range(1, MOST_REPEATS)] + [1.0 + norm]
    return tuple([worth[place] - worth[place - 1] for place in range(1, MOST_REPEATS)])


@once
def repeats_at_least() -> tuple[bytes, bytes]:
    """Say for each byte, by 1 or 0, whether its fact may hold a term twice, and whether it may more
    often; 0 is no fact."""
    most = [_parts(byte)[1] or MOST_REPEATS for byte in range(256)]
    twice, more = (b"\x00" + bytes([n >= f for n in most[1:]]) for f in (2, 3))
    return twice, more


def faded_shares(factor: float, depth: float) -> list[float]:
    """Return for each byte which share of its bound a fact reaches at most whose modulator is no
    more than `factor`. The weight of a byte holds the modulator of a fresh fact already, which may
    be the lowest that there is."""
    shares = []
    for byte in range(256):
        weight = _parts(byte)[2]
        known = min(1.0, weight * _lift(depth))
        shares.append(min(1.0, factor * min(1.0, weight / (1.0 - DEPTH)) / known))
    return shares


def _lift(depth: float) -> float:
    """Return by how much the weights of bytes are raised: they are those of the depth of most
    files."""
    return max(1.0, (1.0 - depth) / (1.0 - DEPTH))


def _factors(mean_length: float, depth: float, times: Sequence[int | None]) -> list[float]:
    weights = [min(1.0, weight * _lift(depth)) for weight in _WEIGHTS]
    table = [0.0]
    for place in range(len(_LENGTHS)):
        norm = _norm(place, mean_length)
        for f in times:
            part = K1 + 1.0 if f is None else f * (K1 + 1.0) / (f + norm)
            table += [weight * part for weight in weights]
    unknown = K1 + 1.0 if times[-1] is None else (K1 + 1.0) / (1.0 + _norm(0, mean_length))
    return table + [unknown] * (256 - len(table))


def _parts(byte: int) -> tuple[int, int | None, float]:
    """Return the place of the length of a byte, how often its fact repeats a term, and the weight
    that it has at most; None is any number."""
    if byte in (0, UNKNOWN) or byte > len(_LENGTHS) * _COUNTS:
        return 0, None, 1.0
    place, rest = divmod(byte - 1, _COUNTS)
    repeats, weight = divmod(rest, len(_WEIGHTS))
    return place, _REPEATS[repeats], _WEIGHTS[weight]


def _norm(place: int, mean_length: float) -> float:
    return K1 * (1.0 - B + B * _LENGTHS[place] / mean_length)


def _most(terms: Sequence[str]) -> int:
    counts: dict[str, int] = {}
    for term in terms:
        counts[term] = counts.get(term, 0) + 1
    return max(counts.values())
