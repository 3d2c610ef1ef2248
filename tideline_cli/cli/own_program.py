"""How other programs start this one: by words that need nothing of the user's environment, and with
a memory that stays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

from tideline_cli.errors import UnavailableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_PATIENCE = 30  # seconds
_IS_WINDOWS = sys.platform == "win32"
_THROW_AWAY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  names to compare with
_NAMES = ("tideline.exe",) if _IS_WINDOWS else ("tideline",)


def own_words() -> list[str]:
    """Return the words that start this program with nothing of the user's environment. Raises
    UnavailableError when none does."""
    called = shutil.which(sys.argv[0]) or ""
    beside = _beside(os.path.dirname(sys.executable)) if sys.executable else ""
    scripts = [
        path for path in (called, beside) if os.path.normcase(os.path.basename(path)) in _NAMES
    ]
    for command in (*([_plain(os.path.abspath(path))] for path in scripts),
                    [_plain(sys.executable), "-P", "-m", "tideline_cli"]):  # fmt: skip
        if _starts(command):
            return command
    raise UnavailableError(
        f"tideline cannot be started by {sys.executable} without your environment",
        hint="install it, with `pipx install tideline-cli` or into a virtual environment",
    )


def _plain(path: str) -> str:
    """Return a path as shells of all kinds read it: those of Windows take both slashes."""
    return path.replace("\\", "/") if _IS_WINDOWS else path


def _beside(folder: str) -> str:
    """Return where the program stands that belongs to the Python in a folder."""
    if _IS_WINDOWS and os.path.basename(folder).lower() != "scripts":
        folder = os.path.join(folder, "Scripts")
    return os.path.join(folder, _NAMES[0])


def _starts(command: list[str]) -> bool:
    bare = {"PATH": "/usr/bin:/bin", "HOME": os.path.expanduser("~")}
    if _IS_WINDOWS:  # a program there needs more of its surroundings than a path
        bare = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}
    try:
        done = subprocess.run(  # noqa: S603  our own program
            [*command, "--version"], env=bare, cwd=os.path.abspath(os.sep),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.startswith(b"tideline ")


def throw_away_folders() -> tuple[str, ...]:
    """Return the folders whose files are thrown away."""
    return (*_THROW_AWAY, tempfile.gettempdir())


def caution_of_throw_away(session: Session, doing: str) -> None:
    """Warn that the memory of this call is one that goes away; `doing` says what leads to it."""
    path = session.real_database
    gone = (os.path.join(os.path.realpath(one), "") for one in throw_away_folders())
    if not path.startswith(tuple(gone)):
        return
    by = session.named_by
    if by == "default":
        by = "TIDELINE_HOME" if os.environ.get("TIDELINE_HOME") else "your home folder"
    remedy = "unset it" if by.startswith("TIDELINE_") else "name another one"
    session.caution(
        "throw_away",
        f"{doing} {path}, a memory in a folder for temporary files, which does not stay",
        hint=f"{by} leads there; {remedy}, and do this again",
    )
