"""ingest, a second time: what is known of a file stays known, whatever happened meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.exchange.test_ingest import facts_of, listed
from tests.support import PEER
from tideline_cli.errors import UsageError
from tideline_cli.exchange.encodings import decoded
from tideline_cli.exchange.ingest import files

TEXT = "# A\n\nfirst words here\n\n# B\n\nsecond words here\n\n# C\n\nthird words here\n"


def took(run, *words):
    done = run("ingest", *words, "--json")
    assert done.code == 0, done.err
    return [(one["name"], one["action"]) for one in done.json["documents"]]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_forgotten_chunk_stays_forgotten(run, tmp_path, place):
    """Also the first one, which has the note of the file: the document stays one, and known."""
    Path("a.md").write_text(TEXT)
    took(run, "a.md")
    gone = facts_of(run, "a.md")[place]["id"]
    run("forget", gone, "--json")

    assert took(run, "a.md") == [("a.md", "unchanged")]
    assert listed(run) == [("a.md", 2)]
    assert run("library", "--json").json["documents"][0]["bytes"] == len(TEXT)
    Path("a.md").write_text(TEXT.replace("third", "other"))
    assert took(run, "a.md") == [("a.md", "changed")]
    assert [name for name, _ in listed(run)] == ["a.md"]
    assert run("doctor", "--deep").code == 0


def test_a_document_of_which_only_the_name_is_left_is_not_doubled(run, tmp_path):
    """Where the chunk with the note was purged, the file of the same name is that document."""
    Path("a.md").write_text(TEXT)
    took(run, "a.md")
    run("purge", facts_of(run, "a.md")[0]["id"], "--yes", "--json")

    assert took(run, "a.md") == [("a.md", "changed")]
    assert listed(run) == [("a.md", 3)]


def test_another_form_or_encoding_is_another_reading(run, tmp_path):
    """What the user says of a file counts, for files that are there too, and is remembered."""
    Path("a.md").write_text(TEXT)
    took(run, "a.md")
    assert took(run, "a.md", "--format", "text") == [("a.md", "changed")]
    assert listed(run) == [("a.md", 1)]
    assert took(run, "a.md") == [("a.md", "unchanged")]
    Path("l.txt").write_bytes("caf\xe9 words".encode("latin-1"))
    assert took(run, "l.txt", "--encoding", "latin-1") == [("l.txt", "added")]
    Path("l.txt").write_bytes("caf\xe9 other words".encode("latin-1"))
    assert took(run, "l.txt") == [("l.txt", "changed")]
    assert facts_of(run, "l.txt")[0]["content"] == "café other words"


def test_a_name_that_is_no_utf8_is_spelled(run, tmp_path):
    """A file of any name is taken, known again, and told when it is gone."""
    odd = os.fsdecode(b"caf\xe9.md")
    Path("docs").mkdir()
    Path("docs", odd).write_text(TEXT)

    assert took(run, "docs") == [("docs/caf\\xe9.md", "added")]
    assert took(run, "docs") == [("docs/caf\\xe9.md", "unchanged")]
    assert took(run, f"docs/{odd}") == [("docs/caf\\xe9.md", "unchanged")]
    assert "gone" not in run("ingest", "docs").err
    Path("docs", odd).unlink()
    Path("docs/b.md").write_text("b")
    assert run("ingest", "docs", "--json").json["missing"] == ["docs/caf\\xe9.md"]
    assert files.as_text("plain \\xe9") == "plain \\xe9"


def test_an_empty_path_is_no_folder(run, tmp_path):
    """An unset variable does not take in all that lies here."""
    Path("a.md").write_text(TEXT)

    done = run("ingest", "")

    assert done.code == 2 and "no such file or folder: ''" in done.err


def test_a_second_name_is_told(run, tmp_path):
    """A file under a name of its own beside the one that it has: both stay, and it is said."""
    Path("a.md").write_text(TEXT)
    took(run, "a.md")

    done = run("ingest", "a.md", "--name", "other")

    assert done.code == 0 and "a.md is in the library as a.md, too" in done.err
    assert [name for name, _ in listed(run)] == ["a.md", "other"]


def test_a_line_of_the_report_is_one_line(run, tmp_path):
    """A tab or a line break in a name parts no columns."""
    Path("tab\tname\nx.md").write_text(TEXT)

    assert run("ingest", "tab\tname\nx.md").out.splitlines()[0] == "tab name ⏎ x.md\t3 chunks"


@pytest.mark.parametrize("said", ["undefined", "utf-16", "utf-16le", "UTF-7", "idna", "punycode",
                                  "unicode_escape"])  # fmt: skip
def test_a_page_cannot_say_what_it_cannot_be(run, tmp_path, said):
    """A page that states a coding of its own letters that it cannot have is UTF-8."""
    Path("p.html").write_text(f'<meta charset="{said}"><p>hällo wörld\\x41</p>')

    assert took(run, "p.html") == [("p.html", "added")]
    assert facts_of(run, "p.html")[0]["content"] == "hällo wörld\\x41"


def test_an_encoding_that_fails_is_an_error_of_one_line():
    """Every failure of a codec is told as such."""
    with pytest.raises(UsageError, match="not undefined"):
        decoded(b"x", "undefined")


def test_two_memories_with_documents_become_one(run, tmp_path):
    """A merge of an own export brings its documents, once: chunks are never one with other facts,
    and those that are there under other ids are there."""
    Path("a.md").write_text(TEXT)
    Path("b.md").write_text("# B\n\nwords of b\n")
    took(run, "a.md", "b.md")
    exported = run("export").out
    there = ("--db", "there.db")
    run("remember", "first words here", "--source", "retrieved_document", "--json", *there)
    run("ingest", "a.md", "--json", *there)

    done = run("import", "-", "--trust", "--merge", "--json", *there, stdin=exported).json
    again = run("import", "-", "--trust", "--merge", "--json", *there, stdin=exported).json

    assert (done["added"], done["present"], done["blocked"]) == (1, 3, 0)
    assert again["added"] == 0 and again["present"] == 4
    assert listed(run, *there) == [("a.md", 3), ("b.md", 1)]
    assert run("ingest", "a.md", "b.md", "--json", *there).json["added"] == 0
    texts = [one["content"] for one in run("list", "--json", *there).json["facts"]]
    assert texts.count("first words here") == 2
    assert run("doctor", "--deep", *there).code == 0


def test_a_merge_that_nobody_vouches_for_brings_no_chunk(run, tmp_path):
    """Without --trust a row is no chunk, and is never permanent."""
    row = '{"content": "words", "document": "law.md", "turn": 1, "pinned": true}\n'

    run("import", "-", "--merge", "--json", stdin=row)

    (fact,) = run("list", "--json").json["facts"]
    assert fact["document"] is None and not fact["pinned"]


def test_a_note_is_that_of_ones_own_origin(run, tmp_path):
    """Two origins with a document of one name: what one has forgotten tells the other nothing."""
    peer = ("--origin", PEER.key)
    Path("a.md").write_text(TEXT)
    took(run, "a.md")
    took(run, "a.md", *peer)
    run("purge", facts_of(run, "a.md", *peer)[0]["id"], "--yes", "--json", *peer)
    run("forget", facts_of(run, "a.md")[0]["id"], "--json")

    assert run("library", "--json", *peer).json["documents"][0]["path"] is None
    assert run("library", "--json").json["documents"][0]["path"] == os.path.realpath("a.md")
    assert run("library", "rm", "a.md", *peer).code == 0
    assert listed(run) == [("a.md", 2)]


def test_a_document_is_found_by_its_name(run, tmp_path):
    """Also one without a heading; a heading that says the name already stands alone."""
    (tmp_path / "Hausverwaltung Nord.txt").write_text("We pay on the fifth of each month.\n")
    (tmp_path / "cellar-rules.md").write_text("# Cellar rules\n\nBikes stay outside.\n")
    run("ingest", "Hausverwaltung Nord.txt", "cellar-rules.md")
    (hit,) = run("recall", "Hausverwaltung", "--json").json["hits"]
    assert (hit["title"], hit["content"][:6]) == ("Hausverwaltung Nord", "We pay")
    assert run("recall", "cellar", "--json").json["hits"][0]["title"] == "Cellar rules"


def test_further_front_matter_is_no_heading(run, tmp_path):
    """A file of several notes: what each says of itself is text."""
    (tmp_path / "cooking.md").write_text("---\ntitle: Bread\n---\n\nRye.\n\n"
                                         "---\ntitle: Soup\n---\n\nLeeks.\n")  # fmt: skip
    run("ingest", "cooking.md")
    (fact,) = run("list", "--json").json["facts"]
    assert fact["title"] == "cooking"
    assert fact["content"] == "title: Bread\n\nRye.\n\ntitle: Soup\n\nLeeks."


def test_an_emptied_document_is_told_to_answer_still(run, tmp_path):
    """As any that cannot be read now."""
    (tmp_path / "a.md").write_text("Bikes stay outside.\n")
    (tmp_path / "b.md").write_text("Bins go out on Tuesday.\n")
    run("ingest", "a.md", "b.md")
    (tmp_path / "a.md").write_text("\n")
    told = run("ingest", "a.md", "b.md").err
    assert "nothing in it to remember; what it said before still answers (1 chunk)" in told
