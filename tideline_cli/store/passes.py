"""What the passes over many facts read and keep: few columns of many facts, whole facts of few;
which facts fade soonest; which pairs are alike, and how far facts have been compared."""

from __future__ import annotations

from math import log

from tideline_cli.model import codec
from tideline_cli.model.edge import SUCCEEDS, kinds_under, sql_list, words_for
from tideline_cli.model.fact import SEGMENTS
from tideline_cli.model.instant import DAY_MS
from tideline_cli.model.record import record
from tideline_cli.model.source import TRUSTED
from tideline_cli.model.text import said_terms
from tideline_cli.ranking import decay
from tideline_cli.ranking.fading import Traits
from tideline_cli.store import facts, visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact, Segment
    from tideline_cli.model.origin import Origin

    Edge = tuple[str, str, str | None, int | None]


_AT_ONCE = 500
_RATES = " ".join(f"WHEN '{name}' THEN {row.decay_rate!r}" for name, row in SEGMENTS.items())
_RATE = f"ifnull(decay_rate, CASE segment {_RATES} END)"
_MAY_FADE = f"""
SELECT fact.seq, fact.id, tier, importance, {_RATE}, ifnull(access_count, 0),
       ifnull(last_accessed_at, created_at), created_at, source, agent, given.at
FROM fact LEFT JOIN usage ON usage.fact = fact.seq LEFT JOIN given ON given.fact = fact.seq
WHERE lifecycle = 'active' AND tier <> 'permanent' AND pinned = 0
  AND ifnull(status, '') <> 'confirmed' AND document IS NULL
"""
"""The facts that may fade, as rows for `fading_of`; more conditions follow."""
_NOT_TYPED = "(source <> 'owner_message' OR agent IS NOT NULL OR tier = 'short')"
_MARGIN = 1.000001  # for rounding: what is decided is decided by `decay.strength`


@record
class Fading:
    """A fact that may fade: its number, its id, and what decides when it does."""

    seq: int
    id: str
    traits: Traits


@record
class Stated:
    """What a fact states, for a comparison: its text, and its index terms with spaces between."""

    id: str
    segment: Segment
    created_at: int
    content: str
    terms: str
    scope: str | None
    speaker: str | None
    title: str | None


def active_count(db: Connection, *, viewer: Origin) -> int:
    """Return the number of an origin's active facts, without chunks of documents: no pass takes
    these, so they may not make what it takes look small."""
    sql = (
        "SELECT (SELECT ifnull(sum(facts), 0) FROM tally WHERE origin = ?1)"
        " - (SELECT count(*) FROM fact INDEXED BY fact_document"
        " WHERE origin = ?1 AND document IS NOT NULL AND lifecycle = 'active')"
    )
    return int(db.execute(sql, (visibility.number(db, viewer),)).get)


def beliefs(db: Connection, *, viewer: Origin) -> list[Fact]:
    """Return the active facts that hold a slot and are not confirmed, in order of arrival."""
    condition, values = visibility.where(viewer)
    rows = db.execute(
        f"SELECT seq FROM fact WHERE {condition} AND slot IS NOT NULL AND lifecycle = 'active'"
        " AND ifnull(status, '') <> 'confirmed' ORDER BY seq",
        values,
    )
    return list(whole(db, [seq for (seq,) in rows], viewer=viewer).values())


def corrections(db: Connection, *, viewer: Origin) -> dict[tuple[str, str | None], int]:
    """Return for each slot of each scope how many of its archived facts were replaced by another
    value of the slot that is vouched for. The same text with other labels, or from another
    source, is not another value."""
    condition, values = visibility.where(viewer)
    sql = f"""
    SELECT fact.slot, fact.scope, count(DISTINCT fact.seq)
    FROM fact JOIN link ON link.to_fact = fact.seq JOIN fact AS newer
      ON newer.seq = link.from_fact
    WHERE {condition} AND fact.lifecycle = 'archived' AND fact.slot IS NOT NULL
      AND link.kind IN ({sql_list(words_for(*SUCCEEDS))}) AND newer.slot = fact.slot
      AND newer.scope IS fact.scope
      AND newer.origin = fact.origin AND newer.content <> fact.content
      AND newer.source IN ({sql_list(TRUSTED)})
    GROUP BY fact.slot, fact.scope
    """
    return {(slot, scope): count for slot, scope, count in db.execute(sql, values)}


def _fading_of(rows: Iterable[Any]) -> list[Fading]:
    """Return what rows of `_MAY_FADE` say."""
    return [Fading(seq, fact_id, Traits(*traits)) for seq, fact_id, *traits in rows]


def fading(
    db: Connection, *, viewer: Origin, until: int, now: int, below: float, keeps_typed: bool,
    also: Iterable[str] = (),
) -> list[Fading]:  # fmt: skip
    """Return the active facts made at `until` or before that may fade: neither permanent, pinned,
    confirmed nor a chunk of a document, nor, where the rule keeps it, what a person typed. Those
    that are clearly not weaker than `below` are left out, but for the ids in `also`: of a million
    facts few are weak, and only these are worth a record each."""
    condition, values = visibility.where(viewer)
    if keeps_typed:
        condition += f" AND {_NOT_TYPED}"
    rows: Iterable[Any] = db.execute(
        f"{_MAY_FADE} AND {condition} AND created_at <= ?"
        f" AND (ifnull({_strength(now)}, 0) < ?"
        " OR fact.id IN (SELECT value FROM json_each(?))) ORDER BY fact.seq",
        (*values, until, below * _MARGIN, codec.dumps(list(also))),
    )
    return _fading_of(rows)


MOST_FADING = 1000
"""So many facts of an origin are listed."""


def put_fading(db: Connection, soonest: Iterable[tuple[int, int]], *, origin_number: int) -> None:
    """Replace the list of an origin: facts by number, and when each fades."""
    db.execute("DELETE FROM fade WHERE origin = ?", (origin_number,))
    for seq, at in soonest:
        db.execute(
            "INSERT OR REPLACE INTO fade (fact, origin, at) SELECT seq, origin, ?2 FROM fact"
            " WHERE seq = ?1 AND origin = ?3",
            (seq, at, origin_number),
        )


def fading_soon(db: Connection, *, origin_number: int, until: int) -> list[Fading]:
    """Return the listed facts that were to fade before an instant and that still may."""
    rows = db.execute(
        f"{_MAY_FADE} AND fact.seq IN (SELECT fact FROM fade WHERE origin = ?1 AND at < ?2)"
        " AND fact.origin = ?1",
        (origin_number, until),
    )
    return _fading_of(rows)


def clear_fading(db: Connection) -> None:
    """Forget what was foreseen for all origins, until their next dream."""
    db.execute("DELETE FROM fade")


def _strength(now: int) -> str:
    """Return the SQL for the strength of a fact, as `decay.strength` computes it but for rounding;
    the fact and its use are those of the query."""
    days = f"max(({now:d} - ifnull(last_accessed_at, created_at)) / {DAY_MS}.0, 0)"
    half_life = f"max({decay.HALF_LIFE_DAYS} * (1 + importance), 0.001)"
    faded = f"exp(-{decay.RATE * log(2)!r} / {half_life} * (1 + {_RATE}) * {days})"
    return f"importance * {faded} * (1 + 0.1 * ln(1 + ifnull(access_count, 0)))"


def stated(
    db: Connection, *, viewer: Origin, segments: Sequence[str], now: int, limit: int | None
) -> list[Stated]:
    """Return what the active facts state that have not ended, newest first, of one instant the last
    stored first; without segments those of all. Chunks of documents are left out."""
    condition, names = visibility.where(viewer)
    if segments:
        condition += f" AND segment IN ({', '.join('?' * len(segments))})"
    # In the order of the index nothing is sorted, and of one instant neighbours are read together.
    rows: Iterable[Any] = db.execute(
        f"""
        SELECT id, segment, created_at, content, terms, scope, speaker, title
        FROM fact INDEXED BY fact_active
        WHERE origin + 0 = ? AND {condition} AND lifecycle = 'active' AND document IS NULL
          AND (valid_to IS NULL OR valid_to > ?)
        ORDER BY created_at DESC, seq DESC LIMIT ?
        """,
        (visibility.number(db, viewer), *names, *segments, now, -1 if limit is None else limit),
    )
    return [Stated(*row) for row in rows]


def active_texts(db: Connection, *, viewer: Origin) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of every active fact, in order of arrival."""
    condition, values = visibility.where(viewer)
    sql = f"SELECT seq, content FROM fact WHERE {condition} AND lifecycle = 'active' ORDER BY seq"
    rows: Iterable[Any] = db.execute(sql, values)
    yield from rows


def last_pass(db: Connection, verb: str, *, viewer: Origin) -> int | None:
    """Return when a whole pass last reached its end in an origin, None when never. A pass that was
    cut short, or that left stages out, does not count."""
    row = db.execute(
        "SELECT max(at) FROM batch WHERE verb = ? AND outcome = 'done' AND whole = 1"
        " AND origin = (SELECT number FROM origin WHERE key = ?)",
        (verb, viewer.key),
    ).fetchone()
    return None if row is None or row[0] is None else int(row[0])


def said_of_last(db: Connection, verb: str, *, viewer: Origin) -> str:
    """Return what the last pass of a verb said that it did in an origin."""
    row = db.execute(
        "SELECT reason FROM batch WHERE verb = ? AND outcome = 'done'"
        " AND origin = (SELECT number FROM origin WHERE key = ?) ORDER BY number DESC LIMIT 1",
        (verb, viewer.key),
    ).fetchone()
    return str(row[0] or "") if row else ""


def whole(db: Connection, seqs: Iterable[int], *, viewer: Origin) -> dict[int, Fact]:
    """Return facts by number, in the order asked for; those that are gone are left out."""
    wanted = list(seqs)
    found: dict[int, Fact] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        found |= facts.get(db, wanted[start : start + _AT_ONCE], viewer=viewer)
    return {seq: found[seq] for seq in wanted if seq in found}


def contents(db: Connection, seqs: Iterable[int], *, viewer: Origin) -> dict[int, str]:
    """Return the texts of facts by number."""
    condition, values = visibility.where(viewer)
    sql = (
        "SELECT seq, content FROM fact"
        f" WHERE seq IN (SELECT value FROM json_each(?)) AND {condition}"
    )
    return dict(db.execute(sql, (codec.dumps([*seqs]), *values)))


def edges(db: Connection, seqs: Iterable[int], *, viewer: Origin) -> dict[str, list[Edge]]:
    """Return for each of the facts, by id, its edges: (kind, target id, reason, strength)."""
    condition, values = visibility.where(viewer)
    sql = f"""
    SELECT fact.id, link.kind, target.id, reason, strength
    FROM fact JOIN link ON link.from_fact = fact.seq
      JOIN fact AS target ON target.seq = link.to_fact
    WHERE fact.seq IN (SELECT value FROM json_each(?)) AND {condition} ORDER BY link.number
    """
    rows: Iterable[Any] = db.execute(sql, (codec.dumps([*seqs]), *values))
    found: dict[str, list[Edge]] = {}
    for source, word, target, reason, strength in rows:
        for kind in kinds_under(word):
            found.setdefault(source, []).append((kind, target, reason, strength))
    return found


def terms_of(db: Connection, ids: Iterable[str], *, viewer: Origin) -> dict[str, frozenset[str]]:
    """Return the distinct terms of facts, by id."""
    condition, values = visibility.where(viewer)
    found: dict[str, frozenset[str]] = {}
    for fact_id in ids:
        sql = f"SELECT terms FROM fact WHERE id = ? AND {condition}"
        row = db.execute(sql, (fact_id, *values)).fetchone()
        if row:
            found[fact_id] = frozenset(said_terms(str(row[0])))
    return found


_COMPARED = "lifecycle = 'active' AND document IS NULL"


@record
class Reach:
    """All facts up to number `seq` have been compared, for cosines of at least `floor`."""

    embedder: str
    floor: float
    seq: int


def reached(db: Connection, *, origin_number: int) -> Reach | None:
    """Return how far the facts of an origin have been compared, None when never."""
    sql = "SELECT embedder, floor, seq FROM near_progress WHERE origin = ?"
    row = db.execute(sql, (origin_number,)).fetchone()
    return Reach(*row) if row else None


def put_reached(db: Connection, made: Reach, *, origin_number: int) -> None:
    """Store how far the facts of an origin have been compared."""
    sql = "INSERT OR REPLACE INTO near_progress (origin, embedder, floor, seq) VALUES (?, ?, ?, ?)"
    db.execute(sql, (origin_number, made.embedder, made.floor, made.seq))


def forget_pairs(db: Connection, *, origin_number: int) -> None:
    """Forget every pair of an origin, so that all its facts are compared again."""
    sql = "DELETE FROM near WHERE fact IN (SELECT seq FROM fact WHERE origin = ?)"
    db.execute(sql, (origin_number,))
    db.execute(
        "DELETE FROM unpaired WHERE fact IN (SELECT seq FROM fact WHERE origin = ?)",
        (origin_number,),
    )
    db.execute("DELETE FROM near_progress WHERE origin = ?", (origin_number,))


def compared(db: Connection, *, origin_number: int) -> list[int]:
    """Return the numbers of an origin's active facts, ascending. Chunks of documents are not
    compared: they repeat one another."""
    sql = f"SELECT seq FROM fact WHERE origin = ? AND {_COMPARED} ORDER BY seq"
    return [row[0] for row in db.execute(sql, (origin_number,))]


def newest_compared(db: Connection, *, origin_number: int) -> int:
    """Return the number of the newest of these, 0 when there is none."""
    sql = f"SELECT seq FROM fact WHERE origin = ? AND {_COMPARED} ORDER BY seq DESC LIMIT 1"
    row = db.execute(sql, (origin_number,)).fetchone()
    return int(row[0]) if row else 0


def unpaired(db: Connection, *, origin_number: int) -> list[int]:
    """Return the numbers of an origin's facts that the comparison has passed without comparing."""
    rows: list[Any] = db.execute(
        "SELECT unpaired.fact FROM unpaired JOIN fact ON fact.seq = unpaired.fact WHERE origin = ?",
        (origin_number,),
    ).fetchall()
    return [row[0] for row in rows]


def add_unpaired(db: Connection, seqs: Iterable[int]) -> None:
    """Note that these facts must be compared again; those that are gone are left out."""
    for seq in seqs:
        sql = "INSERT OR IGNORE INTO unpaired (fact) SELECT seq FROM fact WHERE seq = ?"
        db.execute(sql, (seq,))


def remove_unpaired(db: Connection, seqs: Iterable[int]) -> None:
    """Note that these facts have been compared with all others."""
    for seq in seqs:
        db.execute("DELETE FROM unpaired WHERE fact = ?", (seq,))


def put_pairs(db: Connection, pairs: Sequence[tuple[int, int, float]]) -> None:
    """Store pairs (later, earlier, cosine) of facts that are still there."""
    sql = """
    INSERT OR REPLACE INTO near (fact, other, cosine)
    SELECT a.seq, b.seq, ?3 FROM fact AS a, fact AS b WHERE a.seq = ?1 AND b.seq = ?2
    """
    db.executemany(sql, pairs)


def pairs(db: Connection, *, origin_number: int, floor: float) -> list[tuple[int, int, float]]:
    """Return the pairs (later, earlier, cosine) of active facts of an origin."""
    sql = """
    SELECT near.fact, near.other, near.cosine FROM near
    JOIN fact AS a ON a.seq = near.fact JOIN fact AS b ON b.seq = near.other
    WHERE a.origin = ? AND a.lifecycle = 'active' AND b.lifecycle = 'active'
      AND near.cosine >= ?
    """
    return list(db.execute(sql, (origin_number, floor)))


def last_change(db: Connection) -> int:
    """Return the number of the newest change in the journal."""
    return int(db.execute("SELECT ifnull(max(number), 0) FROM change").get)


def revived(db: Connection, *, since: int, origin_number: int, until: int) -> list[int]:
    """Return the active facts up to number `until` that have changed after change `since`."""
    sql = """
    SELECT DISTINCT fact.seq FROM change JOIN fact ON fact.seq = change.row
    WHERE change.number > ? AND change.entity = 'fact' AND fact.origin = ?
      AND fact.lifecycle = 'active' AND fact.document IS NULL AND fact.seq <= ?
    """
    return [row[0] for row in db.execute(sql, (since, origin_number, until))]
