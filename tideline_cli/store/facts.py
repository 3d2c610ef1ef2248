"""Facts of the file: by number, by id, by filter."""

from __future__ import annotations

from tideline_cli.errors import NotFoundError
from tideline_cli.model import codec
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import Record
from tideline_cli.model.source import UNTRUSTED
from tideline_cli.store import SERVERS, visibility
from tideline_cli.store.fact_rows import SELECT, SELECT_WITH_TERMS, fact_of
from tideline_cli.store.reads import alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Everyone
    from tideline_cli.store.reads import Read

LAST = "SELECT ifnull(max(seq), 0) FROM fact"


_ADDED = """fact.seq IN (
  SELECT ifnull(born.seq, change.row)
  FROM change LEFT JOIN fact AS born
    ON entity = 'facts' AND born.seq BETWEEN change.after + 0 AND change.row
  WHERE change.number >= (SELECT first FROM batch WHERE number = ?)
    AND batch = ? AND entity IN ('fact', 'facts') AND act = '+')"""


class Filter(Record):
    """What a caller asks of facts beside the query; None and () ask nothing.

    `since` and `until` are compared with created_at; `as_of` asks for what was valid then,
    archived facts included, and takes the place of `lifecycle`; `state` asks beside it for the
    lifecycle of today. `scopes` are those that may be, None among them for facts without one.
    `pinned` asks for pinned facts alone, `batch` for those that the batch of this number added.
    `documents` are those that a fact may be a chunk of; () asks for facts that are no chunk.
    `lasts_at` asks for what has not ended by then.
    """

    lifecycle: str | None = "active"
    as_of: int | None = None
    segments: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    state: str | None = None
    scopes: tuple[str | None, ...] | None = None
    slots: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    heats: tuple[str, ...] = ()
    pinned: bool = False
    batch: int | None = None
    sessions: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    documents: tuple[str, ...] | None = None
    agents: tuple[str, ...] = ()
    progress: tuple[str, ...] = ()
    lasts_at: int | None = None

    def is_open(self) -> bool:
        """Say whether only lifecycle and validity decide."""
        return self == Filter(self.lifecycle, self.as_of)

    def is_of_active(self) -> bool:
        """Say whether no fact is asked for but those that are active now."""
        return self.lifecycle == "active" and self.as_of is None


def has_open(kind: str, *, viewer: Origin) -> Read[bool]:
    """Read whether an origin has an active fact of this kind of work. One look into an index."""
    sql = """SELECT EXISTS (
      SELECT 1 FROM fact INDEXED BY fact_work
      WHERE origin = (SELECT number FROM origin WHERE key = ?) AND kind = ?
        AND progress = 'active' AND lifecycle = 'active')"""
    rows = yield sql, (viewer.key, kind)
    return bool(rows[0][0])


def last_number(db: Connection) -> int:
    """Return the number of the newest fact, 0 in an empty store."""
    return int(db.execute(LAST).get)


def last_given(db: Connection) -> int:
    """Return the highest number that a fact was ever given, 0 in an empty store."""
    if db.filename.startswith(SERVERS):
        sql = "SELECT last_value * is_called::integer FROM fact_seq"
    else:
        sql = "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'fact'"
    return int(db.execute(sql).get)


def numbers_after(db: Connection, seq: int) -> list[int]:
    """Return the numbers of the facts that came after number `seq`, in order of arrival."""
    return [row[0] for row in db.execute("SELECT seq FROM fact WHERE seq > ? ORDER BY seq", (seq,))]


def get(db: Connection, seqs: Iterable[int], *, viewer: Origin | Everyone) -> dict[int, Fact]:
    """Return the facts with these numbers that `viewer` may see."""
    return alone(db, numbered(seqs, viewer=viewer))


def numbered(seqs: Iterable[int], *, viewer: Origin | Everyone) -> Read[dict[int, Fact]]:
    """Read the facts with these numbers that `viewer` may see."""
    wanted = list(seqs)
    if not wanted:
        return {}
    condition, values = visibility.where(viewer)
    marks = ", ".join("?" * len(wanted))
    rows = yield f"{SELECT} WHERE fact.seq IN ({marks}) AND {condition}", (*wanted, *values)
    return {row[0]: fact_of(row) for row in rows}


def find(db: Connection, reference: str, *, viewer: Origin | Everyone) -> Fact:
    """Return the fact with this id, or with the one id that begins so.

    Raises NotFoundError, also for facts of other origins and for too few letters, and
    AmbiguousError where several ids begin so.
    """
    return fact_of(_row(db, reference, viewer))


def number_of(db: Connection, reference: str, *, viewer: Origin | Everyone) -> int:
    """Return the number of the fact that `find` returns; raise as that does."""
    return int(_row(db, reference, viewer)[0])


def missing(reference: str) -> NotFoundError:
    """Return the error for an id that is not there: the same where there is no store at all, or
    it would tell whether anybody has written."""
    from tideline_cli.store import references  # noqa: PLC0415  recall names no fact

    hint = "`tideline list` shows the ids of this origin"
    if 0 < len(reference.removeprefix("…")) < references.LEAST:
        hint = f"{reference} is too short, give {references.LEAST} letters or more; {hint}"
    return NotFoundError(f"no such id: {reference}", hint=hint)


def named(db: Connection, references: Iterable[str], *, viewer: Origin) -> list[Fact]:
    """Return the facts with these ids or beginnings of ids, each once, in the order of naming.

    Raises as `find` does for the first reference that names none.
    """
    found = (find(db, reference, viewer=viewer) for reference in references)
    return list({fact.id: fact for fact in found}.values())


def by_ids(db: Connection, ids: Iterable[str], *, viewer: Origin) -> dict[str, tuple[int, Fact]]:
    """Return the facts with these ids, each with its number, by id."""
    condition, values = visibility.where(viewer)
    sql = f"{SELECT} WHERE fact.id IN (SELECT value FROM json_each(?)) AND {condition}"
    rows: Iterable[tuple[Any, ...]] = db.execute(sql, (codec.dumps(list(ids)), *values))
    found = ((row[0], fact_of(row)) for row in rows)
    return {fact.id: (seq, fact) for seq, fact in found}


def with_terms(db: Connection, seqs: Sequence[int], *, viewer: Origin) -> list[tuple[Fact, str]]:
    """Return facts by number in order of arrival, each with its terms."""
    condition, values = visibility.where(viewer)
    sql = (
        f"{SELECT_WITH_TERMS} "
        f"WHERE fact.seq IN ({', '.join('?' * len(seqs))}) AND {condition} ORDER BY fact.seq"
    )
    return [(fact_of(row), row[-1]) for row in db.execute(sql, (*seqs, *values))]


def similar_among(seqs: Sequence[int], *, viewer: Origin) -> Read[list[tuple[str, str]]]:
    """Read the pairs of ids of these facts that are linked as `similar`."""
    if len(seqs) < 2:
        return []
    condition, values = visibility.where(viewer)
    marks = ", ".join(map(str, seqs))
    rows: list[Any] = yield (
        "SELECT fact.id, other.id FROM link JOIN fact ON fact.seq = link.from_fact "
        "JOIN fact AS other ON other.seq = link.to_fact AND other.origin = fact.origin "
        f"WHERE link.kind = 'similar' AND link.from_fact IN ({marks}) "
        f"AND link.to_fact IN ({marks}) AND {condition}",
        values,
    )
    return rows


def without_terms(db: Connection, *, viewer: Origin, limit: int) -> list[Fact]:
    """Return the newest active facts whose texts have no terms, oldest first: a sign, small words.
    All facts of the origin are looked at."""
    condition, values = visibility.where(viewer)
    rows: Iterable[tuple[Any, ...]] = db.execute(
        f"{SELECT} WHERE substr(fact.terms, 1, 2) IN ('', '  ') "
        f"AND lifecycle = 'active' AND {condition} "
        "ORDER BY fact.seq DESC LIMIT ?",
        (*values, limit),
    )
    return [fact_of(row) for row in rows][::-1]


def among(
    db: Connection, seqs: Sequence[int], *, viewer: Origin, wanted: Filter, now: int
) -> dict[int, Fact]:
    """Return those of the facts that `wanted` asks for and that are valid now."""
    condition, values = visibility.where(viewer)
    narrowed, more = narrowing(wanted, valid_at=now)
    marks = ", ".join("?" * len(seqs))
    sql = f"{SELECT} WHERE fact.seq IN ({marks}) AND {condition}{narrowed}"
    return {row[0]: fact_of(row) for row in db.execute(sql, (*seqs, *values, *more))}


def _tagged(tag: str) -> tuple[str, list[str]]:
    """Return the condition that a fact has a tag; of one with commas, which files may bring, that
    one or all of its parts."""
    has = "EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)"
    if "," not in tag and ";" not in tag:
        return has, [tag]
    from tideline_cli.model.short_text import parted  # noqa: PLC0415  most name one tag

    named = parted(tag) or [tag]
    return f"({has} OR {' AND '.join([has] * len(named))})", [tag, *named]


# Of the values of a slot whose validity holds an instant, the one with the latest beginning holds:
# a stay is one within another. What nobody vouches for hides nothing that is vouched for.
_UNTRUSTED = ", ".join(f"'{source}'" for source in UNTRUSTED)
_HOLDS_ITS_SLOT = f"""(slot IS NULL OR NOT EXISTS (
  SELECT 1 FROM fact AS later
  WHERE later.origin = fact.origin AND later.slot = fact.slot AND later.scope IS fact.scope{{}}
    AND ifnull(later.valid_from, later.created_at) > ifnull(fact.valid_from, fact.created_at)
    AND ifnull(later.valid_from, later.created_at) <= ?
    AND (later.valid_to IS NULL OR later.valid_to > ?)
    AND (later.source NOT IN ({_UNTRUSTED}) OR fact.source IN ({_UNTRUSTED}))))"""


def narrowing(wanted: Filter, *, valid_at: int | None = None) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL conditions of a filter, each led by AND, and their parameters.

    `valid_at` asks for validity at that instant, unless the filter has an instant of its own.
    """
    parts: list[str] = []
    values: list[Any] = []
    if valid_at is not None and wanted.as_of is None:
        parts.append(
            "(valid_to IS NULL OR valid_to > ?) AND (valid_from IS NULL OR valid_from <= ?)"
        )
        values += [valid_at, valid_at]
        parts.append(_HOLDS_ITS_SLOT.format(" AND later.lifecycle = 'active'"))
        values += [valid_at, valid_at]
    if wanted.as_of is not None:
        parts.append(
            "ifnull(valid_from, fact.created_at) <= ? AND (valid_to IS NULL OR valid_to > ?)"
            " AND lifecycle <> 'pruned'"
        )
        parts.append(_HOLDS_ITS_SLOT.format(" AND later.lifecycle <> 'pruned'"))
        values += [wanted.as_of, wanted.as_of] * 2
    elif wanted.lifecycle == "active":
        parts.append("lifecycle = 'active'")  # an index of such facts is chosen by these words
    elif wanted.lifecycle is not None:
        parts.append("lifecycle = ?")
        values.append(wanted.lifecycle)
    if wanted.state is not None:
        parts.append("lifecycle = ?")
        values.append(wanted.state)
    named, texts = _one_of(wanted)
    parts += named
    values += texts
    for tag in wanted.tags:
        tagged, named = _tagged(tag)
        parts.append(tagged)
        values += named
    for sign, instant in ((">=", wanted.since), ("<=", wanted.until)):
        if instant is not None:
            parts.append(f"fact.created_at {sign} ?")
            values.append(instant)
    if wanted.pinned:
        parts.append("pinned = 1")
    if wanted.lasts_at is not None:
        parts.append("(valid_to IS NULL OR valid_to > ?)")
        values.append(wanted.lasts_at)
    if wanted.batch is not None:
        parts.append(_ADDED)
        values += [wanted.batch, wanted.batch]
    if wanted.scopes is not None:
        parts.append(visibility.in_scopes(wanted.scopes))
        values += filter(None, wanted.scopes)
    return "".join(f" AND {part}" for part in parts), tuple(values)


def _one_of(wanted: Filter) -> tuple[list[str], list[str]]:
    """Return the conditions on columns that have one of the texts asked for, and those texts."""
    parts: list[str] = []
    values: list[str] = []
    for column, allowed in (
        ("segment", wanted.segments), ("kind", wanted.kinds), ("slot", wanted.slots),
        ("source", wanted.sources), ("heat", wanted.heats), ("session", wanted.sessions),
        ("speaker", wanted.speakers), ("role", wanted.roles),
        ("document", wanted.documents), ("agent", wanted.agents),
        ("progress", wanted.progress),
    ):  # fmt: skip
        if allowed:
            parts.append(f"{column} IN ({', '.join('?' * len(allowed))})")
            values += allowed
    if wanted.documents == ():
        parts.append("document IS NULL")
    return parts, values


def _row(db: Connection, reference: str, viewer: Origin | Everyone) -> tuple[Any, ...]:
    from tideline_cli.store import references  # noqa: PLC0415  recall names no fact

    row = references.row_of(db, reference, viewer=viewer)
    if row is None:
        error = missing(reference)
        if isinstance(viewer, Origin):
            undone = references.undo_of(db, reference, viewer=viewer)
            if undone is not None:
                error.hint = f"undo took it out (batch {undone}): `tideline redo` brings it back"
        raise error
    return row
