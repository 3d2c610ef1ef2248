"""Names of origins: compared after NFC, nothing in them that nobody sees, told apart by eye."""

from __future__ import annotations

import json

import pytest

from tests.support import fact, put
from tideline_cli.errors import UsageError
from tideline_cli.model.origin import EVERYONE, Origin, is_in_form, parse_origin
from tideline_cli.policy.origin_names import origin_name
from tideline_cli.store import facts, listing
from tideline_cli.store.opening import open_for_writing

PLAIN = "channel:slack/c/1"
UNSEEN = (
    "channel:slack/c/1 ", "channel: slack/c/1", "channel:slack/c /1", "channel:slack/c/1@a ",
    "channel:slack/c/1%20", "channel:slack/c/1\u200b", "channel:sl\u200dack/c/1",
    "channel:slack/c/1%E2%80%8B", "channel:slack/c\u00a0d/1", "channel:slack/c%C2%A0/1",
    "channel:slack/c\u3000/1", "channel:%00/c/1", "channel:slack/%0A/1", "channel:slack/c/1%7F",
    "channel:slack/c/1\x7f", "channel:slack/c\u0085/1", "channel:slack/c/1\u2028",
    "channel:slack/\u202ec/1", "channel:slack/c/\u3164", "channel:slack/c/1\ufe0f",
    "channel:slack/c/1\U000e0041", "channel:slack/c/1\ufeff", "channel:slack/\u00ad/1",
    "channel:slack/c/1@%E2%80%8E", "channel:slack/c/1\n",
)  # fmt: skip


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_what_nobody_sees_is_refused(run, home, name):
    """Blanks at an end, controls and invisible characters, encoded or not, are usage errors."""
    with pytest.raises(UsageError):
        parse_origin(name)
    done = run("remember", "text", "--origin", name)
    assert (done.code, done.out) == (2, "")
    row = json.dumps({"content": "x", "origin": name})
    assert run("import", "-", "--trust", "--json", stdin=row).json["skipped"] == 1
    assert run("list", "--limit", "0").out == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [("channel:slack/caf\u00e9/1", "channel:slack/cafe\u0301/1"),
     ("channel:slack/caf%C3%A9/1", "channel:slack/cafe%CC%81/1"),
     ("channel:slack/\ud55c/1", "channel:slack/\u1112\u1161\u11ab/1"),
     ("channel:sl\u00c5ck/c/1", "channel:sl\u212bck/c/1"),
     ("channel:slack/a b/1", "channel:slack/a%20b/1")],
)  # fmt: skip
def test_names_are_compared_after_nfc(run, one, other):
    """A name is the same origin however its accents are put together."""
    assert parse_origin(one) == parse_origin(other)
    said = run("remember", "text", "--origin", one, "--json").json["fact"]
    assert run("list", "--origin", other, "--json").json["facts"] == [said]


def test_case_and_inner_spaces_are_kept():
    """What people can tell apart stays apart."""
    names = [PLAIN, "channel:Slack/c/1", "channel:slack/c d/1", "channel:slack/cd/1"]
    assert len({parse_origin(name) for name in names}) == 4


SHOWN = {
    PLAIN: PLAIN,
    "channel:sl\u0430ck/c/1": "channel:sl<U+0430>ck/c/1",
    "channel:slack/\u0441\u043e\u0440\u0430/1":
        "channel:slack/<U+0441><U+043E><U+0440><U+0430>/1",
    "channel:slack/Москва/1": "channel:slack/Москва/1",
    "channel:slack/号/1": "channel:slack/号/1",
    "channel:slack/café/Tromsø": "channel:slack/café/Tromsø",
    "channel:\uff53lack/c/1": "channel:<U+FF53>lack/c/1",
    "channel:slack/a\u2215b/1": "channel:slack/a<U+2215>b/1",
    "channel:slack/\u0301b/1": "channel:slack/<U+0301>b/1",
    "channel:slack/a\u2010b/1": "channel:slack/a<U+2010>b/1",
    "channel:\u0399/c/1": "channel:<U+0399>/c/1",
}  # fmt: skip


@pytest.mark.parametrize("key", SHOWN, ids=ascii)
def test_letters_that_pass_for_others_are_spelled_out(run, key):
    """A name is shown so that no two look the same, and stands in JSON as it is."""
    assert origin_name(key) == SHOWN[key]
    assert parse_origin(key).key == key
    said = run("remember", "text", "--origin", key, "--json").json
    assert said["fact"]["origin"] == key
    for words in (("status",), ("show", said["id"]), ("config", "list"), ("dream", "--dry-run")):
        out = run(*words, "--origin", key).out
        assert SHOWN[key] in out or words[0] == "config"
        assert SHOWN[key] == key or key not in out
    assert SHOWN[key] in run("list", "--tag", "none", "--origin", key).err


OLDER = ("channel:slack/c/1\u200b", "channel:slack/c/1 ", "channel:slack/cafe\u0301/1",
         "channel:%00/c/1")  # fmt: skip


@pytest.mark.parametrize("key", OLDER, ids=ascii)
def test_an_older_name_stays_reachable(run, home, key):
    """A store that holds a name which no new one may have is whole: its origin is read, written,
    exported and purged by exactly that name, doctor says how to type it, and passes go on."""
    db = open_for_writing(str(home / "tideline.db"))
    put(db, [fact("the older one", "A" * 26, origin=Origin(key)),
             fact("the owner's", "B" * 26)])  # fmt: skip
    db.close()
    assert not is_in_form(key)
    found = [f for f in run("doctor", "--json").json["findings"] if f["check"] == "origins"]
    assert [(f["severity"], "--origin '" in f["remedy"]) for f in found] == [("warning", True)]
    assert run("doctor").code == 0
    typed = found[0]["remedy"].split("'")[1]
    assert typed.isascii() and typed.isprintable() and " " not in typed
    for name in (key, typed):
        assert run("list", "--origin", name, "--json").json["facts"][0]["id"] == "A" * 26
    assert run("list", "--origin", parse_or_plain(key)).out == ""
    assert '"the older one"' in run("export", "--all-origins").out
    line = run("recall", "--batch", stdin=f'{{"query": "older", "origin": "{typed}"}}').json
    assert [hit["id"] for hit in line["hits"]] == ["A" * 26]
    assert run("dream").code == 0
    assert run("remember", "one more of it", "--origin", typed).code == 0
    assert run("purge", "A" * 26, "--yes", "--origin", typed).code == 0
    db = open_for_writing(str(home / "tideline.db"))
    there = listing.each(db, viewer=EVERYONE, wanted=facts.Filter())
    assert sorted(f.content for f in there) == ["one more of it", "the owner's"]
    db.close()


def parse_or_plain(key):
    """Return the name that looks like an older one."""
    return "channel:slack/café/1" if "cafe" in key else PLAIN


def test_what_is_too_long_in_its_own_form_is_refused():
    """A name whose slashes make it too long once they are encoded could not be read back."""
    assert parse_origin("channel:a/b/c@" + "/" * 300).key.endswith("%2F" * 300)
    with pytest.raises(UsageError):
        parse_origin("channel:a/b/c@" + "/" * 900)
