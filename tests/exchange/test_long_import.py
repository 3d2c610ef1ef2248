"""Imports of thousands of rows: larger transactions, counts and bounds made without a second look,
and processes beside that are asked ahead."""

from __future__ import annotations

import apsw
import pytest

from tests import backends
from tests.soundness import sound
from tests.support import BOUNDS, NOW, fresh_store
from tideline_cli.exchange.importer import workers
from tideline_cli.exchange.importer.import_rows import CHUNK, ImportBatch, import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.model.origin import OWNER
from tideline_cli.store import score_bounds, uses
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing
from tideline_cli.system import machine, pipes
from tideline_cli.vector.worker import LENGTH

CHUNKS = 13
WORDS = "harbour bridge river tower market garden station museum".split()


def rows(count=CHUNKS * CHUNK, *, first_odd=0):
    """Yield rows, some of which repeat a word, of several sources and tiers; from a number
    on also such that are stored one by one."""
    for n in range(1, count + 1):
        row = {"content": f"fact {n} of {WORDS[n % 8]} and {WORDS[n % 7]} caf\u00e9"}
        if n % 5 == 0:
            row |= {"source": "tool_output", "tier": "short", "importance": 0.2}
        if n % 7 == 0 and n > first_odd:
            row |= {"lifecycle": "archived", "scope": "a/b"}
        if n % 11 == 0 and n > first_odd:
            row |= {"created_at": -n * 3_600_000}
        yield n, row


@pytest.mark.sampled(1)
@pytest.mark.parametrize("first_odd", [0, 7 * CHUNK, CHUNKS * CHUNK])
def test_the_counts_and_bounds_of_a_long_import_are_those_of_its_facts(db, first_odd):
    """What is counted and bounded by the way is what a second look finds."""
    import_rows(db, rows(first_odd=first_odd), ImportContext(OWNER, NOW, True), merge=False)
    assert db.execute("SELECT count(*) FROM fact").get == CHUNKS * CHUNK
    assert score_bounds.missing_count(db, origin_number=1) <= 0
    assert score_bounds.wrong_count(db) == 0
    sound(db)
    sizes = f"SELECT length(codes) FROM {BOUNDS} ORDER BY number"
    lengths = [size for (size,) in db.execute(sizes)]
    assert lengths[:-1] == [score_bounds.CHUNK] * (len(lengths) - 1)


def test_a_long_import_takes_few_transactions_and_reads_no_fact_again(monkeypatch):
    """The first chunks have a transaction each, four share one from then on; bounds are made of
    what is at hand, but for those of the last, unfilled row."""
    begun, made = [], []
    begin, make = ImportBatch.transaction, score_bounds._made

    def noted(self, *, load):
        begun.append(load)
        return begin(self, load=load)

    def counted(db, start, *, limit):
        found = make(db, start, limit=limit)
        made.append(len(found))
        return found

    monkeypatch.setattr(ImportBatch, "transaction", noted)
    monkeypatch.setattr(score_bounds, "_made", counted)
    with fresh_store() as db:
        plain = rows(first_odd=CHUNKS * CHUNK)
        import_rows(db, plain, ImportContext(OWNER, NOW, True), merge=False)
    assert begun.count(True) <= 8  # of 13 chunks
    assert sum(made) < score_bounds.CHUNK


def test_bounds_that_wait_are_dropped_when_somebody_else_writes(db, monkeypatch):
    """A fact that another process uses while the byte of its score waits has the right byte."""
    used = []

    def disturbed():
        for n, row in rows(9 * CHUNK, first_odd=9 * CHUNK):
            if n == 8 * CHUNK + 1:
                other = open_for_writing(db.filename)
                with writing(other):
                    last = "SELECT seq, id FROM fact ORDER BY seq DESC LIMIT 1"
                    seq, fact_id = other.execute(last).fetchone()
                    uses.put(other, fact_id, access_count=99, last_accessed_at=NOW)
                other.close()
                size = f"SELECT CAST(ifnull(sum(length(codes)), 0) AS INTEGER) FROM {BOUNDS}"
                reached = db.execute(size).get
                used.append(seq - reached)
            yield n, row

    monkeypatch.setattr(machine, "processors", lambda: 1)  # what is read is stored soon
    import_rows(db, disturbed(), ImportContext(OWNER, NOW, True), merge=False)
    assert used[0] > 0 or backends.is_server()  # its byte waited, in a file
    assert score_bounds.wrong_count(db) == 0


def test_a_process_beside_is_asked_ahead_as_far_as_its_pipe_reaches(monkeypatch):
    """Requests wait in the pipe, one at least, and no more than it holds."""
    monkeypatch.setattr(machine, "processors", lambda: 2)
    process = workers.started("tideline_cli.exchange.importer.preparation")
    assert process is not None
    try:
        holds = pipes.room_of(process._requests)
        assert process.has_room(bytes(4 * holds))
        process._unanswered.append(holds // 4)
        assert process.has_room(bytes(holds // 4 - LENGTH))
        assert not process.has_room(bytes(holds))
    finally:
        process.end()


def test_a_full_disk_tells_how_far_an_import_has_come(run, monkeypatch):
    """What is in is said beside the error, and the same call goes on from there."""
    begin, begun = ImportBatch.transaction, []

    def failing(self, *, load):
        begun.append(load)
        if len(begun) == 3:
            raise apsw.FullError("database or disk is full")
        return begin(self, load=load)

    monkeypatch.setattr(ImportBatch, "transaction", failing)
    lines = "".join(f"{{\"content\": \"fact {n}\"}}\n" for n in range(4 * CHUNK))
    failed = run("import", "-", stdin=lines)
    assert failed.code == 73
    assert "996 rows are in; run it again to go on" in failed.err
    assert run("import", "-", "--json", stdin=lines).json["present"] == 2 * CHUNK
