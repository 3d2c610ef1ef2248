"""A connection that is lost while a transaction ends: nobody is told that something is stored which
is not, and who tries again stores it once."""

from __future__ import annotations

import json

import pytest

from tests.postgres.cutting import Cut
from tests.support import some
from tideline_cli import Memory
from tideline_cli.errors import StoreError

FIRST = "the lamp is of brass"
WRITES = (
    ("remember", "the bridge spans a river", "--slot", "bridge"),
    ("import", "-", "--trust"),
    ("edit", "{id}", "the lamp is of glass"),
    ("forget", "{id}", "--yes"),
    ("undo",),
    ("link", "{id}", "{other}", "--kind", "supports"),
)
ROWS = "\n".join(json.dumps({"content": f"key number {one} is of iron"}) for one in range(30))


@pytest.fixture(scope="module")
def cut(server):
    """A way to the server on which connections can be lost."""
    with Cut(server) as made:
        yield made


@pytest.fixture
def make(run, cut, address, monkeypatch):
    """Return what makes a memory with two facts, of which one was used, by way of `cut`."""

    def made():
        place = f"{cut.address}&{address().partition('&')[2]}"
        cut.when, cut.spared, cut.lost = "", 0, 0
        monkeypatch.setenv("TIDELINE_DB", place)
        run("remember", FIRST)
        run("remember", "a key hangs behind the lamp")
        return place

    yield made
    cut.when = ""


@pytest.fixture
def place(make):
    """One such memory."""
    return make()


def known(run):
    """Return what is in a memory, without what differs from one to the next."""
    facts = run("export").lines
    texts = {fact["id"]: fact["content"] for fact in facts}
    told = [
        (fact["content"], fact["lifecycle"], fact["slot"],
         sorted((link["kind"], texts[link["target"]]) for link in fact["links"]))
        for fact in facts
    ]  # fmt: skip
    return sorted(told, key=str), len(run("history", "--json").json["changes"])


def do(run, argv):
    """Run a call, with the ids of the facts that are there in it."""
    ids = [fact["id"] for fact in run("export").lines]
    words = [word.format(id=ids[0], other=ids[-1]) for word in argv]
    return run(*words, stdin=ROWS if argv[0] == "import" else "")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("argv", some(WRITES, 2), ids=lambda argv: argv[0])
def test_a_write(run, cut, make, argv, when):
    """Whichever of its transactions is lost: it ends with 5 and says where to look, and all of it
    is stored, or nothing."""
    make()
    states = [known(run)]
    assert do(run, argv).code == 0
    states.append(known(run))
    assert states[0] != states[1]
    seen = set()
    for spared in range(20):
        make()
        cut.when, cut.spared = when, spared
        done = do(run, argv)
        cut.when = ""
        state = known(run)
        assert state in states
        assert done.code == 5 or state == states[1]
        assert "tideline history" in done.err or not done.code
        assert run("doctor", "--deep").code == 0
        seen.add((done.code, states.index(state)))
        if not cut.lost:
            break
    assert (5, int(when == "after")) in seen and (0, 1) in seen


ALIKE = "\n".join(
    json.dumps({"content": f"the kitchen lamp number {one} is {of}old brass"})
    for one in range(4) for of in ("of ", "")
)  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_night(run, cut, make, when):
    """A dream that is lost at any of its transactions: the next one does what is left of it."""
    ends = []
    for spared in (99, *some((1, 0, 2, 3, 4), 2)):
        make()
        run("import", "-", "--trust", stdin=ALIKE)
        cut.when, cut.spared = when, spared
        done = run("dream")
        cut.when = ""
        assert (done.code == 5) is bool(cut.lost) and "Traceback" not in done.err
        assert run("doctor", "--deep").code == 0
        assert run("dream").code == 0
        ends.append(known(run)[0])
        assert ends[-1] == ends[0]
    assert cut.lost


@pytest.mark.parametrize("when", ["before", "after"])
def test_who_tries_again(run, cut, place, when):
    """A fact that may be stored is said again: it is there once."""
    cut.when = when
    assert run("remember", "the bridge spans a river").code == 5
    cut.when = ""
    assert run("remember", "the bridge spans a river").code == 0
    assert run("export").out.count("the bridge spans a river") == 1


@pytest.mark.parametrize("argv", [("recall", "lamp"), ("context", "lamp"), ("list",), ("status",)])
def test_what_only_reads(run, cut, place, argv):
    """It has answered; that its use is not counted is no failure."""
    cut.when = "before"
    done = run(*argv)
    cut.when = ""
    assert done.code == 0 and ("lamp" in done.out or argv[0] == "status"), done


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_program_that_stays(cut, place, when):
    """It is told, and its next call makes a connection of its own."""
    with Memory.open(place) as memory:
        memory.recall("lamp")
        cut.when = when
        with pytest.raises(StoreError) as lost:
            memory.remember("the bridge spans a river")
        cut.when = ""
        assert lost.value.code == "no_server"
        assert memory.remember("the bridge spans a river").fact is not None
        found = [hit.fact.content for hit in memory.recall("bridge river")]
    assert found.count("the bridge spans a river") == 1
