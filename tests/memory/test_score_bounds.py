"""The stored bounds of scores name the tables that made them, so that a change of a weight never
hides a fact."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tideline_cli
from tests.support import NOW, fresh_store
from tideline_cli.memory import amend
from tideline_cli.memory import scorer as reading
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import undo
from tideline_cli.model.fact import ROLE_WEIGHTS, NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.model.source import SOURCES
from tideline_cli.ranking.score_bounds import CODER, FIRST_CODER
from tideline_cli.store import facts, score_bounds, uses, writes
from tideline_cli.store.connection import setting
from tideline_cli.store.opening import open_for_writing

FACTS = 900
WORDS = "harbour bridge river tower market garden station museum".split()


def _filled(db):
    chance = random.Random(3)
    for number in range(FACTS):
        more = " ".join(f"w{number}x{i}" for i in range(chance.randrange(1, 9)))
        text = f"{' '.join(chance.sample(WORDS, 3))} {more}"
        new = NewFact(text, "knowledge", chance.choice(SOURCES), OWNER)
        remember(db, new, fact_id=f"{number:026}", now=NOW)


def _found(db, monkeypatch, few):
    """Return the ids of the best facts, read by their bounds or all of them."""
    monkeypatch.setattr(reading, "FEW", few)
    query = Query("harbour bridge river", limit=20, mode="keyword")
    return [hit.fact.id for hit in recall(db, query, viewer=OWNER, now=NOW).hits]


@pytest.mark.file_alone("a server keeps who made the bytes in its own module")
def test_another_coder_bounds_nothing(monkeypatch):
    """Bytes of other tables are not read; the next recall that may write makes them anew."""
    with fresh_store() as db:
        _filled(db)
        score_bounds.extend(db, limit=10**6, origin_number=None)
        assert score_bounds.missing_count(db, origin_number=1) == 0
        ours, coder = score_bounds._ARE_OURS, score_bounds.CODER
        monkeypatch.setattr(score_bounds, "_ARE_OURS", ours.replace(coder, "of another program"))
        monkeypatch.setattr(score_bounds, "CODER", "of another program")
        assert score_bounds.missing_count(db, origin_number=1) == FACTS + 1
        assert score_bounds.wrong_count(db) == 0
        answer = recall(db, Query("harbour"), viewer=OWNER, now=NOW)
        write_back(db, answer, touch=False, now=NOW)
        assert score_bounds.missing_count(db, origin_number=1) == 0
        assert setting(db, "score_bounds", "") == "of another program"


def test_the_first_coder_is_that_of_files_that_name_none():
    """Bytes that were made before coders had a name are of other tables, and are not used. The
    tables of today name every source with its weight, and every role."""
    assert FIRST_CODER.startswith("1.2 0.75 | 0 1 2 3 4"), "leave FIRST_CODER as it is"
    assert CODER != FIRST_CODER
    *_, sources, roles = CODER.split(" | ")
    assert {one.partition("=")[0] for one in sources.split()} == set(SOURCES)
    assert {one.partition("=")[0] for one in roles.split()} == set(ROLE_WEIGHTS)


@pytest.mark.file_alone("another program reads a copy of the file")
@pytest.mark.parametrize("edit", ["1.0, trusted=True", "0.65, trusted=False"])
def test_a_changed_weight_is_seen_at_once(tmp_path, edit, monkeypatch):
    """A program with other weights recalls from an older file what brute force does."""
    path = tmp_path / "memory.db"
    root = Path(tideline_cli.__file__).parent
    shutil.copytree(root, tmp_path / "tree" / "tideline_cli")
    source = tmp_path / "tree" / "tideline_cli" / "model" / "source.py"
    text = source.read_text("utf-8")
    assert edit in text
    other = "0.95" if edit.startswith("1.0") else "1.0"
    source.write_text(text.replace(edit, other + edit[edit.index(","):]), "utf-8")
    with fresh_store() as db:
        _filled(db)
        score_bounds.extend(db, limit=10**6, origin_number=None)
        db.execute("VACUUM INTO ?", (str(path),))
    code = (
        "import sys; from tideline_cli.memory import query, recall, scorer; "
        "from tideline_cli.store.opening import open_for_reading; "
        "from tideline_cli.model.origin import OWNER\n"
        "def found(few):\n"
        "    scorer.FEW = few\n"
        "    db = open_for_reading(sys.argv[1])\n"
        "    asked = query.Query('harbour bridge river', limit=20, mode='keyword')\n"
        "    hits = recall.recall(db, asked, viewer=OWNER, now=int(sys.argv[2])).hits\n"
        "    return [hit.fact.id for hit in hits]\n"
        "by_bounds, by_force = found(10), found(10**9)\n"
        "assert by_bounds == by_force, (by_bounds, by_force)\n"
        "print(*by_force)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(NOW)],
        env={"PYTHONPATH": str(tmp_path / "tree")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    db = open_for_writing(str(path))
    assert done.stdout.split() != _found(db, monkeypatch, 10**9)
    db.close()


def test_a_role_lowers_the_byte_and_an_edit_raises_it(run):
    """Words of an assistant are bounded by their own weight; when an edit or an undo makes them the
    user's, the bound follows, and so does the score."""
    for number in range(3):
        run("remember", f"the harbour bridge {number}", "--role", "assistant")
    path = run("status", "--json").json["database"]
    db = open_for_writing(path)
    score_bounds.extend(db, limit=100, origin_number=None)
    low = score_bounds.codes(db, origin_number=1)[1:]
    first = run("recall", "harbour", "--explain", "--json").json["hits"][0]
    assert run("edit", first["id"], "--role", "user").code == 0
    assert score_bounds.wrong_count(db) == 0
    fresh = score_bounds.codes(db, origin_number=1)[1:]
    assert sum(old < new for old, new in zip(low, fresh, strict=True)) == 1
    best = run("recall", "harbour", "--explain", "--json").json["hits"][0]
    assert best["score"] == pytest.approx(first["score"] / 0.65)
    assert best["explain"]["role"] == 1.0
    assert run("undo").code == 0
    assert score_bounds.wrong_count(db) == 0
    assert score_bounds.codes(db, origin_number=1)[1:] == low
    db.close()


def test_the_reference_weighs_no_roles(run):
    """With the reference's analyser what an assistant says counts in full, and its bytes say so;
    with the standard one again they weigh less."""
    run("remember", "the harbour bridge", "--role", "tool")
    full = run("remember", "a harbour tower").code
    scores = []
    for analyzer in ("reference", "standard"):
        assert run("config", "set", "analyzer", analyzer).code == full == 0
        hits = run("recall", "bridge", "--explain", "--json").json["hits"]
        scores.append(hits[0]["score"])
        assert hits[0]["explain"]["role"] == (1.0 if analyzer == "reference" else 0.65)
        assert run("doctor", "--deep").code == 0
    assert scores[0] > scores[1]


def test_bytes_follow_what_changes_strength():
    """A fact that is used, pinned or said to matter more can score more, and its byte says so at
    once; so can one that an undo gives back what it had."""
    with fresh_store() as db:
        _filled(db)
        score_bounds.extend(db, limit=10**6, origin_number=None)
        before = score_bounds.codes(db, origin_number=1)
        sql = "SELECT seq FROM fact WHERE source = 'owner_message' LIMIT 4"
        used, other, pinned, raised = [seq for (seq,) in db.execute(sql)]
        read = facts.get(db, [pinned, raised], viewer=OWNER)
        uses.touch(db, [used, other], now=NOW)
        amend.pin(db, [read[pinned].id], viewer=OWNER, now=NOW)
        writes.change(db, read[raised], replace(read[raised], importance=1.0))
        after = score_bounds.codes(db, origin_number=1)
        assert all(after[seq] > before[seq] for seq in (used, other, pinned, raised))
        assert score_bounds.wrong_count(db) == 0
        for _ in range(16):
            uses.touch(db, [used], now=NOW)
        assert score_bounds.codes(db, origin_number=1)[used] > after[used]
        undo(db, None, viewer=OWNER, now=NOW)
        assert score_bounds.codes(db, origin_number=1)[pinned] == before[pinned]
        assert score_bounds.wrong_count(db) == 0
