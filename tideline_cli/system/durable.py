"""What was written to a file, brought to the disk itself: through a power cut."""

from __future__ import annotations

import os
import sys
from errno import EIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Control = Callable[[int, int], object]

_FULL = 51  # F_FULLFSYNC of macOS


def sync(handle: int, *, platform: str = sys.platform, control: Control | None = None) -> None:
    """Bring an open file or folder to the disk. `fsync` of macOS leaves it in the cache of the
    drive, so there the drive itself is asked, by `control`, which is `fcntl` but for tests.

    Raises OSError where the disk fails.
    """
    if platform == "darwin":
        from fcntl import fcntl  # type: ignore[attr-defined,unused-ignore]  # noqa: PLC0415  macOS alone

        try:
            (control or fcntl)(handle, _FULL)
            return
        except OSError as error:
            if error.errno == EIO:
                raise
            # What a network file system and some folders do not know. They know fsync.
    os.fsync(handle)
