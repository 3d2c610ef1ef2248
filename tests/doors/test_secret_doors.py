"""The owner's secrets: shown to a person, and `[secret]` at every door for programs."""

from __future__ import annotations

import json

import pytest

from tests import backends
from tests.doors import payloads
from tests.doors.mcp_talk import result, told
from tests.support import NOW
from tideline_cli import Memory
from tideline_cli.cli.commands.serve import InProcess
from tideline_cli.model.fields import TEXTS
from tideline_cli.serve.http import api

KEY = "gh" + "p_" + "a1B2c3D4e5F6" * 3
WORD = "Heron77x-lake"
SECRETS = (KEY, WORD)


@pytest.fixture
def kiosk(run):
    """The owner has stored a key in a text, and passwords in labels and the reason of a link."""
    run("remember", "Kiosk deploys run on Fridays")
    fact = run(
        "remember", f"The deploy token for the kiosk is {KEY}", "--pin", "--title", f"kiosk {KEY}",
        "--tag", f"pwd: {WORD}", "--meta", f"password={WORD}",
    ).out.split()[0]  # fmt: skip
    other = run("remember", "The kiosk stands in the hall", "--kind", "constraint").out.split()[0]
    run("link", fact, other, "--kind", "relates", "--reason", f"password: {WORD}")
    long = run("remember", "kiosk " + "word " * 28 + KEY).out.split()[0]
    labels = {name: f"{name} {KEY}" for name in TEXTS if name not in ("scope", "session", "turn")}
    row = {"content": f"What the deploy token of the kiosk is: 密码：{WORD}", **labels,
           "scope": f"shop/{KEY}", "session": f"s/{KEY}", "turn": 3, "tags": [f"密码：{WORD}"],
           "metadata": {"密码": WORD, KEY: [KEY]}}  # fmt: skip
    assert run("import", "-", "--trust", "--json", stdin=json.dumps(row)).json["added"] == 1
    run("edit", other, f"The kiosk stands in the lobby, password: {WORD}")
    return [fact, other, long]


def shown(text):
    return [secret for secret in SECRETS if secret in text or secret[:12] in text]


ASKED = "what is the deploy token for the kiosk"


def test_a_person_sees_what_was_stored(run, kiosk):
    """recall, show, list and export print the secret."""
    for words in (("recall", ASKED), ("show", kiosk[0]), ("list",), ("export",)):
        assert KEY in run(*words).out, words
        assert KEY in run(*words, *(("--json",) if words[0] != "export" else ())).out, words


@pytest.mark.parametrize(
    "more", [(), ("--auto",), ("--json",), ("--format", "xml"), ("--auto", "--json"),
             ("--profile", "rsclaw"), ("--max-chars", "160"), ("--no-constraints",)], ids=" ".join,
)  # fmt: skip
def test_context_prints_marks(run, kiosk, more):
    """`context` prints `[secret]`, in each form, and the secret where it is asked for."""
    done = run("context", ASKED, *more)
    assert "[secret]" in done.out and shown(done.out + done.err) == []
    if "--max-chars" not in more:
        assert KEY in run("context", ASKED, *more, "--show-secrets").out


def test_context_masks_archived_matches(run, kiosk):
    """A note of an archived match has no secret either, unless it is asked for."""
    run("gc", "--now", "2031-01-01", "--max-loss", "1")
    late = ("context", "long word kiosk", "--now", "2031-01-02")
    for more in ((), ("--json",)):
        done = run(*late, *more)
        assert "[secret]" in done.out + done.err and shown(done.out + done.err) == []
        open_ = run(*late, *more, "--show-secrets")
        assert KEY in shown(open_.out + open_.err) and "[secret]" not in open_.out + open_.err


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_hooks_print_marks(run, kiosk, client):
    """A hook gives `[secret]` to a prompt and to a start; a client may ask otherwise."""
    for payload in (payloads.prompt(client, ASKED, session="first"),
                    payloads.start(client, "startup")):  # fmt: skip
        done = run("hook", client, stdin=payload)
        assert "[secret]" in done.out and shown(done.out) == []
    again = payloads.prompt(client, ASKED, session="another")
    assert KEY in run("hook", client, "--show-secrets", stdin=again).out


@pytest.mark.parametrize("argv", [(), ("--format", "text")])
def test_mcp_gives_marks(kiosk, argv):
    """Every tool that reads gives `[secret]`, whole, cut and in labels, links and changes; a server
    that is started so shows them."""
    calls = (("recall", {"query": "kiosk"}), ("show", {"ids": kiosk}), ("timeline", {}),
             ("timeline", {"id": kiosk[1]}))  # fmt: skip
    for name, arguments in calls:
        said = json.dumps(result(name, argv=argv, **arguments))
        assert "[secret]" in said and shown(said) == [], name
        open_ = json.dumps(result(name, argv=(*argv, "--show-secrets"), **arguments))
        assert shown(open_) != [] and "[secret]" not in open_, name


def test_mcp_takes_secrets_out_of_what_is_remembered(run, kiosk):
    """What an agent remembers is stored without its secrets, and it is told how many those were."""
    done = told("remember", argv=("--write",), text=f"The hall kiosk now uses {KEY[:-4]}Zz9q")
    assert done["secrets_taken_out"] == 1
    assert "[secret]" in run("show", done["id"]).out


@pytest.mark.parametrize(
    ("path", "given"),
    [("recall", {"q": [ASKED]}), ("context", {"q": [ASKED]}), ("facts", {}), ("facts/{}", {}),
     ("facts/{}/history", {}), ("facts/{}/timeline", {}), ("facts/{}/graph", {}), ("changes", {}),
     ("memory/docs", {}), ("memory/docs", {"q": ["kiosk"]}), ("contradictions", {}),
     ("fading", {"within": ["9000d"]}), ("status", {}), ("batches", {}), ("tags", {}),
     ("slots", {})],
)  # fmt: skip
def test_the_api_gives_marks(home, kiosk, path, given):
    """Every path of the API gives `[secret]`, in the body and in notes; where the server is started
    so the body is what the command prints."""
    ask = InProcess(db=backends.place(home / "tideline.db"), origin="owner")
    reply = api.answer(ask, path.format(kiosk[0]), given)
    assert reply.status == 200
    assert shown(reply.body.decode() + str(reply.headers)) == []
    json.loads(reply.body)
    open_ = api.answer(ask, path.format(kiosk[0]), given, show_secrets=True)
    if b"[secret]" in reply.body:
        assert shown(open_.body.decode()) != []


def test_python_masks_the_context_alone(home, kiosk):
    """`Memory.context` gives marks unless asked; recall and show are the owner's own reading."""
    with Memory.open(clock=lambda: NOW) as memory:
        assert shown(memory.context(ASKED).text) == []
        assert KEY in memory.context(ASKED, show_secrets=True).text
        assert any(KEY in hit.fact.content for hit in memory.recall(ASKED))
