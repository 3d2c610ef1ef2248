"""What pages link to is there, and their tables are tables."""

from __future__ import annotations

import re

from tests.docs import pages
from tests.support import ROOT, joined

READ = (*pages.ALL, ROOT / "bench" / "README.md")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_SOURCE = re.compile(r"(?:src|srcset)=\"([^\"]+)\"|!\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def prose(page):
    return _CODE.sub("", page.read_text("utf-8"))


def anchors(page):
    """The anchors of a page, as its headings give them."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = found[name] = found.get(name, -1) + 1
        if number:
            found[f"{name}-{number}"] = 0
    return found.keys()


@joined("page", READ)
def test_links_lead_somewhere(page):
    """Each link to a page or a picture of ours leads to a file, and to a heading that is there."""
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    targets = _LINK.findall(text) + ["".join(both) for both in _SOURCE.findall(text)]
    lost = []
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        path, _, heading = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (heading and heading not in anchors(there)):
            lost.append(target)
    assert lost == []


@joined("page", READ)
def test_tables_are_whole(page):
    """Each row of a table has as many cells as its head."""
    head, wrong = 0, []
    for line in prose(page).split("\n"):
        cells = len(re.sub(r"\\\|", "", re.sub(r"`[^`]*`", lambda it: it[0].replace("\\|", ""),
                           line)).strip().strip("|").split("|"))  # fmt: skip
        if not line.startswith("|"):
            head = 0
        elif not head:
            head = cells
        elif cells != head:
            wrong.append(line[:80])
    assert wrong == []


def test_every_page_is_in_the_index():
    """docs/index.md leads to every page below docs/."""
    index = ROOT / "docs" / "index.md"
    text = index.read_text("utf-8")
    paths = [page.relative_to(index.parent).as_posix() for page in index.parent.rglob("*.md")]
    assert [path for path in paths if path != "index.md" and f"]({path})" not in text] == []


def test_the_glossary_has_the_words_of_the_concepts():
    """Each word that docs/concepts.md explains stands in the glossary, which is in order."""
    explained = re.findall(r"\*\*([^*]+)\*\*", (ROOT / "docs" / "concepts.md").read_text("utf-8"))
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^- \*\*([^*]+)\*\*: ", page, re.MULTILINE)
    assert len(rows) > 50
    words = {word for row in rows for word in row.lower().split(", ")}
    asked = {word for both in explained for word in both.lower().split(", ")}
    assert sorted(asked - words) == []
    assert rows == sorted(rows, key=str.lower)
