"""Similarity by hrr-256 in plain Python, for few texts: it has finished before numpy is loaded."""

from __future__ import annotations

from tideline_cli.memory.nearest import DECIMALS
from tideline_cli.vector import hrr_halves, hrr_plain
from tideline_cli.vector.features import FLOOR, HRR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tideline_cli.memory.nearest import Held, Near


class PlainLane:
    """Similarity by hrr-256 in plain Python."""

    name = HRR
    floor = FLOOR
    margin = hrr_plain.MARGIN

    def embed(self, text: str) -> hrr_plain.Phases:
        return hrr_plain.embed(text)

    def packed(self, texts: Sequence[str]) -> bytes:
        return b"".join([hrr_plain.pack(hrr_plain.embed(text)) for text in texts])

    def rough(
        self, asked: hrr_plain.Phases, chunks: Held, least: float
    ) -> Iterable[Near]:
        fresh: list[Near] = []
        if chunks.last:
            numbers, codes = chunks.last
            fresh = [
                (int.from_bytes(numbers[4 * row : 4 * row + 4], "little"), score)
                for row, score in hrr_plain.near(asked, [codes], least)
            ]
        return hrr_halves.near(asked, chunks.halves(), least, fresh)

    def exact(self, asked: hrr_plain.Phases, text: str, approximate: float) -> float:  # noqa: ARG002
        return round(hrr_plain.cosine(asked, hrr_plain.embed(text)), DECIMALS)

    def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
        made = list(map(hrr_plain.embed, texts))
        return lambda a, b: round(hrr_plain.cosine(made[a], made[b]), DECIMALS)
