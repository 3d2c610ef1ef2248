"""tideline context."""

from __future__ import annotations

import os
import sys

from tideline_cli.cli import output
from tideline_cli.cli.options import SCOPES, Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.memory.answer import answered
from tideline_cli.memory.context import (
    AUTO_FACTS,
    DEFAULT_CHARS,
    ContextBlock,
    context_block,
    prompt_line,
)
from tideline_cli.memory.query import ALL, DEFAULT_LIMIT, NOTHING, Query
from tideline_cli.memory.recall import has_questions, recall, write_back
from tideline_cli.model.record import record
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.archived import Archived
    from tideline_cli.memory.query import Recalled

HELP = """Print a budgeted block of facts for a prompt.

One line a fact, best first, never more than the budget. It counts all that is printed (with
--json, of `block`): the heading and fence of --auto and the tags of xml too. A fact that does not
fit is cut at a word and ends with `…` and its id; a long one leaves half of the block to others.

Every fact is scanned for injected instructions and escaped. With --auto the block carries a
heading, a notice and a fence that no fact can forge; a fact is in it only if it shares two telling
words with the prompt, or a rare one.

Where the answer has room, stderr says which archived fact matches, as for recall; with --auto
nobody looks.

Passive: it does not count as use of the facts, and moves no rank. Without --auto it is noted that
a fact was given out: that one does not fade in the next 30 days. Prints nothing and exits with 0
when there is nothing to say."""
EXAMPLES = (("dietary restrictions", ""), ("dietary restrictions", "--auto --max-tokens 300"))
ARGUMENTS = (Argument("words", "QUERY", "What the prompt is about; `-` reads standard input."),)
OPTIONS = (
    Option("max_chars", ("--max-chars",), f"Characters at most, of all that is printed "
           f"[default: {DEFAULT_CHARS}].", "count"),
    Option("max_tokens", ("--max-tokens",), "The same in tokens, estimated.", "count"),
    Option("limit", ("--limit", "-n"), f"Facts at most [default: {DEFAULT_LIMIT}, with --auto "
           f"{AUTO_FACTS}; 0 is all that the budget holds].", "count"),
    Option("auto", ("--auto",), "Heading, notice and fence, for a program: whatever goes wrong, "
           "nothing is printed and it ends with 0; --verbose says why.", "flag", False),
    Option("document", ("--document",), "Only chunks of this document; `tideline library` lists "
           "them.", many=True, metavar="NAME", completes="document"),
    Option("no_documents", ("--no-documents",), "No chunks of documents.", "flag", False,
           excludes=("document",)),
    *SCOPES,
    Option("format", ("--format",), "text, json or xml [default: text]; --json goes with json "
           "alone.", "choice", choices=("text", "json", "xml"), beside=(("json", ("json",)),)),
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    max_chars: int | None
    max_tokens: int | None
    limit: int | None
    auto: bool
    document: tuple[str, ...]
    no_documents: bool
    scope: str | None
    all_scopes: bool
    format: str | None


def run(session: Session, words: list[str], options: Options) -> int:
    """Print the block."""
    chosen = output.chosen(session, options.format, usual="text")
    text = session.text(words)
    limit = options.limit
    if limit is None:
        limit = AUTO_FACTS if options.auto else session.setting("limit", DEFAULT_LIMIT)
    seen = session.scopes(options.scope, everything=options.all_scopes)
    asked = () if options.no_documents else options.document or None
    query = Query(text, limit=limit or ALL, leaves_out=False,
                  fading=session.setting("fading", DEPTH),
                  wanted=Filter(scopes=seen, documents=asked))  # fmt: skip
    db = session.reading()
    answer, beside = _answer(session, db, query, is_auto=options.auto)
    session.caution_of_likeness(answer.lacking)
    if db is not None and not answer.hits and seen is not None and not options.auto:
        from tideline_cli.cli import other_scopes  # noqa: PLC0415  a scope that has no answer

        other_scopes.note_unseen(session, db, query)
    if options.document and not answer.hits:
        from tideline_cli.cli import unknown_documents  # noqa: PLC0415  a document without a hit

        unknown_documents.note(session, db, options.document)
    most = options.max_chars
    made = context_block(
        answer.hits,
        max_chars=session.setting("max_chars", DEFAULT_CHARS) if most is None else most,
        max_tokens=options.max_tokens,
        fence=os.urandom(8).hex() if options.auto else None,
        is_xml=chosen == "xml",
    )
    if chosen == "json":
        output.emit_json({**_form(made), "archived_matches": _archived(beside)})
    elif made.text:
        sys.stdout.write(made.text + "\n")
    shown, held = len(made.facts), len(made.blocked)
    session.detail(f"{len(answer.hits):,} facts fit, {shown:,} shown, {held:,} withheld; no use")
    if made.truncated:
        _tell_losses(session, made, is_told=not options.auto, is_all=limit == 0)
    if beside and chosen != "json":
        _announce(session, text, beside)
    made_here = answer.backlog is not None or has_questions()
    if db is not None and (made_here or (made.facts and not options.auto)):
        output.deliver()
        given = () if options.auto else made.facts
        write_back(db, answer, touch=False, given=given, now=session.now)
    return 0


def _tell_losses(session: Session, made: ContextBlock, *, is_told: bool, is_all: bool) -> None:
    """Say what did not fit: a program that calls hears it with --verbose alone, and who asks for
    all that the budget holds expects it."""
    tell = session.note if is_told else session.detail
    for fact_id in made.cut:
        tell(f"cut to the budget: `{session.call('show', fact_id)}` has all of it")
    if made.left_out and not is_all:
        facts = "1 fact does" if made.left_out == 1 else f"{made.left_out:,} facts do"
        tell(f"{facts} not fit the budget; --max-chars and --max-tokens set it")


def _answer(
    session: Session, db: Connection | None, query: Query, *, is_auto: bool
) -> tuple[Recalled, list[Archived] | None]:
    """Return the hits, and the archived facts beside them; a program is told of none."""
    if not is_auto:
        return answered(db, query, viewer=session.viewer, now=session.now)
    if db is None:
        return NOTHING, None
    from tideline_cli.memory import silence  # noqa: PLC0415  --auto alone

    answer = recall(db, query, viewer=session.viewer, now=session.now)
    said = silence.worth_saying(db, query, answer, viewer=session.viewer)
    if len(said.hits) < len(answer.hits):
        less = len(answer.hits) - len(said.hits)
        session.detail(f"{less:,} hits share too little with the prompt")
    return said, None


def _announce(session: Session, text: str, beside: list[Archived]) -> None:
    from tideline_cli.cli import archived_notes  # noqa: PLC0415  an archived fact matches

    show = ("recall", "--archived", "--", text)
    archived_notes.announce(session, beside, all_by=show, text=prompt_line)


def _archived(beside: list[Archived] | None) -> list[dict[str, Any]] | None:
    if not beside:
        return None if beside is None else []
    from tideline_cli.cli import archived_notes  # noqa: PLC0415  an archived fact matches

    return archived_notes.forms(beside, text=prompt_line)


def _form(made: ContextBlock) -> dict[str, Any]:
    return {
        "block": made.text,
        "chars": len(made.text),
        "tokens": made.tokens,
        "facts": list(made.facts),
        "blocked": list(made.blocked),
        "truncated": made.truncated,
    } | ({"cut": list(made.cut)} if made.cut else {})
