"""Times as people read them: how long ago, and by the clock on the wall."""

import os
import pty
import subprocess
import sys
import time

import pytest

from tests.support import DAY, NOW
from tideline_cli.model import instant, time_words

HOUR = 3_600_000


@pytest.mark.parametrize(
    ("apart", "said", "short"),
    [
        (0, "just now", "now"),
        (59_999, "just now", "now"),
        (60_000, "1 minute ago", "1min"),
        (2 * HOUR, "2 hours ago", "2h"),
        (DAY - 1, "23 hours ago", "23h"),
        (DAY, "1 day ago", "1d"),
        (13 * DAY, "13 days ago", "13d"),
        (14 * DAY, "2 weeks ago", "2w"),
        (59 * DAY, "8 weeks ago", "8w"),
        (61 * DAY, "2 months ago", "2mo"),
        (731 * DAY, "2 years ago", "2y"),
    ],
)
def test_how_long_ago(apart, said, short):
    """A past time is some whole units ago, and a time ahead is in so many."""
    assert time_words.ago(NOW - apart, NOW) == said
    assert time_words.brief(NOW - apart, NOW) == short
    if apart >= 60_000:
        assert time_words.ago(NOW + apart, NOW) == "in " + said.removesuffix(" ago")
        assert time_words.brief(NOW + apart, NOW) == "+" + short


def test_the_clock_on_the_wall(monkeypatch):
    """A time is shown in the zone of this machine, with its summer time."""
    monkeypatch.setenv("TZ", "Europe/Zurich")
    time.tzset()
    try:
        assert instant.local(1_768_435_200_000) == "2026-01-15 01:00"
        assert instant.local(1_784_073_600_000) == "2026-07-15 02:00"
        assert instant.local(-62_135_596_800_000) == "0001-01-01 00:34"
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def test_show_on_a_terminal_says_how_long_ago(run):
    """A person reads local time and an age; a program reads ISO 8601 in UTC."""
    fact = run("remember", "I deploy on Fridays", "--now", str(NOW - 3 * DAY), "--json").json["id"]
    assert "created_at        2025-10-06T08:53:20.000Z\n" in run("show", fact).out
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "tideline_cli", "show", fact], stdin=subprocess.DEVNULL,
        stdout=theirs, stderr=theirs, check=True, timeout=60,
        env=os.environ | {"TZ": "Asia/Tokyo", "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    seen = os.read(ours, 65536).decode()
    os.close(ours)
    assert "2025-10-06 17:53 (3 days ago)" in seen
