"""Secrets on their way into the memory: by every door, and those that are there already."""

from __future__ import annotations

import json
import shlex

import pytest

from tideline_cli.model.fields import TEXTS

KEY = "AKIAIOSFODNN7EXAMPLE"
WORD = "Heron77x"
ROW = {
    "content": f"the deploy user has {KEY} on staging", "title": f"key {KEY}",
    "tags": ["aws", f"password: {WORD}"], "metadata": {"api_key": "9fXk2Lq8ZbR7tYw3", KEY: [KEY]},
    "source_turn": f"https://bob:{WORD}@host.example/x", "slot": f"k {KEY}",
}  # fmt: skip


def stored(run):
    """Return all that the memory says of its facts, as text."""
    looks = (("export",), ("history", "--json", "-n", "0"), ("list", "--lifecycle", "all"))
    return "\n".join(run(*words).out for words in looks)


def hidden(run):
    """Say whether none of the secrets is stored anywhere."""
    text = stored(run)
    return KEY not in text and WORD not in text and "9fXk2Lq8ZbR7tYw3" not in text


def test_untrusted_text_loses_its_secrets(run):
    """What a tool says is stored without its keys, in all fields; it is counted and said."""
    done = run(
        "remember", ROW["content"], "--source", "tool_output", "--title", ROW["title"],
        "--tag", ROW["tags"][1], "--meta", "api_key=9fXk2Lq8ZbR7tYw3", "--slot", ROW["slot"],
        "--source-turn", ROW["source_turn"],
    )  # fmt: skip
    assert done.code == 0 and "the deploy user has [secret] on staging" in done.out
    assert "6 secrets were replaced by [secret] before storing" in done.err
    assert hidden(run)
    assert "6 secrets replaced by [secret]" in run("history").out
    assert json.loads(run("export").out)["slot"] is None
    alone = run("remember", KEY, "--source", "tool_output")
    assert alone.code == 2 and "nothing but a secret" in alone.err and hidden(run)


@pytest.mark.parametrize("merge", [(), ("--merge",)])
def test_an_import_loses_its_secrets(run, merge):
    """Rows of a file lose their keys too, unknown columns and reasons of links included; a second
    import finds them there already."""
    rows = [ROW | {"db_password": WORD, "nested": {"password": WORD}},
            {"content": "the other fact", "id": "b"},
            {"content": f"a third, {KEY}", "links": [
                {"kind": "relates", "target": "b", "reason": f"by {KEY}"}]}]  # fmt: skip
    text = "\n".join(map(json.dumps, rows))
    done = run("import", "-", "--json", *merge, stdin=text)
    assert (done.json["added"], done.json["secrets"] >= 9) == (3, True)
    assert "secrets were replaced by [secret] before storing" in done.err
    assert hidden(run)
    assert "secrets replaced by [secret]" in run("history", "--limit", "0").out
    again = run("import", "-", "--json", *merge, stdin=text)
    assert again.json["added"] == 0


@pytest.mark.parametrize("more", [(), ("--merge",)])
def test_an_import_loses_the_secrets_of_every_field(run, more):
    """An id and a role of a foreign form, a scope, and what a fact was derived from lose their keys
    as a text does; rows that such ids told apart stay two."""
    rows = [{"content": f"the heron fact of {name}", name: value} for name, value in (
        ("id", KEY), ("role", KEY), ("scope", KEY.lower() + f"/{KEY}"), ("speaker", KEY),
        ("session", KEY), ("agent", KEY), ("source_turn", KEY), ("document", KEY),
        ("derived_from", [KEY]), ("thread_id", KEY), ("author", KEY),
    )]  # fmt: skip
    rows.append({"content": "another swan fact", "id": KEY[:-1] + "F"})
    done = run("import", "-", "--json", *more, stdin="\n".join(map(json.dumps, rows)))
    assert done.json["added"] == len(rows), done.err
    assert KEY not in stored(run) and KEY[:-1] not in stored(run)
    assert "no secret found" in run("doctor", "--secrets").out


def test_a_file_that_is_vouched_for_keeps_all(run):
    """import --trust stores each row as it is, and warns."""
    done = run("import", "-", "--trust", stdin=json.dumps(ROW))
    assert done.code == 0 and KEY in stored(run)
    assert "stored as stated" in done.err and "doctor --secrets" in done.err


def test_a_batch_loses_the_secrets_of_tools(run):
    """In a batch each line is judged by its own source."""
    lines = [{"content": f"tool says {KEY}", "source": "tool_output"},
             {"content": "my password is swordfish-9x"},
             {"content": KEY, "source": "tool_output"}]  # fmt: skip
    done = run("remember", "--batch", stdin="\n".join(map(json.dumps, lines)))
    assert done.code == 2 and '"nothing but a secret' in done.out
    assert "looks like a password" in done.err and "1 secret was replaced" in done.err
    assert KEY not in stored(run) and "swordfish" in stored(run)
    assert "1 secret replaced by [secret]" in run("history").out


@pytest.mark.parametrize("more", [(), ("--quiet",), ("--json",)])
def test_the_owner_is_warned_and_obeyed(run, more):
    """What the owner says is stored as it is, after a warning that does not repeat the secret."""
    for words in (
        ("remember", f"staging uses {KEY}"), ("remember", "x y", "--title", f"key {KEY}"),
        ("remember", "z y", "--meta", f"password={WORD}"),
        *(("remember", f"w {name}", f"--{name}", "gh" + "p_" + "a1b2c3" * 6) for name in (
            "scope", "slot", "session", "speaker", "agent", "source-turn", "tag")),
    ):  # fmt: skip
        done = run(*words, *more)
        assert done.code == 0 and "stored as it is" in done.err, words
        assert KEY not in done.err and WORD not in done.err
    assert KEY in stored(run) and WORD in stored(run)


@pytest.mark.file_alone("it names a file with --db")
def test_the_warning_names_a_command_that_removes_it(run, tmp_path):
    """Its words are typed as they are, for the memory that was named; a batch has one warning."""
    where = ("--db", str(tmp_path / "my notes.db"))
    done = run(*where, "remember", f"staging uses {KEY}")
    command = shlex.split(done.err.split("`")[1])
    assert command == ["tideline", *where, "purge", done.out.split()[0]]
    assert run(*command[1:], "--yes").code == 0
    assert run(*where, "list", "--lifecycle", "all").out == ""
    lines = [{"content": f"host {name} uses {KEY}"} for name in "abc"]
    done = run(*where, "remember", "--batch", stdin="\n".join(map(json.dumps, lines)))
    assert done.err.count("looks like an aws key") == 1


def test_edits_and_links_are_looked_at(run):
    """New words of the owner warn; a pipe into an untrusted fact loses its secrets; so do the
    reasons of links warn."""
    one = run("remember", "tool fact one", "--source", "tool_output", "--json").json["id"]
    two = run("remember", "my own fact two", "--json").json["id"]
    piped = run("edit", one, "-", stdin=f"the tool now has {KEY} there")
    assert "1 secret was replaced" in piped.err and KEY not in stored(run)
    typed = run("edit", two, f"my own fact has {KEY}")
    assert "looks like an aws key" in typed.err and KEY in stored(run)
    three = run("remember", "and a third fact", "--json").json["id"]
    linked = run("link", three, typed.out.split()[0], "--reason", f"by {KEY}")
    assert "looks like an aws key" in linked.err, linked.err


def test_ordinary_words_raise_no_warning(run):
    """A warning is for secrets alone."""
    for text in ("I deploy on Fridays", "The staging password rotates on Mondays",
                 "the API key lives in the vault", "order 2026-0314-77 is late"):  # fmt: skip
        assert run("remember", text).err == "", text


def test_doctor_finds_what_is_there(run):
    """doctor --secrets names facts, kinds and places, of archived and undone facts and of the
    history too; never the secret. Purged, they are gone."""
    ids = [run("remember", text, "--json").json["id"] for text in (
        f"staging uses {KEY}", f"my wifi password is {WORD}", "nothing of the kind",
    )]  # fmt: skip
    titled = run("remember", "a fact with a title", "--title", f"pwd: {WORD}", "--json").json["id"]
    run("edit", titled, "--title", "plain")
    run("forget", ids[1])
    run("remember", f"undone {KEY}")
    run("undo")
    peer = run("--origin", "channel:a/b/c", "remember", f"peer has {KEY}", "--json").json["id"]
    done = run("doctor", "--secrets", "--json")
    assert KEY not in done.out + done.err and WORD not in done.out + done.err
    found = {one["id"]: one for one in done.json["secrets"]}
    assert len(found) == 5 and ids[2] not in found
    assert found[ids[0]]["kinds"] == ["aws_key"] and found[ids[0]]["places"] == ["content"]
    assert found[ids[1]]["kinds"] == ["password"]
    assert found[titled]["places"] == ["history"]
    assert found[peer]["origin"] == "channel:a/b/c"
    lines = run("doctor", "--secrets")
    assert lines.code == 0 and "tideline purge ID" in lines.err
    assert [line.split()[2] for line in lines.out.splitlines()] == list(found)
    assert run("--origin", "channel:a/b/c", "doctor", "--secrets").code == 2
    assert run("purge", *[one for one in found if one != peer], "--yes").code == 0
    assert run("purge", peer, "--yes", "--origin", "channel:a/b/c").code == 0
    clean = run("doctor", "--secrets")
    assert clean.code == 0 and clean.out.startswith("all is well: no secret found in ")


@pytest.mark.parametrize("name", [one for one in TEXTS if one not in ("document", "slot")])
def test_doctor_searches_every_label(run, name):
    """A secret in any label that keeps its text is found, under the name of the label."""
    said = f"password: {WORD}"
    assert run("remember", "a plain fact", f"--{name.replace('_', '-')}", said).code == 0
    (found,) = run("doctor", "--secrets", "--json").json["secrets"]
    assert name in found["places"]
