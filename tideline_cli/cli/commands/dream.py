"""tideline dream and tideline gc."""

from __future__ import annotations

from tideline_cli.cli import hook_turns, passes
from tideline_cli.cli.options import Argument, OptionSet, choice, count, duration, flag, share
from tideline_cli.cli.passes import PassRequest
from tideline_cli.cli.session import Session
from tideline_cli.cli.verbs import Verb
from tideline_cli.dream.plan import ALL_STAGES, ARCHIVE_BELOW, DEFAULTS, STAGES, SWEEP, Settings
from tideline_cli.model.instant import DAY_MS
from tideline_cli.ranking.fading import FLOOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.dream.plan import DreamPlan

HELP = """Let the memory tend itself: confirm, merge, link, evict.

Deterministic and without a model. Beliefs in a slot that were said or corrected often are
confirmed; facts that say the same become one; facts that are much alike are linked; old facts
that nobody used for long are archived, but not what you typed. Nothing is deleted but turns of
sessions (see the setting sessions_keep), and `tideline undo` takes the rest back. Every origin is
tended by itself, all of them unless --origin names one, also in databases that origins have of
their own (see config): one that fails keeps none from the others, and the exit code is that of the
first that failed. The stage gc, the decay sweep, runs only when it is named.

A dream that would archive more than --max-loss of an origin archives nothing there and says so,
once for the same number. With --quiet a success prints nothing, which suits cron (see `tideline
schedule`), unless it archived something that a person typed."""
EXAMPLES = (("--dry-run", ""), ("--stage confirm --stage relate", ""), ("--if-due --quiet", ""))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(OptionSet):
    """The options of a call."""

    dry_run = flag("Show what would change, and change nothing.", short="-n")
    stage = choice(ALL_STAGES)("Run this stage only (may be given more than once).", many=True)
    confirm_count = count(
        f"How often a belief must be said or corrected [default: {DEFAULTS.confirm_count}].",
        default=DEFAULTS.confirm_count, least=1,
    )  # fmt: skip
    merge_at = share(
        f"Cosine from which two facts say the same [default: {DEFAULTS.merge_at:.2f}].",
        default=DEFAULTS.merge_at,
    )
    relate_at = share(
        "Cosine from which two facts are linked; 1 links none [default: "
        f"{DEFAULTS.relate_at:.2f}].",
        default=DEFAULTS.relate_at,
    )
    evict_below = share(
        f"Strength below which old facts are archived [default: {DEFAULTS.evict_below:.2f}].",
        default=DEFAULTS.evict_below,
    )
    evict_after = duration(
        "How old they must be; what you typed yourself stays, unless the setting "
        f"evict_after_owner says how old it gets [default: {DEFAULTS.evict_after_ms // DAY_MS}d].",
        default=DEFAULTS.evict_after_ms,
    )
    max_loss = share(
        f"Share of an origin's facts that one run may archive [default: {DEFAULTS.max_loss:.2f}].",
        default=DEFAULTS.max_loss,
    )
    all_origins = flag("Tend every origin, although --origin names the owner.")
    pending = flag(
        "First distil the conversations that hooks have noted: see extract --pending.",
        excludes=("dry_run",),
    )
    sync = flag(
        "Sync with the places of before first, and again at the end: see `tideline sync`.",
        excludes=("dry_run",),
    )
    if_due = flag("Only if the last dream is a day old [setting: dream_interval].")


def run(session: Session, _: list[str], options: Options) -> int:
    """Dream."""
    if passes.is_frozen(session):
        return 0
    if (options.sync or options.pending) and session.reading() is None:
        session.check_memory_is_there()
    if options.sync:
        _sync(session)
    if options.pending:
        from tideline_cli.cli.commands import extract  # noqa: PLC0415  when it is asked for

        extract.distil_waiting(session)
    stages = tuple(name for name in ALL_STAGES if name in options.stage) or STAGES
    settings = Settings(
        stages, options.confirm_count, options.merge_at, options.relate_at, options.evict_below,
        options.evict_after, options.max_loss, session.config.get("evict_after_owner"),
    )  # fmt: skip
    interval = session.setting("dream_interval", DAY_MS) if options.if_due else None
    asked = PassRequest("dream", settings, options.dry_run, options.all_origins, interval)
    done = passes.run_passes(session, asked)
    form = {
        "origins": passes.origin_forms(done, settings, _form),
        **passes.run_form(session, asked, done),
    }
    if not (options.dry_run or done.busy or done.due):
        is_for_all = passes.is_for_all(session, all_origins=options.all_origins)
        hook_turns.retain(session, all_origins=is_for_all)
    passes.report_passes(session, asked, done, form)
    if options.sync:
        _sync(session)
    return 0


def _sync(session: Session) -> None:
    """Meet the other machines. A failure is told, and the dream goes on."""
    from tideline_cli.cli.commands.sync import meetings  # noqa: PLC0415  when it is asked for

    meetings.around_a_pass(session)


def _form(plan: DreamPlan) -> dict[str, Any]:
    """Return what a dream says of one origin."""
    changed = passes.changes(plan)
    merged, evicted = (passes.change_forms(changed, label) for label in ("merged", "evicted"))
    swept = [item.fact.id for item in plan.swept]
    return {
        "reflected": plan.reflected,
        "confirmed": passes.change_forms(changed, "confirmed"),
        "consolidated": merged,
        "related": len(plan.relates),
        "relations": passes.change_forms(changed, "linked"),
        "evicted": evicted,
        "archived": [*(one["merged"] for one in merged), *evicted, *swept],
    }


class GcOptions(OptionSet):
    """The options of a call."""

    dry_run = flag("Show what would change, and change nothing.", short="-n")
    max_loss = share("Share of an origin's facts that one run may take [default: 1].", default=1.0)
    all_origins = flag("Sweep every origin, although --origin names the owner.")


def _gc(session: Session, _: list[str], options: GcOptions) -> int:
    """Sweep."""
    if passes.is_frozen(session):
        return 0
    settings = Settings(
        stages=(SWEEP,), max_loss=options.max_loss,
        evict_after_owner_ms=session.config.get("evict_after_owner"),
    )  # fmt: skip
    asked = PassRequest("gc", settings, options.dry_run, options.all_origins)
    done = passes.run_passes(session, asked)
    origins = passes.origin_forms(done, settings, _sweep_form)
    form = {
        "origins": origins,
        "archived": sum(len(row["archived"]) for row in origins),
        "pruned": sum(len(row["pruned"]) for row in origins),
        "kept": sum(row["kept"] for row in origins),
        **passes.run_form(session, asked, done),
    }
    passes.report_passes(session, asked, done, form)
    return 0


def _sweep_form(plan: DreamPlan) -> dict[str, Any]:
    """Return what a sweep says of one origin."""
    changed = passes.changes(plan)
    return {
        "archived": passes.change_forms(changed, "archived"),
        "pruned": passes.change_forms(changed, "pruned"),
        "kept": plan.reflected - len(plan.swept),
    }


GC = Verb(
    f"""Archive what has faded: the decay sweep.

Facts of the long tier below a strength of {FLOOR} are archived; others below {FLOOR} are pruned,
below {ARCHIVE_BELOW} archived. The permanent tier, pinned and confirmed facts are immune, and so is
what you typed (see the setting evict_after_owner). Pruned facts are out of every answer, also of
those about the past; `tideline restore` brings either back, and `tideline undo` the whole sweep.
All origins, each by itself, unless --origin names one.""",
    (("--dry-run", ""), ("--max-loss 0.1", "")), (),
    GcOptions, _gc,
)  # fmt: skip
