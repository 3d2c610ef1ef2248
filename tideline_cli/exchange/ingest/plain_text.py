"""Blocks of plain text: its paragraphs. Of reStructuredText also the headings."""

from __future__ import annotations

from itertools import groupby

from tideline_cli.exchange.ingest.blocks import Block, Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ADORNMENTS = "=-~^\"'#*+`:._"
_LEAST = 3  # characters of an adornment


def blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs of a plain text, which empty lines part."""
    lines = text.replace("\f", "\n\n").split("\n")
    for is_empty, part in groupby(lines, key=lambda line: not line.strip()):
        if not is_empty:
            yield Block("\n".join(line.rstrip() for line in part))


def restructured_blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs of reStructuredText under their headings: lines that are underlined, or
    lined above and below. The order in which adornments appear gives their levels."""
    outline, levels = Outline(), dict[str, int]()
    for paragraph in blocks(text):
        lines = paragraph.text.split("\n")
        while lines:
            heading = _heading(lines)
            if heading is None:
                yield from outline.block("\n".join(lines))
                break
            title, style, taken = heading
            level = levels.setdefault(style, len(levels) + 1)
            yield from outline.enter(level, title)
            lines = lines[taken:]
    yield from outline.end()


def _heading(lines: Sequence[str]) -> tuple[str, str, int] | None:
    """Return the heading that lines begin with, its style, and how many lines it takes."""
    if len(lines) > 2 and _is_adornment(lines[0], lines[1]) and lines[0] == lines[2]:
        return lines[1], lines[0][0] * 2, 3
    if len(lines) > 1 and _is_adornment(lines[1], lines[0]):
        return lines[0], lines[1][0], 2
    return None


def _is_adornment(line: str, title: str) -> bool:
    mark = line[:1]
    is_line = bool(mark) and mark in _ADORNMENTS and line == mark * len(line)
    return is_line and len(line) >= max(_LEAST, len(title.strip())) and title.strip() != line
