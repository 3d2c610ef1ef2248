"""What holds where machines have spoken without knowing of one another: one test a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import DAY, NOW, named_id
from tests.sync.machines import HOUR, Machine, Wire, rows, settle
from tests.truth.pairs_of_texts import UNLIKE
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.errors import WriteBlockedError
from tideline_cli.exchange import jsonl
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory import amend, doctor, edit, link, purge, recall, remember, undo
from tideline_cli.memory.query import Query
from tideline_cli.model import instant
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.model.text import normalise
from tideline_cli.policy.sameness import stated_text
from tideline_cli.store import history, sync_registers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PEER = channel("wa", "c1", "s1")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine, Wire]]:
    """Two machines and a wire: the desktop's clock is four seconds ahead."""
    laptop, desktop = Machine(tmp_path, "laptop"), Machine(tmp_path, "desktop", skew=4000)
    yield laptop, desktop, Wire()
    laptop.close()
    desktop.close()


def say(machine: Machine, text: str, name: str, *, now: int = NOW, **given: object) -> str:
    source = "owner_message" if given.get("origin", OWNER).is_owner else "channel_message"
    new = NewFact(text, "knowledge", source, given.pop("origin", OWNER), **given)
    done = remember.remember(machine.db, new, fact_id=named_id(name), now=now + machine.skew)
    return done.fact.id


def by_text(machine: Machine) -> dict[str, dict]:
    return {row["content"]: row for row in rows(machine)}


def by_id(machine: Machine) -> dict[str, dict]:
    return {row["id"]: row for row in rows(machine)}


def edges(machine: Machine) -> set[tuple[str, str, str]]:
    return {
        (row["id"], edge["kind"], edge["target"]) for row in rows(machine) for edge in row["links"]
    }


def take_back(machine: Machine, *, now: int) -> undo.Undone:
    """Take back the newest batch that stands, also one that came by a sync."""
    newest = next(history.back(machine.db, viewer=OWNER))
    return undo.undo(machine.db, newest.ordinal, viewer=OWNER, now=now)


def agree(*machines: Machine) -> None:
    first, *others = machines
    assert rows(first)
    for other in others:
        assert other.export() == first.export()
    for one in machines:
        report = doctor.examine(
            one.path, deep=True, network_allowed=False, progress=lambda _: None
        )
        assert report.findings == ()


class TestSlots:
    def test_the_later_value_holds_and_the_earlier_is_archived(self, pair):
        """The later value holds and the earlier is archived."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        oslo = say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        agree(laptop, desktop)
        told = by_text(laptop)
        assert told["I live in Oslo"]["lifecycle"] == "active"
        assert told["I live in Rome"]["lifecycle"] == "archived"
        assert told["I live in Rome"]["archived_reason"] == "superseded"
        assert edges(laptop) == {(oslo, "contradicts", rome)}

    def test_a_value_that_is_said_again_holds_though_another_replaced_it_meanwhile(self, pair):
        """Both know Rome; the one that says it again last has not heard of Oslo."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        settle([laptop, desktop], wire, NOW + HOUR)
        oslo = say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + 30 * DAY)
        say(laptop, "I live in Rome", "A2", slot="town", now=NOW + 60 * DAY)
        settle([laptop, desktop], wire, NOW + 61 * DAY)
        agree(laptop, desktop)
        told = by_id(laptop)
        assert (told[rome]["lifecycle"], told[oslo]["lifecycle"]) == ("active", "archived")

    def test_one_text_is_as_late_as_it_was_last_said(self, pair):
        """Each machine has said it in words of its own, one of them behind another value."""
        laptop, desktop, wire = pair
        say(laptop, "I live in Rome", "A1", slot="town")
        say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + 30 * DAY)
        rome = say(desktop, "I live in Rome", "B2", slot="town", now=NOW + 60 * DAY)
        settle([laptop, desktop], wire, NOW + 61 * DAY)
        agree(laptop, desktop)
        assert [row["id"] for row in rows(laptop) if row["lifecycle"] == "active"] == [rome]

    @pytest.mark.parametrize("place", [0, 1])
    def test_one_undo_takes_the_ruling_back_everywhere(self, pair, place):
        """One undo takes the ruling back everywhere."""
        *machines, wire = pair
        say(machines[0], "I live in Rome", "A1", slot="town")
        say(machines[1], "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        settle(machines, wire, NOW + DAY)
        one = machines[place]
        take_back(one, now=NOW + 2 * DAY)
        settle(machines, wire, NOW + 3 * DAY)
        agree(*machines)
        assert [row["lifecycle"] for row in rows(one)] == ["active"]
        assert edges(one) == set()
        undo.redo(one.db, viewer=OWNER, now=NOW + 4 * DAY)
        settle(machines, wire, NOW + 5 * DAY)
        agree(*machines)
        active = [row["content"] for row in rows(one) if row["lifecycle"] == "active"]
        assert len(active) == 1
        assert len(rows(one)) == 2

    def test_one_reason_is_told_whatever_was_heard_first(self, tmp_path):
        """A value gave way to one that has given way to a third: a machine that has seen the two
        alone says of it what all others say."""
        machines = [Machine(tmp_path, name) for name in ("ash", "birch", "cedar")]
        ash, birch, cedar = machines
        wire = Wire()
        gone = say(ash, "I live in Rome", "A1", slot="town")
        say(birch, "I live in Oslo", "B1", slot="town", now=NOW + 180_000)
        settle([birch, ash], wire, NOW + HOUR)
        say(cedar, "I live in Bern", "C1", slot="town", now=NOW + 60 * DAY)
        settle(machines, wire, NOW + 61 * DAY)
        agree(*machines)
        assert by_id(cedar)[gone]["archived_reason"] == "superseded"
        for machine in machines:
            machine.close()

    def test_equal_clocks_are_told_apart_by_the_replica(self, tmp_path):
        """Equal clocks are told apart by the replica."""
        one, other = Machine(tmp_path, "one"), Machine(tmp_path, "other")
        wire = Wire()
        say(one, "I live in Rome", "A1", slot="town")
        say(other, "I live in Oslo", "B1", slot="town")
        settle([one, other], wire, NOW + DAY)
        agree(one, other)
        assert sorted(row["lifecycle"] for row in rows(one)) == ["active", "archived"]
        one.close()
        other.close()

    def test_a_value_that_knew_the_other_is_no_contradiction(self, pair):
        """A value that knew the other is no contradiction."""
        laptop, desktop, wire = pair
        say(laptop, "I live in Rome", "A1", slot="town")
        settle([laptop, desktop], wire, NOW + HOUR)
        say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        assert sync_registers.ruled(laptop.db, "slot", origin_number=None) == []

    def test_a_ruling_goes_when_the_later_value_is_purged_on_either_machine(self, pair):
        """A ruling goes when the later value is purged on either machine."""
        laptop, desktop, wire = pair
        say(laptop, "I live in Rome", "A1", slot="town")
        oslo = say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        purge.purge(laptop.db, [oslo], viewer=OWNER, now=NOW + 2 * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        agree(laptop, desktop)
        [row] = rows(laptop)
        assert (row["content"], row["lifecycle"], row["valid_to"]) == (
            "I live in Rome", "active", None,
        )  # fmt: skip

    @pytest.mark.parametrize("is_forgotten", [True, False])
    def test_to_forget_what_holds_leaves_nothing(self, pair, is_forgotten):
        """Until the other value is said to be right; to say a third value ends both."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        oslo = say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        if is_forgotten:
            amend.forget(laptop.db, [oslo], superseded_by=None, viewer=OWNER, now=NOW + 2 * DAY)
        else:
            say(laptop, "I live in Bern", "A2", slot="town", now=NOW + 2 * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        agree(laptop, desktop)
        told = {row["id"]: row["lifecycle"] for row in rows(desktop)}
        assert (told[oslo], told[rome]) == ("archived", "archived")
        assert sync_registers.ruled(desktop.db, "slot", origin_number=None) == []
        if is_forgotten:
            amend.restore(desktop.db, [rome], viewer=OWNER, now=NOW + 4 * DAY)
            settle([laptop, desktop], wire, NOW + 5 * DAY)
            agree(laptop, desktop)
            assert {row["id"] for row in rows(laptop) if row["lifecycle"] == "active"} == {rome}

    def test_an_edge_of_a_ruling_goes_when_somebody_settles_it(self, pair):
        """An edge of a ruling goes when somebody settles it."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        amend.forget(desktop.db, [rome], superseded_by=None, viewer=OWNER, now=NOW + 2 * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        agree(laptop, desktop)
        assert sync_registers.ruled(laptop.db, "slot", origin_number=None) == []
        assert sync_registers.ruled(desktop.db, "slot", origin_number=None) == []

    @pytest.mark.parametrize("is_told", [False, True])
    def test_an_undo_opens_what_a_forget_has_settled(self, pair, is_told):
        """To forget the value that gave way is a batch of its own. Its undo takes back nothing
        else, and the contradiction is there again; a redo settles it again."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        oslo = say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        before = laptop.export()
        done = amend.forget(laptop.db, [rome], viewer=OWNER, now=NOW + 2 * DAY)
        assert (done.batch, done.settled) == (3, {rome})
        assert sync_registers.ruled(laptop.db, "slot", origin_number=None) == []
        if is_told:
            settle([laptop, desktop], wire, NOW + 3 * DAY)
            agree(laptop, desktop)
            assert by_text(desktop)["I live in Rome"]["archived_reason"] == "forgotten"
            assert sync_registers.ruled(desktop.db, "slot", origin_number=None) == []
        assert undo.undo(laptop.db, None, viewer=OWNER, now=NOW + 4 * DAY).undone == done.batch
        settle([laptop, desktop], wire, NOW + 5 * DAY)
        agree(laptop, desktop)
        assert laptop.export() == before
        for machine in (laptop, desktop):
            assert sync_registers.ruled(machine.db, "slot", origin_number=None) == [(rome, oslo)]
        undo.redo(laptop.db, viewer=OWNER, now=NOW + 6 * DAY)
        settle([laptop, desktop], wire, NOW + 7 * DAY)
        agree(laptop, desktop)
        assert by_text(desktop)["I live in Rome"]["archived_reason"] == "forgotten"

    def test_a_third_value_beside_a_forget_that_was_taken_back(self, pair):
        """The third value makes the ruling a word: its edge stays also where somebody has settled
        and opened the contradiction since the last sync."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        oslo = say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        say(laptop, "I live in Bern", "A2", slot="town", now=NOW + 2 * DAY)
        amend.forget(laptop.db, [rome], viewer=OWNER, now=NOW + 3 * DAY)
        take_back(laptop, now=NOW + 4 * DAY)
        settle([laptop, desktop], wire, NOW + 5 * DAY)
        agree(laptop, desktop)
        assert (oslo, "contradicts", rome) in edges(laptop)

    def test_a_fact_that_comes_back_gives_way_by_nobodys_word(self, pair):
        """An undo that brings a fact back, which a sync had archived, brings it back as it was
        stated: it stands where the other one goes."""
        laptop, desktop, wire = pair
        say(laptop, "I live in Oslo", "A1")
        say(desktop, "I live in Oslo", "B1", now=NOW + HOUR)
        desktop.sync(wire, NOW + 2 * HOUR)
        laptop.sync(wire, NOW + 2 * HOUR)
        assert by_id(laptop)[named_id("B1")]["archived_reason"] == "merged"
        undo.undo(laptop.db, 2, viewer=OWNER, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        assert [row["id"] for row in rows(desktop)] == [named_id("A1")]
        take_back(desktop, now=NOW + 3 * DAY)
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        agree(laptop, desktop)
        assert by_id(laptop)[named_id("B1")]["archived_reason"] == "merged"
        [known, other] = (
            sync_registers.facts(one.db, [named_id("B1")]) for one in (laptop, desktop)
        )
        assert known[named_id("B1")].marks.keys() == other[named_id("B1")].marks.keys()
        amend.forget(laptop.db, [named_id("A1")], viewer=OWNER, now=NOW + 5 * DAY)
        settle([laptop, desktop], wire, NOW + 6 * DAY)
        agree(laptop, desktop)

    def test_what_was_settled_and_opened_held_until_the_other(self, pair):
        """After a forget nothing holds, and before it what held."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        oslo = say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        amend.forget(laptop.db, [rome], viewer=OWNER, now=NOW + 2 * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        assert by_text(desktop)["I live in Rome"]["valid_to"] is not None
        take_back(laptop, now=NOW + 4 * DAY)
        amend.forget(desktop.db, [oslo], viewer=OWNER, now=NOW + 4 * DAY)
        settle([laptop, desktop], wire, NOW + 5 * DAY)
        agree(laptop, desktop)
        row = by_text(desktop)["I live in Rome"]
        later = by_text(desktop)["I live in Oslo"]["created_at"]
        assert (row["lifecycle"], row["valid_to"]) == ("archived", later)

    def test_the_value_of_a_third_machine_comes_late(self, tmp_path):
        """The value of a third machine comes late."""
        machines = [Machine(tmp_path, name) for name in ("one", "two", "three")]
        wire = Wire()
        for place, (machine, town) in enumerate(zip(machines, ("Rome", "Oslo", "Bern"))):  # noqa: B905
            say(machine, f"I live in {town}", f"A{place}", slot="town", now=NOW + place)
        settle(machines[:2], wire, NOW + HOUR)
        settle(machines, wire, NOW + DAY)
        agree(*machines)
        held = {row["content"] for row in rows(machines[0]) if row["lifecycle"] == "active"}
        assert held == {"I live in Bern"}
        for machine in machines:
            machine.close()


    @pytest.mark.parametrize("is_forgotten", [True, False])
    def test_what_is_forgotten_later_leaves_the_slot_that_it_was_moved_into(
        self, pair, is_forgotten
    ):
        """The later word counts: whoever forgets a fact need not know that another machine has
        moved it into a slot."""
        laptop, desktop, wire = pair
        old = say(laptop, "The meeting is in April", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        move, forget = (DAY, 2 * DAY) if is_forgotten else (2 * DAY, DAY)
        move_in(laptop, old, now=NOW + move)
        amend.forget(desktop.db, [old], viewer=OWNER, now=NOW + forget)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        agree(laptop, desktop)
        wanted = "archived" if is_forgotten else "active"
        for machine in (laptop, desktop):
            assert by_id(machine)[old]["lifecycle"] == wanted

    @pytest.mark.parametrize("first", [0, 1])
    def test_what_is_reworded_leaves_the_slot_that_it_was_moved_into(self, pair, first):
        """The old words do not stand beside the new ones."""
        laptop, desktop, wire = pair
        old = say(laptop, "The meeting is in April", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        move_in(laptop, old, now=NOW + (1 + first) * DAY)
        new = reword(desktop, old, "A2", "The meeting is in May", now=NOW + (2 - first) * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        agree(laptop, desktop)
        for machine in (laptop, desktop):
            held = [by_id(machine)[one]["lifecycle"] for one in (old, new)]
            assert held == ["archived", "active"]


class TestSameText:
    def test_what_two_machines_say_is_said_once_and_counted(self, pair):
        """What two machines say is said once and counted."""
        laptop, desktop, wire = pair
        kept = say(laptop, "The office is open", "A1")
        copy = say(desktop, "The office is open", "B1", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        agree(laptop, desktop)
        told = {row["id"]: row for row in rows(desktop)}
        assert told[kept]["lifecycle"] == "active"
        assert told[kept]["access_count"] == 1
        assert told[copy]["archived_reason"] == "merged"

    def test_a_copy_goes_with_what_was_forgotten(self, pair):
        """A copy goes with what was forgotten."""
        laptop, desktop, wire = pair
        kept = say(laptop, "The office is open", "A1")
        say(desktop, "The office is open", "B1", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        amend.forget(laptop.db, [kept], superseded_by=None, viewer=OWNER, now=NOW + 2 * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        agree(laptop, desktop)
        assert {(row["lifecycle"], row["archived_reason"]) for row in rows(desktop)} == {
            ("archived", "forgotten")
        }

    def test_it_comes_back_where_the_other_was_forgotten_without_knowing_of_it(self, pair):
        """It comes back where the other was forgotten without knowing of it."""
        laptop, desktop, wire = pair
        kept = say(laptop, "The office is open", "A1")
        copy = say(desktop, "The office is open", "B1", now=NOW + HOUR)
        amend.forget(laptop.db, [kept], superseded_by=None, viewer=OWNER, now=NOW + 2 * HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        agree(laptop, desktop)
        told = {row["id"]: row["lifecycle"] for row in rows(laptop)}
        assert told == {kept: "archived", copy: "active"}


    @pytest.mark.parametrize(("here", "there"), [
        ({"valid_from": NOW - 9 * DAY}, {"valid_from": NOW - 5 * DAY}),
        ({"valid_to": NOW + 90 * DAY}, {"valid_to": NOW + 99 * DAY}),
        ({"valid_to": NOW + 90 * DAY}, {}),
        ({"valid_from": NOW + 9 * DAY}, {}),
        ({"kind": "note"}, {"kind": "task"}),
        ({"speaker": "Ann"}, {"speaker": "Ben"}),
    ])  # fmt: skip
    def test_another_statement_of_the_same_text_stays(self, pair, here, there):
        """What two machines say of other times, kinds or by other speakers is two facts, after a
        dream too."""
        laptop, desktop, wire = pair
        say(laptop, "The shop is closed", "A1", **here)
        say(desktop, "The shop is closed", "A2", now=NOW + DAY, **there)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        dream(laptop.db, Settings(), dry_run=False, viewer=OWNER, now=NOW + 3 * DAY)
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        for machine in (laptop, desktop):
            assert [one["lifecycle"] for one in rows(machine)] == ["active", "active"]

    def test_words_that_count_from_their_day_stay_two(self, pair):
        """Yesterday is another day a week later."""
        laptop, desktop, wire = pair
        say(laptop, "Yesterday we chose redis", "A1")
        say(desktop, "Yesterday we chose redis", "A2", now=NOW + 7 * DAY)
        settle([laptop, desktop], wire, NOW + 8 * DAY)
        agree(laptop, desktop)
        assert [one["lifecycle"] for one in rows(laptop)] == ["active", "active"]

    def test_a_copy_gives_its_labels(self, pair):
        """The fact that stays has the tags, title and metadata of both, on both machines."""
        laptop, desktop, wire = pair
        say(laptop, "The lamp is red", "A1", tags=("kitchen",), title="Lamp")
        say(desktop, "The lamp is red", "A2", now=NOW + DAY, tags=("insured",),
            metadata={"bought": "2020"})  # fmt: skip
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        (held,) = [one for one in rows(laptop) if one["lifecycle"] == "active"]
        assert (held["tags"], held["title"]) == (["kitchen", "insured"], "Lamp")
        assert held["metadata"] == {"bought": "2020"}

    def test_a_copy_that_began_earlier_gives_its_beginning(self, pair):
        """A fact that was said on two machines holds since the earlier beginning."""
        laptop, desktop, wire = pair
        say(laptop, "The shop is closed", "A1")
        say(desktop, "The shop is closed", "A2", now=NOW + DAY, valid_from=NOW - 9 * DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        held = [one for one in rows(laptop) if one["lifecycle"] == "active"]
        assert [instant.parse(one["valid_from"]) for one in held] == [NOW - 9 * DAY]


class TestCircle:
    def test_of_facts_that_two_dreams_merged_into_each_other_one_comes_back(self, pair):
        """Of facts that two dreams merged into each other one comes back."""
        laptop, desktop, wire = pair
        one = say(laptop, "The office is open", "A1")
        other = say(laptop, "I deploy on Mondays", "A2")
        settle([laptop, desktop], wire, NOW + HOUR)
        amend.forget(laptop.db, [one], superseded_by=other, viewer=OWNER, now=NOW + DAY)
        amend.forget(desktop.db, [other], superseded_by=one, viewer=OWNER, now=NOW + DAY + 1)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        told = {row["id"]: row["lifecycle"] for row in rows(laptop)}
        assert told == {one: "archived", other: "active"}
        undo.undo(desktop.db, 2, viewer=OWNER, now=NOW + 3 * DAY)
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        agree(laptop, desktop)
        assert {row["id"]: row["lifecycle"] for row in rows(laptop)} == told
        assert sync_registers.all_ruled(laptop.db) == set()

    @pytest.mark.parametrize("how", ["purge", "undo", "merge"])
    def test_what_stood_in_the_place_of_a_circle_goes(self, pair, tmp_path, how):
        """As long as another fact stands in their place, none of the circle comes back."""
        laptop, desktop, wire = pair
        one, other, third, fourth = (say(laptop, text, name) for text, name in (
            ("The office is open", "A1"), ("I deploy on Mondays", "A2"),
            ("I live in Oslo", "A3"), ("I live in Rome", "A4"),
        ))  # fmt: skip
        settle([laptop, desktop], wire, NOW + HOUR)
        link.link(laptop.db, third, "supersedes", one, reason=None, strength=None, viewer=OWNER,
                  now=NOW + HOUR)  # fmt: skip
        amend.forget(laptop.db, [one], superseded_by=other, viewer=OWNER, now=NOW + DAY)
        amend.forget(desktop.db, [other], superseded_by=one, viewer=OWNER, now=NOW + DAY + 1)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        told = {row["id"]: row["lifecycle"] for row in rows(laptop)}
        assert told[one] == told[other] == "archived"
        if how == "purge":
            purge.purge(laptop.db, [third], viewer=OWNER, now=NOW + 3 * DAY)
        elif how == "undo":
            undo.undo(laptop.db, 5, viewer=OWNER, now=NOW + 3 * DAY)
        else:
            amend.forget(laptop.db, [third], superseded_by=fourth, viewer=OWNER,
                         now=NOW + 3 * DAY)  # fmt: skip
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        agree(laptop, desktop)
        server = Machine(tmp_path, "server")
        server.sync(wire, NOW + 5 * DAY)
        agree(laptop, desktop, server)
        server.close()
        told = {row["id"]: row["lifecycle"] for row in rows(laptop)}
        assert told[other] == ("archived" if how == "merge" else "active")

    def test_two_dreams_may_keep_another_twin_each(self, pair):
        """Two dreams may keep another twin each."""
        laptop, desktop, wire = pair
        say(laptop, "I live in Oslo", "A1")
        rows_ = [{"id": named_id("A2"), "content": "I live in Oslo."}]
        import_rows(laptop.db, enumerate(rows_, 1), ImportContext(OWNER, NOW, True), merge=False)
        settle([laptop, desktop], wire, NOW + HOUR)
        amend.feedback(desktop.db, named_id("A2"), delta=0.3, viewer=OWNER, now=NOW + HOUR)
        for machine in (laptop, desktop):
            dream(machine.db, Settings(max_loss=1.0), verb="dream", dry_run=False, viewer=OWNER,
                  now=NOW + DAY)  # fmt: skip
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        assert sum(row["lifecycle"] == "active" for row in rows(laptop)) == 1


class TestUndo:
    def test_an_undo_travels_and_so_does_the_step_forward(self, pair):
        """An undo travels and so does the step forward."""
        laptop, desktop, wire = pair
        say(laptop, "I deploy on Mondays", "A1", tags=("work",))
        settle([laptop, desktop], wire, NOW + HOUR)
        take_back(laptop, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        assert rows(laptop) == rows(desktop) == []
        undo.redo(laptop.db, viewer=OWNER, now=NOW + 3 * DAY)
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        agree(laptop, desktop)
        assert rows(desktop)[0]["tags"] == ["work"]

    def test_the_other_machine_takes_back_what_came(self, pair):
        """The other machine takes back what came."""
        laptop, desktop, wire = pair
        say(laptop, "I deploy on Mondays", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        take_back(desktop, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        assert rows(laptop) == rows(desktop) == []
        undo.redo(desktop.db, viewer=OWNER, now=NOW + 3 * DAY)
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        agree(laptop, desktop)

    def test_an_undo_that_would_lose_a_word_from_elsewhere_names_a_conflict(self, pair):
        """An undo that would lose a word from elsewhere names a conflict."""
        laptop, desktop, wire = pair
        one = say(laptop, "I deploy on Mondays", "A1")
        amend.pin(laptop.db, [one], viewer=OWNER, now=NOW + 1)
        settle([laptop, desktop], wire, NOW + HOUR)
        amend.unpin(desktop.db, [one], viewer=OWNER, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        with pytest.raises(WriteBlockedError):
            undo.undo(laptop.db, 2, viewer=OWNER, now=NOW + 3 * DAY)

    @pytest.mark.parametrize("on", [0, 1], ids=["the earlier", "the later"])
    @pytest.mark.parametrize("texts", [("I live in Rome", "I live in Oslo"), ("So", "So")],
                             ids=["slot", "same"])  # fmt: skip
    def test_what_follows_from_words_elsewhere_stops_no_undo_of_ones_own(self, pair, texts, on):
        """Nobody has said that one of the facts is archived, nor the edge between them."""
        for place, machine in enumerate(pair[:2]):
            say(machine, texts[place], f"A{place}", now=NOW + place * HOUR, slot="town")
        wire = pair[2]
        settle(list(pair[:2]), wire, NOW + 2 * HOUR)
        assert edges(pair[on])
        undo.undo(pair[on].db, 1, viewer=OWNER, now=NOW + DAY)
        settle(list(pair[:2]), wire, NOW + 2 * DAY)
        agree(*pair[:2])
        [left] = rows(pair[on])
        assert (left["id"], left["lifecycle"]) == (named_id(f"A{1 - on}"), "active")
        assert left["links"] == []

    def test_what_is_said_of_a_fact_that_was_taken_back_goes_with_it(self, pair):
        """And comes again when the fact does, if it was said later."""
        laptop, desktop, wire = pair
        one = say(laptop, "I deploy on Mondays", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        take_back(laptop, now=NOW + DAY)
        amend.pin(desktop.db, [one], viewer=OWNER, now=NOW + 2 * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        assert rows(laptop) == rows(desktop) == []
        undo.redo(laptop.db, viewer=OWNER, now=NOW + 4 * DAY)
        settle([laptop, desktop], wire, NOW + 5 * DAY)
        agree(laptop, desktop)


class TestPurge:
    def test_a_late_copy_is_not_born_again(self, pair, tmp_path):
        """A late copy is not born again."""
        laptop, desktop, wire = pair
        one = say(laptop, "The gate code is 12 34", "A1")
        say(laptop, "I deploy on Mondays", "A2")
        laptop.sync(wire, NOW + HOUR)
        desktop.sync(wire, NOW + HOUR)
        purge.purge(desktop.db, [one], viewer=OWNER, now=NOW + DAY)
        late = Machine(tmp_path, "late")
        late.sync(wire, NOW + DAY, upto=1)  # the copy alone
        settle([laptop, desktop, late], wire, NOW + 2 * DAY)
        wire.left += wire.left[:1]
        settle([laptop, desktop, late], wire, NOW + 3 * DAY)
        agree(laptop, desktop, late)
        assert [row["content"] for row in rows(late)] == ["I deploy on Mondays"]
        late.close()

    def test_it_beats_an_undo_elsewhere_and_the_step_forward(self, pair):
        """It beats an undo elsewhere and the step forward."""
        laptop, desktop, wire = pair
        one = say(laptop, "The gate code is 12 34", "A1")
        say(laptop, "I deploy on Mondays", "A2", now=NOW + 1)
        settle([laptop, desktop], wire, NOW + HOUR)
        undo.undo(laptop.db, 1, viewer=OWNER, now=NOW + DAY)
        undo.redo(laptop.db, viewer=OWNER, now=NOW + DAY + 1)
        purge.purge(desktop.db, [one], viewer=OWNER, now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        assert [row["content"] for row in rows(laptop)] == ["I deploy on Mondays"]

    def test_what_an_undo_took_is_purged_from_the_journal_of_the_other(self, pair):
        """What an undo took is purged from the journal of the other."""
        laptop, desktop, wire = pair
        one = say(laptop, "The gate code is 12 34", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        take_back(laptop, now=NOW + DAY)
        purge.purge(desktop.db, [one], viewer=OWNER, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        for machine in (laptop, desktop):
            assert machine.db.execute(
                "SELECT count(*) FROM change WHERE before LIKE '%gate code%'"
            ).get == 0

    @pytest.mark.parametrize("is_heard", [True, False], ids=["heard before", "heard after"])
    @pytest.mark.parametrize("slot", [None, "gate"])
    def test_what_another_has_said_stays_whenever_the_purge_is_heard(self, pair, slot, is_heard):
        """The desktop may have archived its own words because of those that the laptop purges,
        which did not know of them."""
        laptop, desktop, wire = pair
        say(desktop, "The gate code is 12 34", "B1", slot=slot, session="s1" if slot else None)
        one = say(laptop, "The gate code is 12 34", "A1", now=NOW - HOUR + (slot is not None) * DAY,
                  slot=slot)  # fmt: skip
        laptop.sync(wire, NOW + DAY)
        if is_heard:
            desktop.sync(wire, NOW + 2 * DAY)
            assert desktop.db.execute("SELECT 1 FROM sync_fact WHERE by IS NOT NULL").get
        purge.purge(laptop.db, [one], viewer=OWNER, now=NOW + 2 * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        agree(laptop, desktop)
        assert [row["lifecycle"] for row in rows(laptop)] == ["active"]

    def test_a_newcomer_purges_nothing_that_others_have_kept(self, pair, tmp_path):
        """It has heard of an archived fact with the same text before the purge, as nobody else."""
        laptop, desktop, wire = pair
        one = say(laptop, "The gate code is 12 34", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        purge.purge(laptop.db, [one], viewer=OWNER, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        again = {"id": named_id("B1"), "content": "The gate code is 12 34", "lifecycle": "archived"}
        import_rows(desktop.db, enumerate([again], 1),
                    ImportContext(OWNER, NOW + 3 * DAY, True), merge=False)  # fmt: skip
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        server, other = Machine(tmp_path, "server"), Wire()
        first, *purged, last = wire.left
        other.left += [first, last, *purged]
        server.sync(other, NOW + 4 * DAY)
        agree(laptop, desktop, server)
        server.close()

    def test_own_words_that_were_archived_go_with_a_purge_elsewhere(self, pair):
        """Somebody has archived them: nothing of the text is to be left."""
        laptop, desktop, wire = pair
        one = say(laptop, "The gate code is 12 34", "A1")
        laptop.sync(wire, NOW + HOUR)
        gone = say(desktop, "The gate code is 12 34", "B1")
        say(desktop, "I deploy on Mondays", "B2")
        amend.forget(desktop.db, [gone], superseded_by=None, viewer=OWNER, now=NOW + HOUR)
        purge.purge(laptop.db, [one], viewer=OWNER, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        assert [row["content"] for row in rows(laptop)] == ["I deploy on Mondays"]

    def test_own_words_that_were_taken_back_go_from_the_journal(self, pair):
        """No step forward brings back a text that another machine has purged."""
        laptop, desktop, wire = pair
        one = say(laptop, "The gate code is 12 34", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        amend.forget(desktop.db, [one], superseded_by=None, viewer=OWNER, now=NOW + HOUR)
        gone = say(desktop, "The gate code is 12 34", "B1", now=NOW + HOUR)
        say(desktop, "I deploy on Mondays", "B2", now=NOW + HOUR)
        undo.undo(desktop.db, 3, viewer=OWNER, now=NOW + 2 * HOUR)
        purge.purge(laptop.db, [one], viewer=OWNER, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        assert sync_registers.purged(laptop.db, [one, gone]) == {one, gone}
        told = desktop.db.execute("SELECT count(*) FROM change WHERE before LIKE '%12 34%'").get
        assert told == 0

    def test_a_purge_takes_the_copies_that_it_knows(self, pair):
        """The copy of another machine is archived because of the fact that is purged."""
        laptop, desktop, wire = pair
        one = say(laptop, "The gate code is 12 34", "A1")
        say(desktop, "The gate code is 12 34", "B1", now=NOW + HOUR)
        say(desktop, "I deploy on Mondays", "B2", now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        purge.purge(laptop.db, [one], viewer=OWNER, now=NOW + 2 * DAY)
        settle([laptop, desktop], wire, NOW + 3 * DAY)
        agree(laptop, desktop)
        assert [row["content"] for row in rows(laptop)] == ["I deploy on Mondays"]

    def test_an_old_export_brings_nothing_back(self, pair):
        """An old export brings nothing back, no edge and no word of it either."""
        laptop, desktop, wire = pair
        one = say(laptop, "The gate code is 12 34", "A1")
        other = say(laptop, "I deploy on Mondays", "A2")
        link.link(laptop.db, other, "supports", one, reason=None, strength=None, viewer=OWNER,
                  now=NOW)  # fmt: skip
        kept = list(jsonl.forms(laptop.db, viewer=OWNER))
        settle([laptop, desktop], wire, NOW + HOUR)
        purge.purge(laptop.db, [one], viewer=OWNER, now=NOW + DAY)
        import_rows(desktop.db, enumerate(kept, 1), ImportContext(OWNER, NOW + DAY, True),
                    merge=False)  # fmt: skip
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        import_rows(laptop.db, enumerate(kept, 1), ImportContext(OWNER, NOW + 3 * DAY, True),
                    merge=False)  # fmt: skip
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        agree(laptop, desktop)
        assert [row["content"] for row in rows(laptop)] == ["I deploy on Mondays"]
        for machine in (laptop, desktop):
            assert sync_registers.edges_of(machine.db, [one]) == []
            assert sync_registers.facts(machine.db, [one]) == {}


class TestUses:
    def ask(self, machine, *, now):
        query = Query("deploy", limit=5, mode="keyword")
        answer = recall.recall(machine.db, query, viewer=OWNER, now=now)
        recall.write_back(machine.db, answer, touch=True, now=now)

    def test_uses_of_all_machines_are_added(self, pair):
        """Uses of all machines are added."""
        laptop, desktop, wire = pair
        say(laptop, "I deploy on Mondays", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        for place, machine in enumerate((laptop, desktop, desktop)):
            self.ask(machine, now=NOW + (place + 2) * HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        agree(laptop, desktop)
        assert rows(laptop)[0]["access_count"] == 3

    @pytest.mark.parametrize("is_joined", [True, False])
    def test_those_of_one_export_count_once(self, pair, is_joined):
        """Those of one export count once."""
        laptop, desktop, wire = pair
        export = [{"id": named_id("A1"), "content": "I deploy on Mondays", "access_count": 7}]
        if is_joined:
            say(laptop, "The office is open", "A2")
            settle([laptop, desktop], wire, NOW + 2 * HOUR)
        for machine in (laptop, desktop):
            import_rows(machine.db, enumerate(export, 1), ImportContext(OWNER, NOW, True),
                        merge=False)  # fmt: skip
            self.ask(machine, now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        agree(laptop, desktop)
        told = by_text(laptop)["I deploy on Mondays"]
        assert told["access_count"] == (9 if is_joined else 8)

    def test_a_use_counts_that_a_clock_says_was_long_ago(self, pair):
        """A use counts that a clock says was long ago."""
        laptop, desktop, wire = pair
        say(laptop, "I deploy on Mondays", "A1")
        settle([laptop, desktop], wire, NOW + 40 * DAY)
        self.ask(laptop, now=NOW + DAY)  # the clock was wrong, and is set back
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        assert rows(desktop)[0]["access_count"] == 1


class TestClocks:
    def test_a_word_that_knew_another_is_the_later_one_whatever_its_clock(self, tmp_path):
        """A word that knew another is the later one whatever its clock."""
        ahead = Machine(tmp_path, "ahead", skew=20 * HOUR)
        behind = Machine(tmp_path, "behind", skew=-20 * HOUR)
        wire = Wire()
        one = say(ahead, "I deploy on Mondays", "A1")
        settle([ahead, behind], wire, NOW + 1)
        amend.pin(ahead.db, [one], viewer=OWNER, now=NOW + 20 * HOUR)
        settle([ahead, behind], wire, NOW + 2)
        amend.unpin(behind.db, [one], viewer=OWNER, now=NOW - 20 * HOUR)
        settle([ahead, behind], wire, NOW + 3)
        agree(ahead, behind)
        assert rows(ahead)[0]["pinned"] is False
        ahead.close()
        behind.close()


class TestEdges:
    def test_an_edge_waits_for_its_ends(self, pair, tmp_path):
        """An edge waits for its ends."""
        laptop, desktop, wire = pair
        one = say(laptop, "I deploy on Mondays", "A1")
        laptop.sync(wire, NOW + HOUR)
        other = say(laptop, "The office is open", "A2")
        laptop.sync(wire, NOW + 2 * HOUR)
        link.link(laptop.db, one, "supports", other, reason="so", strength=2, viewer=OWNER,
                  now=NOW + 2 * HOUR)  # fmt: skip
        laptop.sync(wire, NOW + 3 * HOUR)
        wire.left.reverse()  # the edge comes first
        desktop.sync(wire, NOW + DAY, upto=1)
        assert rows(desktop) == []
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        assert edges(desktop) == {(one, "supports", other)}

    def test_the_later_of_link_and_unlink_counts(self, pair):
        """The later of link and unlink counts."""
        laptop, desktop, wire = pair
        one = say(laptop, "I deploy on Mondays", "A1")
        other = say(laptop, "The office is open", "A2")
        link.link(laptop.db, one, "supports", other, reason=None, strength=None, viewer=OWNER,
                  now=NOW)  # fmt: skip
        settle([laptop, desktop], wire, NOW + HOUR)
        link.unlink(desktop.db, one, "supports", other, viewer=OWNER, now=NOW + 2 * HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        agree(laptop, desktop)
        assert edges(laptop) == set()


    @pytest.mark.parametrize("how", ["redo", "import"])
    def test_it_waits_for_a_fact_that_comes_back_by_a_word_here(self, pair, how):
        """The other machine has linked a fact that was taken back here meanwhile."""
        laptop, desktop, wire = pair
        first = say(laptop, "I deploy on Mondays", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        kept = rows(desktop)
        second = say(laptop, "Deploying takes an hour", "B1", now=NOW + HOUR)
        link.link(laptop.db, second, "supports", first, reason=None, strength=None, viewer=OWNER,
                  now=NOW + 2 * HOUR)  # fmt: skip
        take_back(desktop, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        assert edges(desktop) == edges(laptop) == set()
        if how == "redo":
            undo.redo(desktop.db, viewer=OWNER, now=NOW + 3 * DAY)
        else:
            stated = enumerate(kept, 1)
            import_rows(desktop.db, stated, ImportContext(OWNER, NOW + 3 * DAY, True), merge=False)
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        assert edges(desktop) == {(second, "supports", first)}
        agree(laptop, desktop)


class TestReasons:
    def test_both_say_why_a_fact_is_archived(self, pair):
        """Both say why a fact is archived."""
        laptop, desktop, wire = pair
        gone, old = (say(laptop, text, name) for text, name in (
            ("I deploy on Mondays", "A1"), ("I live in Rome", "A2")))  # fmt: skip
        settle([laptop, desktop], wire, NOW + HOUR)
        amend.forget(desktop.db, [gone], superseded_by=None, viewer=OWNER, now=NOW + DAY)
        edit.edit(desktop.db, old, {"content": "I live in Oslo"},
                  editor=edit.Editor("owner_message", typed=True), fact_id=named_id("B1"),
                  viewer=OWNER, now=NOW + DAY)  # fmt: skip
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        why = {row["id"]: row["archived_reason"] for row in rows(laptop)}
        assert (why[gone], why[old]) == ("forgotten", "superseded")

    def test_a_restatement_moves_when_it_was_said_on_both(self, pair):
        """A restatement moves when it was said on both."""
        laptop, desktop, wire = pair
        one = say(laptop, "I deploy on Mondays", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        say(desktop, "I deploy on Mondays", "B1", now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        [row] = rows(laptop)
        assert row["id"] == one
        assert row["said_at"] > row["created_at"]

    @pytest.mark.parametrize("brought", [
        {"changed_at": NOW + 5 * DAY, "said_at": NOW + 4 * DAY}, {"archived_reason": "superseded"},
    ], ids=["times", "reason"])  # fmt: skip
    def test_what_an_import_knows_of_a_fact_that_it_leaves_as_it_is(self, pair, brought):
        """When a state was stated, and why it is archived, has no change in the journal."""
        laptop, desktop, wire = pair
        one = say(laptop, "I deploy on Mondays", "A1")
        amend.forget(laptop.db, [one], superseded_by=None, viewer=OWNER, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        known = [{**row, **brought} for row in rows(desktop)]
        import_rows(desktop.db, enumerate(known, 1), ImportContext(OWNER, NOW + 6 * DAY, True),
                    merge=True)  # fmt: skip
        settle([laptop, desktop], wire, NOW + 7 * DAY)
        agree(laptop, desktop)
        [row] = rows(laptop)
        iso = {name: instant.iso(value) if isinstance(value, int) else value
               for name, value in brought.items()}  # fmt: skip
        assert iso.items() <= row.items()


class TestNobodysWord:
    """An undo gives back when a fact was said; a pass and its undo say nothing."""

    @pytest.mark.parametrize("heard", [False, True], ids=["alone", "heard"])
    def test_a_repeat_that_was_taken_back_moves_no_value(self, pair, heard):
        """Also where the repeat has come to the other machine before."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        oslo = say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + 30 * DAY)
        say(laptop, "I live in Rome", "A9", slot="town", now=NOW + 60 * DAY)
        if heard:
            settle([laptop, desktop], wire, NOW + 61 * DAY)
            assert by_id(desktop)[rome]["lifecycle"] == "active"
        undo.undo(laptop.db, None, viewer=OWNER, now=NOW + 62 * DAY)
        settle([laptop, desktop], wire, NOW + 90 * DAY)
        agree(laptop, desktop)
        told = by_id(laptop)
        assert told[rome]["said_at"] == told[rome]["created_at"]
        assert (told[rome]["lifecycle"], told[oslo]["lifecycle"]) == ("archived", "active")
        undo.redo(laptop.db, viewer=OWNER, now=NOW + 100 * DAY)
        settle([laptop, desktop], wire, NOW + 101 * DAY)
        agree(laptop, desktop)
        assert by_id(desktop)[rome]["said_at"] == instant.iso(NOW + 60 * DAY)

    @pytest.mark.parametrize("heard", [False, True], ids=["alone", "heard"])
    @pytest.mark.parametrize("meanwhile", ["another value", "forget", "forget and restore"])
    def test_a_dream_that_was_taken_back_beats_no_word(self, pair, meanwhile, heard):
        """What somebody said or forgot before, on a machine that comes later, stays."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town", tier="short")
        settle([laptop, desktop], wire, NOW + HOUR)
        if meanwhile == "another value":
            say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + 30 * DAY)
        else:
            amend.forget(desktop.db, [rome], viewer=OWNER, now=NOW + 30 * DAY)
        if meanwhile == "forget and restore":
            amend.restore(desktop.db, [rome], viewer=OWNER, now=NOW + 31 * DAY)
        dream(laptop.db, Settings(max_loss=1.0), verb="dream", dry_run=False, viewer=OWNER,
              now=NOW + 300 * DAY)  # fmt: skip
        assert by_id(laptop)[rome]["lifecycle"] == "archived"
        if heard:
            laptop.sync(wire, NOW + 301 * DAY)
        if meanwhile != "forget and restore":
            undo.undo(laptop.db, None, viewer=OWNER, now=NOW + 302 * DAY)
        settle([laptop, desktop], wire, NOW + 303 * DAY)
        agree(laptop, desktop)
        wanted = "active" if meanwhile == "forget and restore" else "archived"
        assert by_id(laptop)[rome]["lifecycle"] == wanted
        assert by_id(laptop)[rome]["said_at"] <= instant.iso(NOW + 31 * DAY + desktop.skew)


    @pytest.mark.parametrize("verb", ["forget", "restore"])
    @pytest.mark.parametrize("later", [0, 1], ids=["undone first", "undone last"])
    def test_a_word_that_was_taken_back_beats_none_of_another(self, pair, verb, later):
        """Both machines forget a fact, or restore it, and one of them takes that back."""
        laptop, desktop, wire = pair
        cat = say(laptop, "the cat is grey", "A1")
        if verb == "restore":
            amend.forget(laptop.db, [cat], viewer=OWNER, now=NOW + 1)
        settle([laptop, desktop], wire, NOW + DAY)
        act = amend.forget if verb == "forget" else amend.restore
        act(laptop.db, [cat], viewer=OWNER, now=NOW + 2 * DAY)
        undo.undo(laptop.db, None, viewer=OWNER, now=NOW + (3 + 2 * later) * DAY)
        act(desktop.db, [cat], viewer=OWNER, now=NOW + 4 * DAY)
        settle([laptop, desktop], wire, NOW + 6 * DAY)
        agree(laptop, desktop)
        wanted = "archived" if verb == "forget" else "active"
        assert by_id(laptop)[cat]["lifecycle"] == wanted

    @pytest.mark.parametrize("first", [0, 1], ids=["said first", "said last"])
    def test_what_is_said_again_later_than_it_was_forgotten_stays(self, pair, first):
        """To say a fact again says that it holds, and the later word counts."""
        laptop, desktop, wire = pair
        cat = say(laptop, "the cat is grey", "A1")
        settle([laptop, desktop], wire, NOW + DAY)
        say(laptop, "the cat is grey", "A2", now=NOW + (4 - 2 * first) * DAY)
        amend.forget(desktop.db, [cat], viewer=OWNER, now=NOW + 3 * DAY)
        settle([laptop, desktop], wire, NOW + 6 * DAY)
        agree(laptop, desktop)
        told = by_id(laptop)[cat]
        wanted = ("archived", False) if first else ("active", True)
        assert (told["lifecycle"], told["valid_to"] is None) == wanted

    @pytest.mark.parametrize("verb", ["dream", "gc"])
    def test_a_pass_beats_no_earlier_repeat(self, pair, verb):
        """What faded here and was said again there before stays."""
        laptop, desktop, wire = pair
        cat = say(laptop, "the cat is grey", "A1", tier="short")
        settle([laptop, desktop], wire, NOW + DAY)
        say(desktop, "the cat is grey", "B2", now=NOW + 3 * DAY)
        dream(laptop.db, Settings(max_loss=1.0), verb=verb, dry_run=False, viewer=OWNER,
              now=NOW + 300 * DAY)  # fmt: skip
        assert by_id(laptop)[cat]["lifecycle"] == "archived"
        settle([laptop, desktop], wire, NOW + 301 * DAY)
        agree(laptop, desktop)
        assert by_id(laptop)[cat]["lifecycle"] == "active"


class TestRewordings:
    """A removal does not reach a rewording that was made without knowing of it, and says so."""

    @pytest.mark.parametrize("first", [0, 1], ids=["edit first", "removal first"])
    @pytest.mark.parametrize("again", [False, True], ids=["edited once", "edited twice"])
    def test_a_forget_leaves_a_rewording_and_both_are_named(self, pair, first, again):
        """Until somebody has said which of the two is right."""
        laptop, desktop, wire = pair
        old, new = reworded(pair, first=first, again=again, removal="forget")
        told = by_id(laptop)
        assert (told[old]["lifecycle"], told[new]["lifecycle"]) == ("archived", "active")
        for machine in (laptop, desktop):
            assert sync_registers.reworded(machine.db, origin_number=None) == [(old, new)]
        amend.forget(desktop.db, [new], viewer=OWNER, now=NOW + 9 * DAY)
        assert sync_registers.reworded(desktop.db, origin_number=None) == []
        settle([laptop, desktop], wire, NOW + 10 * DAY)
        agree(laptop, desktop)
        assert sync_registers.reworded(laptop.db, origin_number=None) == []
        undo.undo(desktop.db, None, viewer=OWNER, now=NOW + 11 * DAY)
        settle([laptop, desktop], wire, NOW + 12 * DAY)
        assert sync_registers.reworded(laptop.db, origin_number=None) == [(old, new)]
        amend.forget(laptop.db, [old], viewer=OWNER, now=NOW + 13 * DAY)
        settle([laptop, desktop], wire, NOW + 14 * DAY)
        agree(laptop, desktop)
        for machine in (laptop, desktop):
            assert sync_registers.reworded(machine.db, origin_number=None) == []
            assert by_id(machine)[new]["lifecycle"] == "active"

    @pytest.mark.parametrize("first", [0, 1], ids=["edit first", "removal first"])
    @pytest.mark.parametrize("again", [False, True], ids=["edited once", "edited twice"])
    @pytest.mark.parametrize("answer", ["purge", "restore"])
    def test_a_purge_archives_a_rewording(self, pair, first, again, answer):
        """It is named until it is purged too, or restored; an undo of that asks again."""
        laptop, desktop, wire = pair
        old, new = reworded(pair, first=first, again=again, removal="purge")
        assert old not in by_id(laptop)
        for machine in (laptop, desktop):
            assert by_id(machine)[new]["lifecycle"] == "archived"
            assert (None, new) in sync_registers.reworded(machine.db, origin_number=None)
        if answer == "purge":
            gone = [one["id"] for one in rows(laptop)]
            purge.purge(laptop.db, gone, viewer=OWNER, now=NOW + 9 * DAY)
        else:
            amend.restore(laptop.db, [new], viewer=OWNER, now=NOW + 9 * DAY)
        settle([laptop, desktop], wire, NOW + 10 * DAY)
        assert desktop.export() == laptop.export()
        for machine in (laptop, desktop):
            assert sync_registers.reworded(machine.db, origin_number=None) == []
            assert (new in by_id(machine)) == (answer == "restore")
        if answer == "restore":
            assert by_id(desktop)[new]["lifecycle"] == "active"
            undo.undo(laptop.db, None, viewer=OWNER, now=NOW + 11 * DAY)
            settle([laptop, desktop], wire, NOW + 12 * DAY)
            agree(laptop, desktop)
            assert by_id(desktop)[new]["lifecycle"] == "archived"
            assert (None, new) in sync_registers.reworded(desktop.db, origin_number=None)

    def test_of_two_rewordings_both_are_named(self, pair, tmp_path):
        """To forget the old words again keeps both."""
        laptop, desktop, wire = pair
        phone = Machine(tmp_path, "phone")
        old = say(laptop, "The meeting is in April", "A1")
        settle([laptop, desktop, phone], wire, NOW + HOUR)
        may = reword(laptop, old, "A2", "The meeting is in May", now=NOW + DAY)
        june = reword(desktop, old, "A3", "The meeting is in June", now=NOW + DAY)
        amend.forget(phone.db, [old], viewer=OWNER, now=NOW + 2 * DAY)
        settle([laptop, desktop, phone], wire, NOW + 3 * DAY)
        for machine in (laptop, desktop, phone):
            waiting = sync_registers.reworded(machine.db, origin_number=None)
            assert waiting == sorted([(old, may), (old, june)], key=lambda one: one[1])
        amend.forget(desktop.db, [old], viewer=OWNER, now=NOW + 4 * DAY)
        settle([laptop, desktop, phone], wire, NOW + 5 * DAY)
        agree(laptop, desktop, phone)
        for machine in (laptop, desktop, phone):
            assert sync_registers.reworded(machine.db, origin_number=None) == []
            held = [by_id(machine)[one]["lifecycle"] for one in (old, may, june)]
            assert held == ["archived", "active", "active"]
        phone.close()

    @pytest.mark.parametrize("removal", ["forget", "purge"])
    def test_who_knew_of_a_rewording_removes_the_old_words_alone(self, pair, removal):
        """Nothing is named, and the rewording stands."""
        laptop, desktop, wire = pair
        old = say(laptop, "The meeting is in April", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        new = reword(laptop, old, "A2", "The meeting is in May", now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        take_away(desktop, old, removal, now=NOW + 3 * DAY)
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        agree(laptop, desktop)
        assert by_id(laptop)[new]["lifecycle"] == "active"
        assert sync_registers.reworded(laptop.db, origin_number=None) == []

    def test_a_fact_that_was_restored_and_then_edited_is_none(self, pair):
        """Whoever edits it knew that it had been forgotten."""
        laptop, desktop, wire = pair
        old = say(laptop, "The meeting is in April", "A1")
        amend.forget(laptop.db, [old], viewer=OWNER, now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        amend.restore(laptop.db, [old], viewer=OWNER, now=NOW + 2 * DAY)
        reword(laptop, old, "A2", "The meeting is in May", now=NOW + 3 * DAY)
        settle([laptop, desktop], wire, NOW + 4 * DAY)
        agree(laptop, desktop)
        assert sync_registers.reworded(desktop.db, origin_number=None) == []

    @pytest.mark.parametrize("removal", ["forget", "purge"])
    def test_another_value_of_a_slot_is_no_rewording(self, pair, removal):
        """It replaces what the other machine removes, and stands."""
        laptop, desktop, wire = pair
        old = say(laptop, "I live in Rome", "A1", slot="town")
        settle([laptop, desktop], wire, NOW + HOUR)
        new = say(laptop, "I live in Oslo", "A2", slot="town", now=NOW + DAY)
        take_away(desktop, old, removal, now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        assert by_id(desktop)[new]["lifecycle"] == "active"
        assert sync_registers.reworded(desktop.db, origin_number=None) == []


def reword(machine: Machine, old: str, name: str, text: str, *, now: int) -> str:
    done = edit.edit(machine.db, old, {"content": text}, fact_id=named_id(name), viewer=OWNER,
                     editor=edit.Editor("owner_message", typed=True), now=now)  # fmt: skip
    return done.fact.id


def move_in(machine: Machine, old: str, *, now: int) -> None:
    edit.edit(machine.db, old, {"slot": "meeting"}, fact_id=named_id("A9"), viewer=OWNER, now=now,
              editor=edit.Editor("owner_message", typed=True))  # fmt: skip


def take_away(machine: Machine, fact_id: str, removal: str, *, now: int) -> None:
    if removal == "forget":
        amend.forget(machine.db, [fact_id], viewer=OWNER, now=now)
    else:
        purge.purge(machine.db, [fact_id], viewer=OWNER, now=now)


def reworded(
    pair: tuple[Machine, Machine, Wire], *, first: int, again: bool, removal: str
) -> tuple[str, str]:
    """Let the laptop reword a fact that the desktop removes, and both hear of it; the `first` word
    is the edit (0) or the removal. Return the ids of the old and of the new wording."""
    laptop, desktop, wire = pair
    old = new = say(laptop, "The meeting is in April", "A1")
    settle([laptop, desktop], wire, NOW + HOUR)
    at = {first: NOW + DAY, 1 - first: NOW + 2 * DAY}
    new = reword(laptop, old, "A2", "The meeting is in May", now=at[0])
    if again:
        new = reword(laptop, new, "A3", "The meeting is in the middle of May", now=at[0] + HOUR)
    take_away(desktop, old, removal, now=at[1])
    order = [laptop, desktop, laptop] if first == 0 else [desktop, laptop, desktop]
    for step, machine in enumerate(order):
        machine.sync(wire, NOW + 3 * DAY + step * HOUR)
    agree(laptop, desktop)
    return old, new


class TestOrigins:
    def test_facts_keep_their_origin_and_no_ruling_passes_between_origins(self, pair):
        """Facts keep their origin and no ruling passes between origins."""
        laptop, desktop, wire = pair
        say(laptop, "I live in Rome", "A1", slot="town", origin=PEER)
        say(desktop, "I live in Oslo", "B1", slot="town", now=NOW + HOUR)
        say(desktop, "I live in Rome", "B2", origin=channel("wa", "c2", "s1"), now=NOW + HOUR)
        settle([laptop, desktop], wire, NOW + DAY)
        agree(laptop, desktop)
        assert {(row["origin"], row["lifecycle"]) for row in rows(laptop)} == {
            (PEER.key, "active"), ("owner", "active"), ("channel:wa/c2/s1", "active"),
        }  # fmt: skip


class TestFirstSync:
    def test_two_values_that_stood_together_before_are_settled_at_once(self, pair):
        """Another program has put two values into one slot. The machine that has them shows at its
        first sync what all others will show."""
        laptop, desktop, wire = pair
        rome = say(laptop, "I live in Rome", "A1", slot="town")
        oslo = say(laptop, "I live in Oslo", "A2", slot="town", scope="work", now=NOW + HOUR)
        laptop.db.execute("UPDATE fact SET scope = NULL")
        settle([laptop, desktop], wire, NOW + DAY)
        assert desktop.export() == laptop.export()
        told = {row["id"]: row["lifecycle"] for row in rows(laptop)}
        assert told == {rome: "archived", oslo: "active"}
        assert (oslo, "contradicts", rome) in edges(laptop)

    def test_facts_that_were_merged_in_a_circle_before(self, pair):
        """A file has brought two facts that were each merged into the other: one comes back on the
        machine that has read it too."""
        laptop, desktop, wire = pair
        one, other = named_id("A1"), named_id("A2")
        circle = [
            {"id": fact_id, "content": text, "lifecycle": "archived", "archived_reason": "merged",
             "created_at": NOW, "valid_to": NOW + at,
             "links": [{"kind": kind, "target": target} for kind in ("contradicts", "transition")]}
            for fact_id, text, target, at in (
                (one, "I live in Oslo", other, 1), (other, "I live in Oslo.", one, 2),
            )
        ]  # fmt: skip
        import_rows(laptop.db, enumerate(circle, 1), ImportContext(OWNER, NOW, True), merge=False)
        settle([laptop, desktop], wire, NOW + DAY)
        agree(laptop, desktop)
        assert sorted(row["lifecycle"] for row in rows(laptop)) == ["active", "archived"]


class TestFields:
    def test_a_decay_rate_of_the_segment_follows_the_segment(self, pair):
        """Although the later word says nothing of it, and the birth comes again."""
        laptop, desktop, wire = pair
        one = say(laptop, "I deploy on Fridays", "A1")
        settle([laptop, desktop], wire, NOW + HOUR)
        take_back(laptop, now=NOW + 2 * HOUR)
        undo.redo(laptop.db, viewer=OWNER, now=NOW + 3 * HOUR)
        new = NewFact("I deploy on Fridays", "project", "owner_message", OWNER)
        remember.remember(desktop.db, new, fact_id=named_id("B1"), now=NOW + DAY)
        settle([laptop, desktop], wire, NOW + 2 * DAY)
        agree(laptop, desktop)
        [row] = rows(laptop)
        assert (row["id"], row["segment"], row["decay_rate"]) == (one, "project", 0.025)


def test_what_is_much_alike_stays_two(pair):
    """Texts a letter, a mark, a case, an order or a number apart, said on two machines, are all
    there on both after a sync and ten dreams; one text said on both is one fact."""
    laptop, desktop, wire = pair
    for n, (one, other) in enumerate(UNLIKE):
        say(laptop, one, f"A{n:03}")
        say(desktop, other, f"B{n:03}")
    say(laptop, "I deploy on Fridays here", "AX")
    say(desktop, "i deploy  on Fridays here.", "BX")
    settle([laptop, desktop], wire, NOW)
    for machine in (laptop, desktop):
        for night in range(10):
            dream(machine.db, Settings(max_loss=1.0), viewer=OWNER, now=NOW + HOUR + night,
                  dry_run=False)  # fmt: skip
        settle([laptop, desktop], wire, NOW + 2 * HOUR)
    wanted = {stated_text(normalise(text)) for texts in UNLIKE for text in texts}
    wanted.add(stated_text("I deploy on Fridays here"))
    for machine in (laptop, desktop):
        active = [row["content"] for row in rows(machine) if row["lifecycle"] == "active"]
        assert {stated_text(text) for text in active} == wanted
        assert len([text for text in active if "Fridays here" in text]) == 1
