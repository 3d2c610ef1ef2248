"""Installing and removing entries that start a command every day: crontab, systemd, launchd."""

from __future__ import annotations

import os
import shutil
import subprocess

from tideline_cli.cli import crontab_text, schedule_entries, windows_tasks
from tideline_cli.errors import CannotWriteError, UnavailableError
from tideline_cli.store.folders import hand_over, make_folder
from tideline_cli.system import NOFOLLOW, names, set_mode, user_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PATIENCE = 60  # seconds
_NO_CRONTAB = (b"no crontab", b"no such file")  # the second is BusyBox
_TIMER = f"{schedule_entries.UNIT}.timer"


def is_installed(kind: str) -> bool:
    """Say whether there is an entry of tideline."""
    if kind == "schtasks":
        return windows_tasks.is_installed()
    if kind == "cron":
        return shutil.which("crontab") is not None and crontab_text.has_block(crontab())
    return any(os.path.lexists(path) for path in paths(kind))


def paths(kind: str) -> tuple[str, ...]:
    """Return the files of a systemd or launchd entry."""
    home = os.path.expanduser("~")
    if kind == "launchd":
        return (os.path.join(home, "Library", "LaunchAgents", f"{schedule_entries.LABEL}.plist"),)
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(home, ".config")
    folder = os.path.join(base, "systemd", "user")
    unit = schedule_entries.UNIT
    return tuple(os.path.join(folder, f"{unit}.{end}") for end in ("service", "timer"))


def launchd_log() -> str:
    """Return the file that keeps what the nights of a launchd agent say."""
    return os.path.join(os.path.expanduser("~"), "Library", "Logs", "tideline", "dream.log")


def install_cron(line: str) -> None:
    """Put a line into the user's crontab, in place of the one before."""
    _need("crontab")
    old = crontab()
    new = crontab_text.with_block(old, line)
    if new != old:
        _call("crontab", "-", given=new, refused="the crontab is as it was")


def remove_cron() -> None:
    """Take the line of tideline out of the user's crontab."""
    new = crontab_text.without_block(crontab())
    if new:
        _call("crontab", "-", given=new, refused="the crontab is as it was")
    else:
        _call("crontab", "-r")


def install_systemd(units: Mapping[str, str]) -> None:
    """Write the user units and start the timer."""
    _need("systemctl")
    folder = _write(units)
    start = f"systemctl --user enable --now {_TIMER}"
    refused = f"the units are in {folder}; start the timer with `{start}`"
    _call("systemctl", "--user", "daemon-reload", refused=refused)
    _call("systemctl", "--user", "enable", "--now", _TIMER, refused=refused)


def remove_systemd() -> None:
    """Stop the timer and take the units away."""
    refused = f"the units are gone; a running timer ends with `systemctl --user stop {_TIMER}`"
    try:
        _call("systemctl", "--user", "disable", "--now", _TIMER, refused=refused)
    finally:
        wanted = os.path.join(os.path.dirname(paths("systemd")[0]), "timers.target.wants", _TIMER)
        _delete(*paths("systemd"), wanted)
    _call("systemctl", "--user", "daemon-reload", refused=refused)


def install_launchd(text: str) -> None:
    """Write the agent and load it, in place of the one before."""
    _need("launchctl")
    (path,) = paths("launchd")
    _write({os.path.basename(path): text}, os.path.dirname(path))
    _make_log(launchd_log())
    _run("launchctl", "bootout", f"{_domain()}/{schedule_entries.LABEL}")
    refused = f"the agent is in {path}; it is loaded at the next login"
    _call("launchctl", "bootstrap", _domain(), path, refused=refused)


def remove_launchd() -> None:
    """Unload the agent and take it away."""
    try:
        _run("launchctl", "bootout", f"{_domain()}/{schedule_entries.LABEL}")
    finally:
        _delete(*paths("launchd"))


def _make_log(path: str) -> None:
    """Make the log for its owner alone: launchd would make it readable for others."""
    folder = os.path.dirname(path)
    make_folder(folder)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | NOFOLLOW, 0o600)
    try:
        set_mode(handle, 0o600)
        hand_over(handle, path, like=folder)
    finally:
        os.close(handle)


def _domain() -> str:
    return f"gui/{user_number()}"


def crontab() -> bytes:
    """Return the user's crontab, empty when there is none. A failure is an error, never empty."""
    done = _run("crontab", "-l")
    if done.returncode == 0:
        return done.stdout
    if not done.stdout and any(text in done.stderr.lower() for text in _NO_CRONTAB):
        return b""
    raise _failure("crontab -l", done, "")


def _need(program: str) -> None:
    if shutil.which(program) is None:
        others = {"crontab": "--systemd", "systemctl": "--cron"}
        hint = f"install it, or use {others[program]}" if program in others else "macOS has it"
        raise UnavailableError(f"no such program: {program}", hint=hint)


def _call(*argv: str, given: bytes | None = None, refused: str = "") -> None:
    done = _run(*argv, given=given)
    if done.returncode != 0:
        raise _failure(" ".join(argv), done, refused)


def _run(*argv: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    _need(argv[0])
    try:
        return subprocess.run(  # noqa: S603  a list, no shell
            argv,
            input=b"" if given is None else given,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"{' '.join(argv)} did not end within {_PATIENCE} s") from error
    except OSError as error:
        raise UnavailableError(f"cannot run {argv[0]}: {error.strerror}") from error


def _failure(
    what: str, done: subprocess.CompletedProcess[bytes], hint: str
) -> UnavailableError | CannotWriteError:
    said = (done.stderr.strip() or done.stdout.strip()).decode(errors="replace").split("\n")[0]
    kind = CannotWriteError if what.startswith("crontab") else UnavailableError
    return kind(f"{what} failed: {said or f'exit code {done.returncode}'}", hint=hint)


def _write(files: Mapping[str, str], folder: str = "") -> str:
    """Write files into a folder, each replaced as a whole, and return the folder."""
    folder = folder or os.path.dirname(paths("systemd")[0])
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        _put(os.path.join(folder, name), text)
    return folder


def _put(path: str, text: str) -> None:
    """Replace a file as a whole, by a new one that only this process writes."""
    folder, name = os.path.split(path)
    fresh = os.path.join(folder, f".{name}.new-{os.getpid()}-{os.urandom(4).hex()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW, 0o644)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            set_mode(handle, 0o644)
            hand_over(handle, fresh, like=folder)
            file.write(text)
        names.put_over(fresh, path)
    except OSError:
        os.unlink(fresh)
        raise


def _delete(*paths: str) -> None:
    for path in paths:
        if os.path.lexists(path):
            os.unlink(path)
