"""First use by many, full disks, clocks that go wrong."""

from __future__ import annotations

from contextlib import contextmanager

import apsw
import pytest

from tests.faults import clocks, first_use, full_disk
from tests.support import often


def test_sixteen_first_uses_at_once(nursery, tmp_path):
    """Sixteen processes that make the store at once all succeed, and make one."""
    assert first_use.at_once(nursery, tmp_path, rounds=2).violations == []


def test_a_full_disk(nursery, tmp_path):
    """On a full disk reading works, writing names the disk, nothing is lost, and room mends it."""
    assert full_disk.fill(nursery, tmp_path).violations == []


def test_a_full_disk_where_none_can_be_mounted(nursery, tmp_path, monkeypatch):
    """The same, with writes that fail where they would make a file larger."""

    @contextmanager
    def no_disk(folder, size):
        folder.mkdir()
        yield False

    monkeypatch.setattr(full_disk, "small_disk", no_disk)
    assert full_disk.fill(nursery, tmp_path).violations == []


def test_a_small_full_disk(nursery, tmp_path):
    """On a full disk of 3 MiB what changes single facts works, and doctor ends with 0."""
    figures = full_disk.fill_small(nursery, tmp_path)
    if figures.notes.get("by") == full_disk.NOT_RUN:
        pytest.skip(full_disk.NOT_RUN)
    assert figures.violations == []


def test_a_reader_on_a_full_disk_lets_its_own_writer_in(nursery, tmp_path):
    """Where there is no room for shared memory, a command that reads and then writes does not wait
    for itself."""
    with full_disk.small_disk(tmp_path / "disk", 3 << 20) as mounted:
        if not mounted:
            pytest.skip(full_disk.NOT_RUN)
        home = tmp_path / "disk"
        for text in ("the kettle is in the kitchen", "the lamp is in the hall"):
            assert nursery.run("remember", text, home=home).code == 0
        db = apsw.Connection(str(home / "tideline.db"))
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        db.close()  # the last that has it open takes its log and its shared memory away
        full_disk.fill_up(home / "plug", leave=0)
        assert not (home / "tideline.db-shm").exists()
        done = nursery.run("forget", "--query", "the kettle is in the kitchen", "--yes", home=home)
        assert (done.code, "forgot" in done.out) == (0, True), done
        listed = nursery.run("list", home=home).out
        assert "lamp" in listed and "kettle" not in listed


def test_an_import_that_fills_a_small_disk(nursery, tmp_path):
    """Where an import has filled the disk, facts can be forgotten."""
    figures = full_disk.import_too_much(nursery, tmp_path)
    if figures.notes.get("by") == full_disk.NOT_RUN:
        pytest.skip(full_disk.NOT_RUN)
    assert figures.counts["commands"] == 12
    assert figures.violations == []


def test_clocks(nursery, tmp_path):
    """Under any clock, or two that disagree, nothing fails, no strength leaves 0..1, the newest
    in a slot holds, and no dream does again what one has done."""
    assert clocks.go_wrong(nursery, tmp_path, every=often(2, 1)).violations == []
