"""The digest of a fact: 24 bits of SHA-256 over its words and labels, so that `doctor --deep` finds
the bits that flipped, which SQLite cannot.

24 bits miss one damage in 16 million; all 256 would take a twentieth of the file.
"""

from __future__ import annotations

from _operator import itemgetter

from tideline_cli.model.fields import FIELDS
from tideline_cli.model.lean import sha256
from tideline_cli.store import reads
from tideline_cli.store.fact_rows import COLUMNS, ORIGIN_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from apsw import Connection

_ORDER = tuple(
    field.name for field in sorted(FIELDS, key=lambda field: field.digest) if field.digest
)
_AT_ONCE = 500  # facts that are read together
COVERED = frozenset(_ORDER)
"""The fields that a digest covers: who changes one of them puts the digest anew."""
_covered = itemgetter(*(COLUMNS.index(name) for name in _ORDER))
# As bytes: what is damaged need not be text any more.
_BYTES = ", ".join(f"CAST({ORIGIN_KEY if name == 'origin' else name} AS BLOB)" for name in _ORDER)
_SELECT = f"SELECT seq, digest, {_BYTES} FROM fact"
_SOME = f"{_SELECT} WHERE seq IN (SELECT value FROM json_each(?))"


def of(columns: Sequence[object]) -> int:
    """Return the digest of a fact by what `fact_rows.columns_of` returns: three bytes, signed, as
    SQLite packs them."""
    # No text of ours holds NUL, so no two facts are joined to the same.
    joined = "\x00".join(["" if one is None else f"={one}" for one in _covered(columns)])
    return _shortened(joined.encode("utf-8", "surrogatepass"))


def of_row(row: Mapping[str, object], origin: str) -> int:
    """Return the digest of a fact by its columns, by name, and the key of its origin."""
    return of([origin if name == "origin" else row.get(name) for name in COLUMNS])


def put(db: Connection, seqs: Iterable[int]) -> None:
    """Store the digests of facts as they are now."""
    for rows in reads.one_by_one(db, *reads.in_parts(_SOME, seqs, size=_AT_ONCE)):
        sealed = [(_of_bytes(values), seq) for seq, _, *values in rows]
        db.executemany("UPDATE fact SET digest = ? WHERE seq = ?", sealed)


def wrong(db: Connection) -> Iterator[tuple[int, str, bool]]:
    """Yield (number, id, whether it has a digest at all) of the facts, of every origin, that are
    not what their digests say."""
    for seq, held, *values in db.execute(_SELECT):
        if held != _of_bytes(values):
            yield seq, (values[0] or b"").decode("ascii", "replace"), held is not None


def _of_bytes(values: Iterable[bytes | None]) -> int:
    return _shortened(b"\x00".join([b"" if value is None else b"=" + value for value in values]))


def _shortened(joined: bytes) -> int:
    # A field that came later and has no value adds nothing.
    return int.from_bytes(sha256(joined.rstrip(b"\x00")).digest()[:3], "big", signed=True)
