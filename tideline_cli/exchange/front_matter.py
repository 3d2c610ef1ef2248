"""The fields in front of a note, between two fences: JSON as this program writes it, or YAML as
people and editors of notes write it. Pure.

The lines of each field are kept, so that a note can be written again with what its reader added.
"""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.fields import FIELDS
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FENCE = "---"
_NOT_NAMES = (" ", "\t", "-", "#", "?", "}", "]")
_GOES_ON = (" ", "\t", "-", "]", "}")  # what begins a further line of a field
_INDICATORS = ("[", "{", '"', "'", "&", "*", "!", "|", ">")  # of what is no plain words
_OF_WORDS = frozenset((
    *(field.name for field in FIELDS if field.form in ("text", "word", "texts", "time", "origin")),
    "changed_at", "said_at", "archived_reason", "supersedes",
))  # fmt: skip
"""The fields that state words: 2024 is a word there, and a number in others."""


@record
class FrontField:
    """One field as it stands: its name, what follows the colon, and the lines that belong to it.
    Comments and what is no field have no name."""

    name: str
    rest: str
    more: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def comments(self) -> tuple[str, ...]:
        """Return the lines that say nothing to a reader of YAML."""
        if self.rest[:1] in ("|", ">"):
            return ()
        return tuple(line.strip() for line in self.more if line.lstrip().startswith("#"))

    def value(self) -> Any:
        """Return what the field states; raise ValueError for a form that is not read."""
        typed = self.name not in _OF_WORDS
        try:
            return self._json(typed=typed)
        except (ValueError, RecursionError):
            return self._yaml(typed=typed)

    def words(self) -> Any:
        """Return what the field states, in words alone: no number and no truth value."""
        return self._yaml(typed=False)

    def _json(self, *, typed: bool) -> Any:
        """Return the value of a field that is JSON, as the program writes it."""
        if self.more:
            raise ValueError("it goes on")
        value = codec.loads(self.rest)
        parts = value if isinstance(value, list) else [value]
        if not (typed or all(isinstance(part, str | None) for part in parts)):
            raise ValueError("these are no words")
        return value

    def _yaml(self, *, typed: bool) -> Any:
        from tideline_cli.exchange.yaml_values import yaml_value  # noqa: PLC0415  we write JSON

        text = "\n".join((f"value: {self.rest}", *self.more, ""))
        try:
            return yaml_value(text, typed=typed)["value"]
        except ValueError:
            if self.more or self.rest[:1] in _INDICATORS:
                raise
        return self.rest.partition(" #")[0].rstrip()  # such as `a: b`, which is no YAML


def entries(lines: Sequence[str]) -> list[FrontField]:
    """Return the fields of the lines between two fences, in order, each with all of its lines."""
    found: list[FrontField] = []
    start = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or _begins(lines[place]) or not _begins(lines[start]):
            found += [_entry(lines[start:place])] if start < place else []
            start = place
    return found


def end_of(lines: Sequence[str]) -> int:
    """Return the place of the line that ends the fields in front, 0 where a text has none."""
    if not lines or lines[0].rstrip() != FENCE:
        return 0
    end = next((n for n, line in enumerate(lines) if n and line.rstrip() in (FENCE, "...")), 0)
    front = entries(lines[1:end])
    return end if any(one.name for one in front) and all(map(_is_known, front)) else 0


def values(lines: Sequence[str]) -> dict[str, Any]:
    """Return what the fields of front matter state, by their names; raise ValueError that names one
    in a form that is not read."""
    found: dict[str, Any] = {}
    for entry in entries(lines):
        try:
            found |= {entry.name: entry.value()} if entry.name else {}
        except ValueError as error:
            raise ValueError(f"{entry.name} stands in a form that is not read: {error}") from None
    return found


def _entry(lines: Sequence[str]) -> FrontField:
    name, _, rest = lines[0].partition(":")
    if not _begins(lines[0]) or lines[0][:1] == "#":
        return FrontField("", "", (), tuple(lines))
    rest = rest.strip()
    return FrontField(
        name.strip().strip("\"'"), "" if rest[:1] == "#" else rest, tuple(lines[1:]), tuple(lines)
    )


def _begins(line: str) -> bool:
    """Say whether a line begins a field, or is a comment between fields."""
    if line[:1] == "#":
        return True
    name, colon, rest = line.partition(":")
    is_field = bool(colon) and bool(name.strip()) and rest[:1] in ("", " ", "\t")
    return is_field and line[:1] not in _NOT_NAMES


def _is_known(entry: FrontField) -> bool:
    """Say whether something is a field, or nothing that a reader of YAML looks at."""
    if entry.name:
        return all(_is_bare(line) or line[0] in _GOES_ON for line in entry.more)
    return all(map(_is_bare, entry.lines))


def _is_bare(line: str) -> bool:
    """Say whether a line says nothing: it is blank, or a comment."""
    return not line.strip() or line.lstrip()[:1] == "#"
