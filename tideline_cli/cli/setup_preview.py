"""`setup --dry-run`: the files that would change, as a diff, and the commands that would run."""

from __future__ import annotations

import os
from difflib import unified_diff
from shlex import join

from tideline_cli.cli import output, setup_doors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tideline_cli.cli.session import Session
    from tideline_cli.serve.setup_plan import Plan, SetupPlace


def show(session: Session, plans: Sequence[Plan], place: SetupPlace, *, removes: bool) -> None:
    """Print what would be done, and do nothing."""
    if session.json:
        output.emit_json({"dry_run": True, "clients": [
            {"client": plan.client, "files": _files(plan, place, removes=removes),
             "commands": [[*one] for one in (plan.undo if removes else plan.commands)]}
            for plan in plans
        ]})  # fmt: skip
        return
    lines = [line for plan in plans for line in _lines(plan, place, removes=removes)]
    output.emit_lines(lines)


def _files(plan: Plan, place: SetupPlace, *, removes: bool) -> list[str]:
    if removes:
        changed = [merge.path for merge in plan.merges if os.path.exists(merge.path)]
        return changed + ([plan.folder] if plan.folder and os.path.isdir(plan.folder) else [])
    changed = [edit.path for edit in setup_doors.edits(plan, place) if edit.old != edit.new]
    return changed + [os.path.join(plan.folder, name) for name, _ in plan.files]


def _lines(plan: Plan, place: SetupPlace, *, removes: bool) -> Iterator[str]:
    yield f"# {plan.client}"
    if removes:
        yield from (f"# our entries go from {path}" for path in _files(plan, place, removes=True))
        yield from (f"$ {join(command)}" for command in plan.undo)
        return
    for edit in setup_doors.edits(plan, place):
        yield from unified_diff(
            _split(edit.old), _split(edit.new), edit.path, edit.path, lineterm="", n=2
        )
    for name, text in plan.files:
        path = os.path.join(plan.folder, name)
        if name.endswith(".json"):
            yield from unified_diff([], text.splitlines(), "/dev/null", path, lineterm="")
        else:
            yield f"# {path}"
    yield from (f"$ {join(command)}" for command in plan.commands)


def _split(raw: bytes | None) -> list[str]:
    return (raw or b"").decode("utf-8", "replace").splitlines()
