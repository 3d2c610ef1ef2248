"""numpy, loaded after a look at the memory that is left.

Without memory its OpenBLAS ends the process with exit code 1, which means "nothing found" here.
"""

from __future__ import annotations

import os

from tideline_cli.errors import ExhaustedError
from tideline_cli.system import machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["np", "thread_count", "unit_rows"]

_MIB = 1 << 20
# Measured for numpy 2.4 with OpenBLAS 0.3.31: 85 MiB to load, 42 MiB for each further thread. Its
# threads share out single products, and wait for one another by spinning; whole blocks are shared
# out by `vector.search`.
_LEAST = 160 * _MIB  # and 64 MiB to work with
_PLENTY = 1024 * _MIB
_MOST_THREADS = 8


def check_room() -> None:
    """Raise ExhaustedError when the limits of this process leave no room for numpy."""
    room = _room()
    if room < _LEAST:
        raise ExhaustedError(
            f"out of memory: vectors need {_LEAST // _MIB} MiB, and the limits of this process "
            f"leave {max(0, room) // _MIB} MiB",
            hint="raise the limit (`ulimit -v`, `ulimit -d`)",
        )


def thread_count() -> int:
    """Return how many threads this process may use: one where memory is short (64 MiB each)."""
    if _room() < _PLENTY:
        return 1
    return min(machine.processors(), _MOST_THREADS)


def _room() -> int:
    """Return how many bytes this process may still ask for."""
    return machine.memory_left(_PLENTY)


check_room()
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402  after the check


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows (n, dims) of length 1, in their place; a row of zeros stays."""
    norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    np.divide(rows, norms, out=rows, where=norms > 0)
    return rows
