"""Memories that are there for one evaluation: a copy of the user's, or one of a set's documents.

Each lies in a private folder among the temporary files, and goes with it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from tideline_cli.errors import UsageError
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.model.fact import MAX_CONTENT
from tideline_cli.store import SERVERS, backup
from tideline_cli.store.opening import open_for_writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection

    from tideline_cli.errors import TidelineError
    from tideline_cli.exchange.importer.prepared import Rows
    from tideline_cli.exchange.importer.summary import ImportSummary
    from tideline_cli.model.origin import Origin

_NAME = "memory.db"


@contextmanager
def copy_of(db: Connection) -> Iterator[Connection]:
    """Give a copy of a memory, which may be written to. Raises UsageError for a memory on a
    server."""
    if db.filename.startswith(SERVERS):
        raise UsageError(
            "an evaluation copies memories in files alone",
            hint="`tideline export --all-origins > all.jsonl`, then `tideline --db FILE import "
            "all.jsonl --trust` makes a file for it",
            code="files_only",
        )
    with TemporaryDirectory(prefix="tideline-eval-") as folder:
        path = os.path.join(folder, _NAME)
        backup.write(db, path, force=False)
        copied = open_for_writing(path)
        copied.asked_settings = db.asked_settings  # type: ignore[attr-defined]
        try:
            yield copied
        finally:
            copied.close()


@contextmanager
def empty() -> Iterator[Connection]:
    """Give a new memory."""
    with TemporaryDirectory(prefix="tideline-eval-") as folder:
        made = open_for_writing(os.path.join(folder, _NAME))
        try:
            yield made
        finally:
            made.close()


class CutRows:
    """The rows of a set, each cut to what a fact takes; `cut` counts those that were longer."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.cut = 0

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]:
        for number, row in self._rows:
            text = row.get("content") if isinstance(row, dict) else None
            if isinstance(text, str) and len(text) > MAX_CONTENT:
                self.cut += 1
                yield number, {**row, "content": text[:MAX_CONTENT]}  # type: ignore[dict-item]
            else:
                yield number, row


def load(db: Connection, rows: Rows, *, viewer: Origin, now: int) -> ImportSummary:
    """Store the documents of a set, whose dates and roles are taken as they are stated."""
    context = ImportContext(viewer, now, trusted=True)
    return import_rows(db, rows, context, merge=False)
