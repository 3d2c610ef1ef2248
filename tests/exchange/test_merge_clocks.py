"""import --merge where clocks were wrong: what was forgotten stays forgotten."""

from __future__ import annotations

import json

from tests.exchange.test_merge import facts, lines
from tests.support import DAY, NOW
from tideline_cli.model import instant


def at(run, now, *words, **more):
    return run(*words, "--now", str(now), **more)


def merge(run, now, rows):
    return at(run, now, "import", "-", "--merge", "--trust", "--json", stdin=rows).json


def states(run):
    return {fact["content"]: fact["lifecycle"] for fact in facts(run)}


def test_a_clock_that_was_set_back_revives_nothing(run):
    """A fact is forgotten at an hour before its birth, since the clock was ahead then. The file of
    before states it as active, at its birth: the word that came later stands."""
    made = at(run, NOW + 9 * DAY, "remember", "my old phone is 555 1234", "--json").json["fact"]
    before = at(run, NOW + 9 * DAY, "export").out
    at(run, NOW, "forget", made["id"])
    assert merge(run, NOW + 20 * DAY, before)["brought"]["restored"] == 0
    assert states(run) == {"my old phone is 555 1234": "archived"}
    gone = json.loads(at(run, NOW + 20 * DAY, "export").out.splitlines()[0])
    assert gone["changed_at"] >= gone["created_at"]


def test_a_forget_before_a_restore_by_the_clock_counts_after_it(run):
    """Of two words of one memory the one that came later counts, whatever the clock said."""
    made = at(run, NOW, "remember", "my old phone is 555 1234", "--json").json["fact"]
    at(run, NOW + DAY, "forget", made["id"])
    at(run, NOW + 9 * DAY, "restore", made["id"])
    restored = at(run, NOW + 9 * DAY, "export").out
    at(run, NOW + 2 * DAY, "forget", made["id"])
    gone = at(run, NOW + 10 * DAY, "export").out
    assert merge(run, NOW + 10 * DAY, restored)["brought"]["restored"] == 0
    assert states(run) == {"my old phone is 555 1234": "archived"}
    at(run, NOW + DAY, "restore", made["id"])
    assert merge(run, NOW + 10 * DAY, gone)["brought"]["archived"] == 0
    assert states(run) == {"my old phone is 555 1234": "active"}


def test_a_time_to_come_brings_nothing_back(run):
    """A file of a machine whose clock is ahead states a fact, and said it again later; it was
    forgotten here. Neither its id nor its words come back, however often the file is merged."""
    ahead = instant.iso(NOW + 400 * DAY)
    row = {"content": "my old phone is 555 1234", "created_at": ahead, "changed_at": ahead,
           "said_at": ahead}  # fmt: skip
    own, copy = (
        lines({"id": f"01ARZ3NDEKTSV4RRFFQ69G5F{end}", **row}) for end in ("AV", "AW")
    )
    assert merge(run, NOW, own)["added"] == 1
    made = facts(run)[0]
    at(run, NOW + DAY, "forget", made["id"])
    assert merge(run, NOW + 2 * DAY, own)["brought"]["restored"] == 0
    assert merge(run, NOW + 2 * DAY, copy)["forgotten"] == 1
    assert merge(run, NOW + 500 * DAY, own)["brought"]["restored"] == 1  # its word is later now
    at(run, NOW + 501 * DAY, "forget", made["id"])
    assert merge(run, NOW + 502 * DAY, own)["brought"]["restored"] == 0


def test_a_birth_is_the_earliest_that_is_known(run):
    """The file gives a birth to come; the fact was born when it came. When that time has passed,
    its birth is still no later word than what was said here of the fact."""
    row = lines({"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "content": "my old phone is 555 1234",
                 "created_at": instant.iso(NOW + 30 * DAY)})  # fmt: skip
    merge(run, NOW, row)
    at(run, NOW + DAY, "forget", facts(run)[0]["id"])
    assert merge(run, NOW + 60 * DAY, row)["brought"]["restored"] == 0
    assert states(run) == {"my old phone is 555 1234": "archived"}
