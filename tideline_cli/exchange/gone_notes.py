"""Statements of a folder of notes that are not in it any more: what earlier imports of the folder
took in and the last one did not find."""

from __future__ import annotations

from tideline_cli.exchange.ingest.library import is_there
from tideline_cli.model import codec
from tideline_cli.policy.transitions import archived
from tideline_cli.store import facts, journal, writes
from tideline_cli.store.sequences import of_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from apsw import Connection

    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

FOLDER, FILE = "folder", "file"
"""The keys of the metadata of a note's statement that hold its folder and its name in there."""


def settle(
    db: Connection, folder: str, read: Container[str], summary: ImportSummary, *, viewer: Origin,
    now: int, archive: bool,
) -> None:  # fmt: skip
    """Count in `summary` the active facts of notes of a folder whose file is gone, or was `read`
    and does not state them; with `archive` archive them in the batch of the import."""
    gone = list(_unstated(db, folder, read, summary.ids, viewer=viewer))
    summary.gone = len(gone)
    if not (gone and archive):
        return
    with journal.batch(db, verb="import", by=viewer, now=now, resume=summary.number) as batch:
        summary.batch = batch.ordinal
        for fact in gone:
            writes.change(db, fact, archived(fact, now=now))


def _unstated(
    db: Connection, folder: str, read: Container[str], stated: Container[str], *, viewer: Origin
) -> Iterator[Fact]:
    seqs = of_folder(db, codec.dumps({FOLDER: folder})[1:-1], viewer=viewer)
    for start in range(0, len(seqs), 500):
        for fact in facts.get(db, seqs[start : start + 500], viewer=viewer).values():
            metadata = fact.metadata or {}
            file = metadata.get(FILE)
            if metadata.get(FOLDER) != folder or not isinstance(file, str) or fact.id in stated:
                continue
            if file in read or not is_there(f"{folder}/{file}"):
                yield fact
