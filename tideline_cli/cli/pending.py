"""`extract --pending`: the conversations that hooks have noted, one after the other."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import extraction, output
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.model import instant
from tideline_cli.serve import hook_log, queue
from tideline_cli.system import NONBLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tideline_cli.cli.extraction import Job
    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.extract.passes import Ask
    from tideline_cli.exchange.extract.types import Tally
    from tideline_cli.serve.queue import Waiting


def listed(session: Session) -> list[Waiting]:
    """Return the conversations that wait for this memory and this origin."""
    return queue.waiting(config.state_folder(os.environ), _whose(session))


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
    forms = distil_all(session, job_of, ask, says=not (session.json or session.quiet))
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
    what is gone or cannot be distilled does not, and is told."""
    forms: list[dict[str, Any]] = []
    failure: TidelineError | None = None
    for one in listed(session):
        job = _job(session, job_of, one)
        if job is None:
            continue
        done = extraction.distilled(session, job, ask)
        if done is None:
            session.note("as many extractions run as may: the rest goes on waiting")
            break
        forms.append(_told(session, *done, says=says))
        if done[1].failure is None:
            _take_off(session, one)
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


def _job(session: Session, job_of: Callable[[Waiting], Job], one: Waiting) -> Job | None:
    """Return what is to be done for a conversation, None where its file cannot be used. One that
    is there and may not be read goes on waiting."""
    try:
        os.close(os.open(one.transcript, os.O_RDONLY | NONBLOCK))
    except FileNotFoundError:
        _leave_out(session, one, f"{one.transcript} is gone")
        return None
    except OSError as error:
        _tell(session, one, f"goes on waiting: cannot read {one.transcript}: {error.strerror}")
        return None
    try:
        return job_of(one)
    except UsageError as error:
        is_named = one.transcript in error.message
        where = "" if is_named else f"{one.transcript}: "
        _leave_out(session, one, f"{where}{error.message}")
        return None


def _leave_out(session: Session, one: Waiting, why: str) -> None:
    """Take a conversation out of the queue that cannot be distilled."""
    _tell(session, one, f"left out: {why}")
    _take_off(session, one)


def _tell(session: Session, one: Waiting, what: str) -> None:
    """Say what becomes of a conversation, here and where `status` shows it: at night nobody
    listens."""
    session.caution("pending", what)
    log = hook_log.path_of(config.state_folder(os.environ), session.viewer.key)
    hook_log.note(log, one.client, what, now=instant.now_ms())


def _take_off(session: Session, one: Waiting) -> None:
    queue.done(config.state_folder(os.environ), _whose(session), (one.line,))


def _whose(session: Session) -> queue.Whose:
    return queue.Whose(session.real_database, session.viewer.key)
