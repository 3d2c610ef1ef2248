"""What is asked of recall, the table of fusions, what a lane finds, and what is answered."""

from __future__ import annotations

from tideline_cli.model.record import Record
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from tideline_cli.errors import UnavailableError
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Breakdown, Hit
    from tideline_cli.ranking.decay import Decay

    Mode = Literal["hybrid", "keyword", "semantic", "points"]

MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic", "points")
DEFAULT_LIMIT = 8
ALL = 2**31 - 1
_POOL = 200  # hits that maximal marginal relevance chooses among, at least


class Fusion(Record):
    """A way in which lanes become one order. `joined_by` is its function in `memory.fusions`, none
    where recall answers by the lanes as they are. Each of its `lanes` puts forward so many times
    the hits that are wanted, and at least so many facts. `decay` is how facts fade by it where
    nobody says, `is_learned` whether it wants a learned embedder, `takes_stop_words` whether a
    question of stop words alone has an answer. `by_distance`: it sums up distances, within classes
    that have limits and are named in a line of `context`."""

    name: str
    help: str
    joined_by: str = ""
    lanes: Mapping[str, tuple[int, int]] = {}
    decay: Decay = "half-life"
    is_learned: bool = False
    takes_stop_words: bool = False
    by_distance: bool = False

    def room(self, lane: str, reach: int) -> int:
        """Return how many facts a lane puts forward for so many hits."""
        times, least = self.lanes[lane]
        return max(times * reach, least)


FUSIONS: Mapping[str, Fusion] = {
    row.name: row
    for row in (
        Fusion("append", "likeness below all words"),
        Fusion("score", "as a share of the score, with a learned embedder", is_learned=True),
        Fusion("rrf", "by ranks", "by_ranks", {"words": (4, 16), "likeness": (3, 0)}, "weibull"),
        Fusion("additive", "added to points", "by_points", {"points": (2, 0), "likeness": (2, 0)},
               "none", takes_stop_words=True),
        Fusion("priority", "by classes and distance", "by_classes",
               {"words": (2, 30), "likeness": (2, 30)}, "spaced", takes_stop_words=True,
               by_distance=True),
    )
}  # fmt: skip
POINTS = Fusion("points", "points alone", "by_points", {}, "none", takes_stop_words=True)
"""What the mode points is: no other lane is joined with it."""


def way_of(mode: str, fusion: str | None) -> Fusion:
    """Return how a question is answered in a mode and by a fusion, where one is named."""
    return POINTS if mode == "points" else FUSIONS[fusion or "append"]


class Query(Record):
    """What is asked. `mmr` 1 keeps the order of the scores; `min_sim` None is the embedder's.
    `fading` is how much of its score a fact loses that has faded altogether. `fusion` None is by
    scores where the embedder of the file is learned. `touches` says whether an answer is a use,
    `profile` which profile the rest comes from. `pool`, if given, is the number of hits of the
    question that this one looks behind."""

    text: str
    limit: int = DEFAULT_LIMIT
    mode: Mode = "hybrid"
    fusion: str | None = None
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
    def way(self) -> Fusion:
        """Return how it is answered."""
        return way_of(self.mode, self.fusion)

    @property
    def is_other_way(self) -> bool:
        """Say whether the answer is not made by the lanes as they are: see `memory.fusions`."""
        return bool(self.way.joined_by)

    @property
    def takes_scores(self) -> bool:
        """Say whether likeness by a learned embedder adds to the scores of words."""
        return self.mode == "hybrid" and self.fusion != "append"

    def joined_by(self, *, is_learned: bool) -> str:
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
    of the viewer. `has_lapsed` says whether facts that match may have ended before, `unbounded` how
    many facts have no bound of their scores yet."""

    hits: tuple[Hit, ...]
    seqs: tuple[int, ...]
    backlog: Backlog | None
    unsettled: int = 0
    lacking: UnavailableError | None = None
    fusion: str = "append"
    mode: Mode = "hybrid"
    origin_number: int = 0
    has_lapsed: bool = False
    unbounded: int = 0


def nothing(query: Query, *, is_learned: bool = False) -> Recalled:
    """Return the answer to a query where there is nothing to find."""
    return Recalled((), (), None, fusion=query.joined_by(is_learned=is_learned), mode=query.mode)
