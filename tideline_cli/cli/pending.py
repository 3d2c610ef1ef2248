"""`extract --pending`: the conversations that hooks have noted, one after the other."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import extraction, output
from tideline_cli.config.git_root import repository
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.model.scope import scope_key
from tideline_cli.serve import queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tideline_cli.cli.extraction import Job
    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.extract.passes import Ask
    from tideline_cli.exchange.extract.types import Tally
    from tideline_cli.serve.queue import Waiting


def scope_of(waiting: Waiting) -> str | None:
    """Return the scope of a conversation: the name of the repository that it was held in."""
    return scope_key(repository(waiting.folder) or "") if waiting.folder else None


def listed(session: Session) -> list[Waiting]:
    """Return the conversations that wait for this memory and this origin."""
    return [
        one for one in queue.waiting(config.state_folder(os.environ))
        if (one.database, one.origin) == (session.database, session.viewer.key)
    ]  # fmt: skip


def show(session: Session) -> None:
    """Print what waits."""
    found = listed(session)
    if session.json:
        output.emit_json({"pending": [one.transcript for one in found], "dry_run": True})
    elif found:
        output.emit_lines([f"{one.client}\t{one.transcript}" for one in found])
    else:
        session.note("no conversation waits")


def work_off(session: Session, job_of: Callable[[Waiting], Job], ask: Ask | None) -> int:
    """Distil what waits, and print what became of it."""
    is_idle = not listed(session)
    forms = distil_all(session, job_of, ask, says=not session.json)
    if session.json:
        left = len(listed(session))
        output.emit_json({"conversations": forms, "pending": left, "dry_run": False})
    elif is_idle:
        session.note("no conversation waits")
    return 0


def distil_all(
    session: Session, job_of: Callable[[Waiting], Job], ask: Ask | None, *, says: bool = False
) -> list[dict[str, Any]]:
    """Distil what waits, and return what became of each. What a model failed at goes on waiting;
    what is gone or is no conversation does not, and is told."""
    forms: list[dict[str, Any]] = []
    failure: TidelineError | None = None
    for one in listed(session):
        try:
            if not os.path.exists(one.transcript):
                raise UsageError(f"{one.transcript} is gone")
            job = job_of(one)
        except UsageError as error:
            session.note(f"left out: {error.message}")
            _take_off(one)
            continue
        done = extraction.distilled(session, job, ask)
        if done is None:
            session.note("as many extractions run as may: the rest goes on waiting")
            break
        forms.append(_told(session, *done, says=says))
        if done[1].failure is None:
            _take_off(one)
        failure = failure or done[1].failure
    if failure is not None:
        raise failure
    return forms


def _told(session: Session, job: Job, tally: Tally, *, says: bool) -> dict[str, Any]:
    form = extraction.form(job, tally)
    if tally.secrets:
        session.note(f"{tally.secrets:,} passwords, keys or card numbers were left out")
    if (tally.changes() or tally.blocked) and says:
        output.emit_lines([extraction.sentence(session, job, tally)])
    return form


def _take_off(one: Waiting) -> None:
    queue.done(config.state_folder(os.environ), (one.line,))
