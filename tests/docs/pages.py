"""The code blocks of a page, and the commands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.support import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GENERATED = ("json.md",)
ALL = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
PAGES = (
    ROOT / "README.md",
    *(page for page in ALL if page.parent != ROOT and page.name not in GENERATED),
)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"(?:^|[\s/'\"(])(tideline (?!tideline)[a-z][^\n|;)>'\"#]*)", re.MULTILINE)
_INLINE = re.compile(r"`(tideline [^`\n]+)`")


@dataclass(frozen=True)
class Block:
    """One code block: the heading that it stands under, the line where it begins, its language."""

    heading: str
    line: int
    language: str
    text: str


@dataclass(frozen=True)
class Step:
    """One command of a console block, and what the page says that it prints."""

    command: str
    printed: str


def blocks(page_text: str) -> Iterator[Block]:
    """Yield the code blocks of a page, in order."""
    for found in _FENCE.finditer(page_text):
        before = page_text[: found.start()]
        headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", before), re.MULTILINE)
        line = before.count("\n") + 1
        yield Block(headings[-1] if headings else "", line, found[1], found[2])


def steps(block: Block) -> Iterator[Step]:
    """Yield the commands of a console block, each with the lines that follow it."""
    for piece in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, printed = piece.partition("\n")
        yield Step(command, printed.strip("\n"))


def configured(page_text: str) -> list[str]:
    """Return the commands of ours in blocks that are not run: configuration, other languages."""
    return [
        call.strip()
        for block in blocks(page_text)
        if block.language not in ("", "sh", "console", "json", "python")
        for call in _CALL.findall(block.text)
    ]


def inline(page_text: str) -> list[str]:
    """Return the commands of ours that stand in the sentences of a page."""
    return _INLINE.findall(_FENCE.sub("", page_text))
