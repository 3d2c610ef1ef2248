"""What is nearest to a text, in order: facts found by approximate cosines, ranked by exact ones."""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.vector import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol, TypeVar

    from tideline_cli.model.fact import Fact

    Chunk = tuple[bytes, bytes]
    Rough = list[tuple[int, float]]
    Vector = TypeVar("Vector")

    class Lane(Protocol[Vector]):
        """One way to compute likeness.

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

        def rough(self, asked: Vector, chunks: Sequence[Chunk], least: float) -> Rough:
            """Return (number, approximate cosine) of all facts with `least` or more, nearest
            first, then lower number; chunks are numbers, 4 bytes each, and codes."""

        def exact(self, asked: Vector, text: str, approximate: float) -> float:
            """Return the cosine of a vector and a text; `approximate` where there is none."""

        def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
            """Return the function of two indices that is the cosine of these texts."""


DECIMALS = 10
"""Of exact cosines, so that texts of the same features tie, in whatever order they are summed."""
_FIRST_READ = 32
_MOST_READ = 512


@record
class Candidate:
    """A fact that may be returned, and what its score is weighted by."""

    seq: int
    fact: Fact
    strength: float
    modulator: float
    trust: float

    @property
    def weight(self) -> float:
        return self.trust * self.modulator


class PlainLane:
    """Likeness by hrr-256 in plain Python."""

    name = plain.NAME
    floor = plain.FLOOR
    margin = plain.MARGIN

    def embed(self, text: str) -> plain.Phases:
        return plain.embed(text)

    def packed(self, texts: Sequence[str]) -> bytes:
        return b"".join([plain.pack(plain.embed(text)) for text in texts])

    def rough(self, asked: plain.Phases, chunks: Sequence[Chunk], least: float) -> Rough:
        numbers = b"".join([part for part, _ in chunks])
        codes = b"".join([part for _, part in chunks])
        scores = plain.similarities(asked, codes, len(numbers) // 4)
        near = [
            (int.from_bytes(numbers[4 * row : 4 * row + 4], "little"), score)
            for row, score in enumerate(scores)
            if score >= least
        ]
        near.sort(key=lambda item: (-item[1], item[0]))
        return near

    def exact(self, asked: plain.Phases, text: str, approximate: float) -> float:  # noqa: ARG002
        return round(plain.cosine(asked, plain.embed(text)), DECIMALS)

    def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
        made = list(map(plain.embed, texts))
        return lambda a, b: round(plain.cosine(made[a], made[b]), DECIMALS)


class Nearest:
    """Candidates of at least a cosine, nearest first, then newer, then by id.

    Facts are read in blocks, and a cosine is made exact no sooner than it may be the next one.
    """

    def __init__(
        self, lane: Lane[Vector], asked: Vector, rough: Rough,
        read: Callable[[Sequence[int]], dict[int, Candidate]], floor: float,
    ) -> None:  # fmt: skip
        self._exact: Callable[[str, float], float] = lambda text, c: lane.exact(asked, text, c)
        self._margin = lane.margin
        self._rough = rough
        self._read = read
        self._floor = floor
        self._given = 0
        self._start = 0  # of what is not read yet
        self._size = _FIRST_READ
        self._ahead: list[tuple[float, Candidate]] = []  # approximate, the nearest last
        self._ready: list[tuple[float, Candidate]] = []  # exact, the next one last

    def next(self) -> tuple[Candidate, float] | None:
        """Return the next candidate and its cosine, None after the last."""
        ready = self._ready
        while self._refill() and (not ready or self._ahead[-1][0] + self._margin >= ready[-1][0]):
            approximate, candidate = self._ahead.pop()
            cosine = self._exact(candidate.fact.content, approximate)
            if cosine >= self._floor:
                ready.append((cosine, candidate))
                ready.sort(key=_order, reverse=True)
        if not ready:
            return None
        self._given += 1
        cosine, candidate = ready.pop()
        return candidate, cosine

    def left(self) -> Iterator[tuple[int, float, float]]:
        """Yield (lowest rank, highest cosine, highest weight) of each candidate to come.

        Those that are not read yet are one, with the rank that no candidate certain to come
        before them can have.
        """
        for cosine, candidate in self._ready:
            yield self._given, cosine, candidate.weight
        for cosine, candidate in self._ahead:
            yield self._given, cosine + self._margin, candidate.weight
        if self._start < len(self._rough):
            highest = self._rough[self._start][1] + self._margin
            before = sum(cosine > highest for cosine, _ in self._ready)
            before += sum(cosine - self._margin > highest for cosine, _ in self._ahead)
            yield self._given + before, highest, 1.0

    def _refill(self) -> bool:
        """Read facts until one is ahead; return False when there are no more."""
        while not self._ahead and self._start < len(self._rough):
            part = self._rough[self._start : self._start + self._size]
            self._start += self._size
            self._size = min(2 * self._size, _MOST_READ)
            found = self._read([seq for seq, _ in part])
            self._ahead = [(cosine, found[seq]) for seq, cosine in part[::-1] if seq in found]
        return bool(self._ahead)


def _order(item: tuple[float, Candidate]) -> tuple[float, int, str]:
    cosine, candidate = item
    return -cosine, -candidate.fact.created_at, candidate.fact.id
