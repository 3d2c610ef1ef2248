"""One extraction as a command sees it: its passes, its dry run, its report; and those that wait."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import model_costs, output
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.extract import passes, types
from tideline_cli.exchange.extract.conversation import ASSISTANT, USER, Message, Transcript
from tideline_cli.exchange.extract.store_reply import store_reply
from tideline_cli.exchange.extract.types import ExtractContext, Tally
from tideline_cli.model import instant
from tideline_cli.model.record import record, replace
from tideline_cli.policy import secrets
from tideline_cli.serve import costs, hook_state, queue, soon
from tideline_cli.store import locks
from tideline_cli.system import NONBLOCK, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.extract.passes import Ask, Distilled, Request
    from tideline_cli.model.origin import Origin
    from tideline_cli.serve.queue import Waiting
    from tideline_cli.store.cursors import Pass


MOST_TRIES = 5  # runs in which a model may fail at a conversation that does not go on
_SHOWN = 100  # characters of what is refused


@record
class Job:
    """What is to be done; `heard` says whether there is a conversation; a record of a failure
    alone moves no cursor."""

    heard: bool
    transcript: Transcript
    record: str | None
    context: ExtractContext
    min_new: int
    per_message: bool
    lessons: bool
    summary: bool = False

    @property
    def main_pass(self) -> Pass:
        return "items" if self.per_message else "facts"


def without_secrets(db: Connection | None, job: Job, tally: Tally) -> Job:
    """Return a job without the passwords, keys and card numbers of what is new to it."""
    transcript = job.transcript
    count = len(transcript.messages)
    names: list[Pass] = ["identifiers", job.main_pass, *(["lessons"] if job.lessons else [])]  # type: ignore[list-item]
    start = 0 if db is None else min(passes.beginning(db, job.context, one, count) for one in names)
    if job.summary:
        start = min(start, passes.covered_by_summary(db, job.context, count))
    messages = types.without_secrets(transcript.messages, start, tally)
    record = job.record
    if record is not None:
        record, found = secrets.without(record)
        tally.secrets += found
    return replace(job, transcript=replace(transcript, messages=tuple(messages)), record=record)


def distilled(session: Session, job: Job, ask: Ask | None) -> tuple[Job, Tally] | None:
    """Distil a conversation; return the job without its secrets, and what became of it. None where
    as many extractions run as may."""
    return distilled_in(session.writing(), job, ask, Tally())


def distilled_in(
    db: Connection, job: Job, ask: Ask | None, tally: Tally
) -> tuple[Job, Tally] | None:
    """Do the same in a store that is open for writing, and count it in `tally`."""
    lock = passes.place(db.filename)
    if lock is None:
        return None
    try:
        job = without_secrets(db, job, tally)
        if job.heard:
            passes.identify(
                db, job.context, job.transcript.messages, tally, alone=ask is None
            )
        if ask is not None:
            extract(db, job, tally, ask)
    finally:
        locks.release(lock)
    return job, tally


def extract(db: Connection, job: Job, tally: Tally, ask: Ask) -> None:
    """Ask the model for each pass, until something fails."""
    if job.heard:
        _conversation(db, job, tally, ask)
    if job.record is not None and tally.failure is None:
        request = passes.failure_request(job.record)
        answer = passes.answer(request, ask, passes.failure_in, tally)
        if answer is not None:
            store_reply(db, job.context, tally, answer.proposals, step=None)
            tally.refusals += answer.refused


def _conversation(db: Connection, job: Job, tally: Tally, ask: Ask) -> None:
    context, messages = job.context, job.transcript.messages
    if job.per_message:
        main_pass = passes.items_pass(messages)
    else:
        main_pass = passes.facts_pass(db, context, messages, tally, min_new=job.min_new)
    passes.run(db, context, main_pass, messages, tally, ask=ask)
    if job.lessons and tally.failure is None:
        passes.run(db, context, passes.lessons_pass(messages, context), messages, tally, ask=ask)
    if job.summary and tally.failure is None:
        passes.summarise(db, context, messages, tally, min_new=job.min_new, ask=ask)


@record
class Foreseen:
    """What would be sent to a model, and what would be stored without one."""

    job: Job
    tally: Tally
    requests: tuple[Request, ...]
    found: tuple[str, ...]


def foreseen(db: Connection | None, job: Job) -> Foreseen:
    """Return what an extraction would send, and what it would store without a model."""
    tally = Tally()
    job = without_secrets(db, job, tally)
    context, messages = job.context, job.transcript.messages

    def start(name: Pass) -> int:
        return 0 if db is None else passes.beginning(db, context, name, len(messages))

    requests: list[Request] = []
    if job.per_message:
        requests += passes.item_requests(messages, start("items"))
    else:
        requests += passes.fact_requests(db, context, messages, start("facts"), min_new=job.min_new)
    if job.lessons:
        requests += passes.lesson_requests(messages, start("lessons"))
    if job.summary:
        about = passes.next_summary_request(db, context, messages, min_new=job.min_new)
        requests += [about] if about is not None else []
    if job.record is not None:
        requests.append(passes.failure_request(job.record))
    unread = messages[start("identifiers") :]
    alone = (*passes.identified(unread, context), *passes.kept(unread))
    found = tuple(one.content for one in alone)
    tally.done[job.main_pass] = start(job.main_pass)
    return Foreseen(job, tally, tuple(requests), found)


_SMALL = (
    Message(USER, "I moved to Lisbon in May, and my sister Ana is allergic to nuts."),
    Message(ASSISTANT, "Noted."),
)


def small_questions(
    viewer: Origin, now: int
) -> list[tuple[str, Request, Callable[[str, Request], Distilled | None]]]:
    """Return for each pass its option, a request that takes little, and how its reply is read."""
    context = ExtractContext("check", viewer, now, str)
    whole = next(iter(passes.fact_requests(None, context, _SMALL, 0, min_new=1)))
    single = next(iter(passes.item_requests(_SMALL, 0)))
    summary = passes.next_summary_request(None, context, _SMALL, min_new=1)
    asked = [("extract", whole, passes.facts_in), ("--per-message", single, passes.items_in)]
    return [*asked, *([("--summary", summary, passes.summary_in)] if summary else [])]


def preview_form(seen: Foreseen) -> dict[str, Any]:
    """Return the object that --json prints of a dry run."""
    sent = [{"pass": one.name, "system": one.system, "prompt": one.prompt} for one in seen.requests]
    whole = form(seen.job, seen.tally, dry_run=True)
    return whole | {"prompts": sent, "would_store": list(seen.found)}


def preview_lines(seen: Foreseen) -> list[str]:
    lines: list[str] = []
    for number, one in enumerate(seen.requests, 1):
        title = f"# request {number} of {len(seen.requests)} ({one.name})"
        lines += [title, *one.system.split("\n"), "", *one.prompt.split("\n"), ""]
    return [*lines, *(f"would store\t[entity] {text}" for text in seen.found)]


def show(session: Session, job: Job) -> None:
    """Print what would be sent, and what would be stored without a model."""
    seen = foreseen(session.reading(), job)
    if session.json:
        output.emit_json(preview_form(seen))
        return
    tell_taken_out(session, seen.tally.secrets)
    output.emit_lines(preview_lines(seen))
    if not (seen.requests or seen.found):
        session.note("nothing new")


def report(session: Session, job: Job, tally: Tally, *, asked: bool) -> None:
    """Print what became of an extraction."""
    tell_taken_out(session, tally.secrets)
    tell_refusals(session, tally)
    if session.json:
        output.emit_json(form(job, tally))
    elif tally.changes() or tally.blocked or tally.refused or tally.ran:
        output.emit_lines([sentence(session, job, tally)])
    elif tally.failure is None:
        session.note("nothing new")
    if tally.overtaken:
        session.note("another extraction of this session came first; its result stands")
    if asked and tally.failure is not None and tally.changes():
        session.note("what came before the failure is stored")


def tell_taken_out(session: Session, count: int) -> None:
    if count:
        what = "1 password, key or card number was" if count == 1 else (
            f"{count:,} passwords, keys or card numbers were")  # fmt: skip
        session.note(f"{what} left out: neither sent nor stored")


def tell_refusals(session: Session, tally: Tally) -> None:
    """Say with -v what was not stored, and why; without, where nothing else came of a reply."""
    if session.verbose:
        for one in tally.refusals:
            session.note(f"refused: {output.clipped(one.text, _SHOWN)}: {one.reason}")
    elif tally.refusals and not (tally.stored or tally.reinforced or session.json):
        session.note(f"refused: {tally.refusals[0].reason}; -v tells all")


def sentence(session: Session, job: Job, tally: Tally) -> str:
    """Return what became of a conversation, and how to take it back."""
    line = counts(job, tally)
    if tally.batch:
        undo = session.call("undo", str(tally.batch))
        line += f" (batch {tally.batch}; `{undo}` takes it back)"
    return line


def counts(job: Job, tally: Tally) -> str:
    """Return what became of a conversation."""
    parts = [f"{tally.stored:,} stored"]
    for count, what in (
        (tally.reinforced, "reinforced"),
        (tally.blocked, "blocked"),
        (tally.refused, "refused"),
        (tally.links, "links"),
    ):
        if count:
            parts.append(f"{count:,} {what}")
    line = ", ".join(parts)
    if job.transcript.messages:
        line += f"; {_processed(job, tally):,} of {len(job.transcript.messages):,} messages done"
    return line


def _processed(job: Job, tally: Tally) -> int:
    return tally.done.get(job.main_pass, tally.done.get("identifiers", 0))


def form(job: Job, tally: Tally, *, dry_run: bool = False) -> dict[str, Any]:
    """Return the object that --json prints."""
    return {
        "session": job.context.session,
        "ran": tally.ran,
        "stored": tally.stored,
        "reinforced": tally.reinforced,
        "blocked": tally.blocked,
        "skipped": False,
        "refused_items": tally.refused,
        "facts": tally.facts,
        "links": tally.links,
        "messages": len(job.transcript.messages),
        "processed_to": _processed(job, tally),
        "identifiers": tally.identifiers,
        "batch": tally.batch,
        "dry_run": dry_run,
        "secrets": tally.secrets,
        "skipped_windows": tally.unread,
        "refusals": [{"text": one.text, "reason": one.reason} for one in tally.refusals],
    }


def waiting_conversations(session: Session, *, settled: bool = False) -> list[Waiting]:
    """Return the conversations that wait for this memory and this origin; of those only what has
    settled, if asked so."""
    found = queue.waiting(_state(), _whose(session))
    return [one for one in found if one.is_settled(session.now)] if settled else found


def work_off_soon(session: Session, job_of: Callable[[Waiting], Job], ask: Ask | None) -> int:
    """Distil what has settled, as the one run of this machine, until its time is over: what is not
    done then goes on waiting."""
    turn = soon.turn(_state())
    if turn is None:
        session.note("another run distils what has settled")
        return 0
    try:
        with processes.interrupted_after(soon.SECONDS):
            return work_off(session, job_of, ask, settled=True)
    except processes.LateError:
        _log(session, "extract", "the time is over: the rest goes on waiting")
        return 0
    except TidelineError as error:
        soon.put_off(_state())
        _log(session, "extract", error.message)
        raise
    finally:
        os.close(turn)


def show_pending(
    session: Session, job_of: Callable[[Waiting], Job], *, asks: bool, settled: bool
) -> int:
    """Print what waits, and what it will cost where a model is asked."""
    found = waiting_conversations(session, settled=settled)
    usual = model_costs.of_late(session)
    reply = usual.received // usual.requests if usual.requests else costs.USUAL_REPLY
    total, of_each = costs.Cost(), list[costs.Cost]()
    for one in found:
        job = _pending_job(session, job_of, one, dry_run=True)
        requests = foreseen(session.reading(), job).requests if job is not None and asks else ()
        sent = sum(costs.tokens_of(one.system + one.prompt) for one in requests)
        of_each.append(costs.Cost(len(requests), sent, reply * len(requests)))
        total = total.plus(of_each[-1])
    if session.json:
        output.emit_json({"pending": [one.transcript for one in found], "dry_run": True,
                          "cost": model_costs.form_of(session, total)})  # fmt: skip
    elif found:
        output.emit_lines([
            f"{one.client}\t{one.transcript}\t{model_costs.in_words(session, cost)}".rstrip()
            for one, cost in zip(found, of_each, strict=True)
        ])  # fmt: skip
        if asks:
            session.note(f"to be asked: {model_costs.in_words(session, total)}")
    else:
        session.note("no conversation waits")
    return 0


def work_off(
    session: Session, job_of: Callable[[Waiting], Job], ask: Ask | None, *, settled: bool = False
) -> int:
    """Distil what waits, and print what became of it."""
    is_idle = not waiting_conversations(session, settled=settled)
    says = not (session.json or session.quiet)
    forms = distil_pending(session, job_of, ask, says=says, settled=settled)
    if session.json:
        left = len(waiting_conversations(session))
        output.emit_json({"conversations": forms, "pending": left, "dry_run": False})
    elif is_idle:
        session.note("no conversation waits")
    return 0


def distil_pending(
    session: Session, job_of: Callable[[Waiting], Job], ask: Ask | None, *, says: bool = False,
    settled: bool = False,
) -> list[dict[str, Any]]:  # fmt: skip
    """Distil what waits, and return what became of each. What a model failed at goes on waiting;
    what is gone or cannot be distilled does not, and is told."""
    forms: list[dict[str, Any]] = []
    failure: TidelineError | None = None
    for one in waiting_conversations(session, settled=settled):
        job = _pending_job(session, job_of, one)
        if job is None:
            continue
        done = distilled(session, job, ask)
        if done is None:
            session.note("as many extractions run as may: the rest goes on waiting")
            break
        forms.append(_pending_form(session, *done, says=says))
        why = done[1].failure
        if why is None:
            _take_off(session, one)
        elif why.code == "budget":
            _tell_of(session, one, f"goes on waiting: {why.message}")
            if settled:
                soon.put_off(_state())
            break
        elif why.code != "unavailable" and _is_in_vain(session, one, why):
            continue
        failure = failure or why
    if failure is not None:
        raise failure
    return forms


def _is_in_vain(session: Session, one: Waiting, why: TidelineError) -> bool:
    """Say whether a model has failed at a conversation as often as it may; it waits no longer."""
    state = config.state_folder(os.environ)
    if queue.tried(state, one) < MOST_TRIES:
        return False
    wait = queue.waiting(state, one.whose)
    here = [held for held in wait if held.transcript == one.transcript]
    for held in here:
        _leave_out(session, held, f"{one.transcript}: asked {MOST_TRIES} times: {why.message}")
    return True


def _pending_form(session: Session, job: Job, tally: Tally, *, says: bool) -> dict[str, Any]:
    told = form(job, tally)
    if tally.secrets:
        session.note(f"{tally.secrets:,} passwords, keys or card numbers were left out")
    tell_refusals(session, tally)
    if (tally.changes() or tally.blocked or tally.refused or tally.ran) and says:
        output.emit_lines([sentence(session, job, tally)])
    return told


def _pending_job(
    session: Session, job_of: Callable[[Waiting], Job], one: Waiting, *, dry_run: bool = False
) -> Job | None:
    """Return what is to be done for a conversation, None where its file cannot be used. One that
    is there and may not be read goes on waiting; so does all in a `dry_run`."""
    if dry_run:
        try:
            return job_of(one)
        except UsageError:
            return None
    try:
        os.close(os.open(one.transcript, os.O_RDONLY | NONBLOCK))
    except FileNotFoundError:
        _leave_out(session, one, f"{one.transcript} is gone")
        return None
    except OSError as error:
        _tell_of(session, one, f"goes on waiting: cannot read {one.transcript}: {error.strerror}")
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
    _tell_of(session, one, f"left out: {why}")
    _take_off(session, one)


def _tell_of(session: Session, one: Waiting, what: str) -> None:
    """Say what becomes of a conversation, here and where `status` shows it: at night nobody
    listens."""
    session.caution("pending", what)
    _log(session, one.client, what)


def _log(session: Session, client: str, what: str) -> None:
    log = hook_state.log_path(_state(), session.viewer.key)
    hook_state.note_failure(log, client, what, now=instant.now_ms())


def _take_off(session: Session, one: Waiting) -> None:
    queue.done(_state(), _whose(session), (one.line,))


def _state() -> str:
    return config.state_folder(os.environ)


def _whose(session: Session) -> queue.Whose:
    return queue.Whose(session.real_database, session.viewer.key)
