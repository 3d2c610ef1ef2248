"""What hooks and passes do with the turns of sessions: a hook keeps the end of its conversation,
the night the rest, and a dream removes what is too old or too much. By the setting `sessions`."""

from __future__ import annotations

import os

from tideline_cli.exchange import sessions as transcripts
from tideline_cli.exchange.extract.conversation import parsed_transcript
from tideline_cli.memory import turns
from tideline_cli.model.finding import some
from tideline_cli.model.origin import EVERYONE
from tideline_cli.store import opening
from tideline_cli.store import sessions as store
from tideline_cli.store.connection import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.exchange.extract.conversation import Transcript
    from tideline_cli.model.text import Analyzer
    from tideline_cli.serve.queue import Waiting

_END = 256 * 1024  # bytes of a transcript that a hook reads, from its end
_MB = 1_000_000
_PATIENCE_MS = 300


def keep_end(session: Session, one: Waiting) -> None:
    """Keep the turns at the end of a conversation, in the time that a hook has. What is before them
    is kept by `extract --pending`."""
    size = os.path.getsize(one.transcript)
    with open(one.transcript, "rb") as file:
        file.seek(max(0, size - _END))
        raw = file.read(_END)
    if size > _END:
        raw = raw.partition(b"\n")[2]  # a line that begins before
    if not raw.lstrip().startswith(b"{"):
        return  # the night reads a document whole
    conversation = parsed_transcript(raw)
    if not (conversation.messages and session.has_memory):
        return
    db = opening.open_for_writing(session.database)
    try:
        db.set_busy_timeout(_PATIENCE_MS)
        keep(session, db, one, conversation)
    finally:
        db.close()


def keep(session: Session, db: Connection, one: Waiting, conversation: Transcript) -> int:
    """Keep what is new of a conversation that a hook has noted; return how many turns."""
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    days = session.config.get("sessions_keep")
    talk = transcripts.talk_of(
        conversation, client=one.client, name=one.session or conversation.session or one.transcript,
        scope=one.scope or None, analyzer=analyzer, now=session.now,
        since=None if days is None else session.now - days,
    )  # fmt: skip
    if not talk.turns:
        return 0
    return turns.keep(
        db, talk.session, talk.turns, viewer=session.viewer, now=session.now, again=False
    ).new


def retain(session: Session, *, all_origins: bool) -> None:
    """Remove the turns that are too old, or too many, of the origins that a dream tends."""
    db = session.opened
    if db is None:
        return
    days, size = (session.config.get(name) for name in ("sessions_keep", "sessions_size"))
    for origin in store.origins(db, viewer=EVERYONE if all_origins else session.viewer):
        gone = turns.retain(db, viewer=origin, now=session.now, days_ms=days, octets=size * _MB)
        if gone:
            session.note(f"{some(gone, 'turn')} of sessions removed: see the settings sessions_keep"
                         " and sessions_size")  # fmt: skip
