"""What a folder of notes does not state any more, and what it states many times."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def notes(tmp_path):
    """A folder of three notes, one of them in a folder of its own."""
    folder = tmp_path / "notes"
    (folder / "house").mkdir(parents=True)
    (folder / "Kitchen.md").write_text("# Kitchen\n\n- The oven is old.\n- Descale the kettle.\n")
    (folder / "house" / "Garage.md").write_text("# Cars\n\n- Ana keeps the code.\n")
    (folder / "Trip.md").write_text("# Trip\n\nPack the tent.\n\nBring water.\n")
    return folder


def texts(run):
    return {one["content"] for one in run("list", "--json", "--limit", "0").json["facts"]}


def test_what_is_gone_is_named_and_archived_when_asked(run, notes):
    """A deleted note, a changed line, a moved note: the first two are gone. One undo takes the
    archiving back with the import."""
    run("import", str(notes), "--trust")
    (notes / "Trip.md").unlink()
    (notes / "Kitchen.md").write_text("# Kitchen\n\n- The oven is new.\n- Descale the kettle.\n")
    (notes / "house" / "Garage.md").rename(notes / "Garage.md")
    told = run("import", str(notes), "--trust")
    assert "not in the folder any more: 3 facts" in told.err and "--gone" in told.err
    assert {"The oven is old.", "Pack the tent."} <= texts(run)
    done = run("import", str(notes), "--trust", "--gone", "--json")
    assert (done.code, done.json["gone"], done.json["added"]) == (0, 3, 0)
    assert texts(run) == {"The oven is new.", "Descale the kettle.", "Ana keeps the code."}
    assert run("undo").code == 0
    assert {"The oven is old.", "Pack the tent.", "Bring water."} <= texts(run)


def test_what_was_not_read_is_not_gone(run, notes):
    """A note that cannot be read now, or that is ignored, still says what it said; so do the notes
    of another folder, and what was said by hand."""
    run("import", str(notes), "--trust")
    run("remember", "said by hand")
    other = notes.parent / "other"
    other.mkdir()
    (other / "Trip.md").write_text("# Boats\n\nThe boat leaks.\n")
    assert run("import", str(other), "--trust", "--json").json["gone"] == 0
    (notes / ".ignore").write_text("house\n")
    (notes / "Trip.md").write_bytes(b"# Trip\n\n\x00\x01\x02\xff\xfe")
    done = run("import", str(notes), "--trust", "--gone", "--json")
    assert done.json["gone"] == 0
    assert {"Ana keeps the code.", "Pack the tent.", "said by hand"} <= texts(run)


def test_rows_that_were_not_all_read_tell_of_nothing_gone(run, notes):
    """After --max-rows nothing is known of the rows behind."""
    run("import", str(notes), "--trust")
    for note in notes.glob("*.md"):
        note.write_text(note.read_text() + "\nOne more line.\n")
    done = run("import", str(notes), "--trust", "--gone", "--max-rows", "1", "--json")
    assert (done.code, "Pack the tent." in texts(run)) == (2, True)


def test_what_is_as_it_was_is_not_read_again(run, notes):
    """A note of the same size and time is not read, but with --trust now and not then, with another
    reading, or once its facts are undone; one that was written is."""
    first = run("import", str(notes), "--json").json
    again = run("import", str(notes), "--json").json
    assert (again["unchanged"], again["present"], again["gone"]) == (3, 0, 0)
    (notes / "Trip.md").write_text("# Trip\n\nPack the tent.\n\nBring juice.\n")
    third = run("import", str(notes), "--json").json
    assert (third["unchanged"], third["added"], third["gone"]) == (2, 1, 1)
    assert run("import", str(notes), "--trust", "--json").json["unchanged"] == 0
    run("undo")
    assert run("import", str(notes), "--encoding", "utf-8", "--json").json["unchanged"] == 0
    run("undo", str(third["batch"]))
    run("undo", str(first["batch"]))
    assert run("import", str(notes), "--json").json["added"] == 5


def test_others_are_not_looked_at(run, notes):
    """Facts of another origin from the same folder stay."""
    run("import", str(notes), "--origin", "channel:a/b/c")
    (notes / "Trip.md").unlink()
    assert run("import", str(notes), "--gone", "--json").json["gone"] == 0
    assert "Trip" in run("list", "--origin", "channel:a/b/c").out


def test_a_secret_that_was_taken_out_is_not_gone(run, notes):
    """A statement whose stored text differs from the file's is still that statement."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]
    (notes / "Keys.md").write_text(f"# Keys\n\nThe token of the build is {key} here.\n")
    assert run("import", str(notes)).code == 0
    assert run("import", str(notes), "--json").json["gone"] == 0


def test_what_somebody_has_reworded_is_not_gone(run, notes):
    """A correction, and one of that, stand for what the note states still; with its line they go,
    and a value of a slot makes room for the one before it as when it is forgotten."""
    run("import", str(notes), "--trust")
    (oven,) = [one["id"] for one in run("list", "--json").json["facts"] if "oven" in one["content"]]
    first = run("edit", oven, "The oven is from 1998.", "--json").json["id"]
    run("edit", first, "The oven is from 1999.", "--slot", "oven")
    (notes / "Kitchen.md").write_text("# Kitchen\n\n- The oven is old.\n- Descale it.\n")
    done = run("import", str(notes), "--trust", "--gone", "--json")
    assert (done.json["gone"], "The oven is from 1999." in texts(run)) == (1, True)
    (notes / "Kitchen.md").write_text("# Kitchen\n\n- Descale it.\n")
    done = run("import", str(notes), "--trust", "--gone", "--json")
    assert (done.json["gone"], "The oven is from 1999." in texts(run)) == (1, False)
    assert run("doctor", "--deep").code == 0


def test_gone_goes_with_a_folder(run, notes):
    """A file, or a dry run, has nothing to compare."""
    assert run("import", str(notes / "Trip.md"), "--gone").code == 2
    assert run("import", str(notes), "--gone", "--dry-run").code == 2


def test_a_statement_of_one_note_many_times_is_one_fact(run, tmp_path):
    """The same words under the same heading are one fact with a count; under two headings two."""
    page = tmp_path / "Log.md"
    line = "The build is green.\n\n"
    page.write_text(f"# Log\n\n{line * 83}## May\n\n{line}")
    done = run("import", str(page), "--trust", "--json")
    assert (done.json["added"], "more than once" in done.err) == (2, True)
    found = run("list", "--json").json["facts"]
    assert sorted((one["metadata"] or {}).get("times", 1) for one in found) == [1, 83]
    again = run("import", str(page), "--trust", "--json").json
    assert (again["added"], again["present"]) == (0, 2)


def test_a_note_is_found_by_its_name(run, tmp_path):
    """The name stands before what a note states, unless its heading says it already."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Garage.md").write_text("## Never do\n\n- park on the lawn\n")
    (folder / "old-bikes.md").write_text("# Old bikes\n\nThe red one is Ana's.\n")
    run("import", str(folder), "--trust")
    titles = {one["content"]: one["title"] for one in run("list", "--json").json["facts"]}
    assert titles["park on the lawn"] == "Garage › Never do"
    assert titles["The red one is Ana's."] == "Old bikes"
    assert "park on the lawn" in run("recall", "garage").out


def test_doctor_tells_of_documents_that_changed(run, tmp_path):
    """How many files are not what they were when they were taken in."""
    page = tmp_path / "page.txt"
    page.write_text("The tide comes twice a day.\n")
    run("ingest", str(page))
    assert "document" not in run("doctor").err
    page.write_text("The tide comes twice a day, mostly.\n")
    assert "1 document changed since" in run("doctor").err
    page.unlink()
    done = run("doctor", "--json")
    assert done.code == 0
    assert json.loads(done.err.splitlines()[-1])["note"]["message"].startswith("1 document gone")


def test_an_emptied_note_states_nothing_any_more(run, notes):
    """What it stated is gone, and told by name: three of them, all with --verbose or in JSON."""
    run("import", str(notes), "--trust")
    (notes / "Trip.md").write_text(" \n")
    (notes / "Kitchen.md").write_text("")
    told = run("import", str(notes), "--trust")
    assert "not in the folder any more: 4 facts" in told.err and "and 1 more" in told.err
    assert told.err.count("tideline: gone: ") == 3
    texts_of = {one["id"]: one["content"] for one in run("list", "--json").json["facts"]}
    done = run("import", str(notes), "--trust", "--gone", "--verbose")
    assert done.err.count("tideline: gone: ") == 4 and "Bring water." in done.err
    run("undo")
    form = run("import", str(notes), "--trust", "--gone", "--json").json
    assert {texts_of[one] for one in form["gone_ids"]} == {
        "The oven is old.", "Descale the kettle.", "Pack the tent.", "Bring water."}  # fmt: skip
    assert texts(run) == {"Ana keeps the code."}
