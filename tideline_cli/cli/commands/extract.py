"""tideline extract."""

from __future__ import annotations

from tideline_cli.cli import extraction, model_options, output, pending, reading
from tideline_cli.cli.freeze import is_frozen
from tideline_cli.cli.new_fact import new_id
from tideline_cli.cli.options import Argument, Option
from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.exchange.extract import facts_pass
from tideline_cli.exchange.extract.types import ExtractContext, Tally
from tideline_cli.model.origin import UNKNOWN
from tideline_cli.model.record import record
from tideline_cli.store import locks

TYPE_CHECKING = False
if TYPE_CHECKING:

    from tideline_cli.cli.extraction import Job
    from tideline_cli.cli.session import Session
    from tideline_cli.llm.model_settings import Model
    from tideline_cli.serve.queue import Waiting

HELP = """Distil facts from a conversation.

TRANSCRIPT is JSON lines with role and content, a session file of Claude Code, Codex or Gemini CLI,
or text that says USER: and ASSISTANT:. What was read once is not read again: each session has a
cursor, which moves only with a reply that could be read. With --summary one fact of the kind
summary covers the session; each run that finds more replaces it, and `undo` brings the one before
back.

Distilled facts are not the owner's word: they may not author identity, preference or correction,
and are stored as knowledge. E-mail addresses and phone numbers (with the country's code, or
Chinese), Chinese ID numbers and postal addresses in the user's messages are found without a model.
Passwords, keys and card numbers are neither sent nor stored. What a program wrote into the user's
turn is not the user's word; what stands in <private> is left out."""
EXAMPLES = (
    ("session.jsonl", "--llm 'llm -m gpt-4o-mini'"),
    ("session.jsonl", "--model qwen3 --base-url http://localhost:11434/v1"),
    ("-", "--llm none"),
)
ARGUMENTS = (
    Argument("words", "TRANSCRIPT", "The conversation; `-` is standard input.", "file", False),
)
OPTIONS = (
    Option("session", ("--session",), "Name of the conversation [default: the one in the "
           "transcript, else the file's name].", metavar="ID"),
    *model_options.OPTIONS,
    Option("per_message", ("--per-message",), "Ask about each of the user's messages that says "
           "something about them, instead of the whole.", "flag", False),
    Option("lessons", ("--lessons",), "Ask also what follows from each correction.", "flag",
           False),
    Option("summary", ("--summary",), "Also keep one summary of the session, which each run words "
           "anew; it takes a model.", "flag", False),
    Option("failure", ("--failure",), "Ask what failed: a file with a task and the record of "
           "what was tried.", "file"),
    Option("trust_owner", ("--trust-owner",), "Store identifiers and lessons from the owner's "
           "messages as the owner's word; not for plain text.", "flag", False),
    Option("all_now", ("--all-now",), "Take whatever is new, a single message too.", "flag",
           False, excludes=("min_new",)),
    Option("min_new", ("--min-new",), "New messages that are worth a request [default: 2].",
           "count", facts_pass.MIN_NEW, least=1),
    Option("pending", ("--pending",), "The conversations that hooks have noted, instead of one; "
           "`tideline schedule` does it every night.", "flag", False,
           excludes=("words", "session", "failure")),
    Option("dry_run", ("--dry-run", "-n"), "Print what would be sent and what would be stored "
           "without a model; ask and write nothing.", "flag", False),
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    session: str | None
    llm: str | None
    model: str | None
    base_url: str | None
    key_file: str | None
    timeout: int
    per_message: bool
    lessons: bool
    summary: bool
    failure: str | None
    trust_owner: bool
    all_now: bool
    min_new: int
    pending: bool
    dry_run: bool


def run(session: Session, words: list[str], options: Options) -> int:
    """Distil one conversation."""
    if is_frozen(session):
        return 0
    if options.pending and options.dry_run:
        pending.show(session)
        return 0
    job = None if options.pending else _job(session, words, options)
    if options.dry_run and job is not None:
        extraction.show(session, job)
        return 0
    model = model_options.chosen(session, options)
    if model is None and options.summary:
        raise UsageError(
            "--summary: no model is named, and nothing but a model can word a summary",
            hint="name one with --llm, or --model and --base-url",
        )
    if model is None and not model_options.wants_none(session, options.llm):
        session.note("no model named (--llm, or --model and --base-url): identifiers alone")
    if options.pending:
        return pending.work_off(
            session, lambda one: job_of(session, one, options),
            None if model is None else model_options.asker(model),
        )  # fmt: skip
    return 0 if job is None else _extract(session, job, model)


def job_of(session: Session, waiting: Waiting, options: Options) -> Job:
    """Return what is to be done for a conversation that waits."""
    return _job(session, [waiting.transcript], options, waiting)


def _job(
    session: Session, words: list[str], options: Options, waiting: Waiting | None = None
) -> Job:
    """Return what is to be done; raise for what this origin may not do. One that waits is of the
    project that it was held in, and its agent has written it."""
    failure = options.failure
    conversation = reading.transcript(session, words, optional=failure is not None)
    viewer = session.viewer
    if options.trust_owner and not viewer.is_owner:
        raise UsageError("--trust-owner: this origin is not the owner's", hint="leave it out")
    if viewer == UNKNOWN:
        raise WriteBlockedError("an unknown origin may not write", hint="name it with --origin")
    path = words[0] if words else failure or "-"
    if options.trust_owner and conversation.is_plain:
        raise UsageError(
            "--trust-owner: in a plain text whoever is quoted can speak as the user",
            hint="give JSON lines or a session file, or leave it out",
        )
    name, cursor, first = reading.session_names(options.session, conversation, path)
    now = session.now
    context = ExtractContext(
        name, viewer, now, lambda: new_id(now), options.trust_owner, cursor, first,
        waiting.scope or None if waiting else session.scope(None),
        waiting.client if waiting else session.agent(None),
    )  # fmt: skip
    return extraction.Job(
        bool(words) or failure is None,
        conversation,
        None if failure is None else reading.text(failure),
        context,
        1 if options.all_now else options.min_new,
        options.per_message,
        options.lessons,
        options.summary,
    )


def _extract(session: Session, job: Job, model: Model | None) -> int:
    done = extraction.distilled(session, job, None if model is None else model_options.asker(model))
    if done is None:
        session.note(f"skipped: {len(locks.EXTRACT)} extractions are running")
        if session.json:
            output.emit_json(extraction.form(job, Tally()) | {"skipped": True})
        return 0
    job, tally = done
    extraction.report(session, job, tally, asked=model is not None)
    if tally.failure is not None:
        raise tally.failure
    return 0
