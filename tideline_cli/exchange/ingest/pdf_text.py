"""Blocks of a PDF: its pages, by pypdf, which comes with `tideline-cli[documents]`."""

from __future__ import annotations

import re
from functools import partial
from io import BytesIO

from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.exchange.ingest.blocks import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pypdf import PageObject

_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zß-ÿ])")
_IN_PARAGRAPH = re.compile(r"[ \t]*\n[ \t]*(?=\S)")
_EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*")


def blocks(raw: bytes, warn: Callable[[str], None]) -> Iterator[Block]:
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
            hint='pip install "tideline-cli[documents]"',
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
