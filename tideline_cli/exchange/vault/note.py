"""One note: the fields of a fact in front, its text between marks, its links, and below them what
its reader writes, which stays. Pure.

`state` tells the fact as it was written from the same after an edit.
"""

from __future__ import annotations

from tideline_cli.exchange import front_matter
from tideline_cli.exchange.front_matter import FENCE
from tideline_cli.exchange.importer.cells import KEYS
from tideline_cli.exchange.markdown import fields_of
from tideline_cli.model import codec
from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted
from tideline_cli.model.unicode_forms import in_form
from tideline_cli.policy.render import prompt_text, screen_json, screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

    Form = Mapping[str, Any]

STATE, HUB, GONE = "tideline", "tideline_hub", "tideline_gone"
BEGIN, END = "<!-- tideline:fact -->", "<!-- /tideline:fact -->"
LINKS, LINKS_END = "<!-- tideline:links -->", "<!-- /tideline:links -->"
YOURS = "<!-- What you write below this line stays. -->"
_MARKS = "tideline:"
_OF_USE = frozenset(("access_count", "last_accessed_at", "changed_at", "said_at", "heat"))
_UNSAFE = frozenset('\\/:*?"<>|#^[]%&')  # of file systems, of links, and of addresses
_LONGEST = 60
_MOST_BYTES = 180
ENDING = 6
"""Letters of an id that the name of a note ends with."""
_UNTITLED = "untitled"


@record
class Note:
    """A note as it was read. `fields` are those of the fact, as its front says them, `shown` is the
    text between the marks, `state` what the program wrote last, `extra` are further lines of the
    front, `yours` is what stands below. `flaws` say which fields stand in a form that is not read:
    nothing of such a note may be taken."""

    fields: dict[str, Any]
    shown: str
    state: str
    extra: tuple[str, ...]
    yours: str
    flaws: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return str(self.fields.get("id") or "")

    @property
    def text(self) -> str:
        """Return the text that the note states now: that of its front, unless what is shown of it
        was changed."""
        stated = self.fields.get("content")
        if isinstance(stated, str) and self.shown == shown_text(stated, self.source):
            return stated
        return self.shown

    @property
    def is_reworded(self) -> bool:
        """Say whether somebody changed the text."""
        return self.state.partition("-")[0] != _digest(self.text)

    @property
    def is_edited(self) -> bool:
        """Say whether somebody changed anything of the fact."""
        return bool(self.flaws) or self.is_reworded or self.is_relabelled

    @property
    def is_relabelled(self) -> bool:
        """Say whether somebody changed a field."""
        return self.state.partition("-")[2] != _digest(codec.dumps(_stated(self.fields)))

    def states_as(self, other: Note) -> bool:
        """Say whether another note has the same fields, but for what use changes."""
        mine, theirs = (
            {name: value for name, value in _stated(one.fields).items() if name not in _OF_USE}
            for one in (self, other)
        )
        return mine == theirs

    @property
    def source(self) -> str:
        """Return who said the fact."""
        stated = self.fields.get("source")
        return "owner_message" if stated is None else str(stated)


def written(form: Form, links: Sequence[str], *, extra: Sequence[str] = (), yours: str = "") -> str:
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
    front = _Front(lines[1:end])
    body = lines[end + 1 :]
    if not front.state or BEGIN not in body or END not in body:
        return None
    first = body.index(BEGIN)
    last = next((place for place in range(first, len(body)) if body[place] == END), first)
    yours = own_part(body[:first], body[last + 1 :])
    shown = "\n".join(body[first + 1 : last])
    return Note(front.fields, shown, front.state, tuple(front.extra), yours, tuple(front.flaws))


def own_part(above: Sequence[str], below: Sequence[str]) -> str:
    """Return what a reader has written: what stands before our part, and below it, but for the
    links there."""
    rest = list(below)
    if LINKS in rest and LINKS_END in rest[rest.index(LINKS) :]:
        begin = rest.index(LINKS)
        rest = rest[:begin] + rest[rest.index(LINKS_END, begin) + 1 :]
    own = "\n".join(line for line in rest if line != YOURS).strip("\n")
    return "\n\n".join(part for part in ("\n".join(above).strip("\n"), own) if part)


def farewell(found: Note) -> str | None:
    """Return what stays of the note of a gone fact: what its reader wrote, under a mark by which
    an import passes it over; None where nobody wrote anything."""
    if not (found.yours or found.extra):
        return None
    front = [FENCE, *found.extra, f"{GONE}: {codec.dumps(found.id)}", FENCE]
    return "\n".join([*front, "", found.yours, ""]).rstrip("\n") + "\n"


def parsed_gone(text: str) -> Note | None:
    """Return what a note keeps of its reader whose fact is gone, None for any other text."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[:1] != [FENCE] or FENCE not in lines[1:]:
        return None
    end = lines.index(FENCE, 1)
    front = _Front(lines[1:end])
    if not front.gone:
        return None
    yours = "\n".join(lines[end + 1 :]).strip("\n")
    return Note({"id": front.gone}, "", "", tuple(front.extra), yours)


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


class _Front:
    """The front of a note: the fields of the fact, the state, and what its reader put there."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.fields: dict[str, Any] = {}
        self.extra: list[str] = []
        self.flaws: list[str] = []
        self.state = self.gone = ""
        for entry in front_matter.entries(lines):
            if entry.name == STATE:
                self.state = entry.rest
            elif entry.name == GONE:
                self.gone = entry.rest.strip("\"'")
            elif entry.name in KEYS:
                self._take(entry)
            elif any(line.strip() for line in entry.lines):
                self.extra += entry.lines

    def _take(self, entry: front_matter.FrontField) -> None:
        """Take a field of the fact."""
        self.extra += entry.comments
        if entry.name in self.fields:
            self.flaws.append(f"{entry.name} stands there twice")
        try:
            self.fields[entry.name] = entry.value()
        except ValueError as error:
            self.flaws.append(f"{entry.name} stands in a form that is not read: {error}")


def _stated(fields: Form) -> dict[str, Any]:
    """Return the fields that say what a fact is, in order: without its text, and what is none."""
    return {
        name: fields[name] for name in sorted(fields)
        if name != "content" and fields[name] not in (None, [], False)
    }  # fmt: skip


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def note_name(text: str, fact_id: str, taken: Container[str]) -> str:
    """Return the name of the note of a fact, without its ending `.md`; no two are alike, not even
    where letters of both cases are one."""
    words = safe_words(text.split("\n", 1)[0])
    short = f"{words} ({fact_id[-ENDING:]})"
    return short if short.casefold() not in taken else f"{words} ({fact_id})"


def safe_words(text: str) -> str:
    """Return words that can stand in the name of a file in any script: nothing unseen, no sign with
    a meaning, no dot or blank at an end."""
    shown = "".join(
        char if char.isprintable() and char not in _UNSAFE else " " for char in in_form("NFC", text)
    )
    words = " ".join(shown.split())
    if len(words) > _LONGEST:
        words = words[:_LONGEST].rpartition(" ")[0] or words[:_LONGEST]
    while len(words.encode("utf-8", "replace")) > _MOST_BYTES:
        words = words[:-1]
    return words.strip(" .-~") or _UNTITLED
