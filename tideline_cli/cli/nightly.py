"""What a scheduled dream does first: it works off the conversations that hooks have noted."""

from __future__ import annotations

from tideline_cli.cli import model_options, pending
from tideline_cli.cli.commands import extract
from tideline_cli.cli.options import completed
from tideline_cli.errors import TidelineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session


def distil(session: Session) -> None:
    """Distil what waits, by the model of the settings, with no word on stdout; without a model
    identifiers alone are found."""
    if not pending.listed(session):
        return
    options = extract.Options(**completed({"pending": True}, extract.OPTIONS))
    try:
        model = model_options.chosen(session, options)
        ask = None if model is None else model_options.asker(model)
        done = pending.distil_all(session, lambda one: extract.job_of(session, one, options), ask)
    except TidelineError as error:
        session.caution(error.code, f"not all conversations were distilled: {error.message}",
                        hint=error.hint)  # fmt: skip
        return
    stored = sum(form["stored"] for form in done)
    if done:
        session.note(f"{len(done):,} conversations distilled, {stored:,} facts stored")
