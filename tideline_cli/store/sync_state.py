"""What a memory that syncs knows of itself and others: its clock, how far its journal was told, the
places it meets others in, and the machines it has forgotten; and making its tables."""

from __future__ import annotations

from tideline_cli.errors import CannotWriteError
from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store import SERVERS, sync_schema
from tideline_cli.store.connection import drop_setting, named_settings, put_setting, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from apsw import Connection

_SELF = "replica"
_MARK = "replica_mark"
_CHANGE = "sync_change"
_CLOCK = "sync_clock"
_VERSION = "sync_version"
_USED = "sync_used"
_RULED = "sync_ruled"
_FREED = "sync_freed"


class SyncState:
    """The state of one transaction; `save` stores what has changed of it.

    own       the number of this replica.
    change    changes of the journal up to this one were told.
    clock     the latest time of the hybrid clock that is known.
    version   how many changes of registers there were: each gets the next number.
    used_at   when the uses were last told, in milliseconds; 0 before the first time.
    ruled     what is shown takes notice of the purges up to this version.
    freed     the ids of facts on which rulings wait to be made: what had replaced them was purged,
              or the memory has never synced before.
    """

    __slots__ = (
        "_db", "_held", "change", "clock", "freed", "mark", "own", "own_id", "ruled", "used_at",
        "version",
    )  # fmt: skip

    def __init__(self, db: Connection) -> None:
        self._db = db
        held = named_settings(db, _SELF, _MARK, _CHANGE, _CLOCK, _VERSION, _USED, _RULED, _FREED)
        self.own_id = held.get(_SELF, "")
        self.mark = held.get(_MARK, "")
        self.change = int(held.get(_CHANGE, "0"))
        self.clock = int(held.get(_CLOCK, "0"))
        self.version = int(held.get(_VERSION, "0"))
        self.used_at = int(held.get(_USED, "0"))
        self.ruled = int(held.get(_RULED, "0"))
        self.freed: set[str] = set(codec.loads(held.get(_FREED, "[]")))
        self.own = replica_number(db, self.own_id) if self.own_id else 0
        self._held = held

    def next_version(self) -> int:
        """Return the version of one more change of a register."""
        self.version += 1
        return self.version

    def become(self, replica: str, name: str, mark: str) -> None:
        """Be a replica with this id from now on; `mark` tells the file from a copy of it."""
        self.own_id, self.mark = replica, mark
        self.own = replica_number(self._db, replica, name=name)

    def save(self) -> None:
        """Store what has changed."""
        for name, value in (
            (_SELF, self.own_id), (_MARK, self.mark), (_CHANGE, str(self.change)),
            (_CLOCK, str(self.clock)), (_VERSION, str(self.version)), (_USED, str(self.used_at)),
            (_RULED, str(self.ruled)), (_FREED, codec.dumps(sorted(self.freed))),
        ):  # fmt: skip
            if self._held.get(name, "[]" if name == _FREED else None) != value:
                put_setting(self._db, name, value)
                self._held[name] = value


def replica_number(db: Connection, replica: str, *, name: str = "") -> int:
    """Return the number of a replica here, a new one if unknown; a `name` becomes its name."""
    sql = "SELECT number, name FROM sync_replica WHERE id = ?"
    row: Any = db.execute(sql, (replica,)).fetchone()
    if row is None:
        db.execute("INSERT INTO sync_replica (id, name) VALUES (?, ?)", (replica, name))
        return int(db.execute("SELECT number FROM sync_replica WHERE id = ?", (replica,)).get)
    if name not in ("", row[1]):
        db.execute("UPDATE sync_replica SET name = ? WHERE number = ?", (name, row[0]))
    return int(row[0])


def replicas(db: Connection) -> dict[int, tuple[str, str]]:
    """Return the id and the name of each replica that is known, by number."""
    rows: Any = db.execute("SELECT number, id, name FROM sync_replica").fetchall()
    return {number: (replica, name) for number, replica, name in rows}


def lower_change(db: Connection) -> None:
    """Follow a purge, after which the numbers of the newest changes are given again."""
    db.execute(
        "UPDATE setting SET value = (SELECT ifnull(max(number), 0) FROM change)"
        f" WHERE name = '{_CHANGE}' AND CAST(value AS INTEGER) >"
        " (SELECT ifnull(max(number), 0) FROM change)"
    )


def name_of(db: Connection, replica: str) -> str:
    """Return the name of a replica, or the beginning of its id."""
    name = db.execute("SELECT name FROM sync_replica WHERE id = ?", (replica,)).get
    return str(name) if name else replica[:8]


_NAME = "sync_gone"  # JSON: by replica, `seen` and `told` by place, the places `parted`


def forgotten_machines(db: Connection) -> dict[str, dict[str, Any]]:
    """Return what is kept of the machines that were forgotten, by the id of the replica."""
    return dict(codec.loads(setting(db, _NAME, "{}")))


def forget_machine(db: Connection, replica: str) -> None:
    """Forget a machine, in a transaction of the caller: its place in the streams goes."""
    rows: Any = db.execute(
        "SELECT sync_place.place, segment_of.segment FROM sync_stream AS segment_of"
        " JOIN sync_place ON sync_place.number = segment_of.place"
        " JOIN sync_replica ON sync_replica.number = replica WHERE sync_replica.id = ?",
        (replica,),
    ).fetchall()
    put_forgotten(db, replica, {"seen": dict(rows), "told": {}, "parted": []})
    sql = "DELETE FROM sync_stream WHERE replica IN (SELECT number FROM sync_replica WHERE id = ?)"
    db.execute(sql, (replica,))


def put_forgotten(db: Connection, replica: str, row: dict[str, Any] | None) -> None:
    """Keep this of a forgotten machine; None: it is there again."""
    held = forgotten_machines(db)
    held.pop(replica, None)
    if row is not None:
        held[replica] = row
    put_setting(db, _NAME, codec.dumps(held))


@record
class PlaceRow:
    """A row of `sync_place`; `pending` are the digests of segments on their way. `is_trusted`: what
    lies there is the owner's word, also when others can write there."""

    number: int
    address: str
    place: str
    is_sealed: bool
    is_vouched: bool
    is_trusted: bool
    sent: int
    whole: int
    whole_at: int
    segment: int
    digest: str
    pending: tuple[str, ...]
    synced_at: int


@record
class Stream:
    """How far the segments of a replica were read: up to this number, which has this digest; why
    it is not read on, if it is not."""

    replica: str
    name: str
    segment: int
    digest: str
    stopped: str | None


_LAST = "sync_place"  # the number of the place that was noted last
_LEFT = "sync_left"  # JSON: by place that was forgotten, our last segment there and its digest
_REFUSED = "sync_refused"  # JSON by the number of a place: ids of which a change was not taken
MOST_REFUSED = 1000
_SELECT = """
SELECT number, address, place, sealed, vouched, sent, whole, whole_at, segment, digest, pending,
       synced_at
FROM sync_place
"""


def _of(row: Sequence[Any]) -> PlaceRow:
    number, address, place, sealed, vouched, sent, whole, at, segment, digest, pending, last = row
    return PlaceRow(
        number, address, place, bool(sealed), vouched > 0, vouched == 1, sent, whole, at, segment,
        digest, tuple(codec.loads(pending)) if pending else (), last,
    )  # fmt: skip


def all_places(db: Connection) -> list[PlaceRow]:
    """Return all places, the oldest first."""
    return [_of(row) for row in db.execute(f"{_SELECT} ORDER BY number")]


def place_at(db: Connection, address: str) -> PlaceRow | None:
    """Return the place with this address."""
    row = db.execute(f"{_SELECT} WHERE address = ?", (address,)).fetchone()
    return None if row is None else _of(row)


def add_place(db: Connection, address: str, *, is_sealed: bool, is_vouched: bool) -> PlaceRow:
    """Note a place that is new; return it. Its number was never that of another one: registers
    keep the number of the place from which they are known."""
    sql = "SELECT ifnull(max(number), 0) FROM sync_place"
    number = 1 + max(int(setting(db, _LAST, "0")), int(db.execute(sql).get))
    put_setting(db, _LAST, str(number))
    db.execute(
        "INSERT INTO sync_place (number, address, place, sealed, vouched, sent, whole, whole_at,"
        " segment, digest, synced_at) VALUES (?, ?, '', ?, ?, 0, 0, 0, 0, '', 0)",
        (number, address, int(is_sealed), int(is_vouched)),
    )
    return next(place for place in all_places(db) if place.address == address)


def place_by_id(db: Connection, place: str) -> PlaceRow | None:
    """Return the place that calls itself so, whatever its address is."""
    row = db.execute(f"{_SELECT} WHERE place = ?", (place,)).fetchone()
    return None if row is None else _of(row)


def remove_place(db: Connection, address: str) -> bool:
    """Forget a place; say whether it was known. What was left there is remembered: it is ours when
    the place is named again."""
    row = place_at(db, address)
    if row is None:
        return False
    if row.place:
        left_off = codec.loads(setting(db, _LEFT, "{}"))
        put_setting(db, _LEFT, codec.dumps(left_off | {row.place: [row.segment, row.digest]}))
    db.execute("DELETE FROM sync_stream WHERE place = ?", (row.number,))
    db.execute("DELETE FROM sync_place WHERE number = ?", (row.number,))
    drop_setting(db, f"{_REFUSED}_{row.number}")
    return True


def left_off(db: Connection, place: str) -> tuple[int, str]:
    """Return number and digest of the last segment left in a forgotten place; 0 and '' for none."""
    number, digest = codec.loads(setting(db, _LEFT, "{}")).get(place, (0, ""))
    return number, digest


def put_place(db: Connection, number: int, **columns: object) -> None:
    """Set columns of a place."""
    stored = {
        name: (codec.dumps(list(value)) if value else None) if isinstance(value, tuple) else value
        for name, value in columns.items()
    }  # fmt: skip
    marks = ", ".join(f"{name} = ?" for name in stored)
    db.execute(f"UPDATE sync_place SET {marks} WHERE number = ?", (*stored.values(), number))


def send_anew(db: Connection) -> None:
    """Let everything be sent again to every place: nothing there is ours."""
    db.execute(
        "UPDATE sync_place SET sent = 0, whole = 0, whole_at = 0, segment = 0, digest = '',"
        " pending = NULL"
    )
    drop_setting(db, _LEFT)


def meet_anew(db: Connection) -> None:
    """Let everything be sent again to every place, behind what is there, and be read again."""
    db.execute("UPDATE sync_place SET sent = 0")
    db.execute("UPDATE sync_stream SET segment = 0, digest = ''")


def read_anew(db: Connection, number: int) -> None:
    """Let all of a place be read again, now that the owner vouches for it."""
    db.execute("UPDATE sync_stream SET segment = 0, digest = '' WHERE place = ?", (number,))
    drop_setting(db, f"{_REFUSED}_{number}")


def note_refused(db: Connection, number: int, ids: Collection[str]) -> None:
    """Remember the facts of which a change was not taken from a place: the latest of them."""
    if ids:
        known = [one for one in refused(db, number) if one not in ids]
        put_setting(db, f"{_REFUSED}_{number}", codec.dumps([*known, *sorted(ids)][-MOST_REFUSED:]))


def refused(db: Connection, number: int) -> list[str]:
    """Return the ids of the facts of which a change was not taken from a place."""
    found: list[str] = codec.loads(setting(db, f"{_REFUSED}_{number}", "[]"))
    return found


def strangers(db: Connection, number: int) -> list[str]:
    """Return the ids of the facts that are known from a place alone, as text from outside."""
    rows: Any = db.execute(
        "SELECT id FROM sync_fact JOIN fact USING (id) WHERE place = ?"
        " AND source = 'retrieved_document' ORDER BY id", (number,),
    )  # fmt: skip
    return [one for (one,) in rows]


def streams_of(db: Connection, place: int) -> dict[str, Stream]:
    """Return how far each replica was read in a place, by its id."""
    sql = (
        "SELECT id, name, segment, digest, stopped FROM sync_stream"
        " JOIN sync_replica ON sync_replica.number = replica WHERE place = ?"
    )
    return {row[0]: Stream(*row) for row in db.execute(sql, (place,))}


def put_stream(
    db: Connection, place: int, replica: int, segment: int, digest: str, stopped: str | None
) -> None:
    """Note how far a replica was read."""
    sql = "INSERT OR REPLACE INTO sync_stream VALUES (?, ?, ?, ?, ?)"
    db.execute(sql, (place, replica, segment, digest, stopped))


# A server that was restored to an instant of before, or took over from another one, counts its
# timeline on; a dump that was read in has schemas with other numbers, or lies on another server.
_SERVER_MARK = """
SELECT (SELECT system_identifier FROM pg_control_system()) || ':'
  || (SELECT timeline_id FROM pg_control_checkpoint()) || ':'
  || (SELECT oid FROM pg_database WHERE datname = current_database()) || ':'
  || current_schema()::regnamespace::oid
"""


def server_mark(db: Connection) -> str:
    """Return a memory's server, its timeline, database and schema; empty for one in a file."""
    return str(db.execute(_SERVER_MARK).get) if db.filename.startswith(SERVERS) else ""


def make_tables(db: Connection) -> None:
    """Make the tables of a sync, in a transaction of the caller.

    Raises CannotWriteError for a memory on a server that has members: a sync tells all origins.
    """
    if not db.filename.startswith(SERVERS):
        db.execute(sync_schema.SYNC_SCHEMA).fetchall()
        return
    from tideline_cli.store.postgres import schema  # noqa: PLC0415  no file

    if db.execute("SELECT EXISTS (SELECT 1 FROM member)").get:
        raise CannotWriteError(
            "a memory with members does not sync", code="has_members",
            hint="`tideline export --origin NAME` takes an origin to another machine",
        )
    for statement in schema.of_sync():
        db.as_it_is(statement)  # type: ignore[attr-defined]
