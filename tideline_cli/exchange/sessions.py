"""Turns of sessions from transcripts: what of a conversation is kept word for word.

What the user and the assistant said is kept, at most LONGEST characters of each turn. Tools' output
is not, nor what programs wrote into a turn, `<private>` blocks, and the values of secrets.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from tideline_cli.errors import UsageError
from tideline_cli.exchange.extract.conversation import (
    ASSISTANT,
    USER,
    Message,
    Transcript,
    storable_text,
)
from tideline_cli.model import instant
from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record
from tideline_cli.model.text import index_terms, normalise
from tideline_cli.policy import secrets
from tideline_cli.store.sessions import NewSession, NewTurn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

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
    now: int, since: int | None = None, keys: Sequence[str] = (),
) -> Talk:  # fmt: skip
    """Return what is kept of a transcript; turns said before `since` are left out. A turn whose
    time nobody knows has that of the one before, the first one that of the next, else `now`.
    `keys` are those of the turns where another memory has kept them."""
    listed: list[NewTurn] = []
    seen: Counter[str] = Counter()
    taken = 0
    at = next((one.at for one in transcript.messages if one.at is not None), now)
    title = None
    for place, message in enumerate(transcript.messages):
        at = min(message.at if message.at is not None else at, now)
        key = keys[place] if keys else _key(message, client, name, seen)
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


@record
class FoundSession:
    """A conversation in a file; of another memory with the keys of its turns."""

    transcript: Transcript
    client: str | None = None
    scope: str | None = None
    keys: tuple[str, ...] = ()


_ROW = frozenset(("session", "client", "scope", "role", "said_at", "content", "key"))
_KEY = frozenset("0123456789abcdef")


def is_row(row: Any) -> bool:
    """Say whether a JSON object is a turn as `sessions export` prints it."""
    return isinstance(row, dict) and {*row} >= _ROW


def held_in(rows: Iterable[tuple[int, dict[str, Any] | Exception]]) -> Iterator[FoundSession]:
    """Yield the sessions in numbered rows of turns, those of one session in a run; raise UsageError
    for a row that is none."""
    def session(row: dict[str, Any]) -> tuple[str, str, str | None]:
        return row["client"], row["session"], row["scope"]

    for (client, name, scope), run in groupby(map(_checked, rows), session):
        turns = list(run)
        messages = tuple(
            Message(one["role"], storable_text(one["content"]), instant.parse(one["said_at"]))
            for one in turns
        )
        keys = tuple(one["key"] for one in turns)
        yield FoundSession(Transcript(messages, name, 0), client, scope or "", keys)


def _checked(numbered: tuple[int, dict[str, Any] | Exception]) -> dict[str, Any]:
    number, row = numbered
    if not (isinstance(row, dict) and is_row(row)):
        raise UsageError(f"line {number} is no turn", hint="`tideline sessions export` prints them")
    texts = {name: row[name] for name in _ROW if not (name == "scope" and row[name] is None)}
    key = row["key"]
    if (
        not all(isinstance(text, str) for text in texts.values()) or not row["session"].strip()
        or row["role"] not in (USER, ASSISTANT) or key[:1] not in ("i", "t") or len(key) != 25
        or not _KEY.issuperset(key[1:])
    ):  # fmt: skip
        raise UsageError(f"line {number} is no turn", hint="`tideline sessions export` prints them")
    return row


def _title(text: str) -> str:
    head = " ".join(text.split())
    return head if len(head) <= _TITLE else head[: _TITLE - 2].rstrip() + _CUT
