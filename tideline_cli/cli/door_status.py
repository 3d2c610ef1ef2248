"""What `status` and `doctor` say of the doors: who is set up, what waits, what failed."""

from __future__ import annotations

import os
import shutil

from tideline_cli import config
from tideline_cli.errors import CannotWriteError
from tideline_cli.model.instant import DAY_MS, iso
from tideline_cli.serve import hook_log, queue, setup_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.serve.setup_record import SetUpRow

_OF_LATE = 7 * DAY_MS  # a failure that is older is no news


def of_doors(session: Session) -> tuple[dict[str, Any], list[str]]:
    """Return the doors as JSON has them, and as lines."""
    state = config.state_folder(os.environ)
    rows, unread = _rows()
    failure = hook_log.last(hook_log.path_of(state, session.viewer.key))
    form: dict[str, Any] = {
        "set_up": sorted(rows),
        "gone": sorted(name for name, row in rows.items() if shutil.which(row.program) is None),
        "pending": queue.length(state, queue.Whose(session.real_database, session.viewer.key)),
        "last_failure": None if failure is None else {
            "at": iso(failure.at), "client": failure.client, "message": failure.message,
        },
    }  # fmt: skip
    lines = [f"doors      {', '.join(form['set_up'])}"] if rows else []
    lines += [f"doors      {unread}"] if unread else []
    lines += [f"doors      {name}: its program is gone; tideline setup {name.split()[0]}"
              for name in form["gone"]]  # fmt: skip
    if form["pending"]:
        count = form["pending"]
        what = "1 conversation waits" if count == 1 else f"{count:,} conversations wait"
        lines.append(f"pending    {what}: tideline extract --pending")
    if failure is not None and session.now - failure.at < _OF_LATE:
        when = iso(failure.at)[:16].replace("T", " ")
        lines.append(f"hook       {when} {failure.client}: {failure.message}")
    return form, lines


def _rows() -> tuple[dict[str, SetUpRow], str]:
    """Return what the record of setup has, and what is wrong with it, empty for nothing."""
    try:
        return setup_record.rows(config.data_folder(os.environ)), ""
    except CannotWriteError as error:
        return {}, error.message
