"""tideline graph."""

from __future__ import annotations

from html import escape
from math import cos, pi, sin, sqrt

from tideline_cli.cli import filters, output
from tideline_cli.cli.filters import Filters
from tideline_cli.cli.options import Argument, choice, count, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory import graph as memory
from tideline_cli.model.edge import SYMMETRIC
from tideline_cli.model.source import is_trusted
from tideline_cli.ranking.graph import FAN_OUT
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from tideline_cli.memory.graph import Connected, Graph
    from tideline_cli.model.fact import Fact
    Place = tuple[float, float]

HELP = """Show facts and the links among them.

With ID the facts that few links lead to from it, either way, the nearest first; without, the
weightiest facts that have links. Filters leave out facts, as in recall, but never ID. As lines, a
fact and below it the links that leave it; as DOT for Graphviz; as JSON; or as a picture, SVG:
`tideline graph @1 --format svg > graph.svg`. Dashed boxes are facts of sources that nobody trusts.
Exits with 0 where nothing is linked."""
EXAMPLES = (("@1", ""), ("@1", "--format svg"), ("", "--format dot --limit 200"))
ARGUMENTS = (Argument("words", "ID", "Which fact.", "id", False, completes=("id",)),)


class Options(Filters):
    """The options of a call."""

    hops = count("Links away from the fact at most [default: 2].", default=2, least=1, most=6)
    fan_out = count(
        f"Links followed from one fact at most, the strongest first [default: {FAN_OUT}].",
        default=FAN_OUT, least=1, most=500,
    )  # fmt: skip
    limit = count("Facts at most [default: 40].", short="-n", default=40, least=1, most=500)
    archived = flag("Also facts that are no longer active.")
    format = choice(("text", "dot", "json", "svg"))(
        "text, dot, json or svg [default: text]; --json goes with json alone.",
        beside=(("json", ("json",)),),
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Show the graph."""
    if len(words) > 1:
        raise UsageError("name one fact at most", hint="tideline graph ID")
    chosen = output.chosen(session, options.format, usual="text")
    graph = _graph(session, words, options)
    if chosen == "json":
        output.emit_json(form(graph))
    elif chosen == "text":
        output.emit_lines(list(lines(graph)))
    else:
        made = svg(graph) if chosen == "svg" else dot(graph)
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
    wanted = filters.wanted(session, db, options, lifecycle=None if options.archived else "active")
    if reference is None:
        return memory.whole(db, viewer=session.viewer, limit=options.limit, wanted=wanted)
    centre = facts.find(db, reference, viewer=session.viewer)
    reach = memory.Reach(options.hops, options.limit, options.fan_out)
    return memory.around(db, centre, viewer=session.viewer, reach=reach, wanted=wanted)


_LABEL = 48  # characters of a text in a picture. Source: Tideline, graph export
_LINE = 26  # characters of a line in a box
_STYLE = """
svg{background:#fff;font:12px system-ui,sans-serif}
rect{fill:#f4f6f8;stroke:#5b6b7b;rx:7}rect.centre{stroke-width:2.5}
rect.untrusted{stroke-dasharray:5 3}rect.gone{fill:none;stroke:#9aa5b1}
text{fill:#17212b;text-anchor:middle}text.kind{fill:#4a5a6a;font-size:10px;paint-order:stroke;
stroke:#fff;stroke-width:3px}
line{stroke:#8795a3}line.strong{stroke-width:2.2}line.weak{stroke-dasharray:2 3}
@media(prefers-color-scheme:dark){svg{background:#10161c}rect{fill:#1b242d;stroke:#8fa1b3}
text{fill:#e6edf3}text.kind{fill:#a9b8c6;stroke:#10161c}rect.gone{stroke:#55626e}}
"""

WIDTH, HEIGHT = 200.0, 48.0
"""Of a box."""
_GAP = 26.0
_STEPS = 240
_REACH = 165.0  # the length that a link would have by itself


def form(graph: Graph) -> dict[str, Any]:
    """Return a graph as JSON has it."""
    return {
        "centre": graph.centre,
        "nodes": [
            {"id": fact.id, "label": label(fact), "segment": fact.segment, "kind": fact.kind,
             "importance": fact.importance, "source": fact.source, "lifecycle": fact.lifecycle,
             "hops": graph.hops.get(fact.id), "left_out": graph.left_out.get(fact.id, 0)}
            for fact in graph.facts
        ],
        "edges": [
            {"from": edge.source, "to": edge.target, "kind": edge.kind, "weight": edge.weight,
             "strength": edge.strength}
            for edge in graph.edges
        ],
        "truncated": graph.is_cut,
        "left_out": sum(graph.left_out.values()),
        "elsewhere": graph.elsewhere,
    }  # fmt: skip


def lines(graph: Graph) -> Iterator[str]:
    """Yield a line a fact, and below it one for each link that leaves it."""
    texts = {fact.id: label(fact) for fact in graph.facts}
    for fact in graph.facts:
        gone = "" if fact.lifecycle == "active" else f"\t({fact.lifecycle})"
        yield f"{fact.id}\t[{fact.segment}] {output.told(fact)}{gone}"
        for edge in graph.edges:
            if edge.source == fact.id:
                yield f"\t{_said(edge)}\t{edge.target}\t{texts[edge.target]}"


def dot(graph: Graph) -> Iterator[str]:
    """Yield the lines of a graph for Graphviz."""
    yield "digraph tideline {"
    yield "  node [shape=box, style=rounded];"
    for fact in graph.facts:
        style = "" if is_trusted(fact.source) else ', style="rounded,dashed"'
        yield f"  {_quoted(fact.id)} [label={_quoted(label(fact))}{style}];"
    for edge in graph.edges:
        ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
        yield f"  {ends} [label={_quoted(_said(edge))}];"
    yield "}"


def label(fact: Fact) -> str:
    """Return the beginning of a text, on one line, with all that is invisible spelled out."""
    return output.clipped(output.visible(output.told(fact)), _LABEL)


def _said(edge: Connected) -> str:
    """Return the kind of a link, on one line, with all that is invisible spelled out: a file may
    have brought any text."""
    return output.visible(output.one_line(edge.kind))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def svg(graph: Graph) -> Iterator[str]:
    """Yield the lines of a picture: a box a fact, a line a link; what nobody trusts is dashed."""
    index = {fact.id: number for number, fact in enumerate(graph.facts)}
    pairs = [(index[edge.source], index[edge.target]) for edge in graph.edges]
    at = box_places(len(graph.facts), pairs, centre=index.get(graph.centre or ""))
    left, top, width, height = _frame(at)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" role="img">'
    )
    yield "<title>The links of a memory</title>"
    yield f"<style>{_STYLE}</style>"
    yield (
        '<defs><marker id="to" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#8795a3"/></marker></defs>'
    )
    told: dict[frozenset[int], int] = {}
    for edge, pair in zip(graph.edges, pairs, strict=True):
        nth = told[frozenset(pair)] = told.get(frozenset(pair), -1) + 1
        yield from _link(edge, at[pair[0]], at[pair[1]], nth)
    for fact, place in zip(graph.facts, at, strict=True):
        yield _box(fact, place, is_centre=fact.id == graph.centre)
    yield "</svg>"


def _frame(at: Sequence[Place]) -> tuple[float, float, float, float]:
    margin_x, margin_y = WIDTH / 2 + 20.0, HEIGHT / 2 + 20.0
    left = min((x for x, _ in at), default=0.0) - margin_x
    top = min((y for _, y in at), default=0.0) - margin_y
    right = max((x for x, _ in at), default=0.0) + margin_x
    bottom = max((y for _, y in at), default=0.0) + margin_y
    return left, top, right - left, bottom - top


def _link(edge: Connected, start: Place, end: Place, nth: int) -> Iterator[str]:
    """Yield a line from the rim of one box to that of another, and its kind; the kinds of several
    links between two boxes stand below each other."""
    (x1, y1), (x2, y2) = _rim(start, end), _rim(end, start)
    arrow = "" if edge.kind in SYMMETRIC else 'marker-end="url(#to)"'
    if not nth:
        yield (
            f'<line class="{edge.weight}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f"{arrow}/>"
        )
    x, y = (x1 + x2) / 2, (y1 + y2) / 2 + 4.0 + 12.0 * nth
    yield f'<text class="kind" x="{x:.1f}" y="{y:.1f}">{escape(_said(edge))}</text>'


def _rim(start: Place, end: Place) -> Place:
    """Return where the line from the middle of a box to that of another leaves the box."""
    x, y = end[0] - start[0], end[1] - start[1]
    wide = WIDTH / 2 / abs(x) if x else 9e9
    high = HEIGHT / 2 / abs(y) if y else 9e9
    share = min(wide, high, 1.0)
    return start[0] + x * share, start[1] + y * share


def _box(fact: Fact, place: Place, *, is_centre: bool) -> str:
    x, y = place
    words = ["centre"] if is_centre else []
    words += [] if is_trusted(fact.source) else ["untrusted"]
    words += [] if fact.lifecycle == "active" else ["gone"]
    rows = _rows(label(fact))
    first = y + 4.0 - 7.0 * (len(rows) - 1)
    texts = "".join(
        f'<text x="{x:.1f}" y="{first + 14.0 * number:.1f}">{escape(row)}</text>'
        for number, row in enumerate(rows)
    )
    shown = escape(output.visible(output.told(fact)))
    return (
        f'<g><title>{shown} ({fact.id})</title><rect class="{" ".join(words)}" '
        f'x="{x - WIDTH / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{WIDTH:.0f}" '
        f'height="{HEIGHT:.0f}" rx="7"/>{texts}</g>'
    )


def _rows(text: str) -> list[str]:
    """Return a label in two lines at most."""
    if len(text) <= _LINE:
        return [text]
    cut = text.rfind(" ", 0, _LINE + 1)
    cut = cut if cut > 0 else _LINE
    return [text[:cut].rstrip(), text[cut:].strip()]


def box_places(count: int, edges: Sequence[tuple[int, int]], *, centre: int | None) -> list[Place]:
    """Return the middle of each box: linked boxes near each other, none on another. The centre
    stays where it is. Fruchterman and Reingold (1991)."""
    at = [_start(index, count) for index in range(count)]
    if centre is not None:
        at[centre] = (0.0, 0.0)
    for step in range(_STEPS):
        most = 60.0 * (1.0 - step / _STEPS) + 1.0
        at = _moved(at, edges, most, centre)
    return _apart(at, centre)


def _start(index: int, count: int) -> Place:
    """Return a place on a spiral: no two boxes begin at one."""
    angle = index * pi * (3.0 - sqrt(5.0))
    radius = _REACH * sqrt((index + 1) / count) * max(1.0, sqrt(count) / 2)
    return radius * cos(angle), radius * sin(angle) * 0.7


def _moved(
    at: Sequence[Place], edges: Sequence[tuple[int, int]], most: float, centre: int | None
) -> list[Place]:
    forces = [[0.0, 0.0] for _ in at]
    for one in range(len(at)):
        for other in range(one):
            _push(forces, at, one, other)
    for one, other in edges:
        _pull(forces, at, one, other)
    return [
        (x, y) if index == centre else _step(x, y, forces[index], most)
        for index, (x, y) in enumerate(at)
    ]


def _between(at: Sequence[Place], one: int, other: int) -> tuple[float, float, float]:
    x, y = at[one][0] - at[other][0], at[one][1] - at[other][1]
    return x, y, max(1.0, sqrt(x * x + y * y))


def _push(forces: list[list[float]], at: Sequence[Place], one: int, other: int) -> None:
    x, y, far = _between(at, one, other)
    force = _REACH * _REACH / (far * far)
    for index, sign in ((one, 1.0), (other, -1.0)):
        forces[index][0] += sign * x * force
        forces[index][1] += sign * y * force


def _pull(forces: list[list[float]], at: Sequence[Place], one: int, other: int) -> None:
    x, y, far = _between(at, one, other)
    force = far / _REACH
    for index, sign in ((one, -1.0), (other, 1.0)):
        forces[index][0] += sign * x * force
        forces[index][1] += sign * y * force


def _step(x: float, y: float, force: Sequence[float], most: float) -> Place:
    dx, dy = force
    far = max(1.0, sqrt(dx * dx + dy * dy))
    share = min(far, most) / far
    return x + dx * share, y + dy * share


def _apart(at: list[Place], centre: int | None) -> list[Place]:
    """Return the box_places with no box on another: the nearer way out, as often as it takes."""
    wide, high = WIDTH + _GAP, HEIGHT + _GAP
    for _ in range(200):
        is_clear = True
        for one in range(len(at)):
            for other in range(one):
                x, y = at[one][0] - at[other][0], at[one][1] - at[other][1]
                over_x, over_y = wide - abs(x), high - abs(y)
                if over_x <= 0.0 or over_y <= 0.0:
                    continue
                is_clear = False
                move = (over_x + 1.0 if x >= 0.0 else -over_x - 1.0, 0.0)
                if over_y < over_x:
                    move = (0.0, over_y + 1.0 if y >= 0.0 else -over_y - 1.0)
                still = other if one == centre else one
                sign = -1.0 if one == centre else 1.0
                at[still] = at[still][0] + sign * move[0], at[still][1] + sign * move[1]
        if is_clear:
            break
    return at
