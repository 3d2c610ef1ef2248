"""What the words of git, ssh, rsync and rclone mean when they fail. Pure."""

from __future__ import annotations

import re
import shlex

from tideline_cli.errors import (
    BusyError,
    CannotWriteError,
    TidelineError,
    UnavailableError,
    UsageError,
)

_LONGEST = 400
_AWAY = (
    "could not resolve", "temporary failure in name", "connection refused", "connection timed out",
    "no route to host", "network is unreachable", "connection reset", "connection closed",
    "operation timed out", "timed out", "timeout", "host is down", "broken pipe",
    "couldn't connect to server", "failed to connect", "the remote end hung up", "early eof",
    "unexpected disconnect", "no such host", "server misbehaving", "i/o timeout", "http 5",
    "error: 500", "error: 502", "error: 503", "error: 504", "kex_exchange", "lost connection",
)  # fmt: skip
_FULL = ("no space left", "disk quota", "quota exceeded", "storagequotaexceeded",
         "too big for remaining disk")  # fmt: skip
_KEYS = ("host key verification failed", "remote host identification has changed")
_REFUSED = (
    "permission denied (", "authentication failed", "could not read username",
    "could not read password", "terminal prompts disabled", "too many authentication failures",
    "invalid_grant", "401 unauthorized", "error: 401", "error: 403", "accessdenied",
)  # fmt: skip
_NO_PROGRAM = ("command not found", "rsync: not found", "not recognized as an internal")
_TOO_OLD = ("unrecognized option", "unknown option", "invalid option", "unknown flag",
            "unknown switch")  # fmt: skip
_WRONG = (
    "repository not found", "does not appear to be a git repository", "not a git repository",
    "no such file or directory", "does not exist", "didn't find section in config file",
    "not found", "is not a directory", "not a directory", "no such container", "no such bucket",
)  # fmt: skip
_OTHER_OWNER = re.compile(r"dubious ownership in repository at '(.+)'")
_CANNOT_WRITE = ("permission denied", "read-only file system", "pre-receive hook declined",
                 "protected branch", "operation not permitted",
                 "insufficient permission")  # fmt: skip


def meaning_of(said: str, address: str) -> TidelineError:
    """Return the error that a program means by what it said on stderr: 75 where trying again may
    help, usage where the address is wrong, 73 where nothing can be written, else 6."""
    low = said.lower()
    message = f"{address}: {_telling_line(said)}"
    owned = _OTHER_OWNER.search(said)
    if owned:
        return UnavailableError(
            f"{address}: git does not open {owned[1]}, which belongs to another user there",
            hint="if you trust it, on that machine: git config --global --add safe.directory "
            f"{shlex.quote(owned[1])}", code="not_allowed",
        )  # fmt: skip
    if _has(low, _NO_PROGRAM):
        return UnavailableError(f"{address}: rsync is missing on the other side",
                                hint="install rsync there", code="no_program")  # fmt: skip
    if _has(low, _TOO_OLD):
        return UnavailableError(
            message, code="no_program",
            hint="a program is too old: rsync 3.1, git 2.29 and rclone 1.53 are new enough",
        )  # fmt: skip
    if _has(low, _FULL):
        return CannotWriteError(message, hint="make room; nothing was lost")
    if _has(low, _KEYS):
        return UnavailableError(
            f"{address}: the host is not known, or has another key than before",
            hint="connect once by ssh, and compare the key of the host", code="host_key",
        )  # fmt: skip
    if _has(low, _REFUSED):
        return UnavailableError(message, hint="log in once by hand: no password can be asked for "
                                "here; ssh-agent or a credential helper answers for you",
                                code="not_allowed")  # fmt: skip
    if _has(low, _AWAY):
        return BusyError(message, hint="the place cannot be reached now: try again",
                         code="unreachable")  # fmt: skip
    if _has(low, _CANNOT_WRITE):
        return CannotWriteError(message, hint="check who may write there")
    if _has(low, _WRONG):
        return UsageError(message, hint="check the address: what is it, and is it there?",
                          code="place")  # fmt: skip
    return UnavailableError(message, hint="try again", code="place_failed")


def _telling_line(said: str) -> str:
    """Return the first line that tells what is wrong, else the last one."""
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["it failed"]
    known = (*_NO_PROGRAM, *_TOO_OLD, *_FULL, *_KEYS, *_REFUSED, *_AWAY, *_CANNOT_WRITE, *_WRONG)
    return next((line for line in lines if _has(line.lower(), known)), lines[-1])[:_LONGEST]


def _has(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)
