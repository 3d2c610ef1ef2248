"""DOCX, ODT and EPUB: headings, paragraphs, lists and tables; what is damaged or too large."""

from __future__ import annotations

import io
from collections import Counter

import pytest

from tests.exchange import paper
from tests.exchange.paper import packed
from tideline_cli.errors import UsageError
from tideline_cli.exchange.ingest import html_text, office, read


def docx():
    return paper.docx([("h1", "Pump"), ("p", "Rinse the filter every month."),
                       ("table", [["Crane", "Tons"], ["Blue", "12"]])])  # fmt: skip


def odt(inner=""):
    odfdo = pytest.importorskip("odfdo")
    made = odfdo.Document("text")
    made.body.clear()
    made.body.append(odfdo.Header(1, "Pump"))
    made.body.append(odfdo.Paragraph("Rinse the filter every month."))
    for one in inner:
        made.body.append(odfdo.Element.from_tag(one))
    for name, stated in (("S", 'style:text-line-through-style="solid"'),
                         ("H", 'text:display="none"')):
        made.insert_style(odfdo.Element.from_tag(
            f'<style:style style:name="{name}" style:family="text"><style:text-properties '
            f'{stated}/></style:style>'), automatic=True)  # fmt: skip
    whole = io.BytesIO()
    made.save(whole)
    return whole.getvalue()


def epub():
    book = pytest.importorskip("ebooklib.epub")
    made = book.EpubBook()
    made.set_identifier("x")
    made.set_title("Manual")
    pages = []
    for number, text in enumerate(("Rinse the filter every month.", "Keep it dry."), 1):
        page = book.EpubHtml(title=f"Part {number}", file_name=f"p{number}.xhtml")
        page.content = f"<h1>Part {number}</h1><p>{text}</p>"
        made.add_item(page)
        pages.append(page)
    made.spine = ["nav", *pages]
    made.add_item(book.EpubNcx())
    made.add_item(book.EpubNav())
    whole = io.BytesIO()
    book.write_epub(whole, made)
    return whole.getvalue()


def test_styles_of_lists_tell_their_depth():
    """Those of Word, `List Bullet 2`, say it by their names alone."""
    styles = "".join(f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/>'
                     '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
                     for name in ("List Bullet", "List Bullet 2", "List Number 3"))  # fmt: skip
    items = "".join(f'<w:p><w:pPr><w:pStyle w:val="{name}"/></w:pPr><w:r><w:t>{text}</w:t></w:r>'
                    "</w:p>" for name, text in (
        ("List Bullet", "open the lid"), ("List Bullet 2", "not a little"),
        ("List Number 3", "not with gloves"), ("List Bullet", "load wet pots")))  # fmt: skip
    raw = paper.docx([("p", "Never:"), ("xml", items)], styles)
    (page,) = office.unpacked(raw, "docx", Counter())
    assert [block.text for block in html_text.blocks(page)] == [
        "Never:\n\n- open the lid\n  - not a little\n    1. not with gloves\n- load wet pots"]


@pytest.mark.parametrize(("name", "make"), [("a.docx", docx), ("a.odt", odt), ("a.epub", epub)])
def test_a_document_is_read_under_its_headings(run, tmp_path, name, make):
    """By its name; a question finds the paragraph with its heading."""
    (tmp_path / name).write_bytes(make())
    assert run("ingest", name).code == 0
    hit = run("recall", "how often is the filter rinsed", "--json").json["hits"][0]
    assert "Rinse the filter every month." in hit["content"]
    titles = [one["title"] for one in run("list", "--json").json["facts"]]
    assert "a › Pump" in titles or "a › Part 1" in titles


def test_a_table_keeps_its_cells():
    """Row by row, as of HTML."""
    page = "".join(office.unpacked(docx(), "docx", Counter()))
    assert [block.text for block in html_text.blocks(page)][-1] == "Crane | Tons\nBlue | 12"


def test_a_table_of_contents_is_left_out():
    """It only says the headings again."""
    raw = paper.docx([("toc", "Pump\t1"), ("h1", "Pump"), ("p", "Rinse it.")])
    page = "".join(office.unpacked(raw, "docx", Counter()))
    assert [block.text for block in html_text.blocks(page)] == ["Rinse it."]


@pytest.mark.parametrize("form", ["docx", "odt", "epub"])
@pytest.mark.parametrize("raw", [b"", b"no zip", b"PK\x03\x04cut", packed({"x": "y"})])
def test_what_is_damaged_is_refused(form, raw):
    """With one line, whatever the package raises."""
    with pytest.raises(UsageError, match=r"document|read"):
        list(read.blocks_of(read.content(raw), form, encoding=None, warn=str))


def test_a_bomb_is_not_unpacked(monkeypatch):
    """What says that it unpacks to too much is refused before anything of it is read."""
    monkeypatch.setattr(office, "_MOST_UNPACKED", 1000)
    with pytest.raises(UsageError, match="unpacks to too much"):
        list(office.unpacked(packed({"word/document.xml": "x" * 2000}), "docx", Counter()))


RUN = "<w:r><w:rPr>{}</w:rPr><w:t>{} </w:t></w:r>".format
STYLES = ('<w:style w:type="character" w:styleId="A"><w:rPr><w:vanish/></w:rPr></w:style>'
          '<w:style w:type="character" w:styleId="B"><w:basedOn w:val="A"/></w:style>')  # fmt: skip
CHANGES = ('<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>deleted'
           "</text:p></text:deletion></text:changed-region></text:tracked-changes>")  # fmt: skip


@pytest.mark.parametrize(("form", "raw"), [
    ("docx", paper.docx([("xml",
        "<w:p>" + RUN("", "kept") + RUN("<w:strike/>", "struck") + RUN("<w:dstrike/>", "twice")
        + RUN("<w:vanish/>", "hidden") + RUN('<w:rStyle w:val="B"/>', "styled")
        + RUN('<w:strike w:val="0"/>', "too") + "<w:del><w:r><w:delText>deleted</w:delText></w:r>"
        '</w:del></w:p><w:p><w:pPr><w:pStyle w:val="A"/></w:pPr>' + RUN("", "gone") + "</w:p>")],
        STYLES)),
    ("odt", odt([CHANGES, '<text:p>kept <text:span text:style-name="S">struck</text:span> '
                 '<text:span text:style-name="H">hidden</text:span>too</text:p>'])),
])  # fmt: skip
def test_what_is_struck_out_or_hidden_is_left_out(form, raw):
    """By itself, by its style, or by a revision; it is counted."""
    told = []
    held = read.content(raw)
    found = read.blocks_of(held, form, encoding=None, warn=told.append)
    text = " ".join(block.text for block in found)
    assert "kept" in text and "too" in text
    for word in ("struck", "twice", "hidden", "styled", "deleted", "gone"):
        assert word not in text
    wanted = {"docx": "3 hidden parts, 3 struck-out texts", "odt": "1 hidden part, 2 struck-out"}
    assert told[0].startswith(f"left out: {wanted[form]}")


def test_pages_keep_their_addresses():
    """Behind the words of a link, where these are not the address; none of the page's own."""
    text = ('<p>See <a href="https://cranes.example/load">the tables</a>, <a href="#top">up</a>, '
            '<a href="https://tea.example/">tea.example</a> or <a href="mailto:a@b.example">Ann</a>'
            ".</p>")  # fmt: skip
    assert [block.text for block in html_text.blocks(text)] == [
        "See the tables (https://cranes.example/load), up, tea.example or Ann (a@b.example)."
    ]
