"""What is asked of recall, what a lane finds, and what is answered."""

from __future__ import annotations

from tideline_cli.model.record import Record
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tideline_cli.errors import UnavailableError
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Breakdown, Hit
    from tideline_cli.ranking.decay import Decay

    Mode = Literal["hybrid", "keyword", "semantic", "points"]
    Fusion = Literal["append", "score", "rrf", "additive", "priority"]

FUSIONS: tuple[Fusion, ...] = ("append", "score", "rrf", "additive", "priority")
MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic", "points")
CURVES: dict[str, Decay] = {"rrf": "weibull", "additive": "none", "priority": "spaced",
                            "points": "none"}  # fmt: skip
"""How facts fade by these fusions and this mode, where nobody says; else by the half-life."""
DEFAULT_LIMIT = 8
ALL = 2**31 - 1
_POOL = 200  # hits that maximal marginal relevance chooses among, at least


class Query(Record):
    """What is asked. `mmr` 1 keeps the order of the scores; `min_sim` None is the embedder's.
    `fading` is how much of its score a fact loses that has faded altogether. `fusion` None is by
    scores where the embedder of the file is learned. `touches` says whether an answer is a use,
    `profile` which profile the rest comes from. `pool`, if given, is the number of hits of the
    question that this one looks behind."""

    text: str
    limit: int = DEFAULT_LIMIT
    mode: Mode = "hybrid"
    fusion: Fusion | None = None
    decay: Decay = "half-life"
    min_sim: float | None = None
    mmr: float = 1.0
    wanted: Filter = Filter()
    fading: float = DEPTH
    min_score: float = 0.0
    touches: bool = True
    profile: str = "tideline"
    pool: int | None = None

    @property
    def reach(self) -> int:
        """Return for how many hits the lanes put facts forward: more where hits are chosen among
        those that differ."""
        if self.pool is not None:
            return self.pool
        is_wide = self.mmr < 1.0 and not self.is_other_way
        return max(_POOL, 10 * self.limit) if is_wide else self.limit

    @property
    def is_other_way(self) -> bool:
        """Say whether the answer is not made by the lanes as they are: see `memory.ways`."""
        return self.mode == "points" or self.fusion in ("rrf", "additive", "priority")

    @property
    def takes_stop_words(self) -> bool:
        """Say whether a question of stop words alone has an answer: points count each of them, and
        priority asks for the user where it says who, or my."""
        return self.mode == "points" or self.fusion in ("additive", "priority")

    @property
    def takes_scores(self) -> bool:
        """Say whether likeness by a learned embedder adds to the scores of words."""
        return self.mode == "hybrid" and self.fusion != "append"

    def joined_by(self, *, is_learned: bool) -> Fusion:
        """Return by which fusion an answer is made."""
        if self.is_other_way:
            return self.fusion or "append"
        return "score" if is_learned and self.takes_scores else "append"

    @property
    def depth(self) -> float:
        """Return how much of its score a faded fact loses here."""
        return 0.0 if self.decay == "none" else self.fading


class Match(Record):
    """A ranked fact before its text is read. `weak`: it may be no answer at all."""

    seq: int
    id: str
    created_at: int
    score: float
    why: Breakdown
    weak: bool = False

    def order(self) -> tuple[float, int, str]:
        """Return the sort key: best first, then newer, then by id."""
        return -self.score, -self.created_at, self.id


class Backlog(Record):
    """Vectors made by a recall for facts that had none, to be stored after the answer."""

    origin_number: int
    embedder: str
    numbers: tuple[int, ...]
    codes: bytes
    ids: tuple[str, ...]


class Ranked(Record):
    """The matches in order, the vectors that were made on the way, why likeness was left out, and
    the facts that were `read` by number."""

    matches: list[Match]
    backlog: Backlog | None = None
    lacking: UnavailableError | None = None
    read: dict[int, Fact] | None = None


class Recalled(Record):
    """The hits in order, their numbers, and the vectors that were made on the way. `unsettled` is
    the number of an origin where much begins or ends that is not counted yet, 0 for none.
    `lacking` says why likeness was left out, where the embedder of the file cannot be had.
    `mode` is the one of the answer: keyword, where likeness cannot be had. `origin_number` is that
    of the viewer. `has_lapsed` says whether facts that match may have ended before."""

    hits: tuple[Hit, ...]
    seqs: tuple[int, ...]
    backlog: Backlog | None
    unsettled: int = 0
    lacking: UnavailableError | None = None
    fusion: Fusion = "append"
    mode: Mode = "hybrid"
    origin_number: int = 0
    has_lapsed: bool = False


def nothing(query: Query, *, is_learned: bool = False) -> Recalled:
    """Return the answer to a query where there is nothing to find."""
    return Recalled((), (), None, fusion=query.joined_by(is_learned=is_learned), mode=query.mode)
