"""The pipe to the client: lines of bounded length in, whole lines out, until it closes."""

from __future__ import annotations

from tideline_cli.serve.mcp.protocol import TOO_LONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from tideline_cli.serve.mcp.protocol import Server

_LONGEST = 1 << 20


def answer_lines(server: Server, asked: BinaryIO, told: BinaryIO) -> None:
    """Answer each line, in order, until there is none."""
    while line := asked.readline(_LONGEST):
        answer: str | None
        if len(line) == _LONGEST and line[-1:] != b"\n":
            _pass_over(asked)
            answer = TOO_LONG
        else:
            answer = server.answer(line) if line.strip() else None
        if answer is not None:
            # A lone surrogate, of an id that we give back, has the escape that JSON has for it.
            told.write(answer.encode("utf-8", "backslashreplace") + b"\n")
            told.flush()


def _pass_over(asked: BinaryIO) -> None:
    """Read to the end of a line, and keep nothing of it."""
    while (piece := asked.readline(_LONGEST)) and piece[-1:] != b"\n":
        continue
