"""What is too long for the indexes of a server: a file takes every word and label.

A server itself would take some of these, since it compresses a key before it measures it. One rule
for all verbs is what people can know, and what is exported from a server goes into another.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.text import index_terms
from tideline_cli.store import SERVERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer

LONGEST = 2600
"""Bytes of a word or a label: PostgreSQL's keys have 2,704 at most, with what stands beside."""
STATE = "54000"
"""What a server says where a key is too long."""
_KEYS = ("slot", "session", "document")
_FIELDS = ("content", *_KEYS, "title", "tags")


def are_bounded(path: str) -> bool:
    """Say whether the memory at a path or an address takes no long keys."""
    return path.startswith(SERVERS)


def refuse(
    fact: Fact, analyzer: Callable[[], Analyzer], fields: Collection[str] | None = None
) -> None:
    """Raise UsageError where a server cannot store what a fact says, or some of its fields: what it
    has taken already stays as it is. Few facts need the analyser."""
    asked = _FIELDS if fields is None else fields
    stated = {name: getattr(fact, name) for name in _FIELDS if name in asked}
    refusal = _long_key(stated)
    if not refusal and (texts := _with_long_pieces(stated.get("content"), stated)):
        refusal = _long_word(texts, analyzer())
    if refusal:
        raise refusal


def length_refusal(
    content: str, labels: Mapping[str, object], *, analyzer: Analyzer
) -> UsageError | None:
    """Return why a server cannot store a text with these labels, None where it can."""
    return _long_key(labels) or _long_word(_with_long_pieces(content, labels), analyzer)


def _long_key(labels: Mapping[str, object]) -> UsageError | None:
    for name in _KEYS:
        value = labels.get(name)
        if isinstance(value, str) and _is_long(value):
            return too_long(f"{name} is a text")
    return None


def _long_word(texts: Iterable[tuple[str, str]], analyzer: Analyzer) -> UsageError | None:
    for name, text in texts:
        if any(map(_is_long, index_terms(text, analyzer=analyzer))):
            return too_long(f"{name} has a word")
    return None


def _with_long_pieces(content: object, labels: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return what the words of are indexed and may be too long, each with what it is. Few texts
    have so long a piece without a space: the others are not taken apart."""
    tags = labels.get("tags")
    texts = [("the text", content), ("the title", labels.get("title"))]
    texts += (("a tag", tag) for tag in (tags if isinstance(tags, (list, tuple)) else [tags]))
    return [
        (name, text) for name, text in texts
        if isinstance(text, str) and len(text) > LONGEST // 4 and any(map(_is_long, text.split()))
    ]  # fmt: skip


def too_long(what: str) -> UsageError:
    """Return what it means where a word or a label is too long."""
    return UsageError(
        f"{what} of more than {LONGEST:,} bytes, which a server cannot index",
        hint="shorten it, or keep the fact in a memory in a file", code="too_long_for_server",
    )  # fmt: skip


def _is_long(text: str) -> bool:
    return len(text) > LONGEST // 4 and len(text.encode()) > LONGEST
