"""A vault: a folder of notes, and back."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import run_main
from tests.support import DAY, NOW, often
from tideline_cli.exchange.vault import note
from tideline_cli.exchange.vault.read import rows
from tideline_cli.model.fact import SEGMENTS

LATER = ("--now", str(NOW + DAY))


def said(*words):
    done = run_main("remember", *words, "--json")
    assert done.code == 0, done.err
    return done.json["id"]


def exported(path="notes", *options):
    done = run_main("export", "--format", "vault", str(path), "--json", *options)
    assert done.code == 0, done.err
    return done.json


def note_of(text, path="notes"):
    found = [name for name in sorted(os.listdir(f"{path}/facts")) if text in name]
    assert len(found) == 1, found
    return f"{path}/facts/{found[0]}"


def contents(path):
    found = {}
    for folder, _, files in os.walk(path):
        for name in files:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found[os.path.relpath(os.path.join(folder, name), path)] = file.read()
    return found


def edit(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert old in text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def copied(path, name):
    """Import a vault into a new memory; return what that exports."""
    there = ("--db", f"{name}.db")
    done = run_main("import", str(path), "--trust", "--json", *there)
    assert done.code == 0, done.err
    return run_main("export", *there).lines


def test_each_fact_is_a_note_and_hubs_and_a_map_name_them():
    """A fact is a note with its fields in front, links to its hubs, and a map names the hubs."""
    fact_id = said("I deploy on Fridays", "--slot", "deploy day", "--tag", "work")
    other = said("The pipeline is green", "-s", "project")
    run_main("link", fact_id, other, "--kind", "uses", "--reason", "needs it", "--json")

    done = exported()

    assert (done["facts"], done["changed"], done["removed"]) == (2, 2, 0)
    text = contents("notes")[os.path.relpath(note_of("deploy"), "notes")]
    target = os.path.basename(note_of("pipeline")).removesuffix(".md")
    assert f'id: "{fact_id}"' in text and 'tags: ["work"]' in text
    assert "<!-- tideline:fact -->\nI deploy on Fridays\n<!-- /tideline:fact -->" in text
    assert f"- uses [[{target}]] – needs it" in text
    assert "- [[slot deploy day]]" in text and "- [[segment knowledge]]" in text
    told = contents("notes")
    assert f"[[I deploy on Fridays ({fact_id[-6:]})]]" in told["hubs/slot deploy day.md"]
    assert "- [[segment project]] 1" in told["Memory.md"]


def test_files_are_for_their_owner_alone():
    """Folders have the mode 0700 and notes 0600, whatever the umask."""
    said("private words")
    exported()

    for folder, _, files in os.walk("notes"):
        assert os.stat(folder).st_mode & 0o777 == 0o700
        assert {os.stat(os.path.join(folder, one)).st_mode & 0o777 for one in files} <= {0o600}


def test_an_unchanged_memory_changes_no_file():
    """Exporting again writes nothing, so that a synchronised folder is still."""
    said("one fact")
    exported()
    before = contents("notes")

    assert exported()["changed"] == 0 and contents("notes") == before


def test_what_a_reader_writes_stays():
    """Text below the line, above the fact and in hubs, further fields, and a file's name all stay
    when the fact changes."""
    fact_id = said("I deploy on Fridays", "--slot", "deploy")
    exported()
    path = note_of("deploy")
    edit(path, "stays. -->\n", "stays. -->\nmy own words\n[[another]]\n")
    edit(path, "tideline: ", "aliases:\n  - deploys\ntideline: ")
    edit("notes/hubs/slot deploy.md", "stays. -->\n", "stays. -->\nof the hub\n")
    os.rename(path, "notes/facts/My own name.md")
    run_main("edit", fact_id, "--tag", "new", "--json")

    done = exported()

    text = contents("notes")["facts/My own name.md"]
    assert done["changed"] == 1 and not done["edited"]
    assert text.endswith("stays. -->\nmy own words\n[[another]]\n")
    assert "aliases:\n  - deploys\n" in text and 'tags: ["new"]' in text
    assert "[[My own name]]" in contents("notes")["hubs/slot deploy.md"]
    assert contents("notes")["hubs/slot deploy.md"].endswith("of the hub\n")


def test_the_note_of_a_gone_fact_goes_and_what_was_written_into_it_stays():
    """Purged words are in no file of the vault; the reader's own are."""
    first, second = said("a secret plan of mine"), said("another plan, with notes")
    exported()
    edit(note_of("another"), "stays. -->\n", "stays. -->\nmy own words\n")
    run_main("purge", first, second, "--yes", "--json")

    done = exported()

    told = "\n".join(contents("notes").values())
    assert done["removed"] == 1 and len(done["kept"]) == 1
    assert "secret plan" not in told and "my own words" in told
    assert "with notes" not in told


def test_an_edited_text_comes_in_as_an_edit_and_keeps_its_note():
    """An edited text supersedes the old fact; the next export goes on in the same note."""
    old = said("I deploy on Fridays", "--slot", "deploy", "--tag", "work")
    exported()
    path = note_of("deploy")
    edit(path, "I deploy on Fridays\n<", "I deploy on Mondays\n<")
    edit(path, "stays. -->\n", "stays. -->\nmy own words\n")

    left = exported()
    done = run_main("import", "notes", "--trust", "--merge", "--json", *LATER)
    again = exported("notes", *LATER)

    assert left["edited"] and left["changed"] == 0
    assert done.code == 0
    active = run_main("list", "--json").json["facts"]
    assert [(one["content"], one["slot"], one["tags"]) for one in active] == [
        ("I deploy on Mondays", "deploy", ["work"])
    ]
    assert run_main("show", old, "--json").json["fact"]["lifecycle"] == "archived"
    text = contents("notes")[os.path.relpath(path, "notes")]
    assert not again["edited"] and active[0]["id"] in text and "my own words" in text
    assert run_main("undo", "--json").code == 0
    assert run_main("list", "--json").json["facts"][0]["id"] == old


def test_an_edited_field_comes_in_as_a_later_state():
    """A changed label of a note changes the same fact, by the time of the file."""
    fact_id = said("I deploy on Fridays", "--tag", "work")
    exported()
    edit(note_of("deploy"), 'tags: ["work"]', "tags: [work, weekly]")

    assert exported()["edited"]
    run_main("import", "notes", "--trust", "--merge", "--json", *LATER)

    fact = run_main("show", fact_id, "--json").json["fact"]
    assert fact["tags"] == ["work", "weekly"]
    assert not exported("notes", *LATER)["edited"]


def test_a_note_that_somebody_wrote_beside_ours_is_a_new_fact():
    """A foreign note is taken as a fact, is left alone by the export, and a broken one is told."""
    said("ours")
    exported()
    with open("notes/facts/mine.md", "w") as file:
        file.write("---\ntags: x\n---\nA note of my own\n")
    edit(note_of("ours"), "<!-- /tideline:fact -->", "")

    done = run_main("import", "notes", "--trust", "--json")

    assert "A note of my own" in run_main("list").out
    assert done.json["skipped"] == 1 and "marks" in done.out + done.err
    assert "mine.md" in exported()["strange"]


def test_another_origins_vault_and_other_folders_are_refused(tmp_path):
    """A vault is that of one origin, and no other folder becomes one."""
    said("mine")
    said("of the channel", "--origin", "channel:wa/c/1")
    exported()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "work.txt").write_text("x")

    assert run_main("export", "--format", "vault", "notes", "--origin", "channel:wa/c/1").code == 2
    assert run_main("export", "--format", "vault", "full").code == 2
    assert run_main("export", "--format", "vault").code == 2
    assert run_main("export", "--format", "vault", "a", "b").code == 2
    assert run_main("export", "--format", "vault", "x", "--all-origins").code == 2
    assert run_main("export", "--format", "vault", "no/such/folder").code == 73
    exported("theirs", "--origin", "channel:wa/c/1")
    assert "mine" not in "".join(contents("theirs").values())
    assert "of the channel" not in "".join(contents("notes").values())


def test_nothing_is_written_through_links(tmp_path):
    """A link in the place of a folder, or of a note, leads nowhere."""
    said("mine")
    exported()
    (tmp_path / "outside").mkdir()
    path = note_of("mine")
    os.unlink(path)
    (tmp_path / "victim").write_text("kept")
    os.symlink(tmp_path / "victim", path)

    exported()

    assert (tmp_path / "victim").read_text() == "kept"
    found = [row for _, row in rows("notes", tell=print) if isinstance(row, dict)]
    assert [row["content"] for row in found] == ["mine"]
    os.rename("notes/facts", "notes/old")
    os.symlink(tmp_path / "outside", "notes/facts")
    assert run_main("export", "--format", "vault", "notes").code == 2
    assert os.listdir(tmp_path / "outside") == []


def test_untrusted_text_links_embeds_and_marks_up_nothing():
    """What a tool said cannot load a picture, make a link, or end its own part of a note."""
    text = "see ![x](http://evil.example/a.png) [[Memory]] <img src=x> <!-- /tideline:fact -->"
    said(text, "--source", "tool_output")
    exported()

    path = note_of("see")
    shown = note.parsed(contents("notes")[os.path.relpath(path, "notes")]).shown

    assert not any(sign in shown for sign in ("![", "](", "[[", "<img", "<!-- /tideline:fact"))
    assert [row["content"] for _, row in rows("notes", tell=print)] == [text]


@pytest.mark.parametrize("text", [
    "../../etc/passwd", "a/b\\c:d*e?f\"g<h>i|j", "CON", "... hidden", "x" * 500,
    "用户喜欢素食" * 40,
    "👨‍👩‍👧‍👦 family", "\u202eevil", "tab\tand\nline", "مرحبا بالعالم",
    "# heading [[link]] ^ref", "a=---=",
])  # fmt: skip
def test_names_are_safe_in_all_scripts(text):
    """A name has no sign with a meaning, fits every file system, and the note is in its folder."""
    fact_id = said(text)
    exported()

    (name,) = os.listdir("notes/facts")
    assert name.endswith(f" ({fact_id[-6:]}).md") and len(name.encode()) < 255
    assert not set(name) & set('\\/:*?"<>|#^[]') and name.isprintable() and name[0] not in ". "
    assert [row["content"] for _, row in rows("notes", tell=print)] == [run_main(
        "show", fact_id, "--json").json["fact"]["content"]]  # fmt: skip


def test_equal_names_are_told_apart():
    """Two notes never share a name, not even where letters of both cases are one."""
    taken = {"words (aaaaaa)"}

    assert note.note_name("Words", "0" * 20 + "AAAAAA", taken) == f"Words ({'0' * 20}AAAAAA)"


_TEXT = st.text(
    st.one_of(st.characters(codec="utf-8", exclude_categories=("Cs",)),
              st.sampled_from("\n-<>[]!`%\t# :")),
    min_size=1, max_size=60,
)  # fmt: skip


@settings(max_examples=often(20, 60), suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(_TEXT, st.sampled_from(tuple(SEGMENTS)), st.booleans()), min_size=1,
                max_size=4))  # fmt: skip
def test_a_vault_is_read_back_as_it_was(tmp_path_factory, said_texts):
    """Whatever the texts: importing a vault into a new memory gives the same export."""
    folder = tmp_path_factory.mktemp("vault")
    os.chdir(folder)
    there = ("--db", "first.db")
    for text, segment, is_tool in said_texts:
        source = ("--source", "tool_output", "--confine") if is_tool else ()
        run_main("remember", "--json", "-s", segment, "--tag", "a b", *source, *there, "-",
                 stdin=text)  # fmt: skip
    if run_main("export", *there).out == "":
        return
    done = run_main("export", "--format", "vault", "notes", "--lifecycle", "all", *there)
    assert done.code == 0, done.err

    by_id = lambda row: row["id"]  # noqa: E731
    assert sorted(copied("notes", "second"), key=by_id) == sorted(
        run_main("export", *there).lines, key=by_id
    )
