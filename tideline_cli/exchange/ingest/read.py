"""Reading one document: from a file, or from standard input, to its blocks."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.ingest.decoding import decoded, is_binary
from tideline_cli.model.lean import sha256
from tideline_cli.model.record import record
from tideline_cli.system import NONBLOCK
from tideline_cli.system.deadline import LateError, interrupted_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tideline_cli.exchange.ingest.blocks import Block
    from tideline_cli.exchange.ingest.files import Form

MOST_BYTES = 100_000_000
"""A larger file is not read."""
MOST_CHARACTERS = 5_000_000
"""Of a longer text the beginning is taken."""


SECONDS = 30.0
"""A file that takes longer to be read is passed over."""


@record
class Content:
    """What a file holds: its bytes, and their digest in hexadecimal digits."""

    raw: bytes
    digest: str


def content_of(path: str) -> Content:
    """Return what a file holds; raise UsageError for what is no file, or too large."""
    try:
        # A pipe that nobody writes into would hold us up for ever.
        held = os.open(path, os.O_RDONLY | NONBLOCK)
        with os.fdopen(held, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise UsageError("not a file", hint="name a file or a folder", code="no_file")
            if found.st_size > MOST_BYTES:
                raise _too_large(found.st_size)
            return content(file.read(MOST_BYTES + 1))
    except OSError as error:
        raise UsageError(
            f"cannot be read: {error.strerror or error}", hint="check its mode", code="unreadable"
        ) from None


def content(raw: bytes) -> Content:
    """Return bytes as the content of a document; raise UsageError for too many of them."""
    if len(raw) > MOST_BYTES:
        raise _too_large(len(raw))
    return Content(raw, sha256(raw).hexdigest())


def blocks_of(
    held: Content, form: Form, *, encoding: str | None, warn: Callable[[str], None]
) -> Iterable[Block]:
    """Return the blocks of a content of a form. `warn` is told what of it is not taken.

    Raises a TidelineError for what is no text, cannot be read, or is empty.
    """
    is_pdf = held.raw[:1024].lstrip().startswith(b"%PDF-")
    if form == "pdf" or is_pdf:
        from tideline_cli.exchange.ingest import pdf_text  # noqa: PLC0415  re, pypdf: PDF alone

        if not is_pdf:
            raise UsageError("not a PDF", hint="--format says what it is", code="damaged")
        return _limited(pdf_text.blocks(held.raw, warn), warn)
    if is_binary(held.raw):
        raise UsageError(
            "no text but binary data", hint="text, Markdown, HTML and PDF are read", code="binary"
        )
    if form == "html":
        from tideline_cli.exchange.ingest import html_text  # noqa: PLC0415  HTML alone

        said = html_text.said_encoding(held.raw)
        return _limited(html_text.blocks(decoded(held.raw, encoding, said=said)), warn)
    text = decoded(held.raw, encoding)
    if form == "markdown":
        from tideline_cli.exchange.ingest import markdown_text  # noqa: PLC0415  Markdown alone

        return _limited(markdown_text.blocks(text), warn)
    from tideline_cli.exchange.ingest import plain_text  # noqa: PLC0415  as above

    read = plain_text.restructured_blocks if form == "rst" else plain_text.blocks
    return _limited(read(text), warn)


@contextmanager
def in_time(seconds: float) -> Iterator[None]:
    """Raise UsageError where what is done within takes longer (not on Windows, nor in a thread that
    is not the first)."""
    try:
        with interrupted_after(seconds):
            yield
    except LateError:
        raise UsageError(
            f"passed over, took too long: more than {seconds:g} s",
            hint="split it, or convert it to plain text", code="too_long",
        ) from None


def _limited(blocks: Iterable[Block], warn: Callable[[str], None]) -> Iterator[Block]:
    """Yield the blocks up to the limit of characters."""
    taken = 0
    for block in blocks:
        taken += len(block.text)
        if taken > MOST_CHARACTERS:
            warn(f"longer than {MOST_CHARACTERS:,} characters: the rest is not taken; split it")
            return
        yield block


def _too_large(size: int) -> TidelineError:
    return UsageError(
        f"{size:,} bytes are more than the {MOST_BYTES:,} that are read", hint="split it",
        code="too_large",
    )  # fmt: skip
