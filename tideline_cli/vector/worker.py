"""A process that embeds texts for another: `python -m tideline_cli.vector.worker EMBEDDER PIPE`.

Frames on standard input: the number of texts, the length of each, then the texts in UTF-8; counts
are 4 bytes, little-endian. The answer to a frame is its length, and the packed vectors, one after
the other. PIPE is the number of a handle whose pipe ends when the other process is gone.
"""

from __future__ import annotations

import os
import sys
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

_COUNT = 4
LENGTH = 8
"""The bytes of the length in front of an answer, little-endian."""


def framed(answer: bytes) -> bytes:
    """Return an answer with its length in front."""
    return len(answer).to_bytes(LENGTH, "little") + answer


def frame(texts: list[str]) -> bytes:
    """Return the request for a list of texts."""
    raw = [text.encode() for text in texts]
    counts = [len(raw), *map(len, raw)]
    return b"".join([*(count.to_bytes(_COUNT, "little") for count in counts), *raw])


def serve(name: str, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until they end."""
    from tideline_cli.vector.embedder import resolve  # noqa: PLC0415  who asks needs no numpy

    embedder = resolve(name)
    while head := requests.read(_COUNT):
        lengths = [_number(requests.read(_COUNT)) for _ in range(_number(head))]
        texts = [requests.read(length).decode() for length in lengths]
        answers.write(framed(embedder.embed_packed(texts).tobytes()))
        answers.flush()


def end_with(pipe: int) -> None:
    """End this process as soon as the one at the other end of a pipe is gone, even in the middle of
    a frame, which takes up to a second."""
    def watch() -> None:
        while os.read(pipe, 1):
            pass
        os._exit(0)

    Thread(target=watch, daemon=True).start()


def _number(raw: bytes) -> int:
    return int.from_bytes(raw, "little")


if __name__ == "__main__":
    try:
        end_with(int(sys.argv[2]))
        serve(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer)
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(0)
