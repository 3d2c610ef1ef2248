"""The same statement is the same text; whoever compares anything else would lose what was said."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, fact, joined
from tests.truth.pairs_of_texts import SAME, UNLIKE
from tideline_cli.model.text import normalise
from tideline_cli.policy.periods import holds_from
from tideline_cli.policy.sameness import is_reworded, says_same, state_the_same, stated_text
from tideline_cli.policy.survivor import merged


def test_there_are_enough_pairs():
    """The tables hold what was written before the rule was, and no pair twice."""
    assert len({frozenset(pair) for pair in UNLIKE}) >= 150
    assert len(SAME) >= 40


@joined("pair", UNLIKE)
def test_unlike(pair):
    """Two texts that say two things are never the same, whichever comes first."""
    one, other = map(normalise, pair)
    assert not says_same(one, other, rule="strict")
    assert not says_same(other, one, rule="strict")
    assert says_same(one, other, rule="reference")


@joined("pair", SAME)
def test_same(pair):
    """One text written in two ways is one statement."""
    one, other = map(normalise, pair)
    assert says_same(one, other, rule="strict")
    assert says_same(other, one, rule="strict")


def same(one, other):
    return state_the_same(one, other, rule="strict")


def test_who_said_it_of_what_kind():
    """Two speakers, two stated kinds and two rows of a conversation are two facts; a kind that one
    of the two leaves open is no other."""
    plain = fact("tea is served at five", "A")
    assert same(plain, fact("Tea is served at five.", "B"))
    for given in ({"speaker": "ann"}, {"session": "s1"}, {"turn": 3}):
        assert not same(plain, fact("tea is served at five", "B", **given)), given
    ann, bob = (fact("I like tea", name, speaker=name) for name in ("ann", "bob"))
    assert not same(ann, bob)
    task, insight = (fact("call Bob", kind, kind=kind) for kind in ("task", "insight"))
    assert not same(task, insight)
    assert same(task, fact("call Bob", "C"))


def test_a_value_of_a_slot():
    """In a slot any difference is another value: of the words, of the day that they mean, of the
    speaker; a new session is none."""
    text = "the dentist comes tomorrow"
    first = fact(text, "A", slot="dentist", now=NOW)
    assert same(first, fact(text, "B", slot="dentist", session="s1", now=NOW + 1000))
    assert not same(first, fact(text, "C", slot="dentist", now=NOW + 7 * DAY))
    assert not same(first, fact(text + ".", "D", slot="dentist", now=NOW))
    assert not same(first, fact(text, "E", slot="dentist", speaker="ann", now=NOW))


def test_rows_of_a_conversation():
    """Two rows of one session stay two; a row that comes again, with its turn, is one."""
    rows = [
        fact("ok", f"r{n}", session="s", turn=turn) for n, turn in enumerate((None, None, 4, 4))
    ]
    assert not same(rows[0], rows[1])
    assert not same(rows[1], rows[2])
    assert same(rows[2], rows[3])
    distilled = [fact("The user likes tea", f"d{n}", source="extraction", session=f"s{n}", turn=n)
                 for n in range(2)]  # fmt: skip
    assert same(*distilled)


@joined(
    "text",
    ["yesterday we chose redis", "we meet next Friday", "call Ann in two weeks", "demain il part",
     "letzte Woche war Messe", "昨天我们开会", "вчера мы выбрали redis", "ayer llovió mucho",
     "lunch is tomorrow", "in the last 3 months we grew", "明天开会", "this evening it snowed",
     "a fox came last night", "the boat sails 4 days from now", "wir segeln in drei Tagen",
     "il pleuvait ce matin", "elle part dans six jours", "Hier il a neigé", "llegó hace un mes",
     "el sábado que viene cantamos", "due giorni fa nevicava", "questa sera c'è il coro",
     "na semana passada choveu", "twee dagen geleden sneeuwde het", "на прошлой неделе шёл снег",
     "через три дня отпуск", "五天前下雪", "今晚有雨", "二日後に発つ", "지난주 눈이 왔다"],
)  # fmt: skip
def test_relative_days(text):
    """A relative time word of another day makes another fact; within the day it is the same."""
    first, later = fact(text, "A", now=NOW), fact(text, "B", now=NOW + 60 * DAY)
    assert not same(first, later)
    assert same(first, fact(text, "C", now=NOW + 1000))


@pytest.mark.parametrize(
    ("text", "days"),
    [("Eva visits next Saturday", 1), ("the fair is next week", 1), ("this year I run", 200),
     ("im nächsten Monat ziehe ich um", 10), ("la semaine prochaine on part", 1), ("今年结婚", 90)],
)  # fmt: skip
def test_one_day_is_meant(text, days):
    """Said on two days that mean the same day, week, month or year, it is one fact."""
    monday = 1_772_452_800_000  # 2026-03-02
    assert same(fact(text, "A", now=monday), fact(text, "B", now=monday + days * DAY))
    assert not same(fact(text, "A", now=monday), fact(text, "C", now=monday + 400 * DAY))


@joined(
    "text",
    ["I deploy on Fridays", "My birthday is 3 May", "the next step", "Choir is on Tuesdays at 6",
     "Die Axt liegt hier", "Hier wohnt der Förster", "Freitag ist mein Tag", "a bad day to sail",
     "The last minute of a run is kept", "The view shows the previous quarter"],
)  # fmt: skip
def test_other_times(text):
    """What does not count from the day of saying is the same on every day."""
    assert same(fact(text, "A", now=NOW), fact(text, "B", now=NOW + 60 * DAY))


def test_in_a_slot_every_difference_counts():
    """Beside a slot even a full stop or the first letter is another text."""
    held = fact("the code is abc", "A", slot="code")
    assert same(held, fact("the code is abc", "B"))
    assert not same(held, fact("The code is abc", "B", slot="code"))
    assert not same(held, fact("the code is abc.", "B"))


def test_what_a_model_has_worded():
    """Distilled facts in the same words are one, whatever their case, articles and marks; what a
    person said, or other words, are not."""
    first = fact("The user likes the green tea.", "A", source="extraction")
    for text in (
        "the user likes green tea",
        "The user likes: green tea!",
        "User likes a green tea",
    ):
        assert is_reworded(first, fact(text, "B", source="dream")), text
        assert not is_reworded(first, fact(text, "B")), text
    for text in (
        "The user likes green teas",
        "Green tea the user likes",
        "The user liked green tea",
        "The user likes green+ tea",
    ):
        assert not is_reworded(first, fact(text, "B", source="extraction")), text


def test_a_statement_is_stable():
    """What states the same states it again."""
    for text in {normalise(text) for pair in (*UNLIKE, *SAME) for text in pair}:
        assert stated_text(stated_text(text)) == stated_text(text)


def test_the_survivor_begins_at_the_earlier_beginning():
    """What stays of two twins holds since the earlier of the two, and a stated beginning that is
    later puts nothing off."""
    late = fact("Bob runs it", "L", now=NOW)
    early = fact("Bob runs it", "E", now=NOW - DAY)
    future = fact("Bob runs it", "F", now=NOW, valid_from=NOW + DAY)
    assert holds_from(merged(late, early)) == NOW - DAY
    assert holds_from(merged(early, late)) == NOW - DAY
    assert holds_from(merged(late, future)) == holds_from(merged(future, late)) == NOW
