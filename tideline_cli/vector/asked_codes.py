"""Codes of many rows of which few are asked for: made when they are."""

from __future__ import annotations

from tideline_cli.vector.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Codes = NDArray[np.uint8]


class AskedCodes:
    """The codes of so many rows, as an array has them that is asked for some places; `made` gives
    those of some places, each of which it is asked for once."""

    def __init__(self, count: int, size: int, made: Callable[[list[int]], Codes]) -> None:
        self._made = made
        self._codes = np.zeros((count, size), np.uint8)
        self._lacks = np.ones(count, np.bool_)

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, places: Numbers) -> Codes:
        wanted = np.zeros(len(self._codes), np.bool_)
        wanted[places] = True
        new = np.flatnonzero(wanted & self._lacks)
        if len(new):
            self._codes[new] = self._made(new.tolist())
            self._lacks[new] = False
        found: Codes = self._codes[places]
        return found
