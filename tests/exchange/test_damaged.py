"""Numbers and files that nobody would write by hand: each is an error that is told, and no more."""

from __future__ import annotations

import json
import zipfile

import pytest

from tests.exchange.test_chats import chatgpt, claude, held, node
from tideline_cli.exchange.extract.chats import chat_of
from tideline_cli.exchange.importer.cells import in_milliseconds
from tideline_cli.exchange.importer.summary import ImportSummary


@pytest.mark.parametrize("time", [10**400, -(10**400), 10**18, True, "x", None])
def test_a_time_of_any_size_in_an_export(run, tmp_path, time):
    """A message whose time is none is read, without a time; so are the conversations behind it."""
    odd = chatgpt("c-0", update_time=time)
    odd["mapping"] |= node("end", "image", "user", "my mail is eva@example.org", create_time=time)
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([odd, claude()]))
    done = run("extract", str(path), "--llm", "none", "--json")
    assert (done.code, done.json["read"]) == (0, 2), done.err
    assert {"eva@example.org", "ada@example.org"} <= {
        word for text in held(run) for word in text.split()
    }


@pytest.mark.parametrize("way", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_damaged_zip_file(run, tmp_path, way):
    """However it was packed, a damaged file is a usage error with a hint, before anything is kept
    of it."""
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", way) as archive:
        archive.writestr("conversations.json", json.dumps([chatgpt(f"c-{n}") for n in range(9)]))
    raw = bytearray(path.read_bytes())
    for place in range(65, 200):
        raw[place] ^= 0x5A
    path.write_bytes(raw)
    done = run("extract", str(path), "--llm", "none")
    assert done.code == 2 and "cannot be read" in done.err and "hint: " in done.err, done.err


def test_blocks_of_a_message_stay_apart():
    """The last word of one text block does not run on into the first one of the next."""
    said = ("write to lena@posteo.de", "thanks")
    words = [{"type": "text", "text": one} for one in said]
    talk = claude()
    talk["chat_messages"][0]["content"] = words
    first = chat_of(json.dumps(talk).encode()).transcript.messages[0]
    assert first.text == "write to lena@posteo.de\nthanks"
    nodes = node("a", None, "user", *said)
    raw = json.dumps({"mapping": nodes, "current_node": "a"}).encode()
    assert chat_of(raw).transcript.messages[0].text == "write to lena@posteo.de\nthanks"


@pytest.mark.parametrize("made", ["²", "٣", "1" * 400, 10**400])
def test_digits_of_any_kind_are_counted(made):
    """A row with digits that are no number is read as any other one."""
    summary = ImportSummary()
    summary.note_row({"content": "tea", "created_at": made})
    assert (summary.rows, summary.early) == (1, 0)


@pytest.mark.parametrize("given", [1e308, -1e308, 10**400, "1e308", "1_755_000_000", "inf", True])
def test_seconds_that_are_none_stay_as_they_are(given):
    """What is no number of seconds is left to the check of the row, which says what is wrong."""
    ((_, row),) = in_milliseconds(iter([(1, {"content": "tea", "created_at": given})]))
    assert row["created_at"] is given
