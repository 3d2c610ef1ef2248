"""A fact that answers a query: its score, and why it has it."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tideline_cli.model.fact import Fact

    Lane = Literal["lexical", "vector", "graph"]


@record
class Breakdown:
    """The factors of a score. Lexical: bm25 · trust · modulator. Vector: base · damping · trust ·
    modulator, where base is half the lowest lexical score. `label_terms` are those of the matched
    terms that stand in labels of the fact, and not in its text. `similarity` is the cosine by a
    learned embedder."""

    bm25: float | None
    matched_terms: tuple[str, ...]
    strength: float
    modulator: float
    trust: float
    lane: Lane
    cosine: float | None = None
    base: float | None = None
    damping: float | None = None
    label_terms: tuple[str, ...] = ()
    similarity: float | None = None


@record
class Hit:
    """One ranked answer. `weak`: it rests on so little that it may be no answer."""

    fact: Fact
    score: float
    why: Breakdown
    weak: bool = False
