"""`remember --batch`: a fact for each line of JSON, all of them stored together."""

from __future__ import annotations

from tideline_cli.cli import new_fact, output
from tideline_cli.cli.session import check_batch_line, stdin_text
from tideline_cli.errors import TidelineError, UnavailableError, UsageError, WriteBlockedError
from tideline_cli.exchange.importer import cells, rows
from tideline_cli.exchange.importer.cells import with_content
from tideline_cli.memory import dedup, remember
from tideline_cli.memory.screening import screen_of
from tideline_cli.memory.secret_screening import secretless
from tideline_cli.model import codec
from tideline_cli.model.fact import KINDS, PROGRESSES, ROLES, SEGMENTS, TIERS, NewFact
from tideline_cli.model.fields import LABELS, LISTS
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import SOURCES, is_trusted
from tideline_cli.store import journal
from tideline_cli.store.connection import follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.new_fact import Options
    from tideline_cli.cli.session import Session
    from tideline_cli.memory.remember import Remembered
    from tideline_cli.memory.screening import Screen
    from tideline_cli.model.source import Source

_BATCH_KEYS = frozenset(("content", "source", "supersedes", *LABELS))
_OPTION_OF = {"tags": "tag", "metadata": "meta", "pinned": "pin"}
_WITHOUT_OPTION = frozenset(
    name for name in LABELS if _OPTION_OF.get(name, name) not in new_fact.Options.__fields__
)
"""Labels that a line may state and no option does."""


@record
class _Line:
    """A line of the batch: its number, and its fact or what is wrong with it."""

    number: int
    read: NewFact | TidelineError
    meant: tuple[str, ...] = ()


def run(session: Session, options: Options) -> int:
    """Store one fact for each line; a line that fails is answered with an error in its place."""
    lines = stdin_text().split("\n")
    db = session.writing()
    how = options.dedup or session.setting("dedup", "exact")
    if how == "exact":
        follow(db)  # as a single fact does
    read = [_Line(number, _read(session, line, options)) for number, line in enumerate(lines, 1)
            if line.strip()]  # fmt: skip
    read, secrets = _screened(session, read)
    if how != "exact":
        read = _compared(session, db, read, options.dedup)
    batch = _Batch(session, db, read)
    with journal.batch(db, verb="remember", by=session.viewer, now=session.now) as opened:
        results = [batch.result(line, opened) for line in read]
        opened.note_secrets(secrets)
    batch.record_blocked()
    if secrets:
        new_fact.tell_secrets(session, secrets)
    for result in results:
        output.emit_json(result)
    if near := sum(bool(result.get("similar")) for result in results):
        session.note(f"{near:,} of them are much like other facts, which `similar` names")
    bad = sum("error" in result for result in results)
    if bad:
        session.note(f"{len(results) - bad:,} of {len(results):,} lines are stored")
    if batch.doubted:
        known = f"{batch.doubted:,} known fact{'s' * (batch.doubted > 1)}"
        session.note(f"may_contradict names {known}; `tideline contradictions` lists all pairs")
    session.detail(f"batch {opened.ordinal}")
    return batch.worst


class _Batch:
    """The lines of a batch on their way into the store; `worst` is the highest exit code."""

    def __init__(self, session: Session, db: Connection, lines: Sequence[_Line]) -> None:
        self._session = session
        self._db = db
        self._now = session.now
        self.doubted = 0
        self._blocked: list[tuple[NewFact, WriteBlockedError]] = []
        self._screen: Screen = screen_of(
            line.read for line in lines if not isinstance(line.read, TidelineError)
        )
        self.worst = 0

    def result(self, line: _Line, opened: journal.batch) -> dict[str, Any]:
        """Store the fact of a line; return what it became, or what is wrong with it."""
        try:
            if isinstance(line.read, TidelineError):
                raise line.read
            done = self._stored(line.read, line.meant, opened)
            self.doubted += len(done.may_contradict)
            return new_fact.form(self._session, done)
        except TidelineError as error:
            self.worst = max(self.worst, error.exit_code)
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            return {"line": line.number, "error": told}

    def _stored(self, new: NewFact, meant: tuple[str, ...], opened: journal.batch) -> Remembered:
        db, now = self._db, self._now
        try:
            with db:
                cited = remember.cited(db, new.derived_from, viewer=new.origin)
                new = replace(new, derived_from=cited)
                done = remember.remember_in_batch(
                    db, new, batch=opened, fact_id=new_fact.new_id(now), now=now,
                    screen=self._screen, meant=meant, names_doubts=True,
                )  # fmt: skip
        except WriteBlockedError as error:
            self._blocked.append((new, error))
            raise
        return done

    def record_blocked(self) -> None:
        """Write down the facts that the write-gate has blocked."""
        for new, why in self._blocked:
            remember.record_refusal(self._db, new, why, now=self._now)


def _compared(
    session: Session, db: Connection, lines: Sequence[_Line], stated: str | None
) -> list[_Line]:
    """Return the lines with what each is like by its meaning, among the facts that are stored
    already."""
    checked = [_checked(line) for line in lines]
    news = [line.read for line in checked if not isinstance(line.read, TidelineError)]
    found = iter(all_with_meant(session, db, news, stated))
    compared: list[_Line] = []
    for line in checked:
        if not isinstance(line.read, TidelineError):
            new, meant = next(found)
            line = replace(line, read=new, meant=meant)
        compared.append(line)
    return compared


def _checked(line: _Line) -> _Line:
    """Return a line, or what is wrong with its text."""
    if isinstance(line.read, TidelineError):
        return line
    try:
        remember.checked_text(line.read.content)
    except UsageError as error:
        return replace(line, read=error)
    return line


def _screened(session: Session, lines: Sequence[_Line]) -> tuple[list[_Line], int]:
    """Return the lines, those that nobody vouches for without their secrets, and how many those
    were; warn of what the others hold."""
    found: list[_Line] = []
    secrets = 0
    stated = [line.read for line in lines if not isinstance(line.read, TidelineError)]
    new_fact.warn_of_secrets(session, *stated)
    for line in lines:
        if not isinstance(line.read, TidelineError):
            line, count = _without_secrets(line, line.read)
            secrets += count
        found.append(line)
    return found, secrets


def _without_secrets(line: _Line, new: NewFact) -> tuple[_Line, int]:
    if is_trusted(new.source):
        return line, 0
    try:
        clean, count = secretless(new)
    except TidelineError as error:
        return replace(line, read=error), 0
    return (replace(line, read=clean), count) if count else (line, 0)


def _read(session: Session, line: str, options: Options) -> NewFact | TidelineError:
    """Return what a line says, or what is wrong with it."""
    try:
        row = _row(line)
        new = new_fact.from_options(session, row["content"], _line_options(row, options))
        return replace(new, **_labels(row))
    except TidelineError as error:
        return error


def _row(line: str) -> dict[str, Any]:
    check_batch_line(line)
    try:
        row = codec.loads(line)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}", hint="one JSON object a line") from error
    row = dict(cells.with_progress(with_content(row))) if isinstance(row, dict) else row
    if not isinstance(row, dict) or not isinstance(row.get("content"), str):
        raise UsageError("no text", hint='a line is an object with "content"')
    if row.get("status") is not None:
        cells.word(row, "status", PROGRESSES)
    row.pop("status", None)
    codec.check_keys(row, _BATCH_KEYS)
    return row


def _line_options(row: dict[str, Any], options: Options) -> Options:
    """Return the options with what a line says in their place; tags and metadata are added."""
    segment, tier, kind, source = (
        cells.word(row, "segment", tuple(SEGMENTS)), cells.word(row, "tier", TIERS),
        cells.word(row, "kind", tuple(KINDS)), cells.word(row, "source", SOURCES),
    )  # fmt: skip
    slot, title, turn = (cells.cell_text(row, name) for name in ("slot", "title", "source_turn"))
    meta = dict(options.meta) | (rows.metadata_of(row) or {})
    _check_claim(source, options.source)
    return replace(
        options,
        segment=segment or options.segment,
        tier=tier or options.tier,
        kind=kind or options.kind,
        source=source or options.source,
        slot=slot or options.slot,
        title=title or options.title,
        source_turn=turn or options.source_turn,
        tag=(*options.tag, *cells.strings(row, "tags")),
        supersedes=cells.strings(row, "supersedes") or options.supersedes,
        derived_from=cells.strings(row, "derived_from") or options.derived_from,
        importance=cells.unit(row, "importance", clamp=True, default=options.importance),
        confidence=cells.unit(row, "confidence", clamp=False, default=options.confidence),
        valid_from=cells.instants(row, "valid_from", options.valid_from),
        valid_to=cells.instants(row, "valid_to", options.valid_to),
        meta=tuple(meta.items()),
        pin=cells.flag(row, "pinned") if "pinned" in row else options.pin,
        scope=options.scope if row.get("scope") is None else cells.cell_text(row, "scope"),
        session=cells.cell_text(row, "session") or options.session,
        turn=options.turn if row.get("turn") is None else cells.place(row, "turn"),
        speaker=cells.cell_text(row, "speaker") or options.speaker,
        role=cells.word(row, "role", ROLES) or options.role,
        agent=options.agent if row.get("agent") is None else cells.cell_text(row, "agent") or "",
        progress=cells.word(row, "progress", PROGRESSES) or options.progress,
        batch=True,
    )


def _labels(row: dict[str, Any]) -> dict[str, Any]:
    """Return the labels of a line that no option states."""
    return {
        name: cells.strings(row, name) if name in LISTS else cells.cell_text(row, name)
        for name in _WITHOUT_OPTION & row.keys()
    }


def _check_claim(claimed: Source | None, allowed: Source | None) -> None:
    """Raise WriteBlockedError when a line claims a trust that the command denies it."""
    if allowed is None or claimed is None or is_trusted(allowed):
        return
    if is_trusted(claimed):
        raise WriteBlockedError(
            f"write-gate: a line of {allowed} may not say that it is of {claimed}",
            hint="leave the source out of the line",
            code="write_gate_blocked",
        )


def with_meant(
    session: Session, db: Connection, new: NewFact, stated: str | None
) -> tuple[NewFact, tuple[str, ...]]:
    """Return the fact with what it replaces, and the facts that it may restate by its meaning."""
    return all_with_meant(session, db, [new], stated)[0]


def all_with_meant(
    session: Session, db: Connection, news: Sequence[NewFact], stated: str | None
) -> list[tuple[NewFact, tuple[str, ...]]]:
    """Return facts of the origin of the call with what each replaces, and the facts that it may
    restate by its meaning.

    Where a setting asks for this and it cannot be done, or the embedder cannot be had, the user is
    told, and words alone decide. An option that cannot be followed is an error.
    """
    how = stated or session.setting("dedup", "exact")
    plain: list[tuple[NewFact, tuple[str, ...]]] = [(new, ()) for new in news]
    said = [_asked(new) for new in news]
    try:
        found = dedup.likened_all(db, said, viewer=session.viewer, how=how, now=session.now)
    except UnavailableError as error:
        session.caution("dedup", f"compared by words alone: {error.message}", hint=error.hint)
        return plain
    except UsageError as error:
        if stated is not None:
            raise
        session.caution(
            "dedup", f"compared by words alone: the setting dedup is {how}, and the embedder of "
            "this file is not learned", hint=error.hint,
        )  # fmt: skip
        return plain
    if waiting := max((one.waiting for one in found), default=0):
        session.note(f"{waiting:,} or more facts have no vector yet and were not compared; "
                     "`tideline reembed` makes them")  # fmt: skip
    return [
        (replace(new, supersedes=(*new.supersedes, *one.replaces)), one.meant)
        for new, one in zip(news, found, strict=True)
    ]


def _asked(new: NewFact) -> NewFact:
    """Return a fact as the embedder is asked for it, which may be over the network."""
    said = replace(new, content=remember.checked_text(new.content))
    return said if is_trusted(said.source) else secretless(said)[0]
