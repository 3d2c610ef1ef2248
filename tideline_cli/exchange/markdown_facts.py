"""Facts as Markdown that can be read back: items of one file, or a file a fact.

An item shows the text line by line, safe in a prompt, and ends with a comment that holds what the
text does not show: the id, the fields that are not those of a new fact, and the very text where it
was shown in another form. A file a fact begins with these fields, a line each.
"""

from __future__ import annotations

from tideline_cli.memory.screening import threats_in
from tideline_cli.model import codec
from tideline_cli.model.fact import SEGMENTS, initial_heat
from tideline_cli.policy.render import prompt_text, screen_json, screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Form = Mapping[str, Any]

MORE = "  | "  # before each further line of a text: it begins no item, heading or role
_SHOWN = ("id", "content", "segment")
_OF_SEGMENT = ("tier", "importance", "decay_rate")
_OF_BIRTH = ("last_accessed_at", "changed_at", "said_at")
_USUAL = {"lifecycle": "active", "access_count": 0, "source": "owner_message", "origin": "owner"}
FENCE = "---"


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
    told = screen_json(codec.dumps(fields)).replace("<", "\\u003c").replace(">", "\\u003e")
    body = f"\n{MORE}".join(shown)
    return f"- [{form['segment']}] {mark}{body} <!-- {form['id']} {told} -->\n"


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
