"""In a prompt a fact tells the day on which it was said, where a reader has to know it."""

from __future__ import annotations

import pytest

from tests.doors import payloads
from tests.doors.mcp_talk import told
from tests.doors.payloads import PROMPT, block_in
from tests.support import DAY, NOW
from tideline_cli import Memory
from tideline_cli.model import instant

LONG_AGO = str(NOW - 100 * DAY)
LATELY = str(NOW - 10 * DAY)


@pytest.fixture
def memory(run):
    """Facts of five kinds about one thing; the last but one is old."""
    for at, text, *more in (
        (LATELY, "gestern wurde das Boot gestrichen"), (LATELY, "yesterday we sold the red boat"),
        (LATELY, "the boat is at pier 4", "--valid-to", str(NOW + DAY)),
        (LONG_AGO, "the boat needs an anchor"), (LATELY, "the boat is 8 m long"),
    ):  # fmt: skip
        run("remember", text, *more, "--now", at)


def days(lines):
    """Return which facts tell their day, by a word of each."""
    words = ("gestrichen", "sold", "pier", "anchor", "long")
    return {
        word: line.partition(" (said ")[2].rstrip(")") for word in words
        for line in lines if word in line
    }  # fmt: skip


def of(days_ago):
    return instant.local(NOW - days_ago * DAY)[:10]


WANTED = {"gestrichen": of(10), "sold": of(10), "pier": of(10), "anchor": of(100), "long": ""}


@pytest.mark.usefixtures("memory")
def test_every_door_tells_the_day(run):
    """What counts from its day, has an end or is old tells it; what is none of these does not."""
    question = "boat boot gestrichen"
    assert days(run("context", question).out.splitlines()) == WANTED
    asked = payloads.prompt("claude-code", "where is the red boat?")
    hook = run("hook", "claude-code", stdin=asked)
    block = block_in("claude-code", PROMPT["claude-code"], hook.out)
    assert days(block.splitlines())["sold"] == of(10)
    hits = told("recall", query=question)["hits"]
    assert days([hit["text"] for hit in hits]) == WANTED
    with Memory.open(clock=lambda: NOW) as here:
        assert days(here.context(question).text.splitlines()) == WANTED


@pytest.mark.usefixtures("memory")
def test_a_setting_says_what_is_old(run):
    """A fact older than `dates` tells its day; the line keeps it when its text is cut."""
    run("config", "set", "dates", "5d")
    assert days(run("context", "boat").out.splitlines())["long"] == of(10)
    cut = run("context", "red boat sold", "--limit", "1", "--max-chars", "55").out
    assert "…" in cut and cut.endswith(f"(said {of(10)})\n")
    run("config", "set", "dates", "36500d")
    assert days(run("context", "boat").out.splitlines())["anchor"] == ""
