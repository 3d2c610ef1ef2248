"""What a terminal shows in a session as an SVG that plays: styles alone, no scripts.

Each line is there from its time on; of a typed one a cover goes away, letter by letter. Who asks
for less motion, or has no styles, sees the whole session at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

COLUMNS = 98
_CELL, _LINE, _MARGIN, _BAR = 8.4, 19, 14, 30  # pixels
_PROMPT = 2  # cells before what is typed
_FONTS = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
_LIGHTS = ((18, "#ff5f57"), (36, "#febc2e"), (54, "#28c840"))
_TITLE = "Claude Code answers from a tideline memory"


@dataclass
class Row:
    """A line of the terminal: when it is there, and for how long it is typed."""

    text: Text
    at: float
    typed: float = 0.0


def picture(rows: list[Row], length: float, theme: TerminalTheme) -> str:
    """Return a session of so many seconds as an SVG that plays over and over."""
    width = round(COLUMNS * _CELL) + 2 * _MARGIN
    height = _BAR + len(rows) * _LINE + _MARGIN
    back, fore = theme.background_color.hex, theme.foreground_color.hex
    seen = [(f"{number}", row) for number, row in enumerate(rows) if row.text.plain]
    rules = [_appears("r" + name, row.at, length) for name, row in seen]
    rules += [_types("c" + name, row, length) for name, row in seen if row.typed]
    spoken = escape("\n".join(row.text.plain for row in rows))
    lights = "".join(f'<circle cx="{x}" cy="15" r="5" fill="{color}"/>' for x, color in _LIGHTS)
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" '
        f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="t d">',
        f'<title id="t">{_TITLE}</title>', f'<desc id="d">{spoken}</desc>', "<style>",
        f"text {{ font: 14px {_FONTS}; white-space: pre; fill: {fore} }}",
        ".b { font-weight: 700 } .d { opacity: .65 } .c { opacity: 0 }", *rules,
        "@media (prefers-reduced-motion: reduce) { g, .c { animation: none !important } }",
        "</style>", f'<clipPath id="w"><rect width="{width}" height="{height}" rx="8"/></clipPath>',
        f'<g clip-path="url(#w)"><rect width="{width}" height="{height}" fill="{back}"/>{lights}',
        *(_row(name, row, back, theme) for name, row in seen), "</g>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="none" '
        'stroke="#8b949e" stroke-opacity=".5"/>', "</svg>\n",
    ))  # fmt: skip


def _row(name: str, row: Row, back: str, theme: TerminalTheme) -> str:
    """Return the runs of a line, each as wide as its cells, and the cover of what is typed."""
    y = _BAR + int(name) * _LINE
    parts, column = [], 0
    edges = sorted({edge for span in row.text.spans for edge in span[:2]})
    for run in row.text.divide(edges):
        size = run.cell_len
        if run.plain.strip():
            x, wide = _MARGIN + column * _CELL, size * _CELL
            place = f'x="{x:.1f}" y="{y + 14}" textLength="{wide:.1f}"'
            parts.append(f"<text {place}{_look(run, theme)}>{escape(run.plain)}</text>")
        column += size
    if row.typed:
        x, wide = _MARGIN + _PROMPT * _CELL, row.text.cell_len * _CELL
        place = f'x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{_LINE}"'
        parts.append(f'<rect class="c" id="c{name}" {place} fill="{back}"/>')
    return f'<g id="r{name}">{"".join(parts)}</g>'


def _look(run: Text, theme: TerminalTheme) -> str:
    """Return color and weight of a run as attributes."""
    style = Style()
    for span in run.spans:
        style += Style.parse(span.style) if isinstance(span.style, str) else span.style
    names = [name for name, is_on in (("b", style.bold), ("d", style.dim)) if is_on]
    look = f' class="{" ".join(names)}"' if names else ""
    if style.color is not None and not style.color.is_default:
        look += f' style="fill:{style.color.get_truecolor(theme).hex}"'
    return look


def _appears(name: str, at: float, length: float) -> str:
    share = 100 * at / length
    steps = f"0%, {share:.2f}% {{ opacity: 0 }} {share + 0.01:.2f}%, 100% {{ opacity: 1 }}"
    return _rule(name, length, steps)


def _types(name: str, row: Row, length: float) -> str:
    """Return the rule of a cover: it stays until its time, goes in steps, and is gone."""
    start, end = 100 * row.at / length, 100 * (row.at + row.typed) / length
    count = row.text.cell_len - _PROMPT
    away = f"transform: translateX({count * _CELL:.1f}px)"
    return _rule(name, length, (
        f"0%, {start:.2f}% {{ opacity: 1; transform: none; "
        f"animation-timing-function: steps({count}) }} {end:.2f}% {{ opacity: 1; {away} }} "
        f"{end + 0.01:.2f}%, 100% {{ opacity: 0; {away} }}"
    ))  # fmt: skip


def _rule(name: str, length: float, steps: str) -> str:
    return f"#{name} {{ animation: {name} {length:.1f}s infinite }} @keyframes {name} {{ {steps} }}"
