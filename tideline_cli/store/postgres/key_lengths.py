"""What is too long for the indexes of a server: a file takes every word and label."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.text import index_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tideline_cli.model.text import Analyzer

LONGEST = 2600
"""Bytes of a word or a label: PostgreSQL's keys have 2,704 at most, with what stands beside."""
STATE = "54000"
"""What a server says where a key is too long."""
_LABELS = ("slot", "session", "document")


def length_refusal(
    content: str, labels: Mapping[str, object], *, analyzer: Analyzer
) -> UsageError | None:
    """Return why a server cannot store a text with these labels, None where it can."""
    # Few texts have so long a piece without a space: the others are not taken apart.
    if len(content) > LONGEST // 4 and any(map(_is_long, content.split())):
        for term in index_terms(content, analyzer=analyzer):
            if _is_long(term):
                return too_long("the text has a word")
    for name in _LABELS:
        value = labels.get(name)
        if isinstance(value, str) and _is_long(value):
            return too_long(f"{name} is a text")
    return None


def too_long(what: str) -> UsageError:
    """Return what it means where a word or a label is too long."""
    return UsageError(
        f"{what} of more than {LONGEST:,} bytes, which a server cannot index",
        hint="shorten it, or keep the fact in a memory in a file", code="too_long_for_server",
    )  # fmt: skip


def _is_long(text: str) -> bool:
    return len(text) > LONGEST // 4 and len(text.encode()) > LONGEST
