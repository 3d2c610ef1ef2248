"""tideline sync as a user meets it: what it prints, how it ends, what it says to do."""

from __future__ import annotations

import json

import pytest

from tests import backends
from tests.conftest import run_main


@pytest.fixture
def on(tmp_path, monkeypatch):
    """Return a function that runs a command on one of several machines."""

    def call(name, *argv, **given):
        folder = tmp_path / name
        folder.mkdir(mode=0o700, exist_ok=True)
        monkeypatch.setenv("TIDELINE_HOME", str(folder))
        return run_main(*argv, **given)

    return call


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "place")


@pytest.fixture
def two(on, place):
    """Two machines that have met in an encrypted place, a fact of each."""
    on("ash", "remember", "The boat lies at the north pier")
    on("ash", "sync", place, "--encrypt", "--name", "ash")
    on("birch", "remember", "Ana waters the plants")
    assert on("birch", "sync", "key", "add", stdin=on("ash", "sync", "key").out).code == 0
    assert on("birch", "sync", place, "--name", "birch").code == 0
    assert on("ash", "sync").code == 0
    return on


def test_a_first_sync_says_where_the_key_is(on, place):
    """A first sync says where the key is."""
    on("ash", "remember", "The boat lies at the north pier")
    done = on("ash", "sync", place, "--encrypt", "--name", "ash")
    assert done.code == 0
    assert done.out.startswith(f"{place}: nothing new; 1 fact sent in 1 segment, ")
    assert "made a key: " in done.err and "without it nobody can read the place" in done.err


def test_a_sync_says_what_came_and_in_which_batch(two, place):
    """A sync says what came and in which batch."""
    two("birch", "remember", "The skis are in the garage")
    two("birch", "sync")
    done = two("ash", "sync")
    batch = two("ash", "sync", "--json").json["places"][0]["batches"]
    assert done.out.startswith(f"{place}: 1 fact received as batch ") and batch == []
    assert done.out.endswith("; nothing to send\n") and done.err == ""
    number = done.out.split(" batch ")[1].split(";")[0]
    assert two("ash", "undo", number).code == 0
    assert two("ash", "sync").code == 0
    two("birch", "sync")
    assert two("birch", "recall", "skis").code == 1


def test_json_has_all_that_text_has(two, place):
    """JSON has all that text has."""
    two("ash", "remember", "The skis are in the garage")
    (told,) = two("ash", "sync", "--json").json["places"]
    assert told.keys() == {
        "address", "place", "encrypted", "vouched", "received", "batches", "purged", "strangers",
        "refused", "sent", "segments", "bytes", "conflicts", "reworded", "stopped", "notes",
    }  # fmt: skip
    assert (told["address"], told["sent"], told["segments"]) == (place, 1, 1)
    assert told["encrypted"] and told["vouched"] and told["bytes"] > 200


def test_quiet_prints_nothing(two):
    """Quiet prints nothing."""
    two("ash", "remember", "The skis are in the garage")
    done = two("ash", "sync", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_without_a_place_it_says_how_to_begin(on, tmp_path):
    """Without a place it says how to begin."""
    backends.begin(tmp_path / "ash")
    done = on("ash", "sync")
    assert (done.code, done.out) == (2, "")
    assert "no place yet" in done.err and "tideline sync FOLDER" in done.err
    assert "`tideline sync FOLDER` begins" in on("ash", "sync", "status").out
    assert on("ash", "sync", "status", "--json").json == {
        "replica": None, "name": None, "places": [], "conflicts": 0, "reworded": [],
    }  # fmt: skip
    assert on("ash", "sync", "log", "--json").json == {"batches": []}


def test_status_tells_machines_and_places(two, place):
    """Status tells machines and places."""
    done = two("ash", "sync", "status")
    first, second, third = done.out.splitlines()
    assert first.startswith("this machine\tash (")
    assert second.startswith(f"{place}\tencrypted, synced ")
    assert third.startswith("  birch\tread up to segment 1")
    form = two("ash", "sync", "status", "--json").json
    (held,) = form["places"]
    assert (form["name"], held["address"], held["pending"]) == ("ash", place, False)
    assert [one["name"] for one in held["replicas"]] == ["birch"]


def test_the_status_of_a_memory_names_its_places(two, on, place):
    """To the owner alone: a channel learns nothing of other machines."""
    (told,) = two("ash", "status", "--json").json["places"]
    assert told["address"] == place
    assert told["synced_at"] is not None
    assert any(line.startswith(f"place      {place}: synced ")
               for line in two("ash", "status").out.splitlines())  # fmt: skip
    hidden = two("ash", "status", "--origin", "channel:a/b/c", "--json")
    assert hidden.json["places"] is None
    assert place not in hidden.out


@pytest.mark.parametrize("name", ["ash", "birch"])
def test_the_log_has_the_batches_of_both(two, name):
    """The log has the batches of both."""
    two("ash", "remember", "The skis are in the garage")
    two("birch", "remember", "Box 3 holds lamps", "--origin", "channel:a/b/c")
    two("ash", "sync"), two("birch", "sync"), two("ash", "sync")
    done = two(name, "sync", "log")
    told = {tuple(line.split("\t")[::2]) for line in done.out.splitlines()}
    assert {one for one, _ in [row[:2] for row in told]} == {"ash:2", "birch:2"} or len(told) == 2
    assert any("channel:a/b/c" in line for line in done.out.splitlines())
    rows = two(name, "sync", "log", "--json").json["batches"]
    assert {row["name"] for row in rows} == {"ash", "birch"}
    assert len(two(name, "sync", "log", "--limit", "1").out.splitlines()) == 1


def test_keys_are_printed_and_taken(two, tmp_path):
    """Keys are printed and taken."""
    line = two("ash", "sync", "key").out
    assert line.startswith("tideline-key 1 ") and line.count("\n") == 1
    (form,) = two("ash", "sync", "key", "--json").json["keys"]
    assert form["key"] == line.strip()
    named = str(tmp_path / "ring")
    added = two("cedar", "sync", "key", "add", "--key", named, "--json", stdin=line).json
    assert added == {"file": named, "added": [form["id"]]}
    assert two("cedar", "sync", "key", "--key", named).out == line
    assert two("cedar", "sync", "key").out == ""


@pytest.mark.parametrize("text", ["", "# nothing\n", "tideline-key 1 x y z\n", "\x00\xff\n"])
def test_what_is_no_key_is_not_taken(on, text):
    """What is no key is not taken."""
    done = on("ash", "sync", "key", "add", stdin=text)
    assert (done.code, done.out) == (2, "") and "hint: " in done.err


def test_a_machine_without_the_key_is_told_both_commands(two, place):
    """A machine without the key is told both commands."""
    two("cedar", "remember", "A fact of its own")
    done = two("cedar", "sync", place)
    assert (done.code, done.out) == (3, "")
    assert "`tideline sync key` prints it on a machine that has it" in done.err
    assert "`tideline sync key add` takes it here" in done.err


def test_a_forgotten_place_is_gone_to_no_more(two, place):
    """A forgotten place is gone to no more."""
    done = two("ash", "sync", "forget", place)
    assert (done.code, done.out) == (0, f"{place} is forgotten; what lies there stays\n")
    assert two("ash", "sync").code == 2
    again = two("ash", "sync", "forget", place)
    assert again.code == 2 and "no such place" in again.err


def test_of_several_places_one_that_fails_keeps_none_from_the_others(two, tmp_path, place):
    """Of several places one that fails keeps none from the others."""
    second = str(tmp_path / "second")
    assert two("ash", "sync", second, "--encrypt").code == 0
    (tmp_path / "place").rename(tmp_path / "away")
    two("ash", "remember", "The skis are in the garage")
    done = two("ash", "sync")
    assert done.code == 75
    assert done.out.startswith(f"{second}: nothing new; 1 fact sent") and done.out.count("\n") == 1
    assert f"{place}: " in done.err and "is its disk there?" in done.err
    form = two("ash", "sync", "--json")
    assert (form.code, len(form.json["places"])) == (75, 1)


def test_two_places_carry_each_others_news(two, tmp_path, place):
    """A machine that goes to both passes on what it hears."""
    second = str(tmp_path / "second")
    assert two("ash", "sync", second, "--encrypt").code == 0
    two("cedar", "sync", "key", "add", stdin=two("ash", "sync", "key").out)
    two("cedar", "remember", "The skis are in the garage")
    assert two("cedar", "sync", second, "--name", "cedar").code == 0
    assert two("ash", "sync").code == 0
    assert two("ash", "sync").code == 0
    assert two("birch", "sync").code == 0
    exports = {two(name, "export").out for name in ("ash", "birch")}
    two("cedar", "sync")
    assert exports == {two("cedar", "export").out}


@pytest.mark.parametrize("argv", [
    ("nowhere/at/all",), ("-",), ("ext::sh -c id",), ("a", "b"), ("key", "none"), ("status", "x"),
    ("forget",), ("stauts",), ("logs",), ("place", "--plain", "--encrypt"), ("place", "--name", ""),
    ("place", "--name", "a\nb"), ("place", "--name", "x" * 300), ("log", "--limit", "0"),
    ("place", "--origin", "channel:a/b/c"),
])  # fmt: skip
def test_bad_calls_end_with_2_and_a_hint(on, argv):
    """Bad calls end with 2 and a hint."""
    done = on("ash", "sync", *argv)
    assert (done.code, done.out) == (2, ""), done
    assert done.err.count("\n") <= 3 and "Traceback" not in done.err
    assert on("ash", "sync", *argv, "--json").error["message"]


def test_a_plain_place_that_others_read_is_joined_by_word_alone(on, tmp_path):
    """A plain place that others read is joined by word alone."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    on("ash", "remember", "The boat lies at the north pier")
    assert on("ash", "sync", str(shared), "--plain").code == 0
    on("birch", "remember", "Ana waters the plants")
    done = on("birch", "sync", str(shared))
    assert done.code == 2 and "--plain joins it all the same" in done.err
    assert b"Ana" not in b"".join(one.read_bytes() for one in shared.glob("*/*.seg"))
    assert on("birch", "sync", str(shared), "--plain").code == 0
    done = on("birch", "sync", str(shared), "--encrypt")
    assert done.code == 2 and "is not encrypted already" in done.err


def test_a_conflict_is_told_once_and_shown(two):
    """A conflict is told once and shown."""
    two("ash", "remember", "We meet in room 4", "--slot", "room")
    two("birch", "remember", "We meet in room 9", "--slot", "room")
    two("ash", "sync")
    done = two("birch", "sync")
    assert "1 value gave way to a later value of another machine" in done.err
    assert "We meet in room 4" in two("birch", "contradictions").out
    assert two("birch", "sync", "status").out.splitlines()[-1].startswith("conflicts\t1: ")


@pytest.mark.parametrize("answer", ["forget", "keep"])
def test_a_forget_and_a_rewording_are_named_until_one_is_answered(two, answer):
    """By sync, also with --quiet, by its status and by status; the other machine hears the answer.
    """
    old = two("ash", "remember", "The review is in April", "--json").json["id"]
    two("ash", "sync"), two("birch", "sync")
    new = two("ash", "edit", old, "The review is in May", "--json").json["id"]
    two("birch", "forget", old)
    assert two("ash", "sync", "--quiet").err == ""
    asked = f"{old} was forgotten on one machine and reworded on another: {new} stands"
    for name in ("birch", "ash"):
        assert asked in two(name, "sync", "--quiet").err
        for words in (("status",), ("sync", "status")):
            assert asked in two(name, *words).out
            told = two(name, *words, "--json").json["reworded"]
            assert told == [{"id": new, "forgotten": old}]
    two("birch", "forget", new if answer == "forget" else old)
    for name in ("birch", "ash"):
        assert two(name, "sync", "--quiet").err == ""
        assert two(name, "status", "--json").json["reworded"] == []
        assert two(name, "recall", "review").code == (answer == "forget")


@pytest.mark.parametrize("answer", ["purge", "restore"])
def test_a_purge_archives_a_rewording_and_says_so(two, answer):
    """Until it is purged too, or restored; nothing is purged that its writer did not name."""
    old = two("ash", "remember", "The review is in April", "--json").json["id"]
    two("ash", "sync"), two("birch", "sync")
    new = two("ash", "edit", old, "The review is in May", "--json").json["id"]
    assert two("birch", "purge", old, "--yes").code == 0
    two("birch", "sync")
    asked = f"{new} is archived: it rewords a fact that was purged on another machine"
    for name in ("ash", "birch"):
        assert asked in two(name, "sync", "--quiet").err
        assert two(name, "show", new, "--json").json["fact"]["lifecycle"] == "archived"
        assert asked in two(name, "status").out
    assert two("birch", answer, new, *(("--yes",) if answer == "purge" else ())).code == 0
    for name in ("birch", "ash"):
        assert two(name, "sync", "--quiet").err == ""
        assert two(name, "recall", "review").code == (answer == "purge")
        assert two(name, "doctor", "--deep").code == 0


def test_to_forget_what_gave_way_can_be_undone_alone(two):
    """The word that settles a contradiction is a batch. An undo after it opens the contradiction
    again, and takes back nothing else."""
    wrong = two("ash", "remember", "We meet in room 4", "--slot", "room", "--json").json["id"]
    two("birch", "remember", "We meet in room 9", "--slot", "room", "--now", "2025-10-10")
    two("ash", "sync")
    two("birch", "sync")
    two("birch", "remember", "Ana is away")
    done = two("birch", "forget", wrong)
    assert (done.code, done.err) == (0, "")
    assert f"forgot {wrong}: We meet in room 4; a sync had archived it" in done.out
    assert "We meet in room 4" not in two("birch", "contradictions").out
    assert "already" in two("birch", "forget", wrong).err
    assert "forget" in two("birch", "undo").out
    for name in ("birch", "ash", "birch"):
        two(name, "sync")
    assert "We meet in room 4" in two("ash", "contradictions").out
    assert "Ana is away" in two("ash", "list").out
    held = two("ash", "list", "--slot", "room", "--json").json["facts"]
    assert [one["content"] for one in held] == ["We meet in room 9"]


def test_the_log_says_where_it_begins(on, place):
    """What was there before the first sync is no part of the log, which says so."""
    on("ash", "remember", "The boat lies at the north pier")
    assert "nothing was synced yet" in on("ash", "sync", "log").err
    on("ash", "sync", place, "--name", "ash")
    done = on("ash", "sync", "log")
    assert done.out == "" and "since its first sync" in done.err
    on("ash", "remember", "Ana waters the plants")
    on("ash", "sync")
    assert on("ash", "sync", "log").out.startswith("ash:")


def test_a_new_place_that_is_not_encrypted_says_so_once(on, tmp_path):
    """With the way to an encrypted one; who asked for it with --plain knows."""
    tmp_path.chmod(0o700)
    on("ash", "remember", "The boat lies at the north pier")
    done = on("ash", "sync", str(tmp_path / "plain"), "--name", "ash")
    form = on("ash", "sync", "status", "--json").json["places"][0]
    assert ("not encrypted: you alone can read" in done.err) == (not form["encrypted"])
    assert form["encrypted"] or "--encrypt" in done.err
    assert on("ash", "sync").err == ""
    assert on("ash", "sync", str(tmp_path / "asked"), "--plain").err == ""


def test_a_place_below_a_missing_folder_names_the_way(on, tmp_path):
    """A place below a missing folder names the way."""
    on("ash", "remember", "The boat lies at the north pier")
    done = on("ash", "sync", str(tmp_path / "no where" / "place"))
    assert done.code == 2 and f"mkdir -p '{tmp_path / 'no where'}'" in done.err


def test_help_names_the_kinds_of_places(on):
    """Help names the kinds of places."""
    done = on("ash", "sync", "--help")
    for word in ("rsync", "git", "rclone", "key add", "status", "undo"):
        assert word in done.out


@pytest.mark.parametrize("width", [50, 80, 120])
def test_help_fits_a_terminal(on, monkeypatch, width):
    """Help fits a terminal."""
    monkeypatch.setenv("COLUMNS", str(width))
    lines = on("ash", "sync", "--help").out.splitlines()
    assert max(map(len, lines)) <= width


def test_a_dream_syncs_around_it_and_says_so(two, place):
    """A dream syncs around it and says so."""
    two("birch", "remember", "The skis are in the garage")
    two("birch", "sync")
    done = two("ash", "dream", "--sync", "--json")
    assert done.code == 0
    assert two("ash", "recall", "skis").code == 0
    assert json.loads(done.out)["origins"]


def test_who_can_read_a_plain_place_is_said_with_quiet_too(on, tmp_path):
    """It is said once, so the first sync says it, whatever it prints."""
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    on("ash", "remember", "The boat lies at the north pier")
    first, second = (on("ash", "sync", str(folder), "--plain", "--quiet") for _ in range(2))
    assert "reads every fact" in first.err
    assert (first.out, second.out, second.err) == ("", "", "")
