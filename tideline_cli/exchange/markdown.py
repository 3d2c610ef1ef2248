"""Facts as Markdown that can be read back, items of one file or a file a fact; and the rows of any
Markdown file.

An item of an export shows the text line by line, safe in a prompt, and ends with a comment that
holds what the text does not show: the id, the fields that are not those of a new fact, and the very
text where it was shown in another form. A file a fact begins with these fields, a line each.

In any other file each statement is a fact: what governs it is its title, and the nearest heading
below the first level its tag. `element` says what it was in the file; no fact has it.
"""

from __future__ import annotations

from collections import Counter

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import front_matter
from tideline_cli.exchange.front_matter import FENCE
from tideline_cli.exchange.markdown_tree import without_marks
from tideline_cli.exchange.statements import (
    governing,
    left_words,
    parts,
    under_name,
    words_of_name,
)
from tideline_cli.memory.screening import threats_in
from tideline_cli.model import codec
from tideline_cli.model.fact import SEGMENTS, initial_heat
from tideline_cli.model.short_text import parted
from tideline_cli.policy.render import prompt_text, screen_json, screen_text, with_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from tideline_cli.exchange.statements import Saying

    Form = Mapping[str, Any]
    Row = dict[str, Any] | TidelineError

MORE = "  | "  # before each further line of a text: it begins no item, heading or role
_SHOWN = ("id", "content", "segment")
_OF_SEGMENT = ("tier", "importance", "decay_rate")
_OF_BIRTH = ("last_accessed_at", "changed_at", "said_at")
_USUAL = {"lifecycle": "active", "access_count": 0, "source": "owner_message", "origin": "owner"}
_TITLE = "# Memory"
_FENCES = ("```", "~~~")
ELEMENTS = {"item": "list item", "row": "table row", "note": "footnote"}
_OF_PROGRAMS = frozenset(
    ("cssclass", "cssclasses", "created", "date", "draft", "id", "lang", "layout", "modified",
     "permalink", "publish", "slug", "uid", "updated", "version")
)  # fmt: skip
_OF_NOTES = ("title", "created_at", "scope")
"""The fields in front of a file that people write which hold for all that it states."""


def lines(forms: Iterable[Form]) -> Iterator[str]:
    """Yield the lines of one file, facts grouped by segment."""
    by_segment: dict[str, list[str]] = {}
    for form in forms:
        by_segment.setdefault(form["segment"], []).append(_item(form))
    yield f"{_TITLE}\n"
    for segment, items in sorted(by_segment.items()):
        yield f"\n## {segment}\n\n"
        yield from items


def document(form: Form) -> str:
    """Return the text of a file that holds one fact."""
    head = {name: form[name] for name in ("id", "segment")} | fields_of(form)
    text = form["content"]
    shown = "\n".join(map(screen_text, text.split("\n")))
    if shown != text or not _is_plain(text):
        head["content"] = text
    fields = [f"{name}: {screen_json(codec.dumps(value))}" for name, value in head.items()]
    return "\n".join([FENCE, *fields, FENCE, "", shown, ""])


def item_row(texts: list[str]) -> dict[str, Any] | None:
    """Return the row of an item of an export, None where these lines are no such item."""
    shown, comment, tail = texts[-1].rpartition(" <!-- ")
    fact_id, _, rest = tail.removesuffix(" -->").partition(" ")
    segment, bracket, first = "\n".join([*texts[:-1], shown])[3:].partition("] ")
    if not (comment and tail.endswith(" -->") and bracket and segment in SEGMENTS):
        return None
    try:
        fields = codec.loads(rest)
    except ValueError:
        return None
    text = "\n".join(line.removeprefix(MORE) for line in first.split("\n"))
    text = text.removeprefix(_shown_title(fields.get("title")))
    return {"id": fact_id, "segment": segment, "content": text} | dict(fields)


def _item(form: Form) -> str:
    """Return the lines of a fact. Each begins with words of this program, so that the text begins
    no item, role or heading; before a text with attack patterns stand the names of these."""
    text = form["content"]
    shown = [_shown_line(line) for line in text.split("\n")]
    title = _shown_title(form.get("title"))
    found = threats_in(prompt_text(title + text))
    mark = f"[THREAT: {', '.join(found)}] " if found else ""
    fields = fields_of(form)
    if mark or "\n".join(shown) != text:
        fields["content"] = text
    comment = screen_json(codec.dumps(fields)).replace("<", "\\u003c").replace(">", "\\u003e")
    body = title + f"\n{MORE}".join(shown)
    return f"- [{form['segment']}] {mark}{body} <!-- {form['id']} {comment} -->\n"


def _shown_title(title: str | None) -> str:
    """Return a title as it stands before its text."""
    return with_title(_shown_line(title), "") if title else ""


def _shown_line(line: str) -> str:
    """Return a line of a text, safe in a prompt; it keeps its indent."""
    bare = line.lstrip(" \t")
    indent = line[: len(line) - len(bare)] if bare.strip() else ""
    return indent.expandtabs(4) + prompt_text(bare).strip()


def fields_of(form: Form) -> dict[str, Any]:
    """Return what a fact does not share with a new one of its segment."""
    segment = SEGMENTS[form["segment"]]
    usual = _USUAL | {name: getattr(segment, name) for name in _OF_SEGMENT}
    usual |= dict.fromkeys(_OF_BIRTH, form["created_at"])
    usual["heat"] = initial_heat(form["segment"], form["kind"], form["tier"], form["importance"])
    return {
        name: value
        for name, value in form.items()
        if name not in _SHOWN and not _is_none(value) and value != usual.get(name)
    }


def _is_none(value: Any) -> bool:
    return value is None or value is False or value == []


def _is_plain(text: str) -> bool:
    """Say whether a text stands in a file as it is, and is read back so."""
    return text == text.strip("\n") and "\r" not in text and not any(
        line == FENCE for line in text.split("\n")
    )


def rows(
    lines: Iterable[bytes], *, name: str | None = None, tell: Callable[[str], object] = str
) -> Iterator[tuple[int, Row]]:
    """Yield (line number, row or what is wrong with it) of a Markdown file. `tell` is told what is
    left out of it."""
    try:
        texts = [line.decode("utf-8-sig" if not place else "utf-8").rstrip("\r\n")
                 for place, line in enumerate(lines)]  # fmt: skip
    except UnicodeDecodeError as error:
        raise UsageError("not UTF-8", hint="convert it: `iconv -t UTF-8`") from error
    yield from rows_of(texts, name=name, tell=tell)


def rows_of(
    texts: list[str], *, name: str | None = None, tell: Callable[[str], object] = str
) -> Iterator[tuple[int, Row]]:
    """Yield (line number, row or what is wrong with it) of the lines of a Markdown file."""
    end = front_matter.end_of(texts)
    if {one.name for one in front_matter.entries(texts[1:end])} >= {"id", "segment"}:
        try:
            front = front_matter.values(texts[1:end])
            yield 1, {"content": "\n".join(texts[end + 1 :]).strip("\n"), **front}
        except ValueError as error:
            yield 1, UsageError(f"{name}: {error}" if name else str(error))
        return
    rest: dict[int, str] = {}
    has_items = False
    for place, item, may_be_ours in _items(texts):
        row = item_row(item) if may_be_ours else None
        if row is not None:
            has_items = True
            yield place + 1, row
        elif any(item):
            rest |= enumerate(item, place)
    if has_items:
        rest = {place: line for place, line in rest.items() if not _is_of_export(line)}
    if rest:
        text = "\n".join(rest.get(place, "") for place in range(max(rest) + 1))
        yield from _of_prose(text, name, tell)


def _items(texts: list[str]) -> Iterator[tuple[int, list[str], bool]]:
    """Yield (place, lines, True) of what may be items of an export, outside of code, and (place,
    line, False) of each other line."""
    fence = ""
    place, end = 0, len(texts)
    while place < end:
        start, line = place, texts[place]
        place += 1
        if not line.startswith("- ["):
            mark = line.lstrip()[:3]
            if mark in _FENCES and fence in ("", mark):
                fence = "" if fence else mark
        elif not fence:
            while place < end and texts[place].startswith(MORE):
                place += 1
            yield start, texts[start:place], True
            continue
        yield start, [line], False


def _is_of_export(line: str) -> bool:
    """Say whether a line is one of the headings of an export."""
    return line == _TITLE or (line.startswith("## ") and line[3:] in SEGMENTS)


def _of_prose(
    text: str, name: str | None, tell: Callable[[str], object]
) -> Iterator[tuple[int, Row]]:
    """Yield a row for each statement of a file that people write."""
    left: Counter[str] = Counter()
    for part in parts(text):
        left += part.left
        try:
            labels = _labels(front_matter.values(part.front))
        except ValueError as error:
            labels = {}
            tell(f"left out{f' of {name}' if name else ''}: its front matter, since {error}")
        stated = labels.pop("title", None)
        called = words_of_name(name) if name else None
        said = _said(labels.get("metadata") or {})
        if said:
            title = stated or called
            yield part.line, {"content": said, **labels, "element": "front matter",
                              **({"title": title} if title else {})}  # fmt: skip
        for one in part.statements:
            yield one.line, _row(one, stated or called, labels)
    if left:
        tell(f"left out{f' of {name}' if name else ''}: {left_words(left)}")


def _labels(front: dict[str, Any]) -> dict[str, Any]:
    """Return what front matter says of each statement below it. Aliases are tags, so they are
    searched; what has no place is metadata. Raises ValueError for a label that is no text."""
    for key in ("title", "scope", "segment"):
        if not isinstance(front.get(key), str | None):
            raise ValueError(f"{key} is not a text")
    tags = [tag for key in ("tags", "aliases") if isinstance(front.get(key), str | list)
            for tag in _texts(front.pop(key))]  # fmt: skip
    found = {key: front.pop(key) for key in _OF_NOTES if key in front}
    if front.get("segment") in SEGMENTS:
        found["segment"] = front.pop("segment")
    found |= {"metadata": front} if front else {}
    return found | ({"tags": tags} if tags else {})


def _said(front: Mapping[str, Any]) -> str:
    """Return what front matter says that has no place of its own, in words: `status: active; due:
    2026-06-15`. What only a program reads is left out, and so is what is nested."""
    said = {key: ", ".join(map(str, value)) if isinstance(value, list) else value
            for key, value in front.items() if key.lower() not in _OF_PROGRAMS}  # fmt: skip
    plain = (f"{key}: {without_marks(str(value))[0]}" for key, value in said.items()
             if isinstance(value, str | int | float) and str(value).strip())  # fmt: skip
    return "; ".join(plain)


def _texts(value: str | list[Any]) -> list[str]:
    """Return a list of texts, which may stand as one with commas."""
    return parted(value) if isinstance(value, str) else [str(one) for one in value]


def _row(one: Saying, called: str | None, labels: Mapping[str, Any]) -> dict[str, Any]:
    title, before = governing(under_name(called, one.governors))
    row: dict[str, Any] = {"content": before + one.text, **labels,
                           "element": ELEMENTS.get(one.kind, one.kind)}  # fmt: skip
    if title:
        row["title"] = title
    level, heading = one.headings[-1] if one.headings else (1, "")
    tags = [*labels.get("tags", ()), *filter(None, [_tag(heading) if level > 1 else ""])]
    return row | ({"tags": tags} if tags else {})


def _tag(heading: str) -> str:
    """Return a heading as a tag: its words in small letters, joined by hyphens."""
    words = "".join(char if char.isalnum() else " " for char in heading.lower()).split()
    return "-".join(words)[:60]
