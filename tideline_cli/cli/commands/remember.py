"""tideline remember."""

from __future__ import annotations

import os

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError, UsageError, WriteBlockedError
from tideline_cli.memory import remember as memory
from tideline_cli.model import codec, ulid
from tideline_cli.model.fact import KINDS, SEGMENTS, TIERS, NewFact, one_of
from tideline_cli.model.fields import LABELS, LISTS, TEXTS
from tideline_cli.model.record import replace
from tideline_cli.model.source import SOURCES, is_trusted, parse_source
from tideline_cli.model.text import storable
from tideline_cli.policy.gate import confined
from tideline_cli.store import facts, journal
from tideline_cli.store.transactions import follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.remember import Remembered
    from tideline_cli.memory.screening import Screen
    from tideline_cli.model.fact import Fact

HELP = """Write a fact down.

A fact that is known already is reinforced, not stored twice; the labels and times given with it
are applied. A fact in a slot ends what the slot held where it begins; the old value stays in the
history.

Text that comes from tools, documents or extraction says so with --source: it may not speak for
the owner, and it is scanned before it is stored."""
EXAMPLES = (
    ("I keep a strict vegetarian diet", "--segment preference"),
    ("I deploy on Fridays", "--slot deploy_day"),
)
ARGUMENTS = (Argument("words", "TEXT", "The fact; `-` reads standard input."),)
OPTIONS = (
    Option("segment", ("--segment", "-s"), "What it is about [default: knowledge].", "choice",
           choices=tuple(SEGMENTS)),
    Option("slot", ("--slot",), "The one value it is of, such as deploy_day: ends the old one.",
           metavar="NAME"),
    Option("importance", ("--importance",), "How much it matters; outside 0..1 is clamped.",
           "number"),
    Option("tier", ("--tier",), "How long it is kept.", "choice", choices=TIERS),
    Option("source", ("--source",), "Who said it [default: owner_message, in a channel "
           "channel_message].", "choice", choices=SOURCES),
    Option("supersedes", ("--supersedes",), "A fact that this one replaces, besides its slot's.",
           many=True, metavar="ID"),
    Option("confidence", ("--confidence",), "How sure it is; weighs in recall.", "share"),
    Option("valid_from", ("--valid-from",), "When it begins to hold.", "time"),
    Option("valid_to", ("--valid-to",), "When it ceases to hold.", "time"),
    Option("tag", ("--tag", "-t"), "A label to filter by.", many=True, metavar="TAG"),
    Option("kind", ("--kind",), "A finer word than the segment, and its defaults.", "choice",
           choices=tuple(KINDS), metavar="KIND"),
    Option("title", ("--title",), "A short name."),
    Option("meta", ("--meta",), "Anything else worth keeping.", "pair", many=True),
    Option("source_turn", ("--source-turn",), "Where it was said.", metavar="REF"),
    Option("derived_from", ("--derived-from",), "A fact it was derived from.", many=True,
           metavar="ID"),
    Option("pin", ("--pin",), "Never let it fade.", "flag", False),
    Option("confine", ("--confine",), "Store what the source may not author as knowledge.",
           "flag", False),
    Option("batch", ("--batch",), "Read JSON lines; print one result a line, for a bad line an "
           "error; all others are stored together, as one batch.", "flag", False,
           excludes=("words",)),
)  # fmt: skip
_BATCH_KEYS = frozenset(("content", "source", "supersedes", *LABELS))


def run(session: Session, *, words: list[str], batch: bool, **given: Any) -> int:
    """Store one fact, or a batch of them."""
    if batch:
        return _run_batch(session, given)
    text = session.text(words)
    given["tags"] = _tags(session, given.pop("tag"))
    given["metadata"] = dict(given.pop("meta")) or None
    new = _new_fact(session, text, **given)
    db = _store(session, new)
    if not new.derived_from:
        follow(db)  # nothing was read: the fact belongs into what is there when its turn comes
    new = replace(new, derived_from=memory.cited(db, new.derived_from, viewer=new.origin))
    done = memory.remember(db, new, fact_id=new_id(session.now), now=session.now)
    _report(session, done)
    return 0


def _store(session: Session, new: NewFact) -> Connection:
    """Return a connection for writing; no store is made to look for a fact in it."""
    named = (*new.supersedes, *new.derived_from)
    if named and not os.path.lexists(session.database):
        raise facts.missing(named[0])
    return session.writing()


def new_id(now: int) -> str:
    """Return a fresh ULID with the time `now`."""
    return ulid.at(now, os.urandom(10))


def _new_fact(
    session: Session, text: str, *, segment: str | None, source: str | None, kind: str | None,
    pin: bool, confine: bool, supersedes: tuple[str, ...], derived_from: tuple[str, ...],
    valid_from: int | None, valid_to: int | None, **rest: Any,
) -> NewFact:  # fmt: skip
    viewer = session.viewer
    said_by = parse_source(source or ("owner_message" if viewer.is_owner else "channel_message"))
    about: Any = segment or (KINDS[kind][0] if kind else "knowledge")
    if confine:
        about = confined(about, said_by)
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        raise UsageError("--valid-to is not after --valid-from", hint="a fact holds until valid-to")
    return NewFact(
        text,
        about,
        said_by,
        viewer,
        kind=kind,
        pinned=pin,
        supersedes=tuple(storable(session.reference(ref), "supersedes") for ref in supersedes),
        derived_from=tuple(storable(session.reference(r), "derived_from") for r in derived_from),
        assumed=() if segment else ("segment",),
        valid_from=valid_from,
        valid_to=valid_to,
        **rest,
    )


def _tags(session: Session, given: tuple[str, ...]) -> tuple[str, ...]:
    named = (tag.strip() for tag in (*session.setting("tags", ()), *given))
    return tuple(dict.fromkeys(tag for tag in named if tag))


def _report(session: Session, done: Remembered) -> None:
    for reference in done.ignored:
        session.note(f"--supersedes {reference}: archived already, nothing to replace")
    if session.json:
        output.emit_json(_form(done))
        return
    output.emit_lines([f"{done.fact.id}\t[{done.fact.segment}] {done.fact.content}"])
    if done.before is not None:
        session.note(_restatement(done.before, done.fact))
    if done.not_taken:
        named = ", ".join(name.replace("_", "-") for name in done.not_taken)
        session.note(f"it keeps its own {named}; `tideline edit` changes labels")
    for line in _replacements(done):
        session.note(line)
    for known in done.elsewhen:
        session.note(f"holds at other times than {known}, which says the same")
    for like in done.similar:
        session.note(
            f"much like {like.fact.id} ({like.apart}); `--supersedes {like.fact.id}` if it "
            "replaces that"
        )


def _restatement(before: Fact, after: Fact) -> str:
    from tideline_cli.cli.restatement import told  # noqa: PLC0415  only for what is known

    changes = told(before, after)
    return "known already, reinforced" + (f"; {changes}" if changes else "")


def _replacements(done: Remembered) -> Iterator[str]:
    """Yield a line for each fact that is replaced, now or from a time to come."""
    later = {fact.id: fact.valid_to for fact in done.later}
    for old in done.superseded:
        end = later.get(old)
        if end is None:
            yield f"replaces {old}"
        else:
            from tideline_cli.cli.restatement import day  # noqa: PLC0415  few name a time

            yield f"replaces {old} from {day(end)} on"


def _form(done: Remembered) -> dict[str, Any]:
    form: dict[str, Any] = {
        "action": done.action,
        "id": done.fact.id,
        "fact": codec.fact_form(done.fact),
        "superseded": list(done.superseded),
        "batch": done.batch,
        "similar": [like.fact.id for like in done.similar],
    }
    if done.ignored or done.not_taken:
        form["ignored"] = [*done.ignored, *done.not_taken]
    if done.before is not None:
        from tideline_cli.cli.restatement import changed  # noqa: PLC0415  only for what is known

        form["changed"] = changed(done.before, done.fact)
    if done.elsewhen:
        form["elsewhen"] = list(done.elsewhen)
    return form


def _run_batch(session: Session, given: dict[str, Any]) -> int:
    """Store one fact per line of JSON; a line that fails is reported in its place."""
    from tideline_cli.memory.screening import screen_of  # noqa: PLC0415  one fact brings its own

    lines = session.standard_input().split("\n")
    db = session.writing()
    follow(db)  # as a single one
    now = session.now
    worst = 0
    results: list[dict[str, Any]] = []
    refused: list[tuple[NewFact, WriteBlockedError]] = []
    read = [(number, _read(session, line, given)) for number, line in enumerate(lines, 1)
            if line.strip()]  # fmt: skip
    screen = screen_of(new for _, new in read if not isinstance(new, TidelineError))
    with journal.batch(db, verb="remember", by=session.viewer, now=now) as batch:
        for number, new in read:
            try:
                if isinstance(new, TidelineError):
                    raise new
                results.append(_form(_in_savepoint(db, new, batch, now, refused, screen)))
            except TidelineError as error:
                worst = max(worst, error.exit_code)
                form = {"code": error.code, "message": error.message, "hint": error.hint}
                results.append({"line": number, "error": form})
    for blocked, why in refused:
        memory.record_refusal(db, blocked, why, now=now)
    for result in results:
        output.emit_json(result)
    bad = sum("error" in result for result in results)
    if bad:
        session.note(f"{len(results) - bad:,} of {len(results):,} lines are stored")
    session.detail(f"batch {batch.ordinal}")
    return worst


def _in_savepoint(
    db: Connection, new: NewFact, batch: journal.batch, now: int,
    refused: list[tuple[NewFact, WriteBlockedError]], screen: Screen,
) -> Remembered:  # fmt: skip
    try:
        with db:
            new = replace(new, derived_from=memory.cited(db, new.derived_from, viewer=new.origin))
            done = memory.remember_in_batch(
                db, new, batch=batch, fact_id=new_id(now), now=now, screen=screen
            )
    except WriteBlockedError as error:
        refused.append((new, error))
        raise
    return done


def _read(session: Session, line: str, given: dict[str, Any]) -> NewFact | TidelineError:
    """Return what a line says, or what is wrong with it."""
    try:
        return _from_line(session, line, given)
    except TidelineError as error:
        return error


def _from_line(session: Session, line: str, given: dict[str, Any]) -> NewFact:
    try:
        row = codec.loads(line)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}", hint="one JSON object a line") from error
    if not isinstance(row, dict) or not isinstance(row.get("content"), str):
        raise UsageError("no text", hint='a line is an object with "content"')
    codec.check_keys(row, _BATCH_KEYS)
    return _new_fact(session, **_row_values(session, row, given))


def _check_claim(claimed: str | None, allowed: str | None) -> None:
    """Raise WriteBlockedError when a line claims a trust that the command denies it."""
    if allowed is None or claimed is None or is_trusted(parse_source(allowed)):
        return
    if is_trusted(parse_source(claimed)):
        raise WriteBlockedError(
            f"write-gate: a line of {allowed} may not say that it is of {claimed}",
            hint="leave the source out of the line",
            code="write_gate_blocked",
        )


def _row_values(session: Session, row: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    from tideline_cli.exchange.importer import cells, rows  # noqa: PLC0415  only a batch reads rows

    for name, allowed in (("segment", tuple(SEGMENTS)), ("tier", TIERS), ("kind", tuple(KINDS)),
                          ("source", SOURCES)):  # fmt: skip
        if row.get(name) is not None:
            one_of(str(row[name]), allowed, name)
    values: dict[str, Any] = {
        name: cells.text(row, name) or given.get(name)
        for name in ("segment", "tier", "kind", "source", *TEXTS)
    }
    values |= {name: cells.strings(row, name) or given.get(name, ()) for name in LISTS}
    metadata = dict(given["meta"]) | (rows.metadata_of(row) or {})
    _check_claim(values["source"], given["source"])
    return values | {
        "text": row["content"],
        "tags": _tags(session, (*given["tag"], *cells.strings(row, "tags"))),
        "supersedes": cells.strings(row, "supersedes") or given["supersedes"],
        "importance": cells.unit(row, "importance", clamp=True, default=given["importance"]),
        "confidence": cells.unit(row, "confidence", clamp=False, default=given["confidence"]),
        "valid_from": cells.instants(row, "valid_from", given["valid_from"]),
        "valid_to": cells.instants(row, "valid_to", given["valid_to"]),
        "metadata": metadata or None,
        "pin": cells.flag(row, "pinned") if "pinned" in row else given["pin"],
        "confine": given["confine"],
    }
