"""What dream and gc share at the door: which origins, one at a time, and how to tell it."""

from __future__ import annotations

import sys

from tideline_cli.cli import output
from tideline_cli.cli.messages import shows_progress, tell
from tideline_cli.dream import run
from tideline_cli.errors import UsageError
from tideline_cli.model.codec import fact_form
from tideline_cli.model.instant import iso
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import record
from tideline_cli.store import bulk_reads, locks, stats
from tideline_cli.store.visibility import NOBODY, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.dream.plan import DreamPlan, Settings
    from tideline_cli.dream.run import Dreamt
    from tideline_cli.model.fact import Fact

_LISTED = 20  # of one kind; --verbose shows all
_LINKS_LISTED = 5
_SHOWN = 60
_PROMOTED = ("confidence", "status", "importance")


@record
class PassRun:
    """What a pass did in each origin; `busy` when another pass is running, `due` when the next
    one is due although this one was not."""

    dreams: tuple[tuple[Origin, Dreamt], ...] = ()
    busy: bool = False
    due: int | None = None

    def batch_of(self, viewer: Origin) -> int | None:
        """Return the batch of the viewer's own origin."""
        return next((done.batch for origin, done in self.dreams if origin == viewer), None)


def run_passes(
    session: Session, settings: Settings, *, verb: str, dry_run: bool, all_origins: bool,
    interval: int | None = None,
) -> PassRun:  # fmt: skip
    """Run a pass over the viewer's origin, or over every origin in turn, one at a time.

    With an `interval`, origins whose last pass is younger are left alone.
    """
    if all_origins and not session.viewer.is_owner:
        raise UsageError("only the owner may tend all origins", hint="leave out --all-origins")
    whole = all_origins or (session.viewer.is_owner and not session.names_origin)
    db = session.reading()
    if db is None:
        return PassRun()
    if dry_run:
        return _round(session, db, settings, verb, whole, True, interval)
    session.close()
    db = session.writing()
    lock = locks.attempt(db.filename, locks.DREAM)
    if lock is None:
        return PassRun(busy=True)
    try:
        return _round(session, db, settings, verb, whole, False, interval)
    finally:
        locks.release(lock)


def _round(
    session: Session, db: Connection, settings: Settings, verb: str, whole: bool, dry_run: bool,
    interval: int | None,
) -> PassRun:  # fmt: skip
    now = session.now
    done: list[tuple[Origin, Dreamt]] = []
    due: list[int] = []
    for origin in _origins(session, db, whole):
        last = bulk_reads.last_pass(db, verb, viewer=origin) if interval is not None else None
        if last is not None and interval is not None and 0 <= now - last < interval:
            due.append(last + interval)
            continue
        dreamt = run.dream(
            db, settings, viewer=origin, now=now, dry_run=dry_run, verb=verb,
            progress=_progress(session),
        )  # fmt: skip
        done.append((origin, dreamt))
    return PassRun(tuple(done), False, min(due) if due and not done else None)


def _origins(session: Session, db: Connection, whole: bool) -> list[Origin]:
    """Return the origins to tend: the viewer's own, and with `whole` all that hold facts."""
    viewer = session.viewer
    if number(db, viewer) == NOBODY:
        return []
    if not whole:
        return [viewer]
    others = [Origin(key) for key, active in stats.origins(db) if active]
    return [viewer, *(origin for origin in others if origin != viewer)]


def _progress(session: Session) -> Callable[[int, int], None] | None:
    if not shows_progress(quiet=session.quiet, as_json=session.json):
        return None

    def show(done: int, of: int) -> None:
        end = "\r\x1b[K" if done >= of else ""
        tell(f"\r\x1b[Kcomparing {done:,} of {of:,} facts{end}")
        sys.stderr.flush()

    return show


def report(session: Session, done: PassRun, *, verb: str, dry_run: bool, form: Any) -> None:
    """Print what a pass did: one JSON object, or lines; nothing for a quiet success."""
    if session.json:
        output.emit_json(form)
    elif not session.quiet:
        lines = [line for origin, dreamt in done.dreams for line in _lines(session, origin, dreamt)]
        output.emit_lines(lines)
    if done.busy:
        session.note(f"another pass is running; this {verb} leaves it at that")
    if done.due is not None:
        session.note(f"not due before {iso(done.due)}")
    if not done.dreams and not done.busy and done.due is None:
        session.note("nothing to tend: no facts yet")
    for origin, dreamt in done.dreams:
        _warn(session, origin, dreamt)
    if dry_run and done.dreams:
        session.note("dry run: nothing was written")


def _warn(session: Session, origin: Origin, dreamt: Dreamt) -> None:
    """Say on stderr, even quietly, that the limit of loss has stopped a pass."""
    plan = dreamt.plan
    if plan.refused:
        share = plan.refused / plan.reflected
        session.caution(
            "max_loss",
            f"{output.shown_origin(origin.key)}: refused to archive {plan.refused:,} of "
            f"{plan.reflected:,} facts ({share:.0%}), more than --max-loss allows",
            hint="look at it with --dry-run --max-loss 1, and let it happen with a higher "
            "--max-loss",
        )
    if dreamt.skipped:
        what = "1 change" if dreamt.skipped == 1 else f"{dreamt.skipped:,} changes"
        session.note(f"{what} left out: the facts changed meanwhile")


def _lines(session: Session, origin: Origin, dreamt: Dreamt) -> list[str]:
    plan = dreamt.plan
    # The texts of another origin are not the viewer's to read.
    shown = _clipped if origin == session.viewer else _hidden
    count = "1 fact" if plan.reflected == 1 else f"{plan.reflected:,} facts"
    lines = [f"{output.shown_origin(origin.key)}: {count}, {run.summary(plan)}"]
    for label, rows in _details(plan, shown):
        most = _LINKS_LISTED if label == "linked" else _LISTED
        limit = len(rows) if session.verbose else most
        for row in rows[:limit]:
            first, *more = row.split("\n")
            lines += [f"  {label:<10}{first}", *(f"  {'':<10}{line}" for line in more)]
        if len(rows) > limit:
            lines.append(f"  {label:<10}… and {len(rows) - limit:,} more (--verbose)")
    if dreamt.batch is not None and plan.proposals:
        undo = session.call("undo", str(dreamt.batch), origin=origin)
        lines.append(f"  batch {dreamt.batch}: `{undo}` takes it back")
    return lines


def _details(plan: DreamPlan, shown: Callable[[Fact], str]) -> list[tuple[str, list[str]]]:
    return [
        (
            "confirmed",
            [
                f"{shown(item.after)} (said or used {item.said}×, corrected {item.corrected}×)"
                for item in plan.confirms
            ],
        ),
        (
            "merged",
            [
                f"{shown(item.loser)}\n  into {shown(item.keeper)} (cosine {item.cosine:.3f})"
                for item in plan.merges
            ],
        ),
        (
            "linked",
            [
                f"{shown(item.source)}\n  and {shown(item.target)} (cosine {item.cosine:.3f})"
                for item in plan.relates
                if item.source.id < item.target.id
            ],
        ),
        *(
            (
                label,
                [
                    f"{shown(item.fact)} (strength {item.strength:.3f}, {item.days:.0f} days old)"
                    for item in fades
                    if item.becomes == becomes
                ],
            )
            for label, fades, becomes in (
                ("evicted", plan.fades, "archived"),
                ("archived", plan.swept, "archived"),
                ("pruned", plan.swept, "pruned"),
            )
        ),
    ]


def _clipped(fact: Fact) -> str:
    text = " ".join(fact.content.split())
    return f"{fact.id} [{fact.segment}] {text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}"


def _hidden(fact: Fact) -> str:
    return fact.id


def confirmed_form(plan: DreamPlan) -> list[dict[str, Any]]:
    """Return the confirmations as objects, with what each fact was before."""
    return [
        {
            "id": item.before.id,
            "prior": {name: fact_form(item.before)[name] for name in _PROMOTED},
            "said": item.said,
            "corrected": item.corrected,
        }
        for item in plan.confirms
    ]


def refused_form(settings: Settings, plan: DreamPlan) -> dict[str, Any] | None:
    """Return what the limit of loss has stopped, as an object."""
    if not plan.refused:
        return None
    return {"facts": plan.refused, "of": plan.reflected, "max_loss": settings.max_loss}


def ids(facts: Sequence[Fact]) -> list[str]:
    """Return the ids of facts."""
    return [fact.id for fact in facts]
