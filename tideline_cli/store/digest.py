"""The digest of a fact: 24 bits of SHA-256 over its words and labels, so that `doctor --deep` finds
the bits that flipped, which SQLite cannot.

24 bits miss one damage in 16 million; all 256 would take a twentieth of the file.
"""

from __future__ import annotations

from tideline_cli.model.lean import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from apsw import Connection


_COLUMNS = (
    "id", "(SELECT key FROM origin WHERE number = fact.origin)", "created_at", "source", "kind",
    "title", "tags", "derived_from", "content",
)  # fmt: skip
"""What `of` takes, in its order, as SQL on `fact`."""
HELD = frozenset(("id", "origin", "created_at", "source", "kind", "title", "tags", "derived_from",
                  "content"))  # fmt: skip
"""The columns of a fact that a digest covers: who changes one of them puts it anew."""
# As bytes: what is damaged need not be text any more.
_BYTES = ", ".join(f"CAST({column} AS BLOB)" for column in _COLUMNS)
_SELECT = f"SELECT seq, digest, {_BYTES} FROM fact"


def of(*values: str | int | None) -> int:
    """Return the digest of the values of _COLUMNS: three bytes, signed, as SQLite packs them."""
    # No text of ours holds NUL, so no two facts are joined to the same.
    joined = "\x00".join(["" if value is None else f"={value}" for value in values])
    return _shortened(joined.encode("utf-8", "surrogatepass"))


def put(db: Connection, seqs: Iterable[int]) -> None:
    """Store the digests of facts as they are now."""
    for seq in seqs:
        rows: Iterable[Any] = db.execute(f"{_SELECT} WHERE seq = ?", (seq,)).fetchall()
        for _, _, *values in rows:
            db.execute("UPDATE fact SET digest = ? WHERE seq = ?", (_of_bytes(values), seq))


def wrong(db: Connection) -> Iterator[tuple[int, str, bool]]:
    """Yield (number, id, whether it has a digest at all) of the facts, of every origin, that are
    not what their digests say."""
    rows: Iterable[Any] = db.execute(_SELECT)
    for seq, held, *values in rows:
        if held != _of_bytes(values):
            yield seq, (values[0] or b"").decode("ascii", "replace"), held is not None


def _of_bytes(values: Iterable[bytes | None]) -> int:
    return _shortened(b"\x00".join([b"" if value is None else b"=" + value for value in values]))


def _shortened(joined: bytes) -> int:
    return int.from_bytes(sha256(joined).digest()[:3], "big", signed=True)
