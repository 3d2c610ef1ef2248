"""What doctor asks of the engine that holds a memory, a file or a server, before what both have in
common; and the repairs that are the engine's own."""

from __future__ import annotations

import os

from tideline_cli.errors import TidelineError
from tideline_cli.model.finding import Finding
from tideline_cli.model.record import replace
from tideline_cli.store import SERVERS, backup, connection, file_kind, opening
from tideline_cli.store.checks import on_disk, run_check, structure, text_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.store.checks.run_check import Check

    Named = tuple[str, Callable[[], Sequence[Finding]]]


def is_none(path: str) -> bool:
    """Say whether there is no file, or one that is not a store yet; on a server, no tables."""
    if path.startswith(SERVERS):
        from tideline_cli.store.postgres import examination  # noqa: PLC0415  no file

        return examination.is_none(path)
    file_kind.refuse_emptied(path)
    if not os.path.lexists(path) or (os.path.isfile(path) and os.path.getsize(path) == 0):
        return True
    try:
        db = connection.open_for_inspection(path)
    except (connection.DatabaseError, TidelineError):
        return False
    try:
        return opening.is_unmade(db)
    except connection.DatabaseError:
        return False
    finally:
        db.close()


def first_checks(path: str, *, deep: bool, network_allowed: bool) -> Iterator[Named]:
    """Yield the checks of a memory that come first: of a file its pages, modes and folder, of a
    server its tables, its walls and the way to it."""
    if path.startswith(SERVERS):
        from tideline_cli.store.postgres import examination  # noqa: PLC0415  no file

        for name, check in examination.FIRST:
            yield name, _run(name, check, path)
        return
    yield "modes", lambda: list(on_disk.modes(path))
    yield "names", lambda: list(on_disk.one_name(path))
    yield "room", lambda: list(on_disk.room(path))
    yield "log", lambda: list(on_disk.log(path))
    if not network_allowed:
        yield "file_system", lambda: list(on_disk.file_system(path))
    yield "library", _library
    yield "identity", _run("identity", structure.identity, path)
    pages = structure.structure_and_indexes if deep else structure.structure
    yield "structure", _run("structure", pages, path)
    yield "tables", _run("tables", structure.tables, path)
    yield "index", lambda: run_check.run("index", text_index.index, path, writes=True)


def _run(name: str, check: Check, path: str) -> Callable[[], Sequence[Finding]]:
    return lambda: run_check.run(name, check, path)


def _library() -> list[Finding]:
    try:
        opening.check_library()
    except TidelineError as error:
        return [Finding("library", "error", error.message, error.hint)]
    return []


def other_checks(path: str) -> Mapping[str, Check]:
    """Return by name the checks that an engine makes in another way than a file."""
    if not path.startswith(SERVERS):
        return {}
    from tideline_cli.store.postgres import examination  # noqa: PLC0415  no file

    return {"references": examination.references}


def in_its_words(path: str, found: Iterable[Finding]) -> list[Finding]:
    """Return findings whose remedies name what there is for the engine."""
    if not path.startswith(SERVERS):
        return list(found)
    words = (("copy the file", "make a copy with pg_dump"),
             ("`tideline restore --from FILE`", "pg_restore, into an empty schema"))  # fmt: skip
    said: list[Finding] = []
    for finding in found:
        remedy = finding.remedy
        for old, new in words:
            remedy = remedy.replace(old, new)
        said.append(replace(finding, remedy=remedy))
    return said


def copy_before(path: str, deed: str, *, now: int) -> str:
    """Copy a memory before something is done to it; return where the copy is."""
    if not path.startswith(SERVERS):
        return backup.copy_before(path, deed, now=now)
    from tideline_cli.store.postgres import copying  # noqa: PLC0415  no file

    return copying.copy_before(path, deed, now=now)


def put_walls_right(db: Connection) -> None:
    """Put each row of a memory on a server behind the wall of its origin."""
    from tideline_cli.store.postgres import examination  # noqa: PLC0415  no file

    examination.put_walls_right(db)
