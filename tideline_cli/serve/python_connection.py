"""The connection of one Memory: opened when it is first needed, shared by threads, and never by a
process and its child."""

from __future__ import annotations

import os
from _thread import RLock

from tideline_cli import config
from tideline_cli.store import opening
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    from tideline_cli.errors import TidelineError
    from tideline_cli.store.transactions import Opened

    C = TypeVar("C", bound="Attached")
    P = ParamSpec("P")
    R = TypeVar("R")

_OF_PARENTS: list[Opened | None] = []  # connections that a fork has left to its parent


class Attached:
    """What has a memory file, and a connection to it while one is needed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._db: Opened | None = None
        self._writes = False
        self._lock = RLock()
        self._process = os.getpid()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._held():
            db, self._db, self._writes = self._db, None, False
            if db is not None:
                db.close()

    def leave_lost(self) -> None:
        """Forget a connection that a server has ended; the next call makes a new one."""
        with self._held():
            if getattr(self._db, "is_lost", False):
                self._db, self._writes = None, False

    def _held(self) -> RLock:
        """Return the lock of this object. A connection of before a fork is the parent's: the child
        leaves it as it is, since to close it could end what the parent is doing."""
        if self._process != os.getpid():
            _OF_PARENTS.append(self._db)
            self._db, self._writes = None, False
            self._lock, self._process = RLock(), os.getpid()
        return self._lock

    def _reading(self) -> Opened | None:
        """Return a connection; None where nobody has written yet."""
        if self._db is None:
            self._db = opening.open_for_reading(self.path)  # type: ignore[assignment]
        return self._db

    def _writing(self) -> Opened:
        """Return a connection for writing; the file is made where there is none."""
        if self._db is None or not self._writes:
            self.close()
            allowed = config.switch(os.environ, "TIDELINE_ALLOW_NETWORK_FS")
            self._db = opening.open_for_writing(self.path, network_allowed=allowed)
            self._writes = True
        return self._db


def translating(method: Callable[Concatenate[C, P], R]) -> Callable[Concatenate[C, P], R]:
    """Return a method that raises the errors of this program where the database raises its own.
    Calls of several threads wait for one another."""

    def call(one: C, /, *args: P.args, **given: P.kwargs) -> R:
        try:
            with one._held():
                return method(one, *args, **given)
        except DatabaseError as error:
            one.leave_lost()
            raise own_error(error, one.path) from error

    call.__name__, call.__doc__ = method.__name__, method.__doc__
    vars(call)["__wrapped__"] = method  # the signature, for `help`
    return call


def own_error(error: BaseException, path: str) -> TidelineError:
    """Return what an error of the database means to a user."""
    from tideline_cli.store.database_errors import translated  # noqa: PLC0415  an error

    return translated(error, path)
