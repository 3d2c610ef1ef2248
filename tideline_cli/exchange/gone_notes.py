"""What earlier imports of a folder of notes took in: which notes are as they were then, and which
statements are not in the folder any more."""

from __future__ import annotations

from tideline_cli.exchange.ingest.library import is_there
from tideline_cli.memory.amend import archive_fact, repaint_slots
from tideline_cli.model import codec
from tideline_cli.model.edge import REWORDS
from tideline_cli.model.source import is_trusted
from tideline_cli.store import facts, journal, links, sequences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

    State = tuple[int, int]

FOLDER, FILE, STATE = "folder", "file", "state"
"""The keys of the metadata of a note's statement: its folder, the path of its file in there, and
when that was last written (ms) with its size (bytes), and of the last statement a 1."""


def known_states(
    db: Connection, folder: str, *, viewer: Origin, trusted: bool
) -> dict[str, State]:
    """Return in what state each note of a folder was read, where all that is there of it comes from
    that state, its last statement too, and was vouched for as it would be now."""
    found: dict[str, State | None] = {}
    whole: set[str] = set()
    for _, metadata, source in _stated(db, folder, viewer=viewer):
        noted, state = metadata.get(STATE), None
        if isinstance(noted, list) and len(noted) > 1 and is_trusted(source) is trusted:
            state = (noted[0], noted[1])
            whole |= {metadata[FILE]} if noted[2:] else set()
        if found.setdefault(metadata[FILE], state) != state:
            found[metadata[FILE]] = None
    return {file: state for file, state in found.items() if state is not None and file in whole}


def settle(
    db: Connection, folder: str, read: Container[str], summary: ImportSummary, *, viewer: Origin,
    now: int, archive: bool,
) -> None:  # fmt: skip
    """List in `summary` the active facts of notes of a folder whose file is gone, or was `read`
    and does not state them nor what they have replaced; with `archive` archive them in the batch of
    the import."""
    gone = summary.gone = list(_unstated(db, folder, read, summary.ids, viewer=viewer))
    if not (gone and archive):
        return
    with journal.batch(db, verb="import", by=viewer, now=now, resume=summary.number) as batch:
        summary.batch = batch.ordinal
        for fact in gone:
            archive_fact(db, fact, by=None, now=now)
        repaint_slots(db, gone, now=now)


def _unstated(
    db: Connection, folder: str, read: Container[str], stated: Container[str], *, viewer: Origin
) -> Iterator[Fact]:
    there: dict[str, bool] = {}
    seqs = []
    for seq, metadata, _ in _stated(db, folder, viewer=viewer):
        file = metadata[FILE]
        if file not in there:
            there[file] = is_there(f"{folder}/{file}")
        if file in read or not there[file]:
            seqs.append(seq)
    for start in range(0, len(seqs), 500):
        for fact in facts.get(db, seqs[start : start + 500], viewer=viewer).values():
            if fact.id not in stated and not _replaces(db, fact.id, stated, viewer=viewer):
                yield fact


def _replaces(db: Connection, fact_id: str, stated: Container[str], *, viewer: Origin) -> bool:
    """Say whether a fact is a later wording of what is stated, as somebody has edited it."""
    replaced = [fact_id]
    for one in replaced:
        targets = (link.target for link in links.leaving(db, one, viewer=viewer)
                   if link.kind == REWORDS)  # fmt: skip
        for target in targets:
            if target in stated:
                return True
            if target not in replaced:
                replaced.append(target)
    return False


def _stated(
    db: Connection, folder: str, *, viewer: Origin
) -> Iterator[tuple[int, dict[str, Any], Any]]:
    """Yield number, metadata and source of each active fact that is of a note of a folder."""
    noted = codec.dumps({FOLDER: folder})[1:-1]
    for seq, text, source in sequences.with_metadata(db, noted, viewer=viewer):
        metadata = codec.loads(text)
        if metadata.get(FOLDER) == folder and isinstance(metadata.get(FILE), str):
            yield seq, metadata, source
