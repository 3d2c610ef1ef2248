"""Reading one document: from the bytes of a file, or of standard input, to its text by its
encoding, and to its blocks by its form; and the reader of PDF."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from contextlib import contextmanager
from functools import partial
from io import BytesIO

from tideline_cli.errors import TidelineError, UnavailableError, UsageError
from tideline_cli.exchange import encodings, front_matter
from tideline_cli.exchange.ingest.blocks import (
    SIZE,
    Block,
    markdown_blocks,
    plain_blocks,
    restructured_blocks,
)
from tideline_cli.exchange.statements import left_words
from tideline_cli.model.lean import sha256
from tideline_cli.model.record import record
from tideline_cli.system import NONBLOCK
from tideline_cli.system.processes import LateError, interrupted_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from pypdf import PageObject

    from tideline_cli.exchange.ingest.files import Form

MOST_BYTES = 100_000_000
"""A larger file is not read."""
MOST_CHARACTERS = 5_000_000
"""Of a longer text the beginning is taken."""
SECONDS = 30.0
"""A file that takes longer to be read is passed over."""
_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zß-ÿ])")
_IN_PARAGRAPH = re.compile(r"[ \t]*\n[ \t]*(?=\S)")
_EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*")


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
    held: Content, form: Form, *, encoding: str | None, warn: Callable[[str], None],
    size: int = SIZE,
) -> Iterable[Block]:
    """Return the blocks of a content of a form, for chunks of a size. `warn` is told what of it is
    not taken.

    Raises a TidelineError for what is no text, cannot be read, or is empty.
    """
    is_pdf = held.raw[:1024].lstrip().startswith(b"%PDF-")
    left = Counter[str]()
    if form == "pdf" or is_pdf:
        if not is_pdf:
            raise UsageError("not a PDF", hint="--format says what it is", code="damaged")
        return _limited(pdf_blocks(held.raw, warn), warn, left)
    if form in ("docx", "odt", "epub"):
        return _limited(_office_blocks(held.raw, form, size, left), warn, left)
    if encodings.is_binary(held.raw):
        raise UsageError(
            "no text but binary data", code="binary",
            hint="text, Markdown, HTML, PDF, DOCX, ODT and EPUB are read",
        )  # fmt: skip
    if form == "html":
        from tideline_cli.exchange.ingest import html_text  # noqa: PLC0415  HTML alone

        text = _text(held.raw, encoding, warn, said=html_text.said_encoding(held.raw))
        return _limited(html_text.blocks(text, size=size, left=left), warn, left)
    text = _text(held.raw, encoding, warn)
    reader = {"markdown": markdown_blocks, "rst": restructured_blocks}.get(form, plain_blocks)
    return _limited(reader(text, size=size, left=left), warn, left)


def head_of(held: Content, form: Form) -> Mapping[str, Any]:
    """Return the fields at the head of a Markdown document; none where there are none."""
    if form != "markdown" or not held.raw.lstrip(b"\xef\xbb\xbf").startswith(b"---"):
        return {}
    lines = held.raw.decode("utf-8-sig", "replace").splitlines()
    try:
        return front_matter.values(lines[1 : front_matter.end_of(lines)])
    except ValueError:
        return {}


def _office_blocks(raw: bytes, form: Form, size: int, left: Counter[str]) -> Iterator[Block]:
    """Yield the blocks of a word processor file or an e-book."""
    from tideline_cli.exchange.ingest import html_text, office  # noqa: PLC0415  these alone

    has_text = False
    reader = markdown_blocks if form == "odt" else html_text.blocks
    for page in office.unpacked(raw, form, left):
        for block in reader(page, size=size, left=left):
            has_text = True
            yield block
    if not has_text:
        raise UsageError("no text in it", hint="is it all pictures?", code="no_text")


def _text(
    raw: bytes, encoding: str | None, warn: Callable[[str], None], *, said: str | None = None
) -> str:
    """Return the text of a file; say so where its encoding is guessed."""
    text, guessed = encodings.decoded(raw, encoding, said=said)
    if guessed is not None:
        warn(f"not UTF-8, read as {guessed}; --encoding says what it is")
    return text


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


def _limited(
    blocks: Iterable[Block], warn: Callable[[str], None], left: Counter[str]
) -> Iterator[Block]:
    """Yield the blocks up to the limit of characters, and tell what is left out."""
    taken = 0
    for block in blocks:
        taken += len(block.text)
        if taken > MOST_CHARACTERS:
            warn(f"longer than {MOST_CHARACTERS:,} characters: the rest is not taken; split it")
            break
        yield block
    if +left:
        warn(f"left out: {left_words(+left)}")


def _too_large(size: int) -> TidelineError:
    return UsageError(
        f"{size:,} bytes are more than the {MOST_BYTES:,} that are read", hint="split it",
        code="too_large",
    )  # fmt: skip


def pdf_blocks(raw: bytes, warn: Callable[[str], None]) -> Iterator[Block]:
    """Yield the paragraphs of the pages. `warn` is told what could not be read.

    Raises UnavailableError where pypdf is missing, and UsageError for a file that is no PDF, is
    locked by a password, or holds no text.
    """
    pages = _pages(raw)
    unread: list[int] = []
    has_text = False
    for number, page in enumerate(pages, 1):
        try:
            text = page()
        except Exception:  # noqa: BLE001  a damaged page makes pypdf raise whatever it met
            unread.append(number)
            continue
        for paragraph in _EMPTY_LINES.split(text.replace("\x00", "")):
            whole = _IN_PARAGRAPH.sub(" ", _HYPHEN.sub("", paragraph)).strip()
            if whole:
                has_text = True
                yield Block(whole, (), number)
    if unread:
        warn(f"{_listed(unread)} of {len(pages):,} could not be read")
    if not has_text and unread:
        raise UsageError(
            "its pages could not be read", hint="damaged, or too large when unpacked",
            code="damaged",
        )  # fmt: skip
    if not has_text:
        raise UsageError(
            "no text in it", hint="pages that are pictures need OCR first, such as ocrmypdf",
            code="no_text",
        )  # fmt: skip


def _pages(raw: bytes) -> list[Callable[[], str]]:
    """Return for each page what reads its text."""
    try:
        import pypdf  # noqa: PLC0415  PDF alone
    except ModuleNotFoundError:
        raise UnavailableError(
            "a PDF needs pypdf, which is not installed",
            hint="pip install '.[documents]' in the clone",
            code="no_pypdf",
        ) from None
    import logging  # noqa: PLC0415  PDF alone

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is wrong is said once, by us
    try:
        reader = pypdf.PdfReader(BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UsageError("locked by a password", hint="take the password off", code="locked")
        return [partial(_text_of, page) for page in reader.pages]
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001  a damaged file makes pypdf raise whatever it met
        raise UsageError(
            "not a PDF that can be read", hint=f"damaged? pypdf says: {_brief(error)}",
            code="damaged",
        ) from None  # fmt: skip


def _text_of(page: PageObject) -> str:
    """Return the text of a page; raise what pypdf keeps to itself of one that it cannot unpack."""
    text = page.extract_text()
    if not text.strip():
        contents = page.get_contents()
        if contents is not None:
            contents.get_data()
    return text


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
    return f"page{'s' * (len(numbers) > 1)} {shown}"
