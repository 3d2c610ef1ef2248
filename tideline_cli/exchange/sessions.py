"""Turns of sessions from transcripts: what of a conversation is kept word for word.

What the user and the assistant said is kept, at most LONGEST characters of each turn. Tools' output
is not, nor what programs wrote into a turn, `<private>` blocks, and the values of secrets.
"""

from __future__ import annotations

from collections import Counter

from tideline_cli.exchange.extract.conversation import USER
from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record
from tideline_cli.model.text import index_terms, normalise
from tideline_cli.policy import secrets
from tideline_cli.store.sessions import NewSession, NewTurn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.exchange.extract.conversation import Message, Transcript
    from tideline_cli.model.text import Analyzer

LONGEST = 8000
_TITLE = 80
_CUT = " …"


@record
class Talk:
    """A conversation that may be kept: which, its turns, and how many secrets were taken out."""

    session: NewSession
    turns: tuple[NewTurn, ...]
    secrets: int


def talk_of(
    transcript: Transcript, *, client: str, name: str, scope: str | None, analyzer: Analyzer,
    now: int, since: int | None = None,
) -> Talk:  # fmt: skip
    """Return what is kept of a transcript; turns said before `since` are left out. A turn whose
    time nobody knows has that of the one before, the first one that of the next, else `now`."""
    listed: list[NewTurn] = []
    seen: Counter[str] = Counter()
    taken = 0
    at = next((one.at for one in transcript.messages if one.at is not None), now)
    title = None
    for message in transcript.messages:
        at = min(message.at if message.at is not None else at, now)
        key = _key(message, client, name, seen)
        text, count = secrets.without(message.text.strip())
        taken += count
        if not text or (since is not None and at < since):
            continue
        text = normalise(text if len(text) <= LONGEST else text[:LONGEST].rstrip() + _CUT)
        if title is None and message.role == USER:
            title = _title(text)
        terms = index_terms(text, analyzer=analyzer)
        listed.append(NewTurn(key, at, message.role, text, terms.joined(), len(terms)))
    return Talk(NewSession(client, name, scope, title), tuple(listed), taken)


def _key(message: Message, client: str, name: str, seen: Counter[str]) -> str:
    """Return a digest of what tells a turn: the id that its client gives it, in whatever session;
    else its session, its speaker, its time and its text, and how often these came before."""
    kind, own = "i", f"{client}\0{message.name}"
    if not message.name:
        kind = "t"
        own = f"{client}\0{name}\0{message.role}\0{message.at}\0{message.text}"
        seen[own] += 1
        own += f"\0{seen[own]}"
    return kind + blake2b(own.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _title(text: str) -> str:
    head = " ".join(text.split())
    return head if len(head) <= _TITLE else head[: _TITLE - 2].rstrip() + _CUT
