"""Bits that flip: doctor does not stumble over them, and tells those that hit a fact."""

from __future__ import annotations

import os
import random

import apsw
import pytest

from tests.conftest import run_main
from tests.support import fact, put
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing

pytestmark = pytest.mark.file_alone("bits that flip in a file")

MUTANTS = int(os.environ.get("TIDELINE_TEST_MUTANTS", "40"))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The bytes of a store of 120 facts with vectors."""
    path = tmp_path_factory.mktemp("rot") / "t.db"
    db = open_for_writing(str(path))
    put(db, [fact(f"person{n} deploys on day{n} of the week", f"F{n:025d}") for n in range(120)])
    with writing(db):
        embed_backlog(db, origin_number=1, limit=1000)
    db.close()
    return path.read_bytes()


def mutated(original, path, offset, bit):
    broken = bytearray(original)
    broken[offset] ^= 1 << bit
    path.write_bytes(broken)
    path.chmod(0o600)
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


@pytest.mark.nightly
def test_doctor_survives_flipped_bits(original, tmp_path):
    """Whatever bit flips, doctor ends well or with what it found."""
    chance = random.Random(13)
    path = tmp_path / "t.db"
    for _ in range(MUTANTS):
        offset = chance.randrange(len(original))
        mutated(original, path, offset, chance.randrange(8))
        done = run_main("doctor", "--deep", "--json", "--db", str(path))
        assert done.code in (0, 5), (offset, done.err)
        assert done.json["ok"] == (done.code == 0), offset


def test_flipped_bits_of_facts_are_found(original, tmp_path):
    """A bit that flips in a fact's text or id is found by doctor --deep, every time."""
    chance = random.Random(7)
    path = tmp_path / "t.db"
    found = 0
    tried = 0
    for n in chance.sample(range(120), min(120, max(10, MUTANTS // 2))):
        text = f"person{n} deploys on day{n} of the week".encode()
        assert original.count(text) >= 1
        for start in [i for i in range(len(original)) if original.startswith(text, i)]:
            mutated(original, path, start + chance.randrange(len(text)), chance.randrange(8))
            if not is_changed(path, n):
                continue  # a copy that a page keeps in its free space
            tried += 1
            done = run_main("doctor", "--deep", "--json", "--db", str(path))
            found += done.code == 5 and "digests" in done.out
    assert tried >= 10
    assert found == tried


def is_changed(path, n):
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return not db.execute(
            "SELECT count(*) FROM fact WHERE content = ?",
            (f"person{n} deploys on day{n} of the week",),
        ).get
    finally:
        db.close()


@pytest.mark.parametrize(
    "damage",
    ["segment = 'nonsense'", "source = 'nobody'", "content = CAST(x'c328' AS TEXT)",
     "tags = 'no list'", "lifecycle = 'gone'"],
)  # fmt: skip
def test_readers_name_damage(run, home, damage):
    """A reader that meets a damaged fact says so and names doctor; it is no internal error."""
    for n in range(3):
        assert run("remember", f"fact {n} about deploying").code == 0
    db = apsw.Connection(str(home / "tideline.db"))
    db.execute(f"UPDATE fact SET {damage} WHERE seq = 2")
    db.close()
    for argv in (("recall", "deploying"), ("list",), ("status",), ("context", "deploying")):
        done = run(*argv)
        assert done.code in (0, 5), (argv, done)
        assert (done.code == 5) == ("doctor --deep" in done.err)
