"""When something was last stated of a fact: what decides which of two states is the later one."""

from __future__ import annotations

from tideline_cli.model.record import record


@record
class Times:
    """changed_at: when somebody last stated anything about a fact. said_at: when somebody last said
    that it holds, by saying it, saying it again or restoring it."""

    changed_at: int
    said_at: int


@record
class StatedAt:
    """The same, with who said it apart: `spoken` is when this memory last heard it said, by words
    that nobody has taken back since, and `brought` when it was said elsewhere, as an import or a
    sync has told; 0 stands for never since it was made."""

    changed_at: int
    spoken: int
    brought: int
