"""The picture of what a memory does, light and dark: python examples/loop_picture.py [FOLDER]

Facts are remembered on the left, kept in the middle, recalled on the right; below, the nightly
pass. Nothing is measured or run: this is a drawing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 860, 332
THEMES = {
    "light": {"ground": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "line": "#8c959f",
              "box": "#f6f8fa", "in": "#0969da", "out": "#1a7f37", "night": "#8250df"},
    "dark": {"ground": "#0d1117", "ink": "#e6edf3", "soft": "#9198a1", "line": "#6e7681",
             "box": "#161b22", "in": "#58a6ff", "out": "#3fb950", "night": "#bc8cff"},
}  # fmt: skip
TITLE = "remember, recall, dream"
DESC = (
    "Facts of people, agents and documents are remembered through a gate into one SQLite file. "
    "A new value of a slot replaces the old one, which stays readable. recall and context answer "
    "a person or a prompt. dream tends the memory at night: it confirms, merges, links and "
    "archives. undo goes back, step by step."
)


def main(folder: Path) -> None:
    """Write the two pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, colors in THEMES.items():
        (folder / f"loop-{name}.svg").write_text(drawing(colors), encoding="utf-8")


def drawing(colors: dict[str, str]) -> str:
    """Return the drawing in the colours of a theme, as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="t d" '
        'font-family="system-ui, -apple-system, Segoe UI, DejaVu Sans, sans-serif">',
        f'<title id="t">{TITLE}</title><desc id="d">{escape(DESC)}</desc>',
        "<defs>", *(_head(name, colors[name]) for name in ("in", "out", "night")), "</defs>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{colors["ground"]}"/>',
        *_sides(colors), *_memory(colors), *_night(colors), "</svg>\n",
    ]  # fmt: skip
    return "\n".join(parts)


def _sides(colors: dict[str, str]) -> list[str]:
    """Return who speaks, on the left, and who is answered, on the right."""
    made: list[str] = []
    for row, who in enumerate(("you", "an agent", "a document")):
        made += _box(20, 50 + row * 50, 108, 34, colors, edge=colors["line"])
        made.append(_text(74, 72 + row * 50, who, colors["ink"]))
        made.append(_arrow(f"M 128 {67 + row * 50} C 160 {67 + row * 50} 160 117 186 117",
                           colors["in"], head="in" if row == 1 else ""))  # fmt: skip
    made += _box(190, 82, 128, 70, colors, edge=colors["in"])
    made.append(_text(254, 110, "remember", colors["in"], bold=True))
    made.append(_text(254, 132, "who says it counts", colors["soft"], size=12))
    made.append(_arrow("M 318 117 L 340 117", colors["in"], head="in"))
    made.append(_arrow("M 560 117 L 582 117", colors["out"], head="out"))
    made += _box(586, 82, 124, 70, colors, edge=colors["out"])
    made.append(_text(648, 110, "recall", colors["out"], bold=True))
    made.append(_text(648, 132, "the right few facts", colors["soft"], size=12))
    for row, who in enumerate(("you", "a prompt")):
        made.append(_arrow(f"M 710 117 C 726 117 726 {92 + row * 50} 740 {92 + row * 50}",
                           colors["out"], head="out"))  # fmt: skip
        made += _box(744, 75 + row * 50, 96, 34, colors, edge=colors["line"])
        made.append(_text(792, 97 + row * 50, who, colors["ink"]))
    return made


def _memory(colors: dict[str, str]) -> list[str]:
    """Return the file in the middle: what holds, and what is replaced and faded, in grey."""
    made = _box(344, 34, 216, 166, colors, edge=colors["ink"])
    made.append(_text(452, 58, "memory: one SQLite file", colors["ink"], bold=True, size=13))
    rows = (
        ("I deploy on Mondays", "holds", "ink"),
        ("I deploy on Fridays", "replaced", "soft"),
        ("I am a vegetarian", "confirmed", "ink"),
        ("Room 3 is booked", "archived", "soft"),
    )
    for place, (words, mark, color) in enumerate(rows):
        y = 92 + place * 29
        made.append(_text(356, y, words, colors[color], size=12, anchor="start"))
        made.append(_text(548, y, mark, colors["night" if color == "ink" else "soft"],
                          size=11, anchor="end", slanted=True))  # fmt: skip
    return made


def _night(colors: dict[str, str]) -> list[str]:
    """Return the nightly pass below, and the way back."""
    made = [
        _arrow("M 400 200 L 400 246", colors["night"], head="night"),
        _arrow("M 504 250 L 504 204", colors["night"], head="night"),
    ]
    made += _box(276, 250, 352, 56, colors, edge=colors["night"])
    made.append(_text(452, 274, "dream, every night", colors["night"], bold=True))
    made.append(_text(452, 294, "confirm · merge · link · archive: nothing is deleted",
                      colors["soft"], size=12))  # fmt: skip
    made.append(_text(20, 274, "undo", colors["ink"], anchor="start", bold=True, size=13))
    made.append(_text(20, 292, "goes back, step by step", colors["soft"], anchor="start", size=12))
    made.append(_text(840, 274, "on your machine", colors["ink"], anchor="end", bold=True,
                      size=13))  # fmt: skip
    made.append(_text(840, 292, "no model and no key needed", colors["soft"], anchor="end",
                      size=12))  # fmt: skip
    return made


def _box(x: int, y: int, width: int, height: int, colors: dict[str, str], *,
         edge: str) -> list[str]:  # fmt: skip
    return [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" '
            f'fill="{colors["box"]}" stroke="{edge}" stroke-width="1.5"/>']  # fmt: skip


def _text(x: int, y: int, words: str, color: str, *, size: int = 14, bold: bool = False,
          slanted: bool = False, anchor: str = "middle") -> str:  # fmt: skip
    style = ' font-weight="600"' * bold + ' font-style="italic"' * slanted
    return (f'<text x="{x}" y="{y}" fill="{color}" font-size="{size}" '
            f'text-anchor="{anchor}"{style}>{escape(words)}</text>')  # fmt: skip


def _arrow(path: str, color: str, *, head: str = "") -> str:
    end = f' marker-end="url(#{head})"' * bool(head)
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.8"{end}/>'


def _head(name: str, color: str) -> str:
    return (f'<marker id="{name}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" '
            f'markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8z" fill="{color}"/></marker>')


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
