"""A process that prepares rows for an import: `python -m tideline_cli.exchange.importer.row_worker
PIPE`.

It answers the frames of `row_frames` on standard input. PIPE is the number of a handle whose pipe
ends when the other process is gone.
"""

from __future__ import annotations

import gc
import os
import sys

from tideline_cli.exchange.importer import row_frames
from tideline_cli.vector.worker import LENGTH, end_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until they end."""
    answerer = row_frames.Answerer()
    while head := requests.read(LENGTH):
        answers.write(answerer.answer(requests.read(int.from_bytes(head, "little"))))
        answers.flush()


if __name__ == "__main__":
    try:
        gc.freeze()  # rows hold no cycles: what is looked for is rarely there
        gc.set_threshold(50_000)
        end_with(int(sys.argv[1]))
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(0)
