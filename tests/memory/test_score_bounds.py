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
from tideline_cli.memory import reading
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.model.source import SOURCES
from tideline_cli.ranking.score_bounds import CODER, FIRST_CODER
from tideline_cli.store import score_bounds
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


def test_another_coder_bounds_nothing(monkeypatch):
    """Bytes of other tables are not read; the next recall that may write makes them anew."""
    with fresh_store() as db:
        _filled(db)
        score_bounds.extend(db, limit=10**6)
        assert score_bounds.missing_count(db) == 0
        monkeypatch.setattr(score_bounds, "CODER", "of another program")
        assert score_bounds.missing_count(db) == FACTS + 1
        assert score_bounds.wrong_count(db) == 0
        answer = recall(db, Query("harbour"), viewer=OWNER, now=NOW)
        write_back(db, answer, touch=False, now=NOW)
        assert score_bounds.missing_count(db) == 0
        assert setting(db, "score_bounds", "") == "of another program"


def test_the_first_coder_is_that_of_files_that_name_none():
    """Bytes that were made before coders had a name are used as long as their tables stay: what
    the first tables say, these say too. With one more source all bytes are made anew, once."""
    parts, first = (coder.split(" | ") for coder in (CODER, FIRST_CODER))
    assert parts[:-1] == first[:-1]
    assert set(first[-1].split()) <= set(parts[-1].split()), "leave FIRST_CODER as it is"


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
        score_bounds.extend(db, limit=10**6)
        db.execute("VACUUM INTO ?", (str(path),))
    code = (
        "import sys; from tideline_cli.memory import query, reading, recall; "
        "from tideline_cli.store.opening import open_for_reading; "
        "from tideline_cli.model.origin import OWNER\n"
        "def found(few):\n"
        "    reading.FEW = few\n"
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
