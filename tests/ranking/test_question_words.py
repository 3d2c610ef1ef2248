"""What the words of a question weigh."""

from __future__ import annotations

import pytest

from tideline_cli.model.text import STOP_WORDS, terms
from tideline_cli.ranking import function_words
from tideline_cli.ranking.question_words import ENGLISH, HALF, weights


def weighed(text):
    return weights(terms(text, analyzer="standard"), text)


def test_a_word_said_twice_counts_twice():
    """Each time that a question says a word counts; the order is that of the first times."""
    assert weighed("tea green tea house") == {"tea": 2.0, "green": 1.0, "hous": 1.0}


def test_a_common_word_weighs_half():
    """Words that stand in most questions weigh half, each time that they are said."""
    assert weighed("tell me about the garden") == {"tell": HALF, "about": HALF, "garden": 1.0}
    assert weighed("there, and there again: tea") == {"there": 1.0, "again": HALF, "tea": 1.0}


@pytest.mark.parametrize(
    ("text", "noun", "weight"),
    [
        ("What kind of food does Anna like?", "kind", HALF),
        ("Which types\nOf tea are in the shop", "type", HALF),
        ("how does the sort algorithm work", "sort", 1.0),
        ("type checking of the old types of tables", "type", 1.0 + HALF),
        ("what type of type of type", "type", 1.0 + 2 * HALF),
        ("the sorting of lists", "sort", 1.0),
        ("a prototype of type checking", "type", 1.0),
    ],
)
def test_a_noun_that_asks_of_what_weighs_half_where_it_does(text, noun, weight):
    """A kind, a sort, a type are what is asked for before "of", and what it is about elsewhere."""
    assert weighed(text)[noun] == weight


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("wann habe ich den Wagen zum Händler gebracht", {"wann", "habe", "ich", "den", "zum"}),
        ("quel est le nom de ma soeur", {"quel", "est", "le", "de", "ma"}),
        ("cuándo es el cumpleaños de mi hermana", {"cuándo", "es", "el", "de", "mi"}),
        ("wat is de naam van mijn zus", {"wat", "de", "van", "mijn"}),
        ("где я оставил ключи", {"где", "я"}),
        ("我的猫叫什么", {"我", "的", "什么", "什", "么"}),
    ],
)
def test_other_languages_have_words_of_their_own(text, half):
    """The language with the most common words in a question says which weigh half."""
    found = weighed(text)
    common = {term for term, weight in found.items() if weight == HALF}
    assert common >= {one for word in half for one in terms(word, analyzer="standard")}
    assert common < set(found)


def test_a_name_makes_no_question_foreign():
    """One word of another language leaves a question English."""
    assert weighed("when did die hard come out")["die"] == 1.0
    assert weighed("which bar in las vegas")["las"] == 1.0


def test_the_words_are_as_the_analyser_has_them():
    """Every word of the table can be a term of a question, and no stop word is among them."""
    assert {one for word in ENGLISH for one in terms(word, analyzer="standard")} >= {
        word for word in ENGLISH if terms(word, analyzer="standard") == [word]
    }
    assert not ENGLISH & STOP_WORDS
    for words in function_words._latin().values():
        assert len(words) > 80


@pytest.mark.parametrize("text", ["我的猫叫什么", "где мои ключи", "猫 der", "私の鍵はどこ"])
def test_no_list_is_read_that_cannot_be_the_language_of_a_question(text, monkeypatch):
    """A question with less than two words of Latin letters is in none of those languages."""
    expected = weighed(text)

    def refused():
        raise AssertionError("the lists of Latin languages are analysed")

    monkeypatch.setattr(function_words, "_latin", refused)
    assert weighed(text) == expected


def test_all_words_of_the_lists_are_of_their_scripts():
    """What tells whether a list is looked at fits the words of the lists."""
    assert all(map(function_words._is_latin, frozenset().union(*function_words._latin().values())))
    assert all(map(function_words._is_cyrillic, function_words._others() - function_words._PIECES))
