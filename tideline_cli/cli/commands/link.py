"""tideline link."""

from __future__ import annotations

from tideline_cli.cli import by_id, output
from tideline_cli.cli.new_fact import warn_of_secrets_in
from tideline_cli.cli.options import Argument, OptionSet, choice, count, flag, text
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory import link as memory
from tideline_cli.model.edge import KINDS, MOST_OF_A_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.memory.link import Linked

HELP = f"""Say how one fact is related to another.

A kind that holds from both ends (relates, same_topic, similar …) is stored from both; any other is
one edge, from A to B, and `show B` has it as a backlink: if A causes B, then B is caused_by A. An
edge that is there already, also by the inverse kind, gets a reason and a strength where it has
none. A fact has at most {MOST_OF_A_KIND} edges of one kind: one more is refused with 4, and
nothing is stored."""
EXAMPLES = (("@1 @2", '--kind causes --reason "the outage followed the deploy" --strength 4'),)
ARGUMENTS = (Argument("words", "A B", "The two facts.", "id", False, 2,
                      completes=("active", "active")),)


class Options(OptionSet):
    """The options of a call."""

    kind = choice(tuple(kind for kind in KINDS if kind not in ("supersedes", "transition")))(
        "How they are related [default: relates].", default="relates", metavar="KIND"
    )
    reason = text("Why.")
    strength = count("How closely.", least=1, most=5)
    remove = flag("Remove the edge of this kind, from either end.", excludes=("reason", "strength"))


def run(session: Session, words: list[str], options: Options) -> int:
    """Make the edge, or remove it."""
    if len(words) != 2:
        raise UsageError("name two facts", hint="tideline link A B")
    source, target = (session.reference(word) for word in words)
    db = by_id.existing(session, [source])
    viewer, now = session.viewer, session.now
    if options.remove:
        done = memory.unlink(db, source, options.kind, target, viewer=viewer, now=now)
    else:
        done = memory.link(
            db, source, options.kind, target, reason=options.reason, strength=options.strength,
            viewer=viewer, now=now,
        )  # fmt: skip
        warn_of_secrets_in(session, [options.reason], source)
    _report(session, done, options.kind, remove=options.remove)
    return 0


def _report(session: Session, done: Linked, kind: str, *, remove: bool) -> None:
    if session.json:
        edges = [
            {"source": edge.source, "kind": edge.kind, "target": edge.target,
             "reason": edge.reason, "strength": edge.strength}
            for edge in done.links
        ]  # fmt: skip
        word = "removed" if remove else "created"
        output.emit_json({word: done.count, "links": edges, "batch": done.batch})
    else:
        output.emit_lines([_line(edge.source, edge.kind, edge.target) for edge in done.links])
    if done.batch is None and remove:
        session.note(f"there is no such edge: {kind}")
    elif done.batch is None:
        session.note("they are linked so already")


def _line(source: str, kind: str, target: str) -> str:
    return f"{source}\t{kind}\t{target}"
