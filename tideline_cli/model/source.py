"""Who said it. The four untrusted sources carry text that nobody vouches for."""

from __future__ import annotations

from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Source = Literal[
        "user_instruction",
        "owner_message",
        "channel_message",
        "tool_output",
        "retrieved_document",
        "compaction",
        "extraction",
        "dream",
    ]

TRUSTED: tuple[Source, ...] = ("owner_message", "user_instruction", "channel_message", "dream")
UNTRUSTED: tuple[Source, ...] = ("tool_output", "retrieved_document", "compaction", "extraction")
SOURCES: tuple[Source, ...] = TRUSTED + UNTRUSTED


def is_trusted(source: Source) -> bool:
    """Say whether the write-gate lets this source author and replace anything."""
    return source not in UNTRUSTED


def parse_source(text: str) -> Source:
    """Return `text` as a source, or raise UsageError naming the allowed ones."""
    for source in SOURCES:
        if source == text:
            return source
    raise UsageError(f"unknown source: {text!r}", hint="use one of " + ", ".join(SOURCES))
