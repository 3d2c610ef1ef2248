"""tideline gc."""

from __future__ import annotations

from tideline_cli.cli import freeze, passes
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.dream.plan import SWEEP, Settings
from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.passes import PassRun

HELP = """Archive what has faded: the decay sweep.

Facts of the long tier below a strength of 0.05 are archived; others below 0.05 are pruned, below
0.15 archived. The permanent tier, pinned and confirmed facts are immune. Pruned facts are out of
every answer, also of those about the past; `tideline restore` brings either back, and `tideline
undo` the whole sweep. All origins, each by itself, unless --origin names one."""
EXAMPLES = (("--dry-run", ""), ("--max-loss 0.1", ""))
ARGUMENTS: tuple[Argument, ...] = ()
OPTIONS = (
    Option("dry_run", ("--dry-run", "-n"), "Show what would change, and change nothing.", "flag",
           False),
    Option("max_loss", ("--max-loss",), "Share of an origin's facts that one run may take "
           "[default: 1].", "share", 1.0),
    Option("all_origins", ("--all-origins",), "Sweep every origin, although --origin names the "
           "owner.", "flag", False),
)  # fmt: skip


def run(
    session: Session, *, words: list[str], dry_run: bool, max_loss: float, all_origins: bool
) -> int:
    """Sweep."""
    if words:
        raise UsageError("gc takes no words", hint="tideline gc --dry-run")
    if freeze.is_frozen(session):
        return 0
    settings = Settings(stages=(SWEEP,), max_loss=max_loss)
    done = passes.run_passes(
        session, settings, verb="gc", dry_run=dry_run, all_origins=all_origins
    )
    form = _form(session, done, settings, dry_run)
    passes.report(session, done, verb="gc", dry_run=dry_run, form=form)
    return 0


def _form(session: Session, done: PassRun, settings: Settings, dry_run: bool) -> dict[str, Any]:
    origins: list[dict[str, Any]] = [
        {
            "origin": origin.key,
            "archived": [i.fact.id for i in dreamt.plan.swept if i.becomes == "archived"],
            "pruned": [i.fact.id for i in dreamt.plan.swept if i.becomes == "pruned"],
            "kept": dreamt.plan.reflected - len(dreamt.plan.swept),
            "refused": passes.refused_form(settings, dreamt.plan),
            "skipped": dreamt.skipped,
            "batch": dreamt.batch,
        }
        for origin, dreamt in done.dreams
    ]
    form: dict[str, Any] = {
        "origins": origins,
        "archived": sum(len(row["archived"]) for row in origins),
        "pruned": sum(len(row["pruned"]) for row in origins),
        "kept": sum(row["kept"] for row in origins),
        "dry_run": dry_run,
        "batch": done.batch_of(session.viewer),
    }
    if done.busy:
        form["running"] = True
    return form
