"""The form of TREC: documents between <DOC> tags, topics between <top> tags, judgements in four
columns. A folder holds them: the file of topics and that of judgements have topic and qrel in their
names, all other files are documents."""

from __future__ import annotations

import re

from tideline_cli.errors import UsageError
from tideline_cli.evaluation.sets import files
from tideline_cli.evaluation.sets.judgements import gold_by_question, grade

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Rows = Iterator[tuple[int, dict[str, Any]]]

_TOPICS, _JUDGED = ("topic", "quer"), "qrel"
_NAME = re.compile(r"<DOCNO>\s*(.*?)\s*</DOCNO>", re.IGNORECASE | re.DOTALL)
_PARTS = re.compile(r"<(TITLE|HEAD|HEADLINE|HL|TEXT|BODY)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,200}>")
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*(?:Topic:)?\s*(.*?)\s*(?=<|\Z)", re.IGNORECASE | re.DOTALL)
_COLUMNS = 4


def is_it(folder: str) -> bool:
    """Say whether a folder is a set of this form."""
    names = [name.lower() for name in files.names(folder)]
    return any(_JUDGED in name for name in names) and any(
        word in name for name in names for word in _TOPICS
    )


def documents(folder: str) -> Rows:
    """Yield a row for each document: what stands between its tags."""
    number = 0
    for path in _others(folder):
        for part in _between(files.texts(path), "doc"):
            name = _NAME.search(part)
            text = _text(part[name.end() :] if name else part)
            if name and text:
                number += 1
                yield number, {"content": text, "source_turn": name[1]}


def questions(folder: str) -> Rows:
    """Yield a row for each topic that somebody has judged; its title is the question."""
    path = _named(folder, _JUDGED)
    gold = gold_by_question(
        (cells[0], cells[2], float(cells[3]))
        for cells in (line.split() for line in files.texts(path))
        if len(cells) == _COLUMNS and grade(cells[3])
    )
    for number, (name, text) in enumerate(_topics(_named(folder, *_TOPICS)), 1):
        known = next((one for one in (name, name.lstrip("0")) if one in gold), None)
        if known is not None:
            yield number, {"id": known, "query": text, "gold": gold[known]}


def _topics(path: str) -> Iterator[tuple[str, str]]:
    """Yield (number, question) of the topics: between tags, or a line with a tab each."""
    lines = list(files.texts(path))
    if not any("<top" in line.lower() for line in lines):
        cells = (line.rstrip("\r\n").partition("\t") for line in lines)
        yield from ((name, text) for name, tab, text in cells if tab)
        return
    for part in _between(lines, "top"):
        name, title = _NUMBER.search(part), _TITLE.search(part)
        if name and title:
            yield name[1], " ".join(title[1].split())


def _between(lines: Iterable[str], name: str) -> Iterator[str]:
    """Yield what stands between the tags of a name, wherever on their lines these stand. A part
    whose end is missing ends where the next begins, or with the file."""
    first = re.compile(rf"<{name}(?:\s[^<>]{{0,200}})?>", re.IGNORECASE | re.ASCII)
    last = re.compile(rf"</{name}\s*>", re.IGNORECASE | re.ASCII)
    inside: list[str] | None = None
    for line in lines:
        rest = line
        while rest:
            if inside is None:
                start = first.search(rest)
                rest = rest[start.end() :] if start else ""
                inside = [] if start else None
                continue
            end = first.match(rest.lstrip()) or last.search(rest)
            if end is None:
                inside.append(rest)
                break
            is_end = end.re is last
            yield "".join([*inside, rest[: end.start()] if is_end else ""])
            inside = None
            rest = rest[end.end() :] if is_end else rest
    if inside:
        yield "".join(inside)


def _text(part: str) -> str:
    """Return the words of a document: of its title and text where it names them, else all."""
    named = [found[1] for found in _PARTS.findall(part)]
    plain = _TAG.sub(" ", "\n".join(named) if named else part)
    return "\n".join(line for line in (" ".join(one.split()) for one in plain.split("\n")) if line)


def _named(folder: str, *words: str) -> str:
    for name in files.names(folder):
        if any(word in name.lower() for word in words) and (
            _JUDGED in words or _JUDGED not in name.lower()
        ):
            return f"{folder}/{name}"
    raise UsageError(
        f"{folder} has no file of {'judgements' if _JUDGED in words else 'topics'}",
        hint=f"its name must hold {' or '.join(words)}",
    )


def _others(folder: str) -> list[str]:
    words = (*_TOPICS, _JUDGED)
    return [f"{folder}/{name}" for name in files.names(folder)
            if not any(word in name.lower() for word in words)]  # fmt: skip
