"""A list that a program keeps: what it changes under an id replaces what stood, in a file and on a
server alike."""

from __future__ import annotations

import pytest

from tests.exchange.test_lists import CARD, EVENT, MEM0
from tests.postgres.test_same import same

TASK = ("BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:t1\nSUMMARY:Pay the {}\nSTATUS:{}\nEND:VTODO\n"
        "END:VCALENDAR\n").format  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("options", [("--trust",), ("--merge",), ()])
@pytest.mark.parametrize(("name", "texts"), [
    ("c.ics", [EVENT(0, "04"), EVENT(1, "05"), EVENT(2, "04"), EVENT(3, "05")]),
    ("c.vcf", [CARD("111"), CARD("222"), CARD("333"), CARD("111")]),
    ("m.json", [MEM0("tea"), MEM0("coffee"), MEM0("tea"), MEM0("coffee")]),
    ("t.ics", [TASK("tax", "NEEDS-ACTION"), TASK("rent", "NEEDS-ACTION"),
               TASK("rent", "COMPLETED"), TASK("tax", "NEEDS-ACTION")]),
])  # fmt: skip
def test_a_change_of_a_kept_list_is_the_same(both, tmp_path, name, texts, options):
    """Changed twice, read again, corrected by hand, changed once more, and all of it undone."""
    *first, last = texts

    def read(text):
        (tmp_path / name).write_text(text)
        return same(both("import", name, "--json", *options)).json

    def held():
        return same(both("export")).lines

    states = []
    for text in first:
        assert read(text)["present"] == 0
        states.append(held())
        assert read(text)["present"] == 1
        assert held() == states[-1]
    (fact,) = same(both("list", "--json")).json["facts"]
    assert same(both("edit", fact["id"], "Said otherwise")).code == 0
    corrected = held()
    assert read(first[-1])["present"] == 1
    assert held() == corrected
    done = read(last)
    is_taken = "--trust" in options  # others replace no words of the user's
    assert (done["superseded"], done["skipped"]) == (is_taken, not is_taken)
    assert [one.code for one in both("doctor", "--deep")] == [0, 0]
    assert same(both("history", "--json")).code == 0
    for state in [corrected] * is_taken + [*reversed(states), []]:
        assert same(both("undo")).code == 0
        assert held() == state
