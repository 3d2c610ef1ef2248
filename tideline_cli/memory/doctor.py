"""doctor: every check of a memory, in order, and what it found."""

from __future__ import annotations

from struct import unpack

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import UnavailableError
from tideline_cli.memory.lanes import embedder_of
from tideline_cli.memory.near_duplicates import rule_of
from tideline_cli.model.finding import Finding, mendable, some
from tideline_cli.model.origin import EVERYONE
from tideline_cli.model.record import record
from tideline_cli.model.text import index_terms
from tideline_cli.policy.sameness import DISTILLED, distilled_words, says_same
from tideline_cli.store import (
    common_upkeep,
    connection,
    labels,
    score_bounds,
    vectors,
)
from tideline_cli.store.checks import (
    derived,
    journalled,
    of_engine,
    run_check,
    structure,
    text_index,
    texts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from apsw import Connection

    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.checks.run_check import Check
    from tideline_cli.vector.embedder import Embedder

_NAMED = 5  # ids in a message
BLOCKING = frozenset((run_check.READING, "names", "library", "identity", "structure", "tables"))
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
        found = of_engine.in_its_words(path, run())
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
    ("counts", text_index.ranking_counts),
    ("census", text_index.status_counts),
    ("bounds", derived.bounds),
    ("vectors", derived.vector_sets),
    ("pairs", derived.pair_rows),
    ("outlooks", derived.outlooks),
    ("questions", derived.questions),
    ("links", structure.links),
    ("slots", derived.slot_values),
    ("batches", journalled.batches),
    ("journal", journalled.journal),
    ("purge", structure.purge_finished),
    ("sync", derived.registers),
)


def _checks(
    path: str, *, deep: bool, network_allowed: bool
) -> Iterator[tuple[str, Callable[[], Sequence[Finding]]]]:
    yield from of_engine.first_checks(path, deep=deep, network_allowed=network_allowed)
    own = of_engine.other_checks(path)
    yield from _runs(((name, own.get(name, check)) for name, check in _QUICK), path)
    yield from _runs(_of_contents(deep=deep), path)


def _of_contents(*, deep: bool) -> tuple[tuple[str, Check], ...]:
    images = journalled.whole_images if deep else journalled.images
    later: tuple[tuple[str, Check], ...] = (("images", images), ("embedder", embedder))
    return (*later, *_DEEP) if deep else later


def _runs(
    checks: Iterable[tuple[str, Check]], path: str
) -> Iterator[tuple[str, Callable[[], Sequence[Finding]]]]:
    for name, check in checks:
        yield name, lambda name=name, check=check: run_check.run(name, check, path)  # type: ignore[misc]


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


def label_terms(db: Connection) -> Iterator[Finding]:
    """Every fact is found by the words of its labels."""
    wrong = labels.wrong_count(db)
    if wrong:
        message = f"{some(wrong, 'word')} of labels that are not those of the facts"
        yield mendable("labels", message, "makes the index of labels anew")


def exact_bounds(db: Connection) -> Iterator[Finding]:
    """Every byte that bounds a score is that of its fact."""
    wrong = score_bounds.wrong_count(db)
    if wrong:
        message = f"{some(wrong, 'bound')} of scores that are not those of the facts"
        yield mendable("exact_bounds", message, "makes them anew", mend="bounds")


def kept_terms(db: Connection) -> Iterator[Finding]:
    """What is kept of common terms is what the facts hold."""
    wrong = common_upkeep.wrong_count(db)
    if wrong:
        message = f"{some(wrong, 'common word')} with other facts than those that hold it"
        yield mendable("common", message, "makes the lists of common words anew")


def merges(db: Connection) -> Iterator[Finding]:
    """A fact that a dream merged away said the same as the one that stayed, by the rule that the
    file has now."""
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
    ("batch_counts", text_index.batch_counts_fit),
    ("terms", terms_of_texts),
    ("labels", label_terms),
    ("exact_bounds", exact_bounds),
    ("common", kept_terms),
    ("exact_vectors", exact_vectors),
    ("merges", merges),
)
