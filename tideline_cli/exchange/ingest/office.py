"""Word processor files and e-books as pages of HTML, or Markdown: DOCX, ODT, EPUB."""

from __future__ import annotations

import zipfile
from io import BytesIO

from tideline_cli.errors import TidelineError, UnavailableError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MOST_UNPACKED = 400_000_000  # bytes of all parts together
_MOST_PARTS = 20_000


def unpacked(raw: bytes, form: str) -> Iterator[str]:
    """Yield the pages of a file as HTML; of ODT one page of Markdown.

    Raises UnavailableError where the package that reads it is missing, UsageError for a file that
    is no such document, or unpacks to too much.
    """
    _check(raw)
    read, package = _READERS[form]
    try:
        yield from read(raw)
    except ModuleNotFoundError:
        raise UnavailableError(
            f"{form.upper()} needs {package}, which is not installed",
            hint="pip install '.[documents]' in the clone", code=f"no_{package}",
        ) from None  # fmt: skip
    except TidelineError:
        raise
    except Exception as error:  # noqa: BLE001  a damaged file makes the packages raise what they met
        brief = " ".join(str(error).split())[:80] or type(error).__name__
        raise UsageError(
            f"no {form.upper()} that can be read", hint=f"damaged? {package} says: {brief}",
            code="damaged",
        ) from None  # fmt: skip


def _check(raw: bytes) -> None:
    try:
        with zipfile.ZipFile(BytesIO(raw)) as parts:
            listed = parts.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError):
        raise UsageError("not such a document", hint="--format says what it is",
                         code="damaged") from None  # fmt: skip
    if len(listed) > _MOST_PARTS or sum(part.file_size for part in listed) > _MOST_UNPACKED:
        raise UsageError("unpacks to too much", hint="save it as text", code="too_large")


def _docx(raw: bytes) -> Iterator[str]:
    import mammoth  # noqa: PLC0415  DOCX alone

    # Pictures are no text: each would come as the letters of its bytes.
    nothing = mammoth.images.img_element(lambda _: {"src": ""})
    menus = "p[style-name^='toc'] => !"  # as `nav` in HTML
    yield mammoth.convert_to_html(BytesIO(raw), convert_image=nothing, style_map=menus).value


def _odt(raw: bytes) -> Iterator[str]:
    from odfdo import Document  # noqa: PLC0415  ODT alone

    yield str(Document(BytesIO(raw)).to_markdown())


def _epub(raw: bytes) -> Iterator[str]:
    import warnings  # noqa: PLC0415  EPUB alone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ebooklib import ITEM_DOCUMENT, epub  # noqa: PLC0415  EPUB alone

        book = epub.read_epub(BytesIO(raw), {"ignore_ncx": True})
        found = {item.get_id(): item for item in book.get_items_of_type(ITEM_DOCUMENT)}
        for name, _ in book.spine:
            if name in found and not isinstance(found[name], epub.EpubNav):
                yield found[name].get_content().decode("utf-8", "replace")


_READERS: Mapping[str, tuple[Callable[[bytes], Iterator[str]], str]] = {
    "docx": (_docx, "mammoth"), "odt": (_odt, "odfdo"), "epub": (_epub, "ebooklib"),
}  # fmt: skip
