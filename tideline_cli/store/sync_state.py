"""What a memory that syncs knows of itself: who it is, how far its journal was told, its clock."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.store.connection import named_settings, put_setting

TYPE_CHECKING = False
if TYPE_CHECKING:
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
        held = named_settings(db, _SELF, _MARK, _CHANGE, _CLOCK, _VERSION, _USED, _RULED,
                              _FREED)  # fmt: skip
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
    """Return the number of a replica here, a new one for one that is not known; a `name` becomes
    its name."""
    row: Any = db.execute(
        "SELECT number, name FROM sync_replica WHERE id = ?", (replica,)
    ).fetchone()
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
