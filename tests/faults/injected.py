"""What a child does besides its command: system calls that fail, controls that break a promise."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import importlib
import json
import os
import signal
import sys
import time
from typing import Any

import apsw

_CALLS = {
    "write": ("pwrite64", ctypes.c_ssize_t,
              (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long)),
    "read": ("pread64", ctypes.c_ssize_t,
             (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long)),
    "truncate": ("ftruncate", ctypes.c_int, (ctypes.c_int, ctypes.c_long)),
    "open": ("open", ctypes.c_int, (ctypes.c_char_p, ctypes.c_int, ctypes.c_int)),
    "unlink": ("unlink", ctypes.c_int, (ctypes.c_char_p,)),
    "mmap": ("mmap", ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                                       ctypes.c_int, ctypes.c_int, ctypes.c_long)),
}  # fmt: skip
FAULTS = (
    "write:eio", "write:eio:sticky", "write:enospc", "write:enospc:sticky", "write:short",
    "write:kill", "sync:eio", "sync:eio:sticky", "sync:kill", "truncate:eio", "open:eio",
    "read:eio", "read:eio:sticky", "mmap:enomem", "unlink:eio",
)  # fmt: skip
_ERRORS = {"eio": errno.EIO, "enomem": errno.ENOMEM, "erofs": errno.EROFS, "enoent": errno.ENOENT}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_STEPS = frozenset((
    "os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree",
    "subprocess.Popen",
))  # fmt: skip
_kept: list[Any] = []  # callbacks that SQLite holds


def run(spec: dict[str, Any]) -> None:
    """Do what a request asks for, and end the process."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["tideline", *spec["argv"]]
    fault = Fault(spec["fault"], spec.get("n", 1)) if spec.get("fault") else None
    if spec.get("control"):
        _CONTROLS[spec["control"]](spec)
    if not spec.get("call"):
        from tideline_cli.__main__ import _take_interrupts

        _take_interrupts(lambda: 130)  # as a process of its own does
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if spec.get("call"):
            module, _, name = spec["call"].partition(":")
            getattr(importlib.import_module(module), name)(**spec.get("args", {}))
            code = 0
        else:
            from tideline_cli.__main__ import main

            code = main()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # too late: it is done
    except KeyboardInterrupt:  # outside of what `perform` guards; test_interrupts.py has that
        code = 130
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 70
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    if fault is not None and spec.get("report"):
        fault.has_ended = True
        with open(spec["report"], "w") as file:
            json.dump({"reached": fault.reached, "calls": fault.count}, file)
    os._exit(code)


class Fault:
    """The n-th call of a kind fails, once or from then on. `full` fails every write that would
    make a file larger, as a full disk does."""

    def __init__(self, name: str, n: int) -> None:
        self._call, self._how, *more = name.split(":")
        self._sticky = bool(more)
        self._n = n
        self.count = 0
        self.reached = self.has_ended = False
        if self._call == "sync":
            _kept.append(_SyncVfs(self))
        elif self._call == "step":
            sys.addaudithook(self._step)
        else:
            self._replace(*_CALLS[self._call])

    def is_due(self) -> bool:
        """Count a call, and say whether it is to fail."""
        self.count += 1
        due = self.count >= self._n if self._sticky else self.count == self._n
        due = due or (self._how == "short" and self.count == self._n + 1)
        self.reached = self.reached or due
        if due and self._how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return due

    def _step(self, event: str, given: tuple[Any, ...]) -> None:
        """What Python itself does to files and with other programs, just before it does so."""
        is_open = event == "open" and isinstance(given[2], int) and given[2] & _WRITES
        counts = (is_open or event in _STEPS) and not str(given[0]).startswith("/dev/")
        if counts and not self.has_ended and self.is_due():
            raise OSError(_ERRORS.get(self._how, errno.ENOSPC), self._how, str(given[0]))

    def _replace(self, name: str, gives: Any, takes: tuple[Any, ...]) -> None:
        kind = ctypes.CFUNCTYPE(gives, *takes, use_errno=True)
        vfs = apsw.VFS(f"calls-{name}", base="unix")
        original = kind(vfs.xGetSystemCall(name))
        failed = ctypes.c_void_p(-1).value if name == "mmap" else -1

        def call(*args: Any) -> Any:
            if self._how == "full":
                fails = args[3] + args[2] > os.fstat(args[0]).st_size
                self.reached = self.reached or fails
            else:
                fails = self.is_due()
            if not fails:
                return original(*args)
            if self._how == "short" and self.count == self._n:
                return original(args[0], args[1], args[2] // 2, args[3])
            ctypes.set_errno(_ERRORS.get(self._how, errno.ENOSPC))
            return failed

        callback = kind(call)
        _kept.extend((vfs, original, callback))
        vfs.xSetSystemCall(name, ctypes.cast(callback, ctypes.c_void_p).value)


class _SyncVfs(apsw.VFS):
    """fsync is not among the calls that SQLite lets one replace."""

    def __init__(self, fault: Fault) -> None:
        super().__init__("sync-faults", base="unix", makedefault=True)
        self._fault = fault

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return _SyncFile(name, flags, self._fault)


class _SyncFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], fault: Fault) -> None:
        super().__init__("unix", name, flags)
        self._fault = fault

    def xSync(self, flags: int) -> None:
        if self._fault.is_due():
            error = apsw.IOError("disk I/O error")
            error.extendedresult = apsw.SQLITE_IOERR_FSYNC
            raise error
        super().xSync(flags)


def _acknowledge_early(spec: dict[str, Any]) -> None:
    """Print the id before the commit: the promise that kill tests must see broken."""
    from tideline_cli.cli import new_fact
    from tideline_cli.store import journal

    made: list[str] = []
    new_id, commit = new_fact.new_id, journal.commit

    def noted(now: int) -> str:
        made.append(new_id(now))
        return made[-1]

    def late(db: apsw.Connection) -> None:
        os.write(1, f'{{"id": "{made[-1]}"}}\n'.encode())
        commit(db)

    new_fact.new_id, journal.commit = noted, late


def _synchronous(level: str) -> Any:
    def control(spec: dict[str, Any]) -> None:
        from tideline_cli.cli import session

        opened = session.opening.open_for_writing

        def careless(path: str, **given: Any) -> apsw.Connection:
            db = opened(path, **given)
            db.execute(f"PRAGMA synchronous = {level}")
            return db

        session.opening.open_for_writing = careless

    return control


def _slow_commit(spec: dict[str, Any]) -> None:
    """Hold each write transaction open for a while, so that a signal finds it so."""
    from tideline_cli.store import journal

    commit = journal.commit

    def late(db: apsw.Connection) -> None:
        os.write(2, b"in the transaction\n")
        time.sleep(5.0)
        commit(db)

    journal.commit = late


def _unlocked_restore(spec: dict[str, Any]) -> None:
    """Put a backup back without holding the lock over the copy of what is there."""
    from tideline_cli.store import backup, connection

    def in_two_steps(db: apsw.Connection, path: str, *, now: int, progress: Any) -> str:
        kept = backup.copy_before(db.filename, "restore", now=now)
        with contextlib.closing(connection.open_for_inspection(path)) as source:
            with backup.connection.in_turn(db), db.backup("main", source, "main") as run:
                run.step(-1)
            backup.connection.renew(db)
        return kept

    backup.replace_content = in_two_steps


def _any_generation(spec: dict[str, Any]) -> None:
    """Go on in whatever store is there."""
    from tideline_cli.store import connection, opening

    opening._noted = lambda db: connection.purge_pending(db)
    opening._give_generation = lambda db: None


def _no_write_lock(spec: dict[str, Any]) -> None:
    """Read before the lock is taken, as a deferred transaction that is begun anew does."""
    from tideline_cli.store import connection, journal

    def begin(db: apsw.Connection) -> None:
        connection._queues[id(db)] = None

    def commit(db: apsw.Connection) -> None:
        connection._queues.pop(id(db), None)

    connection.begin = begin
    connection.commit = journal.commit = commit


def _forget_pending(spec: dict[str, Any]) -> None:
    """Note nothing of what a sync is about to leave in a place."""
    from tideline_cli.sync import outbox

    put = outbox.sync_state.put_place

    def forgetful(db: apsw.Connection, number: int, **columns: Any) -> None:
        put(db, number, **(columns | ({"pending": ()} if "pending" in columns else {})))

    outbox.sync_state.put_place = forgetful


_CONTROLS = {
    "forget-pending": _forget_pending,
    "restore-unlocked": _unlocked_restore,
    "any-generation": _any_generation,
    "no-write-lock": _no_write_lock,
    "ack-early": _acknowledge_early,
    "sync-off": _synchronous("OFF"),
    "sync-normal": _synchronous("NORMAL"),
    "slow-commit": _slow_commit,
}
