"""tideline graph."""

from __future__ import annotations

from tideline_cli.cli import graph_forms, output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory import graph as memory
from tideline_cli.model.record import record
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.memory.graph import Graph

HELP = """Show facts and the links among them.

With ID the facts that few links lead to from it, either way, the nearest first; without, the
weightiest facts that have links. As lines, a fact and below it the links that leave it; as DOT for
Graphviz; as JSON; or as a picture, SVG: `tideline graph @1 --format svg > graph.svg`. Dashed boxes
are facts of sources that nobody trusts. Exits with 0 where nothing is linked."""
EXAMPLES = (("@1", ""), ("@1", "--format svg"), ("", "--format dot --limit 200"))
ARGUMENTS = (Argument("words", "ID", "Which fact.", "id", False, completes=("id",)),)
OPTIONS = (
    Option("hops", ("--hops",), "Links away from the fact at most [default: 2].", "count", 2,
           least=1, most=6),
    Option("limit", ("--limit", "-n"), "Facts at most [default: 40].", "count", 40, least=1,
           most=500),
    Option("archived", ("--archived",), "Also facts that are no longer active.", "flag", False),
    Option("format", ("--format",), "text, dot, json or svg [default: text]; --json goes with json "
           "alone.", "choice", choices=("text", "dot", "json", "svg"),
           beside=(("json", ("json",)),)),
)  # fmt: skip


@record
class Options:
    """The options of a call."""

    hops: int
    limit: int
    archived: bool
    format: str | None


def run(session: Session, words: list[str], options: Options) -> int:
    """Show the graph."""
    if len(words) > 1:
        raise UsageError("name one fact at most", hint="tideline graph ID")
    chosen = output.chosen(session, options.format, usual="text")
    graph = _graph(session, words, options)
    if chosen == "json":
        output.emit_json(graph_forms.form(graph))
    elif chosen == "text":
        output.emit_lines(list(graph_forms.lines(graph)))
    else:
        made = graph_forms.svg(graph) if chosen == "svg" else graph_forms.dot(graph)
        output.emit_exact(f"{line}\n" for line in made)
    if graph.facts and chosen == "text":
        session.keep_hits([fact.id for fact in graph.facts])
    if graph.is_cut:
        session.note(f"there are more than {options.limit:,} facts: --limit sets how many")
    if not graph.edges:
        session.note("nothing is linked: `tideline link A B --kind KIND` does")
    return 0


def _graph(session: Session, words: list[str], options: Options) -> Graph:
    reference = session.reference(words[0]) if words else None
    db = session.reading()
    if db is None:
        if reference is not None:
            raise facts.missing(reference)
        return memory.Graph(None, (), {}, (), is_cut=False)
    if reference is None:
        return memory.whole(
            db, viewer=session.viewer, limit=options.limit, archived=options.archived
        )
    centre = facts.find(db, reference, viewer=session.viewer)
    return memory.around(
        db, centre, viewer=session.viewer, hops=options.hops, limit=options.limit,
        archived=options.archived,
    )  # fmt: skip
