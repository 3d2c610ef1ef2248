"""What the commands on facts by id share: the store they need, and how they say what they did."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument
from tideline_cli.errors import UsageError
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.amend import Amended


FACTS = (Argument("words", "ID", "Which facts.", "id", True, 1, completes=("active",)),)
"""The arguments of a command on any number of facts."""


_SETTLED = "; a sync had archived it, and your word settles that"


def change(
    session: Session, words: Sequence[str], verb: Callable[..., Amended], word: str, already: str
) -> Amended:
    """Change the facts that a user typed by a verb of memory.amend, and say what became of them;
    `word` and `already` are those of `report`."""
    named = references(session, words)
    db = existing(session, named)
    done = verb(db, named, viewer=session.viewer, now=session.now)
    report(session, done, word, already)
    return done


def existing(session: Session, named: Sequence[str]) -> Connection:
    """Return a connection for writing to a store that is there; none is made to look for an id."""
    if not session.has_memory:
        raise facts.missing(named[0])
    return session.writing(frees=True)


def references(session: Session, words: Sequence[str]) -> list[str]:
    """Return the references that a user typed; raise UsageError when there are none."""
    if not words:
        raise UsageError("name at least one fact", hint="`tideline list` shows their ids")
    return [session.reference(word) for word in words]


def report(session: Session, done: Amended, word: str, already: str, after: str = "") -> None:
    """Print what became of the facts. `word` names what was done, and is the key of the JSON
    object; `already` is the state of facts that needed no change."""
    if session.json:
        output.emit_json({word: [fact.id for fact in done.changed], "batch": done.batch})
    else:
        said = "forgot" if word == "forgotten" else word
        lines = [
            f"{said} {fact.id}: {output.brief(fact)}"
            + (_SETTLED if fact.id in done.settled else after.format(id=fact.id))
            for fact in done.changed
        ]
        output.emit_lines(lines)
    for fact in done.kept:
        state = fact.lifecycle if fact.lifecycle != "active" else already
        session.note(f"{fact.id} is {state} already")
