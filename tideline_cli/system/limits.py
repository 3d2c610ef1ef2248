"""What this process may still ask of the system: memory, and processors."""

from __future__ import annotations

import os
import sys


def memory_left(most: int) -> int:
    """Return how many bytes this process may still ask for, `most` at most."""
    rooms = [most]
    if sys.platform != "win32":  # a job of Windows has limits that nobody sets for a command line
        from resource import RLIM_INFINITY, RLIMIT_AS, RLIMIT_DATA, getrlimit  # noqa: PLC0415  POSIX

        for kind, place in ((RLIMIT_AS, 0), (RLIMIT_DATA, 5)):
            limit, _ = getrlimit(kind)
            if limit != RLIM_INFINITY:
                rooms.append(limit - _used(place))
    return min(rooms)


def _used(place: int) -> int:
    """Return the bytes in use as the kernel counts them; 0 where it does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[place])
    except (OSError, ValueError, IndexError):
        return 0
    if sys.platform != "win32":
        pages *= os.sysconf("SC_PAGE_SIZE")
    return pages


def processors() -> int:
    """Return on how many processors this process may run."""
    count = os.cpu_count() or 1
    if sys.platform == "linux":
        count = len(os.sched_getaffinity(0))
    return count
