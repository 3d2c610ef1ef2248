"""Values of YAML: lists and mappings by indentation, and texts of several lines. Pure.

It reads what editors write, and raises ValueError for the rest: nothing is guessed.
"""

from __future__ import annotations

from tideline_cli.exchange import yaml_flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Lines:
    """Lines of a block that are read one after the other; each has its depth. Blank lines and
    comments stand between them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)
        self._place = 0

    def depth(self) -> int:
        """Return how deep the next line is indented, -1 at the end."""
        while self._place < len(self._lines) and is_bare(self._lines[self._place]):
            self._place += 1
        return _depth(self._lines[self._place]) if self._place < len(self._lines) else -1

    def text(self) -> str:
        """Return the next line, without its indentation."""
        return self._lines[self._place].strip() if self.depth() >= 0 else ""

    def take(self) -> None:
        """Go on to the line after the next."""
        self._place += 1

    def deepen(self, text: str, depth: int) -> None:
        """Let a text be the next line, in the place of the one it stands on."""
        self._lines[self._place] = " " * depth + text

    def below(self, depth: int) -> list[str]:
        """Take all lines until the next that is not deeper than this."""
        start = self._place
        while self._place < len(self._lines):
            line = self._lines[self._place]
            if line.strip() and _depth(line) <= depth:
                break
            self._place += 1
        return self._lines[start : self._place]


def _depth(line: str) -> int:
    bare = line.lstrip(" ")
    if bare[:1] == "\t":
        raise ValueError("a tab indents a line")
    return len(line) - len(bare)


def is_bare(line: str) -> bool:
    """Say whether a line says nothing: it is blank, or a comment."""
    return not line.strip() or line.lstrip()[:1] == "#"


def on_one_line(first: str, more: Sequence[str]) -> str:
    """Return the words of several lines on one; a blank line among them ends a line."""
    text, pending = first, 0
    is_quoted = first[:1] in ('"', "'")
    for line in more:
        if line.lstrip()[:1] == "#" and not is_quoted:
            continue
        if not line.strip():
            pending += 1
            continue
        if text.endswith("\\"):
            raise ValueError("a line ends with a backslash")
        if text:
            text += "\n" * pending if pending else " "
        text, pending = text + line.strip(), 0
    return text


def block(lines: Lines, *, typed: bool) -> Any:
    """Return the list or mapping that lines state by their indentation."""
    value = _nested(lines, lines.depth(), typed=typed)
    if lines.depth() >= 0:
        raise ValueError(f"{lines.text()!r:.40} stands where nothing may")
    return value


def _nested(lines: Lines, depth: int, *, typed: bool) -> Any:
    if _is_item(lines.text()):
        return _list(lines, depth, typed=typed)
    if _key(lines.text()) is None:
        return yaml_flow.flow(on_one_line("", lines.below(depth - 1)), typed=typed)
    return _mapping(lines, depth, typed=typed)


def _list(lines: Lines, depth: int, *, typed: bool) -> list[Any]:
    found: list[Any] = []
    while lines.depth() == depth and _is_item(lines.text()):
        rest = lines.text()[1:].lstrip()
        inner = depth + len(lines.text()) - len(rest)
        if rest and (_is_item(rest) or _key(rest) is not None):
            lines.deepen(rest, inner)
            found.append(_nested(lines, inner, typed=typed))
        else:
            lines.take()
            found.append(_rest(lines, rest, depth, typed=typed))
    return found


def _mapping(lines: Lines, depth: int, *, typed: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while lines.depth() == depth:
        parts = _key(lines.text())
        if parts is None:
            break
        lines.take()
        name, rest = parts
        if name in found:
            raise ValueError(f"{name!r:.40} stands there twice")
        if not rest and lines.depth() == depth and _is_item(lines.text()):
            found[name] = _list(lines, depth, typed=typed)
        else:
            found[name] = _rest(lines, rest, depth, typed=typed)
    return found


def _rest(lines: Lines, rest: str, depth: int, *, typed: bool) -> Any:
    """Return what stands behind a name or a hyphen: on its line, and on the deeper ones below."""
    if is_text_mark(rest):
        return folded(rest, lines.below(depth), above=depth)
    if rest[:1] == "#":
        rest = ""
    if not rest and lines.depth() > depth:
        return _nested(lines, lines.depth(), typed=typed)
    return yaml_flow.flow(on_one_line(rest, lines.below(depth)), typed=typed)


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _key(text: str) -> tuple[str, str] | None:
    """Return the name and the rest of a line of a mapping, None for any other line."""
    if text[:1] in ('"', "'"):
        try:
            name, rest = yaml_flow.quotation(text)
        except ValueError:
            return None  # its end is on a later line
        rest = rest.lstrip()
        return (name, rest[1:].strip()) if rest[:1] == ":" and rest[1:2] in ("", " ") else None
    if text[:1] in ("[", "{"):
        return None
    name, colon, rest = (text + " ").partition(": ")
    return (name.strip(), rest.strip()) if colon and not name.startswith("#") else None


def is_text_mark(text: str) -> bool:
    """Say whether a text of several lines begins here."""
    return text[:1] in ("|", ">") and text[1:].strip("+-123456789") == "" and len(text) <= 3


def folded(mark: str, lines: Sequence[str], *, above: int = 0) -> str:
    """Return a text of several lines, as it stands or with its lines joined."""
    digits = [int(sign) for sign in mark if sign.isdigit()]
    filled = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    depth = above + digits[0] if digits else min(filled, default=0)
    texts = [line[depth:] if line.strip() else "" for line in lines]
    while texts and not texts[-1]:
        texts.pop()
    text = "\n".join(texts) if mark[0] == "|" else _joined(texts)
    return text if "-" in mark or not text else f"{text}\n"


def _joined(lines: Sequence[str]) -> str:
    """Join the lines of a paragraph; a blank line parts two, and deeper lines stay as they are."""
    text = ""
    pending = 0  # ends of lines that are not written yet
    for place, line in enumerate(lines):
        if not line:
            pending += 1
            continue
        before = next((one for one in reversed(lines[:place]) if one), "")
        keeps = line[:1] == " " or before[:1] == " "
        if place:
            text += "\n" * (pending + keeps) if pending or keeps else " "
        text, pending = text + line, 0
    return text
