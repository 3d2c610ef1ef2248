"""The places that a memory meets others in, and how far it has read and written there."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.store.connection import drop_setting, put_setting, setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from apsw import Connection


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


def each(db: Connection) -> list[PlaceRow]:
    """Return all places, the oldest first."""
    return [_of(row) for row in db.execute(f"{_SELECT} ORDER BY number")]


def find(db: Connection, address: str) -> PlaceRow | None:
    """Return the place with this address."""
    row = db.execute(f"{_SELECT} WHERE address = ?", (address,)).fetchone()
    return None if row is None else _of(row)


def add(db: Connection, address: str, *, is_sealed: bool, is_vouched: bool) -> PlaceRow:
    """Note a place that is new; return it. Its number was never that of another one: registers
    keep the number of the place from which they are known."""
    number = 1 + max(
        int(setting(db, _LAST, "0")),
        int(db.execute("SELECT ifnull(max(number), 0) FROM sync_place").get),
    )
    put_setting(db, _LAST, str(number))
    db.execute(
        "INSERT INTO sync_place (number, address, place, sealed, vouched, sent, whole, whole_at,"
        " segment, digest, synced_at) VALUES (?, ?, '', ?, ?, 0, 0, 0, 0, '', 0)",
        (number, address, int(is_sealed), int(is_vouched)),
    )
    return next(place for place in each(db) if place.address == address)


def of_place(db: Connection, place: str) -> PlaceRow | None:
    """Return the place that calls itself so, whatever its address is."""
    row = db.execute(f"{_SELECT} WHERE place = ?", (place,)).fetchone()
    return None if row is None else _of(row)


def remove(db: Connection, address: str) -> bool:
    """Forget a place; say whether it was known. What was left there is remembered: it is ours when
    the place is named again."""
    row = find(db, address)
    if row is None:
        return False
    if row.place:
        left = codec.loads(setting(db, _LEFT, "{}"))
        put_setting(db, _LEFT, codec.dumps(left | {row.place: [row.segment, row.digest]}))
    db.execute("DELETE FROM sync_stream WHERE place = ?", (row.number,))
    db.execute("DELETE FROM sync_place WHERE number = ?", (row.number,))
    drop_setting(db, f"{_REFUSED}_{row.number}")
    return True


def left(db: Connection, place: str) -> tuple[int, str]:
    """Return number and digest of the last segment that was left in a place which was forgotten,
    0 and '' where there is none."""
    number, digest = codec.loads(setting(db, _LEFT, "{}")).get(place, (0, ""))
    return number, digest


def put(db: Connection, number: int, **columns: object) -> None:
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
        put_setting(
            db, f"{_REFUSED}_{number}", codec.dumps([*known, *sorted(ids)][-MOST_REFUSED:])
        )


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


def streams(db: Connection, place: int) -> dict[str, Stream]:
    """Return how far each replica was read in a place, by its id."""
    rows: Any = db.execute(
        "SELECT id, name, segment, digest, stopped FROM sync_stream"
        " JOIN sync_replica ON sync_replica.number = replica WHERE place = ?",
        (place,),
    )
    return {row[0]: Stream(*row) for row in rows}


def put_stream(
    db: Connection, place: int, replica: int, segment: int, digest: str, stopped: str | None
) -> None:
    """Note how far a replica was read."""
    db.execute(
        "INSERT OR REPLACE INTO sync_stream VALUES (?, ?, ?, ?, ?)",
        (place, replica, segment, digest, stopped),
    )
