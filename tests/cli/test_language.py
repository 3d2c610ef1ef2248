"""The words of a file: analysed by older rules, and in the languages that it names."""

from __future__ import annotations

import json

import pytest

from tests.soundness import sound
from tideline_cli.store.connection import put_setting, writing
from tideline_cli.store.opening import open_for_writing

OLDER = "tideline config set analyzer standard"


def opened(home):
    return open_for_writing(str(home / "tideline.db"))


def found(run, text):
    done = run("recall", text, "--mode", "keyword", "--no-touch", "--json")
    return [hit["content"] for hit in done.json["hits"]]


@pytest.fixture
def older(home):
    """A store as an older version leaves it: nothing says that it has further forms."""
    home.mkdir(exist_ok=True)
    db = opened(home)
    with writing(db):
        put_setting(db, "analyzer", "standard")
    db.close()


def test_an_older_file_says_so_and_is_analysed_anew_on_request(run, home, older):
    """It answers as before, status and doctor say what is missing and how it comes; then both are
    silent, and other spellings are found."""
    run("remember", "Our office in Zürich has mice")
    run("remember", "meet in Łódź", "--origin", "channel:wa/c1/s1")
    assert (found(run, "zurich"), found(run, "zürich")) == ([], ["Our office in Zürich has mice"])
    assert OLDER in run("status").out
    assert run("status", "--json").json["older_terms"] is True
    assert run("status", "--origin", "channel:wa/c1/s1", "--json").json["older_terms"] is False
    done = run("doctor", "--deep")
    assert done.code == 0
    assert OLDER in done.err
    assert "2 facts analysed anew" in run("config", "set", "analyzer", "standard").err
    assert found(run, "zurich mouse") == ["Our office in Zürich has mice"]
    assert run("status", "--json").json["older_terms"] is False
    assert OLDER not in run("doctor", "--deep").err + run("status").out
    db = opened(home)
    sound(db)
    db.close()


def test_languages_belong_to_the_file(run, home):
    """Setting them analyses all facts anew; they are shown, checked, and taken off again."""
    run("remember", "Die Häuser stehen am Fluss")
    run("remember", "wir gehen nach Hause")
    assert run("config", "get", "language").out == "none\n"
    assert "2 facts analysed anew" in run("config", "set", "language", "FR, de").err
    assert run("config", "get", "language").out == "de,fr\n"
    assert run("config", "get", "analyzer").out == "standard\n"
    assert found(run, "häusern am fluss")[:1] == ["Die Häuser stehen am Fluss"]
    run("config", "set", "analyzer", "standard")
    assert run("config", "get", "language").out == "de,fr\n"
    refused = run("config", "set", "language", "de,klingon")
    assert refused.code == 2
    assert "klingon" in refused.err
    db = opened(home)
    sound(db)
    db.close()
    run("config", "set", "language", "none")
    assert run("config", "get", "language").out == "none\n"
    run("config", "set", "analyzer", "reference")
    assert run("config", "get", "language").out == "none\n"
    assert run("config", "set", "language", "de").code == 2


def test_what_derives_from_marked_facts_follows_them(run, home):
    """Index, counts and bounds hold further forms through undo, edit, forgetting and purge, in
    every origin."""
    for origin in ((), ("--origin", "channel:wa/c1/s1")):
        one = run("remember", "Zürich 🦊 F-07 mice", *origin, "--json").json["id"]
        run("remember", "🦊", *origin)
        run("remember", "only for a while in Łódź", "--valid-to", "2031-01-01", *origin)
        run("remember", "gone soon: 5GB", *origin)
        run("undo", *origin)
        run("redo", *origin)
        run("forget", one, *origin)
        run("undo", *origin)
        run("edit", one, "Zürich 🦊 F-08 geese", *origin)
        assert len(run("recall", "f08 goose zurich", "--mode", "keyword", *origin, "--json")
                   .json["hits"]) == 1  # fmt: skip
    run("purge", one, "--yes")
    db = opened(home)
    sound(db)
    db.close()
    assert run("doctor", "--deep").code == 0


def test_twins_are_told_by_the_terms_of_their_text(run):
    """A text in another spelling is another text, as it was: forms find it, and merge nothing."""
    run("remember", "the café opens at nine")
    assert run("remember", "the cafe opens at nine", "--json").json["action"] == "created"
    assert run("remember", "the café opens at nine", "--json").json["action"] == "reinforced"


def test_one_word_of_an_unknown_question_is_a_weak_hit(run):
    """What shares one word alone with a question mostly unknown is shown and marked, in a pipe, in
    JSON and in each line of --batch; the exit code is that of an answer."""
    one = run("remember", "the lighthouse was painted white", "--json").json["fact"]["id"]
    asked = "which lighthouse keeper earns monthly wages"
    done = run("recall", asked)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{one}\t[knowledge] the lighthouse was painted white\t(weak match)\n"
    form = run("recall", asked, "--json").json
    assert [(hit["id"], hit["weak"]) for hit in form["hits"]] == [(one, True)]
    assert "left_out" not in form
    lines = run("recall", "--batch", stdin=f"{asked}\nlighthouse\n").out.splitlines()
    found = [json.loads(line)["hits"] for line in lines]
    assert [[hit["weak"] for hit in hits] for hits in found] == [[True], [False]]
    block = run("context", asked, "--json").json
    assert block["block"] == "- [knowledge, weak match] the lighthouse was painted white"
    assert [said["weak"] for said in block["sources"]] == [True]


def test_the_answer_in_other_words_is_shown(run):
    """The right fact is a hit though most words of the question are unknown."""
    for text in ("The bike lock code is 7319", "The disk of the old laptop is broken"):
        run("remember", text)
    done = run("recall", "combination of the bicycle lock")
    assert done.code == 0 and "7319" in done.out and "laptop" not in done.out


def test_of_other_scopes_no_weak_hit_is_shown(run):
    """What a filter hides is not shown, not even where it stands next to a fact of the same
    conversation; a person is told how many there are, a program nothing."""
    said = ("--session", "s1", "--now")
    run("remember", "the lighthouse was sold", "--scope", "b", *said, "2026-03-01T10:01")
    run("remember", "the lighthouse was painted white", "--scope", "a", *said, "2026-03-01T10:00")
    asked = ("recall", "lighthouse keeper earns monthly wages", "--scope", "a")
    form = run(*asked, "--json")
    assert [(hit["content"][-5:], hit["weak"]) for hit in form.json["hits"]] == [("white", True)]
    assert form.err == ""
    done = run(*asked)
    assert "painted white" in done.out and "sold" not in done.out + done.err
    assert "1 fact of another scope matches: --all-scopes" in done.err
