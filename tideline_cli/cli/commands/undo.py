"""tideline undo and tideline redo."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.options import Argument, OptionSet, count, flag
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import Verb
from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.memory.query import ALL
from tideline_cli.memory.undo import FINAL, Undone, redo, undo, undoable
from tideline_cli.model import instant
from tideline_cli.store import history, suggestions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    from tideline_cli.store.history import BatchDeeds, StandingBatch

HELP = """Take back what one command did, all of it: the last one, or BATCH.

Every command that writes is a batch; --list shows what can be undone, newest first, with the
numbers. Each `tideline undo` steps one batch further back, and `tideline redo` one forward again;
the undo after a redo takes back what that brought back. What came by a sync is no step: its number
takes it back, here and at the next sync everywhere.
An undo is a batch too: `tideline undo BATCH` takes that one back. It is refused, and nothing
changes, where later changes would be lost; the message names them. Only purge and retention are
final."""
EXAMPLES = (("", ""), ("", "--list"), ("12", "--dry-run"))
ARGUMENTS = (
    Argument("words", "BATCH", "Which batch [default: the last one].", "word", False,
             completes=("batch",)),
)  # fmt: skip
_LONGEST = 9
_REPEATING = ("dream", "gc", "consolidate")


class Options(OptionSet):
    """The options of a call."""

    dry_run = flag("Say what would be taken back, and leave it.", short="-n", excludes=("list",))
    list = flag(
        "Show what could be undone, newest first; a BATCH is not named with it.",
        excludes=("words",),
    )
    limit = count("Batches that --list shows [default: 20; 0 is all].", default=20)


def run(session: Session, words: list[str], options: Options) -> int:
    """Undo one batch, or show what could be undone."""
    if options.list:
        return _show_list(session, options.limit)
    if len(words) > 1:
        raise UsageError("name one batch at most", hint="`tideline history` shows their numbers")
    ordinal = _ordinal(words[0]) if words else None
    # Nothing to undo makes no store.
    db = session.reading()
    if db is None:
        raise NotFoundError(
            "there is nothing to undo" if ordinal is None else f"no such batch: {ordinal}",
            hint="`tideline history` shows the batches of this origin",
        )
    if not options.dry_run:
        db = session.writing(frees=True)
    done = undo(db, ordinal, viewer=session.viewer, now=session.now, dry_run=options.dry_run)
    if session.json:
        form = undone_form(done, dry_run=options.dry_run)
        output.emit_json({**form, "passed_over": list(done.passed)})
    else:
        after = "" if options.dry_run else _way_back(session, done)
        start = "would undo" if options.dry_run else "undid"
        output.emit_lines([f"{start} {undone_text(done.undone, done.verb, done)}{after}"])
        if done.verb in _REPEATING and not options.dry_run:
            session.note("the next pass may propose the same; `tideline pin` keeps a fact")
    if done.passed:
        _tell_of_syncs(session, done.passed)
    return 0


def _tell_of_syncs(session: Session, passed: tuple[int, ...]) -> None:
    """Say that what other machines said since stays, and how to take it back."""
    call = session.call("undo", str(passed[0]))
    if len(passed) == 1:
        session.note(f"batch {passed[0]} came by a sync and stays; `{call}` takes it back")
    else:
        session.note(f"{len(passed):,} newer batches came by syncs and stay; `{call}` takes the "
                     "newest back")  # fmt: skip


def _ordinal(word: str) -> int:
    if word.isascii() and word.isdigit() and len(word) <= _LONGEST:
        return int(word)
    raise UsageError(f"not a batch: {word!r}", hint="`tideline history` shows their numbers")


def _way_back(session: Session, done: Undone) -> str:
    """Return the call that brings back what was taken away; an undo of an undo is taken back by
    its number."""
    if done.verb in ("undo", "redo"):
        return f"; `{session.call('undo', str(done.batch))}` takes that back"
    return f"; `{session.call('redo')}` brings it back"


def _show_list(session: Session, limit: int) -> int:
    """Show what undo would take back, one batch after the other."""
    db = session.reading()
    most = limit + 1 if limit else ALL
    found = [] if db is None else undoable(db, viewer=session.viewer, limit=most)
    shown = found[:limit] if limit else found
    show_steps(session, db, shown, is_cut=len(shown) < len(found))
    return 0


def undone_form(done: Undone, *, dry_run: bool) -> dict[str, Any]:
    """Return the JSON object of an undo."""
    return {
        "batch": None if dry_run else done.batch,
        "undone": done.undone,
        "verb": done.verb,
        "facts": {
            "removed": list(done.removed),
            "restored": list(done.restored),
            "changed": list(done.changed),
        },
        "links": {"removed": done.links_removed, "restored": done.links_restored},
        "turns": {"removed": done.turns_removed, "restored": done.turns_restored},
        "dry_run": dry_run,
    }


def undone_text(ordinal: int, verb: str, done: Undone) -> str:
    """Return which batch is meant, and what became of facts and links."""
    parts = [
        f"{count:,} {noun if count == 1 else noun + 's'} {deed}"
        for count, noun, deed in (
            (len(done.removed), "fact", "removed"),
            (len(done.restored), "fact", "restored"),
            (len(done.changed), "fact", "changed"),
            (done.links_removed, "link", "removed"),
            (done.links_restored, "link", "restored"),
            (done.turns_removed, "turn", "hidden"),
            (done.turns_restored, "turn", "shown again"),
        )
        if count
    ]
    return f"batch {ordinal} ({verb}): {', '.join(parts) or 'nothing to do'}"


def show_steps(
    session: Session, db: Connection | None, found: Sequence[StandingBatch], *, is_cut: bool
) -> None:
    """Print what could be undone."""
    ordinals = [step.ordinal for step in found]
    did = {} if db is None else history.deeds_of(db, ordinals, viewer=session.viewer)
    if session.json:
        forms = [_step_form(step, did[step.ordinal]) for step in found]
        output.emit_json({"batches": forms, "truncated": is_cut})
        return
    texts = [_what(step, did[step.ordinal]) for step in found]
    if found and output.is_terminal(session):
        drawer(session).undo_steps(found, texts)
    else:
        output.emit_lines([
            f"{step.ordinal}\t{instant.iso(step.at)}\t{step.verb}\t{text}"
            for step, text in zip(found, texts, strict=True)
        ])  # fmt: skip
    if is_cut:
        session.note("there are more: --limit 0 shows all")
    if not found:
        session.note("there is nothing to undo")


def _what(step: StandingBatch, did: BatchDeeds) -> str:
    """Return what a batch did, or that it cannot be taken back."""
    if step.verb in FINAL:
        return "final: gone for good; older ones are undone by number"
    return deed_text(did)


def _step_form(step: StandingBatch, did: BatchDeeds) -> dict[str, Any]:
    made = did.counts
    return {
        "batch": step.ordinal,
        "at": instant.iso(step.at),
        "verb": step.verb,
        "final": step.verb in FINAL,
        "facts": {"added": made.added, "changed": made.changed, "removed": made.removed},
        "links": {"added": made.linked, "changed": made.relinked, "removed": made.unlinked},
        "id": did.fact,
        "content": did.text,
    }


_OF_FACTS = (("added", "added"), ("changed", "changed"), ("removed", "removed"))
_OF_LINKS = (("linked", "added"), ("relinked", "changed"), ("unlinked", "removed"))


def deed_text(deeds: BatchDeeds) -> str:
    """Return what a batch did: `I deploy on Fridays`, `3 facts added: …`, `2 links added: …`. One
    fact alone is told by its text, since the verb says what became of it."""
    facts, links = (_counted(deeds, names) for names in (_OF_FACTS, _OF_LINKS))
    text = "" if deeds.text is None else output.one_line(deeds.text)
    if deeds.counts.turns and not facts and not links:
        return f"{deeds.counts.turns:,} turn{_s(deeds.counts.turns)} of sessions"
    if not facts and not links:
        return f"said again: {text}" if deeds.counts.used else text
    (count, word), *more = facts or links
    noun = "fact" if facts else "link"
    start = "" if facts and count == 1 and text else f"{count:,} {noun}{_s(count)} {word}"
    told = ": ".join(part for part in (start, text) if part)
    return " · ".join((told, *(f"{n:,} {noun}{_s(n)} {act}" for n, act in more)))


def _counted(deeds: BatchDeeds, names: Sequence[tuple[str, str]]) -> list[tuple[int, str]]:
    found = ((getattr(deeds.counts, name), word) for name, word in names)
    return [(count, word) for count, word in found if count]


def _s(count: int) -> str:
    return "" if count == 1 else "s"


_LOOKED_AT = 500  # batches


def batch_offers(db: Connection, start: str, *, viewer: Origin) -> list[tuple[str, str]]:
    """Return the numbers that begin so, newest first, each with the verb and what it did."""
    most = _LOOKED_AT if start else suggestions.MOST
    steps = undoable(db, viewer=viewer, limit=most)
    chosen = [step for step in steps if str(step.ordinal).startswith(start)][: suggestions.MOST]
    did = history.deeds_of(db, [step.ordinal for step in chosen], viewer=viewer)
    return [(str(step.ordinal), f"{step.verb}: {deed_text(did[step.ordinal])}") for step in chosen]


_NAMED = 3


class RedoOptions(OptionSet):
    """The options of a call."""

    dry_run = flag("Say what would be brought back, and leave it.", short="-n")


def _redo(session: Session, _: list[str], options: RedoOptions) -> int:
    """Step forward."""
    db = session.reading()
    if db is None:  # nothing to redo makes no store
        raise NotFoundError("there is nothing to redo", hint="redo takes back an undo")
    if not options.dry_run:
        db = session.writing(frees=True)
    found = redo(db, viewer=session.viewer, now=session.now, dry_run=options.dry_run)
    for why in found.passed:
        session.note(f"left as it is: {why}")
    if found.kept:
        session.note(_newer(found.kept))
    if session.json:
        form = undone_form(found.done, dry_run=options.dry_run)
        output.emit_json(form | {
            "redone": found.back.ordinal, "verb": found.back.verb,
            "kept": [ordinal for ordinal, _ in found.kept],
        })  # fmt: skip
        return 0
    start = "would bring back" if options.dry_run else "brought back"
    after = "" if options.dry_run else f"; `{session.call('undo')}` takes that back"
    told = undone_text(found.back.ordinal, found.back.verb, found.done)
    output.emit_lines([f"{start} {told}{after}"])
    return 0


def _newer(kept: Sequence[tuple[int, str]]) -> str:
    """Return which batches are newer than the undo that was taken back, and stay."""
    named = ", ".join(f"{ordinal} ({verb})" for ordinal, verb in kept[-_NAMED:])
    older = f", and {len(kept) - _NAMED:,} more" if len(kept) > _NAMED else ""
    noun = "batch" if len(kept) == 1 else "batches"
    return f"made since that undo, and kept: {noun} {named}{older}"


REDO = Verb(
    """Bring back what the last undo took, and step forward again.

After so many undos, as many redos lead back to where they began. What was written since that undo
stays, and a note names it. Where some of it stands against an undo's being taken back, the one
before it is; a note says so. It is refused where none can be. A redo is a batch: `tideline undo`
takes it back again.""",
    (("", ""), ("", "--dry-run")), (),
    RedoOptions, _redo,
)  # fmt: skip
