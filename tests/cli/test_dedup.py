"""remember --dedup: by the meaning that a learned embedder gives, and nothing is dropped."""

from __future__ import annotations

import json
import sys

import pytest

from tideline_cli.memory import lanes
from tideline_cli.memory.coded_lane import CodedLane
from tideline_cli.memory.dedup import subject_key

# A text becomes a direction by the first of these pieces that it holds: near ones mean the same.
EMBEDDER = """\
import json, math, sys
ANGLES = {"automobile": 1, "car": 2, "colour": 40, "color": 41, "deploy": 80, "ship": 81,
          "meeting": 120}
for line in sys.stdin:
    text = json.loads(line)
    angle = math.radians(next((at for word, at in ANGLES.items() if word in text), 170))
    if "green" in text:
        angle += math.radians(30)
    print(json.dumps([math.cos(angle), math.sin(angle), 0.01]))
"""


@pytest.fixture
def learned(run, tmp_path, monkeypatch):
    """A memory with a learned embedder: a program of the user's."""
    script = tmp_path / "embedder.py"
    script.write_text(EMBEDDER)
    monkeypatch.setenv("TIDELINE_EMBEDDER_COMMAND", f"{sys.executable} {script}")
    run("remember", "something to begin with")
    assert run("embedder", "use", "command").code == 0
    yield run
    lanes.forget_named()


def remembered(run, *argv):
    done = run("remember", *argv, "--json")
    assert done.code == 0, done.err
    return done.json


def test_the_same_meaning_is_named(learned):
    """With semantic, other common words for the same are stored, named and linked; by the rule of
    the reference they are known."""
    first = remembered(learned, "I sold the automobile")
    plain = remembered(learned, "I sold the car", "--dedup", "exact")
    assert (plain["action"], plain["similar"]) == ("created", [])
    learned("undo")
    named = learned("remember", "I sold the car", "--dedup", "semantic")
    assert f"much like {first['id']}" in named.err
    learned("undo")
    new = remembered(learned, "I sold the car", "--dedup", "semantic")
    assert (new["action"], new["similar"]) == ("created", [first["id"]])
    links = learned("show", new["id"], "--json").json["links"]
    assert {(link["kind"], link["id"]) for link in links} == {("similar", first["id"])}
    learned("undo")
    learned("config", "set", "sameness", "reference")
    again = remembered(learned, "I sold the car", "--dedup", "semantic")
    assert (again["action"], again["id"]) == ("reinforced", first["id"])
    assert again["fact"]["access_count"] == 1


@pytest.mark.parametrize(("known", "said"), [
    ("I sold the automobile to Bob", "I sold the car to Ann"),
    ("I sold the automobile", "I never sold the car"),
    ("I sold 2 cars", "I sold 3 cars"),
    ("Ann sold Bob the car", "Bob sold Ann the car"),
])  # fmt: skip
def test_none_is_dropped(known, said, learned):
    """However alike an embedder finds two facts, both are stored."""
    remembered(learned, known)
    for how in ("semantic", "smart"):
        assert remembered(learned, said, "--dedup", how)["action"] == "created"
        learned("undo")


def test_smart_replaces_the_value_of_a_subject(learned):
    """With smart, another value of the same subject takes its place; the old one is archived, and
    one undo brings it back."""
    old = remembered(learned, "my favourite colour is blue", "--kind", "preference")
    new = remembered(learned, "my favourite colour is green", "--kind", "preference", "--dedup",
                     "smart")  # fmt: skip
    assert (new["action"], new["superseded"]) == ("superseded", [old["id"]])
    shown = learned("show", old["id"], "--json").json["fact"]
    assert shown["lifecycle"] == "archived"
    assert learned("undo").code == 0
    assert learned("show", old["id"], "--json").json["fact"] == old["fact"]


@pytest.mark.parametrize(("said", "argv"), [
    ("the colour of the door is green", ()),  # another subject
    ("my favourite colour is green", ("--kind", "fact")),  # another kind
    ("my favourite colour is green", ("--scope", "x")),  # another scope
    ("green, my favourite colour", ()),  # no subject
    ("my favourite meeting is short", ()),  # not alike
])  # fmt: skip
def test_smart_leaves_other_subjects_alone(said, argv, learned):
    """Only the same subject, kind and scope, and likeness beside it, make a value another one."""
    remembered(learned, "my favourite colour is blue")
    done = remembered(learned, said, "--dedup", "smart", *argv)
    assert done["superseded"] == []


def test_what_nobody_trusts_replaces_nothing(learned):
    """An untrusted text neither replaces nor reinforces what the owner said."""
    owner = remembered(learned, "my favourite colour is blue")
    remembered(learned, "I sold the automobile")
    tool = ("--source", "tool_output")
    for text, how in (("my favourite colour is green", "smart"), ("I sold the car", "semantic")):
        done = remembered(learned, text, "--dedup", how, *tool)
        assert (done["action"], done["superseded"]) == ("created", [])
    assert learned("show", owner["id"], "--json").json["fact"] == owner["fact"]


CHUNK = "I sold the automobile"


@pytest.mark.parametrize("how", ["semantic", "smart"])
def test_no_chunk_of_a_document_is_another_fact(learned, tmp_path, how):
    """A chunk of a document neither takes in what somebody says, nor is taken in or replaced."""
    page = tmp_path / "page.txt"
    page.write_text(f"{CHUNK}\n")
    assert learned("ingest", str(page)).code == 0
    (chunk,) = learned("list", "--document", "page.txt", "--json").json["facts"]
    said = ("I sold the car", "--source", "retrieved_document", "--dedup", how)
    done = remembered(learned, *said)
    assert (done["action"], done["superseded"]) == ("created", [])
    vouched = json.dumps({"content": CHUNK, "document": "mine.txt", "turn": 1})
    done = learned("remember", "--batch", "--dedup", how, stdin=vouched)
    assert done.lines[0]["action"] == "created"
    done = remembered(learned, "I sold the car", "--dedup", how)
    assert (done["action"], done["superseded"]) == ("created", [])
    assert learned("show", chunk["id"], "--json").json["fact"] == chunk


@pytest.mark.parametrize(("known", "said"), [
    ((), ("--valid-from", "2020-01-01", "--valid-to", "2020-12-31")),  # the past
    ((), ("--valid-from", "2040-01-01")),  # what is to come
])  # fmt: skip
def test_smart_replaces_what_holds_by_what_holds_alone(learned, known, said):
    """A value of the past, or one to come, leaves the value that holds now where it is."""
    blue = remembered(learned, "my favourite colour is blue", "--kind", "preference", *known)
    green = ("my favourite colour is green", "--kind", "preference", "--dedup", "smart")
    done = remembered(learned, *green, *said)
    assert (done["action"], done["superseded"]) == ("created", [])
    assert learned("show", blue["id"], "--json").json["fact"] == blue["fact"]
    hits = learned("recall", "favourite colour", "--json").json["hits"]
    assert blue["id"] in [hit["id"] for hit in hits]


def test_smart_leaves_work_of_other_agents_alone(learned):
    """An untrusted agent does not replace the work of another one by its meaning."""
    tool = ("--source", "tool_output", "--kind", "task", "--dedup", "smart")
    task = remembered(learned, "the next deploy is on Monday", *tool, "--agent", "coder")
    done = remembered(learned, "the next deploy is never", *tool, "--agent", "evil")
    assert (done["action"], done["superseded"]) == ("created", [])
    assert learned("show", task["id"], "--json").json["fact"]["lifecycle"] == "active"


def test_no_origin_is_compared_with_another(learned):
    """The facts of another origin are no candidates."""
    remembered(learned, "I sold the automobile")
    peer = ("--origin", "channel:wa/c1/s1")
    for how in ("semantic", "smart"):
        done = remembered(learned, "I sold the car", "--dedup", how, *peer)
        assert done["action"] == "created"
        learned("forget", done["id"], *peer)


def test_a_batch_is_compared_too(learned):
    """Each line of a batch is compared with what is stored."""
    first = remembered(learned, "I sold the automobile")
    done = learned("remember", "--batch", "--dedup", "semantic",
                   stdin='{"content": "I sold the car"}\n{"content": ""}\n')  # fmt: skip
    assert done.lines[0]["similar"] == [first["id"]]
    assert "error" in done.lines[1]


def test_a_batch_is_embedded_at_once(learned, monkeypatch):
    """The lines of a batch are embedded together, whatever their number, and each is answered as
    it would be alone; those that are compared with nothing are not embedded."""
    asked = []
    true = CodedLane.packed
    monkeypatch.setattr(
        CodedLane, "packed", lambda lane, texts: asked.append(list(texts)) or true(lane, texts)
    )
    first = remembered(learned, "I sold the automobile")
    colour = remembered(learned, "my favourite colour is blue")
    asked.clear()
    lines = [{"content": "I sold the car"}, {"content": ""}, {"content": "a day", "slot": "day"},
             {"content": "we deploy"}, {"content": "my favourite colour is green"}]  # fmt: skip
    stdin = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = learned("remember", "--batch", "--dedup", "semantic", stdin=stdin).lines
    texts = ["I sold the car", "we deploy", "my favourite colour is green"]
    assert asked.count(texts) == 1
    assert len(asked) == 2  # the others are of the facts that had no vector yet
    assert (done[0]["similar"], done[3]["similar"]) == ([first["id"]], [])
    assert learned("undo").code == 0
    asked.clear()
    done = learned("remember", "--batch", "--dedup", "smart", stdin=stdin).lines
    assert asked == [texts]
    assert done[4]["superseded"] == [colour["id"]]
    assert [one.get("superseded") for one in done[2:4]] == [[], []]


def test_a_setting_asks_for_it(learned, monkeypatch):
    """The setting counts where no option does; an option wins."""
    first = remembered(learned, "I sold the automobile")
    monkeypatch.setenv("TIDELINE_DEDUP", "semantic")
    assert remembered(learned, "I sold the car")["similar"] == [first["id"]]
    learned("undo")
    assert remembered(learned, "I sold the car", "--dedup", "exact")["similar"] == []
    monkeypatch.setenv("TIDELINE_DEDUP", "no such")
    assert learned("remember", "x").code == 2


def test_without_a_learned_embedder(run, monkeypatch):
    """The option is an error that says what to do, and stores nothing; a setting warns, and words
    decide."""
    done = run("remember", "I sold the car", "--dedup", "semantic")
    assert done.code == 2
    assert "needs a learned embedder" in done.err
    assert run("list", "--json").json["facts"] == []
    monkeypatch.setenv("TIDELINE_DEDUP", "smart")
    done = run("remember", "I sold the car")
    assert done.code == 0
    assert "by words alone" in done.err


def test_an_embedder_that_is_gone(learned, monkeypatch):
    """Where the embedder cannot be had the fact is stored all the same, and the user is told."""
    monkeypatch.delenv("TIDELINE_EMBEDDER_COMMAND")
    lanes.forget_named()
    done = learned("remember", "I sold the car", "--dedup", "semantic")
    assert done.code == 0
    assert "by words alone" in done.err


@pytest.mark.parametrize(("text", "key"), [
    ("my favourite colour is blue", {"favourite", "colour"}), ("Ann's car was red", {"ann", "car"}),
    ("The user's dogs are two", {"dogs"}), ("is it so", set()), ("nothing here", set()),
    ("", set()),
])  # fmt: skip
def test_what_a_sentence_is_about(text, key):
    """The telling words before the first form of `be`."""
    assert subject_key(text) == key
