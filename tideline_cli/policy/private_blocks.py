"""Stretches of a prompt that are not asked for and not kept: blocks of a memory, which clients hand
back as the user's words, notices of programs, and what the user marks as private. Pure."""

from __future__ import annotations

from tideline_cli.policy.render import HEADING, NOTICE, STALE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Span = tuple[int, int]

MEMORY = ("untrusted-memory", "hook_context")
"""The fence of a block of memory, and what a client lays around it."""
UNASKED = (*MEMORY, "private", "system-reminder", "pasted_content", "session_context")
_BRACKETS = (("<", ">"), ("&lt;", "&gt;"))
_NAME_ENDS = " \t\n\r/>&"  # behind the name of a tag
_LONGEST_END = 200  # characters of an end tag


def without_blocks(text: str, names: Iterable[str] = UNASKED) -> str:
    """Return `text` without the elements of these names, plain or with `<` and `>` escaped, and
    without the lines that lead a block of memory. One without an end goes to the end of the text:
    what is cut off is no word of the user's."""
    if "<" in text or "&lt;" in text:
        text = "".join(_kept(text, names))
    for line in (NOTICE, STALE):
        text = text.replace(f"{HEADING}\n{line}", "").replace(line, "")
    return text


def without_code(text: str) -> str:
    """Return `text` without what stands between fences of three backticks."""
    if "```" not in text:
        return text
    return "\n".join(text.split("```")[::2])


def _kept(text: str, names: Iterable[str]) -> Iterator[str]:
    at = 0
    for start, end in _spans(text, names):
        if start > at:
            yield text[at:start]
        at = max(at, end)
    yield text[at:]


def _spans(text: str, names: Iterable[str]) -> list[Span]:
    """Return where the elements of these names are, by where they start."""
    found: list[Span] = []
    for opening, closing in _BRACKETS:
        for name in names:
            if f"{opening}{name}" in text:
                found += _elements(text, name, opening, closing)
    return sorted(found)


def _elements(text: str, name: str, opening: str, closing: str) -> Iterator[Span]:
    """Yield the outermost elements of one name; one inside of another ends with it."""
    marks = sorted([
        *((at, 1) for at in _places(text, opening + name)),
        *((at, -1) for at in _places(text, f"{opening}/{name}")),
    ])  # fmt: skip
    depth, start = 0, 0
    for at, step in marks:
        if depth == 0 and step > 0:
            start = at
        if depth == 1 and step < 0:
            end = text.find(closing, at, at + _LONGEST_END)
            yield start, at + len(name) if end < 0 else end + len(closing)
        depth = max(0, depth + step)
    if depth:
        yield start, len(text)


def _places(text: str, mark: str) -> Iterator[int]:
    """Yield where a mark stands that is a whole name."""
    at = text.find(mark)
    while at >= 0:
        end = at + len(mark)
        if text[end : end + 1] in _NAME_ENDS:  # also at the end of the text
            yield at
        at = text.find(mark, end)
