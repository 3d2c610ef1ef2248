"""What became of the documents of one run."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tideline_cli.errors import TidelineError

    Action = Literal["added", "changed", "unchanged", "skipped"]


@record
class Outcome:
    """What became of one document: `chunks` that it has now, of these `added` ones and those that
    were `kept`; `superseded` and `removed` ones of before, and `blocked` ones that are not stored.
    """

    name: str
    path: str | None
    action: Action
    chunks: int = 0
    added: int = 0
    kept: int = 0
    superseded: int = 0
    removed: int = 0
    blocked: int = 0
    secrets: int = 0
    error: TidelineError | None = None


class Summary:
    """All of a run: the outcomes in order; what else is to be said, by document; the batch."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.warnings: list[tuple[str, str]] = []
        self.stored = 0  # chunks that are in the store
        self.batch: int | None = None

    def total(self, name: str) -> int:
        """Return the sum of a number over all documents."""
        return sum(getattr(one, name) for one in self.outcomes)

    def count(self, *actions: Action) -> int:
        """Return how many documents had one of these outcomes."""
        return sum(one.action in actions for one in self.outcomes)

    def warn(self, name: str, text: str) -> None:
        """Note what is to be said of a document."""
        self.warnings.append((name, text))

    def first_error(self) -> TidelineError | None:
        """Return what was wrong with the first document that could not be taken."""
        return next((one.error for one in self.outcomes if one.error is not None), None)
