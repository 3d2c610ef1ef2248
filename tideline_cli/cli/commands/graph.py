"""tideline graph."""

from __future__ import annotations

from tideline_cli.cli import filters, graph_forms, output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.cli.shared_options import Filters
from tideline_cli.errors import UsageError
from tideline_cli.memory import graph as memory
from tideline_cli.ranking.graph import FAN_OUT
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.memory.graph import Graph

HELP = """Show facts and the links among them.

With ID the facts that few links lead to from it, either way, the nearest first; without, the
weightiest facts that have links. Filters leave out facts, as in recall, but never ID. As lines, a
fact and below it the links that leave it; as DOT for Graphviz; as JSON; or as a picture, SVG:
`tideline graph @1 --format svg > graph.svg`. Dashed boxes are facts of sources that nobody trusts.
Exits with 0 where nothing is linked."""
EXAMPLES = (("@1", ""), ("@1", "--format svg"), ("", "--format dot --limit 200"))
ARGUMENTS = (Argument("words", "ID", "Which fact.", "id", False, completes=("id",)),)
OPTIONS = (
    Option("hops", ("--hops",), "Links away from the fact at most [default: 2].", "count", 2,
           least=1, most=6),
    Option("fan_out", ("--fan-out",), "Links followed from one fact at most, the strongest first "
           f"[default: {FAN_OUT}].", "count", FAN_OUT, least=1, most=500),
    Option("limit", ("--limit", "-n"), "Facts at most [default: 40].", "count", 40, least=1,
           most=500),
    Option("archived", ("--archived",), "Also facts that are no longer active.", "flag", False),
    Option("format", ("--format",), "text, dot, json or svg [default: text]; --json goes with json "
           "alone.", "choice", choices=("text", "dot", "json", "svg"),
           beside=(("json", ("json",)),)),
    *filters.OPTIONS,
)  # fmt: skip


class Options(Filters):
    """The options of a call."""

    hops: int
    fan_out: int
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
    _tell(session, graph, options)
    return 0


def _tell(session: Session, graph: Graph, options: Options) -> None:
    """Say what is not shown, and how to see it."""
    if graph.is_cut:
        session.note(f"there are more than {options.limit:,} facts: --limit sets how many")
    if graph.left_out:
        where = ", ".join(f"{count:,} of {one}" for one, count in graph.left_out.items())
        session.note(
            f"more than {options.fan_out:,} links; linked facts left out: {where}; --fan-out sets "
            "how many links of a fact are followed"
        )
    if graph.elsewhere:
        count = graph.elsewhere
        said = "1 linked fact is" if count == 1 else f"{count:,} linked facts are"
        session.note(f"{said} of other scopes: --all-scopes")
    if graph.edges or graph.elsewhere:
        return
    if filters.is_given(options):
        session.note("nothing is linked among the facts that are asked for")
    else:
        session.note("nothing is linked: `tideline link A B --kind KIND` does")


def _graph(session: Session, words: list[str], options: Options) -> Graph:
    reference = session.reference(words[0]) if words else None
    db = session.reading()
    if db is None:
        if reference is not None:
            raise facts.missing(reference)
        return memory.Graph(None, (), {}, (), is_cut=False)
    wanted = filters.wanted(
        session, db, options, lifecycle=None if options.archived else "active"
    )
    if reference is None:
        return memory.whole(db, viewer=session.viewer, limit=options.limit, wanted=wanted)
    centre = facts.find(db, reference, viewer=session.viewer)
    reach = memory.Reach(options.hops, options.limit, options.fan_out)
    return memory.around(db, centre, viewer=session.viewer, reach=reach, wanted=wanted)
