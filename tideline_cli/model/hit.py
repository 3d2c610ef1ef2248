"""A fact that answers a query: its score, and why it has it."""

from __future__ import annotations

from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from tideline_cli.model.fact import Fact

    Lane = Literal["lexical", "vector", "graph"]


class Breakdown(Record):
    """What makes a score. Lexical: ((bm25 + date) · speaker · time + neighbour + session) · trust ·
    modulator · role · held. Vector: base · damping · trust · modulator · role, where base is half
    the lowest lexical score. Graph: base · damping · trust · modulator · role · held, where base is
    half the score of the hit that is linked. `label_terms` are those of the matched terms that
    stand in labels of the fact, and not in its text. `role` is the weight of who spoke; `date` is
    what the date of the fact adds, `neighbour` and `session` what stands around it, and `likeness`
    what a learned embedder adds to all of that, where the fusion is by scores. `held` keeps what
    nobody trusts behind the trusted facts that it is behind by its words. `newer` is what a fact
    gets to stand before an older one that it may take back. Of other fusions `parts` are what makes
    the score, by name, and `group` is the class of a fact."""

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
    role: float = 1.0
    date: float = 0.0
    speaker: float = 1.0
    time: float = 1.0
    neighbour: float = 0.0
    session: float = 0.0
    held: float = 1.0
    likeness: float = 0.0
    newer: float = 0.0
    parts: Mapping[str, float] | None = None
    group: str | None = None


class Via(Record):
    """The link by which a fact was found: from the hit with this id, or to it."""

    id: str
    kind: str
    leaves: bool


class Hit(Record):
    """One ranked answer. `weak`: it rests on so little that it may be no answer. `via` is the link
    that led to it, where its words did not. `said` is the day that a prompt tells behind it."""

    fact: Fact
    score: float
    why: Breakdown
    weak: bool = False
    via: Via | None = None
    said: str = ""
