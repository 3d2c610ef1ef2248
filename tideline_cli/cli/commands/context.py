"""tideline context."""

from __future__ import annotations

import os
import sys

from tideline_cli.cli import output
from tideline_cli.cli.options import (
    PROFILE,
    SHOW_SECRETS,
    Argument,
    Documents,
    Scopes,
    choice,
    count,
    flag,
)
from tideline_cli.cli.session import Session
from tideline_cli.memory.answer import Answer, answered
from tideline_cli.memory.context import (
    AUTO_FACTS,
    DEFAULT_CHARS,
    ContextBlock,
    context_block,
    dated,
    masked_hits,
    newest_of_similar,
    prompt_line,
)
from tideline_cli.memory.query import ALL, DEFAULT_LIMIT, FUSIONS, MODES, Query, nothing
from tideline_cli.memory.recall import has_questions, write_back
from tideline_cli.model.record import replace
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking.decay import DECAYS, DEPTH
from tideline_cli.store import reads
from tideline_cli.store.connection import snapshot
from tideline_cli.store.facts import Filter, has_open, similar_among

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.query import Recalled
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Hit

HELP = """Print a budgeted block of facts for a prompt.

One line a fact, best first, never more than the budget. It counts all that is printed (with
--json, of `block`): the heading and fence of --auto and the tags of xml too. A fact that does not
fit is cut at a word and ends with `…` and its id; a long one leaves half of the block to others.

Every fact is scanned for injected instructions and escaped. With --auto the block carries a
heading, a notice and a fence that no fact can forge; a fact is in it only if it shares two telling
words with the prompt, or a rare one. A password, key or card number in a fact is printed as
`[secret]`, unless --show-secrets asks for it.

Active constraints of the owner (remember --kind constraint) in the scope come first, whatever the
prompt, under a heading of their own and in 30 % of the budget at most; --no-constraints leaves them
out. With --auto they come only where the setting auto_constraints gives them a share.

Where the answer has room, stderr says which archived or ended fact matches, as for recall; with
--auto nobody looks.

Passive: it does not count as use of the facts, and moves no rank. Without --auto it is noted that
a fact was given out: that one does not fade in the next 30 days (--no-touch and --now note
nothing). Prints nothing and exits with 0 when there is nothing to say. Without a QUERY no fact is
looked for: constraints alone are shown, and a note says so."""
EXAMPLES = (("dietary restrictions", ""), ("dietary restrictions", "--auto --max-tokens 300"))
ARGUMENTS = (Argument("words", "QUERY", "What the prompt is about; `-` reads standard input."),)


class Options(Documents, Scopes):
    """The options of a call."""

    max_chars = count(f"Characters at most, of all that is printed [default: {DEFAULT_CHARS}].")
    max_tokens = count("The same in tokens, estimated.")
    limit = count(
        f"Facts at most [default: {DEFAULT_LIMIT}, with --auto {AUTO_FACTS}; 0 is all that the "
        "budget holds].",
        short="-n",
    )
    auto = flag(
        "Heading, notice and fence, for a program: whatever goes wrong, nothing is printed and it "
        "ends with 0; --verbose says why."
    )
    mode = choice(MODES)(
        "Words and likeness, words alone, likeness alone, or points, as for recall [default: "
        "hybrid]."
    )
    fusion = choice((*FUSIONS,))("How words and likeness are joined, as for recall.")
    decay = choice(DECAYS)("How facts fade in this answer, as for recall.")
    profile = PROFILE
    no_touch = flag("Do not note that these facts were given out.")
    no_constraints = flag("Without the constraints.")
    show_secrets = SHOW_SECRETS
    format = choice(("text", "json", "xml"))(
        "text, json or xml [default: text]; --json goes with json alone.",
        beside=(("json", ("json",)),),
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Print the block."""
    chosen = output.chosen(session, options.format, usual="text")
    text = session.text(words)
    if options.auto:
        from tideline_cli.memory import silence  # noqa: PLC0415  --auto alone

        text = silence.asked(text)
    query = _query(session, text, options)
    seen = query.wanted.scopes
    is_silent = options.auto and session.config.get("auto_recall") == "off"
    db = None if is_silent else session.reading()
    with snapshot(db):
        whole = _answer(session, db, query, is_auto=options.auto)
        answer = whole.found
        session.caution_of_likeness(answer.lacking)
        is_told = not options.auto and chosen != "json"
        if not answer.hits and (options.document or (seen is not None and is_told)):
            from tideline_cli.cli import answer_notes  # noqa: PLC0415  nothing matched

            if db is not None and seen is not None and is_told:
                answer_notes.note_other_scopes(session, db, query, answer)
            answer_notes.name_unknown_documents(session, db, options.document)
        made, answer = _made(session, db, query, answer, options, is_xml=chosen == "xml")
    known = {hit.fact.id for hit in answer.hits}  # a quoted turn is no fact
    made = replace(made, facts=tuple(one for one in made.facts if one in known))

    def line(fact: Fact) -> str:
        return prompt_line(fact, show_secrets=options.show_secrets)

    if chosen == "json":
        hits = answer.hits if options.show_secrets else masked_hits(answer.hits)
        sources = _sources(made, hits)
        output.emit_json({**_form(made), **whole.beside(line), "sources": sources})
    elif made.text:
        sys.stdout.write(made.text + "\n")
    if not (text.strip() or options.auto or chosen == "json"):
        session.note("no QUERY was given, so no fact is looked for; constraints alone are shown")
    shown, held = len(made.facts) + len(made.constraints), len(made.blocked)
    session.detail(f"{len(answer.hits):,} facts fit, {shown:,} shown, {held:,} withheld; no use")
    if made.truncated:
        _tell_losses(session, made, is_told=not options.auto, is_all=options.limit == 0)
    if (whole.archived or whole.ended) and chosen != "json":
        _announce(session, text, whole, line)
    made_here = answer.backlog is not None or has_questions()
    is_noted = not (options.auto or options.no_touch or session.names_time)
    if db is not None and (made_here or (shown and is_noted)):
        output.deliver()
        given = (*made.constraints, *made.facts) if is_noted else ()
        write_back(db, answer, touch=False, given=given, now=session.now)
    return 0


def _query(session: Session, text: str, options: Options) -> Query:
    limit = options.limit
    if limit is None:
        limit = AUTO_FACTS if options.auto else session.setting("limit", DEFAULT_LIMIT)
    seen = session.scopes(options.scope, everything=options.all_scopes)
    documents = () if options.no_documents else options.document or None
    query = Query(text, limit=limit or ALL,
                  wanted=Filter(scopes=seen, documents=documents),
                  mode=options.mode or "hybrid", fusion=options.fusion,
                  decay=options.decay or "half-life",
                  fading=session.setting("fading", DEPTH))  # fmt: skip
    profile = session.profile(options.profile)
    if profile is None and not query.is_other_way:
        return query
    from tideline_cli.cli import ways  # noqa: PLC0415  most rank as usual

    found = ways.along(session, query, profile, options)
    return replace(found, limit=query.limit) if options.auto else found


def _made(
    session: Session, db: Connection | None, query: Query, answer: Recalled, options: Options, *,
    is_xml: bool,
) -> tuple[ContextBlock, Recalled]:  # fmt: skip
    """Return the block, as long and in such lines as the profile has them, and the answer with the
    constraints that lead it."""
    most_chars, most_tokens, style = DEFAULT_CHARS, options.max_tokens, "segment"
    share = session.setting("auto_constraints", 0.0) if options.auto else 1.0
    asked = [has_open("constraint", viewer=session.viewer)]
    if db is None or options.no_constraints or not share:
        asked = []
    hits: Sequence[Hit] = answer.hits
    if options.auto and db is not None and session.config.get("recall_sessions") == "on":
        from tideline_cli.memory import quoted  # noqa: PLC0415  who keeps sessions alone

        quote = quoted.own_turn(
            db, query.text, scopes=query.wanted.scopes, viewer=session.viewer, now=session.now,
            beside="", given=(),
        )  # fmt: skip
        hits = hits if quote is None else [*hits, quote]
    leads = list[bool]()
    if db is not None:
        similar, *leads = reads.together(
            db, similar_among(answer.seqs, viewer=session.viewer), *asked
        )
        hits = newest_of_similar(hits, similar)
    hits = _shown(session, hits, options)
    if query.profile != "tideline" or query.way.by_distance:
        from tideline_cli.cli import ways  # noqa: PLC0415  most rank as usual

        most_chars, style, hits = ways.block_of(session, query, hits, is_told=not options.auto)
        most_tokens = ways.tokens_of(query, options.max_tokens, options.max_chars)
    most = options.max_chars
    max_chars = session.setting("max_chars", most_chars) if most is None else most
    fence = os.urandom(8).hex() if options.auto else None
    if db is None or not any(leads):
        return context_block(
            hits, max_chars=max_chars, max_tokens=most_tokens, fence=fence, is_xml=is_xml,
            style=style,
        ), answer  # fmt: skip
    from tideline_cli.memory import first_facts  # noqa: PLC0415  few have constraints

    budget = first_facts.Budget(max_chars, most_tokens, fence, is_xml, share, style)
    led = first_facts.standing(
        db, viewer=session.viewer, now=session.now, scopes=query.wanted.scopes
    )
    made = first_facts.block(_shown(session, led.values(), options), hits, budget)
    both = replace(answer, hits=(*led.values(), *answer.hits), seqs=(*led, *answer.seqs))
    return made, both


def _shown(session: Session, hits: Iterable[Hit], options: Options) -> list[Hit]:
    """Return hits as the block shows them: without secrets, with the days that have to be told."""
    told = hits if options.show_secrets else masked_hits(hits)
    return dated(told, now=session.now, after_ms=session.config.get("dates"))


def _tell_losses(session: Session, made: ContextBlock, *, is_told: bool, is_all: bool) -> None:
    """Say what did not fit: a program that calls hears it with --verbose alone, and who asks for
    all that the budget holds expects it."""
    tell = session.note if is_told else session.detail
    for fact_id in made.cut:
        tell(f"cut to the budget: `{session.call('show', fact_id)}` has all of it")
    if made.constraints_left_out:
        count = made.constraints_left_out
        more = "1 constraint does" if count == 1 else f"{count:,} constraints do"
        tell(f"{more} not fit the share of the budget for them; --max-chars sets the budget")
    if made.left_out and not is_all:
        facts = "1 fact does" if made.left_out == 1 else f"{made.left_out:,} facts do"
        tell(f"{facts} not fit the budget; --max-chars and --max-tokens set it")


def _answer(session: Session, db: Connection | None, query: Query, *, is_auto: bool) -> Answer:
    """Return the hits, and what matches beside them; with --auto nobody looks for that."""
    if not is_auto:
        return answered(db, query, viewer=session.viewer, now=session.now)
    if db is None:
        return Answer(nothing(query))
    from tideline_cli.memory import silence  # noqa: PLC0415  --auto alone

    said, less = silence.told(db, query, viewer=session.viewer, now=session.now)
    if less:
        session.detail(f"{less:,} hits share too little with the prompt")
    return Answer(said)


def _announce(session: Session, text: str, whole: Answer, line: Callable[[Fact], str]) -> None:
    from tideline_cli.cli import answer_notes  # noqa: PLC0415  some fact matches

    shown = answer_notes.recall_of_all(session, text)
    answer_notes.announce(session, whole.archived or (), all_by=shown, text=line)
    answer_notes.announce_ended(session, whole.ended or (), line)


def _sources(made: ContextBlock, hits: Sequence[Hit]) -> list[dict[str, Any]]:
    """Return who said each fact of the block, in its order, and whether it is a weak match."""
    shown = {hit.fact.id: hit for hit in hits}
    said = [shown[fact_id] for fact_id in (*made.constraints, *made.facts)]
    return [
        {"id": hit.fact.id, "source": hit.fact.source, "speaker": hit.fact.speaker,
         "trusted": is_trusted(hit.fact.source), "weak": hit.weak}
        for hit in said
    ]  # fmt: skip


def _form(made: ContextBlock) -> dict[str, Any]:
    return {
        "block": made.text,
        "chars": len(made.text),
        "tokens": made.tokens,
        "facts": list(made.facts),
        "constraints": list(made.constraints),
        "blocked": list(made.blocked),
        "truncated": made.truncated,
    } | ({"cut": list(made.cut)} if made.cut else {})
