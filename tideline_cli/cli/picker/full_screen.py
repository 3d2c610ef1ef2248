"""A terminal taken whole for a while: keys without lines and echo, a second screen, its size."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty

from tideline_cli.cli.picker import keys
from tideline_cli.cli.picker.screen import Drawn, Size

assert sys.platform != "win32"  # noqa: S101  for type checkers: `pick` says that it needs POSIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any

_OPENED = b"\x1b[?1049h\x1b[?2004h"  # the second screen; what is pasted is marked as such
_CLOSED = b"\x1b[?2004l\x1b[?1049l"
_HOME, _END_OF_LINE, _BELOW = "\x1b[H", "\x1b[K", "\x1b[J"
_BEGUN, _DONE = "\x1b[?2026h", "\x1b[?2026l"  # shown at once by terminals that know it
_AMBIGUOUS = 0.05  # seconds after which an escape is a key by itself
_PIECE = 65536


class FullScreen:
    """The terminal of this process, given back as it was whatever happens."""

    def __init__(self, handle: int, *, is_styled: bool) -> None:
        self.handle = handle
        self._is_styled = is_styled
        self._before: list[Any] = []
        self._kept: dict[int, Any] = {}
        self._left = b""
        self._woken, self._wakes = os.pipe()

    def __enter__(self) -> FullScreen:
        self._before = termios.tcgetattr(self.handle)
        for number in (signal.SIGWINCH, signal.SIGTERM, signal.SIGHUP):
            self._kept[number] = signal.signal(number, self._signalled)
        tty.setraw(self.handle)
        os.write(self.handle, _OPENED)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        try:
            os.write(self.handle, _CLOSED)
            termios.tcsetattr(self.handle, termios.TCSADRAIN, self._before)
        except (OSError, termios.error):
            pass  # the terminal is gone
        for number, before in self._kept.items():
            signal.signal(number, before)
        os.close(self._woken)
        os.close(self._wakes)

    def _signalled(self, number: int, _: FrameType | None) -> None:
        if number != signal.SIGWINCH:
            raise KeyboardInterrupt
        os.write(self._wakes, b"w")

    @property
    def size(self) -> Size:
        """The size of the terminal now."""
        try:
            columns, rows = os.get_terminal_size(self.handle)
        except OSError:
            columns, rows = 80, 24
        return Size(columns or 80, rows or 24, self._is_styled)

    def show(self, picture: Drawn) -> None:
        """Show lines in the place of those before, and the cursor in the first of them."""
        lines = f"{_END_OF_LINE}\r\n".join(picture.lines)
        cursor = f"\x1b[1;{picture.column + 1}H"
        told = f"{_BEGUN}{_HOME}{lines}{_END_OF_LINE}{_BELOW}{cursor}{_DONE}".encode()
        while told:
            told = told[os.write(self.handle, told) :]

    def pressed(self) -> list[str]:
        """Wait, and return all keys that were pressed; none where the size has changed. Where the
        terminal is gone, that is a wish to leave."""
        found: list[str] = []
        while not found:
            ready = self._ready(None)
            if self._woken in ready:
                os.read(self._woken, _PIECE)
                return []
            if not self._read():
                return ["leave"]
            found = self._decoded()
        return found

    def _decoded(self) -> list[str]:
        found, self._left = keys.keys_of(self._left, is_all=False)
        while self._is_cut and self.handle in self._ready(_AMBIGUOUS) and self._read():
            more, self._left = keys.keys_of(self._left, is_all=False)
            found += more
        if self._is_cut:
            more, _ = keys.keys_of(self._left, is_all=True)
            found, self._left = found + more, b""
        return found

    @property
    def _is_cut(self) -> bool:
        """Whether a key has begun that is one by itself, where nothing follows soon. A paste is
        not: what comes of it late must not choose or forget."""
        return bool(self._left) and not keys.is_paste(self._left)

    def _ready(self, seconds: float | None) -> list[int]:
        return select.select([self.handle, self._woken], [], [], seconds)[0]

    def _read(self) -> bool:
        try:
            piece = os.read(self.handle, _PIECE)
        except OSError:
            return False
        self._left += piece
        return bool(piece)
