"""Facts as Markdown that can be read back, items of one file or a file a fact; and the rows of any
Markdown file.

An item of an export shows the text line by line, safe in a prompt, and ends with a comment that
holds what the text does not show: the id, the fields that are not those of a new fact, and the very
text where it was shown in another form. A file a fact begins with these fields, a line each.

In any other file an item is a fact, with what is nested below it, and so is a paragraph, with the
code behind it. The heading above them becomes their tag; the first heading of the first level is
the name of the file, and is none.
"""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange import front_matter
from tideline_cli.exchange.front_matter import FENCE
from tideline_cli.memory.screening import threats_in
from tideline_cli.model import codec
from tideline_cli.model.fact import SEGMENTS, initial_heat
from tideline_cli.policy.render import prompt_text, screen_json, screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Form = Mapping[str, Any]
    Row = dict[str, Any] | TidelineError

MORE = "  | "  # before each further line of a text: it begins no item, heading or role
_SHOWN = ("id", "content", "segment")
_OF_SEGMENT = ("tier", "importance", "decay_rate")
_OF_BIRTH = ("last_accessed_at", "changed_at", "said_at")
_USUAL = {"lifecycle": "active", "access_count": 0, "source": "owner_message", "origin": "owner"}
_BULLETS = ("- ", "* ", "+ ")


def lines(forms: Iterable[Form]) -> Iterator[str]:
    """Yield the lines of one file, facts grouped by segment."""
    by_segment: dict[str, list[str]] = {}
    for form in forms:
        by_segment.setdefault(form["segment"], []).append(_item(form))
    yield "# Memory\n"
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
    return {"id": fact_id, "segment": segment, "content": text} | dict(fields)


def _item(form: Form) -> str:
    """Return the lines of a fact. Each begins with words of this program, so that the text begins
    no item, role or heading; before a text with attack patterns stand the names of these."""
    text = form["content"]
    shown = [_shown_line(line) for line in text.split("\n")]
    found = threats_in(prompt_text(text))
    mark = f"[THREAT: {', '.join(found)}] " if found else ""
    fields = fields_of(form)
    if mark or "\n".join(shown) != text:
        fields["content"] = text
    comment = screen_json(codec.dumps(fields)).replace("<", "\\u003c").replace(">", "\\u003e")
    body = f"\n{MORE}".join(shown)
    return f"- [{form['segment']}] {mark}{body} <!-- {form['id']} {comment} -->\n"


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


def rows(lines: Iterable[bytes]) -> Iterator[tuple[int, Row]]:
    """Yield (line number, row or what is wrong with it) of a Markdown file."""
    try:
        texts = [line.decode("utf-8-sig" if not place else "utf-8").rstrip("\r\n")
                 for place, line in enumerate(lines)]  # fmt: skip
    except UnicodeDecodeError as error:
        raise UsageError("not UTF-8", hint="convert it: `iconv -t UTF-8`") from error
    end = front_matter.end_of(texts)
    if end:
        yield from _of_export(texts, end)
    else:
        yield from _of_prose(texts)


def _of_export(texts: list[str], end: int) -> Iterator[tuple[int, Row]]:
    """Yield the fact of a file that begins with its fields."""
    row: dict[str, Any] = {}
    for entry in front_matter.entries(texts[1:end]):
        try:
            row |= {entry.name: entry.value()} if entry.name else {}
        except ValueError as error:
            yield 1, UsageError(f"{entry.name} stands in a form that is not read: {error}")
            return
    row.setdefault("content", "\n".join(texts[end + 1 :]).strip("\n"))
    yield 1, row


def _of_prose(texts: list[str]) -> Iterator[tuple[int, Row]]:
    heading: str | None = None
    start, block = 0, list[str]()
    fenced = False
    for number, line in enumerate([*texts, ""], 1):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        if fenced or is_fence:
            if not fenced and block and not _holds(block, line):
                yield start, _row(block, heading)
                start, block = 0, []
            fenced = fenced != is_fence
            block.append(line)
            start = start or number
            continue
        level = len(line) - len(line.lstrip("#"))
        is_heading = 0 < level < 7 and line[level : level + 1] == " "
        begins = is_heading or not line.strip() or _item_text(line) is not None
        goes_on = bool(block) and (line[:1] in " \t") and bool(line.strip())
        if block and begins and not goes_on and not _waits(texts, number, block, line):
            yield start, _row(block, heading)
            start, block = 0, []
        if is_heading:
            heading = None if level == 1 else line[level:].strip(" #")
        elif line.strip() or block:
            block.append(line)
            start = start or number
    if [one for one in block if one.strip()]:
        yield start, _row(block, heading)


def _waits(texts: list[str], number: int, block: list[str], line: str) -> bool:
    """Say whether a blank line stands inside an item: what follows it is indented, or is code."""
    if line.strip() or number >= len(texts):
        return False
    after = texts[number]
    if after.lstrip().startswith(("```", "~~~")):
        return _holds(block, after)
    return after[:1] in " \t" and bool(after.strip()) and _item_text(block[0]) is not None


def _holds(block: list[str], fence: str) -> bool:
    """Say whether code that a fence begins belongs to what stands before it: to a paragraph, or
    indented to a list item."""
    return fence[:1] in " \t" or _item_text(block[0]) is None


def _item_text(line: str) -> str | None:
    """Return the text of a list item that begins without indentation, None where none does."""
    if line.startswith(_BULLETS):
        text = line[2:].lstrip()
        return text[4:] if text[:4] in ("[ ] ", "[x] ", "[X] ") else text
    digits = len(line) - len(line.lstrip("0123456789"))
    if digits and line[digits : digits + 2] in (". ", ") "):
        return line[digits + 2 :].lstrip()
    return None


def _row(block: list[str], heading: str | None) -> dict[str, Any]:
    ours = item_row(block) if block[0].startswith("- [") else None
    if ours is not None:
        return ours
    first = _item_text(block[0])
    rest = block[1:]
    depth = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    lines = [block[0] if first is None else first, *(line[depth:] for line in rest)]
    row: dict[str, Any] = {"content": "\n".join(lines).strip()}
    tag = _tag(heading or "")
    return row | {"tags": [tag]} if tag else row


def _tag(heading: str) -> str:
    """Return a heading as a tag: its words in small letters, joined by hyphens."""
    words = "".join(char if char.isalnum() else " " for char in heading.lower()).split()
    return "-".join(words)[:60]
