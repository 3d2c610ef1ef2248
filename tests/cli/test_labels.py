"""What a person has named, tagged or put into a slot is found by that name."""

from __future__ import annotations

import pytest

from tests.soundness import sound
from tests.support import PEER
from tideline_cli.store.opening import open_for_writing

DAY_ONE, DAY_TWO = "2026-01-01T08:00:00Z", "2026-02-01T08:00:00Z"


@pytest.fixture
def told(run):
    """Facts with each kind of label; returns their ids by a word of their text."""
    made = {}
    for words in (
        ("the cluster has three nodes", "--tag", "k8s", "--tag", "home-lab"),
        ("version 16 is in use", "--slot", "pg_version"),
        ("electrons sit in shells", "--title", "Bohr model"),
        ("it failed at two in the morning", "--kind", "failure"),
        ("a fact without any label",),
    ):
        made[words[0].split()[1]] = run("remember", *words, "--now", DAY_ONE, "--json").json["id"]
    return made


def found(run, *words):
    done = run("recall", *words, "--json", "--mode", "keyword", "--no-touch", "--now", DAY_TWO)
    return [hit["id"] for hit in done.json["hits"]]


@pytest.mark.parametrize(
    ("asked", "word"),
    [("k8s", "cluster"), ("homelab", "cluster"), ("home lab", "cluster"), ("pg_version", "16"),
     ("pg version", "16"), ("Bohr", "electrons"), ("models", "electrons"), ("failure", "failed")],
)  # fmt: skip
def test_each_label_is_searched(run, told, asked, word):
    """A tag, a slot, a title and a kind find their fact, in the forms that a text would."""
    ids = list(told.values())
    wanted = {"cluster": ids[0], "16": ids[1], "electrons": ids[2], "failed": ids[3]}[word]
    assert found(run, asked)[0] == wanted


def test_a_label_is_explained(run, told):
    """The breakdown says which of the words stand in labels alone, and its product is the score."""
    asked = ("recall", "electrons of Bohr", "--explain", "--now", DAY_TWO)
    hit = run(*asked, "--json").json["hits"][0]
    why = hit["explain"]
    assert (why["lane"], why["matched_terms"], why["label_terms"]) == (
        "lexical", ["electron", "bohr"], ["bohr"]
    )  # fmt: skip
    assert hit["score"] == why["bm25"] * why["trust"] * why["modulator"]
    assert "(electron, bohr in a label)" in run(*asked, "--format", "lines").out


def test_a_label_that_changes_is_searched_anew(run, told, home):
    """An edit in place, a new wording, a restatement and undo keep the index of labels true."""
    one = told["cluster"]
    run("edit", one, "--tag", "nomad", "--now", DAY_TWO)
    assert (found(run, "k8s"), found(run, "nomad")) == ([], [one])
    run("undo", "--now", DAY_TWO)
    assert (found(run, "k8s"), found(run, "nomad")) == ([one], [])
    run("remember", "the cluster has three nodes", "--title", "rack", "--now", DAY_TWO)
    assert found(run, "rack") == [one]
    new = run("edit", one, "the cluster has four nodes", "--now", DAY_TWO, "--json").json["id"]
    assert found(run, "k8s") == [new]
    run("forget", new, "--now", DAY_TWO)
    assert found(run, "k8s") == []
    assert found(run, "k8s", "--as-of", "2026-01-05") == [new]
    run("purge", one, "--yes", "--now", DAY_TWO)
    run("config", "set", "analyzer", "reference")
    assert found(run, "home") == []
    assert found(run, "Bohr") == [told["sit"]]
    db = open_for_writing(str(home / "tideline.db"))
    sound(db)
    db.close()
    assert run("doctor", "--deep").code == 0


def test_filters_and_origins_hold_for_labels(run, told):
    """A filter narrows what labels find, and no origin finds by the labels of another."""
    assert found(run, "k8s", "--tag", "home-lab") == [told["cluster"]]
    assert found(run, "k8s", "--segment", "preference") == []
    assert found(run, "k8s", "--since", "2026-01-15") == []
    ask = ("recall", "k8s", "--json", "--explain", "--mode", "keyword", "--now", DAY_TWO)
    before = run(*ask).out
    run("remember", "their own cluster", "--tag", "k8s", "--origin", PEER.key)
    assert found(run, "k8s") == [told["cluster"]]
    assert run(*ask).out == before
    peers = run("recall", "k8s Bohr", "--json", "--mode", "keyword", "--origin", PEER.key).json
    assert [hit["content"] for hit in peers["hits"]] == ["their own cluster"]


def test_scores_without_labels_stay(run):
    """A label on one fact moves the score of no other."""
    run("remember", "green tea in the morning", "--now", DAY_ONE)
    ask = ("recall", "green tea", "--json", "--no-touch", "--now", DAY_TWO)
    before = run(*ask).json["hits"][0]
    one = run("remember", "oolong at noon", "--now", DAY_ONE, "--json").json["id"]
    other = run(*ask).json["hits"][0]
    run("edit", one, "--tag", "tea", "--now", DAY_TWO)
    hits = run(*ask).json["hits"]
    assert hits[0] == other != before
    assert [hit["id"] for hit in hits if hit["lane"] == "lexical"] == [other["id"], one]


def test_what_came_from_elsewhere_is_searched(run, tmp_path):
    """An import, a batch and an upgrade index labels too."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"content": "three nodes", "tags": ["k8s"], "title": "rack"}\n')
    assert run("import", str(rows), "--trust").code == 0
    line = '{"content": "four nodes", "slot": "nomad_size"}'
    assert run("remember", "--batch", stdin=line).code == 0
    for asked, count in (("k8s", 1), ("rack", 1), ("nomad", 1), ("k8s nomad", 2)):
        assert len(found(run, asked)) == count
