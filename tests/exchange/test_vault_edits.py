"""What a reader does to a vault between two exports, and what becomes of it."""

from __future__ import annotations

import os
import shutil
from itertools import pairwise

import pytest

from tests.conftest import run_main
from tests.exchange.test_vault import LATER, contents, edit, exported, note_of, said


def taken(*options):
    done = run_main("import", "notes", "--trust", "--merge", "--json", *options)
    assert done.code == 0, done.err
    return done


def active():
    return {one["content"]: one for one in run_main("list", "--json").json["facts"]}


# --- fields


@pytest.mark.parametrize("written", [
    "tags:\n  - work\n  - weekly", "tags:\n- work\n- weekly", "tags: [work, weekly]",
])  # fmt: skip
def test_a_list_in_any_form_of_yaml_comes_in(written):
    """Editors write lists line by line; none of them erases the labels."""
    fact_id = said("I deploy on Fridays", "--tag", "work")
    exported()
    edit(note_of("deploy"), 'tags: ["work"]', written)

    taken(*LATER)

    assert run_main("show", fact_id, "--json").json["fact"]["tags"] == ["work", "weekly"]


def test_a_note_that_an_editor_has_written_anew_says_the_same():
    """An editor of properties rewrites all of them; that is no edit."""
    fact_id = said("I deploy: Fridays", "--tag", "work", "--slot", "deploy", "--importance", "0.75",
                   "--meta", "n=1")  # fmt: skip
    run_main("pin", fact_id)
    exported()
    path = note_of("deploy")
    edit(path, 'tags: ["work"]', "tags:\n  - work")
    edit(path, 'slot: "deploy"', "slot: deploy")
    edit(path, 'metadata: {"n": "1"}', 'metadata:\n  n: "1"')

    assert not exported()["edited"]
    assert taken(*LATER).json["brought"]["relabelled"] == 0


def test_a_field_that_is_not_read_erases_nothing():
    """A form of YAML that is not read is said, and nothing of such a note is taken."""
    fact_id = said("I deploy on Fridays", "--tag", "work")
    exported()
    edit(note_of("deploy"), 'tags: ["work"]', "tags: &all [work]")

    done = run_main("import", "notes", "--trust", "--merge", *LATER)

    assert done.code == 1 and "tags stands in a form that is not read: an anchor" in done.err
    assert run_main("show", fact_id, "--json").json["fact"]["tags"] == ["work"]
    assert exported()["edited"] and "&all" in "".join(contents("notes").values())
    edit(note_of("deploy"), "tags: &all [work]", 'tags: ["work"]\ntags: ["home"]')
    assert "tags stands there twice" in run_main("import", "notes", "--trust", *LATER).err


def test_comments_in_front_stay():
    """A reader's comments among our fields are kept when the fact changes."""
    fact_id = said("I deploy on Fridays", "--tag", "work")
    exported()
    edit(note_of("deploy"), 'tags: ["work"]', "# of mine\ntags:\n  # of a list\n  - work")
    run_main("edit", fact_id, "--tag", "new", "--json")

    assert exported()["changed"] == 1
    text = contents("notes")[os.path.relpath(note_of("deploy"), "notes")]
    assert "# of mine\n" in text and "# of a list\n" in text and 'tags: ["new"]' in text


def test_the_front_of_somebodys_note_is_not_lost():
    """The labels of a note beside ours are labels of its fact; the rest is in its metadata."""
    said("ours")
    exported()
    with open("notes/facts/mine.md", "w") as file:
        file.write("---\ntags:\n  - x\nsource: https://example.org\n---\nA note of my own\n")

    taken()

    fact = active()["A note of my own"]
    assert fact["tags"] == ["x"] and fact["metadata"] == {"source": "https://example.org"}


# --- filters


def test_a_filtered_export_keeps_the_notes_of_other_facts():
    """Notes outside of the filter stay, with their hubs; those of gone facts go, whatever it is."""
    said("a work fact", "--tag", "work", "--slot", "job")
    said("a home fact", "--slot", "home")
    gone = said("a fact that goes")
    exported()
    before = contents("notes")
    run_main("forget", gone, "--json")

    done = run_main("export", "--format", "vault", "notes", "--tag", "work")

    assert done.code == 0 and "outside of the filters: 1 note" in done.err
    after = contents("notes")
    assert set(before) - set(after) == {next(name for name in before if "goes" in name)}
    assert after["hubs/slot home.md"] == before["hubs/slot home.md"]
    assert "- [[slot home]] 1" in after["Memory.md"] and "goes" not in "".join(after.values())
    assert exported("notes", "--tag", "work")["outside"] == 1


def test_the_notes_of_archived_facts_stay_as_long_as_they_are_exported():
    """An export of one lifecycle takes away no note of an active fact."""
    said("an active fact")
    run_main("forget", said("an archived fact"), "--json")

    assert exported("notes", "--lifecycle", "all")["facts"] == 2
    assert exported("notes", "--lifecycle", "archived")["outside"] == 1
    assert len(os.listdir("notes/facts")) == 2
    assert exported()["removed"] == 1


def test_nothing_to_export_ends_with_1():
    """Filters that leave nothing make no vault; one that is there loses what is gone, no more."""
    assert run_main("export", "--format", "vault", "notes").code == 1
    assert not os.path.exists("notes")
    fact_id = said("a work fact", "--tag", "work")
    done = run_main("export", "--format", "vault", "notes", "--tag", "none")
    assert (done.code, os.path.exists("notes")) == (1, False) and "nothing to export" in done.err
    exported("notes", "--tag", "work")
    said("another")
    run_main("purge", fact_id, "--yes", "--json")

    assert run_main("export", "--format", "vault", "notes", "--tag", "work").code == 1
    assert os.listdir("notes/facts") == []


def test_what_is_left_of_a_gone_fact_is_no_fact():
    """What a reader wrote into the note of a gone fact stays, is passed over by an import, and is
    in its place again when the fact comes back."""
    fact_id = said("a plan with notes")
    said("another fact")
    exported()
    path = note_of("plan")
    edit(path, "stays. -->\n", "stays. -->\nmy own words\n")
    edit(path, "tideline: ", "aliases: [p]\ntideline: ")
    run_main("forget", fact_id, "--json")
    assert len(exported()["kept"]) == 1

    done = run_main("import", "notes", "--trust", "--merge")

    assert "my own words" not in active() and "1 notes of gone facts" in done.err
    assert not exported()["strange"]
    run_main("restore", fact_id, "--json")
    exported()
    with open(path) as file:
        text = file.read()
    assert "a plan with notes" in text and "my own words" in text and "aliases: [p]" in text
    assert len(os.listdir("notes/facts")) == 2


# --- new words


def test_a_rewording_keeps_its_labels():
    """As by `edit`, a reworded fact keeps its pin, and holds as long as the old one did."""
    old = said("I work in Berlin", "--valid-from", "2024-01-01", "--valid-to", "2098-12-31",
               "--tag", "t", "--source-turn", "turn 3")  # fmt: skip
    run_main("pin", old)
    exported()
    edit(note_of("Berlin"), "I work in Berlin\n<", "I work in Bern\n<")

    taken(*LATER)

    fact = active()["I work in Bern"]
    assert fact["pinned"] and fact["tags"] == ["t"] and fact["source_turn"] == "turn 3"
    assert fact["valid_from"][:10] == "2024-01-01" and fact["valid_to"][:10] == "2099-01-01"
    assert "I work in Berlin" not in active()


def test_new_words_of_an_untrusted_fact_lose_its_pin():
    """What the owner granted to words does not pass to others."""
    old = said("seen on a page", "--source", "tool_output")
    run_main("pin", old)
    exported()
    edit(note_of("seen"), "seen on a page\n<", "seen on another page\n<")

    taken(*LATER)

    fact = active()["seen on another page"]
    assert not fact["pinned"] and fact["source"] == "tool_output"


@pytest.mark.parametrize("way", [("--merge",), ()])
def test_each_edit_before_the_next_export_replaces_the_one_before(way):
    """A note that is edited and imported again and again leaves one active fact, also where the
    words come back."""
    said("I deploy on Fridays")
    exported()
    path = note_of("deploy")
    days = ["Fridays", "Mondays", "Tuesdays", "Mondays", "Sundays"]
    for at, (before, after) in enumerate(pairwise(days), 1):
        edit(path, f"I deploy on {before}\n<", f"I deploy on {after}\n<")
        os.utime(path, (1_760_000_000 + at * 60,) * 2)
        for _ in range(2):  # again, without an edit
            done = run_main("import", "notes", "--trust", *way, *LATER)
            assert done.code == 0, done.err
            assert list(active()) == [f"I deploy on {after}"]

    assert not exported("notes", *LATER)["edited"]
    assert os.listdir("notes/facts") == [os.path.basename(path)]
    assert run_main("doctor", "--deep").code == 0


def test_a_note_that_is_older_than_what_replaced_its_fact_replaces_nothing_else():
    """By time: what was said after the edit of the note stays."""
    old = said("I deploy on Fridays")
    exported()
    path = note_of("deploy")
    edit(path, "I deploy on Fridays\n<", "I deploy on Mondays\n<")
    os.utime(path, (1_760_000_060,) * 2)
    run_main("edit", old, "I deploy on Sundays", "--json", *LATER)

    taken(*LATER)

    assert "I deploy on Sundays" in active()


def test_with_archived_facts_a_note_goes_to_the_new_fact():
    """Where archived facts are exported too, the note that was edited is that of the new fact, and
    the old fact gets one of its own."""
    said("I deploy on Fridays")
    exported()
    path = note_of("Fridays")
    edit(path, "I deploy on Fridays\n<", "I deploy on Mondays\n<")
    taken(*LATER)

    done = exported("notes", "--lifecycle", "all", *LATER)

    assert not done["edited"] and done["facts"] == 2 == len(os.listdir("notes/facts"))
    with open(path) as file:
        assert "I deploy on Mondays" in file.read()


# --- copies


@pytest.mark.parametrize("name", ["A copy", "Z copy"])
def test_a_copy_with_other_words_is_a_fact_of_its_own(name):
    """A copied note replaces nothing; its file is that of the new fact from then on."""
    said("I deploy on Fridays", "--tag", "t")
    exported()
    path, copy = note_of("deploy"), f"notes/facts/{name}.md"
    shutil.copy(path, copy)
    assert f"{name}.md" in exported()["strange"]
    assert "1 copies of notes say the same" in run_main("import", "notes", "--trust").err
    edit(copy, "I deploy on Fridays\n<", "I rest on Sundays\n<")
    edit(copy, "stays. -->\n", "stays. -->\nmy own words\n")

    taken(*LATER)

    assert sorted(active()) == ["I deploy on Fridays", "I rest on Sundays"]
    assert active()["I rest on Sundays"]["tags"] == ["t"]
    done = exported("notes", *LATER)
    assert not done["strange"] and not done["edited"]
    assert sorted(os.listdir("notes/facts")) == sorted(map(os.path.basename, (path, copy)))
    with open(copy) as file:
        assert active()["I rest on Sundays"]["id"] in file.read()
    assert taken(*LATER).json["added"] == 0


def test_a_copy_with_other_fields_is_refused():
    """Two notes that say the same of one fact under different labels: neither is guessed."""
    fact_id = said("I deploy on Fridays", "--tag", "t")
    exported()
    shutil.copy(note_of("deploy"), "notes/facts/A copy.md")
    edit("notes/facts/A copy.md", '["t"]', '["other"]')

    done = run_main("import", "notes", "--trust", "--merge", *LATER)

    assert "'A copy.md' is a copy of 'I deploy on Fridays (" in done.err
    assert run_main("show", fact_id, "--json").json["fact"]["tags"] == ["t"]


# --- hubs


def test_what_a_reader_writes_into_hubs_and_the_map_stays():
    """Text above and below the links, and fields in front."""
    said("a fact", "--slot", "job")
    exported()
    for path in ("notes/hubs/slot job.md", "notes/Memory.md"):
        edit(path, "<!-- tideline:links -->", "above\n\n<!-- tideline:links -->")
        edit(path, "tideline_hub: true", "tideline_hub: true\ncssclasses:\n  - wide")
        with open(path, "a") as file:
            file.write("below\n")
    said("another fact", "--slot", "home")

    exported()

    for path in ("notes/hubs/slot job.md", "notes/Memory.md"):
        with open(path) as file:
            text = file.read()
        assert "above" in text and "below" in text and "cssclasses:\n  - wide\n" in text
    assert "[[slot home]]" in contents("notes")["Memory.md"]
    again = contents("notes")
    exported()
    assert contents("notes") == again


@pytest.mark.parametrize("path", ["hubs/slot job.md", "Memory.md"])
@pytest.mark.parametrize("harm", ["bytes", "mark", "link", "folder"])
def test_a_hub_that_cannot_be_told_from_its_readers_words_is_left_alone(path, harm, tmp_path):
    """What is not UTF-8, lacks a mark, or is a link: nothing of it is lost, and it is said."""
    said("a fact", "--slot", "job")
    exported()
    full = f"notes/{path}"
    if harm == "bytes":
        with open(full, "ab") as file:
            file.write(b"caf\xe9\n")
    elif harm == "mark":
        edit(full, "<!-- /tideline:links -->", "my own")
    else:
        os.unlink(full)
        (tmp_path / "victim").write_text("kept")
        if harm == "link":
            os.symlink(tmp_path / "victim", full)
        else:
            os.mkdir(full)
    said("another", "--slot", "job")
    state = os.lstat(full)

    done = exported()

    assert path in done["strange"]
    assert os.lstat(full).st_mtime_ns == state.st_mtime_ns
    assert os.path.islink(full) == (harm == "link") and (
        harm not in ("link", "folder") or (tmp_path / "victim").read_text() == "kept"
    )


def test_the_hub_of_a_gone_slot_keeps_its_readers_words_alone():
    """No line of a hub names a fact that was purged."""
    fact_id = said("a secret plan", "--slot", "job")
    said("another")
    exported()
    with open("notes/hubs/slot job.md", "a") as file:
        file.write("of mine\n")
    run_main("purge", fact_id, "--yes", "--json")

    exported()

    text = contents("notes")["hubs/slot job.md"]
    assert "of mine" in text and "secret plan" not in text


def test_slots_with_one_file_name_share_a_hub():
    """Two slots whose long names begin alike are both in one hub."""
    said("the one", "--slot", f"{'x' * 70} 1")
    said("the other", "--slot", f"{'x' * 70} 2")

    exported()

    text = contents("notes")[f"hubs/slot {'x' * 60}.md"]
    assert "the one" in text and "the other" in text
    assert f"- [[slot {'x' * 60}]] 2" in contents("notes")["Memory.md"]


def test_folders_among_the_notes_are_said():
    """Notes that were moved into a folder are not read, and that is not silent."""
    said("a fact")
    exported()
    os.mkdir("notes/facts/moved")

    assert "facts/moved" in exported()["strange"]
    assert "1 folders in facts are not read" in run_main("import", "notes", "--trust").err


def test_notes_beside_the_folder_of_facts_are_said():
    """Editors put a new note at the top of a vault."""
    said("a fact")
    exported()
    assert "passed over" not in run_main("import", "notes", "--trust").err
    for name in ("Garden.md", "Trip.md"):
        with open(f"notes/{name}", "w", encoding="utf-8") as file:
            file.write("Roses are pruned in March.\n")
    told = run_main("import", "notes", "--trust").err
    assert "passed over: Garden.md and 1 more; of a vault only the notes in facts are read" in told
