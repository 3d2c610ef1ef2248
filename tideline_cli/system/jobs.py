"""Programs of Windows that are ended with all that they start: each is a job."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from ctypes import wintypes

assert sys.platform == "win32"  # noqa: S101  for type checkers; no other system loads this module


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ENDED = 1  # exit code of what is ended

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_create_job = _kernel.CreateJobObjectW
_create_job.argtypes = (wintypes.LPVOID, wintypes.LPCWSTR)
_create_job.restype = wintypes.HANDLE
_assign = _kernel.AssignProcessToJobObject
_assign.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_assign.restype = wintypes.BOOL
_terminate = _kernel.TerminateJobObject
_terminate.argtypes = (wintypes.HANDLE, wintypes.UINT)
_terminate.restype = wintypes.BOOL

_jobs: dict[int, int] = {}  # number of a process -> the job that it is in


def job_started(words: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a program with three pipes in a group and a job of its own. Raises OSError."""
    process = subprocess.Popen(  # noqa: S603  the user's own command, no shell
        words,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
    )
    job = _create_job(None, None)
    if job and _assign(job, int(process._handle)):  # type: ignore[attr-defined]
        _jobs[process.pid] = job
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program, and what it has started since it is in its job."""
    job = _jobs.get(process.pid)
    if not (job and _terminate(job, _ENDED)):
        process.kill()
