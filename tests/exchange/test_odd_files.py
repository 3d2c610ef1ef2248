"""Files as people and other programs have them: what import makes of each."""

from __future__ import annotations

import json
import sys

import pytest

from tideline_cli.model import codec

BOOKS = 'title,author,note,pages\nDune,Frank Herbert,"The desert planet, lent to Ben",412\n'
SEMI = "\ufeffText;Tags;Created_at\nDer Boiler braucht 1,5 bar;home;2025-01-02\nx 007;;\n"
CLAUDE = """# CLAUDE.md

How agents work here.

## Commands

- Run `make test`
- Build with `make`:
  - `make demo` shows a tour

```sh
# not a heading
make all
```

## Code style
1. Four blanks
* [ ] docstrings
"""
PASSWD = "".join(f"user{n}:x:{n}:{n}::/home/user{n}:/bin/sh\n" for n in range(40))


def facts(run):
    return run("list", "--json", "--limit", "0").json["facts"]


def taken(run, tmp_path, name, text, *more):
    (tmp_path / name).write_text(text, "utf-8")
    done = run("import", name, "--trust", *more, "--json")
    assert done.code == 0, done.err
    return {one["content"]: one for one in facts(run)}


def test_a_list_of_books(run, tmp_path):
    """A column called note is the text; --map says what another one is; numbers are numbers."""
    held = taken(run, tmp_path, "books.csv", BOOKS, "--map", "author=tags")
    book = held["The desert planet, lent to Ben"]
    assert (book["title"], book["tags"], book["metadata"]) == (
        "Dune", ["Frank Herbert"], {"pages": 412}
    )  # fmt: skip


def test_semicolons_and_a_mark(run, tmp_path):
    """A spreadsheet's CSV: semicolons, a byte order mark, names in capitals, empty cells."""
    held = taken(run, tmp_path, "semi.csv", SEMI)
    boiler = held["Der Boiler braucht 1,5 bar"]
    assert (boiler["tags"], boiler["created_at"][:10]) == (["home"], "2025-01-02")
    assert (held["x 007"]["tags"], held["x 007"]["metadata"]) == ([], None)


@pytest.mark.parametrize("bar", ["\t", "|", ";", ","])
def test_every_delimiter(run, tmp_path, bar):
    """Whatever parts the header parts the cells; a number that is written so is a number."""
    held = taken(run, tmp_path, "x.csv", f"content{bar}nr\none fact{bar}007\nanother{bar}7\n")
    assert [held[text]["metadata"] for text in ("one fact", "another")] == [
        {"nr": "007"}, {"nr": 7}
    ]  # fmt: skip


def test_guidelines_in_markdown(run, tmp_path):
    """Items with what is nested, and paragraphs, are facts under the tag of their heading. Code
    that is not indented ends an item, as Markdown has it, and is a fact of its own."""
    held = taken(run, tmp_path, "CLAUDE.md", CLAUDE)
    code = "```sh\n# not a heading\nmake all\n```"
    assert {text: one["tags"] for text, one in held.items()} == {
        "How agents work here.": [], "Run `make test`": ["commands"],
        "Build with `make`:\n- `make demo` shows a tour": ["commands"], code: ["commands"],
        "Four blanks": ["code-style"], "to do: docstrings": ["code-style"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("- fix it\n```\nmake\n```\n- next\n", ["fix it", "```\nmake\n```", "next"]),
        ("- fix it\n\n```\nmake\n```\n", ["fix it", "```\nmake\n```"]),
        ("- fix it\n  ```\n  make\n  ```\n- next\n", ["fix it\n```\nmake\n```", "next"]),
        ("- fix it\n\n  ```\n  make\n\n  all\n  ```\n", ["fix it\n\n```\nmake\n\nall\n```"]),
        ("Fix it:\n```\nmake\n```\n", ["Fix it:\n```\nmake\n```"]),
        ("Fix it:\n\n```\nmake\n```\nand go\n", ["Fix it:\n\n```\nmake\n```\nand go"]),
        ("```\nmake\n```\n\n- next\n", ["```\nmake\n```", "next"]),
    ],
)  # fmt: skip
def test_code_belongs_to_what_it_is_indented_under(run, tmp_path, text, texts):
    """Code belongs to a paragraph before it, and to a list item only where it is indented."""
    assert set(taken(run, tmp_path, "notes.md", text)) == set(texts)


@pytest.mark.parametrize(
    "text",
    [
        '[{"memory": "Ann likes tea", "tags": "home, tea"}, "a bare text"]',
        '{"facts": [{"text": "Ann likes tea", "tags": "home;tea"}, {"body": "a bare text"}]}',
        '{\n "user": "ann",\n "memories": [\n  {"note": "Ann likes tea", "tags": ["home", "tea"]},'
        '\n  {"content": "a bare text"}\n ]\n}\n',
    ],
)
def test_json_of_every_shape(run, tmp_path, text):
    """A list, an object that holds one, on one line or many; lists of tags in a text."""
    held = taken(run, tmp_path, "all.json", text)
    assert {name: one["tags"] for name, one in held.items()} == {
        "Ann likes tea": ["home", "tea"], "a bare text": []
    }  # fmt: skip


def test_one_object_with_tags_is_a_row(run, tmp_path):
    """An object that has a text is a fact, whatever lists it has."""
    assert list(taken(run, tmp_path, "one.json", '{"content": "x y", "tags": ["a", "b"]}')) == [
        "x y"
    ]  # fmt: skip


def test_what_is_no_list_of_facts(run, tmp_path):
    """A password file ends with 1: one line for all its lines, and which formats there are."""
    (tmp_path / "passwd").write_text(PASSWD)
    done = run("import", "passwd")
    assert done.code == 1
    assert done.err.count("not JSON") == 1 and "and 39 more like it" in done.err
    assert "--format csv, tsv, sqlite or markdown" in done.err
    assert facts(run) == []


@pytest.mark.parametrize(("name", "text", "usable"), [
    ("books.csv", BOOKS, 1), ("CLAUDE.md", CLAUDE, 6), ("all.json", '["a fact", 5]', 1),
])  # fmt: skip
def test_a_dry_run(run, tmp_path, home, name, text, usable):
    """A dry run shows the first rows as they would be stored, counts them, and makes no store."""
    (tmp_path / name).write_text(text)
    form = run("import", name, "--dry-run", "--json").json
    assert (form["usable"], form["dry_run"]) == (usable, True)
    shown = [one["content"] for one in form["first"]]
    done = run("import", name, "--dry-run")
    assert " ".join(shown[0].split()) in done.out and done.out.count("dry run: ") == 1
    assert not (home / "tideline.db").exists()
    assert run("import", name).code == 0
    assert {one["content"] for one in facts(run)} == set(shown)


def test_a_column_that_is_not_there(run, tmp_path):
    """--map tells a column that no row has, and refuses a field that there is not."""
    (tmp_path / "books.csv").write_text(BOOKS)
    done = run("import", "books.csv", "--map", "autor=title")
    assert "--map: no row has the column 'autor'" in done.err
    for wrong in ("author=writer", "author"):
        assert run("import", "books.csv", "--map", wrong).code == 2
    twice = ("--map", "author=title", "--map", "title=title")
    assert run("import", "books.csv", *twice).code == 2


@pytest.mark.parametrize("name", ["note", "Note", " NOTE"])
def test_a_column_in_other_case(run, tmp_path, name):
    """--map finds a column as its header writes it, and in other case, as columns are read."""
    (tmp_path / "books.csv").write_text("Title, Note ,Shelf\nDune,the desert planet,sf\n")
    done = run("import", "books.csv", "--map", f"{name}=title", "--map", "Title=content",
               "--map", "shelf=tags")  # fmt: skip
    assert (done.code, "no row has" in done.err) == (0, False)
    fact = facts(run)[0]
    assert (fact["content"], fact["title"], fact["tags"]) == ("Dune", "the desert planet", ["sf"])


def test_a_column_whose_name_another_takes(run, tmp_path):
    """A column that gives its name to another one is told: its values are left out."""
    (tmp_path / "books.csv").write_text(BOOKS)
    for more in (("--dry-run",), ()):
        done = run("import", "books.csv", "--map", "author=title", *more)
        assert "--map: another column is title; the column of that name is left out" in done.err
    done = run("import", "books.csv", "--map", "author=title", "--map", "title=kind", "--dry-run")
    assert "left out" not in done.err


def test_what_else_a_folder_holds(run, tmp_path):
    """A folder gives its Markdown files and those of folders in it; what else is in it is told by
    reason, hidden files are not."""
    folder = tmp_path / "notes"
    (folder / "deeper").mkdir(parents=True)
    (folder / "one.md").write_text("- the boiler needs 1.5 bar\n")
    (folder / "deeper" / "TWO.MD").write_text("- the landlord is Mr Egger\n")
    (folder / ".hidden").write_text("x")
    assert run("import", "notes").err == ""
    (folder / "books.csv").write_text(BOOKS)
    done = run("import", "notes", "--dry-run")
    assert "1 file passed over: 1 of other kinds" in done.err
    assert len(facts(run)) == 2


@pytest.mark.parametrize("name", ["old.csv", "old.tsv", "old.md"])
def test_a_file_whose_encoding_is_damaged(run, tmp_path, name):
    """Text that is no UTF-8, and seems to have been, is told in plain words, with a way on."""
    (tmp_path / name).write_bytes("content\ncafé\n".encode() + b"\xff\n")
    done = run("import", name)
    assert done.code == 2 and "not UTF-8" in done.err and "iconv" in done.err
    assert "codec" not in done.err


def test_strict_reads_every_shape_twice(run):
    """--strict works for a list that is piped, too."""
    text = json.dumps([{"text": "one fact"}, {"text": "another"}])
    assert run("import", "-", "--strict", "--json", stdin=text).json["added"] == 2
    bad = json.dumps([{"text": "third"}, {"importance": 1}])
    assert run("import", "-", "--strict", stdin=bad).code == 2
    assert len(facts(run)) == 2


def test_a_line_with_blanks_behind_it_loads_no_json(monkeypatch):
    """Lines end with a line break, of one system or another, and are read by the quick way; other
    characters behind a value are an error."""
    monkeypatch.setitem(sys.modules, "json", None)
    for end in ("\n", "\r\n", " \t\n", ""):
        assert codec.loads('{"a": [1, 2]}' + end) == {"a": [1, 2]}
    monkeypatch.undo()
    for end in ("\xa0", "\v", "\u2028", " x", "\n{}"):
        with pytest.raises(ValueError, match="Extra data"):
            codec.loads('{"a": [1, 2]}' + end)


def test_a_long_list_on_one_line(run, tmp_path):
    """A list may stand on one line, however long; of JSON lines one above 1 MiB is a bad row that
    is told as such, and the next line is read."""
    rows = [{"content": f"room {n} is painted {'blue ' * 20}"} for n in range(9000)]
    (tmp_path / "list.json").write_text(json.dumps(rows))
    assert (tmp_path / "list.json").stat().st_size > 1 << 20
    assert run("import", "list.json", "--dry-run", "--json").json["rows"] == 9000
    lines = [{"content": "the first"}, {"content": "x" * (3 << 20)}, {"content": "the last"}]
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = run("import", "lines.jsonl")
    assert "line 2: longer than 1 MiB" in done.err
    assert {one["content"] for one in facts(run)} == {"the first", "the last"}
