"""Word processor files and e-books as pages of HTML, or Markdown: DOCX, ODT, EPUB."""

from __future__ import annotations

import zipfile
from io import BytesIO

from tideline_cli.errors import TidelineError, UnavailableError, UsageError
from tideline_cli.exchange.markdown_tree import HIDDEN, STRUCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from xml.etree.ElementTree import Element

    Styles = dict[str, str]  # why texts of a style are left out; "" for what is not

_MOST_UNPACKED = 400_000_000  # bytes of all parts together
_MOST_PARTS = 20_000
_DOCX = "\n".join((
    "p[style-name^='toc'] => !",  # as `nav` in HTML
    *(f"p[style-name='{kind}{place}'] => {'ul|ol > li > ' * depth}{tag} > li:fresh"
      for kind, tag in (("List Bullet", "ul"), ("List Number", "ol"))
      for depth, place in enumerate(("", " 2", " 3", " 4", " 5"))),
))  # fmt: skip
"""What becomes of paragraphs of some styles."""


def unpacked(raw: bytes, form: str, left: Counter[str]) -> Iterator[str]:
    """Yield the pages of a file as HTML; of ODT one page of Markdown. What is hidden or struck out
    is counted in `left`.

    Raises UnavailableError where the package that reads it is missing, UsageError for a file that
    is no such document, or unpacks to too much.
    """
    _check(raw)
    read, package = READERS[form]
    try:
        yield from read(raw, left)
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


def _docx(raw: bytes, left: Counter[str]) -> Iterator[str]:
    import mammoth  # noqa: PLC0415  DOCX alone

    # Pictures are no text: each would come as the letters of its bytes.
    nothing = mammoth.images.img_element(lambda _: {"src": ""})
    shown = _shown(raw, left, "word/styles.xml", _why_in_docx)
    yield mammoth.convert_to_html(BytesIO(shown), convert_image=nothing, style_map=_DOCX).value


def _odt(raw: bytes, left: Counter[str]) -> Iterator[str]:
    from odfdo import Document  # noqa: PLC0415  ODT alone

    shown = _shown(raw, left, "styles.xml", _why_in_odt)
    yield str(Document(BytesIO(shown)).to_markdown())


def _epub(raw: bytes, _: Counter[str]) -> Iterator[str]:
    import warnings  # noqa: PLC0415  EPUB alone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ebooklib import ITEM_DOCUMENT, epub  # noqa: PLC0415  EPUB alone

        book = epub.read_epub(BytesIO(raw), {"ignore_ncx": True})
        found = {item.get_id(): item for item in book.get_items_of_type(ITEM_DOCUMENT)}
        for name, _ in book.spine:
            if name in found and not isinstance(found[name], epub.EpubNav):
                yield found[name].get_content().decode("utf-8", "replace")


READERS: Mapping[str, tuple[Callable[[bytes, Counter[str]], Iterator[str]], str]] = {
    "docx": (_docx, "mammoth"), "odt": (_odt, "odfdo"), "epub": (_epub, "ebooklib"),
}  # fmt: skip
_WITH_TEXT = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "content.xml")


def _shown(
    raw: bytes, left: Counter[str], styles: str, why: Callable[[Element, Styles], str | None]
) -> bytes:
    """Return a file without what `why` says is left out of it, which is counted; as it is where
    that is nothing."""
    from xml.etree import ElementTree  # noqa: PLC0415  DOCX and ODT alone

    with zipfile.ZipFile(BytesIO(raw)) as parts:
        trees = {name: ElementTree.fromstring(parts.read(name))  # noqa: S314  expat bounds it
                 for name in (styles, *_WITH_TEXT) if name in parts.namelist()}  # fmt: skip
        by_name = _styles(trees.values())
        changed = {name: tree for name, tree in trees.items()
                   if name != styles and _take_out(tree, by_name, left, why)}  # fmt: skip
        if not changed:
            return raw
        made = BytesIO()
        with zipfile.ZipFile(made, "w") as copy:
            for part in parts.infolist():
                tree = changed.get(part.filename)
                held = parts.read(part) if tree is None else ElementTree.tostring(tree, "utf-8")
                copy.writestr(part, held)
    return made.getvalue()


def _take_out(
    tree: Element, styles: Styles, left: Counter[str], why: Callable[[Element, Styles], str | None]
) -> bool:
    """Take what is left out from the elements below one; say whether there was any."""
    was_any = False
    waiting = [tree]
    while waiting:
        parent = waiting.pop()
        kept: list[Element] = []
        for child in parent:
            reason = why(child, styles)
            if reason is None:
                kept.append(child)
                continue
            was_any = True
            left[reason] += any(map(str.isalnum, "".join(child.itertext())))
            if kept:
                kept[-1].tail = (kept[-1].tail or "") + (child.tail or "")
            else:
                parent.text = (parent.text or "") + (child.tail or "")
        parent[:] = kept
        waiting += kept
    return was_any


def _styles(trees: Iterable[Element]) -> Styles:
    """Return why texts of a style are left out, by its name; of one that states nothing of it, by
    the style that it is based on."""
    stated: dict[str, str] = {}
    based: dict[str, str] = {}
    for tree in trees:
        for style in (one for one in tree.iter() if one.tag in (f"{_W}style", f"{_STYLE}style")):
            name = style.get(f"{_W}styleId") or style.get(f"{_STYLE}name") or ""
            above = style.find(f"{_W}basedOn")
            based[name] = style.get(f"{_STYLE}parent-style-name", "")
            if above is not None:
                based[name] = above.get(f"{_W}val", "")
            reason = _of_properties(style)
            stated |= {} if reason is None else {name: reason}
    found: Styles = {}
    for name in based:
        at, seen = name, 0
        while at not in stated and at in based and seen < _MOST_STYLES:
            at, seen = based[at], seen + 1
        found[name] = stated.get(at, "")
    return found


_MOST_STYLES = 20  # that are based on one another
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ODF = "{urn:oasis:names:tc:opendocument:xmlns:"
_STYLE, _TEXT = f"{_ODF}style:1.0}}", f"{_ODF}text:1.0}}"
_OFF = ("0", "false", "off", "none")


def _of_properties(holder: Element) -> str | None:
    """Return why the text is left out that has the properties of an element; "" where they say
    that it is not, None where they say nothing of it."""
    found: str | None = None
    for one in holder.findall(f"{_W}rPr/*"):
        kind = {"strike": STRUCK, "dstrike": STRUCK, "vanish": HIDDEN}.get(one.tag[len(_W) :])
        if kind is not None:
            found = "" if one.get(f"{_W}val", "1").lower() in _OFF and not found else kind
    for one in holder.findall(f"{_STYLE}text-properties"):
        if one.get(f"{_TEXT}display") is not None:
            found = HIDDEN if one.get(f"{_TEXT}display") == "none" else ""
        line = one.get(f"{_STYLE}text-line-through-style",
                       one.get(f"{_STYLE}text-line-through-type"))  # fmt: skip
        if line is not None and not found:
            found = "" if line in _OFF else STRUCK
    return found


def _why_in_docx(one: Element, styles: Styles) -> str | None:
    """Return why an element is left out, None where it is not."""
    if one.tag == f"{_W}del" and len(one):  # without text it is a mark of a paragraph or row
        return STRUCK
    if one.tag == f"{_W}tr" and one.find(f"{_W}trPr/{_W}del") is not None:
        return STRUCK
    if one.tag == f"{_W}p":
        style = one.find(f"{_W}pPr/{_W}pStyle")
    elif one.tag == f"{_W}r":
        own = _of_properties(one)
        if own is not None:
            return own or None
        style = one.find(f"{_W}rPr/{_W}rStyle")
    else:
        return None
    return None if style is None else styles.get(style.get(f"{_W}val", "")) or None


def _why_in_odt(one: Element, styles: Styles) -> str | None:
    """Return why an element is left out, None where it is not."""
    if one.tag == f"{_TEXT}tracked-changes":
        return STRUCK
    if one.tag in (f"{_TEXT}hidden-text", f"{_TEXT}hidden-paragraph"):
        return HIDDEN
    if one.tag == f"{_TEXT}section" and one.get(f"{_TEXT}display") == "none":
        return HIDDEN
    if one.tag in (f"{_TEXT}span", f"{_TEXT}p", f"{_TEXT}h"):
        return styles.get(one.get(f"{_TEXT}style-name", "")) or None
    return None
