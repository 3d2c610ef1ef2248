"""consolidate against a scripted server: whatever the model says, it ends as specified."""

from __future__ import annotations

import os
import time

import pytest

from tests.conftest import run_main
from tests.llm.server import Step, half, reply, serving
from tests.support import NOW, seed
from tideline_cli.dream import consolidate
from tideline_cli.llm import endpoint
from tideline_cli.model.instant import iso
from tideline_cli.model.origin import parse_origin

CHANNEL = "channel:wa/c1/s1"
FACTS = {
    "OLD": "The user works on Windows", "NEW": "The user works on macOS since March",
    "TEA": "Tea at four every day", "REX": "The dog is called Rex",
    "RUST": "Atlas is written in Rust", "LISBON": "The office is in Lisbon",
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(endpoint, "PAUSES", (0.0, 0.0))


@pytest.fixture
def filled(run):
    """A store with six facts of the owner and six of a channel."""
    for prefix, origin in (("", "owner"), ("P", CHANNEL)):
        seed(
            [
                {"id": prefix + name, "content": f"{prefix} {text}".strip()}
                for name, text in FACTS.items()
            ],
            origin=parse_origin(origin),
        )
    return run


def ask(run, server, *more, **given):
    return run("consolidate", "--base-url", server.base_url, "--model", "m", *more, **given)


def active(run, *more):
    return {row["id"] for row in run("list", "--json", *more).json["facts"]}


def test_a_good_reply(filled):
    """What the reply names is archived, with the reason and the fact that stands in its place;
    other origins are asked for themselves."""
    good = {"archive": ["OLD"], "because": {"OLD": {"by": "NEW", "reason": "moved to macOS"}}}
    with serving(reply(good), reply({"archive": []})) as server:
        done = ask(filled, server, "--json")
    assert done.code == 0
    mine, theirs = done.json["origins"]
    assert mine["archived"] == [{"id": "OLD", "replaced_by": "NEW", "reason": "moved to macOS"}]
    assert (theirs["ran"], theirs["archived"]) == (True, [])
    assert active(filled) == set(FACTS) - {"OLD"}
    shown = filled("show", "OLD", "--json").json
    assert shown["fact"]["metadata"] == {"consolidated": {"replaced_by": "NEW"}}
    assert [(edge["kind"], edge["id"], edge["reason"]) for edge in shown["backlinks"]] == [
        ("contradicts", "NEW", "moved to macOS"), ("transition", "NEW", "moved to macOS")
    ]  # fmt: skip
    assert filled("restore", "OLD").code == 4
    assert filled("status", "--json").json["last_consolidate_summary"] == "1 archived"


def test_each_origin_is_shown_its_own_facts(filled):
    """One call an origin, and no line of another in it; ids of another origin are ignored."""
    with serving(reply({"archive": ["POLD", "OLD"]})) as server:
        done = ask(filled, server, "--json")
    first, second = server.prompts
    assert "P The user" not in first and "] (knowledge, importance 0.60) The user" in first
    assert "0) The user" not in second and "] (knowledge, importance 0.60) P The user" in second
    assert [[a["id"] for a in row["archived"]] for row in done.json["origins"]] == [
        ["OLD"], ["POLD"]
    ]  # fmt: skip


def test_facts_are_named_by_their_numbers(filled):
    """A reply names facts by the numbers of their lines."""
    lines = filled("consolidate", "-n", "--llm", "none", "--origin", "owner").out.split("\n")
    old, new = (line[1 : line.index("]")] for name in ("OLD", "NEW")
                for line in lines if line.endswith(f"0.60) {FACTS[name]}"))  # fmt: skip
    because = {old: {"by": f"[{new}]", "reason": "moved to macOS"}}
    with serving(reply({"archive": [old], "because": because})) as server:
        done = ask(filled, server, "--origin", "owner", "--json")
    assert done.json["origins"][0]["archived"] == [
        {"id": "OLD", "replaced_by": "NEW", "reason": "moved to macOS"}
    ]


def test_an_id_of_another_origin_does_nothing(filled):
    """A model that is asked about one origin cannot reach into another."""
    with serving(reply({"archive": ["POLD", "NOBODY"]})) as server:
        done = ask(filled, server, "--origin", "owner", "--json")
    assert done.json["origins"][0]["archived"] == []
    assert active(filled, "--origin", CHANNEL) == {"P" + name for name in FACTS}


@pytest.mark.parametrize(
    ("said", "parsed"),
    [
        ('Sure! I found {one} thing: {"archive": ["OLD"]} – anything else?', True),
        ('```json\n{"archive": ["OLD"]}\n```', True),
        ("<think>maybe {x}</think>\n" + '{"archive": ["OLD"]}', True),
        ("I would rather not say.", False),
        ('{"archive": "OLD"}', False),
        ('{"archive": ["OLD"', False),
        ('{"archive": [{"fact": "OLD"}]}', False),
        ('{"archive": [], "error": "overloaded"}', False),
    ],
)
def test_prose_and_garbage(filled, said, parsed):
    """JSON is found in prose; garbage changes nothing, is told as an error, and ends with 6."""
    with serving(reply(said)) as server:
        done = ask(filled, server, "--origin", "owner", "--json")
    assert done.code == (0 if parsed else 6)
    (mine,) = done.json["origins"]
    assert (mine["ran"], mine["parsed"]) == (True, parsed)
    assert active(filled) == set(FACTS) - ({"OLD"} if parsed else set())
    assert done.json["skipped_windows"] == (0 if parsed else 1)
    assert parsed or done.error["code"] == "bad_reply"


@pytest.mark.parametrize("archive_all", [{"archive": list(FACTS)}, {"archive": list(FACTS)[:3]}])
def test_archive_everything(filled, archive_all):
    """A model that wants all of it, or more than the limit, gets nothing; that is told loudly."""
    with serving(reply(archive_all)) as server:
        done = ask(filled, server, "--origin", "owner", "--quiet")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("tideline: owner: refused: ")
    assert active(filled) == set(FACTS)


def test_500_then_200(filled):
    """A server that fails once is asked again."""
    with serving(Step(status=500), reply({"archive": ["OLD"]})) as server:
        assert ask(filled, server, "--origin", "owner").code == 0
    assert len(server.requests) == 2
    assert active(filled) == set(FACTS) - {"OLD"}


@pytest.mark.parametrize("step", [half({"archive": ["OLD"]}), Step(status=500), Step(status=404),
                                  Step(body="not json")])  # fmt: skip
def test_an_unreachable_model_changes_nothing(filled, step):
    """Half a reply, errors, nonsense: exit 6, one line, nothing changed."""
    before = filled("export", "--all-origins").out
    with serving(step) as server:
        done = ask(filled, server, "--origin", "owner")
    assert done.code == 6
    assert done.err.startswith("tideline: ")
    assert filled("export", "--all-origins").out == before


def test_a_slow_model_blocks_nobody(filled):
    """While a model thinks, other writers write; when it takes too long, nothing is changed."""
    written = []

    def meanwhile(request):
        begin = time.perf_counter()
        done = filled("remember", "written while the model thinks")
        written.append((done.code, time.perf_counter() - begin))

    with serving(reply({"archive": ["OLD"]}, delay=20, meanwhile=meanwhile)) as server:
        begin = time.perf_counter()
        done = ask(filled, server, "--origin", "owner", "--timeout", "5")
        took = time.perf_counter() - begin
    assert done.code == 6
    assert 4.5 < took < 9
    assert [code for code, _ in written] == [0]
    assert written[0][1] < 2
    assert set(FACTS) < active(filled)


def test_what_changed_while_the_model_thought_is_left_out(filled):
    """The answer is applied to what is current then."""

    def meanwhile(request):
        assert filled("feedback", "OLD", "up").code == 0
        assert filled("forget", "TEA").code == 0

    wish = {"archive": ["OLD", "TEA", "REX"]}
    with serving(reply(wish, meanwhile=meanwhile)) as server:
        done = ask(filled, server, "--origin", "owner", "--max-loss", "0.6", "--json")
    (mine,) = done.json["origins"]
    assert mine["skipped"] == 2
    assert active(filled) == set(FACTS) - {"TEA", "REX"}


def test_throttle(filled):
    """Half an hour has to pass, also after an error; --force does not wait."""
    with serving(Step(status=404), reply({"archive": []})) as server:
        assert ask(filled, server, "--origin", "owner").code == 6
        again = ask(filled, server, "--origin", "owner", "--json")
        assert again.json == {
            "origins": [], "archived": 0, "throttled": True,
            "next_due": iso(NOW + consolidate.INTERVAL_MS), "dry_run": False,
            "skipped_windows": 0, "batch": None,
        }  # fmt: skip
        assert "--force" in again.err
        assert ask(filled, server, "--origin", "owner", "--force", "--json").json["batch"]
        later = str(NOW + consolidate.INTERVAL_MS)
        assert ask(filled, server, "--origin", "owner", "--json", "--now", later).json["batch"]
    assert len(server.requests) == 3


def test_few_facts_are_left_alone(run):
    """Below six active facts no model is asked."""
    for n in range(5):
        run("remember", f"fact {n} is about {n * 31}")
    with serving(reply({"archive": []})) as server:
        done = ask(run, server, "--json")
    assert (done.json["origins"][0]["ran"], server.requests) == (False, [])


def test_dry_run(filled):
    """--dry-run shows what is sent and what would change; with no model it asks nobody."""
    before = filled("export", "--all-origins").out
    with serving(reply({"archive": ["OLD"]})) as server:
        done = ask(filled, server, "--origin", "owner", "--dry-run")
        assert len(server.requests) == 1
        silent = filled("consolidate", "-n", "--llm", "none", "--origin", "owner")
        assert len(server.requests) == 1
    assert "] (knowledge, importance 0.60) The user works on Windows" in done.out
    assert "  archived  OLD The user works on Windows" in done.out
    assert "archived  OLD" not in silent.out
    assert "P The user" not in done.out + silent.out
    assert filled("export", "--all-origins").out == before


def test_a_command_as_model(filled, tmp_path):
    """A command gets the prompt on its stdin, and no key of ours."""
    program = tmp_path / "model.py"
    program.write_text(
        "import os, sys\n"
        "text = sys.stdin.read()\n"
        "assert 'works on Windows' in text and 'TIDELINE_API_KEY' not in os.environ\n"
        "print('{\"archive\": [\"OLD\"]}')\n"
    )
    os.environ["TIDELINE_API_KEY"] = "k-canary-8831"
    try:
        done = filled("consolidate", "--llm", f"{os.sys.executable} {program}", "--origin", "owner")
    finally:
        del os.environ["TIDELINE_API_KEY"]
    assert done.code == 0
    assert "k-canary" not in done.out + done.err
    assert active(filled) == set(FACTS) - {"OLD"}


def test_the_key_reaches_the_server_alone(filled, monkeypatch):
    """The key is sent to the endpoint and appears nowhere else."""
    monkeypatch.setenv("TIDELINE_API_KEY", "k-canary-8831")
    with serving(Step(status=401, body={"error": "bad key k-canary-8831"})) as server:
        done = ask(filled, server, "--origin", "owner", "--debug")
    assert server.requests[0].headers["Authorization"] == "Bearer k-canary-8831"
    assert done.code == 6
    assert "canary" not in done.out + done.err


def test_no_model_is_a_usage_error():
    """Without a model there is nothing to consolidate with, and the hint says what needs none."""
    done = run_main("consolidate")
    assert done.code == 2
    assert "tideline dream" in done.err
