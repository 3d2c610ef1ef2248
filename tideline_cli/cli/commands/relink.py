"""tideline relink."""

from __future__ import annotations

from tideline_cli.cli import model_options, output
from tideline_cli.cli.model_options import ModelOptions
from tideline_cli.cli.options import flag
from tideline_cli.cli.passes import is_frozen
from tideline_cli.errors import UsageError
from tideline_cli.exchange import relink
from tideline_cli.llm import prompts
from tideline_cli.memory.secret_screening import replacement_note
from tideline_cli.policy import prompt_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.options import Argument
    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.relink import RelinkResult

HELP = """Let a model join facts that bear on one another.

It reads the 200 newest facts of this origin, 40 at a time, and is asked twice about each 40. An
edge needs a stated reason; edges that are there already stay as they are. Where a reply cannot be
read or none comes, what came of the others is stored, and the command ends with 6."""
EXAMPLES = (("", "--llm 'llm -m gpt-4o-mini'"), ("", "--dry-run"))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(ModelOptions):
    """The options of a call."""

    dry_run = flag("Print what would be sent; ask and write nothing.", short="-n")


def run(session: Session, _: list[str], options: Options) -> int:
    """Join facts."""
    if is_frozen(session):
        return 0
    if options.dry_run:
        return _show(session)
    model = model_options.chosen(session, options)
    if model is None:
        raise UsageError("no model to ask", hint="name one with --llm, or --model and --base-url")
    if session.reading() is None:
        result = relink.RelinkResult(0)
    else:
        ask = model_options.asker(session, model)
        result = relink.relink(session.writing(), viewer=session.viewer, now=session.now, ask=ask)
    _report(session, result)
    if result.failure is not None:
        raise result.failure
    return 0


def _show(session: Session) -> int:
    db = session.reading()
    listed = [] if db is None else relink.considered(db, viewer=session.viewer)
    groups = relink.windows(listed)
    if session.json:
        sent = [{"system": prompts.RELINK, "prompt": prompt_lines.lines(group)} for group in groups]
        output.emit_json({**_form(relink.RelinkResult(len(listed)), dry_run=True),
                          "windows": len(groups), "prompts": sent})  # fmt: skip
        return 0
    if not groups:
        session.note("fewer than two facts: nothing would be sent")
    for number, group in enumerate(groups, 1):
        output.emit_lines([f"# window {number} of {len(groups)}", *prompts.RELINK.split("\n"), "",
                           *prompt_lines.lines(group).split("\n")])  # fmt: skip
    return 0


def _report(session: Session, result: RelinkResult) -> None:
    if result.secrets:
        session.note(replacement_note(result.secrets))
    if session.json:
        output.emit_json(_form(result, dry_run=False))
    elif result.considered < 2:
        session.note("fewer than two facts: nothing to join")
    else:
        call = session.call("undo", str(result.batch))
        undo = f" (batch {result.batch}; `{call}` takes it back)"
        line = f"{result.links:,} new edges among {result.considered:,} facts"
        output.emit_lines([line + (undo if result.batch else "")])
    if result.failure is not None and not session.json:
        session.note(f"{result.skipped} of {result.windows} windows skipped")


def _form(result: RelinkResult, *, dry_run: bool) -> dict[str, Any]:
    return {
        "considered": result.considered,
        "windows": result.windows,
        "skipped_windows": result.skipped,
        "links": result.links,
        "batch": result.batch,
        "dry_run": dry_run,
    }
