"""The journal batch of an import: one for all its transactions, so that one undo takes it back."""

from __future__ import annotations

from tideline_cli.store import journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.exchange.importer.summary import ImportSummary


class ImportBatch:
    """The batch of one import. `number` is None until a chunk is stored."""

    def __init__(self, db: Connection, context: ImportContext) -> None:
        self._db = db
        self._context = context
        self.number: int | None = None

    def transaction(self, *, load: bool) -> journal.batch:
        """Return the next transaction of the import: it begins the batch, or goes on with it."""
        return journal.batch(
            self._db, verb="import", by=self._context.origin, now=self._context.now,
            resume=self.number, load=load,
        )  # fmt: skip

    def record_blocked(self, summary: ImportSummary) -> None:
        """Record how many rows the scan and the write-gate refused, if any."""
        refused = (("threat scan", summary.threats), ("write-gate", summary.gated))
        parts = [f"{what}: {count:,} rows of an import" for what, count in refused if count]
        if parts:
            journal.record_blocked(
                self._db, verb="import", by=self._context.origin, now=self._context.now,
                reason="; ".join(parts),
            )  # fmt: skip
