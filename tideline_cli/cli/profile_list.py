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
    on_terminal = output.is_terminal(session)
    lines: list[str] = []
    for row in PROFILES.values():
        mark = "chosen" if row.name == chosen else ""
        lines += _told(row, mark) if on_terminal else ["\t".join(_cells(row, mark)).rstrip()]
    output.emit_lines(lines)


def _told(row: Profile, mark: str) -> list[str]:
    """Return lines that fit a narrow terminal."""
    name, mode, fusion, decay, use, limit, block, budget, _ = _cells(row, mark)
    return [
        f"{name} (chosen)" if mark else name,
        f"  mode {mode}, fusion {fusion}, decay {decay}",
        f"  {limit} hits, use {use}",
        f"  block {block}, {budget}",
    ]


def _cells(row: Profile, mark: str) -> tuple[str, ...]:
    budget = f"{row.max_chars} characters"
    if row.max_tokens is not None:
        budget += f", {row.max_tokens} tokens"
    return (
        row.name, row.mode, row.fusion or _USUAL, row.decay,
        "counts" if row.touches else "does not count", str(row.limit), row.block, budget, mark,
    )  # fmt: skip
