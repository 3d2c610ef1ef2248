"""Dream, gc and consolidate: over which origins they run, one at a time, and what they say of the
changes that they made; and the switch that freezes every pass."""

from __future__ import annotations

import os
import sys
from time import monotonic

from tideline_cli.cli import output
from tideline_cli.cli.messages import tell
from tideline_cli.config import switch
from tideline_cli.dream import run
from tideline_cli.errors import Interrupted, UsageError
from tideline_cli.model.codec import fact_form
from tideline_cli.model.finding import some
from tideline_cli.model.instant import iso
from tideline_cli.model.origin import Origin
from tideline_cli.model.record import record
from tideline_cli.model.source import is_typed
from tideline_cli.store import locks, notices, passes, stats
from tideline_cli.store.visibility import NOBODY, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.dream.plan import DreamPlan, Settings
    from tideline_cli.dream.run import Dreamt
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.proposal import Confirm, Fade


@record
class PassRequest:
    """What a command asks of a pass. With an `interval`, origins whose last pass is younger are
    left alone."""

    verb: str
    settings: Settings
    dry_run: bool
    all_origins: bool
    interval: int | None = None


@record
class PassRun:
    """What a pass did in each origin. `busy` says that another pass is running; `due` is when the
    next one is due, where this one was not."""

    dreams: tuple[tuple[Origin, Dreamt], ...] = ()
    busy: bool = False
    due: int | None = None

    def batch_of(self, viewer: Origin) -> int | None:
        """Return the batch of the viewer's own origin."""
        return next((done.batch for origin, done in self.dreams if origin == viewer), None)


def run_passes(session: Session, asked: PassRequest) -> PassRun:
    """Run a pass over the viewer's origin, or over every origin in turn, one at a time."""
    check_right(session, all_origins=asked.all_origins)
    db = session.reading()
    if db is None:
        session.check_memory_is_there()
        return PassRun()
    if asked.dry_run:
        return _over_origins(session, db, asked)
    session.close()
    db = session.writing()
    lock = locks.attempt(db.filename, locks.DREAM)
    if lock is None:
        return PassRun(busy=True)
    try:
        return _over_origins(session, db, asked)
    finally:
        locks.release(lock)


def is_watched(session: Session) -> bool:
    """Say whether somebody reads at once what a pass says of itself."""
    return sys.stdout.isatty() and not session.quiet


def check_right(session: Session, *, all_origins: bool) -> None:
    """Raise UsageError when somebody else than the owner asks for all origins."""
    if all_origins and not session.viewer.is_owner:
        raise UsageError("only the owner may tend all origins", hint="leave out --all-origins")


def is_for_all(session: Session, *, all_origins: bool) -> bool:
    """Say whether a pass is for all origins: for an owner who names none, or asks for them."""
    return all_origins or (session.viewer.is_owner and not session.names_origin)


def origins_to_tend(session: Session, db: Connection, *, all_origins: bool) -> list[Origin]:
    """Return the viewer's own origin; where the pass is for all, also the others that hold facts.
    Of a database that some origins have of their own, these."""
    if session.tended:
        return [origin for origin in session.tended if number(db, origin) != NOBODY]
    viewer = session.viewer  # a member of a memory on a server may see others, and not the owner
    own = [viewer] if number(db, viewer) != NOBODY else []
    if not is_for_all(session, all_origins=all_origins):
        return own
    others = [Origin(key) for key, active in stats.origins(db) if active]
    return [*own, *(origin for origin in others if origin != viewer)]


def _over_origins(session: Session, db: Connection, asked: PassRequest) -> PassRun:
    done: list[tuple[Origin, Dreamt]] = []
    due: list[int] = []
    for origin in origins_to_tend(session, db, all_origins=asked.all_origins):
        next_due = _next_due(session, db, asked, origin)
        if next_due is not None:
            due.append(next_due)
            continue
        dreamt = _dream(session, db, asked, origin)
        done.append((origin, dreamt))
        if dreamt.batch is not None and dreamt.archived and not is_watched(session):
            notices.add(db, dreamt.batch, facts=len(dreamt.archived), viewer=origin)
    return PassRun(tuple(done), False, min(due) if due and not done else None)


def _dream(session: Session, db: Connection, asked: PassRequest, origin: Origin) -> Dreamt:
    """Run the pass over one origin; where the user stops it, say how far it came."""
    try:
        return run.dream(
            db, asked.settings, viewer=origin, now=session.now, dry_run=asked.dry_run,
            verb=asked.verb, progress=_progress(session),
        )  # fmt: skip
    except Interrupted:
        raise
    except KeyboardInterrupt as stop:
        hint = f"run `tideline {asked.verb}` again"
        raise Interrupted("no fact of this origin was changed", hint=hint) from stop


def _next_due(session: Session, db: Connection, asked: PassRequest, origin: Origin) -> int | None:
    """Return when the next pass of an origin is due, None where it is due now."""
    if asked.interval is None:
        return None
    last = passes.last_pass(db, asked.verb, viewer=origin)
    if last is None or not 0 <= session.now - last < asked.interval:
        return None
    return last + asked.interval


def _progress(session: Session) -> Callable[[int, int], None] | None:
    if not session.is_watched:
        return None
    began = monotonic()

    def show(done: int, of: int) -> None:
        end = "\r\x1b[K" if done >= of else ""
        rate = done / max(monotonic() - began, 1e-3)
        tell(f"\r\x1b[Kcomparing {done:,} of {of:,} facts, {rate:,.0f}/s{end}")
        sys.stderr.flush()

    return show


LABELS = ("confirmed", "merged", "linked", "evicted", "archived", "pruned")
"""The kinds of changes, in the order of the lines."""
_LISTED = 20  # changes of one kind; --verbose shows all
_LINKS_LISTED = 5
_BETWEEN = {"merged": "into", "linked": "and"}
_PROMOTED = ("confidence", "status", "importance")


@record
class Change:
    """One change of a plan: its kind, the fact or the two facts that it is about, why it is made,
    and its form in JSON (of a fact that goes, the id)."""

    label: str
    facts: tuple[Fact, ...]
    why: str
    form: Any


def changes(plan: DreamPlan) -> dict[str, list[Change]]:
    """Return the changes of a plan by their kind."""
    listed = [
        *(_confirmed(item) for item in plan.confirms),
        *(
            _alike("merged", (item.loser, item.keeper), item.cosine,
                   {"kept": item.keeper.id, "merged": item.loser.id})
            for item in plan.merges
        ),
        *(
            _alike("linked", (item.source, item.target), item.cosine,
                   {"from": item.source.id, "to": item.target.id})
            for item in plan.relates
        ),
        *(_gone("evicted", item) for item in plan.fades),
        *(_gone(item.becomes, item) for item in plan.swept),
    ]  # fmt: skip
    return {name: [one for one in listed if one.label == name] for name in LABELS}


def _confirmed(item: Confirm) -> Change:
    before = fact_form(item.before)
    form = {
        "id": item.before.id, "prior": {name: before[name] for name in _PROMOTED},
        "said": item.said, "corrected": item.corrected,
    }  # fmt: skip
    why = f"said or used {item.said}×, corrected {item.corrected}×"
    return Change("confirmed", (item.after,), why, form)


def _alike(label: str, pair: tuple[Fact, Fact], cosine: float, ends: dict[str, str]) -> Change:
    return Change(label, pair, f"cosine {cosine:.3f}", {**ends, "cosine": cosine})


def _gone(label: str, item: Fade) -> Change:
    why = f"strength {item.strength:.3f}, {item.days:.0f} days old"
    return Change(label, (item.fact,), why, item.fact.id)


def change_forms(changed: Mapping[str, list[Change]], label: str) -> list[Any]:
    """Return the changes of one kind as JSON."""
    return [one.form for one in changed[label]]


def origin_forms(
    done: PassRun, settings: Settings, own: Callable[[DreamPlan], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return an object for each origin; `own` gives what only this command says of a plan."""
    return [
        {
            "origin": origin.key,
            **own(dreamt.plan),
            "refused": _refused(settings, dreamt.plan),
            "skipped": dreamt.skipped,
            "batch": dreamt.batch,
        }
        for origin, dreamt in done.dreams
    ]


def run_form(session: Session, asked: PassRequest, done: PassRun) -> dict[str, Any]:
    """Return what the object of a command says of the whole run."""
    form: dict[str, Any] = {"dry_run": asked.dry_run, "batch": done.batch_of(session.viewer)}
    if done.busy:
        form["running"] = True
    if done.due is not None:
        form["next_due"] = iso(done.due)
    return form


def _refused(settings: Settings, plan: DreamPlan) -> dict[str, Any] | None:
    """Return what the limit of loss has stopped, as an object."""
    if not plan.refused:
        return None
    return {"facts": plan.refused, "of": plan.reflected, "max_loss": settings.max_loss}


def report_passes(
    session: Session, asked: PassRequest, done: PassRun, form: Mapping[str, Any]
) -> None:
    """Print what a pass did: one JSON object, or lines; nothing for a quiet success."""
    if session.json:
        output.emit_json(form)
    elif not session.quiet:
        output.emit_lines([
            line for origin, dreamt in done.dreams
            for line in _pass_lines(session, origin, dreamt)
        ])  # fmt: skip
    if done.busy:
        session.note(f"another pass is running; this {asked.verb} leaves it at that")
    if done.due is not None:
        session.note(f"not due before {iso(done.due)}")
    if not done.dreams and not done.busy and done.due is None:
        session.note("nothing to tend: no facts yet")
    for origin, dreamt in done.dreams:
        _warn_of_pass(session, asked, origin, dreamt)
    if asked.dry_run and done.dreams:
        session.note("dry run: nothing was written")


def _warn_of_pass(session: Session, asked: PassRequest, origin: Origin, dreamt: Dreamt) -> None:
    """Say on stderr, even quietly, what a person typed is gone, and that the limit of loss has
    stopped a pass, unless the one before it was stopped alike."""
    plan = dreamt.plan
    tell_typed(session, origin, dreamt.archived, dreamt.batch)
    if plan.refused and not dreamt.refused_before:
        share = plan.refused / plan.reflected
        look = session.call(asked.verb, "--dry-run", "--max-loss", "1", origin=origin)
        session.caution(
            "max_loss",
            f"{output.shown_origin(origin.key)}: refused to archive {plan.refused:,} of "
            f"{plan.reflected:,} facts ({share:.0%}), more than --max-loss allows",
            hint=f"`{look}` shows them, `tideline fading` what goes when; `tideline pin ID` keeps "
            "one; a higher --max-loss lets it happen",
        )
    if dreamt.skipped:
        session.note(f"{some(dreamt.skipped, 'change')} left out: the facts changed meanwhile")


def tell_typed(session: Session, origin: Origin, gone: Sequence[Fact], batch: int | None) -> None:
    """Say on stderr, even quietly, which facts a pass has archived that a person typed; without a
    batch nothing was done."""
    typed = [fact for fact in gone if is_typed(fact.source, fact.agent)]
    if not typed or batch is None:
        return
    shown = (_with_text if origin == session.viewer else _id_alone)(typed[0])
    count = some(len(typed), "fact")
    more = f", and {len(typed) - 1:,} more" if len(typed) > 1 else ""
    session.caution(
        "archived_typed",
        f"{output.shown_origin(origin.key)}: archived {count} that a person typed: {shown}{more}",
        hint=f"`{session.call('undo', str(batch), origin=origin)}` takes it back",
    )


def _pass_lines(session: Session, origin: Origin, dreamt: Dreamt) -> list[str]:
    plan = dreamt.plan
    # The texts of another origin are not the viewer's to read.
    shown = _with_text if origin == session.viewer else _id_alone
    count = some(plan.reflected, "fact")
    lines = [f"{output.shown_origin(origin.key)}: {count}, {run.summary(plan)}"]
    for label, rows in changes(plan).items():
        if label == "linked":  # an edge leads both ways, and is shown once
            rows = [row for row in rows if row.facts[0].id < row.facts[1].id]
        most = _LINKS_LISTED if label == "linked" else _LISTED
        limit = len(rows) if session.verbose else most
        for row in rows[:limit]:
            lines += _change_lines(row, shown)
        if len(rows) > limit:
            lines.append(f"  {label:<10}… and {len(rows) - limit:,} more (--verbose)")
    if dreamt.batch is not None and plan.proposals:
        undo = session.call("undo", str(dreamt.batch), origin=origin)
        lines.append(f"  batch {dreamt.batch}: `{undo}` takes it back")
    return lines


def _change_lines(change: Change, shown: Callable[[Fact], str]) -> list[str]:
    first, *more = (shown(fact) for fact in change.facts)
    rows = [first, *(f"  {_BETWEEN[change.label]} {text}" for text in more)]
    rows[-1] += f" ({change.why})"
    labels = (change.label, "")
    return [f"  {label:<10}{row}" for label, row in zip(labels, rows, strict=False)]


def _with_text(fact: Fact) -> str:
    return f"{fact.id} [{fact.segment}] {output.brief(fact)}"


def _id_alone(fact: Fact) -> str:
    return fact.id


FREEZE = "TIDELINE_DISABLE_EXTRACT"


def frozen_by_switch() -> bool:
    """Say whether passes are switched off."""
    return switch(os.environ, FREEZE)


def is_frozen(session: Session) -> bool:
    """Say whether passes are switched off, and tell the user so; the command then ends with 0."""
    if not frozen_by_switch():
        return False
    if session.json:
        output.emit_json({"frozen": True})
    session.note(f"frozen by {FREEZE}")
    return True
