"""Running the own commands of clients, as `setup` does."""

from __future__ import annotations

import shutil
import subprocess
import sys

from tideline_cli.errors import UnavailableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Words = tuple[str, ...]

_PATIENCE = 120  # seconds that a client's own command may take


def is_here(commands: Sequence[Words]) -> bool:
    """Say whether the program of these commands is on this machine."""
    return bool(commands) and shutil.which(commands[0][0]) is not None


def run_all(commands: Sequence[Words], folder: str, *, is_asked: bool) -> None:
    """Run commands in a folder; raise UnavailableError for the first that fails. Where `is_asked`
    a person answers what it asks."""
    for command in commands:
        said = run(command, folder, is_asked=is_asked)
        if said is not None:
            client = "claude-code" if command[0] == "claude" else command[0]
            raise UnavailableError(
                f"{' '.join(command[:4])} failed: {said}",
                hint=f"`tideline setup {client} --remove` takes back what was done",
            )


def run(command: Words, folder: str, *, is_asked: bool = False) -> str | None:
    """Run a command in a folder; return None, or what it says when it fails."""
    program = shutil.which(command[0]) or command[0]
    sys.stdout.flush()
    try:
        done = subprocess.run(  # noqa: S603  a list, no shell
            [program, *command[1:]], cwd=folder, timeout=None if is_asked else _PATIENCE,
            stdin=None if is_asked else subprocess.DEVNULL,
            capture_output=not is_asked, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if not done.returncode:
        return None
    said = (done.stderr or done.stdout or b"").decode(errors="replace").strip()
    return said.splitlines()[0] if said else f"it ended with {done.returncode}"
