"""doctor: every check of a memory, in order, and what it found; what is derived made anew, after a
copy where anything else is repaired; and the content of the memory file replaced by a backup."""

from __future__ import annotations

from contextlib import closing
from struct import unpack

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import StoreError, TidelineError, UnavailableError, UsageError
from tideline_cli.memory.lanes import can_embed, embedder_of
from tideline_cli.memory.rivals import rule_of
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.model.finding import Finding, mendable, some
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import record
from tideline_cli.model.text import index_terms
from tideline_cli.policy.sameness import DISTILLED, distilled_words, says_same
from tideline_cli.store import (
    backup,
    common_postings,
    connection,
    facts,
    files,
    fts,
    journal,
    labels,
    opening,
    passes,
    purging,
    score_bounds,
    sessions,
    vectors,
    writes,
)
from tideline_cli.store.checks import derived, engine, structure, texts
from tideline_cli.store.connection import put_setting, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.checks.engine import Check
    from tideline_cli.vector.embedder import Embedder

_NAMED = 5  # ids in a message
BLOCKING = frozenset((engine.READING, "names", "library", "identity", "structure", "tables"))
"""While one of these finds anything, nothing in the file is repaired."""


@record
class DoctorReport:
    """What was found, and the names of the checks that ran."""

    findings: tuple[Finding, ...]
    checks: tuple[str, ...]


def examine(
    path: str, *, deep: bool, network_allowed: bool, progress: Callable[[str], None]
) -> DoctorReport:
    """Check a memory that exists; nothing is changed, whatever is found.

    `progress` is told the name of each check before it runs.
    """
    findings: list[Finding] = []
    ran: list[str] = []
    for name, run in _checks(path, deep=deep, network_allowed=network_allowed):
        progress(name)
        ran.append(name)
        found = engine.in_its_words(path, run())
        findings += [finding for finding in found if finding not in findings]
        if name in ("library", "identity", "tables") and any(
            finding.severity == "error" for finding in found
        ):
            break  # the other checks would misread a file that is not a memory file
    return DoctorReport(tuple(findings), tuple(ran))


_QUICK: tuple[tuple[str, Check], ...] = (
    ("references", structure.references),
    ("values", structure.values),
    ("origins", structure.origin_names),
    ("counts", derived.ranking_counts),
    ("census", derived.status_counts),
    ("bounds", derived.bounds),
    ("vectors", derived.vector_sets),
    ("pairs", derived.pair_rows),
    ("outlooks", derived.outlooks),
    ("questions", derived.questions),
    ("links", structure.links),
    ("slots", derived.slot_values),
    ("batches", structure.batches),
    ("journal", structure.journal),
    ("purge", structure.purge_finished),
    ("sync", derived.registers),
)


def _checks(
    path: str, *, deep: bool, network_allowed: bool
) -> Iterator[tuple[str, Callable[[], Sequence[Finding]]]]:
    yield from engine.first_checks(path, deep=deep, network_allowed=network_allowed)
    own = engine.other_checks(path)
    yield from _runs(((name, own.get(name, check)) for name, check in _QUICK), path)
    yield from _runs(_of_contents(deep=deep), path)


def _of_contents(*, deep: bool) -> tuple[tuple[str, Check], ...]:
    images = structure.whole_images if deep else structure.images
    later: tuple[tuple[str, Check], ...] = (("images", images), ("embedder", embedder))
    return (*later, *_DEEP) if deep else later


def _runs(
    checks: Iterable[tuple[str, Check]], path: str
) -> Iterator[tuple[str, Callable[[], Sequence[Finding]]]]:
    for name, check in checks:
        yield name, lambda name=name, check=check: engine.run(name, check, path)  # type: ignore[misc]


def embedder(db: Connection) -> Iterator[Finding]:
    """The embedder of the file can be had."""
    name = connection.setting(db, "embedder", DEFAULT_EMBEDDER)
    if name == DEFAULT_EMBEDDER:
        return
    try:
        embedder_of(db)
    except UnavailableError as error:
        yield Finding(
            "embedder", "error", f"the embedder of this file is missing: {error.message}",
            f"install the package that brings it; {error.hint}",
        )  # fmt: skip


def terms_of_texts(db: Connection) -> Iterator[Finding]:
    """Every fact has the terms of its text."""
    analyzer: Analyzer = connection.setting(db, "analyzer", "standard")
    wrong = 0
    for content, held, length in texts.analysed(db, viewer=EVERYONE):
        listed = index_terms(content, analyzer=analyzer)
        wrong += held != listed.joined() or length != len(listed)
    if wrong:
        message = f"{some(wrong, 'fact')} with other index terms than those of the text"
        yield mendable("terms", message, "analyses all texts anew, after a copy")


def _counted(
    name: str, count: Callable[[Connection], int], what: str, wrong: str, does: str, mend: str
) -> Check:
    """Return the check that nothing of an index is wrong, as it counts itself."""

    def check(db: Connection) -> Iterator[Finding]:
        if found := count(db):
            yield mendable(name, f"{some(found, what)} {wrong}", does, mend=mend)

    return check


def merges(db: Connection) -> Iterator[Finding]:
    """A fact that a dream merged away said the same as the one that stayed, by today's rule."""
    rule = rule_of(db)
    lost = [
        fact_id
        for fact_id, source, gone, kept in texts.merged_away(db, viewer=EVERYONE)
        if not says_same(kept, gone, rule=rule)
        and not (source in DISTILLED and distilled_words(kept) == distilled_words(gone))
    ]
    if lost:
        named = ", ".join(lost[:_NAMED]) + (", …" if len(lost) > _NAMED else "")
        yield Finding(
            "merges", "warning",
            f"{some(len(lost), 'fact')} archived by a dream as twins of others, though they say "
            f"something else: {named}",
            "`tideline show ID` shows one; `tideline remember` its text again if it holds",
        )  # fmt: skip


def exact_vectors(db: Connection) -> Iterator[Finding]:
    """Every vector is that of its text, but for one step a byte, by which roundings differ."""
    try:
        made_by = embedder_of(db)
    except UnavailableError:
        return  # the check `embedder` reports it
    if not made_by.exact:
        return  # a model from elsewhere may give another vector for the same text
    wrong = 0
    for name, origin in derived.sets(db):
        if name == made_by.name:
            wrong += _wrong_vectors(db, made_by, origin)
    if wrong:
        message = f"{some(wrong, 'vector')} that are not those of their texts"
        yield mendable("exact_vectors", message, "makes the vectors anew", mend="vectors")


def _wrong_vectors(db: Connection, made_by: Embedder, origin_number: int) -> int:
    from tideline_cli.vector.arrays import np  # noqa: PLC0415  80 ms, for this check alone

    wrong = 0
    size = made_by.code_size
    for packed, codes in vectors.chunks(db, origin_number=origin_number, embedder=made_by.name):
        numbers = unpack(f"<{len(packed) // 4}I", packed[: len(packed) // 4 * 4])
        known = texts.readable(db, numbers, viewer=EVERYONE)
        rows = [(place, known[seq]) for place, seq in enumerate(numbers) if seq in known]
        if len(codes) != len(numbers) * size or not rows:
            continue  # the check `vectors` reports it
        held = np.frombuffer(codes, np.uint8).reshape(-1, size)[[place for place, _ in rows]]
        made = made_by.embed_packed([text for _, text in rows])
        steps = (held - made).astype(np.int8)  # steps go round at 256
        wrong += int(np.count_nonzero((np.abs(steps.astype(np.int16)) > 1).any(axis=1)))
    return wrong


_DEEP: tuple[tuple[str, Check], ...] = (
    ("digests", structure.digests),
    ("batch_counts", derived.batch_counts_fit),
    ("terms", terms_of_texts),
    ("labels", _counted("labels", labels.wrong_count, "word", "of labels that are not those of the "
                        "facts", "makes the index of labels anew", "labels")),
    ("exact_bounds", _counted("exact_bounds", score_bounds.wrong_count, "bound", "of scores that "
                              "are not those of the facts", "makes them anew", "bounds")),
    ("common", _counted("common", common_postings.wrong_count, "common word", "with other facts "
                        "than those that hold it", "makes the lists of common words anew",
                        "common")),
    ("exact_vectors", exact_vectors),
    ("merges", merges),
)  # fmt: skip


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
    """Do the repairs; return the path of the copy made before, None where none was needed."""
    if "modes" in names:
        engine.restrict_modes(path)
    if names == ["modes"]:
        return None
    kept = None
    if needs_copy(names):
        progress("copy")
        kept = engine.copy_before(path, "repair", now=now)
    try:
        with closing(opening.open_for_writing(path, network_allowed=network_allowed)) as db:
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
    common_postings.clear(db)
    common_postings.settle_all(db)


def _index(db: Connection) -> None:
    fts.rebuild(db)
    sessions.index_anew(db)


def _accept(db: Connection) -> None:
    writes.put_digests(db, [seq for seq, *_ in list(writes.wrong_digests(db))])


_JOURNALLED: dict[str, Callable[[Connection], None]] = {
    "references": structure.drop_orphans,
    "links": structure.drop_wrong_links,
}
_AT_ONCE: dict[str, Callable[[Connection], None]] = {
    "batches": structure.close_batches,
    "journal": structure.close_gaps,
    "index": _index,
    "counts": derived.count_anew,
    "census": derived.enrol_anew,
    "batch_counts": journal.count_batches_anew,
    "bounds": _bound,
    "common": _keep_common,
    "pairs": derived.forget_pairs,
    "outlooks": passes.clear_fading,
    "questions": derived.forget_questions,
    "digests": _accept,
    "labels": labels.make_anew,
    "walls": engine.put_walls_right,
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
        for number, content in sessions.all_texts(db, viewer=EVERYONE):
            terms = index_terms(content, analyzer=analyzer)
            sessions.put_terms(db, number, terms.joined(), len(terms))
        labels.make_anew(db)
        score_bounds.clear(db)
        common_postings.clear(db)
        if rows:
            score_bounds.extend(db, limit=facts.last_number(db) + 1, origin_number=None)
            common_postings.settle_all(db)
    return len(rows)


_OF_BACKUPS = (
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
    for name, one in _OF_BACKUPS:
        found = [f for f in engine.run(name, one, path) if f.severity == "error"]
        if found and name == "identity" and _is_older(path):
            break  # it is upgraded once it is in place
        if found:
            raise StoreError(
                f"{path} cannot be restored: {found[0].message}", hint="use another backup"
            )
    return _count(path)


def restore_from(
    path: str, database: str, *, now: int, network_allowed: bool, progress: Callable[[str], None]
) -> Restored:
    """Put the content of a checked backup into the memory file, after a copy of what is there.

    A process that is reading goes on with the old content. Raises StoreError when the pages are
    not whole afterwards; the copy is kept in any case.
    """
    with closing(opening.open_for_replacing(database, network_allowed=network_allowed)) as db:
        kept = backup.replace_content(db, path, now=now, progress=progress)
        is_older = opening.is_older(db)
        backup.write_log_back(db)
    with closing(opening.open_for_writing(database, network_allowed=network_allowed)) as upgraded:
        if is_older:
            connection.renew(upgraded)
    report = examine(database, deep=False, network_allowed=network_allowed, progress=progress)
    wrong = [finding for finding in report.findings if finding.severity == "error"]
    broken = [finding for finding in wrong if finding.check in BLOCKING]
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
    with closing(db):
        return opening.is_older(db)


def _count(database: str) -> int:
    with closing(connection.open_for_inspection(database)) as db:
        return backup.verify(db, database)
