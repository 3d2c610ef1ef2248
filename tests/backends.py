"""Where tests keep their memories: in files, or in schemas of a PostgreSQL server.

TIDELINE_TEST_SERVER is the address of a server. With it, whatever path a test opens stands for a
schema of its own, and commands get its address by TIDELINE_DB. So a test of behaviour is the same
for both. A test that is about a file itself says so: `@pytest.mark.file_alone("why")`.
"""

from __future__ import annotations

import os
import re
from contextlib import closing
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from tideline_cli.store import SERVERS, locks, opening

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_server = os.environ.get("TIDELINE_TEST_SERVER")
_made: dict[str, str] = {}
_usual: set[str] = set()  # addresses that stand for the usual path of a home
is_mapped = True
"""Whether a path stands for a schema; tests that compare both engines want files as well."""


def is_server() -> bool:
    """Say whether memories are on a server."""
    return bool(_server)


def reason_to_skip(item: Any) -> str | None:
    """Return why a test is about files alone, None for one of behaviour.

    Raises ValueError for a mark without one reason in words.
    """
    mark = item.get_closest_marker("file_alone")
    if mark is None:
        return None
    if mark.kwargs or len(mark.args) != 1 or not _is_reason(mark.args[0]):
        raise ValueError(f"{item.nodeid}: file_alone takes one reason, in words")
    return str(mark.args[0])


def _is_reason(given: object) -> bool:
    return isinstance(given, str) and len(given.split()) > 1


def address(path: str) -> str:
    """Return the address of the memory that a path stands for."""
    path = os.path.abspath(path)
    if path not in _made:
        schema = f"t{os.getpid()}_" + blake2b(path.encode(), digest_size=6).hexdigest()
        _made[path] = f"{_server}&schema={schema}"
    return _made[path]


def in_words(argv: Sequence[str]) -> list[str]:
    """Return a command line in which --db names a schema where it named a path, and let TIDELINE_DB
    name the one that stands for the usual path of this home, unless a test has set it."""
    if not (is_server() and is_mapped):
        return list(argv)
    words = list(argv)
    for place, word in enumerate(words):
        if place and words[place - 1] == "--db":
            words[place] = _of(word)
        elif word.startswith("--db="):
            words[place] = "--db=" + _of(word[5:])
    given = os.environ.get("TIDELINE_DB", "")
    if given in _usual:
        given = os.path.join(os.environ.get("TIDELINE_HOME", ""), "tideline.db")
        _usual.add(_of(given))
    if given:
        os.environ["TIDELINE_DB"] = _of(given)
    return words


def begin(folder: Path) -> None:
    """Make the memory of a home that is on a server: one that an address names has to be there,
    where one at the usual path of files is made by the first fact."""
    if is_server():
        opening.open_for_writing(str(folder / "tideline.db")).close()


def use_home(folder: str) -> str:
    """Return the address that stands for the memory at the usual path of a home."""
    made = address(os.path.join(folder, "tideline.db"))
    _usual.add(made)
    return made


def _of(path: str) -> str:
    is_as_said = not path or "\x00" in path or path.startswith(SERVERS)
    return path if is_as_said else address(path)


def _mapped(original: Any) -> Any:
    def opened(path: str, *more: Any, **given: Any) -> Any:
        is_as_said = path.startswith(SERVERS) or not is_mapped
        return original(path if is_as_said else address(path), *more, **given)

    return opened


if _server:
    for _name in ("open_for_writing", "open_for_reading", "open_as_it_is", "open_for_replacing"):
        setattr(opening, _name, _mapped(getattr(opening, _name)))
    locks.attempt = _mapped(locks.attempt)


def place(path: Path) -> str:
    """Return what --db takes in another process for the memory that a path stands for."""
    return address(str(path)) if is_server() else str(path)


def environ() -> dict[str, str]:
    """Return what a process needs beside its home, so that its memory is that of the test."""
    return {"TIDELINE_DB": os.environ["TIDELINE_DB"]} if is_server() else {}


def is_there(path: Path) -> bool:
    """Say whether there is a memory where a path names one."""
    if not is_server():
        return path.exists()
    from tideline_cli.store.postgres import opening as servers

    db = servers.open_if_there(address(str(path)))
    if db is not None:
        db.close()
    return db is not None


def raw(path: Path) -> bytes:
    """Return the bytes of a memory file; of a memory on a server those of all its values."""
    return b"\x00".join(contents_under(str(path))) if is_server() else path.read_bytes()


def remove(path: Path) -> None:
    """Remove the memory that a path stands for, as its owner would."""
    if is_server():
        _drop([address(str(path))])
    else:
        for name in path.parent.glob(path.name + "*"):
            name.unlink()


# Lists come as texts: the program reads none.
_COLUMNS = """
SELECT CAST(relname AS TEXT), string_agg(
  CASE WHEN typcategory = 'A' THEN format('CAST(%I AS TEXT)', attname)
    ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid JOIN pg_type ON pg_type.oid = atttypid
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0
  AND NOT attisdropped
GROUP BY relname
"""


def contents_under(folder: str) -> list[bytes]:
    """Return every value of the memories on a server that paths under a folder stand for."""
    from tideline_cli.store.postgres import opening as servers

    found: list[bytes] = []
    for path, one in _made.items():
        db = servers.open_if_there(one) if path.startswith(folder) else None
        if db is None:
            continue
        with closing(db):
            db.execute("BEGIN")
            for table, columns in db.execute(_COLUMNS).fetchall():
                for row in db.execute(f"SELECT {columns} FROM {table}"):
                    found += [
                        cell if isinstance(cell, bytes) else str(cell).encode() for cell in row
                    ]
    return found


def unnamed(text: str) -> str:
    """Return a text without the names of schemas that paths stand for."""
    return re.sub(r"schema=t\d+_[0-9a-f]+", "schema=here", text)


def made() -> frozenset[str]:
    """Return the paths that schemas have been made for."""
    return frozenset(_made)


def forget(kept: frozenset[str] = frozenset()) -> None:
    """Remove what a test has made, but for paths that were there before."""
    gone = [path for path in _made if path not in kept]
    if gone:
        addresses = [_made.pop(path) for path in gone]
        _drop(addresses)
        _usual.difference_update(addresses)


def _drop(addresses: list[str]) -> None:
    from tideline_cli.store.postgres import opening as servers

    db = servers.connected(addresses[0])
    for one in addresses:
        db.execute("BEGIN IMMEDIATE")
        db.as_it_is(f"DROP SCHEMA IF EXISTS {one.rpartition('=')[2]} CASCADE")
        db.execute("COMMIT")
    db.close()
