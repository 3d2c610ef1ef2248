"""One note: the fields of a fact in front, its text between marks, its links, and below them what
its reader writes, which stays. Pure.

`state` tells the fact as it was written from the same after an edit.
"""

from __future__ import annotations

from tideline_cli.exchange.importer.rows import KEYS
from tideline_cli.exchange.markdown_facts import FENCE, fields_of
from tideline_cli.model import codec
from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.render import prompt_text, screen_json, screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Form = Mapping[str, Any]

STATE, HUB = "tideline", "tideline_hub"
BEGIN, END = "<!-- tideline:fact -->", "<!-- /tideline:fact -->"
LINKS, LINKS_END = "<!-- tideline:links -->", "<!-- /tideline:links -->"
YOURS = "<!-- What you write below this line stays. -->"
_MARKS = "tideline:"
_OF_USE = frozenset(("access_count", "last_accessed_at", "changed_at", "said_at", "heat"))


@record
class Note:
    """A note as it was read. `fields` are those of the fact, as its front says them, `shown` is the
    text between the marks, `state` what the program wrote last, `extra` are further lines of the
    front, `yours` is what stands below."""

    fields: dict[str, Any]
    shown: str
    state: str
    extra: tuple[str, ...]
    yours: str

    @property
    def id(self) -> str:
        return str(self.fields.get("id", ""))

    @property
    def text(self) -> str:
        """Return the text that the note states now: that of its front, unless what is shown of it
        was changed."""
        stated = self.fields.get("content")
        if isinstance(stated, str) and self.shown == shown_text(stated, self._source):
            return stated
        return self.shown

    @property
    def is_reworded(self) -> bool:
        """Say whether somebody changed the text."""
        return _text_part(self.state) != _digest(self.text)

    @property
    def is_relabelled(self) -> bool:
        """Say whether somebody changed a field."""
        return _field_part(self.state) != _digest(codec.dumps(_stated(self.fields)))

    def states_as(self, other: Note) -> bool:
        """Say whether another note has the same fields, but for what use changes."""
        mine, theirs = (
            {name: value for name, value in _stated(one.fields).items() if name not in _OF_USE}
            for one in (self, other)
        )
        return mine == theirs

    @property
    def _source(self) -> str:
        return str(self.fields.get("source", "owner_message"))


def written(
    form: Form, links: Sequence[str], *, extra: Sequence[str] = (), yours: str = ""
) -> str:
    """Return the text of the note of a fact."""
    text = form["content"]
    shown = shown_text(text, form["source"])
    fields = {name: form[name] for name in ("id", "segment")} | fields_of(form)
    state = f"{_digest(text)}-{_digest(codec.dumps(_stated(fields)))}"
    if shown != text:
        fields["content"] = text
    front = [f"{name}: {screen_json(codec.dumps(value))}" for name, value in fields.items()]
    return "\n".join([
        FENCE, *front, *extra, f"{STATE}: {state}", FENCE, "",
        BEGIN, shown, END, "", LINKS, *links, LINKS_END, "", YOURS, yours.strip("\n"), "",
    ]).rstrip("\n") + "\n"  # fmt: skip


def parsed(text: str) -> Note | None:
    """Return a note, None for a text that is none of ours."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[:1] != [FENCE] or FENCE not in lines[1:]:
        return None
    end = lines.index(FENCE, 1)
    fields, extra, state = _front(lines[1:end])
    body = lines[end + 1 :]
    if not state or BEGIN not in body or END not in body:
        return None
    first = body.index(BEGIN)
    last = next((place for place in range(first, len(body)) if body[place] == END), first)
    rest = body[last + 1 :]
    above = "\n".join(body[:first]).strip("\n")
    if LINKS in rest and LINKS_END in rest:
        begin, stop = rest.index(LINKS), rest.index(LINKS_END)
        rest = rest[:begin] + rest[stop + 1 :]
    own = "\n".join(line for line in rest if line != YOURS).strip("\n")
    yours = "\n\n".join(part for part in (above, own) if part)
    return Note(fields, "\n".join(body[first + 1 : last]), state, tuple(extra), yours)


def is_hub(text: str) -> bool:
    """Say whether a text is that of a hub or of the map."""
    head = text.replace("\r\n", "\n").split(f"\n{FENCE}\n", 1)[0]
    return any(line.startswith(f"{HUB}:") for line in head.split("\n"))


def shown_text(text: str, source: str) -> str:
    """Return a text as its note shows it. Of what nobody trusts no sign links, embeds or marks
    anything up; and no text ends its own part."""
    lines = text.replace("\r", "␍").strip("\n").split("\n")
    if is_trusted(source):
        shown = "\n".join(map(screen_text, lines))
    else:
        shown = "\n".join(_plain(line) for line in lines)
    return shown.replace(f"<!-- {_MARKS}", f"<!-- {_MARKS[:-1]} ").replace(
        f"<!-- /{_MARKS}", f"<!-- /{_MARKS[:-1]} "
    )


def _plain(line: str) -> str:
    shown = prompt_text(line).replace("[[", "[ [").replace("![", "! [").replace("](", "] (")
    return shown.replace("<", "&lt;")


def _front(lines: Sequence[str]) -> tuple[dict[str, Any], list[str], str]:
    """Return the fields of a fact, the other lines of the front, and the state."""
    fields: dict[str, Any] = {}
    extra: list[str] = []
    state = ""
    kept = False
    for line in lines:
        name, colon, value = line.partition(":")
        is_new = bool(colon) and line[:1] not in (" ", "\t", "-", "#")
        if is_new and name == STATE:
            state, kept = value.strip(), False
        elif is_new and name in KEYS:
            fields[name], kept = _value(value.strip()), False
        elif is_new or kept:
            extra.append(line)
            kept = True
    return fields, extra, state


def _value(text: str) -> Any:
    """Return a value as JSON has it; other words are a text, or a list in brackets, as people and
    editors of notes write them."""
    try:
        return codec.loads(text)
    except ValueError:
        pass
    if text[:1] == "[" and text[-1:] == "]":
        return [part.strip().strip("\"'") for part in text[1:-1].split(",") if part.strip()]
    return text or None


def _stated(fields: Form) -> dict[str, Any]:
    """Return the fields that say what a fact is, in order: without its text, and what is none."""
    return {
        name: fields[name] for name in sorted(fields)
        if name != "content" and fields[name] not in (None, [], False)
    }  # fmt: skip


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _text_part(state: str) -> str:
    return state.partition("-")[0]


def _field_part(state: str) -> str:
    return state.partition("-")[2]
