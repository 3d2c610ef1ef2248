"""What a sync says: a line for each place, and what else a user should know."""

from __future__ import annotations

import shlex

from tideline_cli.cli import output, synced_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.sync.meeting import Report


def report(session: Session, reports: Sequence[Report]) -> None:
    """Print what was done in each place."""
    if session.json:
        output.emit_json({"places": [_form(one) for one in reports]})
    elif not session.quiet:
        output.emit_lines([line(one) for one in reports])
    tell_beside(session, reports)


def tell_beside(session: Session, reports: Sequence[Report]) -> None:
    """Tell what a user should know beside the result."""
    for one in reports:
        for note in one.notes:
            session.note(note)
        if one.is_readable:
            session.caution("sync_readable", _readable(one))
        for halt in one.halts:
            session.caution(
                "sync_stopped",
                f"{halt.name} cannot be read further: segment {halt.number}: {halt.message}",
                hint=halt.advice,
            )
        if one.strangers or one.refused:
            session.caution(
                "sync_strangers", f"{one.address}: {_not_as_said(one)}, as others can write there; "
                "`tideline sync status` names them",
                hint=f"if they are yours: tideline sync {shlex.quote(one.address)} --trust",
            )  # fmt: skip
    if reports:
        for text, hint in synced_places.asked(
            session, synced_places.of_rewordings(reports[-1].reworded)
        ):
            session.caution("sync_reworded", text, hint=hint)
    conflicts = max((one.conflicts for one in reports), default=0)
    if conflicts:
        session.note(
            f"{conflicts:,} value{'s' * (conflicts > 1)} gave way to a later value of another "
            "machine: `tideline contradictions` shows both"
        )


def _readable(one: Report) -> str:
    return f"not encrypted: whoever can read {one.address} reads every fact"


def _not_as_said(one: Report) -> str:
    """Say how many facts were taken as a stranger's, and of how many a change was not taken."""
    told = []
    if one.strangers:
        told.append(f"{_facts(one.strangers)} taken as a stranger's, without slot or standing")
    if one.refused:
        told.append(f"changes of {_facts(one.refused)} not taken")
    return " and ".join(told)


def line(one: Report) -> str:
    """Return in one line what was done in a place."""
    took = "nothing new"
    if one.received:
        took = f"{_facts(one.received)} received"
        if one.batches:
            numbers = [one.batches[0], one.batches[-1]]
            named = f"{numbers[0]}" if len(one.batches) == 1 else f"{numbers[0]} to {numbers[1]}"
            took += f" as batch{'es' * (len(one.batches) > 1)} {named}"
        if one.purged:
            took += f", {one.purged:,} purged"
    gave = "nothing to send"
    if one.sent:
        count = f"{one.segments} segment{'s' * (one.segments > 1)}"
        gave = f"{_facts(one.sent)} sent in {count}, {one.octets:,} bytes"
    return f"{one.address}: {took}; {gave}"


def _facts(count: int) -> str:
    return f"{count:,} fact{'' if count == 1 else 's'}"


def _form(one: Report) -> dict[str, Any]:
    return {
        "address": one.address,
        "place": one.place,
        "encrypted": one.is_sealed,
        "vouched": one.is_vouched,
        "received": one.received,
        "batches": list(one.batches),
        "purged": one.purged,
        "strangers": one.strangers,
        "refused": one.refused,
        "sent": one.sent,
        "segments": one.segments,
        "bytes": one.octets,
        "conflicts": one.conflicts,
        "reworded": synced_places.of_rewordings(one.reworded),
        "stopped": [
            {
                "replica": halt.replica, "name": halt.name, "reason": halt.reason,
                "segment": halt.number, "message": halt.message, "advice": halt.advice,
            }
            for halt in one.halts
        ],
        "notes": [*one.notes, *([_readable(one)] if one.is_readable else [])],
    }  # fmt: skip
