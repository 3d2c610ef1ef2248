"""tideline gc."""

from __future__ import annotations

from tideline_cli.cli import passes
from tideline_cli.cli.options import Argument, OptionSet, flag, share
from tideline_cli.cli.passes import PassRequest
from tideline_cli.cli.session import Session
from tideline_cli.dream.plan import ARCHIVE_BELOW, SWEEP, Settings
from tideline_cli.errors import UsageError
from tideline_cli.ranking.fading import FLOOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.dream.plan import DreamPlan

HELP = f"""Archive what has faded: the decay sweep.

Facts of the long tier below a strength of {FLOOR} are archived; others below {FLOOR} are pruned,
below {ARCHIVE_BELOW} archived. The permanent tier, pinned and confirmed facts are immune, and so is
what you typed (see the setting evict_after_owner). Pruned facts are out of every answer, also of
those about the past; `tideline restore` brings either back, and `tideline undo` the whole sweep.
All origins, each by itself, unless --origin names one."""
EXAMPLES = (("--dry-run", ""), ("--max-loss 0.1", ""))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(OptionSet):
    """The options of a call."""

    dry_run = flag("Show what would change, and change nothing.", short="-n")
    max_loss = share("Share of an origin's facts that one run may take [default: 1].", default=1.0)
    all_origins = flag("Sweep every origin, although --origin names the owner.")


def run(session: Session, words: list[str], options: Options) -> int:
    """Sweep."""
    if words:
        raise UsageError("gc takes no words", hint="tideline gc --dry-run")
    if passes.is_frozen(session):
        return 0
    settings = Settings(
        stages=(SWEEP,), max_loss=options.max_loss,
        evict_after_owner_ms=session.config.get("evict_after_owner"),
    )  # fmt: skip
    asked = PassRequest("gc", settings, options.dry_run, options.all_origins)
    done = passes.run_passes(session, asked)
    origins = passes.origin_forms(done, settings, _form)
    form = {
        "origins": origins,
        "archived": sum(len(row["archived"]) for row in origins),
        "pruned": sum(len(row["pruned"]) for row in origins),
        "kept": sum(row["kept"] for row in origins),
        **passes.run_form(session, asked, done),
    }
    passes.report_passes(session, asked, done, form)
    return 0


def _form(plan: DreamPlan) -> dict[str, Any]:
    """Return what a sweep says of one origin."""
    changed = passes.changes(plan)
    return {
        "archived": passes.change_forms(changed, "archived"),
        "pruned": passes.change_forms(changed, "pruned"),
        "kept": plan.reflected - len(plan.swept),
    }
