"""Memories that are Markdown: Claude Code, basic-memory, and lists of facts."""

from __future__ import annotations

import re

from tideline_cli.errors import TidelineError
from tideline_cli.exchange import front_matter, markdown
from tideline_cli.exchange.tools.files import markdown_files, part_id, parts_of, project_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.exchange.tools.files import Tell

    Row = dict[str, Any]

_SEGMENTS = {"user": "preference", "feedback": "correction", "project": "project",
             "reference": "knowledge"}  # fmt: skip
_WIKI = re.compile(r"\[\[([^\[\]|#]{1,200})")
_OBSERVATION = re.compile(r"\s*[-*] \[(?![ xX\-/]\])([^\[\]()]{1,80})\] (?!\()(.+)")
_RELATION = re.compile(r"\s*[-*] (.{0,80}?)\s*\[\[([^\[\]|]{1,200})\]\]")
_TAG = re.compile(r"(?:^|\s)#([\w/-]{1,60})")
_ASIDE = re.compile(r"\s*\(([^()]{1,200})\)\s*$")


def claude_code(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield a row for each note of a memory folder, and for each item of any other Markdown; the
    index MEMORY.md says nothing of its own."""
    for name, text in markdown_files(path, tell):
        if name.rpartition("/")[2] == "MEMORY.md":
            continue
        head, body = _front(text)
        own = head.pop("name", None)
        if own is None:
            yield from _items(name, text)
            continue
        project = project_of(path, name)
        kind = head.pop("type", None)
        said = head.pop("description", None)
        content = " ".join(body.split()) or said
        targets = [one.strip() for one in _WIKI.findall(body)]
        yield {
            "id": f"{project}/{own}", "content": content,
            "title": said if said != content else None,
            "segment": _SEGMENTS.get(str(kind), "knowledge"),
            "metadata": {**head, "file": name, **({"type": kind} if kind else {})},
            "links": [{"kind": "relates", "target": f"{project}/{one}"}
                      for one in dict.fromkeys(targets)
                      if one != own],
        }  # fmt: skip


def basic_memory(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield a row for each observation of each note; a relation joins the first ones of two."""
    notes = [(name, *_front(text)) for name, text in markdown_files(path, tell)]
    first: dict[str, str] = {}
    for name, head, body in notes:
        if _observed(body):
            own = str(head.get("permalink") or name)
            title = str(head.get("title") or name.rpartition("/")[2].removesuffix(".md"))
            first |= dict.fromkeys((title, own), part_id(own, _observed(body)[0][1]))
    for name, head, body in notes:
        own = str(head.get("permalink") or name)
        rest = {key: value for key, value in head.items()
                if key not in ("title", "tags", "created", "permalink")}  # fmt: skip
        for place, (category, text) in enumerate(_observed(body), 1):
            aside = _ASIDE.search(text)
            plain = _TAG.sub("", text[: aside.start()] if aside else text).strip()
            yield {
                "id": part_id(own, text), "content": plain or text, "title": head.get("title"),
                "tags": [*map(str, parts_of(head.get("tags"))), category, *_TAG.findall(text)],
                "created_at": head.get("created"),
                "metadata": {**rest, **({"context": aside[1]} if aside else {})},
                "links": _related(body, first) if place == 1 else [],
            }  # fmt: skip


def lists(path: str, tell: Tell = str) -> Iterator[Row]:
    """Yield a row for each item and each paragraph."""
    for name, text in markdown_files(path, tell):
        yield from _items(name, text)


def _items(name: str, text: str) -> Iterator[Row]:
    for _, row in markdown.rows(line.encode() for line in text.splitlines(keepends=True)):
        if isinstance(row, TidelineError):
            raise row
        yield row | {"metadata": {**(row.get("metadata") or {}), "file": name}}


def _observed(body: str) -> list[tuple[str, str]]:
    return [(found[1].strip(), found[2].strip())
            for line in body.splitlines() if (found := _OBSERVATION.match(line))]  # fmt: skip


def _related(body: str, first: dict[str, str]) -> list[Row]:
    found = [
        match for line in body.splitlines()
        if not _OBSERVATION.match(line) and (match := _RELATION.match(line))
    ]  # fmt: skip
    return [
        {"kind": "relates", "target": first[match[2].strip()], "reason": match[1] or None}
        for match in found if match[2].strip() in first
    ]  # fmt: skip


def _front(text: str) -> tuple[dict[str, Any], str]:
    """Return the values of a front matter in words, inner ones by their own names, and the text
    below."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != front_matter.FENCE:
        return {}, text
    end = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == front_matter.FENCE), 0)
    if not end:
        return {}, text
    head: dict[str, Any] = {}
    for field in front_matter.entries(lines[1:end]):
        try:
            value = field.words()
        except ValueError:
            value = field.rest or None
        head |= value if isinstance(value, dict) else {field.name: value}
    return (
        {name: value for name, value in head.items() if name and value is not None},
        "\n".join(lines[end + 1 :]).strip(),
    )
