"""`config profiles`: the ways of ranking and showing, a row each."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.model.record import as_dict
from tideline_cli.ranking.profiles import PROFILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session
    from tideline_cli.ranking.profiles import Profile

_USUAL = "append"


def run(session: Session) -> None:
    """Print the profiles, and which one holds."""
    chosen = session.profile(None) or "tideline"
    if session.json:
        rows = [as_dict(row) for row in PROFILES.values()]
        output.emit_json({"profiles": rows, "profile": chosen})
        return
    lines = [_cells(row, is_chosen=row.name == chosen) for row in PROFILES.values()]
    if not output.is_terminal(session):
        output.emit_lines(["\t".join(cells).rstrip() for cells in lines])
        return
    shown = [_HEAD, *lines]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    output.emit_lines(
        ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in shown]
    )


_HEAD = ("profile", "mode", "fusion", "decay", "use", "limit", "block", "budget", "")


def _cells(row: Profile, *, is_chosen: bool) -> tuple[str, ...]:
    budget = f"{row.max_chars} characters"
    if row.max_tokens is not None:
        budget += f", {row.max_tokens} tokens"
    return (
        row.name, row.mode, row.fusion or _USUAL, row.decay,
        "counts" if row.touches else "does not count", str(row.limit), row.block, budget,
        "chosen" if is_chosen else "",
    )  # fmt: skip
