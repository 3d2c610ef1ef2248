"""A graph of facts as lines, as DOT and as an SVG picture. Stored text passes for nothing else in
any of them."""

from __future__ import annotations

from html import escape

from tideline_cli.cli import output
from tideline_cli.cli.graph_layout import HEIGHT, WIDTH, box_places
from tideline_cli.model.edge import SYMMETRIC
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from tideline_cli.cli.graph_layout import Place
    from tideline_cli.memory.graph import Connected, Graph
    from tideline_cli.model.fact import Fact

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
        yield f"{fact.id}\t[{fact.segment}] {output.one_line(fact.content)}{gone}"
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
    return output.clipped(output.visible(output.one_line(fact.content)), _LABEL)


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
    shown = escape(output.visible(output.one_line(fact.content)))
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
