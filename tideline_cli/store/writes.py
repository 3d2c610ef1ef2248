"""Storing a fact, and changing one that is there; and its digest: 24 bits of SHA-256 over its words
and labels, so that `doctor --deep` finds the bits that flipped, which SQLite cannot.

24 bits miss one damage in 16 million; all 256 would take a twentieth of the file.
"""

from __future__ import annotations

from _operator import itemgetter

from tideline_cli.model.fields import CHANGEABLE, FIELDS, SEARCHED
from tideline_cli.model.lean import sha256
from tideline_cli.store import SERVERS, reads
from tideline_cli.store.connection import setting
from tideline_cli.store.fact_rows import COLUMNS, ORIGIN_KEY, column_of, columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import IndexTerms

STORED = (*COLUMNS, "length", "terms", "digest")
"""The columns of a new fact, in the order in which they are stored."""
_ORIGIN = COLUMNS.index("origin")
_INSERT = (
    f"INSERT INTO fact ({', '.join(STORED)}) VALUES ({', '.join('?' * len(STORED))}) "
    "ON CONFLICT (id) DO NOTHING RETURNING seq"
)


def insert(
    db: Connection, fact: Fact, *, origin_number: int, terms: IndexTerms, is_synced: bool = False
) -> bool:
    """Store a fact under its origin's number; return False when its id is taken.

    Raises UsageError where a memory on a server cannot index it, and so does `change`. Of what
    another machine has taken (`is_synced`) the server itself decides.
    """
    if db.filename.startswith(SERVERS) and not is_synced:
        _refuse_long(db, fact)
    values = columns_of(fact)
    sealed = digest_of(values)
    values[_ORIGIN] = origin_number
    seq = db.execute(_INSERT, (*values, len(terms), terms.joined(), sealed)).get
    if seq is None:
        return False
    if fact.tags or fact.slot or fact.title or fact.kind:
        from tideline_cli.store import labels  # noqa: PLC0415  most facts have none

        labels.add(db, seq, fact, origin_number=origin_number, held=terms)
    return True


def change(db: Connection, before: Fact, after: Fact, *, is_synced: bool = False) -> None:
    """Store what differs between two states of a fact, its use excepted."""
    changed = [name for name in CHANGEABLE if getattr(before, name) != getattr(after, name)]
    is_labelled = any(name in SEARCHED or name == "document" for name in changed)
    if db.filename.startswith(SERVERS) and changed and not is_synced:
        _refuse_long(db, after, changed)
    if is_labelled:
        from tideline_cli.store import labels  # noqa: PLC0415  as above

        labels.take(db, _numbers(db, before.id))
    if changed:
        sql = f"UPDATE fact SET {', '.join(f'{name} = ?' for name in changed)} WHERE id = ?"
        db.execute(sql, (*(column_of(after, name) for name in changed), before.id))
    _bound_anew(db, before.id, changed)
    if is_labelled or not COVERED.isdisjoint(changed):
        seqs = _numbers(db, before.id)
        put_digests(db, seqs)
        if is_labelled:
            labels.put(db, seqs)


def _refuse_long(db: Connection, fact: Fact, fields: Collection[str] | None = None) -> None:
    from tideline_cli.store import remote  # noqa: PLC0415  no file

    remote.refuse_long_keys(fact, lambda: setting(db, "analyzer", "standard"), fields)


def _bound_anew(db: Connection, fact_id: str, changed: list[str]) -> None:
    from tideline_cli.store import score_bounds  # noqa: PLC0415  few writes change a fact

    if not score_bounds.MADE_FROM.isdisjoint(changed):
        score_bounds.put_of(db, _numbers(db, fact_id))


def _numbers(db: Connection, fact_id: str) -> list[int]:
    return [int(seq) for (seq,) in db.execute("SELECT seq FROM fact WHERE id = ?", (fact_id,))]


def archive(db: Connection, fact_id: str, *, now: int) -> None:
    """Close a fact: it stays in the file, out of recall, valid until now or until it ended."""
    db.execute(
        "UPDATE fact SET lifecycle = 'archived', valid_to = min(ifnull(valid_to, ?1), ?1)"
        " WHERE id = ?2",
        (now, fact_id),
    )


def put_terms(db: Connection, seq: int, terms: IndexTerms) -> None:
    """Store the index terms of a fact."""
    sql = "UPDATE fact SET terms = ?, length = ? WHERE seq = ?"
    db.execute(sql, (terms.joined(), len(terms), seq))

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


def digest_of(columns: Sequence[object]) -> int:
    """Return the digest of columns of a fact: three bytes, signed, as SQLite packs them."""
    # No text of ours holds NUL, so no two facts are joined to the same.
    joined = "\x00".join(["" if one is None else f"={one}" for one in _covered(columns)])
    return _shortened(joined.encode("utf-8", "surrogatepass"))


def digest_of_row(row: Mapping[str, object], origin: str) -> int:
    """Return the digest of a fact by its columns, by name, and the key of its origin."""
    return digest_of([origin if name == "origin" else row.get(name) for name in COLUMNS])


def put_digests(db: Connection, seqs: Iterable[int]) -> None:
    """Store the digests of facts as they are now."""
    for rows in reads.one_by_one(db, *reads.in_parts(_SOME, seqs, size=_AT_ONCE)):
        sealed = [(_of_bytes(values), seq) for seq, _, *values in rows]
        db.executemany("UPDATE fact SET digest = ? WHERE seq = ?", sealed)


def wrong_digests(db: Connection) -> Iterator[tuple[int, str, bool]]:
    """Yield (number, id, whether it has a digest) of all facts that differ from their digests."""
    for seq, held, *values in db.execute(_SELECT):
        if held != _of_bytes(values):
            yield seq, (values[0] or b"").decode("ascii", "replace"), held is not None


def _of_bytes(values: Iterable[bytes | None]) -> int:
    return _shortened(b"\x00".join([b"" if value is None else b"=" + value for value in values]))


def _shortened(joined: bytes) -> int:
    # A field that came later and has no value adds nothing.
    return int.from_bytes(sha256(joined.rstrip(b"\x00")).digest()[:3], "big", signed=True)
