"""The facts nearest to a text, in order: found by approximate cosines, ranked by exact ones; and
the lane of hrr-256 in plain Python, which has compared few texts before numpy is loaded."""

from __future__ import annotations

from itertools import islice

from tideline_cli.model.record import Record
from tideline_cli.ranking import worth
from tideline_cli.store import vectors
from tideline_cli.vector import hrr_halves, hrr_plain
from tideline_cli.vector.features import FLOOR, HRR
from tideline_cli.vector.hrr_halves import Halves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol, TypeVar

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.vector.hrr_halves import Halves

    Chunk = tuple[bytes, bytes]
    Near = tuple[int, float]
    Rough = list[Near]
    Vector = TypeVar("Vector")

    class Lane(Protocol[Vector]):
        """One way to compute similarity.

        name: of the embedder, as stored. floor: the least cosine that counts as similar.
        margin: how far an approximate cosine may be off; 0 where there is no exact one.
        """

        name: str
        floor: float
        margin: float

        def embed(self, text: str) -> Vector:
            """Return the vector of a text."""

        def packed(self, texts: Sequence[str]) -> bytes:
            """Return the codes of the texts."""

        def rough(self, asked: Vector, chunks: Held, least: float) -> Iterable[Near]:
            """Return (number, approximate cosine) of all facts with `least` or more, nearest
            first, then lower number."""

        def exact(self, asked: Vector, text: str, approximate: float) -> float:
            """Return the cosine of a vector and a text; `approximate` where there is none."""

        def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
            """Return the function of two indices that is the cosine of these texts."""

DECIMALS = 10
"""Exact cosines are rounded to these, so that texts of the same features tie, in whatever order
their parts are summed."""
_NONE = -2.0  # less than any cosine
_FIRST_READ = 32
_SLACK = 1.0 + 1e-9  # bounds are raised by a margin for rounding
_MOST_READ = 512


class Candidate(Record):
    """A fact that may be returned, and what its score is weighted by."""

    seq: int
    fact: Fact
    strength: float
    modulator: float
    trust: float
    role: float

    @property
    def weight(self) -> float:
        return self.trust * self.modulator * self.role


class Held:
    """The vectors of an origin by an embedder, and `last`, which are not stored yet. Its chunks are
    numbers of facts, 4 bytes each, and codes; `known` are those in halves that are read already."""

    def __init__(
        self, db: Connection, *, origin_number: int, embedder: str, last: Chunk | None = None
    ) -> None:
        self._db = db
        self._origin_number = origin_number
        self._embedder = embedder
        self.last = last
        self.known: Sequence[tuple[int, bytes, bytes, bytes | None]] | None = None

    def __iter__(self) -> Iterator[Chunk]:
        yield from vectors.chunks(
            self._db, origin_number=self._origin_number, embedder=self._embedder
        )
        if self.last:
            yield self.last

    def halves(self) -> Halves:
        """Return those that are stored, as they are kept: in halves."""
        db, origin = self._db, self._origin_number
        if self.known is None:
            stored = vectors.halves(db, origin_number=origin, embedder=self._embedder)
            return Halves(stored, lambda some: vectors.halves_of(db, some, origin_number=origin))
        lows = {number: (high, low) for number, _, high, low in self.known if low is not None}
        return Halves(
            [(number, facts, high) for number, facts, high, _ in self.known],
            lambda some: [lows[number] for number in some] if lows
            else vectors.halves_of(db, some, origin_number=origin),
        )  # fmt: skip


class Nearest:
    """Candidates of at least a cosine, best first, then newer, then by id.

    The best has the highest cosine or, if they are weighted, the highest cosine · weight. Facts
    are read in blocks. A cosine is made exact only when its fact may be the next one.
    """

    def __init__(
        self, rough: Iterable[Near], read: Callable[[Sequence[int]], dict[int, Candidate]],
        exact: Callable[[str, float], float], *, floor: float, margin: float, weighted: bool,
    ) -> None:  # fmt: skip
        self._rough = iter(rough)
        self._first = next(self._rough, None)  # of what is not read yet
        self._read = read
        self._exact = exact
        self._floor = floor
        self._margin = margin
        self._weighted = weighted
        self._given = 0
        self._size = _FIRST_READ
        # (value or the most it can be, cosine, candidate), the best last
        self._ahead: list[tuple[float, float, Candidate]] = []
        self._ready: list[tuple[float, float, Candidate]] = []

    def next(self) -> tuple[Candidate, float] | None:
        """Return the next candidate and its cosine, None after the last."""
        ahead, ready = self._ahead, self._ready
        while True:
            least = ready[-1][0] if ready else _NONE
            most = ahead[-1][0] if ahead else _NONE
            unread = self._unread()
            if unread > most and unread >= least:
                self._read_on()
            elif ahead and most >= least:
                self._settle(*ahead.pop()[1:])
            else:
                break
        if not ready:
            return None
        self._given += 1
        _, cosine, candidate = ready.pop()
        return candidate, cosine

    def has(self, least: float, base: float) -> bool:
        """Say whether base · damping · weight of a candidate to come may be `least` or more.

        While only a fact that is not read yet may score that much, more facts are read. Such a fact
        comes after all that are certain to be nearer, so its damping is known.
        """
        least /= base * _SLACK or 1.0
        while True:
            damping = worth.vector_damping(self._given)
            if any(damping * item.weight >= least for _, _, item in self._ready + self._ahead):
                return True
            unread = self._unread()
            if unread == _NONE:
                return False
            nearer = sum(cosine > unread for _, cosine, _ in self._ready)
            nearer += sum(cosine - self._margin > unread for _, cosine, _ in self._ahead)
            if worth.vector_damping(self._given + nearer) < least:
                return False
            self._read_on()

    def _unread(self) -> float:
        """Return the highest value that a fact not read yet can have."""
        if self._first is None:
            return _NONE
        highest = self._first[1] + self._margin
        return max(highest, 0.0) if self._weighted else highest

    def _read_on(self) -> None:
        part = [*islice(self._rough, self._size - 1)]
        if self._first is not None:
            part.insert(0, self._first)
        self._first = next(self._rough, None)
        self._size = min(2 * self._size, _MOST_READ)
        found = self._read([seq for seq, _ in part])
        for seq, cosine in part:
            if seq in found:
                most = self._value(cosine + self._margin, found[seq])
                self._ahead.append((most, cosine, found[seq]))
        self._ahead.sort(key=_order, reverse=True)

    def _settle(self, approximate: float, candidate: Candidate) -> None:
        """Make a cosine exact."""
        cosine = self._exact(candidate.fact.content, approximate)
        if cosine >= self._floor:
            self._ready.append((self._value(cosine, candidate), cosine, candidate))
            self._ready.sort(key=_order, reverse=True)

    def _value(self, cosine: float, candidate: Candidate) -> float:
        return cosine * candidate.weight if self._weighted else cosine


def _order(item: tuple[float, float, Candidate]) -> tuple[float, int, str]:
    value, _, candidate = item
    return -value, -candidate.fact.created_at, candidate.fact.id


class PlainLane:
    """Similarity by hrr-256 in plain Python."""

    name = HRR
    floor = FLOOR
    margin = hrr_plain.MARGIN

    def embed(self, text: str) -> hrr_plain.Phases:
        return hrr_plain.embed(text)

    def packed(self, texts: Sequence[str]) -> bytes:
        return b"".join([hrr_plain.pack(hrr_plain.embed(text)) for text in texts])

    def rough(self, asked: hrr_plain.Phases, chunks: Held, least: float) -> Iterable[Near]:
        fresh: list[Near] = []
        if chunks.last:
            numbers, codes = chunks.last
            fresh = [
                (int.from_bytes(numbers[4 * row : 4 * row + 4], "little"), score)
                for row, score in hrr_plain.near(asked, codes, least)
            ]
        return hrr_halves.near(asked, chunks.halves(), least, fresh)

    def exact(self, asked: hrr_plain.Phases, text: str, approximate: float) -> float:  # noqa: ARG002
        return round(hrr_plain.cosine(asked, hrr_plain.embed(text)), DECIMALS)

    def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
        made = list(map(hrr_plain.embed, texts))
        return lambda a, b: round(hrr_plain.cosine(made[a], made[b]), DECIMALS)
