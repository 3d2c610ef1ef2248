"""doctor --repair and restore --from: make what is derived anew, after a copy where anything else
is repaired; and replace the content of the memory file by that of a backup."""

from __future__ import annotations

from tideline_cli.errors import StoreError, TidelineError, UsageError
from tideline_cli.memory import doctor
from tideline_cli.memory.lanes import can_embed
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import record
from tideline_cli.model.text import index_terms
from tideline_cli.store import (
    backup,
    batch_counts,
    common_upkeep,
    connection,
    digest,
    facts,
    files,
    fts,
    journal,
    labels,
    notices,
    opening,
    purging,
    score_bounds,
    transactions,
    writes,
)
from tideline_cli.store.checks import (
    derived,
    journalled,
    of_engine,
    on_disk,
    run_check,
    structure,
    text_index,
    texts,
)
from tideline_cli.store.connection import put_setting
from tideline_cli.store.transactions import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from apsw import Connection

    from tideline_cli.model.finding import Finding
    from tideline_cli.model.text import Analyzer

_COPIED_FIRST = frozenset(("references", "links", "journal", "terms", "digests"))
_EMBED_AT_ONCE = 500


def asked_repairs(findings: Iterable[Finding]) -> list[str]:
    """Return the names of the repairs that the findings ask for, in the order of their work."""
    asked = {finding.mend for finding in findings}
    return [name for name in ("modes", *_ORDER, "purge") if name in asked]


def needs_copy(names: Iterable[str]) -> bool:
    """Say whether a repair changes more than what is derived from the facts."""
    return not _COPIED_FIRST.isdisjoint(names)


def repair(
    path: str, names: list[str], *, now: int, network_allowed: bool,
    progress: Callable[[str], None],
) -> str | None:  # fmt: skip
    """Do the repairs; return the path of the copy that was made before, None when none was
    needed."""
    if "modes" in names:
        on_disk.restrict_modes(path)
    if names == ["modes"]:
        return None
    kept = None
    if needs_copy(names):
        progress("copy")
        kept = of_engine.copy_before(path, "repair", now=now)
    db = opening.open_for_writing(path, network_allowed=network_allowed)
    try:
        for name in _ORDER:
            if name in names:
                progress(name)
                _do(db, name, now)
        if "purge" in names:
            purging.finish_purge(db)
    except UnicodeDecodeError as error:
        raise StoreError(
            "some text is damaged, and no text any more: what is derived from it cannot be made",
            hint="put a backup back: tideline restore --from FILE",
        ) from error
    finally:
        db.close()
    return kept


def _do(db: Connection, name: str, now: int) -> None:
    if name in _JOURNALLED:
        with journal.batch(db, verb="doctor", by=OWNER, now=now):
            _JOURNALLED[name](db)
    elif name in _AT_ONCE:
        with writing(db):
            _AT_ONCE[name](db)
    else:
        _IN_PARTS[name](db)


def _analyse(db: Connection) -> None:
    with writing(db):
        fts.rebuild(db)  # removing old terms from an index that lacks them would harm it
    analyzer: Analyzer = connection.setting(db, "analyzer", "standard")
    analyse_anew(db, analyzer)


def _embed(db: Connection) -> None:
    with writing(db):
        sets = derived.sets(db)
        for embedder, origin in sets:
            derived.forget_vectors(db, origin, embedder)
    if not can_embed(db):
        return  # `reembed` makes them, and recall does so bit by bit
    for origin in sorted({origin for _, origin in sets}):
        done = _EMBED_AT_ONCE
        while done == _EMBED_AT_ONCE:
            with writing(db):
                done = embed_backlog(db, origin_number=origin, limit=_EMBED_AT_ONCE)


def _bound(db: Connection) -> None:
    score_bounds.clear(db)
    score_bounds.extend(db, limit=facts.last_number(db) + 1, origin_number=None)


def _keep_common(db: Connection) -> None:
    common_upkeep.clear(db)
    common_upkeep.settle_all(db)


def _accept(db: Connection) -> None:
    digest.put(db, [seq for seq, *_ in list(digest.wrong(db))])


_JOURNALLED: dict[str, Callable[[Connection], None]] = {
    "references": structure.drop_orphans,
    "links": structure.drop_wrong_links,
}
_AT_ONCE: dict[str, Callable[[Connection], None]] = {
    "batches": journalled.close_batches,
    "journal": journalled.close_gaps,
    "index": fts.rebuild,
    "counts": text_index.count_anew,
    "census": text_index.enrol_anew,
    "batch_counts": batch_counts.count_anew,
    "bounds": _bound,
    "common": _keep_common,
    "pairs": derived.forget_pairs,
    "outlooks": notices.clear_fading,
    "questions": derived.forget_questions,
    "digests": _accept,
    "labels": labels.make_anew,
    "walls": of_engine.put_walls_right,
}
_IN_PARTS: dict[str, Callable[[Connection], None]] = {"terms": _analyse, "vectors": _embed}
# Gaps are closed before a batch is added, the index is whole before terms change.
_ORDER = (
    "batches", "journal", "references", "links", "batch_counts", "index", "terms", "counts",
    "census", "labels", "bounds", "common",
    "pairs", "vectors", "digests", "outlooks", "questions", "walls",
)  # fmt: skip


def analyse_anew(db: Connection, analyzer: Analyzer) -> int:
    """Store the setting and the terms it gives every fact, in one transaction; return how many.

    One transaction, because an index with terms of two analysers gives wrong answers.
    """
    with writing(db):
        put_setting(db, "analyzer", analyzer)
        rows = texts.fact_texts(db, viewer=EVERYONE)
        fts.leave(db)
        for seq, content in rows:
            writes.put_terms(db, seq, index_terms(content, analyzer=analyzer))
        fts.rebuild(db)
        labels.make_anew(db)
        score_bounds.clear(db)
        common_upkeep.clear(db)
        if rows:
            score_bounds.extend(db, limit=facts.last_number(db) + 1, origin_number=None)
            common_upkeep.settle_all(db)
    return len(rows)


_CHECKS = (
    ("identity", structure.identity),
    ("structure", structure.structure_and_indexes),
    ("tables", structure.tables),
    ("references", structure.references),
)


@record
class Restored:
    """What was put back: how many facts, where the copy of the old content is (None when there was
    none), and what `doctor` finds now."""

    path: str
    facts: int
    kept: str | None
    wrong: tuple[str, ...]


def check_backup(path: str, database: str) -> int:
    """Return the number of facts in a backup; raise StoreError when it is not one, or not whole."""
    files.refuse_own(path, database)
    if not files.is_file(path):
        raise UsageError(f"there is no file {path}", hint="name a file that `tideline backup` made")
    for name, one in _CHECKS:
        found = [f for f in run_check.run(name, one, path) if f.severity == "error"]
        if found and name == "identity" and _is_older(path):
            break  # it is upgraded once it is in place
        if found:
            raise StoreError(
                f"{path} cannot be restored: {found[0].message}", hint="use another backup"
            )
    db = connection.open_for_inspection(path)
    try:
        return backup.verify(db, path)
    finally:
        db.close()


def restore_from(
    path: str, database: str, *, now: int, network_allowed: bool, progress: Callable[[str], None]
) -> Restored:
    """Put the content of a checked backup into the memory file, after a copy of what is there.

    A process that is reading goes on with the old content. Raises StoreError when the pages are
    not whole afterwards; the copy is kept in any case.
    """
    db = opening.open_for_replacing(database, network_allowed=network_allowed)
    try:
        kept = backup.replace_content(db, path, now=now, progress=progress)
        is_older = opening.is_older(db)
        backup.write_log_back(db)
    finally:
        db.close()
    db = opening.open_for_writing(database, network_allowed=network_allowed)  # upgrades
    try:
        if is_older:
            transactions.renew(db)
    finally:
        db.close()
    report = doctor.examine(
        database, deep=False, network_allowed=network_allowed, progress=progress
    )
    wrong = [finding for finding in report.findings if finding.severity == "error"]
    broken = [finding for finding in wrong if finding.check in doctor.BLOCKING]
    if broken:
        raise StoreError(
            f"restored from {path}, but it is not whole: {broken[0].message}",
            hint=f"what was there before is in {kept}" if kept else broken[0].remedy,
        )
    return Restored(path, _count(database), kept, tuple(finding.message for finding in wrong))


def _is_older(path: str) -> bool:
    try:
        db = connection.open_for_inspection(path)
    except (connection.DatabaseError, TidelineError):
        return False
    try:
        return opening.is_older(db)
    finally:
        db.close()


def _count(database: str) -> int:
    db = connection.open_for_inspection(database)
    try:
        return backup.verify(db, database)
    finally:
        db.close()
