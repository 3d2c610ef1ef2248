"""What a question is told of an origin before its words are looked up, and the active facts that do
not hold at a moment, ended or not begun: how many, and with which terms.

The file counts those for one instant of each origin. What begins or ends between that instant and
the moment of a question is read, in either direction, so the answer is exact at any moment. When
that gets much, `settle` brings the instant forward.
"""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import Record
from tideline_cli.store import visibility
from tideline_cli.store.facts import narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.facts import Filter
    from tideline_cli.store.reads import Read

    # A fact that begins or ends: +1 when it lapses, -1 when it comes to hold; its length and terms.
    Change = tuple[int, int, str]

LAG = 64  # facts that every recall may read; after one that reads more, they are counted
MOST_READ = 4000  # ended facts that are looked at beside an answer: those that ended last
_AT_ONCE = 16_384  # facts that are counted in one transaction, and those of the same instant
_ABSENT: Mapping[str, int] = {}


class Lapsed(Record):
    """The facts of an origin that do not hold at a moment: how many, with how many terms.

    `is_counted` says that the file counts the terms of some. `changes` are, by term, the facts that
    begin or end between the instant of the file and the moment; `read` is their number.
    """

    facts: int = 0
    tokens: int = 0
    is_counted: bool = False
    read: int = 0
    changes: Mapping[str, int] = _ABSENT

    def change_of(self, term: str) -> int:
        """Return how many more facts with a term have lapsed than the file counts."""
        return self.changes.get(term, 0)


def since(instant: int, facts: int, tokens: int, rows: Sequence[Change], *, now: int) -> Lapsed:
    """Return the active facts that do not hold now, by those that the file counts for an instant
    and the rows of what is `changing` between the two."""
    changed = _signed(rows, instant, now)
    if not changed:
        return Lapsed(facts, tokens, facts > 0)
    return Lapsed(
        facts + sum(sign for sign, _, _ in changed),
        tokens + sum(sign * length for sign, length, _ in changed),
        facts > 0,
        len(changed),
        _by_term(changed),
    )


def ended_rows(
    wanted: Filter, *, origin_number: int, now: int, limit: int
) -> Read[list[tuple[int, str]]]:
    """Read number and terms of the active facts asked for that have ended, the last one first."""
    narrowed, values = narrowing(wanted)
    rows = yield (
        "SELECT seq, terms FROM fact WHERE origin = ? AND lifecycle = 'active'"
        f" AND valid_to IS NOT NULL AND valid_to <= ?{narrowed}"
        " ORDER BY valid_to DESC, seq DESC LIMIT ?",
        (origin_number, now, *values, limit),
    )
    return [(seq, terms) for seq, terms in rows]


def settle(db: Connection, *, origin_number: int, now: int) -> None:
    """Bring the instant of an origin towards now, by a bounded number of facts. Inside a
    transaction of the caller."""
    row: Any = db.execute("SELECT at FROM lapsed WHERE origin = ?", (origin_number,)).fetchone()
    if row is None:
        return
    instant = row[0]
    to = _reachable(db, origin_number, instant, now)
    rows: list[Any] = db.execute(
        changing("?1", "?2", "?3"), (origin_number, min(instant, to), max(instant, to))
    ).fetchall()
    changed = _signed(rows, instant, to)
    counts = [(origin_number, term, n) for term, n in _by_term(changed).items() if n]
    db.executemany(
        "INSERT INTO lapsed_term VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET facts = facts + excluded.facts",
        counts,
    )
    db.execute("DELETE FROM lapsed_term WHERE origin = ? AND facts = 0", (origin_number,))
    db.execute(
        "UPDATE lapsed SET at = ?, facts = facts + ?, tokens = tokens + ? WHERE origin = ?",
        (to, sum(sign for sign, _, _ in changed), sum(sign * n for sign, n, _ in changed),
         origin_number),
    )  # fmt: skip


def _signed(rows: Iterable[Change], instant: int, now: int) -> list[Change]:
    """Return what begins or ends on the way from one instant to the other."""
    forward = 1 if now >= instant else -1
    return [(forward * sign, length, terms) for sign, length, terms in rows]


def changing(origin: str, low: str, high: str) -> str:
    """Return the SQL for the active facts of an origin that hold at one of two instants, each given
    as SQL, and not at the other: +1 for those that hold at the first, length and terms.

    A fact that ends before it begins never holds, and one that begins and ends between the two
    holds at neither.
    """
    return f"""
SELECT sign, length, terms FROM (
SELECT (valid_to IS NOT NULL AND valid_to <= {high}
        OR valid_from IS NOT NULL AND valid_from > {high})
     - (valid_to IS NOT NULL AND valid_to <= {low}
        OR valid_from IS NOT NULL AND valid_from > {low}) AS sign, length, terms
FROM fact
WHERE seq IN (
  SELECT seq FROM fact
  WHERE origin = {origin} AND lifecycle = 'active' AND valid_to IS NOT NULL
    AND valid_to > {low} AND valid_to <= {high}
  UNION ALL SELECT seq FROM fact
  WHERE origin = {origin} AND lifecycle = 'active' AND valid_from IS NOT NULL
    AND valid_from > {low} AND valid_from <= {high})
) AS changing WHERE sign <> 0
"""


def _reachable(db: Connection, origin_number: int, instant: int, now: int) -> int:
    """Return an instant between two, up to which a bounded number of facts begin or end."""
    low, high = min(instant, now), max(instant, now)
    ahead = now >= instant
    limits = [now]
    for column in ("valid_to", "valid_from"):
        row: Any = db.execute(
            f"SELECT {column} FROM fact WHERE origin = ? AND lifecycle = 'active'"
            f" AND {column} IS NOT NULL AND {column} > ? AND {column} <= ?"
            f" ORDER BY {column}{'' if ahead else ' DESC'} LIMIT 1 OFFSET ?",
            (origin_number, low, high, _AT_ONCE),
        ).fetchone()
        if row:
            limits.append(row[0] if ahead else row[0] - 1)  # the instant itself is passed
    return min(limits) if ahead else max(limits)


def _by_term(changed: Iterable[Change]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for sign, _, terms in changed:
        for term in set(terms.split()):
            counts[term] = counts.get(term, 0) + sign
    return counts


NONE = Lapsed()
"""Of an origin of which no fact begins or ends."""


_OVERVIEW = """
SELECT own.number, analyzer.value, embedder.value,
  (SELECT ifnull(sum(facts), 0) FROM tally WHERE origin = own.number),
  (SELECT ifnull(sum(tokens), 0) FROM tally WHERE origin = own.number),
  lapsed.at, lapsed.facts, lapsed.tokens,
  {changes},
  EXISTS (SELECT 1 FROM fact WHERE origin = own.number
          AND (session IS NOT NULL OR speaker IS NOT NULL)),
  EXISTS (SELECT 1 FROM fact
          WHERE origin = own.number AND document IS NOT NULL AND lifecycle = 'active'),
  EXISTS (SELECT 1 FROM label_term WHERE origin = own.number),
  EXISTS (SELECT 1 FROM archived_term WHERE origin = own.number AND facts > 0)
FROM (SELECT (SELECT number FROM origin WHERE key = ?1) AS number) AS own
LEFT JOIN lapsed ON lapsed.origin = own.number
LEFT JOIN setting AS analyzer ON analyzer.name = 'analyzer'
LEFT JOIN setting AS embedder ON embedder.name = 'embedder'
"""
_APART = _OVERVIEW.format(changes="NULL")
_CHANGES = changing("own.number", "min(lapsed.at, ?2)", "max(lapsed.at, ?2)")
_WITH_CHANGES = _OVERVIEW.format(
    changes=f"""
  (SELECT json_group_array(json_array(sign, length, terms)) FROM ({_CHANGES}) AS changed)
"""
)
_CHANGING = changing("?1", "?2", "?3")


class Overview(Record):
    """The number of an origin (`visibility.NOBODY` where it has never written), the analyser and
    the embedder of the memory ('' where none is set), how many active facts it has, with how many
    terms, and of these what does not hold at the moment. `has_turns`: some fact has a session or a
    speaker. `has_labels`: some label has a term that its text has not."""

    number: int
    analyzer: Analyzer
    embedder: str
    facts: int
    tokens: int
    gone: Lapsed
    has_turns: bool
    has_chunks: bool
    has_labels: bool
    has_archived: bool

    @property
    def has_sessions(self) -> bool:
        """Whether facts may stand next to others: turns of a session, chunks of a document."""
        return self.has_turns or self.has_chunks


def overview(*, viewer: Origin, now: int, at_once: bool) -> Read[Overview]:
    """Read what is known of the origin of a viewer at a moment. What begins or ends is asked apart,
    where there is any, or else comes along: this costs a file more than a statement."""
    ((number, analyzer, embedder, facts, tokens, at, ended, ended_tokens, changed, turns, chunks,
      labels, archived),) = (
        yield (_WITH_CHANGES, (viewer.key, now)) if at_once else (_APART, (viewer.key,))
    )  # fmt: skip
    gone = NONE
    if at is not None:
        rows = (
            codec.loads(changed or "[]") if at_once
            else (yield _CHANGING, (number, min(at, now), max(at, now)))
        )  # fmt: skip
        gone = since(at, ended, ended_tokens, rows, now=now)
    return Overview(
        number or visibility.NOBODY, analyzer or "standard", embedder or "", int(facts),
        int(tokens), gone, bool(turns), bool(chunks), bool(labels), bool(archived),
    )  # fmt: skip
