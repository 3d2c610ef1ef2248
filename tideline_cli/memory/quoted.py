"""The one turn of the user's own that a block for a prompt may quote: scanned as facts are, marked
as quoted, and no fact. What assistants and tools said never enters a prompt."""

from __future__ import annotations

from tideline_cli.memory import turns
from tideline_cli.memory.silence import prompt_of
from tideline_cli.model.fact import NewFact, birth
from tideline_cli.model.hit import Breakdown, Hit
from tideline_cli.model.instant import iso
from tideline_cli.model.lean import blake2b
from tideline_cli.policy.cutting import cut
from tideline_cli.ranking.silence import Prompt, is_worth_saying
from tideline_cli.store import sessions, visibility
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from apsw import Connection

    from tideline_cli.memory.turns import TurnHit
    from tideline_cli.model.origin import Origin

_LONGEST = 300  # characters of a quote
_LOOKED_AT = 8
_ID = "turn-"
_LENGTH = 26  # of an id, as the ledger of a conversation has them


def own_turn(
    db: Connection, text: str, *, scopes: tuple[str | None, ...] | None, viewer: Origin, now: int,
    beside: str, given: Collection[str],
) -> Hit | None:  # fmt: skip
    """Return the best turn of the user's own as a hit that a block can hold, None where none has
    to do with the prompt. `beside` is the session that is going on, and `given` what it has."""
    if viewer.is_internal:
        return None
    wanted = turns.Asked(text, _LOOKED_AT, scopes, "user")
    found = turns.search(db, wanted, viewer=viewer, now=now)
    if not found:
        return None
    prompt = _prompt(db, text, viewer=viewer)
    for one in found:
        why = Breakdown(one.score, one.terms, 1.0, 1.0, 1.0, "lexical")
        hit = _hit(one, why, viewer)
        if one.session.name != beside and hit.fact.id not in given and (
            is_worth_saying(why, prompt, least_cosine=2.0)
        ):
            return hit
    return None


def _prompt(db: Connection, text: str, *, viewer: Origin) -> Prompt:
    """Return what a prompt tells, as the turns of a viewer know its words."""
    origin = visibility.number(db, viewer)

    def counted(listed: list[str]) -> tuple[int, dict[str, int]]:
        held = sessions.holders(db, listed, origin_number=origin)
        return sessions.tally(db, origin_number=origin)[0], held

    return prompt_of(text, setting(db, "analyzer", "standard"), counted)


def _hit(one: TurnHit, why: Breakdown, viewer: Origin) -> Hit:
    """Return a turn in the form in which a block takes its lines: untrusted, with a title that says
    what it is."""
    turn, session = one.turn, one.session
    mark = blake2b(f"{session.client}\0{session.name}\0{turn.place}".encode(), digest_size=16)
    text = " ".join(turn.content.split())
    quote = NewFact(
        f"“{cut(text, _LONGEST)}”", "context", "retrieved_document", viewer, role="user",
        title=f"quoted from a session of {iso(turn.said_at)[:10]}, no fact", scope=session.scope,
    )  # fmt: skip
    fact_id = (_ID + mark.hexdigest())[:_LENGTH]
    return Hit(birth(quote, fact_id=fact_id, now=turn.said_at), one.score, why)
