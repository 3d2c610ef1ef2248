"""tideline forget."""

from __future__ import annotations

from tideline_cli.cli import by_id, output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.cli.terminal import confirmed
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.memory import amend
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.fact import Fact

HELP = """Take facts out of recall.

They are archived: `tideline restore` brings them back, `tideline purge` removes for good. Several
are forgotten together or not at all.

--query forgets the fact that is nearest to a text, after asking. Its distance is 2 - 2 * cosine;
from 0.5 on nothing is forgotten, and the nearest is named."""
EXAMPLES = (("@1", ""), ("", '--query "I deploy on Fridays"'))
ARGUMENTS = (Argument("words", "ID", "Which facts.", "id"),)
OPTIONS = (
    Option("query", ("--query",), "Forget the fact nearest to this text.", metavar="TEXT"),
    Option("superseded_by", ("--superseded-by",), "The fact that stands in their place.",
           metavar="ID"),
    Option("yes", ("--yes", "-y"), "Do not ask.", "flag", False),
)  # fmt: skip
TOO_FAR = 0.5


@record
class Options:
    """The options of a call."""

    query: str | None
    superseded_by: str | None
    yes: bool


def run(session: Session, words: list[str], options: Options) -> int:
    """Forget the facts."""
    if bool(words) == (options.query is not None):
        raise UsageError("name facts, or say --query TEXT", hint="tideline forget ID")
    references = [session.reference(word) for word in words]
    if options.query is not None:
        fact = _nearest(session, options.query)
        question = f"Forget {fact.id}: {amend.clipped(fact.content)}?"
        if not confirmed(session, question, yes=options.yes):
            if session.json:
                output.emit_json({"forgotten": [], "batch": None})
            session.note("nothing forgotten")
            return 1
        references = [fact.id]
    successor = options.superseded_by
    done = amend.forget(
        by_id.existing(session, references),
        references,
        superseded_by=None if successor is None else session.reference(successor),
        viewer=session.viewer,
        now=session.now,
    )
    after = f"; `{session.call('restore')} {{id}}` brings it back"
    by_id.report(session, done, "forgotten", "archived", after)
    if not any(word.startswith("@") for word in words):  # whoever counts goes on counting
        session.keep_hits([fact.id for fact in (*done.changed, *done.kept)])
    return 0


def _nearest(session: Session, query: str) -> Fact:
    db = session.reading()
    found = db and amend.closest(db, query, viewer=session.viewer, now=session.now)
    if not found:
        raise TidelineError("nothing matched", hint="`tideline list` shows facts", code="no_match")
    fact, distance = found
    if distance >= TOO_FAR:
        raise TidelineError(
            f"nothing is near enough: {fact.id} is the nearest, at distance {distance:.3f}: "
            + amend.clipped(fact.content),
            hint=f"if you mean it: tideline forget {fact.id}",
            code="too_far",
        )
    return fact
