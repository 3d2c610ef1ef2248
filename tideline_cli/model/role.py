"""Who spoke: the roles of a conversation, and what their words weigh in a score.

A role is no source. The source says through which door a fact came and what it may do; a role says
who spoke, may be said by anybody, and can only take weight off.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Role = Literal["user", "assistant", "system", "tool"]

ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool")
WEIGHTS: Mapping[str, float] = {"assistant": 0.65, "tool": 0.65}
"""The factor in a score of what these roles say; of any other, and of none, it is 1."""


def weight(role: str | None) -> float:
    """Return the factor in a score of what a role says, above 0 and at most 1."""
    return 1.0 if role is None else WEIGHTS.get(role, 1.0)
