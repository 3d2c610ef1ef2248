"""What `doctor` found: what is wrong, and how to repair it."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Severity = Literal["error", "warning"]


@record
class Finding:
    """One fault. `remedy`: what to do; `mend`: the repair of `doctor --repair`, or empty."""

    check: str
    severity: Severity
    message: str
    remedy: str
    mend: str = ""


REPAIR = "tideline doctor --repair"


def mendable(check: str, message: str, what: str, *, mend: str = "") -> Finding:
    """Return an error that `doctor --repair` mends by doing `what`."""
    return Finding(check, "error", message, f"`{REPAIR}` {what}", mend or check)


def some(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: 1 fact, 2 facts."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {many or one + 's'}"
