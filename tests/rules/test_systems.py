"""POSIX names stand in one package: nothing else of the program needs them, written or run."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules import parsed
from tests.support import ROOT

PACKAGE = ROOT / "tideline_cli"
ROOM = PACKAGE / "system"
ALONE = {
    PACKAGE / "store" / "locks.py",  # each command loads it, and no other module for this
    # Files in folders that are open, and programs that end with their children: `sync` says on
    # Windows that it does not run there yet.
    PACKAGE / "sync" / "layout.py",
    PACKAGE / "sync" / "places" / "git.py",
    PACKAGE / "sync" / "outbox.py",
}
MODULES = frozenset("fcntl grp posix pty pwd readline resource syslog termios tty".split())
# What Python for Windows lacks, as its own `dir` says (3.11; of later ones 3.13 has fchmod).
OS = frozenset((
    "O_ACCMODE O_ASYNC O_CLOEXEC O_DIRECT O_DIRECTORY O_DSYNC O_EVTONLY O_FSYNC O_NDELAY O_NOATIME "
    "O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_RSYNC O_SYNC O_TMPFILE chown chroot confstr ctermid "
    "environb eventfd fchdir fchmod fchown fdatasync fork forkpty fpathconf fstatvfs getegid "
    "getenvb geteuid getgid getgroups getloadavg getpgid getpgrp getpriority getresuid getsid "
    "getuid getxattr killpg lchown listxattr lockf major makedev memfd_create minor mkfifo mknod "
    "nice openpty pathconf pidfd_open pipe2 posix_fadvise posix_fallocate posix_spawn pread preadv "
    "pwrite pwritev readv register_at_fork removexattr sched_getaffinity sched_setaffinity "
    "sched_yield sendfile set_blocking setegid seteuid setgid setpgid setpriority setsid setuid "
    "setxattr statvfs sync sysconf tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4 waitid "
    "waitpid writev"
).split()) - {"O_PATH", "waitpid"}  # one is asked by getattr, the other is in both
SIGNALS = frozenset(
    "ITIMER_REAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 "
    "SIGUSR2 SIGWINCH alarm getitimer pause pthread_kill pthread_sigmask setitimer sigwait".split()
)


def named(path):
    """Yield (line, name) of each POSIX name in a file: modules, and names of os and signal."""
    for node in ast.walk(parsed.tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, one.name) for one in node.names if one.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module:
            wanted = {"os": OS, "signal": SIGNALS, "_signal": SIGNALS}.get(node.module, frozenset())
            found = [one.name for one in node.names if one.name in wanted]
            found += [node.module] if node.module in MODULES else []
            yield from ((node.lineno, name) for name in found)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            wanted = {"os": OS, "signal": SIGNALS}.get(node.value.id, frozenset())
            if node.attr in wanted:
                yield node.lineno, f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.keyword) and node.arg in ("dir_fd", "src_dir_fd", "preexec_fn"):
            yield node.value.lineno, node.arg


def test_the_names_are_of_this_system():
    """A name that is misspelt would forbid nothing."""
    of_a_mac = {"O_EVTONLY"}
    assert {name for name in OS - of_a_mac if not hasattr(os, name)} == set()
    assert {name for name in SIGNALS if not hasattr(signal, name)} == set()


def test_posix_names_stand_in_their_room():
    """No module but those of `system` names what only POSIX has."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if ROOM not in path.parents and path not in ALONE
        for line, name in named(path)
    ]
    assert found == []


@pytest.mark.parametrize("path", sorted(ALONE), ids=lambda path: path.name)
def test_no_exception_is_left_over(path):
    """Each file that is excused still needs it."""
    assert list(named(path))


# The names are taken away for our modules alone, as they run: the standard library needs its own.
_TAKEN = """
import builtins, os, signal, sys
from types import ModuleType
ROOM, ALONE, MODULES = {room!r}, {alone!r}, {modules!r}
whole = builtins.__import__

class Poor(ModuleType):
    def __init__(self, full, gone):
        self.__dict__.update({{k: v for k, v in vars(full).items() if k not in gone}})

poor = {{"os": Poor(os, {os!r}), "signal": Poor(signal, {signals!r})}}

def poorer(name, given=None, *more, **named):
    file = (given or {{}}).get("__file__") or ""
    ours = "/tideline_cli/" in file and ROOM not in file and not file.endswith(ALONE)
    if ours and name in MODULES:
        raise ModuleNotFoundError("No module named " + repr(name) + " for " + file)
    return poor[name] if ours and name in poor else whole(name, given, *more, **named)

builtins.__import__ = poorer
sys.argv = ["tideline", *sys.argv[1:]]
from tideline_cli.__main__ import enter
enter()
"""
CALLS = (
    ("--version",), ("remember", "the harbour crane is painted yellow"),
    ("remember", "at noon", "--slot", "lunch"), ("recall", "crane"), ("context", "crane"),
    ("status",), ("list",), ("dream",), ("history",), ("undo",),
    ("export", "--output", "{}/facts.jsonl"),
    ("export", "--format", "sqlite", "--output", "{}/x.db"),
    ("import", "{}/facts.jsonl", "--db", "{}/other.db"), ("backup", "{}/copy.db"),
    ("restore", "--from", "{}/copy.db", "--yes"), ("doctor", "--deep", "--repair"),
    ("config", "set", "limit", "4"), ("config", "list"), ("hook", "codex"), ("gc",),
    ("export", "{}/vault", "--format", "vault"), ("ingest", "{}/facts.jsonl"),
)  # fmt: skip


def test_commands_run_without_posix_names(tmp_path):
    """With the names taken away from all modules but those of `system`, each command still works:
    what needs a name asks there for it."""
    code = _TAKEN.format(
        room=str(ROOM), alone=tuple(str(path) for path in ALONE), modules=set(MODULES),
        os=set(OS), signals=set(SIGNALS),
    )  # fmt: skip
    environ = {**os.environ, "TIDELINE_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    wrong = []
    for call in CALLS:
        argv = [sys.executable, "-c", code, *(word.format(tmp_path) for word in call)]
        done = subprocess.run(argv, env=environ, cwd=tmp_path, capture_output=True, text=True,
                              input="{}", check=False)  # fmt: skip
        if done.returncode:
            wrong.append((call, done.returncode, done.stderr))
    assert wrong == []


def test_the_taking_away_is_felt(tmp_path):
    """The same run fails for a module that names what is taken: the check can fail."""
    code = _TAKEN.format(room="nowhere", alone=(), modules=set(MODULES), os=set(OS),
                         signals=set(SIGNALS))  # fmt: skip
    environ = {**os.environ, "TIDELINE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, "remember", "x"], env=environ,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 70
    assert "fcntl" in done.stderr


def test_windows_modules_are_loaded_by_windows_alone():
    """What is made of Windows' own names is never loaded here."""
    code = "import tideline_cli.system, sys; print([m for m in sys.modules if 'windows' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert Path(ROOM / "windows.py").is_file()
