"""Exports of ChatGPT and Claude: every conversation once, in its chosen branch, as its user said
it."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile

import pytest

from tests.exchange.conftest import REPLY
from tideline_cli.errors import UsageError
from tideline_cli.exchange.extract import chats
from tideline_cli.exchange.extract.chats import chat_of, first_keys, members
from tideline_cli.model.instant import iso

SAID = 1_700_000_000  # seconds: 2023-11-14


def node(own, parent, role, *parts, kind="text", **more):
    message = {
        "id": own, "author": {"role": role}, "create_time": SAID + len(own),
        "content": {"content_type": kind, "parts": list(parts)}, "recipient": "all",
    } | more  # fmt: skip
    return {own: {"id": own, "message": message, "parent": parent, "children": []}}


def chatgpt(own="c-1", said="call me at +420 777 123 456", title="Phones", **more):
    """A conversation whose user has edited a message: two branches, tools and hidden nodes."""
    nodes = {"root": {"id": "root", "message": None, "parent": None, "children": ["hidden"]}}
    nodes |= node("hidden", "root", "user", "about me: +420 111 111 111",
                  metadata={"is_visually_hidden_from_conversation": True})
    nodes |= node("profile", "hidden", "user", "+420 222 222 222", kind="user_editable_context")
    nodes |= node("first", "profile", "user", said)
    nodes |= node("call", "first", "assistant", "search(+420 333 333 333)", recipient="browser")
    nodes |= node("found", "call", "tool", "the page says +420 444 444 444")
    nodes |= node("answer", "found", "assistant", "noted")
    nodes |= node("other", "answer", "user", "I take that back: +420 555 555 555")
    nodes |= node("image", "answer", "user", {"content_type": "image_asset_pointer"}, "see this",
                  {"content_type": "audio_transcription", "text": " and hear"},
                  kind="multimodal_text")
    nodes |= node("end", "image", "assistant", "nice")
    return {"id": own, "title": title, "create_time": SAID, "update_time": SAID + 60,
            "mapping": nodes, "current_node": "end"} | more  # fmt: skip


LIVES = "I live in Lisbon and work on Atlas, my mail is ada@example.org"


def claude(own="k-1", said="my mail is ada@example.org", name="Mails", **more):
    """A conversation with a thought, a tool, an attachment and a branch that was left."""
    def message(uuid, parent, sender, *blocks, text="", attached=()):
        return {"uuid": uuid, "parent_message_uuid": parent, "sender": sender, "text": text,
                "content": list(blocks), "created_at": "2024-02-03T04:05:06.5Z",
                "attachments": [{"file_name": "a", "extracted_content": one} for one in attached]}

    def words(text):
        return {"type": "text", "text": text}

    return {"uuid": own, "name": name, "updated_at": "2024-02-03T05:00:00Z", "chat_messages": [
        message("m1", "00000000-0000-4000-8000-000000000000", "human", words(said), text=said,
                attached=["file@example.org"]),
        message("m2", "m1", "assistant", {"type": "thinking", "thinking": "hm"},
                {"type": "tool_use", "name": "x", "input": {}}, words("noted")),
        message("m3", "m2", "human", words("left: gone@example.org")),
        message("m4", "m2", "human", text="thanks"),
    ]} | more  # fmt: skip


def zipped(*members_):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members_:
            archive.writestr(name, text)
    return raw.getvalue()


@pytest.fixture
def export(tmp_path):
    def write(value, name="conversations.json"):
        raw = value if isinstance(value, bytes) else json.dumps(value).encode()
        (tmp_path / name).write_bytes(raw)
        return str(tmp_path / name)

    return write


def held(run):
    return {one["content"]: one for one in run("list", "--json").json["facts"]}


def test_chatgpt_as_it_stands_in_its_branch():
    """The branch of the current node alone; tools, calls of them, files and what is hidden are
    nobody's words; times and the title come along."""
    chat = chat_of(json.dumps(chatgpt()).encode())
    assert [(one.role, one.text) for one in chat.transcript.messages] == [
        ("user", "call me at +420 777 123 456"), ("assistant", "noted"),
        ("user", "see this and hear"), ("assistant", "nice"),
    ]  # fmt: skip
    assert chat.transcript.messages[0].at == (SAID + len("first")) * 1000
    assert (chat.program, chat.transcript.session, chat.title) == ("chatgpt", "c-1", "Phones")
    assert chat.updated == (SAID + 60) * 1000


def test_claude_as_it_stands_in_its_branch():
    """The branch of the last message; thoughts, tools and attached files are nobody's words."""
    chat = chat_of(json.dumps(claude()).encode())
    assert [(one.role, one.text) for one in chat.transcript.messages] == [
        ("user", "my mail is ada@example.org"), ("assistant", "noted"), ("user", "thanks"),
    ]  # fmt: skip
    assert iso(chat.transcript.messages[0].at or 0) == "2024-02-03T04:05:06.500Z"
    assert (chat.program, chat.transcript.session, chat.title) == ("claude", "k-1", "Mails")
    plain = claude()
    for one in plain["chat_messages"]:
        del one["parent_message_uuid"]
    assert len(chat_of(json.dumps(plain).encode()).transcript.messages) == 4


def test_a_branch_that_is_not_told_whole():
    """Without a current node the newest end of the tree counts; where a message follows one that is
    not there, all messages do."""
    chat = chatgpt()
    del chat["current_node"]
    chat["mapping"]["end"]["message"]["create_time"] = SAID + 999
    assert chat_of(json.dumps(chat).encode()).transcript.messages[-1].text == "nice"
    assert len(chat_of(json.dumps(chat).encode()).transcript.messages) == 4
    talk = claude()
    talk["chat_messages"][-1]["parent_message_uuid"] = "missing"
    assert len(chat_of(json.dumps(talk).encode()).transcript.messages) == 4


@pytest.mark.parametrize("name", ["json", "zip", "one", "pipe"])
def test_an_export_is_read_once(run, export, name):
    """As JSON, as the zip file, as one conversation or piped: its facts are dated when they were
    said, under the name of their conversation; again gives nothing; one undo takes all back."""
    found = [chatgpt(), chatgpt("c-2", "my mail is eva@example.org", "More")]
    raw = json.dumps(found).encode()
    path, given = export(raw), b""
    if name == "zip":
        path = export(zipped(("user.json", "{}"), ("conversations.json", raw)), "download.zip")
    elif name == "one":
        path, found = export(found[0]), found[:1]
    elif name == "pipe":
        path, given = "-", raw
    call = ("extract", path, "--llm", "none")
    done = run(*call, "--json", stdin=given)
    assert done.code == 0, done.err
    assert (done.json["stored"], done.json["read"]) == (len(found), len(found))
    fact = next(one for text, one in held(run).items() if "777" in text)
    assert fact["created_at"] == iso((SAID + len("first")) * 1000)
    assert fact["last_accessed_at"] > "2025"  # it has not faded yet
    assert (fact["session"], fact["agent"]) == ("c-1", "chatgpt")
    assert fact["metadata"]["conversation"] == "Phones"
    assert len(held(run)) == len(found)
    again = run(*call, "--json", stdin=given)
    assert (again.code, again.json["stored"], again.json["unchanged"]) == (0, 0, len(found))
    assert "nothing new" in run(*call, stdin=given).err
    assert run("doctor", "--deep").code == 0
    assert run("undo").code == 0
    assert held(run) == {}
    assert run("doctor", "--deep").code == 0


def test_what_is_new_is_read_alone(run, model, export):
    """A conversation that went on is asked about from where it was left."""
    path = export([claude(said=LIVES), claude("k-2", "I live in Lisbon, my work is Atlas")])
    call = ("extract", path, "--llm", model.command, "--json")
    assert run(*call).json["stored"] == 3  # the model says the same of both
    assert len(model.calls) == 2
    more = claude("k-2", "I live in Lisbon, my work is Atlas")
    last = more["chat_messages"][-1]
    more["chat_messages"] += [
        last | {"uuid": "m5", "parent_message_uuid": "m4", "text": "I row on Sundays"},
        last | {"uuid": "m6", "parent_message_uuid": "m5", "sender": "assistant", "text": "good"},
    ]
    export([claude(said=LIVES), more])
    model.says(REPLY)
    done = run(*call)
    assert (done.json["unchanged"], len(model.calls)) == (1, 1)
    assert "I row on Sundays" in model.calls[0] and "thanks" not in model.calls[0]


def test_private_words_secrets_and_own_blocks_stay_out(run, model, export):
    """What is marked as private, a password, and a block of this memory reach neither model nor
    store; a title is cleaned too."""
    said = ("<private>my mail is no@example.org</private> the password is hunter2hunter2\n"
            "<untrusted-memory id=\"1\">mail old@example.org</untrusted-memory> I live in Lisbon")
    path = export([claude(said=said, name="token ghp_" + "a1B2" * 9)])
    done = run("extract", path, "--llm", model.command, "--json")
    assert done.code == 0 and done.json["secrets"] >= 1, done.err
    (prompt,) = model.calls
    stored = run("export").out
    for word in ("no@example.org", "old@example.org", "hunter2hunter2", "ghp_a1B2"):
        assert word not in prompt + stored, word
    assert "I live in Lisbon" in prompt


def test_a_bad_conversation_does_not_stop_the_rest(run, export):
    """What is no conversation is counted and told once; the rest is taken."""
    odd = [{"id": "x"}, {"mapping": 5, "id": "y"}, 17, {"chat_messages": "z"}, chatgpt()]
    raw = json.dumps(odd).replace('{"id": "x"}', '{"id": x}').encode()
    done = run("extract", export(raw), "--llm", "none", "--json")
    assert (done.code, done.json["stored"], len(done.json["unreadable"])) == (0, 1, 4)
    assert done.err.count("cannot be read") == 1 and "4 conversations" in done.err


def test_an_export_that_is_cut_off_says_so(run, export):
    """What stands before the cut is taken, and the call ends with 2 and says how to go on."""
    raw = json.dumps([chatgpt(), claude()]).encode()
    done = run("extract", export(raw[:-200]), "--llm", "none")
    assert (done.code, len(held(run))) == (2, 1)
    assert "cut off" in done.err and "hint: " in done.err


def test_since_and_limit(run, export):
    """--since leaves out what ended before; --limit takes so many that have something new, and the
    next call the next ones."""
    path = export([chatgpt(f"c-{n}", f"my mail is x{n}@example.org") for n in range(5)]
                  + [claude()])  # fmt: skip
    none = ("--llm", "none", "--json")
    late = run("extract", path, "--since", "2024-01-01", *none).json
    assert (late["stored"], late["older"]) == (1, 5)
    first = run("extract", path, "--limit", "2", *none)
    assert (first.json["stored"], first.json["more"]) == (2, True)
    assert "more conversations" in first.err
    assert run("extract", path, "--limit", "2", *none).json["stored"] == 2
    last = run("extract", path, "--limit", "2", *none).json
    assert (last["stored"], last["more"], last["unchanged"]) == (1, False, 5)


def test_a_dry_run_shows_a_few(run, model, export):
    """A dry run asks and stores nothing, and shows ten conversations unless --limit says more."""
    path = export([chatgpt(f"c-{n}", title=f"title {n}") for n in range(12)])
    done = run("extract", path, "--dry-run", "--llm", model.command)
    assert done.code == 0 and done.out.count("# conversation") == 10
    assert "title 9" in done.out and "more conversations" in done.err
    shown = run("extract", path, "--dry-run", "--limit", "0", "--json").json
    assert [one["title"] for one in shown["conversations"]] == [f"title {n}" for n in range(12)]
    assert (model.calls, held(run)) == ([], {})


@pytest.mark.parametrize("raw", [
    b"PK\x03\x04 no zip", zipped(("chat.html", "x")), zipped(("conversations.json", "[")),
    json.dumps([{"role": "user", "parts": [{"text": "x"}]}]).encode(),
    json.dumps({"role": "user", "content": {"parts": ["x"]}}).encode(),
    json.dumps({"role": "customer", "content": "x"}).encode(),
], ids=["no zip", "other zip", "cut", "gemini api", "odd content", "odd role"])  # fmt: skip
def test_what_cannot_be_read_is_said(run, export, raw):
    """Another form is an error with a hint, never `nothing new`; no memory is made."""
    done = run("extract", export(raw, "file"), "--llm", "none")
    assert (done.code, "hint: " in done.err) == (2, True), done.err
    assert "nothing new" not in done.err


def test_what_does_not_go_with_an_export(run, export, talk):
    """One name for many conversations, and a limit for one, are mistakes."""
    path = export([chatgpt()])
    assert run("extract", path, "--session", "x").code == 2
    assert run("extract", talk("USER: hello\n"), "--limit", "2").code == 2
    assert run("extract", talk("USER: hello\n"), "--since", "7d").code == 2


def test_a_model_that_cannot_be_reached_ends_it(run, model, export):
    """The first refusal ends the call; what is not done is asked about by the next one. A reply
    that is no JSON is about one conversation alone."""
    said = "I live in Lisbon, house number {}, and work on Atlas"
    path = export([claude(f"k-{n}", said.format(n)) for n in range(3)])
    model.says(None)
    done = run("extract", path, "--llm", model.command)
    assert (done.code != 0, len(model.calls)) == (True, 1)
    model.says("what?", REPLY)
    done = run("extract", path, "--llm", model.command, "--json")
    assert done.code != 0 and len(model.calls) == 3
    assert done.json["stored"] == 2


def test_a_summary_that_is_asked_for_later(run, model, export):
    """What an earlier call has read is summed up once it is asked for, and then not again."""
    path = export([claude(said=LIVES)])
    call = ("extract", path, "--llm", model.command, "--json")
    assert run(*call).json["stored"] == 3  # with the address
    model.says({"summary": "The user and the assistant talked about mails."})
    assert run(*call, "--summary").json["stored"] == 1, model.calls
    (one,) = [fact for fact in held(run).values() if fact["kind"] == "summary"]
    assert (one["created_at"][:10], one["metadata"]["conversation"]) == ("2024-02-03", "Mails")
    assert run(*call, "--summary").json["unchanged"] == 1


def test_origins_have_cursors_of_their_own(run, export):
    """What the owner has read of an export is new to a channel, and stays in it."""
    path = export([chatgpt()])
    assert run("extract", path, "--llm", "none", "--json").json["stored"] == 1
    there = ("--origin", "channel:wa/ada/1")
    assert run("extract", path, "--llm", "none", "--json", *there).json["stored"] == 1


@pytest.mark.parametrize(("raw", "wanted"), [
    (b'[{"a": "}]\\""}, 5, null, {"b": [1]}]', [b'{"a": "}]\\""}', b"5, null", b'{"b": [1]}']),
    (b'{"a": 1}\n{"b": 2}\n', [b'{"a": 1}', b'{"b": 2}']), (b"\xef\xbb\xbf[ ]", []), (b"", []),
    (b'[[1], {"x": "\\\\"}]', [b"[1]", b'{"x": "\\\\"}']),
    (b'{"a": 1} junk', [b'{"a": 1}', b"junk"]), (b'["x", {}]', [b'"x"', b"{}"]),
])  # fmt: skip
def test_members_in_pieces(raw, wanted):
    """Wherever the file is cut into pieces, the members are the same, and those of the whole."""
    def read_by(size):
        file = io.BytesIO(raw)
        return list(members(lambda count: file.read(min(size, count)), longest=1 << 20))

    whole = read_by(1 << 20)
    assert all(read_by(size) == whole for size in range(1, len(raw) + 1))
    assert whole == wanted


def test_a_conversation_that_is_too_long_is_passed_by():
    """Nothing is kept of it, and the one behind it is read."""
    raw = json.dumps([chatgpt(said="x" * 5000), claude()]).encode()
    file = io.BytesIO(raw)
    (_, long), (_, chat) = chats.chats([lambda count: file.read(min(700, count))], 3000)
    assert isinstance(long, UsageError) and "longer" in long.message
    assert getattr(chat, "program", "") == "claude"


def test_an_export_of_any_size_takes_the_memory_of_one_conversation():
    """A file of a hundred conversations takes no more than one of ten."""
    one = json.dumps(chatgpt(said="word " * 40_000)).encode()

    def peak(count):
        parts = iter([b"[", *[one + b","] * count, b"]"])
        tracemalloc.start()
        found = sum(1 for _ in chats.chats([lambda _: next(parts, b"")]))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found, most

    few, many = peak(10), peak(100)
    assert (few[0], many[0]) == (10, 100)
    assert many[1] < 1.2 * few[1]


def test_the_beginning_tells_an_export():
    """Keys of the conversations themselves count, not those inside of them or in what is said."""
    assert chats.is_export(json.dumps([5, chatgpt()]).encode()[:60] + b'"mapping": {')
    assert "mapping" not in first_keys(b'{"tool": {"mapping": 1}, "content": "\\"mapping\\": x"}')
    assert first_keys(b'[{"a": 1}, {"b": {"c": 1') == {"a", "b"}
