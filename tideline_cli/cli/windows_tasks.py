"""The task of Windows that starts a command every day: its text, put in place by schtasks.

A task throws away what its program says. So the program runs in cmd, which adds it to a log.
"""

from __future__ import annotations

import os
import subprocess
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

from tideline_cli.errors import UnavailableError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "tideline-dream"
_PATIENCE = 60  # seconds
_MOST = 8000  # characters of a command line of cmd
_BEGINS = "2026-01-01"  # any day that is over
_FORM = """<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>tideline: tend the memory</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>{begins}T{hour:02d}:{minute:02d}:00</StartBoundary>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <Priority>8</Priority>
  </Settings>
  <Actions>
    <Exec>
      <Command>%SystemRoot%\\System32\\cmd.exe</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


def log_of(database: str) -> str:
    """Return the file that keeps what the nights say, beside the memory file."""
    return f"{database}-dream.log"


def task_text(command: Sequence[str], at: tuple[int, int], log: str) -> str:
    """Return the text of the task; raise UsageError for words that cmd would change."""
    words = [os.path.normpath(command[0]), *command[1:]]
    for word in (*words, log):
        if any(char in word for char in '"%'):
            raise UsageError(
                f"cmd would change {word!r}, so it cannot be scheduled",
                hint='use paths without % and "',
            )
    inner = " ".join(f'"{word}"' for word in words) + f' >> "{log}" 2>&1'
    if len(inner) > _MOST:
        raise UsageError("the paths are too long for cmd", hint="use shorter ones")
    hour, minute = at
    arguments = escape(f'/d /v:off /c "{inner}"')
    return _FORM.format(begins=_BEGINS, hour=hour, minute=minute, arguments=arguments)


def is_installed() -> bool:
    """Say whether there is the task; False where there are no tasks of Windows."""
    return os.name == "nt" and _run("/Query", "/TN", NAME).returncode == 0


def installed_text() -> str:
    """Return the text of the task that is there, empty where it cannot be had."""
    done = _run("/Query", "/TN", NAME, "/XML")
    raw = done.stdout.replace(b"\0", b"") if done.returncode == 0 else b""
    return raw.decode(errors="replace")


def install(text: str) -> None:
    """Put the task in place of the one before."""
    with TemporaryDirectory(prefix="tideline-") as folder:
        path = os.path.join(folder, "task.xml")
        with open(path, "x", encoding="utf-16", newline="\r\n") as file:
            file.write(text)
        _call("/Create", "/TN", NAME, "/XML", path, "/F")


def remove() -> None:
    """Take the task away."""
    _call("/Delete", "/TN", NAME, "/F")


def _call(*words: str) -> None:
    done = _run(*words)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).decode(errors="replace")
        why = said.split("\n")[0].strip() or f"exit code {done.returncode}"
        raise UnavailableError(f"schtasks {words[0]} failed: {why}")


def _run(*words: str) -> subprocess.CompletedProcess[bytes]:
    if os.name != "nt":
        raise UnavailableError("there is no schtasks", hint="Windows has it: use --cron here")
    program = os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32", "schtasks.exe")
    try:
        return subprocess.run(  # noqa: S603  a list, no shell
            [program, *words], stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"schtasks cannot be run: {error}") from error
