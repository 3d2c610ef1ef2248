"""The form of our own: a folder with corpus.jsonl, which `tideline import` takes, and queries.jsonl
with id, query and gold (a source_turn or an id, each with its worth)."""

from __future__ import annotations

from tideline_cli.evaluation.sets import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.errors import TidelineError

    Rows = Iterator[tuple[int, dict[str, Any] | TidelineError]]


def is_it(folder: str) -> bool:
    """Say whether a folder is a set of this form."""
    return files.has(folder, "corpus.jsonl") and files.has(folder, "queries.jsonl")


def documents(folder: str) -> Rows:
    """Yield the rows of the corpus."""
    return files.lines(files.found(folder, "corpus.jsonl"))


def questions(folder: str) -> Rows:
    """Yield the rows of the questions."""
    return files.lines(files.found(folder, "queries.jsonl"))
