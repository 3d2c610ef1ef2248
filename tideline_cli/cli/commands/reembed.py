"""tideline reembed."""

from __future__ import annotations

from tideline_cli.cli import embedding, output
from tideline_cli.cli.options import Argument, OptionSet, count
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory import lanes, reembed
from tideline_cli.model.origin import EVERYONE

HELP = """Make the vectors that facts lack.

After `tideline embedder use NAME` each fact needs a vector by the new embedder. Until the last one
is made, recall goes on with the old vectors; then it takes the new ones. What is made is kept: a
run that was stopped, by Ctrl-C or a power cut, goes on where it was when it is called again.

All origins of the memory file are embedded, each apart."""
EXAMPLES = (("", ""), ("", "--limit 1000"))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(OptionSet):
    """The options of a call."""

    limit = count("Vectors at most, such as for one night [0 is all].", short="-n")


def run(session: Session, words: list[str], options: Options) -> int:
    """Make the missing vectors."""
    if words:
        raise UsageError("reembed takes no words", hint="tideline reembed")
    session.needs_owner("only the owner may change the memory file")
    lanes.forget_named()
    made, choice = 0, reembed.VectorChoice("hrr-256", "", 0)
    if session.reading() is not None:
        db = session.writing()
        choice = reembed.choice_of(db, viewer=EVERYONE)
        limit = options.limit or None
        total = choice.missing if limit is None else min(limit, choice.missing)
        made = embedding.make(session, db, limit=limit, total=total, viewer=EVERYONE)
        choice = reembed.choice_of(db, viewer=EVERYONE)
    if session.json:
        more = {"made": made, "missing": choice.missing, "pending": bool(choice.next)}
        output.emit_json(embedding.form_of(choice.wanted) | more)
    else:
        output.emit_lines(_lines(made, choice))
    return 0


def _lines(made: int, choice: reembed.VectorChoice) -> list[str]:
    name = embedding.spec_of(choice.wanted)
    vectors = "1 vector" if made == 1 else f"{made:,} vectors"
    first = f"{vectors} made by {name}" if made else f"no fact lacks a vector by {name}"
    if not choice.missing:
        return [first]
    held = f"; recall goes on with {embedding.spec_of(choice.now)}" if choice.next else ""
    return [f"{first}; {embedding.waiting(choice.missing)}{held}"]
