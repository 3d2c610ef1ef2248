"""`setup --dry-run`: the files that would change, as a diff, and the commands that would run."""

from __future__ import annotations

import os
from difflib import unified_diff
from shlex import join

from tideline_cli.cli import output
from tideline_cli.serve.setup_files import BACKUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tideline_cli.cli.session import Session
    from tideline_cli.cli.setup_work import Edit, Work


def show(session: Session, works: Sequence[Work]) -> None:
    """Print what would be done, and do nothing."""
    if session.json:
        output.emit_json({"dry_run": True, "clients": [
            {"client": work.plan.client, "action": work.action, "files": _files(work),
             "commands": [[*one] for one in (*work.undo, *work.run)],
             "left": [[*one] for one in work.left]}
            for work in works
        ]})  # fmt: skip
        return
    output.emit_lines([line for work in works for line in _lines(work)])


def _files(work: Work) -> list[str]:
    names = [name for name, _ in work.plan.files] if work.is_fresh else []
    return [*(edit.path for edit in work.edits), *work.drops,
            *(os.path.join(work.plan.folder, name) for name in names)]  # fmt: skip


def _lines(work: Work) -> Iterator[str]:
    does = work.edits or work.is_fresh or work.drops or work.undo or work.run or work.left
    yield f"# {work.plan.client}" + ("" if does else f": {work.action}")
    yield from (f"$ {join(command)}" for command in work.undo)
    for edit in work.edits:
        if edit.has_backup:
            yield f"# {edit.path + BACKUP}: a copy of it"
        yield from _diff(edit)
    for name, text in work.plan.files if work.is_fresh else ():
        path = os.path.join(work.plan.folder, name)
        if name.endswith(".json"):
            yield from unified_diff([], text.splitlines(), "/dev/null", path, lineterm="")
        else:
            yield f"# {path}"
    yield from (f"# {path} goes" for path in (*work.drops, *work.backups))
    yield from (f"$ {join(command)}" for command in work.run)
    yield from (f"# to run by you: {join(command)}" for command in work.left)
    yield from (f"# {path} gets its old bytes, if it says nothing new"
                for path, _ in work.watched)  # fmt: skip


def _diff(edit: Edit) -> Iterator[str]:
    old, new = (edit.path if raw is not None else "/dev/null" for raw in (edit.old, edit.new))
    return unified_diff(_split(edit.old), _split(edit.new), old, new, lineterm="", n=2)


def _split(raw: bytes | None) -> list[str]:
    return (raw or b"").decode("utf-8", "replace").splitlines()
