"""Which form a set has, and its module: each has `documents` and `questions`, rows with numbers."""

from __future__ import annotations

from tideline_cli.evaluation.sets import beir, files, locomo, longmemeval, own, trec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Protocol

    from tideline_cli.errors import TidelineError

    class Form(Protocol):
        """A module that reads one form."""

        def documents(
            self, path: str
        ) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]: ...
        def questions(
            self, path: str
        ) -> Iterator[tuple[int, dict[str, Any] | TidelineError]]: ...


FORMS: Mapping[str, Any] = {
    "locomo": locomo, "longmemeval": longmemeval, "beir": beir, "trec": trec, "own": own,
}  # fmt: skip
JSONL = "jsonl"
FOLDERS = ("beir", "trec", "own")
_HEAD = 1 << 16


def form_of(path: str) -> str:
    """Return the form of a file or folder; what is none of the sets is questions of one's own."""
    if path == "-":
        return JSONL
    if files.is_folder(path):
        folders = {"beir": beir, "own": own, "trec": trec}
        return next((name for name, one in folders.items() if one.is_it(path)), "own")
    with files.stream(path) as file:
        head = file.read(_HEAD).lstrip()
    if head[:1] != b"[":
        return JSONL
    if b'"haystack_' in head or b'"question_id"' in head:
        return "longmemeval"
    return "locomo" if b'"conversation"' in head or b'"qa"' in head else JSONL
