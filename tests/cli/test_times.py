"""Times in options: whole local days, words, and what is still exact."""

import time

import pytest

from tests import backends
from tests.support import DAY, NOW
from tideline_cli.model import instant as instant_module

DAY_OF = "2025-10-09"  # of NOW


@pytest.fixture
def days(run):
    """A fact of each of five days, the last one today."""
    for back in range(5):
        run("remember", f"fact number {back} of five", "--now", str(NOW - back * DAY))


def seen(done):
    return [line.split("number ")[1][0] for line in done.out.splitlines()]


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (("--until", "2025-10-07"), "234"), (("--since", "2025-10-07"), "012"),
        (("--since", "2025-10-07", "--until", "2025-10-07"), "2"), (("--since", "2d"), "012"),
        (("--since", "yesterday", "--until", "yesterday"), "1"), (("--until", "3 days ago"), "34"),
        (("--since", "2025-10"), "01234"), (("--until", "2025-09"), ""),
        (("--since", "today"), "0"), (("--as-of", "2025-10-06"), "34"),
        (("--as-of", "3 days ago"), "34"), (("--since", "last week", "--until", "last week"), "4"),
    ],
)  # fmt: skip
def test_list_by_days_and_words(run, days, given, left):
    """A day in --until and --as-of is all of it, in --since from its beginning."""
    assert "".join(seen(run("list", *given))) == left


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles", "UTC"])
def test_days_are_local(run, days, monkeypatch, zone):
    """A day is one of the zone of this machine; a time with a zone is what it says."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        here = time.strftime("%Y-%m-%d", time.localtime(NOW // 1000))
        assert seen(run("list", "--since", here)) == ["0"]
        assert seen(run("list", "--since", "2025-10-09T00:00Z")) == ["0"]
        assert seen(run("recall", "fact number five", "--until", here, "--mode", "keyword"))
        fact = run("remember", "the fair is on", "--valid-to", here, "--json").json["fact"]
        assert time.localtime(int(instant(fact["valid_to"]))).tm_hour == 0
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def instant(text):
    from datetime import datetime

    return datetime.fromisoformat(text).timestamp()


def test_a_fact_holds_on_its_last_day(run):
    """What is valid to a day holds on that day, and no longer."""
    words = ("remember", "the fair is on", "--slot", "fair")
    run(*words, "--valid-from", "2025-10-01", "--valid-to", "2025-10-20")
    def found(day):
        return run("recall", "fair", "--now", day).code

    assert (found("2025-10-20T23:59:59Z"), found("2025-10-21T00:00:00Z")) == (0, 1)
    again = run(*words, "--valid-to", "2025-10-22")
    assert "holds until the end of 2025-10-22\n" in again.err


def test_ahead_has_to_be_said(run, home):
    """A bare span in --valid-to is refused, since it may mean both; nothing is stored."""
    done = run("remember", "the fair is on", "--valid-to", "7d")
    assert (done.code, done.err.splitlines()[1].strip()) == (
        2, 'hint: say +7d or "7 days ago", "next friday" or "last friday"',
    )  # fmt: skip
    assert not list(home.iterdir())
    fact = run("remember", "the fair is on", "--valid-to", "+7d", "--json").json["fact"]
    assert fact["valid_to"] == "2025-10-16T08:53:20.000Z"


def test_edit_from_a_day(run):
    """--from takes the same words."""
    fact = run("remember", "I live in Bern", "--now", str(NOW - 9 * DAY), "--json").json["id"]
    done = run("edit", fact, "I live in Basel", "--from", "yesterday", "--json").json
    assert done["fact"]["valid_from"] == "2025-10-08T00:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("yesterday", "2025-10-08T00:00:00.000Z"), ("2025-10", "2025-10-01T00:00:00.000Z"),
        ("2 hours ago", "2025-10-09T06:53:20.000Z"), ("7d", "2025-10-02T08:53:20.000Z"),
        ("+1d", "2025-10-10T08:53:20.000Z"), ("2025-10-05", "2025-10-05T00:00:00.000Z"),
        ("1760000000000", "2025-10-09T08:53:20.000Z"), ("2025", "1970-01-01T00:00:02.025Z"),
    ],
)  # fmt: skip
def test_now_in_words(run, monkeypatch, text, at):
    """--now and TIDELINE_NOW take what other times take, of a day its beginning; a number is epoch
    milliseconds as before."""
    monkeypatch.setattr(instant_module, "now_ms", lambda: NOW)
    fact = run("remember", "the fair is on", "--now", text, "--json").json["fact"]
    assert fact["created_at"] == at
    monkeypatch.setenv("TIDELINE_NOW", text)
    assert run("remember", "the fair is over", "--json").json["fact"]["created_at"] == at


def test_a_now_that_is_no_time(run, monkeypatch):
    """The error names the option or the variable, and the forms that there are."""
    assert run("list", "--now", "soon").err.startswith("tideline: --now: not a time: 'soon'")
    monkeypatch.setenv("TIDELINE_NOW", "soon")
    done = run("list")
    assert (done.code, done.err.count("TIDELINE_NOW: not a time: 'soon'")) == (2, 1)
    assert "yesterday" in done.err


@pytest.mark.parametrize("text", ["yesterday", "7d", "2025-10"])
def test_rows_stay_exact(run, text):
    """Batch lines and rows of a file take ISO 8601 and epoch milliseconds alone."""
    row = f'{{"content": "the fair is on", "valid_to": "{text}"}}\n'
    assert run("remember", "--batch", stdin=row).code == 2
    assert "not a time" in run("import", "-", stdin=row).err


def test_an_error_names_what_was_understood(run, days):
    """A span that ends before it begins is refused, with both of its times."""
    done = run("list", "--since", "today", "--until", "yesterday")
    assert done.code == 2
    assert "2025-10-09" in done.err and "2025-10-08" in done.err
    done = run("recall", "fact", "--since", "+1d", "--until", "2025-09")
    assert done.code == 2 and "2025-10-10 08:53" in done.err
    done = run("remember", "x y", "--valid-from", "tomorrow", "--valid-to", "yesterday")
    assert "2025-10-10" in done.err and "the end of 2025-10-08" in done.err


@pytest.mark.parametrize("text", ["7d", "1w", "7 days", "1 Week", "168 hours", "604800s"])
def test_a_duration_is_a_number_and_a_unit(run, home, text):
    """A duration takes the units in full too, in options and in settings."""
    backends.begin(home)
    assert run("config", "set", "dream_interval", text).code == 0
    assert run("config", "get", "dream_interval").out == "7d\n"
    assert run("dream", "--dry-run", "--evict-after", text).code == 0


@pytest.mark.parametrize(
    ("text", "days"), [("6mo", 180), ("1 month", 30), ("1y", 365), ("2 years", 730)]
)
def test_a_duration_of_months_and_years(run, text, days):
    """In a duration a month is 30 days and a year 365."""
    assert run("config", "set", "dream_interval", text).code == 0
    assert run("config", "get", "dream_interval").out == f"{days}d\n"


@pytest.mark.parametrize("text", ["d", "7", "-7d", "7 d d", "1.5h", "1x", "٧d", "101y"])
def test_what_is_no_duration(run, text):
    """What is no whole number and a unit, or longer than a century, is refused."""
    done = run("dream", "--dry-run", f"--evict-after={text}")
    assert (done.code, "not a duration" in done.err) == (2, True)
