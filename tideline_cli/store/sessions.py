"""Sessions and their turns, word for word: what was said in a conversation, by whom and when.

They stand beside facts, in tables of their own. A turn that is hidden was forgotten, or undone: no
function but `bring_back` sees it.
"""

from __future__ import annotations

from itertools import groupby

from tideline_cli.model import codec
from tideline_cli.model.lean import blake2b
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import Record
from tideline_cli.store import SERVERS, visibility
from tideline_cli.store.connection import TRACES, TRACES_IN_FILE, put_setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone
    from tideline_cli.store import journal

    # number, session, place, said_at, role, speaker, terms: what a turn is ranked by
    TurnRow = tuple[int, int, int, int, str, str | None, str]

AT_ONCE = 400


class KeptSession(Record):
    """A session that is kept: `turns` of it are shown. The times are those of the first and the
    last turn, in milliseconds."""

    number: int
    client: str
    name: str
    scope: str | None
    title: str | None
    started: int
    latest: int
    turns: int


class KeptTurn(Record):
    """What was said: `place` is its number in the session."""

    number: int
    session: int
    place: int
    said_at: int
    role: str
    speaker: str | None
    content: str
    key: str


class NewTurn(Record):
    """A turn that may be new; `key` is a digest of what tells it from all others."""

    key: str
    said_at: int
    role: str
    content: str
    terms: str
    length: int
    speaker: str | None = None


class NewSession(Record):
    """The conversation that new turns are of."""

    client: str
    name: str
    scope: str | None
    title: str | None


def mark_of(client: str, name: str) -> str:
    """Return what tells a session, also once its name is purged."""
    return blake2b(f"{client}\0{name}".encode("utf-8", "replace"), digest_size=12).hexdigest()


_HELD = """
SELECT session.number, client, session.name, session.scope, title, started, latest,
  (SELECT count(*) FROM turn WHERE turn.session = session.number AND hidden = 0)
FROM session WHERE session.origin = ?
"""
_TURNS = "SELECT number, session, place, said_at, role, speaker, content, key FROM turn"


def is_purged(db: Connection, client: str, name: str, *, viewer: Origin) -> bool:
    """Say whether a session was purged: only its mark is left."""
    sql = (
        "SELECT EXISTS (SELECT 1 FROM session WHERE name = '' AND mark = ?"
        " AND origin = (SELECT number FROM origin WHERE key = ?))"
    )
    return bool(db.execute(sql, (mark_of(client, name), viewer.key)).get)


def known(db: Connection, keys: Iterable[str], *, viewer: Origin) -> dict[str, str]:
    """Return those of the keys that turns of the viewer have: shown, hidden or purged."""
    found: dict[str, str] = {}
    listed = list(keys)
    sql = (
        "SELECT key, CASE WHEN content = '' THEN 'purged' WHEN hidden = 1 THEN 'hidden'"
        " ELSE 'shown' END FROM turn WHERE origin = (SELECT number FROM origin WHERE key = ?)"
        " AND key IN (SELECT value FROM json_each(?))"
    )
    for start in range(0, len(listed), AT_ONCE):
        part = codec.dumps(listed[start : start + AT_ONCE])
        rows: Any = db.execute(sql, (viewer.key, part))
        found |= dict(rows)
    return found


def add(
    db: Connection, batch: journal.batch, session: NewSession, turns: Sequence[NewTurn]
) -> None:
    """Keep turns that are not known yet, in the caller's batch."""
    origin = batch.origin_number
    mark = mark_of(session.client, session.name)
    first, last = (one(turn.said_at for turn in turns) for one in (min, max))
    row: Any = db.execute(
        "SELECT number, name FROM session WHERE origin = ? AND mark = ?", (origin, mark)
    ).fetchone()
    if row is None:
        number = db.execute(
            "INSERT INTO session (origin, mark, client, name, scope, title, started, latest)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number",
            (origin, mark, session.client, session.name, session.scope, session.title, first, last),
        ).get
    else:
        number = row[0]
        db.execute(
            "UPDATE session SET name = ?1, title = coalesce(title, ?2),"
            " scope = coalesce(scope, ?3), started = min(started, ?4), latest = max(latest, ?5)"
            " WHERE number = ?6",
            (session.name, session.title, session.scope, first, last, number),
        )
    before = db.execute("SELECT ifnull(max(place), 0) FROM turn WHERE session = ?", (number,)).get
    db.executemany(
        "INSERT INTO turn (origin, session, place, said_at, length, role, speaker, key, content,"
        " terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(origin, number, place, one.said_at, one.length, one.role, one.speaker, one.key,
          one.content, one.terms) for place, one in enumerate(turns, before + 1)],
    )  # fmt: skip
    made = db.execute("SELECT number FROM turn WHERE session = ? AND place > ?", (number, before))
    _note(db, batch, "+", [one for (one,) in made])


def bring_back(db: Connection, batch: journal.batch, keys: Iterable[str]) -> None:
    """Show hidden turns again that have these keys, in the caller's batch."""
    listed = codec.dumps(list(keys))
    sql = (
        "SELECT number FROM turn WHERE origin = ? AND hidden = 1 AND content <> ''"
        " AND key IN (SELECT value FROM json_each(?))"
    )
    _turn(db, batch, "+", [one for (one,) in db.execute(sql, (batch.origin_number, listed))])


def forget_purged(db: Connection, keys: Iterable[str], *, origin_number: int) -> None:
    """Let turns be new again that were purged and have these keys."""
    sql = "DELETE FROM turn WHERE origin = ? AND content = '' AND key IN"
    db.execute(f"{sql} (SELECT value FROM json_each(?))", (origin_number, codec.dumps(list(keys))))


def hide(db: Connection, batch: journal.batch, session: int) -> int:
    """Hide the turns of a session, in the caller's batch; return how many."""
    sql = "SELECT number FROM turn WHERE session = ? AND origin + 0 = ? AND hidden = 0"
    numbers = [one for (one,) in db.execute(sql, (session, batch.origin_number))]
    _turn(db, batch, "-", numbers)
    return len(numbers)


def _turn(db: Connection, batch: journal.batch, act: str, numbers: Sequence[int]) -> None:
    """Show or hide turns, and note that in the journal."""
    sql = "UPDATE turn SET hidden = ? WHERE number IN (SELECT value FROM json_each(?))"
    for start in range(0, len(numbers), AT_ONCE):
        part = codec.dumps(list(numbers[start : start + AT_ONCE]))
        db.execute(sql, (int(act == "-"), part))
    _note(db, batch, act, numbers)


def _note(db: Connection, batch: journal.batch, act: str, numbers: Iterable[int]) -> None:
    """Note in the journal that a batch has shown or hidden turns."""
    ordered = sorted(numbers)
    if not ordered:
        return
    runs: list[tuple[int, int]] = []
    for _, pairs in groupby(enumerate(ordered), lambda pair: pair[1] - pair[0]):
        run = [one for _, one in pairs]
        runs.append((run[0], run[-1]))
    db.executemany(
        "INSERT INTO turn_deed (batch, origin, act, first, last) VALUES (?, ?, ?, ?, ?)",
        [(batch.number, batch.origin_number, act, *run) for run in runs],
    )
    db.execute(
        "INSERT INTO batch_count (batch, origin, added, changed, removed, archived, linked,"
        " relinked, unlinked, used, turns) VALUES (?, ?, 0, 0, 0, 0, 0, 0, 0, 0, ?)"
        " ON CONFLICT DO UPDATE SET turns = turns + excluded.turns",
        (batch.number, batch.origin_number, len(ordered)),
    )


def turned_by(db: Connection, batch: int, *, viewer: Origin) -> dict[str, list[int]]:
    """Return the turns that are still as a batch has left them, by what it did: + or -."""
    rows: Iterable[Any] = db.execute(
        "SELECT act, number FROM turn_deed JOIN turn ON number BETWEEN first AND last"
        " AND turn.origin = turn_deed.origin"
        " WHERE batch = ? AND turn_deed.origin = (SELECT number FROM origin WHERE key = ?)"
        " AND hidden = iif(act = '+', 0, 1) AND content <> '' ORDER BY number",
        (batch, viewer.key),
    )
    found: dict[str, list[int]] = {}
    for act, number in rows:
        found.setdefault(act, []).append(number)
    return found


def take_back(db: Connection, own: journal.batch, turned: Mapping[str, Sequence[int]]) -> None:
    """Hide what was shown, and show what was hidden, in the caller's batch."""
    for act, numbers in turned.items():
        _turn(db, own, "-" if act == "+" else "+", numbers)


def listed(
    db: Connection, *, viewer: Origin, scopes: Sequence[str | None] | None = None, limit: int = -1
) -> list[KeptSession]:
    """Return the sessions of a viewer that have turns, those that went on last first."""
    sql, values = f"{_HELD} AND name <> ''", [visibility.number(db, viewer)]
    narrowed, more = _narrowing(scopes)
    sql = f"SELECT * FROM ({sql}{narrowed}) AS held ORDER BY latest DESC, number DESC"
    rows: Iterable[Any] = db.execute(sql, (*values, *more))
    found = [one for one in (KeptSession(*row) for row in rows) if one.turns]
    return found if limit < 0 else found[:limit]


def _narrowing(scopes: Sequence[str | None] | None) -> tuple[str, tuple[str, ...]]:
    if scopes is None:
        return "", ()
    condition = visibility.in_scopes(scopes).replace("scope", "session.scope")
    return f" AND {condition}", tuple(scope for scope in scopes if scope is not None)


def named(db: Connection, reference: str, *, viewer: Origin) -> list[KeptSession]:
    """Return the sessions that a name, or the beginning of one, tells: `client:name` too."""
    client, _, own = reference.rpartition(":")
    held = listed(db, viewer=viewer)
    exact = [one for one in held if one.name == reference or
             (one.name == own and one.client == client)]  # fmt: skip
    return exact or [one for one in held if one.name.startswith(reference)]


def turns_of(db: Connection, session: int, *, viewer: Origin) -> list[KeptTurn]:
    """Return the turns of a session in order."""
    sql = f"{_TURNS} WHERE session = ? AND origin + 0 = ? AND hidden = 0 ORDER BY place"
    return [KeptTurn(*row) for row in db.execute(sql, (session, visibility.number(db, viewer)))]


def around(db: Connection, turn: KeptTurn, count: int, *, viewer: Origin) -> list[KeptTurn]:
    """Return a turn with so many before and after it, in order."""
    of = f"{_TURNS} WHERE origin + 0 = ? AND session = ? AND hidden = 0 AND place"
    origin = visibility.number(db, viewer)
    before = db.execute(
        f"{of} <= ? ORDER BY place DESC LIMIT ?", (origin, turn.session, turn.place, count + 1)
    )
    found = [KeptTurn(*row) for row in before][::-1]
    after = db.execute(
        f"{of} > ? ORDER BY place LIMIT ?", (origin, turn.session, turn.place, count)
    )
    return [*found, *(KeptTurn(*row) for row in after)]


def texts(
    db: Connection, numbers: Sequence[int], *, viewer: Origin
) -> dict[int, tuple[KeptTurn, KeptSession]]:
    """Return turns by number, each with its session."""
    if not numbers:
        return {}
    origin = visibility.number(db, viewer)
    marks = ", ".join(map(str, numbers))
    sql = f"{_TURNS} WHERE number IN ({marks}) AND origin + 0 = ? AND hidden = 0"
    turns = [KeptTurn(*row) for row in db.execute(sql, (origin,))]
    marks = ", ".join(str(one) for one in sorted({turn.session for turn in turns})) or "0"
    rows: Iterable[Any] = db.execute(f"{_HELD} AND session.number IN ({marks})", (origin,))
    held = {row[0]: KeptSession(*row) for row in rows}
    return {one.number: (one, held[one.session]) for one in turns}


def tally(db: Connection, *, origin_number: int) -> tuple[int, int, int]:
    """Return how many turns an origin has, their terms, and what texts and terms take in bytes."""
    sql = "SELECT turns, tokens, octets FROM turn_tally WHERE origin = ?"
    row: Any = db.execute(sql, (origin_number,)).fetchone()
    return row or (0, 0, 0)


def origins(db: Connection, *, viewer: Origin | Everyone) -> list[Origin]:
    """Return the origins that have turns, of those that a viewer may see."""
    condition, values = visibility.where(viewer)
    condition = condition.replace("fact.origin", "turn_tally.origin")
    sql = f"SELECT key FROM turn_tally JOIN origin ON number = origin WHERE {condition}"
    return [Origin(key) for (key,) in db.execute(sql, values)]


def holders(db: Connection, terms: Iterable[str], *, origin_number: int) -> dict[str, int]:
    """Return for each term how many turns of an origin hold it."""
    prefix = _prefix(origin_number)
    rows: Iterable[Any] = db.execute(
        "SELECT value, ifnull((SELECT doc FROM turn_vocabulary WHERE term = value), 0)"
        " FROM json_each(?)",
        (codec.dumps([prefix + term for term in terms]),),
    )
    return {term[len(prefix) :]: count for term, count in rows}


def postings(db: Connection, term: str, *, origin_number: int) -> list[int]:
    """Return the numbers of the turns that hold a term, ascending."""
    sql = "SELECT rowid FROM turn_fts WHERE turn_fts MATCH ?"
    return [number for (number,) in db.execute(sql, (f'"{_prefix(origin_number)}{term}"',))]


_RANKED = "SELECT turn.number, session, place, said_at, role, speaker, terms FROM turn"


def rows(
    db: Connection, numbers: Sequence[int], *, origin_number: int,
    scopes: Sequence[str | None] | None,
) -> Iterator[TurnRow]:
    """Yield what turns are ranked by, of those that sessions of these scopes have."""
    narrowed, values = _narrowing(scopes)
    for start in range(0, len(numbers), AT_ONCE):
        marks = ", ".join(map(str, numbers[start : start + AT_ONCE]))
        yield from db.execute(
            f"{_RANKED} JOIN session ON session.number = turn.session"
            f" WHERE turn.number IN ({marks}) AND turn.origin + 0 = ? AND hidden = 0{narrowed}",
            (origin_number, *values),
        )


def next_to(
    db: Connection, places: Iterable[tuple[int, int]], *, origin_number: int
) -> list[TurnRow]:
    """Return what the turns at some places of sessions are ranked by."""
    wanted = ", ".join(f"({session}, {place})" for session, place in places)
    if not wanted:
        return []
    sql = f"{_RANKED} WHERE (session, place) IN (VALUES {wanted}) AND turn.origin + 0 = ?"
    found: list[Any] = db.execute(f"{sql} AND hidden = 0", (origin_number,)).fetchall()
    return found


def _prefix(origin: int) -> str:
    return "" if origin == 1 else f"{origin}_"


_EMPTY = "UPDATE turn SET content = '', terms = '', length = 0, speaker = NULL, hidden = 1"


def remove(
    db: Connection, numbers: Sequence[int], *, keyed: str = "", marked: int | None = None
) -> None:
    """Remove turns for good, in the caller's batch. Of those whose keys are of these kinds their
    keys are left, by which no hook brings them back, and of a `marked` session its mark. Other
    sessions without a turn go. What pages and the log still hold is removed by `finish_purge`."""
    is_file = not db.filename.startswith(SERVERS)
    if is_file:
        put_setting(db, TRACES, TRACES_IN_FILE)
    for start in range(0, len(numbers), AT_ONCE):
        part = codec.dumps(list(numbers[start : start + AT_ONCE]))
        these = "number IN (SELECT value FROM json_each(?))"
        for kind in keyed:
            db.execute(f"{_EMPTY} WHERE substr(key, 1, 1) = '{kind}' AND {these}", (part,))
            these += f" AND substr(key, 1, 1) <> '{kind}'"
        db.execute(f"DELETE FROM turn WHERE {these}", (part,))
    if is_file:
        index_anew(db)  # the index of a file keeps what was deleted until then
    sql = "UPDATE session SET name = '', scope = NULL, title = NULL WHERE number = ?"
    db.execute(sql, (marked,))
    db.execute(
        "DELETE FROM session WHERE name <> '' AND NOT EXISTS"
        " (SELECT 1 FROM turn WHERE turn.session = session.number)"
    )


def index_anew(db: Connection) -> None:
    """Make the full-text index of turns again."""
    db.execute("INSERT INTO turn_fts (turn_fts) VALUES ('rebuild')")


def sources(
    db: Connection, facts: Iterable[int], *, viewer: Origin
) -> list[tuple[KeptTurn, KeptSession]]:
    """Return the turns that facts of a viewer come from: of the session that a fact names, those
    that were said when it was, or that hold its text."""
    found: Iterable[Any] = db.execute(
        "SELECT DISTINCT turn.number FROM fact JOIN session ON session.origin = fact.origin"
        " AND session.name = fact.session JOIN turn ON turn.session = session.number"
        " WHERE fact.seq IN (SELECT value FROM json_each(?)) AND fact.origin ="
        " (SELECT number FROM origin WHERE key = ?) AND hidden = 0"
        " AND (said_at = fact.created_at OR instr(turn.content, fact.content) > 0)",
        (codec.dumps(list(facts)), viewer.key),
    )
    return list(texts(db, sorted(number for (number,) in found), viewer=viewer).values())


def all_of(db: Connection, session: int, *, origin_number: int) -> list[int]:
    """Return the numbers of the turns of a session, hidden ones too."""
    sql = "SELECT number FROM turn WHERE session = ? AND origin + 0 = ?"
    return [one for (one,) in db.execute(sql, (session, origin_number))]


def older(db: Connection, before: int, *, origin_number: int) -> list[int]:
    """Return the numbers of the turns that were said before an instant, hidden ones too."""
    sql = "SELECT number FROM turn WHERE origin = ? AND said_at < ?"
    return [one for (one,) in db.execute(sql, (origin_number, before))]


def beyond(db: Connection, octets: int, *, origin_number: int) -> list[int]:
    """Return the numbers of the oldest turns, as many as take what an origin has beyond a size."""
    over = tally(db, origin_number=origin_number)[2] - octets
    found: list[int] = []
    sql = (
        "SELECT number, octet_length(content) + octet_length(terms), hidden FROM turn"
        " WHERE origin = ? ORDER BY said_at, number"
    )
    for number, size, hidden in db.execute(sql, (origin_number,)) if over > 0 else ():
        if over <= 0:
            break
        found.append(number)
        over -= 0 if hidden else size
    return found


def all_texts(db: Connection, *, viewer: Everyone) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of every turn, for `analyse_anew`."""
    assert viewer  # noqa: S101  maintenance says aloud whose turns it reads
    last = 0
    sql = "SELECT number, content FROM turn WHERE number > ? ORDER BY number LIMIT ?"
    while True:
        part: list[Any] = db.execute(sql, (last, AT_ONCE)).fetchall()
        if not part:
            return
        yield from part
        last = part[-1][0]


def put_terms(db: Connection, number: int, terms: str, length: int) -> None:
    """Give a turn other terms."""
    sql = "UPDATE turn SET terms = ?, length = ? WHERE number = ?"
    db.execute(sql, (terms, length, number))
