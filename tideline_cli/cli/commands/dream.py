"""tideline dream."""

from __future__ import annotations

from tideline_cli.cli import freeze, passes
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.dream.plan import ALL_STAGES, STAGES, Settings
from tideline_cli.errors import UsageError
from tideline_cli.model.instant import DAY_MS, iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.passes import PassRun
    from tideline_cli.dream.run import Dreamt
    from tideline_cli.model.origin import Origin

HELP = """Let the memory tend itself: confirm, merge, link, evict.

Deterministic and without a model. Beliefs in a slot that were said or corrected often are
confirmed; facts that say the same become one; facts that are much alike are linked; old facts
that nobody used for long are archived. Nothing is deleted, and `tideline undo` takes a dream
back. Every origin is tended by itself, all of them unless --origin names one. The stage gc, the
decay sweep, runs only when it is named.

A dream that would archive more than --max-loss of an origin archives nothing there and says so.
With --quiet a success prints nothing, which suits cron: see `tideline schedule`."""
EXAMPLES = (("--dry-run", ""), ("--stage confirm --stage relate", ""), ("--if-due --quiet", ""))
ARGUMENTS: tuple[Argument, ...] = ()
OPTIONS = (
    Option("dry_run", ("--dry-run", "-n"), "Show what would change, and change nothing.", "flag",
           False),
    Option("stage", ("--stage",), "Run this stage only (may be given more than once).", "choice",
           many=True, choices=ALL_STAGES),
    Option("confirm_count", ("--confirm-count",),
           "How often a belief must be said or corrected [default: 3].", "count", 3, least=1),
    Option("merge_at", ("--merge-at",), "Cosine from which two facts say the same "
           "[default: 0.95].", "share", 0.95),
    Option("relate_at", ("--relate-at",), "Cosine from which two facts are linked; 1 links none "
           "[default: 0.80].", "share", 0.80),
    Option("evict_below", ("--evict-below",), "Strength below which old facts are archived "
           "[default: 0.05].", "share", 0.05),
    Option("evict_after", ("--evict-after",), "How old they must be [default: 30d].", "duration",
           30 * DAY_MS),
    Option("max_loss", ("--max-loss",), "Share of an origin's facts that one run may archive "
           "[default: 0.25].", "share", 0.25),
    Option("all_origins", ("--all-origins",), "Tend every origin, although --origin names the "
           "owner.", "flag", False),
    Option("if_due", ("--if-due",), "Only if the last dream is a day old [setting: "
           "dream_interval].", "flag", False),
)  # fmt: skip


def run(
    session: Session, *, words: list[str], dry_run: bool, stage: tuple[str, ...],
    confirm_count: int, merge_at: float, relate_at: float, evict_below: float, evict_after: int,
    max_loss: float, all_origins: bool, if_due: bool,
) -> int:  # fmt: skip
    """Dream."""
    if words:
        raise UsageError("dream takes no words", hint="tideline dream --dry-run")
    if freeze.is_frozen(session):
        return 0
    stages = tuple(name for name in ALL_STAGES if name in stage) or STAGES
    settings = Settings(
        stages, confirm_count, merge_at, relate_at, evict_below, evict_after, max_loss
    )
    done = passes.run_passes(
        session, settings, verb="dream", dry_run=dry_run, all_origins=all_origins,
        interval=session.setting("dream_interval", DAY_MS) if if_due else None,
    )  # fmt: skip
    form = _form(session, done, settings, dry_run)
    passes.report(session, done, verb="dream", dry_run=dry_run, form=form)
    return 0


def _form(session: Session, done: PassRun, settings: Settings, dry_run: bool) -> dict[str, Any]:
    form: dict[str, Any] = {
        "origins": [_origin_form(origin, dreamt, settings) for origin, dreamt in done.dreams],
        "dry_run": dry_run,
        "batch": done.batch_of(session.viewer),
    }
    if done.busy:
        form["running"] = True
    if done.due is not None:
        form["next_due"] = iso(done.due)
    return form


def _origin_form(origin: Origin, dreamt: Dreamt, settings: Settings) -> dict[str, Any]:
    plan = dreamt.plan
    evicted = passes.ids([item.fact for item in plan.fades])
    swept = passes.ids([item.fact for item in plan.swept])
    return {
        "origin": origin.key,
        "reflected": plan.reflected,
        "confirmed": passes.confirmed_form(plan),
        "consolidated": [
            {"kept": item.keeper.id, "merged": item.loser.id, "cosine": item.cosine}
            for item in plan.merges
        ],
        "related": len(plan.relates),
        "relations": [
            {"from": item.source.id, "to": item.target.id, "cosine": item.cosine}
            for item in plan.relates
        ],
        "evicted": evicted,
        "archived": [*passes.ids([item.loser for item in plan.merges]), *evicted, *swept],
        "refused": passes.refused_form(settings, plan),
        "skipped": dreamt.skipped,
        "batch": dreamt.batch,
    }
