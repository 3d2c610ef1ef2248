"""doctor: what it finds, how it says to mend it, and what its repairs leave behind."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys

import apsw
import pexpect
import pytest

from tests.soundness import sound
from tests.support import NOW, PEER, fact, put
from tideline_cli.memory import doctor
from tideline_cli.memory.semantic import embed_backlog
from tideline_cli.store import files, opening, schema, score_bounds
from tideline_cli.store.checks import derived, engine
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing
from tideline_cli.system import machine

pytestmark = pytest.mark.file_alone("damages of a file; tests/postgres has those of a server")

WORDS = ("deploys on Fridays", "waters the plants", "drinks green tea", "reads at night")


@pytest.fixture
def store(run, home):
    """A store with facts of two origins, links, archived facts, vectors, bounds and pairs."""
    for n, words in enumerate(WORDS):
        run("remember", f"person{n} {words}", "--tag", f"t{n}")
    run("remember", "person0 deploys on Mondays", "--slot", "day")
    run("remember", "person0 deploys on Tuesdays", "--slot", "day")
    run("remember", "person3 is on call", "--valid-to", "2025-10-01")
    run("sessions", "add", "-", stdin='{"role": "user", "content": "the cat sleeps on the desk"}')
    run("remember", "peer has a cat", "--origin", PEER.key)
    run("remember", "peer has a dog too", "--origin", PEER.key)
    first = run("list", "--json").json["facts"][-1]["id"]
    run("pin", first)
    run("dream")
    run("recall", "plants")
    db = open_for_writing(str(home / "tideline.db"))
    score_bounds.extend(db, limit=100, origin_number=None)
    db.close()
    assert run("doctor", "--deep").code == 0
    return home / "tideline.db"


def raw(path):
    """A connection without any of our guards."""
    return apsw.Connection(str(path))


def change(path, *statements):
    db = raw(path)
    for sql in statements:
        db.execute(sql).fetchall()
    db.close()


def stale_index(path):
    change(path, "INSERT INTO fact_fts (fact_fts, rowid, terms) SELECT 'delete', seq, terms"
                 " FROM fact WHERE seq = 2")  # fmt: skip


def missing_vector(path):
    change(path, "UPDATE vector_chunk SET facts = substr(facts, 5), codes = substr(codes, 129)"
                 " WHERE origin = 1")  # fmt: skip


def flipped_byte(path):
    change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    bytes_ = path.read_bytes()
    assert b"person2 drinks green tea" in bytes_
    path.write_bytes(bytes_.replace(b"person2 drinks green tea", b"person2 drinks groen tea"))


def wrong_mode(path):
    path.chmod(0o644)


def pending_purge(path):
    change(path, "INSERT INTO setting VALUES ('purge_pending', 'file')")


def foreign_application(path):
    change(path, "PRAGMA application_id = 1234")


def newer_version(path):
    change(path, f"PRAGMA user_version = {schema.VERSION + 1}")


def orphan_link(path):
    change(path, "PRAGMA foreign_keys = OFF",
           "INSERT INTO link (from_fact, to_fact, kind, created_at) VALUES (1, 999, 'uses', 1)",
    )  # fmt: skip


def journal_gap(path):
    change(path, "DELETE FROM batch WHERE number = 2")


def missing_embedder(path):
    change(path, "INSERT INTO setting VALUES ('embedder', 'absent-1')")


REPAIR = "tideline doctor --repair"
SEEDED = {
    stale_index: ("index", REPAIR, "quick"),
    missing_vector: ("vectors", REPAIR, "quick"),
    flipped_byte: ("digests", "put a backup back", "deep"),
    wrong_mode: ("modes", REPAIR, "quick"),
    pending_purge: ("purge", "any command finishes it", None),
    foreign_application: ("identity", "--db", None),
    newer_version: ("identity", "upgrade tideline-cli", None),
    orphan_link: ("references", REPAIR, "quick"),
    journal_gap: ("journal", REPAIR, "quick"),
    missing_embedder: ("embedder", "install the package", None),
}


def digest_of(path):
    log = path.with_name(path.name + "-wal")
    parts = (path.read_bytes(), log.read_bytes() if log.exists() else b"")
    return [hashlib.sha256(part).hexdigest() for part in parts]


def facts_of(path):
    db = raw(path)
    rows = db.execute("SELECT seq, id, origin, created_at, source, content, lifecycle FROM fact"
                      " ORDER BY seq").fetchall()  # fmt: skip
    db.close()
    return rows


@pytest.mark.parametrize(
    ("left", "words"),
    [(0, "the disk is full: 0 KiB"), (2_600 * 1024, "the disk is nearly full: 2,600 KiB"),
     (12 << 20, "less than a copy")],
)  # fmt: skip
def test_little_room_is_no_damage(run, store, monkeypatch, left, words):
    """However little room is left, the store is whole: a warning, and exit code 0."""
    monkeypatch.setattr(machine, "free_bytes", lambda _: left)
    done = run("doctor", "--json")
    assert (done.code, done.json["ok"]) == (0, True)
    (finding,) = done.json["findings"]
    assert (finding["check"], finding["severity"]) == ("room", "warning")
    assert words in finding["message"]
    assert finding["remedy"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDED, ids=lambda seed: seed.__name__)
def test_seeded_damage_is_found_and_left(run, store, seed):
    """Each damage is found, with its remedy and exit code 5, and nothing is written."""
    seed(store)
    check, remedy, _ = SEEDED[seed]
    before, mode = digest_of(store), store.stat().st_mode
    done = run("doctor", "--deep", "--json")
    # A purge that waits for readers is no damage: a warning.
    weight, code = ("warning", 0) if check == "purge" else ("error", 5)
    assert (done.code, done.json["ok"]) == (code, code == 0)
    found = [finding for finding in done.json["findings"] if finding["severity"] == weight]
    assert check in {finding["check"] for finding in found}
    assert all(list(finding) == ["check", "severity", "message", "remedy"] for finding in found)
    assert remedy in next(f["remedy"] for f in found if f["check"] == check)
    assert check in done.json["checks"]
    assert (digest_of(store), store.stat().st_mode) == (before, mode)
    plain = run("doctor", "--deep")
    assert plain.code == code
    assert f"{weight:<8} {check}: " in plain.out


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "seed", [seed for seed, (*_, how) in SEEDED.items() if how], ids=lambda seed: seed.__name__
)
def test_repair_mends_seeded_damage(run, store, seed):
    """--repair asks; with --yes it mends the damage, loses no fact, and leaves a sound store."""
    seed(store)
    check, _, how = SEEDED[seed]
    flags = ("--deep",) if how == "deep" else ()
    before = facts_of(store)
    asked = run("doctor", *flags, "--repair")
    assert asked.code == 2
    assert "--yes" in asked.err
    done = run("doctor", *flags, "--repair", "--yes", "--json")
    assert (done.code, done.json["ok"]) == (0, True), done.json["findings"]
    assert {f["check"]: f["repaired"] for f in done.json["findings"]}[check] is True
    assert run("doctor", "--deep").out.startswith("all is well")
    assert facts_of(store) == before
    db = open_for_writing(str(store))
    sound(db)
    db.close()


@pytest.mark.parametrize("seed", [foreign_application, newer_version, missing_embedder])
def test_what_cannot_be_mended_stays(run, store, seed):
    """Where there is no repair, --repair changes no byte and ends with 5."""
    seed(store)
    before = digest_of(store)
    assert run("doctor", "--repair", "--yes").code == 5
    assert digest_of(store) == before


@pytest.mark.parametrize("seed", [orphan_link, journal_gap, flipped_byte])
def test_a_copy_comes_first(run, store, seed):
    """What touches more than derived data is preceded by a private copy of the file."""
    seed(store)
    before = facts_of(store)
    done = run("doctor", "--deep", "--repair", "--yes", "--json")
    copy = done.json["copy"]
    assert copy == f"{store}.before-repair-20251009T085320Z"
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
    assert facts_of(copy) == before
    assert run("doctor", "--deep", "--db", copy).code == 5


def test_a_repaired_gap_can_be_lived_with(run, store):
    """After a gap is closed, history and undo work, and the numbers go on."""
    journal_gap(store)
    assert run("doctor", "--repair", "--yes").code == 0
    verbs = {row["batch"]: row["verb"] for row in run("history", "--json").json["changes"]}
    assert verbs[1] == verbs[3] == "remember"
    assert run("undo", "2").code != 70
    assert run("undo").code == 0
    assert run("remember", "one more fact").code == 0
    assert run("doctor", "--deep").code == 0


MORE = {
    "counts": ("UPDATE tally SET facts = facts + 1 WHERE origin = 1",),
    "counts of the archived": ("DELETE FROM archived_term",),
    "counts of the lapsed": ("UPDATE lapsed SET facts = facts + 1",),
    "counts of terms of the lapsed": ("DELETE FROM lapsed_term WHERE term = 'call'",),
    "counts that are missing": ("DELETE FROM lapsed",),
    "counts of turns": ("UPDATE turn_tally SET octets = octets + 1",),
    "index of turns": ("INSERT INTO turn_fts (turn_fts, rowid, terms)"
                       " SELECT 'delete', number, terms FROM turn_index WHERE number = 1",),
    "labels": ("DELETE FROM label_term WHERE term = 'day'",),
    "labels of other words": ("UPDATE label_term SET term = 'night' WHERE term = 't1'",),
    "bounds": ("UPDATE ceiling SET codes = substr(codes, 2) WHERE number = 0",
               "INSERT INTO ceiling VALUES (7, x'00')"),
    "batches": ("UPDATE batch SET open = 1 WHERE number = 3",),
    "vectors": ("UPDATE vector_chunk SET facts = CAST(x'ff000000' || substr(facts, 5) AS BLOB)"
                " WHERE origin = 1",),
    "pairs": ("INSERT INTO near VALUES (1, 2, 0.9)",),
    "links": ("INSERT INTO link (from_fact, to_fact, kind, created_at) VALUES (1, 8, 'uses', 1)",),
    "links stored twice": ("INSERT INTO link (from_fact, to_fact, kind, created_at)"
                           " VALUES (2, 1, 'succeeds', 1), (2, 1, 'transition', 1)",),
    "references": ("PRAGMA foreign_keys = OFF", "INSERT INTO usage VALUES (998, 1, 1)"),
    "journal": ("DELETE FROM change WHERE entity = 'fact' AND row = 3",),
    "terms": ("UPDATE fact SET terms = 'nonsense', length = 1 WHERE seq = 2",),
    "exact_bounds": ("UPDATE ceiling SET codes ="
                     " CAST(substr(codes, 1, 1) || x'01' || substr(codes, 3) AS BLOB)",),
    "exact_vectors": ("UPDATE vector_chunk SET codes = CAST(substr(codes, 1, 100) || x'00000000'"
                      " || substr(codes, 105) AS BLOB) WHERE origin = 1",),
}  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", MORE)
def test_more_damage_is_found_and_mended(run, store, name):
    """Every derived table is compared with the facts, and made anew."""
    change(store, *MORE[name])
    check = name.split(" ")[0]
    done = run("doctor", "--deep", "--json")
    assert done.code == 5
    assert check in {finding["check"] for finding in done.json["findings"]}
    done = run("doctor", "--deep", "--repair", "--yes", "--json")
    assert (done.code, done.json["ok"]) == (0, True), done.json["findings"]
    db = open_for_writing(str(store))
    sound(db)
    db.close()
    assert run("doctor", "--deep", "--json").json["findings"] == []


TOLD = {
    "images": ("UPDATE change SET image = '{' WHERE image IS NOT NULL",),
    "values": ("UPDATE fact SET segment = 'nonsense' WHERE seq = 2",),
    "tables": ("DROP TRIGGER fact_inserted",),
    "structure": None,
}


@pytest.mark.parametrize("check", TOLD)
def test_what_is_only_told(run, store, check):
    """Damage that no other data can heal is told, with a backup as its remedy."""
    if TOLD[check] is None:
        change(store, "PRAGMA wal_checkpoint(TRUNCATE)")
        broken = bytearray(store.read_bytes())
        broken[3 * 4096 : 9 * 4096] = b"\xff" * (6 * 4096)
        store.write_bytes(broken)
    else:
        change(store, *TOLD[check])
    before = digest_of(store)
    done = run("doctor", "--deep", "--repair", "--yes", "--json")
    assert done.code == 5
    remedies = {f["check"]: f["remedy"] for f in done.json["findings"]}
    assert "backup" in remedies[check]
    assert digest_of(store) == before


def test_a_fact_edited_by_another_program(run, store):
    """An edit from outside is told as one, and is taken as it is only when that is asked for."""
    change(store, "UPDATE fact SET content = 'person2 drinks beer' WHERE seq = 3")
    changed = run("list", "--json").json["facts"]
    fact_id = next(f["id"] for f in changed if "beer" in f["content"])
    done = run("doctor", "--deep", "--json")
    found = {f["check"]: f["message"] for f in done.json["findings"]}
    assert found["digests"] == f"1 fact changed outside of tideline or damaged: {fact_id}"
    assert set(found) == {"digests", "terms", "exact_vectors"}
    assert run("doctor").code == 0
    assert run("doctor", "--deep", "--repair", "--yes").code == 0
    assert run("recall", "beer", "--json").json["hits"][0]["id"] == fact_id
    assert run("doctor", "--deep").code == 0


def test_bytes_that_are_no_text(run, store):
    """A fact that is no UTF-8 any more is told by its digest, and nothing is made of it."""
    change(store, "PRAGMA wal_checkpoint(TRUNCATE)")
    store.write_bytes(store.read_bytes().replace(b"person2 drinks", b"person2 \xff\xfeinks"))
    done = run("doctor", "--deep", "--json")
    assert done.code == 5
    assert {"digests", "terms"} <= {f["check"] for f in done.json["findings"]}
    done = run("doctor", "--deep", "--repair", "--yes", "--json")
    assert (done.code, done.error["code"]) == (5, "store_damaged")
    assert "backup" in done.error["hint"]


def test_a_fact_written_by_another_program(run, store):
    """A row without a digest is told apart from a changed one."""
    change(store, "UPDATE fact SET digest = NULL WHERE seq = 3")
    message = run("doctor", "--deep", "--json").json["findings"][0]["message"]
    assert message.startswith("1 fact written by another program: ")


@pytest.mark.parametrize("column", ["id", "source", "content", "title", "tags", "created_at"])
def test_digests_cover_what_never_changes(db, column):
    """A change of any column that never changes is found, one of the others is not."""
    from tideline_cli.store import writes

    put(db, [fact("tea at five", "A" * 26, origin=PEER, title="t", tags=("x",))])
    assert list(writes.wrong_digests(db)) == []
    db.execute("UPDATE fact SET importance = 0.9, pinned = 1, lifecycle = 'archived'")
    assert list(writes.wrong_digests(db)) == []
    value = NOW + 1 if column == "created_at" else "B" * 26
    db.execute(f"UPDATE fact SET {column} = ?", (value,))
    assert [(seq, held) for seq, _, held in writes.wrong_digests(db)] == [(1, True)]


def test_digests_cover_the_origin(db):
    """A fact that another origin's number or key is put on is found."""
    from tideline_cli.store import writes

    put(db, [fact("tea at five", "A" * 26), fact("cat", "B" * 26, origin=PEER)])
    db.execute("UPDATE origin SET key = 'channel:x/y/z' WHERE number = 2")
    assert [seq for seq, *_ in writes.wrong_digests(db)] == [2]


def test_undo_and_redo_keep_digests(run, store):
    """A fact that goes by an undo and comes back by another is whole."""
    run("remember", "a passing thought", "--title", "x", "--tag", "y", "--meta", "k=1")
    assert run("undo").code == 0
    assert run("redo").code == 0
    assert "a passing thought" in run("list").out
    assert run("doctor", "--deep").out.startswith("all is well")


# a disk that fails


def failing(monkeypatch, times, error=apsw.IOError, check="counts"):
    """Have a check fail so often with an error."""
    left = [times]
    real = dict(doctor._QUICK)[check]

    def broken(db):
        if left[0]:
            left[0] -= 1
            raise error("disk I/O error")
        yield from real(db)

    checks = tuple((name, broken if name == check else one) for name, one in doctor._QUICK)
    monkeypatch.setattr(doctor, "_QUICK", checks)


@pytest.mark.parametrize("error", [apsw.IOError, apsw.CorruptError])
def test_one_failed_read_repairs_nothing(run, store, monkeypatch, error):
    """A read that failed once is told as such, and nothing is repaired while that happens."""
    stale_index(store)
    failing(monkeypatch, 1, error)
    before = digest_of(store)
    done = run("doctor", "--repair", "--yes", "--json")
    assert done.code == 5
    found = {f["check"]: f for f in done.json["findings"]}
    assert set(found) == {"index", "reading"}
    assert "copy the file to another disk" in found["reading"]["remedy"]
    assert digest_of(store) == before


def test_reads_that_keep_failing(run, store, monkeypatch):
    """Where the system cannot read the file, that is what is told, not damage."""
    failing(monkeypatch, 2, apsw.CorruptError)
    monkeypatch.setattr(files, "unreadable", lambda path: "Input/output error")
    done = run("doctor", "--json")
    assert [(f["check"], f["message"]) for f in done.json["findings"]] == [
        ("reading", "the file cannot be read: Input/output error")
    ]


def test_damage_that_stays_is_damage(run, store, monkeypatch):
    """The same error twice on a file that can be read to its end is damage."""
    failing(monkeypatch, 2, apsw.CorruptError)
    found = run("doctor", "--json").json["findings"]
    assert [f["check"] for f in found] == ["structure"]
    assert engine.READING in doctor.BLOCKING


# surroundings


def test_doctor_is_the_owners(run, store):
    """Another origin may not examine the store, whose findings name facts of all."""
    done = run("doctor", "--origin", PEER.key, "--json")
    assert (done.code, done.error["code"]) == (2, "usage")


def test_no_store_yet(run, home):
    """Without a store there is nothing to find, and none is made."""
    done = run("doctor", "--json")
    assert (done.code, done.json["ok"], done.json["checks"]) == (0, True, [])
    assert os.listdir(home) == []


@pytest.mark.parametrize("content", [b"my notes, not a database\n" * 400, bytes(range(256)) * 64])
def test_what_is_no_database(run, tmp_path, content):
    """A file that is no database is told, and left as it is."""
    path = tmp_path / "notes.db"
    path.write_bytes(content)
    path.chmod(0o600)
    done = run("doctor", "--repair", "--yes", "--json", "--db", str(path))
    assert done.code == 5
    assert [f["check"] for f in done.json["findings"]] == ["identity"]
    assert path.read_bytes() == content


def test_folder_links_and_locks(run, store, tmp_path):
    """A folder that others may write, a lock file that is a link, a link for a store: each is
    told."""
    store.parent.chmod(0o777)
    lock = store.with_name("tideline.db-lock-dream")
    lock.unlink(missing_ok=True)
    lock.symlink_to(tmp_path / "nowhere")
    done = run("doctor", "--json")
    assert done.code == 5
    messages = [f["message"] for f in done.json["findings"]]
    assert any("others may replace the memory file" in message for message in messages)
    assert any("is a link" in message for message in messages)
    lock.unlink()
    assert run("doctor", "--repair", "--yes").code == 0
    assert stat.S_IMODE(store.parent.stat().st_mode) == 0o755
    link = tmp_path / "link.db"
    link.symlink_to(store)
    done = run("doctor", "--json", "--db", str(link))
    assert done.code == 5
    assert "is a link" in done.json["findings"][0]["message"]
    assert run("doctor", "--db", str(tmp_path)).code == 5


def test_an_old_library_is_told(run, store, monkeypatch):
    """A SQLite that may lose writes is found before anything is opened."""
    monkeypatch.setattr(opening.apsw, "sqlite_lib_version", lambda: "3.45.1")
    done = run("doctor", "--json")
    assert done.code == 5
    assert [f["check"] for f in done.json["findings"]] == ["library"]


def test_a_long_log_is_a_warning(run, store, monkeypatch):
    """A log that grew is told with what to do."""

    monkeypatch.setattr(engine, "_LONG_LOG", 0)
    reader = raw(store)
    reader.execute("BEGIN; SELECT count(*) FROM fact").fetchall()
    run("remember", "something that stays in the log")
    done = run("doctor", "--json")
    assert (done.code, [f["check"] for f in done.json["findings"]]) == (0, ["log"])
    reader.close()


def test_doctor_beside_writers(run, store):
    """Facts that come while doctor reads are not taken for damage."""
    db = open_for_writing(str(store))
    report = doctor.examine(
        str(store), deep=True, network_allowed=True,
        progress=lambda name: put(db, [fact(f"note {name}", f"F{name:_<25}"[:26])]),
    )  # fmt: skip
    with writing(db):
        embed_backlog(db, origin_number=1, limit=100)
    db.close()
    assert report.findings == ()
    assert derived.sets(raw(store))


def test_doctor_asks_on_a_terminal(store):
    """On a terminal --repair says what it would do; anything but a yes changes nothing."""
    orphan_link(store)
    before = digest_of(store)
    for answer, code in (("n", 5), ("y", 0)):
        child = pexpect.spawn(
            sys.executable, ["-m", "tideline_cli", "doctor", "--repair"], encoding="utf-8",
            timeout=30, dimensions=(40, 200),
        )  # fmt: skip
        child.expect_exact("copy the store beside itself")
        child.expect_exact("remove links and derived rows that point to nothing")
        child.expect_exact("[y/N]")
        child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == code
        assert (digest_of(store) == before) == (answer == "n")


def test_json_keys(run, store):
    """The JSON object has the keys of the contract."""
    form = json.loads(run("doctor", "--json").out)
    assert list(form) == ["ok", "findings", "checks", "database"]
    assert (form["ok"], form["findings"], form["database"]) == (True, [], str(store))


def test_a_slot_with_two_values(run, home):
    """Two values of a slot at one instant are a warning; one after the other they are none, and
    neither is an untrusted one beside a trusted one."""
    city = ("--slot", "city")
    run("remember", "I live in Rome", *city)
    run("remember", "I live in Oslo", *city, "--valid-from", "2099-01-01")
    run("remember", "they live in Bern", *city, "--source", "tool_output")
    assert "slots" not in {found["check"] for found in run("doctor", "--json").json["findings"]}
    listed = run("list", "--json").json["facts"]
    (second,) = (fact["id"] for fact in listed if "Oslo" in fact["content"])
    change(home / "tideline.db", f"UPDATE fact SET valid_from = NULL WHERE id = '{second}'")
    done = run("doctor", "--json")
    (found,) = (one for one in done.json["findings"] if one["check"] == "slots")
    assert (done.code, found["severity"]) == (0, "warning")
    assert second in found["message"]
    assert run("remember", "I live in Kyiv", *city).code == 0
    assert "slots" not in {found["check"] for found in run("doctor", "--json").json["findings"]}
