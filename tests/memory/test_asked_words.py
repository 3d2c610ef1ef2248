"""The words of a question for an embedder that adds words up: rare ones count more."""

from __future__ import annotations

import pytest

from tests.support import fact, put
from tests.vector import models
from tideline_cli.memory import coded_lane, likeness
from tideline_cli.memory.coded_lane import CodedLane, asked_words, key_of
from tideline_cli.model.origin import OWNER, channel
from tideline_cli.store import visibility
from tideline_cli.store.connection import put_setting, writing
from tideline_cli.vector.embedders import codes
from tideline_cli.vector.embedders.coded import StaticEmbedder
from tideline_cli.vector.embedders.static import StaticTable

TEXTS = ("my dog on Friday", "my dog, rain", "my dog to Bob", "the number")


def words_of(db, text, viewer=OWNER):
    return dict(asked_words(db, text, origin_number=visibility.number(db, viewer)))


def test_a_rare_word_counts_more(db):
    """Levels fall with how many facts hold a word; what none holds counts most, a stop word and a
    sign nothing."""
    put(db, [fact(text, f"F{n}") for n, text in enumerate(TEXTS)])
    levels = words_of(db, "the dog ships rain - number")
    assert levels["ships"] == 16
    assert levels["ships"] > levels["rain"] == levels["number"] > levels["dog"] > 0
    assert levels["the"] == levels["-"] == 0


@pytest.mark.parametrize("text", ["dog", "the of", "dog " * 65])
def test_some_questions_count_all_words_alike(db, text):
    """One word, stop words alone, and a paste of many words."""
    put(db, [fact("my dog", "F0")])
    assert words_of(db, text) == {}


def test_words_of_other_origins_count_nothing(db):
    """What another origin says moves no level."""
    peer = channel("wa", "chat", "1")
    put(db, [fact(text, f"F{n}") for n, text in enumerate(TEXTS)])
    before = words_of(db, "dog rain ships")
    put(db, [fact("ships and rain", f"P{n}", origin=peer) for n in range(9)])
    assert words_of(db, "dog rain ships") == before
    assert words_of(db, "dog rain ships", peer)["rain"] < before["rain"]


def test_a_question_is_kept_for_its_levels(db):
    """The same question has another key when its words count otherwise, and the same one as long as
    they do not."""
    put(db, [fact(text, f"F{n}") for n, text in enumerate(TEXTS)])
    first = asked_words(db, "dog rain", origin_number=visibility.number(db, OWNER))
    assert key_of("dog rain", first) == key_of("dog rain", first) != "dog rain"
    assert key_of("dog rain", first) != key_of("dog rain", (("dog", 16), ("rain", 1)))
    assert key_of("dog", ()) == "dog"


def test_the_code_of_a_question_is_that_of_its_rare_words(db, tmp_path):
    """A question is nearer to a fact of its rare word than to one of its common word, which by
    all words alike are as near; the codes of facts are what they are."""
    spec = models.static_folder(tmp_path / "model")
    put(db, [fact(text, f"F{n}") for n, text in enumerate(TEXTS)])
    table = StaticTable(spec)
    lane = CodedLane(table.name, lambda: StaticEmbedder(spec), 0.3)
    asked = coded_lane.code_of(db, lane, "dog automobile", origin_number=1)
    dog, car = table.code("dog"), table.code("car")
    plain = table.code("dog automobile")
    assert codes.cosine(asked, car) - codes.cosine(asked, dog) > 0.2
    assert codes.cosine(asked, car) > codes.cosine(plain, car)
    assert lane.packed(["dog automobile"]) == plain


@pytest.mark.parametrize(("name", "known"), [("static", False), ("minilm", False),
                                             ("static:/x", True), ("openai", True)])  # fmt: skip
def test_an_english_model_has_no_say_in_other_scripts(db, name, known):
    """What has learned English alone ranks no question without a Latin letter; others may know."""
    with writing(db):
        put_setting(db, "embedder", f"{name} 0 4")
    assert likeness.knows(db, "用户喜欢 coffee")
    assert likeness.knows(db, "用户喜欢素食") is known
