"""Reading the facts that can be among the best, in the order of what they can score."""

from __future__ import annotations

from tideline_cli.ranking import decay
from tideline_cli.ranking.score_bounds import UNKNOWN, bound_factors, faded_shares
from tideline_cli.store import facts, fts, score_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from apsw import Connection

    from tideline_cli.memory.scorer import Reaches, Scorer
    from tideline_cli.ranking.bm25 import Statistics
    from tideline_cli.store.facts import Filter

FEW = 400  # facts that are cheaper to read than to bound
_MANY = 1000  # facts that are cheaper to read than to ask first whether they have faded
STEP = 0.8  # the bounds of one reading go down to this share of the highest one left
_SLACK = 1.0 + 1e-9  # bounds are raised by a margin for rounding


class Reader:
    """Reads facts for a scorer, each once, and knows by what factor a sum of idf bounds a score.

    `factors` are by the byte of a fact; `highest` is the highest that a fact can have; `seen` are
    the bytes that there are, once they are read.
    """

    def __init__(
        self, db: Connection, scorer: Scorer, stats: Statistics, origin_number: int, now: int,
        wanted: Filter,
    ) -> None:  # fmt: skip
        self._db = db
        self._scorer = scorer
        self._origin = origin_number
        self._now = now
        self._wanted = wanted
        self._codes = b""
        self.seen: frozenset[int] = frozenset()
        self.depth = scorer.fading if scorer.retained is None else 0.0
        self._fading = bool(self.depth)
        factors = bound_factors(stats.mean_length, self.depth)
        self.factors = [factor * _SLACK for factor in factors]
        self.highest = max(self.factors)
        self.done: set[int] = set()
        self.few = FEW  # facts of one reading

    def floor(self) -> float:
        """Return the score of the last of the best, 0 while there are fewer."""
        return self._scorer.floor() or 0.0

    def codes(self, last: int) -> bytes:
        """Return the bytes of the facts up to number `last`, read once; those beyond the last one
        stored get the one that bounds nothing."""
        if not self._codes:
            self._codes = score_bounds.codes(self._db, origin_number=self._origin)
            self.seen = frozenset(_distinct(self._codes))
            if facts.last_number(self._db) < len(self._codes):
                there = self.seen - {0}
                self.highest = max(map(self.factors.__getitem__, there), default=0.0)
        if len(self._codes) <= last:
            self._codes += bytes([UNKNOWN]) * (last + 1 - len(self._codes))
            self.seen |= {UNKNOWN}
        return self._codes

    def bounds(
        self, sums: Mapping[int, float], left: float, *, least: float = 0.0
    ) -> dict[int, float]:
        """Return what each unread fact that can be among the best may score, of those whose terms
        add up to `least` in `sums`; `left` is what terms add that are not in these sums."""
        codes = self.codes(max(sums, default=0))
        factors, done, floor = self.factors, self.done, self.floor()
        least = max(least, floor / self.highest - left)
        return {
            seq: bound
            for seq, known in sums.items()
            if known >= least
            and (bound := (known + left) * factors[codes[seq]]) >= floor
            and seq not in done
        }

    def ask_first(self, reaches: Reaches) -> None:
        """Have this asked of each fact that is read before it is scored."""
        self._scorer.reaches = reaches

    def read(self, seqs: Sequence[int]) -> None:
        """Read facts and score them."""
        for start in range(0, len(seqs), self.few):
            part = seqs[start : start + self.few]
            rows = fts.ranking_rows(
                self._db, part, origin_number=self._origin, now=self._now, wanted=self._wanted,
                heat=self._scorer.wants_heat,
            )  # fmt: skip
            self._scorer.add(rows)
        self.done.update(seqs)

    def read_on(self, bounds: dict[int, float]) -> None:
        """Read all facts of which the bounds are given that can still be among the best."""
        while bounds:
            cut = max(self.floor(), STEP * max(bounds.values()))
            likely = [seq for seq, bound in bounds.items() if bound >= cut]
            if len(likely) > self.few:
                likely.sort(key=bounds.__getitem__, reverse=True)
            bounds = self._without(bounds, self._read_likely(likely, bounds))

    def _read_likely(self, likely: list[int], bounds: dict[int, float]) -> float:
        """Read facts in the order of their bounds, until those that are left are below the floor,
        or it has to be asked first whether they have faded; return the floor."""
        floor = self.floor()
        for start in range(0, len(likely), self.few):
            part = likely[start : start + self.few]
            if bounds[part[-1]] < floor:
                part = [seq for seq in part if bounds[seq] >= floor]
            self.read(part)
            floor = self.floor()
            if len(part) < self.few or (self._fading and len(bounds) > _MANY):
                break
        return floor

    def _without(self, bounds: dict[int, float], floor: float) -> dict[int, float]:
        """Return the bounds of those that are not read and may reach a floor."""
        done = self.done
        left = {seq: bound for seq, bound in bounds.items() if bound >= floor and seq not in done}
        return self._without_faded(left, floor) if self._fading and len(left) > _MANY else left

    def _without_faded(self, bounds: dict[int, float], floor: float) -> dict[int, float]:
        """Leave out the facts that would reach the floor only if they had not faded."""
        from tideline_cli.store import unfaded  # noqa: PLC0415  many facts are almost alike

        self._fading = False  # they are looked at once
        if not unfaded.are_rare(self._db, origin_number=self._origin, now=self._now):
            return bounds
        strongest = decay.highest_strength(unfaded.DAYS, unfaded.MOST_USES)
        factor = decay.modulator(strongest, self._scorer.fading)
        shares, codes = faded_shares(factor, self._scorer.fading), self._codes
        doubtful = [seq for seq, bound in bounds.items() if bound * shares[codes[seq]] < floor]
        strong = unfaded.among(self._db, doubtful, origin_number=self._origin, now=self._now)
        out = set(doubtful).difference(strong)
        return {seq: bound for seq, bound in bounds.items() if seq not in out}


def _distinct(codes: bytes) -> set[int]:
    """Return the bytes that occur: most of them do so early."""
    early = set(codes[:4096])
    return early | set(codes.translate(None, bytes(early)))
