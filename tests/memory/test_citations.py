"""What a fact was derived from: by its whole id, checked by the write-gate, followed by purge."""

from __future__ import annotations

import json

import pytest

from tests.support import NOW, fact, named_id, put
from tideline_cli.memory.purge import doomed
from tideline_cli.model.origin import OWNER

SHORT = 22
SPELLINGS = (str, str.lower, lambda one: one[:SHORT], lambda one: one[:SHORT].lower())


@pytest.mark.parametrize("spelt", SPELLINGS)
@pytest.mark.parametrize("by_batch", [False, True])
def test_a_citation_is_stored_whole(run, spelt, by_batch):
    """However an id is typed, the whole one is stored, and a purge takes the citing fact along."""
    parent = run("remember", "the river is high", "--json").json["id"]
    text = "the cellar may be flooded"
    if by_batch:
        line = json.dumps({"content": text, "derived_from": [spelt(parent)]})
        child = run("remember", "--batch", stdin=line).json
    else:
        child = run("remember", text, "--derived-from", spelt(parent), "--json").json
    assert child["fact"]["derived_from"] == [parent]
    planned = run("purge", parent, "--dry-run", "--json").json
    assert planned["purged"] == [parent, child["id"]]
    assert run("purge", parent, "--yes", "--json").json["purged"] == [parent, child["id"]]


@pytest.mark.parametrize("typed", ["01ZZZZ", " ", "01", "x" * 30])
def test_a_citation_of_nothing_is_refused(run, typed):
    """What names no fact is an error before anything is stored."""
    run("remember", "the river is high")
    done = run("remember", "the cellar is flooded", "--derived-from", typed)
    assert done.code == 3
    assert len(run("list", "--json").json["facts"]) == 1


BETWEEN_BLANKS = (lambda one: f" {one}", lambda one: f"{one[:SHORT]} ")


@pytest.mark.parametrize("spelt", [*SPELLINGS, *BETWEEN_BLANKS])
@pytest.mark.parametrize("by_batch", [False, True])
def test_a_pass_derives_nothing_from_the_untrusted(run, spelt, by_batch):
    """The gate looks at the fact that is cited, however its id is typed."""
    parent = run("remember", "the river is high", "--source", "tool_output", "--json").json["id"]
    text = "the owner lives by the river"
    if by_batch:
        line = {"content": text, "derived_from": [spelt(parent)], "segment": "identity",
                "source": "dream"}  # fmt: skip
        code = run("remember", "--batch", stdin=json.dumps(line)).code
    else:
        more = ("--source", "dream", "--segment", "identity", "--derived-from", spelt(parent))
        code = run("remember", text, *more).code
    assert code in (3, 4)
    assert len(run("list", "--json").json["facts"]) == 1


@pytest.mark.parametrize("spelt", [*SPELLINGS, *BETWEEN_BLANKS])
def test_a_purge_follows_what_an_older_version_has_stored(db, spelt):
    """A citation by the beginning of an id, in small letters or between blanks names the fact that
    was there before it."""
    parent, child, later = (named_id(name) for name in ("AAAA1", "AAAA2", "AAAA3"))
    put(db, [
        fact("the river is high", parent),
        fact("the cellar is wet", child, derived_from=(spelt(parent)[:5],), now=NOW + 1),
        fact("the cellar is flooded", later, derived_from=(spelt(child),), now=NOW + 2),
        fact("the bread is good", named_id("BBBB1"), derived_from=("0AAAA9", "01", "?")),
    ])  # fmt: skip
    assert list(doomed(db, [parent], viewer=OWNER).values()) == [parent, child, later]
