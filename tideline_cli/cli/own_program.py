"""How other programs start this one: by words that need nothing of the user's environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tideline_cli.errors import UnavailableError

_PATIENCE = 30  # seconds


def own_words() -> list[str]:
    """Return the words that start this program with nothing of the user's environment.

    Raises UnavailableError when none does.
    """
    called = shutil.which(sys.argv[0]) or ""
    beside = os.path.join(os.path.dirname(sys.executable), "tideline") if sys.executable else ""
    scripts = [path for path in (called, beside) if os.path.basename(path) == "tideline"]
    for command in (*([os.path.abspath(path)] for path in scripts),
                    [sys.executable, "-P", "-m", "tideline_cli"]):  # fmt: skip
        if _starts(command):
            return command
    raise UnavailableError(
        f"tideline cannot be started by {sys.executable} without your environment",
        hint="install it, with `pipx install tideline-cli` or into a virtual environment",
    )


def _starts(command: list[str]) -> bool:
    bare = {"PATH": "/usr/bin:/bin", "HOME": os.path.expanduser("~")}
    try:
        done = subprocess.run(  # noqa: S603  our own program
            [*command, "--version"], env=bare, cwd="/", stdin=subprocess.DEVNULL,
            capture_output=True, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.startswith(b"tideline ")
