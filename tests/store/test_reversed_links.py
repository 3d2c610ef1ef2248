"""Edges that older programs stored back from the other end: an upgrade removes them, undoably."""

from __future__ import annotations

import shutil

import apsw
import pytest

from tests.support import ROOT

pytestmark = pytest.mark.file_alone("older files are upgraded")
pytestmark = [pytestmark, pytest.mark.skip(reason="drafts were never released: export, import")]

PEER = "channel:wa/c1/s1"
_ADD = """
INSERT INTO link (from_fact, to_fact, kind, reason, created_at)
SELECT a.seq, b.seq, ?3, 'so', 1 FROM fact AS a, fact AS b WHERE a.id = ?1 AND b.id = ?2
"""


def old_file(path, pairs):
    """Make a file of version 2 with edges as its `link` stored them, each pair in a batch."""
    shutil.copyfile(ROOT / "tests" / "legacy" / "v2.db", path)
    path.chmod(0o600)
    db = apsw.Connection(str(path))
    for verb, edges in pairs:
        db.execute(
            "INSERT INTO batch (origin, ordinal, at, verb, open, first)"
            " SELECT 1, 1 + max(ordinal), 5, ?, 1, (SELECT 1 + max(number) FROM change)"
            " FROM batch WHERE origin = 1", (verb,),
        )  # fmt: skip
        for edge in edges:
            db.execute(_ADD, edge)
        db.execute("UPDATE batch SET open = 0")
    db.close()


def kinds(run, here, fact_id):
    shown = run("show", fact_id, "--json", *here).json
    return [one["kind"] for one in shown["links"]], [one["kind"] for one in shown["backlinks"]]


def test_false_inverses_go_and_come_back(run, tmp_path):
    """Of a directed kind the edge that was stated stays, the one stored back goes; of a kind with
    an inverse one of two remains; symmetric ones stay, and so does what two commands stated. One
    undo brings all of it back."""
    path = tmp_path / "mine.db"
    shutil.copyfile(ROOT / "tests" / "legacy" / "v2.db", path)
    listed = apsw.Connection(str(path)).execute(
        "SELECT id FROM fact WHERE lifecycle = 'active' AND origin = 1 ORDER BY seq LIMIT 2"
    ).fetchall()
    a, b = (one for (one,) in listed)
    old_file(path, [
        ("link", [(a, b, "uses"), (b, a, "uses")]),
        ("link", [(a, b, "causes"), (b, a, "caused_by")]),
        ("link", [(a, b, "same_topic"), (b, a, "same_topic")]),
        ("link", [(a, b, "blocks")]), ("link", [(b, a, "blocks")]),
    ])  # fmt: skip
    here = ("--db", str(path))
    before = {"same_topic", "blocks"}
    ours, theirs = kinds(run, here, a), kinds(run, here, b)
    assert {"uses", "causes", *before} <= set(ours[0])
    assert not {"uses", "caused_by"} & set(theirs[0]) and before <= set(theirs[0])
    told = run("history", "--json", *here, "--limit", "1").json["changes"]
    assert {(one["verb"], one["reason"]) for one in told} == {
        ("upgrade", "2 edges removed that led back from the other end")
    }
    assert run("doctor", "--deep", "--json", *here).json["findings"] == []
    assert run("undo", *here).code == 0
    assert {"uses", "caused_by"} <= set(kinds(run, here, b)[0])
    assert run("doctor", "--deep", "--json", *here).json["findings"] == []


def test_a_file_without_such_edges_gets_no_batch(run, tmp_path):
    """An upgrade that removes nothing leaves no trace in the history."""
    path = tmp_path / "mine.db"
    shutil.copyfile(ROOT / "tests" / "legacy" / "v2.db", path)
    told = run("history", "--json", "--db", str(path), "-n", "0").json["changes"]
    assert "upgrade" not in {one["verb"] for one in told}
