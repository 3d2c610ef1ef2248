"""What the verbs on facts that are there share: the store they need, and how they say what they
did."""

from __future__ import annotations

import os

from tideline_cli.cli import output
from tideline_cli.errors import UsageError
from tideline_cli.memory.amend import clipped
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.amend import Amended


def existing(session: Session, named: Sequence[str]) -> Connection:
    """Return a connection for writing to a store that is there; none is made to look for an id."""
    if not os.path.lexists(session.database):
        raise facts.missing(named[0])
    return session.writing(frees=True)


def named(session: Session, words: Sequence[str]) -> list[str]:
    """Return the references that a user typed; raise UsageError when there are none."""
    if not words:
        raise UsageError("name at least one fact", hint="`tideline list` shows their ids")
    return [session.reference(word) for word in words]


def report(session: Session, done: Amended, word: str, already: str, after: str = "") -> None:
    """Print what became of the facts; `word` is the deed and the key of the JSON object."""
    if session.json:
        output.emit_json({word: [fact.id for fact in done.changed], "batch": done.batch})
    else:
        said = "forgot" if word == "forgotten" else word
        lines = [
            f"{said} {fact.id}: {clipped(fact.content)}{after.format(id=fact.id)}"
            for fact in done.changed
        ]
        output.emit_lines(lines)
    for fact in done.kept:
        state = fact.lifecycle if fact.lifecycle != "active" else already
        session.note(f"{fact.id} is {state} already")
