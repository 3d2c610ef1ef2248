"""Options that the records of several commands have, as parts of those records."""

from __future__ import annotations

from tideline_cli.cli.filter_options import Narrowing, Spoken
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.fact import Heat
    from tideline_cli.model.source import Source


class Formats(Record, part=True):
    """The forms in which rows are printed: `output.SHORT_FORMS` and a format."""

    jsonl: bool
    nl: bool
    csv: bool
    tsv: bool
    table: bool
    fmt: str | None
    format: str | None


class Scopes(Record, part=True):
    """What a command sees of the scopes: `options.SCOPES`."""

    scope: str | None
    all_scopes: bool


class Said(Scopes, Spoken, part=True):
    """Which facts a command counts: those of a scope, said by somebody somewhere."""


class Filters(Scopes, Narrowing, part=True):
    """Which facts a command takes: `filters.OPTIONS`."""

    slot: tuple[str, ...]
    source: tuple[Source, ...]
    heat: tuple[Heat, ...]
    pinned: bool
    batch: int | None
