"""Memories that are Markdown: Claude Code, basic-memory, and others' notes."""

from __future__ import annotations

import re
from collections import Counter

from tideline_cli.errors import TidelineError
from tideline_cli.exchange import front_matter, markdown
from tideline_cli.exchange.statements import governing, left_words, parts, words_of_name
from tideline_cli.exchange.tools.files import markdown_files, part_id, parts_of, project_of
from tideline_cli.model.fact import MAX_CONTENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from tideline_cli.exchange.folders import Walk
    from tideline_cli.exchange.statements import Saying
    from tideline_cli.exchange.tools.files import Tell

    Row = dict[str, Any]
    Rows = Iterator[Row | TidelineError]

_SEGMENTS = {"user": "preference", "feedback": "correction", "project": "project",
             "reference": "knowledge"}  # fmt: skip
_WIKI = re.compile(r"\[\[([^\[\]|#]{1,200})")
_OBSERVATION = re.compile(r"\[(?![ xX\-/]\])([^\[\]()]{1,80})\] (?!\()(.+)", re.DOTALL)
_OBSERVED = re.compile(r"\s*[-*] \[(?![ xX\-/]\])[^\[\]()]{1,80}\] (?!\()")
_RELATION = re.compile(r"\s*[-*] (.{0,80}?)\s*\[\[([^\[\]|]{1,200})\]\]")
_TAG = re.compile(r"(?:^|\s)#([\w/-]{1,60})")
_POINTING = re.compile(r"\]\(<?(?![\w+.-]+://)[^()<>]+\.md>?\)")
_ASIDE = re.compile(r"\s*\(([^()]{1,200})\)\s*$")


def claude_code(
    path: str, tell: Tell = str, walk: Walk | None = None, encoding: str | None = None
) -> Rows:
    """Yield a row for each note of a memory folder, and for each statement of any other Markdown,
    and of a note that is longer than a fact; what points at a note in the index MEMORY.md says
    nothing of its own."""
    for name, text in markdown_files(path, tell, walk, encoding):
        head, body = _front(text)
        own = head.pop("name", None)
        if own is None or len(body) > MAX_CONTENT:
            rows = _items(name, text, tell)
            is_index = name.rpartition("/")[2] == "MEMORY.md"
            yield from (row for row in rows if not (
                is_index and isinstance(row, dict) and _POINTING.search(row["content"])
            ))  # fmt: skip
            continue
        project = project_of(path, name)
        kind = head.pop("type", None)
        said = head.pop("description", None)
        content = body or said
        targets = [one.strip() for one in _WIKI.findall(body)]
        yield {
            "id": f"{project}/{own}", "content": content,
            "title": said if said != content else None,
            "segment": _SEGMENTS.get(str(kind), "knowledge"),
            "element": f"note ({kind})" if kind else "note",
            "metadata": {**head, "file": name, **({"type": kind} if kind else {})},
            "links": [{"kind": "relates", "target": f"{project}/{one}"}
                      for one in dict.fromkeys(targets)
                      if one != own],
        }  # fmt: skip


def basic_memory(
    path: str, tell: Tell = str, walk: Walk | None = None, encoding: str | None = None
) -> Iterator[Row]:
    """Yield a row for each statement of each note: of an observation with its category, tags and
    context. A relation joins the first statements of two notes."""
    notes = [(name, *_front(text)) for name, text in markdown_files(path, tell, walk, encoding)]
    first: dict[str, str] = {}
    rows: list[tuple[str, list[Row]]] = []
    for name, head, body in notes:
        own = str(head.get("permalink") or name)
        title = str(head.get("title") or words_of_name(name))
        read = list(parts(body, whole=0))
        found = [_noted(one, own, title, head) for part in read for one in part.statements]
        left = sum((part.left for part in read), Counter[str]())
        if left:
            tell(f"left out of {name}: {left_words(left)}")
        if found:
            first |= dict.fromkeys((title, own), str(found[0]["id"]))
        rows.append((body, found))
    for body, found in rows:
        for place, row in enumerate(found):
            yield row | {"links": _related(body, first, row["id"]) if place == 0 else []}


def _noted(one: Saying, own: str, title: str, head: Mapping[str, Any]) -> Row:
    """Return what a note states as a row; a note has its own title, with what governs in it."""
    observed = _OBSERVATION.fullmatch(one.text) if one.kind == "item" else None
    text = observed[2].strip() if observed else one.text
    aside = _ASIDE.search(text) if observed else None
    plain = _TAG.sub("", text).strip() if observed else text
    above = one.governors if one.governors[:1] == (title,) else (title, *one.governors)
    shown, before = governing(above)
    rest = {key: value for key, value in head.items()
            if key not in ("title", "tags", "created", "permalink")}  # fmt: skip
    tags = [observed[1], *_TAG.findall(text)] if observed else []
    return {
        "id": part_id(own, " › ".join((*above[1:], text))), "title": shown,
        "element": "observation" if observed else markdown.ELEMENTS.get(one.kind, one.kind),
        "content": before + (plain or text),
        "tags": [*parts_of(head.get("tags")), *tags],
        "created_at": head.get("created"),
        "metadata": {**rest, **({"context": aside[1]} if aside else {})},
    }  # fmt: skip


def lists(
    path: str, tell: Tell = str, walk: Walk | None = None, encoding: str | None = None
) -> Rows:
    """Yield a row for each statement of a file, or of the files of a folder."""
    for name, text in markdown_files(path, tell, walk, encoding):
        yield from _items(name, text, tell)


def _items(name: str, text: str, tell: Tell) -> Rows:
    for _, row in markdown.rows_of(text.splitlines(), name=name, tell=tell):
        if isinstance(row, dict) and "id" not in row:  # of an export, which states all of it
            row |= {"metadata": {**(row.get("metadata") or {}), "file": name}}
        yield row


def _related(body: str, first: Mapping[str, str], own: str) -> list[Row]:
    found = [
        match for line in body.splitlines()
        if not _OBSERVED.match(line) and (match := _RELATION.match(line))
    ]  # fmt: skip
    return [
        {"kind": "relates", "target": first[match[2].strip()], "reason": match[1] or None}
        for match in found if first.get(match[2].strip(), own) != own
    ]  # fmt: skip


def _front(text: str) -> tuple[dict[str, Any], str]:
    """Return the values of a front matter in words, inner ones by their own names, and the text
    below."""
    lines = text.splitlines()
    end = front_matter.end_of(lines)
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
