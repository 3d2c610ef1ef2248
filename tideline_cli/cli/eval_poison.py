"""`eval poison`: attacks against a copy of the user's memory."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.messages import shows_progress
from tideline_cli.evaluation import copies, poison, profiles
from tideline_cli.memory.query import Query
from tideline_cli.ranking.decay import DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.evaluation.poison import Fight


def run(session: Session) -> int:
    """Attack a copy, and say whether anything succeeded."""
    session.needs_owner("only the owner may copy the store")
    db = session.reading()
    with copies.empty() if db is None else copies.copy_of(db) as copied:
        if shows_progress(quiet=session.quiet, as_json=session.json):
            session.note("attacking a copy; your memory is left as it is")
        own = session.profile(None) or profiles.DEFAULT
        asked = Query(
            "", limit=1, fading=session.setting("fading", DEPTH), **profiles.PROFILES[own]
        )
        fight = poison.fought(copied, now=session.now, asked=asked)
    if own != profiles.DEFAULT:
        session.note(f"asked as your settings have it: by the profile {own}")
    if session.json:
        output.emit_json(_form(fight) | {"profile": own})
    else:
        output.emit_lines(_lines(fight))
    return 1 if fight.harm or fight.refused else 0


def _lines(fight: Fight) -> list[str]:
    lines = [
        f"{lane.name:<10} {_count(lane.attacks, 'attack')}, {lane.successes:,} succeeded"
        for lane in fight.lanes
    ]
    tried = sum(lane.attacks for lane in fight.lanes)
    lines.append(f"{'all':<10} {_count(tried, 'attack')}, {fight.successes:,} succeeded")
    refused = len(fight.refused)
    lines.append(f"{'honest':<10} {_count(fight.honest, 'write')}, {refused:,} refused")
    lines += [f"harm       {output.one_line(one)}" for one in fight.harm]
    return lines + [f"refused    {output.one_line(one)}" for one in fight.refused]


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _form(fight: Fight) -> dict[str, Any]:
    return {
        "lanes": [
            {"name": lane.name, "attacks": lane.attacks, "successes": lane.successes}
            for lane in fight.lanes
        ],
        "attacks": sum(lane.attacks for lane in fight.lanes), "successes": fight.successes,
        "honest": fight.honest, "refused": list(fight.refused), "harm": list(fight.harm),
        "targets": [fact.id for fact in fight.targets],
    }  # fmt: skip
