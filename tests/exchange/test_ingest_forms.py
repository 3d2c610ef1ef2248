"""From the bytes of a document to its chunks: every form, every encoding, nothing lost."""

from __future__ import annotations

import sys
import zlib
from collections import Counter
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.exchange.paper import pdf
from tideline_cli.errors import UnavailableError, UsageError
from tideline_cli.exchange.encodings import decoded, is_binary
from tideline_cli.exchange.ingest import blocks, chunks, html_text, read
from tideline_cli.exchange.ingest.blocks import Block


def told(blocks):
    """Return blocks as (headings, text)."""
    return [(block.headings, block.text) for block in blocks]


def test_markdown_stands_under_its_headings():
    """Both forms of heading are read, code and front matter are not, and a heading without a text
    keeps its words."""
    text = (
        "---\ntitle: Guide\n---\n# Guide\nIntro line\nsecond line\n\nSet up\n------\n- one\n---\n"
        "```sh\n# no heading\n\nmake\n```\n### Deep ###\ntext\n## Empty\n# Last\n"
    )
    assert told(blocks.markdown_blocks(text)) == [
        ((), "title: Guide"),
        (("Guide",), "Intro line\nsecond line"),
        (("Guide", "Set up"), "- one"),
        (("Guide", "Set up"), "```sh\n# no heading\n\nmake\n```"),
        (("Guide", "Set up", "Deep"), "text"),
        (("Guide",), "Empty"),
        ((), "Last"),
    ]


def test_a_ruler_at_the_beginning_is_no_front_matter():
    """A line of dashes that no other ends, or that prose follows, hides nothing."""
    assert told(blocks.markdown_blocks("---\nprose, and no key\n---\nmore")) == [
        (("prose, and no key",), "more")
    ]  # fmt: skip


def test_restructured_text_has_the_levels_of_its_adornments():
    """The first adornment is the highest level; lines above and below are another than below."""
    text = "=====\nGuide\n=====\n\nOne\n---\ntext\n\nTwo\n---\nmore\n\nDeep\n~~~~\nlast\n"
    assert told(blocks.restructured_blocks(text)) == [
        (("Guide", "One"), "text"), (("Guide", "Two"), "more"), (("Guide", "Two", "Deep"), "last"),
    ]  # fmt: skip


def test_restructured_text_is_read_without_what_only_a_program_reads():
    """Comments, targets and what fetches text are left out and counted; code keeps its indents."""
    text = ("..\n   hidden\n\n.. a comment\n   goes on\n\n.. toctree::\n   :maxdepth: 2\n\n   one\n"
            "\n.. _label:\n\n.. note:: Keep dry.\n\n   Always.\n\nRun::\n\n    if a:\n        b\n\n"
            "    c\n\n.. code-block:: sh\n\n    ls\n\n.. [1] A footnote.\n\n.. _Site: https://x.example\n")
    left = Counter()
    assert [text for _, text in told(blocks.restructured_blocks(text, left=left))] == [
        ".. note:: Keep dry.\n\n   Always.", "Run::\n\n    if a:\n        b\n\n    c",
        ".. code-block:: sh\n\n    ls", ".. [1] A footnote.", ".. _Site: https://x.example",
    ]  # fmt: skip
    assert left == {"comments and directives": 4}


def test_html_is_what_a_reader_sees():
    """Scripts, menus and what is hidden are left out; lists, tables, code and entities stay."""
    text = (
        "<html><head><title>T</title><style>p{}</style></head><body><nav>Menu</nav><h1>Gu<b>i</b>de"
        "</h1><p>Fish &amp;\nchips<br>now</p><ul><li>one<li>two</ul><table><tr><th>a</th><td>b</td>"
        "</tr></table><pre>x = 1\n  y</pre><p hidden>unseen</p><div style='DISPLAY : none'>ignore"
        "<p>all</p></div><p>see<script>alert(1)</script>n</p></body></html>"
    )
    assert told(html_text.blocks(text)) == [
        (("Guide",), "Fish & chips\nnow\n\n- one\n- two"), (("Guide",), "a: b"),
        (("Guide",), "x = 1\n  y"), (("Guide",), "see"), (("Guide",), "n"),
    ]  # fmt: skip


RULE = "must be asked for, in writing and two weeks before, of whoever holds the keys "
ITEMS = [f"{RULE * 2}{name}" for name in ("alpha", "bravo", "charlie", "delta")]


def as_html(start, end, each):
    return start + "".join(each.format(one) for one in ITEMS) + end


@pytest.mark.parametrize(("form", "text", "lead"), [
    ("html", as_html("<p>Never do:<ul>", "</ul>", "<li>{}"), "Never do"),
    ("html", as_html("<p>None of these is allowed.</p><ol>", "</ol>", "<li>{}</li>"), "None of"),
    ("html", as_html("<ul><li>Nights<ul>", "</ul></ul>", "<li>{}"), "Nights"),
    ("html", as_html("<ul><li>Never<ul><li>Nights<ul>", "</ul></ul></ul>", "<li>{}"), "Never › Ni"),
    ("html", as_html("<details><summary>Forbidden</summary><ul>", "</ul></details>", "<li>{}"),
     "Forbidden"),
    ("html", as_html("<details><summary>Forbidden</summary>", "</details>", "<p>{}"), "Forbidden"),
    ("html", as_html("<table><tr><th>Id<th>Forbidden", "</table>", "<tr><td>1<td>{}"), "Forbidden"),
    ("html", as_html("<table><caption>Forbidden</caption>", "</table>", "<tr><td>1<td>{}"),
     "Forbidden"),
    ("html", as_html("<table><tr><td>Id<td>Forbidden", "</table>", "<tr><td>1<td>{}"), "Forbidden"),
    ("html", as_html("<dl><dt>Forbidden", "</dl>", "<dd>{}"), "Forbidden"),
    ("html", as_html("<blockquote><p>Never do:<ul>", "</ul></blockquote>", "<li>{}"), "Never do"),
    ("markdown", as_html("| Id | Forbidden |\n|---|---|\n", "", "| 1 | {} |\n"), "Forbidden"),
    ("markdown", as_html("<details>\n<summary>Forbidden</summary>\n\n", "\n</details>", "- {}\n"),
     "Forbidden"),
    ("markdown", as_html("<details>\n\n<summary>Forbidden</summary>\n\n", "\n</details>",
                         "{}\n\n"), "Forbidden"),
    ("markdown", as_html("None of these is allowed.\n\n", "", "- {}\n"), "None of"),
    ("rst", as_html("Never do:\n\n", "", "* {}\n"), "Never do"),
    ("rst", as_html("Never do\n\n", "", "#. {}\n\n"), "Never do"),
    ("rst", as_html("* Nights\n\n", "", "  * {}\n"), "Nights"),
    ("rst", as_html(".. warning:: Never\n\n", "", "   - {}\n"), "Never"),
    ("text", as_html("Never do:\n\n", "", "    - {}\n"), "Never do"),
    ("text", as_html("Never do:\n", "", "• {}\n"), "Never do"),
    ("text", as_html("Never do.\n\n", "", "1) {}\n"), "Never do"),
])  # fmt: skip
def test_what_governs_stands_in_every_chunk(form, text, lead):
    """A lead-in, an outer item, a summary, a caption, the head of a table: in each form."""
    held = read.content(text.encode())
    found = list(chunks.divided(read.blocks_of(held, form, encoding=None, warn=warn), size=400))
    found = [one for one in found if any(item[-5:] in one.text for item in ITEMS)]
    assert len(found) > 1
    assert all(lead in f"{one.title} {one.text}" for one in found)


@pytest.mark.parametrize(("page", "texts"), [
    ("<table><tr><td><h2>A</h2><p>x</td><td>y</td></table>", ["x", "y"]),
    ("<table><tr><th>Power<td>5 W<tr><th>Size<td>3 m</table>", ["Power: 5 W\nSize: 3 m"]),
    ("<table><tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3</table>",
     ["a | b\n1 | 2\n1 | 3"]),
    ("<li>one<li>two", ["- one\n- two"]), ("<td>x", ["x"]), ("<ul><ul><li>x</ul></ul>", ["- - x"]),
    ("<ul>one<li>two</ul></td></li>three", ["- one\n- two", "three"]),
    ("<ol start=9><li>one<li>two<p>more</ol>", ["9. one\n10. two\n\n  more"]),
    ("<table><tr><td><ul><li>a<li>b</ul><td>c</table>", ["a; b | c"]),
    ("&lt;!-- a --&gt; [[b]] ~~c~~", ["<!-- a --> [[b]] ~~c~~"]),
    ("<ul>" * 200 + "<li>deep" + "</ul>" * 200 + "<p>after", ["deep", "after"]),
])  # fmt: skip
def test_html_of_every_make(page, texts):
    """Tables that lay out a page, ends that are missing, cells that span rows, lists in lists."""
    found = [block.text for block in html_text.blocks(page)]
    assert [one.strip("- ") if "deep" in one else one for one in found] == texts


@pytest.mark.parametrize(("form", "text", "kept", "left"), [
    ("html", "<p>a <s>b</s> c<p hidden>d<p>e<del><p>f</del>", ["a c", "e"], "1 hidden part, 2 str"),
    ("html", "<ul><li hidden>a<li>b</ul>c", ["- b", "c"], "1 hidden part"),
    ("html", "<div hidden><p>a</div><i style='display: none'>b</i>c", ["c"], "2 hidden parts"),
    ("html", "<p>a <s>b<p>c", ["a", "c"], "1 struck-out text"),
    ("html", "<ul><li><del>a</ul>b", ["b"], "1 struck-out text"),
    ("html", "<p>a<span aria-hidden=true>¶</span>", ["a"], ""),
    ("markdown", "- ~~a~~\n- [x] ~~b~~\n- c ~~d~~\n", ["- c"], "3 struck-out texts"),
    ("markdown", "a <del>b</del> `~~c~~` ~~ d", ["a  `~~c~~` ~~ d"], "1 struck-out text"),
])  # fmt: skip
def test_what_is_struck_out_or_hidden_is_left_out_and_counted(form, text, kept, left):
    """It holds no more, or nobody was to read it."""
    told = []
    held = read.content(text.encode())
    found = read.blocks_of(held, form, encoding=None, warn=told.append)
    assert [block.text for block in found] == kept
    assert "".join(told).startswith(f"left out: {left}" if left else "")
    assert bool(told) is bool(left)


def test_html_that_is_broken_loses_no_text():
    """Elements that nobody closes, or that were never begun, end nothing else."""
    page = "<head><title>T</title><body><p>one</b></div>two<h2>Three</h2>four"
    assert told(html_text.blocks(page)) == [((), "one"), ((), "two"), (("Three",), "four")]
    assert told(html_text.blocks("<title>Only a title</title>")) == [((), "Only a title")]
    assert told(html_text.blocks("<h2>Left open<p>x")) == [((), "Left open x")]


SHAPES = {
    "tags without an end": lambda size: "<a " * size,
    "an open menu": lambda size: "<nav>" + "<a>" * size + "</b>" * size,
    "comments without an end": lambda size: "<!--" * size,
    "open quotes": lambda size: "<a b='" * size,
    "drawings": lambda size: "<svg" * size,
    "lists in lists": lambda size: "<ul><li>a" * (size // 9),
    "ends of lists": lambda size: "</ul></li></td>" * (size // 15),
    "items": lambda size: "<ul>" + "<li>a" * (size // 5), "cells": lambda size: "<td>a" * size,
    "wide cells": lambda size: "<table>" + "<tr><td colspan=999>a" * (size // 21),
    "high cells": lambda size: "<table><tr>" + "<td rowspan=999>a" * 99 + "<tr><td>b" * (size // 9),
    "struck": lambda size: "<s>a" * size, "hidden": lambda size: "<p hidden>a" * size,
    "terms": lambda size: "<dl><dt>a<dd>b" * (size // 14),
    "rst: blank lines": lambda size: "\n" * size,
    "rst: paragraphs of an item": lambda size: "- a\n\n" + "  b\n\n" * (size // 5),
    "rst: indented": lambda size: "a\n\n  - b\n\n" * (size // 10),
    "rst: headings": lambda size: "a\n===\n" * (size // 6),
    "rst: comments": lambda size: ".. a\n\n" * (size // 6),
    "text: items": lambda size: "• a\n" * (size // 4),
    "a heading of blanks": lambda size: "# a" + " " * size + "b",
    "a heading of marks": lambda size: "# a" + " #" * size + "b",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_is_linear(shape):
    """What took seconds for some kilobytes takes no longer than ten times as much text allows."""
    readers = {"a heading": blocks.markdown_blocks, "rst": blocks.restructured_blocks,
               "text": blocks.plain_blocks}  # fmt: skip
    read = next((one for name, one in readers.items() if shape.startswith(name)), html_text.blocks)

    def seconds(size):
        begun = process_time()
        list(read(SHAPES[shape](size)))
        return process_time() - begun

    seconds(100)
    assert seconds(50_000) < 3  # quadratic, it is a minute


@pytest.mark.parametrize(
    ("line", "title"),
    [("# One ##", "One"), ("# One##", "One##"), ("##", ""), ("# #", ""), ("#  One \t#  ", "One"),
     ("# C #", "C"), ("# C# #", "C#"), ("### \t ", "")],
)  # fmt: skip
def test_marks_that_close_a_heading_are_not_of_it(line, title):
    """A blank parts them from the text."""
    found = [block.headings for block in blocks.markdown_blocks(f"{line}\ntext")]
    assert found == [(title,) if title else ()]


def test_an_empty_drawing_hides_nothing():
    """A drawing that ends itself is no beginning of one."""
    assert told(html_text.blocks("<p>one<svg class='x'/>two<p>three")) == [
        ((), "onetwo"), ((), "three")
    ]  # fmt: skip


def bomb(size=200_000_000):
    """Return a PDF of a few hundred kilobytes whose page unpacks to this size."""
    packed = zlib.compressobj(9)
    stream = b"".join(packed.compress(bytes(1_000_000)) for _ in range(size // 1_000_000))
    stream += packed.flush()
    parts = (
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream),
    )  # fmt: skip
    made, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 5\n0000000000 65535 f \n%strailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return made + end % (table, len(made))


def test_a_pdf_that_unpacks_to_too_much_needs_no_ocr():
    """It could not be read, which is said, and of which page."""
    said = []
    with pytest.raises(UsageError, match="could not be read") as error:
        list(read.pdf_blocks(bomb(), said.append))
    assert (error.value.code, said) == ("damaged", ["page 1 of 1 could not be read"])


def test_a_pdf_has_pages_and_no_hyphens():
    """A paragraph is one line, a word that the end of a line parts is whole, and pages count."""
    made = list(read.pdf_blocks(pdf("The light-\nhouse keeper\nsleeps.", "Second page."), warn))
    assert [(block.text, block.page) for block in made] == [
        ("The lighthouse keeper sleeps.", 1), ("Second page.", 2)
    ]  # fmt: skip


def warn(text):
    """Fail: nothing is to be said."""
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("raw", "code"),
    [(b"%PDF-1.4\njunk", "damaged"), (pdf("x")[:200], "damaged"), (pdf("", " "), "no_text")],
)
def test_a_pdf_that_says_nothing_is_named(raw, code):
    """A damaged file and one of pictures alone are errors that say which."""
    with pytest.raises(UsageError) as error:
        list(read.pdf_blocks(raw, warn))
    assert error.value.code == code and error.value.hint


def test_without_pypdf_the_error_says_what_to_install(monkeypatch):
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(UnavailableError, match="needs pypdf") as error:
        list(read.pdf_blocks(pdf("x"), warn))
    assert ".[documents]" in error.value.hint


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marked_text_needs_no_name_of_its_encoding(encoding):
    """UTF-8, and what a mark at the beginning tells."""
    raw = "café 東京\r\nnext".encode(encoding)
    assert not is_binary(raw)
    assert decoded(raw, None) == ("café 東京\nnext", None)


def test_other_text_is_guessed_unless_it_is_damaged():
    """What is not UTF-8 is guessed, and the guess told; UTF-8 with a few wrong bytes is refused
    with the option that reads it; a page may name its encoding."""
    raw = "naïve".encode("latin-1")
    assert decoded(raw, None) == ("naïve", "cp1252")
    with pytest.raises(UsageError, match=r"not UTF-8 \(byte 6\)") as error:
        decoded("naïve".encode() + b"\xff", None)
    assert "--encoding" in error.value.hint
    assert decoded(raw, "latin-1") == ("naïve", None)
    with pytest.raises(UsageError, match="no such encoding: klingon"):
        decoded(raw, "klingon")
    page = '<meta charset="gb18030"><p>备份</p>'.encode("gb18030")
    held = read.content(page)
    assert told(read.blocks_of(held, "html", encoding=None, warn=warn)) == [((), "备份")]


def test_a_long_text_is_cut_and_told(monkeypatch):
    """Of a text beyond the limit the beginning is taken, and it is said."""
    monkeypatch.setattr(read, "MOST_CHARACTERS", 10)
    said = []
    held = read.content(b"one two\n\nthree four")
    assert told(read.blocks_of(held, "text", encoding=None, warn=said.append)) == [((), "one two")]
    assert said == ["longer than 10 characters: the rest is not taken; split it"]


_WORDS = ("tide", "Line.", "ebb,", "flow;", "Who?", "第一章。", "备份，", "ε",
          "\U0001f469\u200d\U0001f467", "e\u0301e\u0301", "x" * 130)  # fmt: skip
_texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=80).flatmap(
    lambda words: st.lists(
        st.sampled_from((" ", "\n", "\n\n", "")), min_size=len(words), max_size=len(words)
    ).map(lambda spaces: "".join(map("".join, zip(words, spaces, strict=True))))
)


@given(text=_texts, size=st.integers(100, 300), overlap=st.integers(0, 150))
def test_chunks_hold_all_of_a_text(text, size, overlap):
    """No chunk is longer than asked; without what it repeats, each goes on where the one before
    ends; and nothing but spaces is lost."""
    cut = list(chunks.divided(blocks.plain_blocks(text), size=size, overlap=overlap))
    assert all(len(chunk.text) <= size for chunk in cut)
    whole = "".join(text.split())
    place = 0
    for chunk in cut:
        said = "".join(chunk.text.split())
        at = next(start for start in range(place, -1, -1) if whole.startswith(said, start))
        assert place - at <= overlap
        place = at + len(said)
    rest = whole[place:]
    assert not any(char.isalnum() for char in rest)


@given(text=_texts, size=st.integers(10, 200))
def test_pieces_are_the_text(text, size):
    """Joined, the pieces are the text; none is too long, and none begins with a mark that belongs
    to the one before."""
    cut = chunks.cut_up(text, size)
    assert "".join(cut) == text
    assert all(len(piece.rstrip()) <= size for piece in cut)
    assert not any(piece.startswith(("\u0301", "\u200d")) for piece in cut)


def test_chunks_are_cut_where_a_reader_pauses():
    """A new heading begins a new chunk; a long paragraph is cut after a sentence, and the next
    chunk repeats the last one; Chinese needs no spaces."""
    sentence = "The tide comes in twice a day and goes out again. "
    blocks = [Block(sentence * 4, ("A",)), Block("Short.", ("A", "B")), Block("最后一句。" * 30)]
    cut = list(chunks.divided(blocks, size=120, overlap=60))
    assert [(chunk.title, len(chunk.text)) for chunk in cut] == [
        ("A", 99), ("A", 99), ("A", 99), ("A › B", 6), (None, 120), (None, 90),
    ]  # fmt: skip
    assert all(chunk.text == (sentence * 2).strip() for chunk in cut[:3])
    assert all(chunk.text.endswith("。") for chunk in cut[4:])


def test_rulers_are_no_chunks():
    """What has neither letter nor figure nor picture says nothing."""
    blocks = [Block("* * *"), Block("---", ("A",)), Block("🎉", ("B",))]
    assert [chunk.text for chunk in chunks.divided(blocks)] == ["🎉"]
