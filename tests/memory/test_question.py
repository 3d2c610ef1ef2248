"""Questions as words: what counts as one, and what stands in for an unknown one."""

from __future__ import annotations

from itertools import chain

import pytest

from tests.support import DAY, NOW, fact, fresh_store, put, searched
from tideline_cli.memory import unindexed_words
from tideline_cli.memory.query import Match, Query, conditions, question_of, word_count
from tideline_cli.memory.recall import recall
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.model.text import WITH_FORMS
from tideline_cli.store import fts, reads, visibility
from tideline_cli.store.connection import put_setting
from tideline_cli.store.facts import Filter

PEER = channel("wa", "c1", "s1")


@pytest.fixture
def db():
    with fresh_store() as made:
        yield made


def found(db, text, *, viewer=OWNER, mode="keyword", **given):
    answer = recall(db, Query(text, mode=mode, **given), viewer=viewer, now=NOW + DAY)
    return [hit.fact.content for hit in answer.hits]


def stored(db, *texts, origin=OWNER):
    put(db, [fact(text, f"{origin.key}{at}", origin=origin) for at, text in enumerate(texts)])


def test_the_exact_spelling_stays_first(db):
    """Of two facts with two spellings the one that is asked for comes first, the other second."""
    pairs = (
        ("Zürich office has five rooms", "Zurich office has five rooms", "office zurich"),
        ("Zürich office has five rooms", "Zurich office has five rooms", "office zürich"),
        ("unit F-07 is loud", "unit F07 is loud", "unit f07"),
        ("unit F-07 is loud", "unit F07 is loud", "unit F-07"),
        ("a disk of 5GB for backups", "a disk of 5 GB for backups", "5gb disk"),
        ("the mouse lives here", "the mice live here", "mice"),
        ("the mouse lives here", "the mice live here", "mouse"),
    )
    for one, other, question in pairs:
        with fresh_store() as fresh:
            stored(fresh, one, other)
            first, second = found(fresh, question)
            bare = question.replace("office ", "").split()[-1 if "disk" not in question else 0]
            assert bare.lower() in first.lower(), (question, first, second)


def test_a_word_with_a_hyphen_counts_once(db):
    """`e-mail` weighs no more than another word: the fact with both words comes first."""
    stored(db, "send the summary by e-mail", "her email signature is short", "by post it goes")
    assert found(db, "e-mail signature")[0] == "her email signature is short"
    question = question_of("e-mail signature", WITH_FORMS)
    assert word_count(question.terms, question.forms) == 2
    assert len(conditions(question)) == 2


def test_unknown_words_are_found_by_their_beginning(db):
    """A shortened hash and another ending find their fact; a word that is known does not spread."""
    stored(db, "fixed in 3fa9c1d88e72bb", "photosynthesis is slow", "photo of a photon", "nothing")
    assert found(db, "3fa9c1d") == ["fixed in 3fa9c1d88e72bb"]
    assert found(db, "photosynth") == ["photosynthesis is slow"]
    assert found(db, "photo") == ["photo of a photon"]


def test_no_statement_is_added_where_all_words_are_known(db, monkeypatch):
    """The vocabulary is read for unknown words alone."""
    stored(db, "the garden gate squeaks")

    def refused(*_args, **_given):
        raise AssertionError("the vocabulary was read")

    monkeypatch.setattr(unindexed_words, "stand_ins", refused)
    assert found(db, "garden gate") == ["the garden gate squeaks"]


def words_from(db, start, **asked):
    return reads.alone(db, fts.words_from(start, **asked))


def test_the_vocabulary_of_another_origin_is_not_read(db):
    """No word of another origin stands in, not even where its number begins like a word asked."""
    stored(db, "nothing of note")
    stored(db, "photosynthesis is slow", "serial 1234567", origin=PEER)
    number = visibility.number(db, PEER)
    assert found(db, "photosynth") == []
    assert found(db, "photosynth", viewer=PEER) == ["photosynthesis is slow"]
    assert words_from(db, str(number), origin_number=1, limit=99) == []
    assert words_from(db, f"{number}", origin_number=number, limit=99) == []
    held = words_from(db, "1234", origin_number=number, limit=99)
    assert held == ["1234567"]
    db.execute("INSERT INTO origin (number, key) VALUES (12345, 'channel:wa/c9/s9')")
    mine = channel("wa", "c9", "s9")
    stored(db, "zebra", origin=mine)
    more = ("code 12345678", "model 12345a", "all 12345")
    put(db, [fact(one, f"M{at}") for at, one in enumerate(more)])
    assert words_from(db, "12345", origin_number=1, limit=2) == ["12345", "12345678"]
    assert sorted(words_from(db, "12345", origin_number=1, limit=9)) == [
        "12345", "12345678", "12345a"
    ]  # fmt: skip


def test_origins_whose_numbers_begin_so_take_no_room(db):
    """Of a figure that is the beginning of others' numbers, their words are no words of the owner,
    neither in the answer nor in the room that it has."""
    put(db, [fact("the flat costs 1290 euros", "F1"), fact("room 129 is free", "F2")])
    before = words_from(db, "12", origin_number=1, limit=3)
    for number in (12, 120, 129, 1290):
        db.execute("INSERT INTO origin (number, key) VALUES (?, ?)",
                   (number, f"channel:wa/c{number}/s1"))  # fmt: skip
        stored(db, *(f"word{at} {at}" for at in range(9)), origin=channel("wa", f"c{number}", "s1"))
    assert words_from(db, "12", origin_number=1, limit=3) == before == ["129", "1290"]
    assert words_from(db, "129", origin_number=1, limit=1) == ["129"]


def test_a_stop_word_alone_is_looked_up(db):
    """A name that is a stop word is found as it stands, names before words."""
    stored(
        db, "Will you open the gate", "I think I will wait", "Will repairs violins",
        "The IT desk is upstairs", "it rains", "The Who played here", "who knows",
    )  # fmt: skip
    assert found(db, "Will")[0] == "Will repairs violins"
    assert found(db, "IT")[0] == "The IT desk is upstairs"
    assert found(db, "The Who") == ["The Who played here"]
    assert found(db, "who is it") == []
    assert found(db, "Will", viewer=PEER) == []


def weakness(db, text, **how):
    """Return the first words of the hits of a question, and whether each is weak."""
    answer = recall(db, Query(text, **how), viewer=OWNER, now=NOW + DAY)
    return [(hit.fact.content.split()[0], hit.weak) for hit in answer.hits]


def test_one_word_of_a_question_that_is_mostly_unknown_is_weak(db):
    """Such a hit is shown, marked weak, in every mode that looks at words; two words are none."""
    stored(db, "Lighthouses were painted white", "bread is baked at six")
    asked = "what does the lighthouse keeper earn monthly"
    assert weakness(db, asked) == weakness(db, asked, mode="keyword") == [("Lighthouses", True)]
    assert weakness(db, "painted lighthouse bakery quota") == [("Lighthouses", False)]


def test_weak_hits_come_last_and_take_no_place(db):
    """What shares more words comes first however many places there are, then what is alike, then
    what rests on one word."""
    stored(db, *(f"lock {n} lock lock" for n in range(9)), "bicycles stand in the cellar",
           "the lock of the cellar door was replaced by a very long and slow locksmith of Basel")
    asked = "xylograph combination of the bicycle lock in the cellar vault"
    few, many = weakness(db, asked, limit=2), weakness(db, asked, limit=20)
    assert few == many[:2] and not few[0][1]
    marks = [weak for _, weak in many]
    assert marks == sorted(marks) and marks.count(True) >= 9


def test_weak_hits_of_other_fusions_keep_their_place(db):
    """Another fusion has its own order: the mark is the same, by points too."""
    stored(db, "lighthouse walls are painted white", "bread is baked at six", "we must earn more")
    asked = "what does the lighthouse keeper say monthly"
    for fusion in ("rrf", "additive", "priority"):
        assert weakness(db, asked, fusion=fusion, mode="keyword") == [("lighthouse", True)], fusion
    assert weakness(db, asked, mode="points") == [("lighthouse", True)]
    assert weakness(db, "painted lighthouse quota", mode="points") == [("lighthouse", False)]
    assert weakness(db, "mus", mode="points") == [("we", True)]  # within a word alone


@pytest.mark.parametrize(
    ("question", "is_sure"),
    [
        ("why no redis", True),
        ("who is there any redis for, and how many", True),
        ("when and why was it that redis was given up", True),
        ("warum haben wir kein redis mehr", True),
        ("redis cluster failover", False),
        ("why no redis cluster failover", False),
        ("why is there no kafka", False),
    ],
)
def test_function_words_are_no_unknown_words(db, question, is_sure):
    """Whether a memory holds "why" or "no" says nothing of what it knows: neither makes them a
    question unknown, nor does such a word alone answer one whose other words nobody knows."""
    stored(db, "Redis was dropped: one cache was enough", "there is parking at the back")
    sure = [word for word, weak in weakness(db, question) if not weak]
    assert sure[:1] == ["Redis"] * is_sure


def test_an_older_file_answers_as_before(db):
    """Without further forms in the index no question asks for any."""
    put_setting(db, "analyzer", "standard")
    put(db, [fact("Zürich office", "A"), fact("photosynthesis", "B")], analyzer="standard")
    assert db.execute("SELECT terms FROM fact ORDER BY seq").fetchall() == [
        ("zürich offic",), ("photosynthesi",)
    ]  # fmt: skip
    assert found(db, "zurich") == found(db, "photosynth") == found(db, "Will") == []
    assert found(db, "zürich") == ["Zürich office"]


def test_words_of_several_terms_are_found_exactly(db):
    """The best few are those of a search through all facts, whatever their words' forms are."""
    texts = [
        f"{name} {unit} {extra}"
        for name in ("Zürich", "Zurich", "zuerich", "Łódź", "lodz")
        for unit in ("5GB", "5 GB", "gb 7", "F-07", "f07")
        for extra in ("mice mouse", "went go", "e-mail", "mail email", "note " * 9)
    ]
    stored(db, *texts)
    for text in ("zürich 5gb e-mail", "lodz f-07 mouse", "Zurich went gb", "e-mail mice F07 Łódź"):
        question = question_of(text, WITH_FORMS)
        given = {"origin_number": 1, "now": NOW + DAY, "wanted": Filter()}
        every, few = (
            sorted(chain(*searched(db, question, limit=limit, **given)), key=Match.order)
            for limit in (10_000, 4)
        )
        assert [(at.id, at.score) for at in few[:4]] == [(at.id, at.score) for at in every[:4]]
