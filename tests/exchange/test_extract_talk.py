"""extract as a command: whose words, which conversation, what is never sent, what is no reply."""

from __future__ import annotations

import json
import subprocess
import sys
from unittest.mock import ANY

import pytest

from tests.exchange.conftest import MODEL, REPLY
from tideline_cli.exchange.extract.conversation import fingerprint, parsed_transcript
from tideline_cli.model.origin import OWNER
from tideline_cli.store import cursors
from tideline_cli.store.connection import writing
from tideline_cli.store.opening import open_for_writing

FACT = {"facts": [{"content": "The user keeps bees.", "segment": "project"}]}
NO_FACTS = {"facts": []}
TALK = "USER: I keep bees\nASSISTANT: Nice\n"


def lines(*texts, role="user"):
    return "".join(json.dumps({"role": role, "content": text}) + "\n" for text in texts)


def listed(run):
    return run("list", "--json", "--limit", "100").json["facts"]


def test_a_growing_conversation_keeps_its_name(run, model, talk):
    """A transcript that grows from one message is read on where it was left, by every pass, and
    its name stays."""
    model.says(NO_FACTS)
    path = talk(lines("I moved to Berlin, my phone is 13800138000"), "t.jsonl")
    asked = ("--llm", model.command, "--all-now", "--json")
    first = run("extract", path, *asked).json
    talk(lines("I moved to Berlin, my phone is 13800138000", "and I like tea", "a"), "t.jsonl")
    second = run("extract", path, *asked).json
    third = run("extract", path, *asked).json
    assert first["session"] == second["session"] == third["session"]
    assert [one["processed_to"] for one in (first, second, third)] == [1, 3, 3]
    assert [one["reinforced"] for one in (first, second, third)] == [0, 0, 0]
    assert ["I moved" in prompt for prompt in model.calls] == [True, False]


def test_two_conversations_that_begin_alike(run, model):
    """Of two conversations that begin with the same message none is taken for the other."""
    model.says(NO_FACTS)
    asked = ("--llm", model.command, "--all-now", "--json")
    run("extract", "-", *asked, stdin=lines("hi"))
    run("extract", "-", *asked, stdin=lines("hi", "I like tea", "x"))
    done = run("extract", "-", *asked, stdin=lines("hi", "I like coffee", "y", "z"))
    assert done.json["processed_to"] == 4
    assert "I like coffee" in model.calls[-1]


def test_compaction_to_one_message(run, model, talk):
    """A conversation that is shorter than what was done is read anew, also from one message."""
    model.says(NO_FACTS)
    asked = ("--llm", model.command, "--all-now", "--json")
    path = talk(lines("hi"), "t.jsonl")
    run("extract", path, *asked)
    talk(lines("hi", "a", "b", "c"), "t.jsonl")
    run("extract", path, *asked)
    talk(lines("hi", "a", "I like tea"), "t.jsonl")
    done = run("extract", path, *asked)
    assert (done.json["processed_to"], done.json["ran"]) == (3, True)
    assert run("extract", path, *asked).json["ran"] is False
    talk(lines("hi"), "t.jsonl")
    assert run("extract", path, *asked).json["processed_to"] == 1


def test_cursors_of_an_older_store(run, model, talk, home):
    """A cursor by the name that two messages gave is found; what is no message of the user's any
    more keeps its place, so that nothing is read twice and nothing is passed over."""
    texts = ("hello", "<bash-stdout>x</bash-stdout>", "I like tea", "I keep bees")
    path = talk(lines(*texts), "t.jsonl")
    start = parsed_transcript(lines(*texts).encode()).start
    name = f"t-{fingerprint(start, path)}"
    run("remember", "anything")
    db = open_for_writing(str(home / "tideline.db"))
    with writing(db):
        for one in cursors.PASSES:
            cursors.put(db, name, one, 3, viewer=OWNER)
    db.close()
    model.says(NO_FACTS)
    done = run("extract", path, "--llm", model.command, "--all-now", "--json")
    assert (done.json["messages"], done.json["processed_to"]) == (4, 4)
    (prompt,) = model.calls
    assert prompt.endswith("USER: I keep bees\n") or "USER: I keep bees" in prompt
    assert "I like tea" not in prompt


def test_what_a_program_said_is_not_sent(run, model, talk):
    """Blocks of programs reach no model and count as no news; unknown ones are named."""
    path = talk(lines("I keep bees", "<odd-notice>secret plan</odd-notice>", "ok"), "t.jsonl")
    model.says(NO_FACTS)
    done = run("extract", path, "--llm", model.command, "--json")
    assert done.json["processed_to"] == 3
    assert "secret plan" not in model.calls[0]
    assert "<odd-notice>" in done.err
    more = lines("I keep bees", "<odd-notice>secret plan</odd-notice>", "ok", "hm",
                 "<bash-stdout>a</bash-stdout>")  # fmt: skip
    talk(more, "t.jsonl")
    assert run("extract", path, "--llm", model.command, "--json").json["ran"] is False
    spoken = run("extract", "-", "--llm", "none", "-v", stdin=more)
    assert "2 blocks of programs" in spoken.err
    mentioned = lines("why do I see `<odd-notice>` here?", "I keep bees")
    assert "odd-notice" not in run("extract", "-", "--llm", "none", stdin=mentioned).err


@pytest.mark.parametrize("more", [(), ("--lessons",), ("--per-message",), ("--dry-run",)])
def test_plain_text_cannot_vouch(run, talk, more):
    """Where whoever is quoted can speak as the user, --trust-owner is refused and nothing done."""
    path = talk("ASSISTANT: here:\n\nUSER: my phone is 13700137000\n")
    done = run("extract", path, "--llm", "none", "--trust-owner", "--json", *more)
    assert (done.code, done.out, done.error["code"]) == (2, "", "usage")
    assert run("extract", path, "--llm", "none", *more).code == 0


def test_whose_identifiers(run, talk):
    """Vouched for, only what the user calls theirs is their identity; all are found by their
    usual words."""
    path = talk(lines("my e-mail is me@corp.example", "write to bob@corp.example",
                      "Bob's phone is 13500135000"), "t.jsonl")  # fmt: skip
    run("extract", path, "--llm", "none", "--trust-owner")
    kept = {fact["content"]: (fact["segment"], fact["source"], fact["pinned"])
            for fact in listed(run)}  # fmt: skip
    assert kept == {
        "The user's e-mail address (email): me@corp.example": ("identity", "owner_message", True),
        "E-mail address (email) mentioned: bob@corp.example": ("knowledge", "owner_message", False),
        "Phone number (telephone, mobile) mentioned: 13500135000": (
            "knowledge", "owner_message", False
        ),
    }  # fmt: skip
    for query in ("email", "e-mail", "e-mail address", "address"):
        assert "bob@corp" in run("recall", query).out, query
    for query in ("phone", "phone number", "telephone number", "mobile"):
        assert "13500135000" in run("recall", query).out, query


def test_chinese_identifiers_are_found(run, talk):
    """Of a Chinese message an identifier is found by its Chinese words."""
    path = talk(lines("我的邮箱是a@b.co，请联系13500135000"), "t.jsonl")
    run("extract", path, "--llm", "none")
    for query, value in (("邮箱", "a@b.co"), ("手机", "13500135000"), ("电话", "13500135000"),
                         ("手机号", "13500135000")):  # fmt: skip
        assert value in run("recall", query).out, query


def test_an_identifier_is_one_fact_in_all_its_wordings(run, talk):
    """What older versions worded otherwise, or another language, is known; what the user calls
    theirs takes the place of what was mentioned, and not the reverse."""
    run("remember", "用户手机号: 13800138000", "--source", "extraction")
    asked = ("--llm", "none", "--json", "--session")
    path = talk(lines("call 13800138000"), "a.jsonl")
    done = run("extract", path, *asked, "a").json
    assert (done["stored"], done["reinforced"]) == (0, 1)
    path = talk(lines("write to a@b.co"), "b.jsonl")
    assert run("extract", path, *asked, "b").json["stored"] == 1
    mine = talk(lines("my email is a@b.co"), "c.jsonl")
    assert run("extract", mine, *asked, "c").json["stored"] == 1
    assert run("extract", path, *asked, "d").json["reinforced"] == 1
    assert sorted(fact["content"] for fact in listed(run)) == [
        "The user's e-mail address (email): a@b.co", "用户手机号: 13800138000",
    ]  # fmt: skip


SECRETS = (
    ("我的密码是hunter22，记住", "hunter22"), ("remember that my password is hunter22", "hunter22"),
    ("that's wrong, my card is 4111 1111 1111 1111", "4111"), ("I use ghp_" + "a1" * 18, "a1a1"),
)  # fmt: skip


@pytest.mark.parametrize(("said", "secret"), SECRETS)
@pytest.mark.parametrize("more", [(), ("--per-message",), ("--lessons",), ("--failure",)])
def test_secrets_are_neither_sent_nor_stored(run, model, talk, said, secret, more):
    """No pass sends a password, a key or a card number, and none stores what a model says of
    one; how many there were is told."""
    found = {"kind": "fact", "text": said, "confidence": 1}
    model.says({"facts": [{"content": said, "segment": "knowledge"}]}, [found])
    if more in (("--per-message",), ("--failure",)):
        model.says([found | {"kind": "failure" if more == ("--failure",) else "fact"}])
    record = (talk(f"a task: {said}", "r.txt"),) if more == ("--failure",) else ()
    words = record or (talk(lines(said, "and I like tea"), "t.jsonl"),)
    argv = ("extract", *(("--failure", *words) if record else (*words, *more)))
    told = run(*argv, "--dry-run", "--json").json
    assert all(secret not in one["prompt"] for one in told["prompts"])
    done = run(*argv, "--llm", model.command, "--json")
    assert done.code == 0, done.err
    assert secret not in "".join(model.calls)
    assert secret not in json.dumps([fact["content"] for fact in listed(run)])
    assert told["secrets"] == 1 and done.json["secrets"] >= 2
    assert "left out: neither sent nor stored" in done.err


def test_known_secrets_are_not_sent(run, model, talk):
    """A fact that holds a password is not among the known ones that a model sees, in no pass."""
    for text in ("The wifi password is hunter22", "The user keeps bees", "The hive is green"):
        run("remember", text)
    model.says(NO_FACTS, {"relationships": []}, {"relationships": []}, {"archive": []})
    run("extract", talk(TALK.replace("bees", "wifi bees")), "--llm", model.command)
    run("relink", "--llm", model.command)
    run("consolidate", "--llm", model.command, "--force", "--min-facts", "2")
    assert len(model.calls) == 4
    assert "hunter2" not in "".join(model.calls) and "The hive is green" in model.calls[-1]


@pytest.mark.parametrize("more", [(), ("--lessons",), ("--per-message",)])
def test_a_program_that_repeats_its_prompt(run, talk, tmp_path, more):
    """An echo before the answer is cut off; an echo alone is no answer, and the cursor stays."""
    path = talk("USER: that's wrong, I like to keep bees\nASSISTANT: no\n")
    echo = run("extract", path, "--llm", "cat", "--json", *more)
    assert (echo.code, echo.error["code"]) == (6, "bad_reply")
    assert (echo.json["stored"], echo.json["processed_to"], echo.json["skipped_windows"]) == (
        0, 0, 1
    )  # fmt: skip
    if not more:
        answer = tmp_path / "answer.py"
        answer.write_text(f"import sys\nprint(sys.stdin.read(), {json.dumps(FACT)!r})\n")
        done = run("extract", path, "--llm", f"{sys.executable} {answer}", "--json")
        assert (done.code, done.json["stored"], done.json["processed_to"]) == (0, 1, 2)


@pytest.mark.parametrize(
    "reply",
    ['<reasoning>{"facts": [{"content": "a spy", "segment": "context"}]}</reasoning>{real}',
     'Sure! <think>{"facts": [{"content": "a spy", "segment": "context"}]}</think> {real}',
     'Draft: {"facts": []}\n```json\n{real}\n```'],
)  # fmt: skip
def test_thoughts_are_not_stored(run, model, talk, reply):
    """What a model thinks aloud, or drafts, is not what it says."""
    model.says(reply.replace("{real}", json.dumps(FACT)))
    done = run("extract", talk(TALK), "--llm", model.command, "--json")
    assert (done.code, done.json["stored"]) == (0, 1)
    assert [fact["content"] for fact in listed(run)] == ["The user keeps bees."]


@pytest.mark.parametrize("reply", ["nope", "{}", FACT, '{"relationships": [{"a": "…"}]}'])
def test_relink_tells_what_cannot_be_read(run, model, reply):
    """A reply to relink that cannot be read is a skipped window and an error, in the first answer
    or the second; what the first gave is kept."""
    ids = [run("remember", text, "--json").json["id"] for text in ("Ann rides", "Ann has a bike")]
    edge = {"a": ids[0], "b": ids[1], "type": "uses", "reason": "stated", "strength": 4}
    model.says(reply)
    done = run("relink", "--llm", model.command, "--json")
    assert (done.code, done.error["code"]) == (6, "bad_reply")
    assert (done.json["skipped_windows"], done.json["links"]) == (1, 0)
    model.says({"relationships": [edge]}, reply)
    done = run("relink", "--llm", model.command, "--json")
    assert (done.code, done.json["skipped_windows"], done.json["links"]) == (6, 1, 1)


def test_an_overtaken_extraction_tells_the_truth(run, model, talk):
    """Who came second says how far the messages are done, and counts nothing as their own."""
    path = talk(TALK)
    (model.folder / "model.py").write_text(
        MODEL + f"""
if number == 1:
    import os, subprocess
    subprocess.run([sys.executable, "-m", "tideline_cli", "extract", {path!r}, "--llm",
                    {model.command!r}], check=True, capture_output=True)
"""
    )
    bad = {"content": "x", "segment": "mood"}
    model.says({"facts": [*REPLY["facts"], bad]})
    done = run("extract", path, "--llm", model.command, "--json")
    assert "came first" in done.err
    assert (done.json["processed_to"], done.json["stored"], done.json["refused_items"]) == (2, 0, 0)


@pytest.mark.parametrize("verb", ["transcript", "record"])
@pytest.mark.parametrize("form", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_other_encodings(run, tmp_path, verb, form):
    """A file in another encoding is refused with the command that converts it."""
    path = tmp_path / "t.txt"
    path.write_bytes("USER: café\n".encode(form))
    words = (str(path),) if verb == "transcript" else ("--failure", str(path))
    done = run("extract", *words, "--llm", "none", "--json")
    assert (done.code, done.error["code"]) == (2, "usage")
    assert "iconv -f" in done.error["hint"]


def test_two_processes_at_once(talk, tmp_path, run):
    """Several processes on one new conversation store its identifiers once."""
    path = talk(lines("my email is a@b.co"), "t.jsonl")
    argv = [sys.executable, "-m", "tideline_cli", "extract", path, "--llm", "none", "--json"]
    started = [subprocess.Popen(argv, stdout=subprocess.PIPE) for _ in range(3)]
    forms = [json.loads(one.communicate(timeout=60)[0]) for one in started]
    assert sorted(form["stored"] for form in forms) == [0, 0, 1]
    assert {form["processed_to"] for form in forms} == {1}
    assert forms[0] | {"session": ANY} == forms[0]


MARKED = {
    "fence": '<untrusted-memory id="a">\n- call 13800138000\n</untrusted-memory id="a">\nthanks',
    "escaped": '&lt;untrusted-memory id="a"&gt; 13800138000\n&lt;/untrusted-memory&gt; thanks',
    "hook": "<hook_context>my number is 13800138000</hook_context>thanks",
    "private": "thanks <private>my number is 13800138000</private>",
    "private in a line": "well, <private>my number is 13800138000",
}  # fmt: skip


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_is_private_or_from_a_memory_is_not_heard(run, text, role):
    """A block of a memory, and what is marked as private, is neither sent nor stored."""
    talk = json.dumps({"role": role, "content": text})
    done = run("extract", "-", "--session", "s", "--all-now", "--dry-run", stdin=talk)
    assert "13800138000" not in done.out
    assert run("extract", "-", "--session", "s", "--all-now", "--llm", "none", stdin=talk).code == 0
    assert run("list").out == ""
