"""What stands for an id: its beginning, its ending, `@1`."""

from __future__ import annotations

import pytest

from tests.support import NOW, PEER, fact, put
from tideline_cli.errors import AmbiguousError, NotFoundError
from tideline_cli.memory.purge import purge
from tideline_cli.memory.remember import remember
from tideline_cli.memory.undo import redo, undo
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.store import facts, references

IDS = ("01AAAA0000000000000000XYZ1", "01AAAB0000000000000000XYZ2", "01BBBB0000000000000001XYZ1")


@pytest.fixture
def known(db):
    """Three facts of the owner, and one of a peer whose id ends as one of them."""
    put(db, [fact(f"text {n}", one) for n, one in enumerate(IDS)])
    put(db, [fact("secret", "01PPPP0000000000000000XYZ2", origin=PEER)])
    return db


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (IDS[0], 0), ("01AAAA", 0), ("01bbb", 2), ("XYZ2", 1), ("…XYZ2", 1), ("xyz2", 1),
        ("0xyz1", 0), ("1XYZ1", 2), (IDS[2].lower(), 2),
    ],
)  # fmt: skip
def test_a_part_of_an_id_names_the_fact(known, typed, found):
    """A beginning or an ending of four letters is enough where one fact of the origin has it."""
    whole = references.whole(known, typed, viewer=OWNER)
    assert facts.find(known, whole, viewer=OWNER).id == IDS[found]


@pytest.mark.parametrize(
    ("typed", "those"), [("01AA", IDS[:2]), ("XYZ1", (IDS[0], IDS[2])), ("…xyz1", (IDS[0], IDS[2]))]
)  # fmt: skip
def test_what_several_facts_have_is_ambiguous(known, typed, those):
    """The error lists the facts that may be meant, with their texts."""
    with pytest.raises(AmbiguousError) as caught:
        facts.find(known, references.whole(known, typed, viewer=OWNER), viewer=OWNER)
    assert {name for name, _ in caught.value.facts} == set(those)
    assert all(text.startswith("text ") for _, text in caught.value.facts)
    assert caught.value.message == f"{typed} may be 2 facts"


def test_at_most_five_are_listed(db):
    """Of many facts the first five are listed."""
    put(db, [fact(f"text {n}", f"01CCCC000000000000000000{n:02}") for n in range(9)])
    with pytest.raises(AmbiguousError, match="at least 6 facts") as caught:
        facts.find(db, "01CCC", viewer=OWNER)
    assert len(caught.value.facts) == 5


@pytest.mark.parametrize("typed", ["01A", "Z1", "…Z1", "", "%%%%", "____", "zzzz", "\udc00\udc00a"])
def test_what_names_nothing(known, typed):
    """Too few letters are called so; signs are no wildcards."""
    with pytest.raises(NotFoundError) as caught:
        facts.find(known, references.whole(known, typed, viewer=OWNER), viewer=OWNER)
    is_short = 0 < len(typed.removeprefix("…")) < 4
    assert ("too short" in caught.value.hint) is is_short


def test_endings_stay_inside_an_origin(known):
    """What others have makes nothing ambiguous, and is not found."""
    assert references.whole(known, "XYZ2", viewer=PEER).startswith("01PPPP")
    assert references.whole(known, "XYZ1", viewer=PEER) == "XYZ1"
    with pytest.raises(NotFoundError):
        facts.find(known, "XYZ2", viewer=OWNER)  # only what is typed may be an ending


def test_endings_at_the_door(run):
    """Commands take the ending that a table shows; a file's references are no endings."""
    mine = run("remember", "I deploy on Fridays", "--json").json["id"]
    other = run("remember", "coffee at noon", "--json").json["id"]
    for argv in (
        ("show",), ("pin",), ("unpin",), ("history",), ("edit", "I deploy", "--from", "now"),
        ("feedback", "up"),
    ):
        done = run(argv[0], mine[-6:], *argv[1:])
        assert done.code == (4 if argv[0] == "feedback" else 0), (argv, done.err)
    assert run("link", other[-5:].lower(), f"…{mine[-6:]}").code in (0, 4)
    assert run("forget", f"…{other[-6:]}").code == 0
    row = f'{{"content": "x", "derived_from": ["{mine[-6:]}"]}}'
    assert "1" in run("import", "-", stdin=row).out
    assert run("list", "--json").json["facts"][0]["derived_from"] == []


def test_ambiguity_at_the_door(run):
    """On stderr a line a fact, in JSON a list; the exit code is that of usage."""
    first = run("remember", "I deploy on Fridays\nat noon", "--now", str(NOW), "--json").json["id"]
    second = run("remember", "coffee " * 20, "--now", str(NOW), "--json").json["id"]
    done = run("show", first[:10])
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert lines[0] == f"tideline: {first[:10]} may be 2 facts"
    assert f"  {first}  I deploy on Fridays at noon" in lines
    assert f"  {second}  {('coffee ' * 20)[:49]}…" in lines
    assert lines[-1] == "  hint: give more of the id"
    error = run("pin", first[:10], "--json").error
    assert error["code"] == "ambiguous"
    assert {one["id"] for one in error["facts"]} == {first, second}
    assert "too short" in run("show", "01M").err


def test_what_an_undo_took_out_says_the_way_back(db):
    """An id, or its beginning, of a fact that an undo took out: the error names the undo and redo,
    to those of its origin alone; once it is back, or purged, nothing of this is said."""
    def hint(typed, viewer):
        with pytest.raises(NotFoundError) as caught:
            facts.find(db, typed, viewer=viewer)
        assert caught.value.message == f"no such id: {typed}"
        return caught.value.hint

    plain = hint(IDS[0], OWNER)
    for fact_id, text in ((IDS[2], "kept"), (IDS[0], "taken out")):
        new = NewFact(text, "knowledge", "owner_message", OWNER)
        remember(db, new, fact_id=fact_id, now=NOW)
    undo(db, None, viewer=OWNER, now=NOW)
    assert hint(IDS[0], OWNER) == "undo took it out (batch 3): `tideline redo` brings it back"
    assert hint(IDS[0][:8].lower(), OWNER) == hint(IDS[0], OWNER)
    assert hint(IDS[1], OWNER) == hint(IDS[0], PEER) == hint("01AA%", OWNER) == plain
    redo(db, viewer=OWNER, now=NOW)
    assert facts.find(db, IDS[0], viewer=OWNER).content == "taken out"
    undo(db, None, viewer=OWNER, now=NOW)
    purge(db, [IDS[0]], viewer=OWNER, now=NOW)
    assert hint(IDS[0], OWNER) == plain
