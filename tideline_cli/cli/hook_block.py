"""The block for a hook, by the settings of the user: whose facts, of which scopes, how long."""

from __future__ import annotations

from tideline_cli.memory import silence
from tideline_cli.memory.context import AUTO_FACTS, DEFAULT_CHARS
from tideline_cli.memory.lanes import is_slow
from tideline_cli.memory.query import Query
from tideline_cli.model.record import record
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.serve import clients, hook_answer
from tideline_cli.store import opening
from tideline_cli.store.connection import GENERATION, setting
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.query import Mode
    from tideline_cli.model.hit import Hit
    from tideline_cli.serve.clients import Event, HookCall


@record
class _Way:
    """What a call says of how it is ranked: nothing but where it looks."""

    mode: Mode | None
    limit: None = None
    fusion: None = None
    decay: None = None


@record
class Asked:
    """What a client asks: its call, what that means, the scopes that it sees, the facts that the
    conversation has, how long a busy memory is waited for, and whether secrets are shown."""

    call: HookCall
    event: Event
    scopes: tuple[str | None, ...] | None
    given: frozenset[str]
    patience_ms: int
    show_secrets: bool = False


def reply_for(session: Session, asked: Asked) -> hook_answer.Reply | None:
    """Return the answer to a client, with the facts in it; None where there is nothing to say."""
    is_prompt = asked.event.deed == "prompt"
    text = silence.asked(asked.call.prompt) if is_prompt else ""
    if session.config.get("auto_recall") == "off" or (is_prompt and not text):
        return None
    db = opening.open_as_it_is(session.database, patience_ms=asked.patience_ms)
    if db is None:
        return None
    try:
        if is_prompt:
            hits, style = _found(session, db, text, asked)
        else:
            hits, style = _first(session, db, asked), "segment"
        return _fitting(session, db, asked, hits, style) if hits else None
    finally:
        db.close()


def _fitting(
    session: Session, db: Connection, asked: Asked, hits: Sequence[Hit], style: str
) -> hook_answer.Reply | None:
    """Return the answer, as long as a client takes it: the signs of JSON count."""
    max_chars = session.setting("max_chars", DEFAULT_CHARS)
    key = setting(db, GENERATION, "")
    while max_chars > 0:
        block = hook_answer.block_of(
            hits, key=key, max_chars=max_chars, style=style, show_secrets=asked.show_secrets,
            now=session.now, dates_ms=session.config.get("dates"),
        )  # fmt: skip
        if not block.text:
            return None
        answer = clients.answer(asked.call.client, asked.event, block.text)
        if len(answer) <= hook_answer.LONGEST:
            return hook_answer.Reply(answer, block.ids)
        max_chars = min(max_chars, len(block.text)) // 2
    return None


def _first(session: Session, db: Connection, asked: Asked) -> Sequence[Hit]:
    from tideline_cli.memory.first_facts import first_facts  # noqa: PLC0415  once in a conversation

    if session.viewer.is_internal:
        return ()
    found = first_facts(db, viewer=session.viewer, now=session.now, scopes=asked.scopes)
    return [hit for hit in found if hit.fact.id not in asked.given]  # by a prompt before it


def _found(session: Session, db: Connection, text: str, asked: Asked) -> tuple[Sequence[Hit], str]:
    """Return the facts for a prompt, and how their lines look."""
    limit = min(session.setting("limit", AUTO_FACTS), AUTO_FACTS)
    # A model that takes its time is asked by nobody who waits for a prompt.
    mode: Mode = "keyword" if is_slow(db) else "hybrid"
    query = Query(
        text, limit=limit, mode=mode, wanted=Filter(scopes=asked.scopes),
        fading=session.setting("fading", DEPTH),
    )  # fmt: skip
    profile, style = session.profile(None), "segment"
    if profile is not None:
        from tideline_cli.cli import ways  # noqa: PLC0415  most rank as usual

        along = ways.along(session, query, profile, _Way("keyword" if mode == "keyword" else None))
        query = along if along.mode == "keyword" or mode == "hybrid" else query
    hits = hook_answer.found(db, query, viewer=session.viewer, now=session.now, given=asked.given)
    if profile is not None:
        _, style, hits = ways.block_of(session, query, hits, is_told=False)
    if session.config.get("recall_sessions") == "on":
        from tideline_cli.memory import quoted  # noqa: PLC0415  who keeps sessions alone

        quote = quoted.own_turn(
            db, text, scopes=asked.scopes, viewer=session.viewer, now=session.now,
            beside=asked.call.session, given=asked.given,
        )  # fmt: skip
        hits = hits if quote is None else [*hits, quote]
    return hits, style
