"""A conversation of an export that went on in another branch since: none of its words is lost."""

from __future__ import annotations

import json

import pytest

from tests.exchange.conftest import REPLY
from tests.exchange.test_chats import SAID, held, node

ROLES = ("user", "assistant")


def chatgpt(*said):
    """A conversation of ChatGPT; the name of a message is made of it and of all before."""
    nodes, last = {}, None
    for number, text in enumerate(said):
        own = "/".join(said[: number + 1])
        nodes |= node(own, last, ROLES[number % 2], text, create_time=SAID + number)
        last = own
    return {"id": "c-1", "title": "Mails", "mapping": nodes, "current_node": last}


def claude(*said):
    """The same of Claude."""
    listed, last = [], "00000000-0000-4000-8000-000000000000"
    for number, text in enumerate(said):
        own = "/".join(said[: number + 1])
        listed.append({"uuid": own, "parent_message_uuid": last, "text": text,
                       "sender": ("human", "assistant")[number % 2]})  # fmt: skip
        last = own
    return {"uuid": "k-1", "name": "Mails", "chat_messages": listed}


@pytest.fixture
def export(tmp_path):
    def write(value):
        path = tmp_path / "conversations.json"
        path.write_text(json.dumps([value]))
        return str(path)

    return write


FIRST = ("my mail is ada@example.org", "noted", "it rains", "so it does")
EDITED = (*FIRST[:2], "my mail is eva@example.org", "noted too", "and the sun?", "shines")


@pytest.mark.parametrize("chat", [chatgpt, claude])
@pytest.mark.parametrize("after", [EDITED, EDITED[:4], EDITED[:3]], ids=["more", "same", "fewer"])
def test_an_edited_message_is_read(run, export, chat, after):
    """However long the other branch is, what the user says in it is stored, and then not again;
    the branch before, chosen once more, has nothing new."""
    call = ("extract", export(chat(*FIRST)), "--llm", "none", "--json")
    assert run(*call).json["stored"] == 1
    export(chat(*after))
    done = run(*call).json
    assert (done["stored"], done["conversations"][0]["processed_to"]) == (1, len(after))
    assert any("eva@example.org" in text for text in held(run))
    assert run(*call).json["unchanged"] == 1
    export(chat(*FIRST))
    assert run(*call).json["stored"] == 0
    assert run("doctor", "--deep").code == 0


@pytest.mark.parametrize("more", [(), ("--per-message",), ("--summary",)])
def test_a_model_is_asked_from_where_the_branches_part(run, model, export, more):
    """What both branches have is not sent again; the rest of the new one is, in each pass."""
    call = ("extract", export(chatgpt(*FIRST)), "--llm", model.command, "--json", *more)
    model.says(REPLY, {"summary": "They talked about mails."})
    assert run(*call).code == 0
    wanted = ("I always row on Sundays, please remember that", "noted too", "I prefer tea", "good")
    path = export(chatgpt(*FIRST[:2], *wanted))
    shown = run("extract", path, "--dry-run", "--json", *call[2:4], *more).json
    sent = [one["prompt"] for one in shown["conversations"][0]["prompts"]]
    assert sent and all("it rains" not in one and FIRST[0] not in one for one in sent)
    assert sum("I always row" in one for one in sent) == (2 if "--summary" in more else 1)
    summary = {"summary": "They talked about mails, rowing and tea."}
    model.says(*([{"items": []}] if "--per-message" in more else [REPLY, summary]))
    assert run(*call).code == 0
    assert run(*call).json["unchanged"] == 1


def test_a_long_conversation_goes_on_near_the_place(run, model, export):
    """Of a long conversation that parts near its end, little is sent a second time."""
    said = [f"this is what is said as number {number:03}" for number in range(200)]
    call = ("extract", export(chatgpt(*said)), "--llm", model.command, "--json")
    assert run(*call).code == 0
    export(chatgpt(*said[:195], "I row", "good"))
    model.says(REPLY)
    assert run(*call).code == 0
    (prompt,) = model.calls
    assert "I row" in prompt and "number 194" in prompt and "number 150" not in prompt
