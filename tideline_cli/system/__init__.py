"""What systems do differently, below everything else: flags of files that are opened, locks, and
who owns a file. POSIX names stand in this package alone.

Each command that opens a memory needs what is here, so it is one module. What is seldom needed has
modules of its own, and what POSIX has and Windows has not is in `windows`.
"""

import sys

if sys.platform == "win32":
    from tideline_cli.system.windows import (
        BINARY,
        DIRECTORY,
        LOCK_EX,
        LOCK_NB,
        NOCTTY,
        NOFOLLOW,
        NONBLOCK,
        flock,
        is_own,
        is_root,
        pread,
        pwrite,
        rights,
        session_number,
        set_mode,
        set_owner,
        user_number,
    )
else:
    import os
    from fcntl import LOCK_EX, LOCK_NB, flock
    from os import O_DIRECTORY as DIRECTORY
    from os import O_NOCTTY as NOCTTY
    from os import O_NOFOLLOW as NOFOLLOW
    from os import O_NONBLOCK as NONBLOCK
    from os import fchmod as set_mode
    from os import fchown as set_owner
    from os import geteuid as user_number
    from os import pread, pwrite

    BINARY = 0

    def is_root() -> bool:
        """Say whether this user may do everything."""
        return os.geteuid() == 0

    def is_own(state: os.stat_result) -> bool:
        """Say whether a file belongs to this user."""
        return state.st_uid == os.geteuid()

    def rights(mode: int) -> int:
        """Return who may read and write a file of a mode: the nine bits, and those before them."""
        return mode & 0o7777

    def session_number() -> int:
        """Return a number that the processes of one terminal have in common."""
        return os.getsid(0)


__all__ = [
    "BINARY", "DIRECTORY", "LOCK_EX", "LOCK_NB", "NOCTTY", "NOFOLLOW", "NONBLOCK", "flock",
    "is_own", "is_root", "pread", "pwrite", "rights", "session_number", "set_mode", "set_owner",
    "user_number",
]  # fmt: skip
