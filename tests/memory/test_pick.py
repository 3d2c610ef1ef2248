"""What answers a question that is still being typed."""

from __future__ import annotations

import pytest

from tests.support import NOW, PEER, fact, put
from tideline_cli.errors import UnavailableError
from tideline_cli.memory import pick
from tideline_cli.memory.query import Query
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import replace
from tideline_cli.store.facts import Filter

TEXTS = ("I deploy on Mondays", "PostgreSQL 16 runs in production", "the deposit is paid",
         "Lena likes green tea", "日本のお茶が好き")  # fmt: skip


@pytest.fixture
def stored(db):
    """Some facts of the owner, and one of a channel."""
    known = [fact(text, str(n) * 26, now=NOW - 1000 + n) for n, text in enumerate(TEXTS)]
    put(db, [*known, fact("a depot of another", "9" * 26, origin=PEER)])
    return db


def found(db, text, viewer=OWNER, **given):
    query = replace(Query(text, limit=10), **given)
    return [one.content for one in pick.found(db, query, viewer=viewer, now=NOW)]


def test_a_beginning_finds_what_begins_so_newest_first(stored):
    """From two letters on, the newest facts with a word that begins so; one letter finds none."""
    assert found(stored, "dep") == ["the deposit is paid", "I deploy on Mondays"]
    assert found(stored, "prod")[0] == "PostgreSQL 16 runs in production"
    assert "I deploy on Mondays" not in found(stored, "d")


def test_words_before_the_beginning_have_to_be_there(stored):
    """All whole words and the beginning of the last one; behind a blank the word is whole."""
    assert found(stored, "green te")[0] == "Lena likes green tea"
    assert found(stored, "mondays dep")[0] == "I deploy on Mondays"
    assert "I deploy on Mondays" not in found(stored, "zebra dep")
    assert "the deposit is paid" not in found(stored, "dep ")


def test_nothing_typed_is_the_newest(stored):
    """Without a word the newest facts, within the filters."""
    assert found(stored, " ") == list(reversed(TEXTS))
    wanted = Filter(until=NOW - 1000)
    assert found(stored, "", wanted=wanted) == [TEXTS[0]]
    assert found(stored, "dep", wanted=wanted) == [TEXTS[0]]


def test_origins_see_their_own_words(stored):
    """What another origin holds is no answer, and neither its words nor its number begin one."""
    assert "a depot of another" not in found(stored, "depot") + found(stored, "a depot of an")
    assert found(stored, "depo") == ["the deposit is paid"]
    assert found(stored, "dep", viewer=PEER) == ["a depot of another"]
    assert found(stored, "2_dep") == found(stored, "2_") == []


@pytest.mark.parametrize("text", ["\"", "*", "dep*", "a OR b", "NEAR(", "x'y", "é", "\u0301", "-"])
def test_any_signs_are_words(stored, text):
    """Nothing that is typed is read as an expression of the index."""
    found(stored, text)


def test_likeness_that_cannot_be_had_is_told(stored, monkeypatch):
    """Where likeness is asked and cannot be had, the caller is told why."""
    whole = pick.recall

    def lacking(db, query, **given):
        answer = whole(db, query, **given)
        is_keyword = query.mode == "keyword"
        return answer if is_keyword else replace(answer, lacking=UnavailableError("no model"))

    monkeypatch.setattr(pick, "recall", lacking)
    told = []
    query = Query("green", limit=10)
    answer = pick.found(stored, query, viewer=OWNER, now=NOW, caution=told.append)
    assert [error.message for error in told] == ["no model"]
    assert answer[0].content == "Lena likes green tea"
