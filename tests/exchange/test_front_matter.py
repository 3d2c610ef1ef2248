"""The fields in front of a note: YAML as people and editors write it."""

from __future__ import annotations

from contextlib import suppress
from time import process_time

import pytest
import yaml  # noqa: TID251  what it writes is read
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import run_main
from tests.support import often
from tideline_cli.exchange import front_matter
from tideline_cli.model import codec


def read(text):
    return {one.name: one.value() for one in front_matter.entries(text.split("\n")) if one.name}


@pytest.mark.parametrize(("text", "value"), [
    ('tags: ["a", "b"]', ["a", "b"]),
    ("tags:\n  - a\n  - b c", ["a", "b c"]),
    ("tags:\n- a\n\n- 'b''s'  # said so", ["a", "b's"]),
    ("tags: [a, 'b, c', \"d\"] # mine", ["a", "b, c", "d"]),
    ("tags: [2024, true, 1.10]", ["2024", "true", "1.10"]),
    ("tags: 2024", "2024"),
    ("tags:", None),
    ("tags: []", []),
    ("tags: ~", None),
    ("title: a: b", "a: b"),
    ("title: >-\n  one\n  two\n\n  three", "one two\nthree"),
    ("title: |\n  one\n   two\n", "one\n two\n"),
    ("title: one\n  two", "one two"),
    ('title: "caf\\u00e9 \\x41\\n"', "café A\n"),
    ("importance: 0.5", 0.5),
    ("pinned: true", True),
    ("turn: 7", 7),
    ("metadata:\n  a: 1\n  b:\n    - x: true\n      y: ~\n    - [1, {z: w}]\n  # said\n"
     "  c: |-\n    l\n\n    m",
     {"a": 1, "b": [{"x": True, "y": None}, [1, {"z": "w"}]], "c": "l\n\nm"}),
    ("links:\n  - kind: uses\n    target: 01KJ\n    strength: 3",
     [{"kind": "uses", "target": "01KJ", "strength": 3}]),
    ('"title": x', "x"),
    ('title: "a\\\n  b"', "ab"),
    ("title: @home # mine", "@home"),
    ("created_at: 2024-05-01", "2024-05-01"),
    ("metadata:\n  day: 2024-05-01\n  no: no\n  old: 0o17\n  half: 12:30\n  v: 1_000",
     {"day": "2024-05-01", "no": "no", "old": "0o17", "half": "12:30", "v": "1_000"}),
])  # fmt: skip
def test_values_are_read_as_editors_write_them(text, value):
    """Lists, mappings and texts in each form; a field of words has words alone."""
    (found,) = read(text).values()
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize("text", [
    "tags: &x [a]", "tags: *x", "metadata:\n  a: &a [x]\n  b: *a", "metadata: {[a]: b}",
    "tags: !!set {a}", "tags:\n\t- a", "tags: [a", "title: 'a",
    "title: \"\\q\"", "metadata:\n  a: 1\n  a: 2", "metadata:\n    a: 1\n  b: 2",
    "tags: [a] b", f"metadata: {'[' * 5000}",
])  # fmt: skip
def test_what_is_not_read_is_an_error(text):
    """Nothing is guessed, and nothing read half."""
    with pytest.raises(ValueError, match=r"\w"):
        read(text)


def test_lines_belong_to_their_field():
    """Comments, blank lines and what no field begins stay apart, and no line is lost."""
    text = "# top\ntags:\n- a\n# below\n\n  deeper\ntitle: x\n???"
    found = front_matter.entries(text.split("\n"))

    assert "\n".join(line for one in found for line in one.lines) == text
    assert [one.name for one in found] == ["", "tags", "", "title"]
    assert front_matter.end_of(["---", "a: 1", "---"]) == 2
    assert front_matter.end_of(["---", "no field", "---"]) == 0
    assert front_matter.end_of(["---", "---"]) == 0


_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-999, 999), st.floats(allow_nan=False, width=16,
                                                                 allow_infinity=False),
    st.text(st.sampled_from("ab :#-'\"[]{},é\n\\|>&*!%@`?~0\U0001f600"), max_size=12),
)  # fmt: skip
_VALUES = st.recursive(_LEAVES, lambda inner: st.one_of(
    st.lists(inner, max_size=4), st.dictionaries(st.text("abc", min_size=1, max_size=4), inner,
                                                 max_size=3)), max_leaves=8)  # fmt: skip


@settings(max_examples=often(50, 200))
@given(_VALUES)
def test_json_is_read_as_it_is(value):
    """What the program writes is read back."""
    assert read(f"metadata: {codec.dumps(value)}") == {"metadata": value}


@settings(max_examples=often(100, 400))
@given(_VALUES, st.booleans(), st.sampled_from((20, 1000)), st.sampled_from((None, "'", '"', "|")))
def test_what_a_library_writes_is_read_as_that_reads_it(value, in_brackets, width, style):
    """Values that PyYAML has written are read as by PyYAML."""
    text = yaml.safe_dump(
        {"metadata": value}, default_flow_style=in_brackets, width=width, default_style=style
    )
    if text.startswith("{") or "!!" in text:
        return  # all on one line, or values that are words by their tags
    assert read(text if "|" in text else text.rstrip("\n")) == yaml.safe_load(text)


@pytest.mark.parametrize(
    "shape", ["[{}", "[{}]", "{{a: {}}}", "'{}", "- {}", "a: {}", "|\n  {}", "&a {}"]
)
def test_reading_is_linear(shape):
    """However often a sign stands there, reading takes time in proportion, and ends."""
    for sign in "[{-'\"?:#&*, \\a\n":
        took = []
        for size in (4_000, 64_000):
            start = process_time()
            with suppress(ValueError):
                read("metadata: " + shape.format(sign * size))
            took.append(process_time() - start)
        assert took[1] < 60 * took[0] + 0.2, sign


def test_a_markdown_file_with_a_list_in_front_is_one_fact(tmp_path):
    """Front matter as editors write it is fields, not facts; what is not read is said, and of a
    fact that was exported nothing is taken then."""
    listed = "---\ntags:\n  - bike\n  - home\n---\nThe key is under the mat\n"
    (tmp_path / "a.md").write_text(listed)
    (tmp_path / "b.md").write_text("---\nid: x\nsegment: idea\ntags: &all [bike]\n---\nThe shed\n")

    good = run_main("import", str(tmp_path / "a.md"), "--trust", "--json").json
    bad = run_main("import", str(tmp_path / "b.md"), "--trust")

    (fact,) = run_main("list", "--json").json["facts"]
    assert good["added"] == 1 and fact["content"] == "The key is under the mat"
    assert fact["tags"] == ["bike", "home"]
    assert bad.code == 1 and "tags stands in a form that is not read: an anchor" in bad.err


def test_what_front_matter_says_is_a_statement(run, tmp_path):
    """What has no place of its own is found by its words; what only a program reads is not told."""
    head = ('due: 2026-06-15\nby: "[[Ada Low]]"\nwith: [Tom, Ann]\nlayout: post\ntags: [a]\n'
            "title: Thesis")
    (tmp_path / "note.md").write_text(f"---\n{head}\n---\nIt rains.\n", "utf-8")
    assert run("import", "note.md").code == 0
    told = {one["content"]: one["title"] for one in run("list", "--json").json["facts"]}
    assert told == {"due: 2026-06-15; by: Ada Low; with: Tom, Ann": "Thesis", "It rains.": "Thesis"}
