"""One reading of Markdown: what it states, under what, and what is left out."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import often
from tideline_cli.exchange.markdown_tree import without_marks
from tideline_cli.exchange.statements import governing, parts, words_of_name


def stated(text, **more):
    """Return (title, text) of each statement."""
    return [one.told() for part in parts(text, **more) for one in part.statements]


LONG = "so " * 40 + "it is"  # 125 characters


@pytest.mark.parametrize(("text", "wanted"), [
    ("# A\n\n## B\n\ntext\n\n### C\n\nmore", [("A › B", "text"), ("A › B › C", "more")]),
    ("# A\n## B\n# C", [("A", "B"), (None, "C")]),
    ("Title\n=====\n\nUnder\n-----\ntext", [("Title › Under", "text")]),
    ("Never do:\n- one\n- two", [(None, "Never do:\n- one\n- two")]),
    ("Never do:\n\n1. one\n2. two", [(None, "Never do:\n\n1. one\n2. two")]),
    ("**Never do:**\n\n- " + LONG * 4, [("Never do", LONG * 4)]),
    ("None of these\n\n- " + LONG * 4, [("None of these", LONG * 4)]),
    ("Said.\n- " + LONG * 4, [("Said.", LONG * 4)]),
    (f"{LONG * 2}.\n\n- one\n- two", [(None, f"{LONG * 2}.\n\n- one\n- two")]),
    (f"Never. {LONG * 2}.\n\n- {LONG * 4}", [(None, f"Never. {LONG * 2}.: {LONG * 4}")]),
    (f"{LONG * 4}. Never.\n\n- a", [(None, f"{LONG * 4}. Never."), ("Never.", "a")]),
    ("- one\n- two", [(None, "one"), (None, "two")]),
    ("# A\n\n1. put it on\n2. take it off", [("A", "1. put it on\n2. take it off")]),
    (f"1. {LONG * 4}\n2. two", [(None, LONG * 4), (None, "two")]),
    ("Never:\n\n1. a\n\n```\nb\n```\n\n2. c",
     [(None, "Never:\n\n1. a"), ("Never", "```\nb\n```"), ("Never", "c")]),
    ("Never:\n\n1. a\n\nWhy.\n\n2. c", [(None, "Never:\n\n1. a"), ("Never", "Why.\n\n2. c")]),
    ("Never:\n\n- a\n\n> said", [(None, "Never:\n\n- a"), (None, "> said")]),
    ("Never:\n\n* a\n\n+ b", [(None, "Never:\n\n* a"), ("Never", "b")]),
    ("Never do:\n\nthis thing.\n\nThat is it.", [(None, "Never do:\n\nthis thing."),
                                                  (None, "That is it.")]),
    ("# A\n\nNever do:\n\n## B\n\n- one\n\n# C\n\n- two",
     [("A › Never do › B", "one"), ("C", "two")]),
    ("Never do:", [(None, "Never do:")]), ("\r> a\rb", [(None, "> a b")]),
    ("Never do:\n\n***\n\n- one", [(None, "Never do:"), (None, "one")]),
    ("不要做：\n\n- 重启", [(None, "不要做：\n\n- 重启")]),
    ("- A:\n  - " + LONG * 2 + "\n  - " + LONG * 2, [("A", LONG * 2), ("A", LONG * 2)]),
    ("- A\n\n  Not:\n\n  - " + LONG * 4 + "\n  - b\n", [("A › Not", LONG * 4), ("A › Not", "b")]),
    ("- A\n  - B\n    - " + LONG * 4, [("A › B", LONG * 4)]),
    ("Use:\n\n| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| | 4 |",
     [("Use", "a: 1; b: 2; 3"), ("Use", "b: 4")]),
    ("| a \\| x | b |\n|---|---|", [(None, "a | x; b")]),
    ("Run:\n```\nx\n```\nand go", [(None, "Run:\n```\nx\n```\nand go")]),
    ("Run.\n\n```\nx\n```\n\nand go", [(None, "Run.\n\n```\nx\n```"), (None, "and go")]),
    ("> a\n> b", [(None, "> a\n> b")]),
    ("> [!warning] Do not\n> touch it", [(None, "Warning: Do not\ntouch it")]),
    ("> [!note]-\n> a", [(None, "Note:\na")]),
    (f"> [!danger] Never\n> - {LONG * 4}\n> - b\n", [("Danger: Never", LONG * 4),
                                                       ("Danger: Never", "b")]),
    (f"> Not:\n> - {LONG * 4}\n> - b", [("Not", f"> {LONG * 4}"), ("Not", "> b")]),
    ("- [ ] a\n- [x] b\n- [-] c", [(None, "to do: a"), (None, "done: b"), (None, "[-] c")]),
    ("Term\n: one\n: two\n\nOther\n\n: three",
     [(None, "Term: one"), (None, "Term: two"), (None, "Other: three")]),
    ("A[^1] b.\n\nc [^1]\n\n[^1]: Note.", [(None, "A[^1] b.\n[^1]: Note."), (None, "c [^1]")]),
    ("[^1]: Note.", [(None, "[^1]: Note.")]),
    ("See [x].\n\n[x]: http://a.example", [(None, "See [x].\n[x]: http://a.example")]),
    ("<div>\nx\n</div>", [(None, "<div>\nx\n</div>")]),
    ("a\n\n---\n\n***\n\nb", [(None, "a"), (None, "b")]),
    ("**Never**\n\nDeploy.\n\nWe do not:\n\n**At night:**\n\n- a\n\n**By day:**\n\n- b",
     [("Never", "Deploy."), ("We do not › At night", "a"), ("We do not › By day", "b")]),
    ("see [[A|the b]] and [[C]] `[[d]]`", [(None, "see the b and C `[[d]]`")]),
    ("---\na: b\n---\nx\n\n---\na: d\n---\ny", [(None, "x"), (None, "y")]),
    ("---\na: b\n---\nx\n\n---\nnote: never\n---\ny", [(None, "x"), ("note: never", "y")]),
    ("x\n\n---\nnote: never\n---\n\ny", [(None, "x"), ("note: never", "y")]),
    ("a\n\n---\nnote of mine\n---\nb", [(None, "a"), ("note of mine", "b")]),
])  # fmt: skip
def test_each_form(text, wanted):
    """Every form of Markdown has its statements, with what governs them."""
    assert stated(text) == wanted


@pytest.mark.parametrize(("text", "left", "rest"), [
    ("a <!-- b --> c", {"comments": 1}, "a  c"),
    ("<!-- b\n\nc -->\n\na", {"comments": 1}, "a"),
    ("a %%b%% c", {"comments": 1}, "a  c"),
    ("%%\nb\n\n- c\n%%\n\na", {"comments": 1}, "a"),
    ("%% b %%\na", {"comments": 1}, "a"),
    ("a ![[b.png|c]]", {"embeds": 1}, "a"),
    ("![[b.png]]\n\na", {"embeds": 1}, "a"),
    ("`<!-- a -->` and `%%b%%`", {}, "`<!-- a -->` and `%%b%%`"),
    ("```\n%%a%% ![[b]] <!-- c -->\n```", {}, "```\n%%a%% ![[b]] <!-- c -->\n```"),
    ("a <!-- b", {}, "a <!-- b"),
    ("50 %% and [[", {}, "50 %% and [["),
])  # fmt: skip
def test_what_is_left_out_is_counted(text, left, rest):
    """Comments and embeds are no text; between backticks, and where they do not end, they are."""
    (part,) = parts(text)
    assert (dict(part.left), [one.text for one in part.statements]) == (left, [rest])


def test_nothing_that_governs_is_cut():
    """What does not fit into the title stands before the text, the nearest right before it."""
    title, before = governing(("Things we never do here " * 3, "x" * 60, "Not: " + "y" * 200))
    assert len(title) <= 120 and title.startswith("Things") and before.endswith(f"{'y' * 200}: ")
    assert "x" * 60 in title + before
    long = "must not be done " * 40
    found = stated(f"{long}:\n- one\n- " + LONG * 3)
    assert (None, f"{long}:") in found and all("must not" in "".join(filter(None, one))
                                               for one in found)  # fmt: skip
    assert [len(text) for _, text in stated(f"# {long}\n\n- one")] == [1080, 404]


@pytest.mark.parametrize(("name", "words"), [
    ("a/deploy-rules_now.md", "deploy rules now"), ("2026-02-08.md", "2026-02-08"),
    ("2026-02-08-stand-up.md", "2026-02-08 stand up"), ("My - note.md", "My - note"),
    ("README.md", "README"), (".hidden", ".hidden"), ("部署_规则.md", "部署 规则"),
])  # fmt: skip
def test_names_of_files(name, words):
    """A slug is read as words; dates stay."""
    assert words_of_name(name) == words


WORDS = st.text("abcdefgh", min_size=2, max_size=6)
LINES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
BLOCKS = st.recursive(
    st.one_of(
        LINES, LINES.map("{}:".format), LINES.map("# {}".format), LINES.map("### {}".format),
        LINES.map("```\n{}\n```".format), LINES.map("<div>\n{}\n</div>".format),
        LINES.map("%% {} %%".format), LINES.map("<!-- {} -->".format), st.just("---"),
        st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" | ".join), min_size=1, max_size=4)
        .map(lambda rows: "\n".join(["h1 | h2", "---|---", *rows])),
        st.lists(LINES, min_size=1, max_size=5).map(
            lambda items: "\n".join(f"- [x] {one}" for one in items)),
        st.tuples(WORDS, LINES).map("\n: ".join),
    ),
    lambda inner: st.lists(inner, min_size=1, max_size=4).flatmap(lambda blocks: st.sampled_from([
        "\n\n".join(blocks), "\n".join(blocks),
        "\n".join("- " + one.replace("\n", "\n  ") for one in blocks),
        "\n".join(f"{n}. " + one.replace("\n", "\n   ") for n, one in enumerate(blocks, 1)),
        "\n".join("> " + one.replace("\n", "\n> ") for one in blocks),
    ])), max_leaves=25,
)  # fmt: skip


@settings(max_examples=often(150, 2000), deadline=None)
@given(BLOCKS, st.sampled_from((0, 60, 400)))
def test_every_word_is_stated_once_or_left_out(text, whole):
    """Each word stands in the text of one statement, or governs one, or is counted as left out."""
    numbers = iter(range(10**6))
    text = re.sub(r"\b[a-h]{2,6}\b(?!>)", lambda _: f"w{next(numbers)}z", text)
    found = list(parts(text, whole=whole))
    own = [word for part in found for one in part.statements
           for word in re.findall(r"w\d+z", one.text)]  # fmt: skip
    above = {word for part in found for one in part.statements
             for word in re.findall(r"w\d+z", " ".join(filter(None, one.told())))}  # fmt: skip
    assert len(own) == len(set(own)) or ": " in "".join(own) or _repeats(own, text)
    missing = set(re.findall(r"w\d+z", text)) - above
    in_comments = {word for one in re.findall(r"%%.*?%%|<!--.*?-->", text, re.DOTALL)
                   for word in re.findall(r"w\d+z", one)}  # fmt: skip
    assert missing <= in_comments
    assert not missing or sum(part.left["comments"] for part in found)


def _repeats(own, text):
    """Say whether all that is said twice is the term of a definition."""
    twice = {one for one in own if own.count(one) > 1}
    return all(re.search(rf"{one}\n[\s>]*: ", text) for one in twice)


@pytest.mark.parametrize("shape", [
    lambda n: ">" * n, lambda n: "- " * n, lambda n: "\n".join("  " * (i % 15) + "- x:" for i in
                                                               range(n // 20)),
    lambda n: "|" * n, lambda n: "a | b\n" * (n // 6), lambda n: "a|b\n-|-\n" + "c|d\n" * (n // 4),
    lambda n: " ".join("`" * i for i in range(int((2 * n) ** 0.5))), lambda n: "`a" * (n // 2),
    lambda n: "a <!-- b\n" * (n // 9), lambda n: "%% a\n" * (n // 5), lambda n: "[[" * (n // 2),
    lambda n: "%% a %% b\n" * (n // 10), lambda n: "![[a]]" * (n // 6), lambda n: "[" * n,
    lambda n: "a[^1]\n\n[^1]: b\n\n" * (n // 16), lambda n: "\n---\na: b\n" * (n // 10),
    lambda n: "x " * (n // 4) + ":\n" + "- a\n" * (n // 8), lambda n: "a:\n\n" * (n // 4),
    lambda n: "# " + "x " * (n // 4) + "\n\n" + "a\n\n" * (n // 6), lambda n: "**" * (n // 2),
    lambda n: "a\n: b\n" * (n // 6), lambda n: "\n---\na: b\n---\n" * (n // 14),
])  # fmt: skip
def test_reading_is_linear(shape):
    """Twice the text takes about twice the time, whatever is repeated in it."""
    took = dict.fromkeys((8000, 64000), 9.0)
    for size in (*took, *took):
        text = shape(size)
        start = process_time()
        said = stated(text)
        took[size] = min(took[size], process_time() - start)
    assert took[64_000] < 24 * took[8_000] + 0.3
    assert sum(len(one[1]) for one in said) < 2100 * len(text)


def test_front_matter_is_of_the_text_below_it():
    """Fields in front are no text; a file may have several."""
    text = "---\ntitle: T\n---\nx: y\n\n---\ntitle: S\ntags: [a]\n---\n- z\n"
    assert [(part.front, part.line) for part in parts(text)] == [
        (("title: T",), 1), (("title: S", "tags: [a]"), 6)
    ]  # fmt: skip
    assert [part.front for part in parts("a: b\n\nc: d\n\ne")] == [()]


def test_links_read_as_their_words():
    """In the cell of a table the bar stands behind a backslash."""
    assert without_marks("[[a\\|b]] and \\[[c]]")[0] == "b and \\[[c]]"


@pytest.mark.parametrize(("text", "wanted", "left"), [
    ("- Boats\n  id:: 62c8\n  collapsed:: true\n\t- oak\n\t  updated-at:: 1609\n\t  card-ease:: 2",
     [(None, "Boats\n\n- oak")], {}),
    ("- {{embed ((62c8))}}\n- {{cloze tea}}", [(None, "{{cloze tea}}")], {"embeds": 1}),
    ("# A\n\n## Trips\n\n![[trips]]\n\n## Food\n\nrice", [("A › Food", "rice")], {"embeds": 1}),
    ("![a boat](boat.png)\n\n[![ok](b.svg)](https://b.io)\n\n<a name='x'></a>\n\nit ![x](y) is",
     [(None, "it ![x](y) is")], {"pictures": 2, "tags": 1}),
    ("<https://tea.example>\n\n<b>tea</b>",
     [(None, "<https://tea.example>"), (None, "<b>tea</b>")], {}),
])  # fmt: skip
def test_what_notebooks_keep_for_themselves_is_no_statement(text, wanted, left):
    """Properties of blocks, embeds, bare pictures and tags are no words of a person."""
    [part] = parts(text)
    assert ([one.told() for one in part.statements], part.left) == (wanted, left)


def test_an_export_is_read_back_among_other_text(run, tmp_path):
    """Items of an export are facts as they were, whatever somebody wrote between them; one that
    stands in code is code."""
    run("remember", "the boiler needs\n\n- [1.5 bar]", "--tag", "home")
    out = run("export", "--format", "markdown").out
    item = out.split("\n\n")[-1]
    text = f"{out}\nNever do:\n- {LONG * 4}\n\n```\n{item}```\n"
    (tmp_path / "notes.md").write_text(text, "utf-8")
    assert run("import", "notes.md", "--trust", "--db", "other.db").code == 0

    facts = run("list", "--json", "--db", "other.db").json["facts"]
    held = {one["content"]: one["title"] for one in facts}
    assert held == {"the boiler needs\n\n- [1.5 bar]": None, LONG * 4: "notes › Never do",
                    f"```\n{item}```": "notes › Never do"}  # fmt: skip


@pytest.mark.parametrize(("text", "wanted", "front"), [
    ("Tea at four\n§\nNo milk", [(None, "Tea at four"), (None, "No milk")], ()),
    ("- TODO sow peas\n- NOW dig\n- DONE prune\n- TODO", [
        (None, "to do: sow peas"), (None, "to do: dig"), (None, "done: prune"), (None, "TODO"),
    ], ()),
    ("- DONE prune\n  id:: 64a-1\n  :LOGBOOK:\n  CLOCK: [x]\n  :END:\n",
     [(None, "done: prune")], ()),
    ("type:: customer\nalias:: A: B\n\n- pays late", [(None, "pays late")],
     ('type: "customer"', 'aliases: "A: B"')),
    ("Oak top ^top\n\ne = m c ^2", [(None, "Oak top"), (None, "e = m c ^2")], ()),
    ("```\n- TODO x ^top\n§\n```", [(None, "```\n- TODO x ^top\n§\n```")], ()),
])  # fmt: skip
def test_what_outliners_write(text, wanted, front):
    """Task words are boxes, § parts two memories, properties of a page are its front matter; what a
    program notes for itself is left out. Code stays as it is."""
    (part,) = parts(text)
    assert ([one.told() for one in part.statements], part.front) == (wanted, front)


def test_a_day_in_the_name_of_a_file():
    """A journal's day is written as days are."""
    assert words_of_name("journals/2026_01_05.md") == "2026-01-05"
