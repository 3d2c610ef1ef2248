"""The words of a file: analysed by older rules, and in the languages that it names."""

from __future__ import annotations

import json

import pytest

from tests.soundness import sound
from tideline_cli.store.connection import put_setting
from tideline_cli.store.opening import open_for_writing
from tideline_cli.store.transactions import writing

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


def test_recall_says_what_it_leaves_out(run):
    """What shares one word alone with a question mostly unknown is counted on stderr."""
    run("remember", "the lighthouse was painted white")
    done = run("recall", "which lighthouse keeper earns monthly wages")
    assert (done.code, done.out) == (1, "")
    assert "left out: 1 fact that shares one word alone" in done.err
    assert "--mode keyword" in done.err


def test_the_best_of_what_is_left_out_is_shown(run):
    """A person sees its id and first words on a line that fits 80 columns, whatever its letters;
    JSON and --quiet show none."""
    asked = ("recall", "disk encryption key")
    best = run("remember", "The LUKS passphrase of the backup disk lies with the notary")
    run("remember", "the disk of the old laptop is broken and lies in a drawer of a desk upstairs")
    done = run(*asked)
    note, shown = done.err.splitlines()[-2:]
    assert (done.code, done.out) == (1, "")
    assert note.endswith("2 facts that share one word alone with the question; "
                         "--mode keyword finds them")  # fmt: skip
    assert shown.startswith(f"  {best.out[:26]}  The LUKS passphrase of the backup disk")
    assert len(shown) <= 80 and shown.endswith("…")
    assert "LUKS" not in run(*asked, "--json").err
    assert run(*asked, "--quiet").err == ""


def test_wide_letters_are_cut_to_the_terminal(run):
    """A letter that takes two columns counts as two."""
    run("remember", "disk " + "灯台は去年の夏に白く塗られた" * 4)
    shown = run("recall", "disk encryption key").err.splitlines()[-1]
    assert shown.endswith("…")
    assert 70 <= sum(1 + (letter > "\u2fff") for letter in shown) <= 80


def test_of_other_scopes_nothing_is_left_out(run):
    """What a filter hides is neither counted nor shown, not even where it stands next to a fact of
    the same conversation."""
    said = ("--session", "s1", "--now")
    run("remember", "the lighthouse was sold", "--scope", "b", *said, "2026-03-01T10:01")
    run("remember", "the lighthouse was painted white", "--scope", "a", *said, "2026-03-01T10:00")
    form = run("recall", "lighthouse keeper earns monthly wages", "--scope", "a", "--json").json
    assert (form["hits"], form["left_out"]) == ([], 1)
    done = run("recall", "lighthouse keeper earns monthly wages", "--scope", "a")
    assert "painted white" in done.err and "sold" not in done.err


def test_what_is_left_out_stands_in_json(run):
    """JSON and each line of --batch count what was left out, as the line on stderr does."""
    for text in ("the kettle is copper", "a gate of iron"):
        run("remember", text)
    asked = "zanzibar quokka the kettle"
    form = run("recall", asked, "--json").json
    assert (form["hits"], form["left_out"]) == ([], 1)
    lines = run("recall", "--batch", stdin=f"{asked}\nkettle\n").out.splitlines()
    assert [json.loads(line)["left_out"] for line in lines] == [1, 0]
