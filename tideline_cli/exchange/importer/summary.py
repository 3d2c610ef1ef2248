"""What became of the rows of an import: counts, and what is to be said of single lines."""

from __future__ import annotations

from tideline_cli.errors import TidelineError, WriteBlockedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tideline_cli.model.fact import Fact

MAX_REPORTED = 100
_MOST_KEYS = 30
_EARLY, _DIGITS = 631_152_000_000, 12  # 1990-01-01 in milliseconds, and how long it is written
_DATE = 8  # digits of 20260131
_THREAT = "memory:threat"


class ImportSummary:
    """The counts of an import. Each row has one outcome: it is added, it reinforces a known fact,
    it brings a fact to a later state, it is there already, or it is refused (skipped as bad, or
    blocked by the scan or the write-gate). The other counts tell more about these rows."""

    def __init__(self) -> None:
        self.rows = 0
        self.added = 0
        self.reinforced = 0
        self.present = 0
        self.skipped = 0
        self.threats = 0
        self.gated = 0
        self.superseded = 0  # values of a slot that ended because a row says a later one
        self.older = 0  # rows whose value of a slot ends where a later one begins
        self.brought = {"archived": 0, "restored": 0, "relabelled": 0}  # to a later state
        self.used = 0  # facts whose use a row has raised
        self.ended = 0  # facts that say what somebody has forgotten since
        self.forgotten = 0  # rows that say what was forgotten here since
        self.differing = 0  # rows that are there in another state, which stays
        self.confined = 0
        self.links = 0
        self.similar = 0
        self.not_taken = 0
        self.limited = 0  # rows that claimed more use, weight or time to come than they were given
        self.renamed = 0  # rows whose id was not taken
        self.usurping = 0  # edges that would put an unvouched row in the place of a trusted fact
        self.secrets = 0  # taken out of rows, or kept in those that are vouched for
        self.batch: int | None = None
        self.number: int | None = None  # of the batch, among those of all origins
        self.ids: set[str] = set()  # of what notes state
        self.unchanged = 0  # notes that were not read again
        self.gone: list[Fact] = []  # what a folder stated to earlier imports, and not any more
        self.errors: list[tuple[int, TidelineError]] = []
        self.kinds: dict[str, list[int]] = {}  # lines refused, by what is wrong; the first hundred
        self.counts: dict[str, int] = {}
        self.dangling: list[tuple[int, str]] = []
        self.unresolved = 0
        self.keys: dict[str, None] = {}
        self.has_content = False
        self.early = 0  # rows that say in milliseconds that they were made before 1990
        self.first_early = 0

    @property
    def blocked(self) -> int:
        """The rows that policy refused."""
        return self.threats + self.gated

    @property
    def taken(self) -> int:
        """The rows that are in the store now."""
        return self.added + self.reinforced + self.present + sum(self.brought.values())

    def note_row(self, row: dict[str, Any] | TidelineError) -> None:
        """Note that a row was read, and what it calls its values."""
        self.rows += 1
        if not isinstance(row, dict):
            return
        self.has_content = self.has_content or row.get("content") is not None
        made = row.get("created_at", row.get("last_accessed_at"))
        if made is not None and (made.__class__ is not str or (made.isascii() and made.isdigit())):
            self._note_early(made)
        if len(self.keys) < _MOST_KEYS and not row.keys() <= self.keys.keys():
            self.keys.update(dict.fromkeys(list(row)[:_MOST_KEYS]))

    def _note_early(self, made: Any) -> None:
        """Count a row that was made before there were memories of programs, if its time counts
        milliseconds: it may count seconds. Eight digits are a date."""
        if made.__class__ is str:
            made = int(made) if len(made) <= _DIGITS and len(made) != _DATE else 0
        if made.__class__ is int and 0 < made < _EARLY and len(str(made)) != _DATE:
            self.early += 1
            self.first_early = self.first_early or made

    def refuse(self, line: int, error: TidelineError) -> None:
        """Count a row that was not taken, and keep the first hundred reasons."""
        if not isinstance(error, WriteBlockedError):
            self.skipped += 1
        elif error.code == _THREAT:
            self.threats += 1
        else:
            self.gated += 1
        if len(self.errors) < MAX_REPORTED:
            self.errors.append((line, error))
        kind = _kind(error)
        self.counts[kind] = self.counts.get(kind, 0) + 1
        lines = self.kinds.setdefault(kind, [])
        if len(lines) < MAX_REPORTED:
            lines.append(line)

    def leave_out(self, line: int, references: Iterable[str]) -> None:
        """Count references that name nothing, and keep the first hundred."""
        for reference in references:
            self.unresolved += 1
            if len(self.dangling) < MAX_REPORTED:
                self.dangling.append((line, reference))


def _kind(error: TidelineError) -> str:
    """Return what is wrong without the names and values that differ from line to line."""
    plain = (word for word in error.message.split() if word.strip(":;,").isalpha())
    return error.code + " " + " ".join(word for word in plain if word.islower() or len(word) < 5)
