"""The full-text index: which facts hold which terms, in their texts or in their labels, seen from
one origin.

Every function takes the origin's number, so that statistics and posting lists are its own.
"""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.store import SERVERS, reads
from tideline_cli.store.fact_rows import SELECT_WITH_TERMS, fact_of
from tideline_cli.store.facts import Filter, narrowing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any, Literal

    from apsw import Connection

    from tideline_cli.model.fact import Fact, Segment, Tier
    from tideline_cli.model.source import Source
    from tideline_cli.ranking.bm25 import Condition
    from tideline_cli.store.reads import Read

    # seq, id, terms, source, confidence, importance, decay_rate (None is that of the segment),
    # segment, tier, pinned, created_at, access_count, last_accessed_at, role. A tuple, since a
    # recall reads thousands, and records would make it a tenth slower. Where heat is asked for, it
    # stands behind these.
    RankingRow = tuple[
        int, str, str, Source, float, float, float | None, Segment, Tier, int, int, int, int,
        str | None,
    ]


_OWNER = 1
_AT_ONCE = 500  # facts of one statement
TERMS: Literal[2] = 2
"""The place of the terms in a RankingRow."""
SOURCE: Literal[3] = 3
"""The place of the source in a RankingRow."""
CREATED: Literal[10] = 10
"""The place of the time in a RankingRow."""
WIDTH: Literal[14] = 14
"""The number of values in a RankingRow, behind which heat stands where it is asked for."""
COLUMNS = """
fact.seq, fact.id, fact.terms, source, confidence, importance, decay_rate, segment, tier,
       pinned, created_at, ifnull(access_count, 0), ifnull(last_accessed_at, created_at), role
"""
"""What a RankingRow has, of a fact and its use."""
_COLUMNS = f"SELECT {COLUMNS.strip()}\n"
_AND_HEAT = f"{_COLUMNS.rstrip()}, heat\n"
_COUNTS = """
SELECT value, ifnull((SELECT doc FROM fact_vocabulary WHERE term = ?3 || value), 0),
  ifnull((SELECT facts FROM archived_term WHERE origin = ?1 AND term = value), 0),
  ifnull((SELECT facts FROM lapsed_term WHERE origin = ?1 AND term = value), 0)
FROM json_each(?2)
"""
_LESS = """
SELECT value, ifnull((SELECT facts FROM archived_term WHERE origin = ?1 AND term = value), 0),
  ifnull((SELECT facts FROM lapsed_term WHERE origin = ?1 AND term = value), 0)
FROM json_each(?2)
"""
_HOLDERS = """
SELECT value, ifnull((SELECT doc FROM fact_vocabulary WHERE term = value), 0) FROM json_each(?)
"""
POSTINGS = "SELECT rowid FROM fact_fts WHERE fact_fts MATCH ?"
HOLDING = "SELECT rowid FROM fact_fts WHERE fact_fts MATCH ? ORDER BY rowid LIMIT ?"
_HOLDING_FACTS = f"""
{SELECT_WITH_TERMS} WHERE fact.seq IN (
  SELECT rowid FROM fact_fts WHERE fact_fts MATCH ?1 ORDER BY rowid LIMIT ?2) ORDER BY fact.seq
"""
RARITY = "SELECT count(*) FROM (SELECT 1 FROM fact_fts WHERE fact_fts MATCH ? LIMIT ?)"


def active_count(db: Connection, *, origin_number: int) -> int:
    """Return the number of an origin's active facts, whether they hold at the moment or not."""
    sql = "SELECT ifnull(sum(facts), 0) FROM tally WHERE origin = ?"
    return int(db.execute(sql, (origin_number,)).get)


def holders(terms: Collection[str], *, origin_number: int) -> Read[dict[str, int]]:
    """Return for each term how many facts of an origin hold it, whatever their lifecycle."""
    if not terms:
        return {}
    prefix = _prefix(origin_number)
    rows = yield _HOLDERS, (codec.dumps([prefix + term for term in terms]),)
    return {term[len(prefix) :]: count for term, count in rows}


def counts(
    terms: Collection[str], *, origin_number: int
) -> Read[dict[str, tuple[int, int, int]]]:
    """Read for each term what `holders` and `gone` say of it."""
    if not terms:
        return {}
    rows = yield _COUNTS, (origin_number, codec.dumps([*terms]), _prefix(origin_number))
    return {term: (held, archived, lapsed) for term, held, archived, lapsed in rows}


def gone(terms: Collection[str], *, origin_number: int) -> Read[dict[str, tuple[int, int]]]:
    """Return for each term how many facts of an origin that are not active hold it, and how many
    active ones that do not hold at the instant of which the file counts them."""
    if not terms:
        return {}
    rows = yield _LESS, (origin_number, codec.dumps([*terms]))
    return {term: (archived, lapsed) for term, archived, lapsed in rows}


def postings(term: str, *, origin_number: int) -> Read[list[int]]:
    """Return the numbers of the facts that hold a term, archived ones included, ascending."""
    rows = yield POSTINGS, (f'"{_prefix(origin_number)}{term}"',)
    return [seq for (seq,) in rows]


def rows_holding(
    terms: Iterable[str], *, origin_number: int, now: int, wanted: Filter, heat: bool = False
) -> Read[list[RankingRow]]:
    """Return the ranking rows of the facts that hold one of the terms at least; else as
    `ranking_rows`."""
    narrowed, values = narrowing(wanted, valid_at=now)
    either = _expression(("OR", tuple(terms)), _prefix(origin_number))
    rows: list[Any] = yield (
        f"{_AND_HEAT if heat else _COLUMNS} FROM fact_fts"
        " CROSS JOIN fact ON fact.seq = fact_fts.rowid"
        " LEFT JOIN usage ON usage.fact = fact.seq"
        f" WHERE fact_fts MATCH ? AND fact.origin = ?{narrowed}",
        (either, origin_number, *values),
    )
    return rows


def ranking_rows(
    db: Connection, seqs: Sequence[int], *, origin_number: int, now: int, wanted: Filter,
    heat: bool = False,
) -> list[RankingRow]:  # fmt: skip
    """Return the ranking rows of those of the facts that are active and valid now, and that
    `wanted` asks for; with their `heat`, if a ranking wants it."""
    return reads.alone(db, ranked(
        seqs, origin_number=origin_number, now=now, wanted=wanted, heat=heat
    ))  # fmt: skip


def ranked(
    seqs: Sequence[int], *, origin_number: int, now: int, wanted: Filter, heat: bool = False
) -> Read[list[RankingRow]]:
    """Read what `ranking_rows` returns."""
    narrowed, values = narrowing(wanted, valid_at=now)
    marks = ", ".join(map(str, seqs))
    rows: list[Any] = yield (
        f"{_AND_HEAT if heat else _COLUMNS} FROM fact LEFT JOIN usage ON usage.fact = fact.seq "
        f"WHERE fact.seq IN ({marks}) AND fact.origin = ?{narrowed}",
        (origin_number, *values),
    )
    return rows


def holder_counts(
    db: Connection, terms: Collection[str], *, origin_number: int
) -> dict[str, int]:
    """Return for each term how many facts of an origin hold it, whatever their lifecycle."""
    return reads.alone(db, holders(terms, origin_number=origin_number))


def holder_count(db: Connection, term: str, *, origin_number: int, upto: int) -> int:
    """Return how many facts up to a number hold a term, whatever their lifecycle."""
    return int(
        db.execute(
            "SELECT count(*) FROM fact_fts WHERE fact_fts MATCH ? AND rowid <= ?",
            (f'"{_prefix(origin_number)}{term}"', upto),
        ).get
    )


def holding(
    db: Connection, condition: Condition, *, origin_number: int, limit: int = -1
) -> list[int]:
    """Return the numbers of the facts whose terms fulfil `condition`, archived ones included, in
    order of arrival, the first `limit`."""
    query = _expression(condition, _prefix(origin_number))
    rows = db.execute(HOLDING, (query, limit))
    return [seq for (seq,) in rows]


def holding_facts(
    db: Connection, condition: Condition, *, origin_number: int, limit: int
) -> dict[int, tuple[Fact, str]]:
    """Return by number the facts that `holding` numbers, each with its terms."""
    query = _expression(condition, _prefix(origin_number))
    rows: Iterable[Any] = db.execute(_HOLDING_FACTS, (query, limit))
    return {row[0]: (fact_of(row), row[-1]) for row in rows}


def terms_of(
    db: Connection, seqs: Sequence[int], *, origin_number: int
) -> Iterator[tuple[int, str]]:
    """Yield (number, terms) of those of the facts that are active, in the order of their numbers.
    """
    for start in range(0, len(seqs), _AT_ONCE):
        marks = ", ".join(map(str, seqs[start : start + _AT_ONCE]))
        yield from db.execute(
            f"SELECT seq, terms FROM fact WHERE seq IN ({marks}) AND origin = ?"
            " AND lifecycle = 'active' ORDER BY seq",
            (origin_number,),
        )


def words_from(start: str, *, origin_number: int, limit: int) -> Read[list[str]]:
    """Read stored terms of an origin that begin with `start`, up to a limit, in order."""
    prefix = _prefix(origin_number)
    low, end = prefix + start, prefix + start[:-1] + chr(ord(start[-1]) + 1)
    found: list[str] = []
    after: str | None = low
    while after is not None and len(found) < limit:
        rows = yield (
            "SELECT term FROM fact_vocabulary WHERE term >= ? AND term < ? LIMIT ?",
            (after, end, limit - len(found)),
        )
        after = None
        for (term,) in rows:
            if not prefix and (other := _other(term)):
                after = other + "`"  # the sign behind `_`: the first that is not of that origin
                break
            found.append(term[len(prefix) :])
    return found


def _other(term: str) -> str:
    """Return the number of the origin whose term this is, empty for the owner: what begins with a
    number and `_` is of another origin, the owner's figures end there."""
    number, found, _ = term.partition("_")
    return number if found and number.isascii() and number.isdigit() else ""


def archived_counts(
    terms: Collection[str], *, origin_number: int
) -> Read[dict[str, int]]:
    """Read in how many of an origin's facts that are no longer active each term occurs."""
    found = yield from gone(terms, origin_number=origin_number)
    return {term: archived for term, (archived, _) in found.items()}


def holding_all(
    words: Sequence[Condition], *, origin_number: int, lifecycle: str, limit: int
) -> Read[list[int]]:
    """Read the numbers of facts with this lifecycle that hold all of the words, newest first."""
    query = _expression(("AND", tuple(words)), _prefix(origin_number))
    rows = yield (
        "SELECT fact.seq FROM fact_fts CROSS JOIN fact ON fact.seq = fact_fts.rowid "
        "WHERE fact_fts MATCH ? AND lifecycle = ? ORDER BY fact_fts.rowid DESC LIMIT ?",
        (query, lifecycle, limit),
    )
    return [seq for (seq,) in rows]


def texts_holding(
    condition: Condition, *, origin_number: int, limit: int
) -> Read[dict[int, str]]:
    """Read by number the texts of the newest active facts whose terms fulfil `condition`."""
    rows = yield (
        "SELECT fact.seq, content FROM fact_fts CROSS JOIN fact ON fact.seq = fact_fts.rowid "
        "WHERE fact_fts MATCH ? AND lifecycle = 'active' ORDER BY fact_fts.rowid DESC LIMIT ?",
        (_expression(condition, _prefix(origin_number)), limit),
    )
    return dict(rows)


def index_after(db: Connection, seq: int) -> None:
    """Add all facts after number `seq` to the index, at the end of a bulk."""
    db.execute(
        "INSERT INTO fact_fts (rowid, terms) SELECT seq, terms FROM fact_index WHERE seq > ?",
        (seq,),
    )


def write_out(db: Connection) -> None:
    """Write what the index has gathered, as a commit would at its end, and merge what is due: what
    the transaction stores next fills the pages that this frees."""
    db.execute("INSERT INTO fact_fts (fact_fts) VALUES ('flush')")


def fold(db: Connection, *, origin_number: int | None) -> None:
    """Put what is new in the index of a server to the rest, of an origin or of all that the role
    sees, in a transaction of the caller. A file merges with each write."""
    if gathers(db):
        db.execute("INSERT INTO fact_fts (fact_fts, rank) VALUES ('merge', ?)", (origin_number,))


def leave(db: Connection) -> None:
    """Leave the index of a server as it is while many facts go or change, until `rebuild` in the
    same transaction: each fact would write the blocks of its terms anew."""
    if gathers(db):
        db.execute("INSERT INTO fact_fts (fact_fts) VALUES ('delete-all')")


def gathers(db: Connection) -> bool:
    """Say whether the index gathers what is new, as on a server: rows that are folded into blocks
    later."""
    return db.filename.startswith(SERVERS)


def rebuild(db: Connection) -> None:
    """Make the whole index again, in the file format that every SQLite with FTS5 reads, and with
    the settings of a new store."""
    db.execute("INSERT INTO fact_fts (fact_fts, rank) VALUES ('automerge', 2)")
    db.execute("INSERT INTO fact_fts (fact_fts) VALUES ('rebuild')")


def rarities(
    terms: Sequence[str], *, origin_number: int, enough: int
) -> list[Read[int]]:
    """Return what reads how many facts hold each term, archived ones included, up to `enough`."""
    return [_rarity(term, origin_number, enough) for term in terms]


def _rarity(term: str, origin_number: int, enough: int) -> Read[int]:
    rows = yield RARITY, (f'"{_prefix(origin_number)}{term}"', enough)
    return int(rows[0][0]) if rows else 0


def _prefix(origin_number: int) -> str:
    return "" if origin_number == _OWNER else f"{origin_number}_"


def _expression(condition: Condition, prefix: str) -> str:
    if isinstance(condition, str):
        return f'"{prefix}{condition}"'
    word, parts = condition
    return "(" + f" {word} ".join(_expression(part, prefix) for part in parts) + ")"


MOST_LABELLED = 1000  # holders of a term that a question reads, the newest
LABEL_HOLDERS = (
    "SELECT fact, size FROM label_term WHERE origin = ? AND term = ? ORDER BY fact DESC LIMIT ?"
)


def label_holders(term: str, *, origin_number: int) -> Read[dict[int, int]]:
    """Return the numbers of the newest MOST_LABELLED facts whose labels hold an asked term, newest
    first, and how many terms the labels of each have."""
    rows = yield LABEL_HOLDERS, (origin_number, term, MOST_LABELLED)
    return dict(rows)
