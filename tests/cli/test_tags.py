"""Tags are parted by commas, by every door that takes them as one text."""

from __future__ import annotations

import pytest


def tags(done):
    return done.json["fact"]["tags"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (("--tag", "a,b"), ["a", "b"]), (("--tag", "a, b ,", "-t", "c"), ["a", "b", "c"]),
        (("--tag", "a;b"), ["a", "b"]), (("--tag", "a", "--tag", "a,b"), ["a", "b"]),
        (("--tag", "home lab"), ["home lab"]), (("--tag", ","), []),
    ],
)  # fmt: skip
def test_commas_part_tags(run, given, kept):
    """remember and edit take several tags in one text, as an import does."""
    done = run("remember", "the cluster has three nodes", *given, "--json")
    assert tags(done) == kept
    old = run("remember", "winters are cold", "--tag", "old", "--json").json["id"]
    assert tags(run("edit", old, *given, "--json")) == kept


def test_the_other_doors(run, monkeypatch, tmp_path):
    """So do batch lines, settings, the environment and columns of a file; a list of JSON is parted
    already."""
    row = '{"content": "the cluster has three nodes", "tags": "a, b"}\n'
    assert tags(run("remember", "--batch", stdin=row)) == ["a", "b"]
    run("config", "set", "tags", "c;d")
    assert tags(run("remember", "winters are cold", "--json")) == ["c", "d"]
    monkeypatch.setenv("TIDELINE_TAGS", "e, f")
    assert tags(run("remember", "coffee at noon", "--tag", "g,h", "--json")) == list("efgh")
    monkeypatch.delenv("TIDELINE_TAGS")
    exact = '{"content": "the boiler is loud", "tags": ["x,y"]}\n'
    assert tags(run("remember", "--batch", stdin=exact)) == ["c", "d", "x,y"]
    run("import", "-", "--trust", stdin='{"content": "it rained", "tags": "i,j"}\n')
    assert run("list", "--tag", "i", "--json").json["facts"][0]["tags"] == ["i", "j"]


@pytest.mark.parametrize("command", [("list",), ("recall", "fact"), ("export",)])
def test_a_filter_takes_what_has_all_of_them(run, command):
    """A filter by a,b wants both; a tag that has the comma itself, as a file may bring, is found
    too."""
    run("remember", "fact one", "--tag", "a,b")
    run("remember", "fact two", "--tag", "a")
    run("import", "-", "--trust", stdin='{"content": "fact three", "tags": ["a,b"]}\n')
    out = run(*command, "--tag", "a,b").out
    assert [word in out for word in ("fact one", "fact two", "fact three")] == [True, False, True]
    assert run(*command, "--tag", "a", "--tag", "b").out == run(*command, "--tag", "b").out


def test_help_says_so(run):
    """The options say that commas part several."""
    for command in ("remember", "edit", "list", "recall", "forget"):
        assert "commas" in run(command, "--help").out
