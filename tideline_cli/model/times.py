"""When something was last stated of a fact: what decides which of two states is the later one."""

from __future__ import annotations

from tideline_cli.model.record import record


@record
class Times:
    """changed_at: when somebody last stated anything about a fact. said_at: when somebody last said
    that it holds, by saying it, saying it again or restoring it."""

    changed_at: int
    said_at: int
