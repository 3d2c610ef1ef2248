"""Whether an error that nobody foresaw comes from damage in the memory file."""

from __future__ import annotations

import os

from tideline_cli.memory.doctor import examine


def is_in(database: str, error: Exception) -> bool:
    """Ask the quick checks of doctor whether a file is at fault for an error. No connection to it
    may be open."""
    try:
        if not os.path.isfile(database):
            return False
        report = examine(database, deep=False, network_allowed=True, progress=lambda _: None)
    except Exception:  # noqa: BLE001  the first error is the one to report
        return False
    found = any(finding.severity == "error" for finding in report.findings)
    return found or isinstance(error, UnicodeDecodeError)
