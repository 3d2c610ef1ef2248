"""tideline extract."""

from __future__ import annotations

from contextlib import nullcontext
from time import monotonic

from tideline_cli.cli import hook_turns, model_costs, model_options, output
from tideline_cli.cli.commands.extract import conversations, jobs
from tideline_cli.cli.model_options import ModelOptions
from tideline_cli.cli.new_fact import Labels, new_id
from tideline_cli.cli.options import Argument, count, file, flag, start, text
from tideline_cli.cli.passes import is_frozen
from tideline_cli.errors import BudgetError, TidelineError, UsageError, WriteBlockedError
from tideline_cli.exchange.extract import passes
from tideline_cli.exchange.extract.types import LONGEST_CALL, ExtractContext, Tally
from tideline_cli.model.origin import UNKNOWN
from tideline_cli.model.record import replace
from tideline_cli.serve import costs
from tideline_cli.store import locks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.commands.extract.jobs import Job
    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.extract.chats import Chat
    from tideline_cli.exchange.extract.conversation import Transcript
    from tideline_cli.exchange.extract.passes import Ask
    from tideline_cli.llm.model_settings import Model
    from tideline_cli.serve.queue import Waiting

HELP = """Distil facts from a conversation.

TRANSCRIPT is JSON lines with role and content, a session file of Claude Code, Codex or Gemini CLI,
text that says USER: and ASSISTANT:, or what ChatGPT or Claude export: conversations.json, or the
zip file with it. Of an export every conversation is read, in its chosen branch; what is found is
dated when it was said, and one undo takes all of it back.

What was read once is not read again: each session has a cursor, which moves only with a reply that
could be read. With --summary one fact of the kind summary covers the session; each run that finds
more replaces it, and `undo` brings the one before back.

Distilled facts are not the owner's word: they may not author identity, preference or correction,
and are stored as knowledge. E-mail addresses and phone numbers (with the country's code, or
Chinese), Chinese ID numbers and postal addresses in the user's messages are found without a model.
Passwords, keys and card numbers are neither sent nor stored. What a program wrote into the user's
turn is not the user's word; what stands in <private> is left out."""
EXAMPLES = (
    ("session.jsonl", "--llm 'llm -m gpt-4o-mini'"),
    ("session.jsonl", "--model qwen3 --base-url http://localhost:11434/v1"),
    ("-", "--llm none"),
    ("chatgpt-export.zip", "--since 90d --limit 5"),
)
ARGUMENTS = (
    Argument("words", "TRANSCRIPT", "The conversation; `-` is standard input.", "file", False),
)


class Options(ModelOptions):
    """The options of a call."""

    session = text(
        "Name of the conversation [default: the one in the transcript, else the file's name].",
        metavar="ID",
    )
    scope = Labels.scope.but(
        help="Where the facts matter, such as work/api; an empty one is everywhere [default: the "
        "setting scope]."
    )
    per_message = flag(
        "Ask about each of the user's messages that says something about them, instead of the "
        "whole."
    )
    lessons = flag("Ask also what follows from each correction.")
    summary = flag(
        "Also keep one summary of the session, which each run words anew; it takes a model."
    )
    failure = file("Ask what failed: a file with a task and the record of what was tried.")
    trust_owner = flag(
        "Store identifiers and lessons from the owner's messages as the owner's word; not for "
        "plain text."
    )
    all_now = flag("Take whatever is new, a single message too.", excludes=("min_new",))
    min_new = count(
        "New messages that are worth a request [default: 2].", default=passes.MIN_NEW, least=1
    )
    since = start("Of an export: only conversations that went on at or after TIME.")
    limit = count(
        "Of an export: at most N conversations that have something new; the next call goes on "
        "behind them [0 is all; a dry run shows 10]."
    )
    pending = flag(
        "The conversations that hooks have noted, instead of one; `tideline schedule` does it "
        "every night.",
        excludes=("words", "session", "scope", "failure", "since", "limit"),
    )
    settled = flag(
        "With --pending: only conversations that have ended, or were silent for 10 minutes; one "
        "such run at a time, at low priority and for 10 minutes at most."
    )
    check = flag(
        "Ask the model a small question for each pass, and say whether it can do the work and how "
        "fast; write nothing.",
        excludes=("words", "session", "failure", "since", "limit", "pending", "dry_run"),
    )
    dry_run = flag(
        "Print what would be sent and what would be stored without a model; ask and write nothing.",
        short="-n",
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Distil one conversation, or those of an export."""
    if options.check:
        return _check(session, _model(session, options))
    if is_frozen(session):
        return 0
    if options.pending:
        return _pending(session, options)
    if options.settled:
        raise UsageError("--settled goes with --pending", hint="tideline extract --pending")
    source = conversations.begun(words, optional=options.failure is not None)
    with source or nullcontext():
        if source is not None and source.is_export():
            return _export(session, source, options)
        _check_single(options)
        conversation = conversations.read_conversation(session, source)
    job = _job(
        session, conversation, words[0] if words else options.failure or "-", options,
        scope=session.scope(options.scope, conversation.folder),
        agent=session.agent(None),
    )  # fmt: skip
    if options.failure is not None:
        job = replace(job, heard=bool(words), record=conversations.failure_text(options.failure))
    if options.dry_run:
        jobs.show(session, job)
        return 0
    return _extract(session, job, _model(session, options))


def _check(session: Session, model: Model | None) -> int:
    """Print what a model makes of a small question for each pass; return 1 where it can do none."""
    if model is None:
        raise UsageError("--check: no model is named", hint="name one with --llm, or --model and "
                         "--base-url")  # fmt: skip
    found: list[dict[str, Any]] = []
    ask = model_options.asker(session, model)
    for name, request, understood in jobs.small_questions(session.viewer, session.now):
        tally, began = Tally(), monotonic()
        given = passes.answer(request, ask, understood, tally)
        failure = tally.failure
        if failure is not None and failure.code == "unavailable":
            raise failure
        can = given is not None and any(not one.refusal for one in given.proposals)
        why = "" if can else failure.message if failure else "it found nothing that was said"
        found.append({"pass": name, "can": can, "seconds": round(monotonic() - began, 1),
                      "why": why})  # fmt: skip
    if session.json:
        output.emit_json({"passes": found})
    else:
        output.emit_lines([
            f"{one['pass']}\t{'yes' if one['can'] else 'no'}\t{one['seconds']} s\t{one['why']}"
            .rstrip() for one in found
        ])  # fmt: skip
    return 0 if any(one["can"] for one in found) else 1


def _pending(session: Session, options: Options) -> int:
    if options.dry_run:
        return jobs.show_pending(
            session, lambda one: job_of(session, one, options, keeps=False),
            asks=_model(session, options) is not None, settled=options.settled,
        )  # fmt: skip
    if session.reading() is None:
        session.check_memory_is_there()
    ask = _asker(session, _model(session, options), is_limited=True)
    if options.settled:
        return jobs.work_off_soon(session, lambda one: job_of(session, one, options), ask)
    return jobs.work_off(session, lambda one: job_of(session, one, options), ask)


def _export(session: Session, source: conversations.Begun, options: Options) -> int:
    if options.session is not None or options.failure is not None:
        raise UsageError(
            f"{source.path} is an export of many conversations, each with a name of its own",
            hint="leave --session and --failure out",
        )

    def job_of(chat: Chat) -> Job:
        agent = session.agent(None) or chat.program
        job = _job(
            session, chat.transcript, source.path, options,
            scope=session.scope(options.scope), agent=agent,
        )  # fmt: skip
        return replace(job, context=replace(job.context, title=chat.title))

    wish = conversations.Wish(options.since, options.limit)
    if options.dry_run:
        return conversations.show_export(session, source, wish, job_of)
    ask = _asker(session, _model(session, options))
    return conversations.distil_export(session, source, wish, job_of, ask)


def _check_single(options: Options) -> None:
    """Raise UsageError for what goes with an export alone."""
    for value, typed in ((options.since, "--since"), (options.limit, "--limit")):
        if value is not None:
            raise UsageError(
                f"{typed}: this is one conversation, and no export of many", hint="leave it out"
            )


def _model(session: Session, options: Options) -> Model | None:
    model = model_options.chosen(session, options)
    if model is None and options.summary:
        raise UsageError(
            "--summary: no model is named, and nothing but a model can word a summary",
            hint="name one with --llm, or --model and --base-url",
        )
    if model is None and not model_options.wants_none(session, options.llm):
        session.note("no model named (--llm, or --model and --base-url): identifiers, and what you "
                     "asked to remember or corrected, as it was said")  # fmt: skip
    return model


def _asker(session: Session, model: Model | None, *, is_limited: bool = False) -> Ask | None:
    """Return what asks a model and, where it is limited, keeps to the budget of a day."""
    if model is None:
        return None
    ask = model_options.asker(session, model)
    budget = session.config.get("extract_budget") if is_limited else None
    if budget is None:
        return ask

    def within(system: str, prompt: str) -> str:
        spent = model_costs.of_late(session, 1).tokens
        if spent + costs.tokens_of(system + prompt) > budget:
            raise BudgetError(
                f"extract_budget: {spent:,} of {budget:,} tokens of today are spent",
                hint="tideline config set extract_budget N",
            )
        return ask(system, prompt)

    return within


def job_of(session: Session, waiting: Waiting, options: Options, *, keeps: bool = True) -> Job:
    """Return what is to be done for a conversation that waits. It is of the project that it was
    held in, and its agent has written it. By the setting sessions it `keeps` the turns."""
    with conversations.Begun(waiting.transcript) as source:
        conversation = conversations.read_conversation(session, source)
    if keeps and session.config.get("sessions") == "turns":
        hook_turns.keep(session, session.writing(), waiting, conversation)
    return _job(
        session, conversation, waiting.transcript, options,
        scope=waiting.scope or None, agent=waiting.client,
    )  # fmt: skip


def _job(
    session: Session, conversation: Transcript, path: str, options: Options, *,
    scope: str | None, agent: str | None,
) -> Job:  # fmt: skip
    """Return what is to be done for a conversation of a scope and an agent; raise for what this
    origin may not do."""
    viewer = session.viewer
    if options.trust_owner and not viewer.is_owner:
        raise UsageError("--trust-owner: this origin is not the owner's", hint="leave it out")
    if viewer == UNKNOWN:
        raise WriteBlockedError("an unknown origin may not write", hint="name it with --origin")
    if options.trust_owner and conversation.is_plain:
        raise UsageError(
            "--trust-owner: in a plain text whoever is quoted can speak as the user",
            hint="give JSON lines or a session file, or leave it out",
        )
    name, cursor, first = conversations.session_names(options.session, conversation, path)
    now = session.now
    context = ExtractContext(
        name, viewer, now, lambda: new_id(now), options.trust_owner, cursor, first,
        scope, agent, window=int(session.setting("window", LONGEST_CALL)),
    )  # fmt: skip
    return jobs.Job(
        True,
        conversation,
        None,
        context,
        1 if options.all_now else options.min_new,
        options.per_message,
        options.lessons,
        options.summary,
    )


def _extract(session: Session, job: Job, model: Model | None) -> int:
    done = jobs.distilled(session, job, _asker(session, model))
    if done is None:
        session.note(f"skipped: {len(locks.EXTRACT)} extractions are running")
        if session.json:
            output.emit_json(jobs.form(job, Tally()) | {"skipped": True})
        return 0
    job, tally = done
    jobs.report(session, job, tally, asked=model is not None)
    if tally.failure is not None:
        raise tally.failure
    return 0


def distil_waiting(session: Session) -> None:
    """Distil what waits, by the model of the settings, with no word on stdout; without a model
    identifiers alone are found."""
    if not jobs.waiting_conversations(session):
        return
    options = Options(pending=True)
    try:
        model = model_options.chosen(session, options)
        ask = _asker(session, model, is_limited=True)
        done = jobs.distil_pending(session, lambda one: job_of(session, one, options), ask)
    except TidelineError as error:
        session.caution(error.code, f"not all conversations were distilled: {error.message}",
                        hint=error.hint)  # fmt: skip
        return
    stored = sum(form["stored"] for form in done)
    if done:
        session.note(f"{len(done):,} conversations distilled, {stored:,} facts stored")
