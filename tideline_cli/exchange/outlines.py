"""What outliners and agents write beside Markdown, in Markdown's own words. Pure."""

from __future__ import annotations

import re

from tideline_cli.model import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FENCES = ("```", "~~~")
_PARTING = "§"  # between two memories of hermes
_TASK = re.compile(r"^(\s*[-*+] )(TODO|LATER|NOW|DOING|WAITING|DONE) (?=\S)")
_ANCHOR = re.compile(r"\s\^(?=[\w-]*[a-z])[\w-]{3,}$")
_OF_BLOCK = re.compile(r"\s+(?:id|collapsed|created-at|updated-at|ls-type|(?:card|hl|query)-[\w-]+"
                       r"|logseq\.[\w.-]+)::(?: |$)")  # fmt: skip
_PROPERTY = re.compile(r"([^\W\d][\w-]*):: (.+)")
_NAMES = {"alias": "aliases"}


def markdown_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines as Markdown: a task word of Logseq is a box, the § between two memories a rule;
    anchors of blocks, and what a program notes of them for itself, are empty."""
    fence = ""
    in_drawer = False
    for line in lines:
        mark = line.lstrip()[:3]
        if mark in _FENCES and fence in ("", mark):
            fence = "" if fence else mark
        bare = line.strip()
        in_drawer = not fence and (bare == ":LOGBOOK:" or (in_drawer and bare != ":END:"))
        if fence:
            yield line
        elif in_drawer or bare == ":END:" or _OF_BLOCK.match(line):
            yield ""
        elif bare == _PARTING:
            yield "***"
        else:
            yield _ANCHOR.sub("", _TASK.sub(_boxed, line))


def _boxed(found: re.Match[str]) -> str:
    return f"{found[1]}[{'x' if found[2] == 'DONE' else ' '}] "


def taken_properties(lines: list[str]) -> tuple[str, ...]:
    """Take the properties of a page, `key:: value`, off its beginning; return them as the lines of
    front matter."""
    found = []
    for place, line in enumerate(lines):
        match = _PROPERTY.fullmatch(line.strip())
        if match is None:
            break
        found.append(f"{_NAMES.get(match[1].lower(), match[1])}: {codec.dumps(match[2].strip())}")
        lines[place] = ""
    return tuple(found)
