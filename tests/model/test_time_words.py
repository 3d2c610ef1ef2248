"""Times as people write them: the calendar and the clock of this machine, words, and spans."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import joined
from tideline_cli.errors import UsageError
from tideline_cli.model.instant import EARLIEST_MS, LATEST_MS
from tideline_cli.model.time_words import meant

NOW = int(datetime(2026, 11, 18, 11, 6, 40, tzinfo=UTC).timestamp() * 1000)  # a Wednesday
HOUR, DAY = 3_600_000, 86_400_000


@pytest.fixture
def zone(monkeypatch):
    """Set the zone of this machine."""

    def chosen(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield chosen
    monkeypatch.undo()
    time.tzset()


def at(text):
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-11-07", "2026-11-07", "2026-11-08"),
        ("20261107", "2026-11-07", "2026-11-08"),
        ("2026-11", "2026-11-01", "2026-12-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-W45", "2026-11-02", "2026-11-09"),
        ("today", "2026-11-18", "2026-11-19"),
        ("Yesterday", "2026-11-17", "2026-11-18"),
        ("tomorrow", "2026-11-19", "2026-11-20"),
        ("wednesday", "2026-11-18", "2026-11-19"),
        ("thu", "2026-11-12", "2026-11-13"),
        ("last wednesday", "2026-11-11", "2026-11-12"),
        ("next  Friday", "2026-11-20", "2026-11-21"),
        ("last week", "2026-11-09", "2026-11-16"),
        ("this week", "2026-11-16", "2026-11-23"),
        ("next month", "2026-12-01", "2027-01-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("now", "2026-11-18T11:06:40", None),
        ("7d", "2026-11-11T11:06:40", None),
        ("12h", "2026-11-17T23:06:40", None),
        ("2w", "2026-11-04T11:06:40", None),
        ("2 weeks ago", "2026-11-04T11:06:40", None),
        ("an hour ago", "2026-11-18T10:06:40", None),
        ("3 days", "2026-11-15T11:06:40", None),
        ("+30d", "2026-12-18T11:06:40", None),
        ("in 3 days", "2026-11-21T11:06:40", None),
        ("-7d", "2026-11-11T11:06:40", None),
        ("9 months ago", "2026-02-18T11:06:40", None),
        ("in 1 year", "2027-11-18T11:06:40", None),
        ("2026-11-07T14:30", "2026-11-07T14:30", None),
        ("2026-11-07 14:30:05", "2026-11-07T14:30:05", None),
        ("2026-11-07T14:30+02:00", "2026-11-07T12:30", None),
        ("1760000000000", "2025-10-09T08:53:20", None),
        ("0", "1970-01-01", None),
    ],
)
def test_what_people_write(zone, text, start, end):
    """A day, a month, a word or a span is what a reader takes it for."""
    zone("UTC")
    found = meant(text, now=NOW)
    assert (found.start, found.end) == (at(start), at(end or start))


@joined(
    "text",
    ["", "soon", "7", "7x", "ago", "in 3", "last", "last foo", "2026-02-30", "2026-13", "0000",
     "10:30", "٧d", "now now", "999999999d", "+999999y", "9" * 30, "2026-11-07T25:00"],
)  # fmt: skip
def test_what_is_no_time(text):
    """Anything else is named as it was typed, with what can be said."""
    if text == "7":
        assert meant(text, now=NOW).start == 7
        return
    with pytest.raises(UsageError) as refused:
        meant(text, now=NOW)
    assert repr(text)[:20] in refused.value.message
    assert "2 weeks ago" in refused.value.hint


def test_days_are_those_of_this_machine(zone):
    """A day lasts from midnight to midnight of the local clock; summer time makes it 23 or 25
    hours, or lets it begin after midnight."""
    zone("Europe/Zurich")
    assert meant("2026-11-07", now=NOW).start == at("2026-11-06T23:00")
    for day, hours in (("2026-03-29", 23), ("2026-10-25", 25), ("2026-11-07", 24)):
        found = meant(day, now=NOW)
        assert found.end - found.start == hours * HOUR
    assert meant("2026-11-07T14:30", now=NOW).start == at("2026-11-07T13:30")
    zone("America/Sao_Paulo")  # 2018-11-04 began at one o'clock
    assert meant("2018-11-04", now=NOW).start == at("2018-11-04T03:00")
    zone("Pacific/Kiritimati")
    assert meant("today", now=NOW).start == at("2026-11-18T10:00")


def test_a_month_on_is_the_same_day(zone):
    """A month after the last of January is the last of February, at the same time of day."""
    zone("Europe/Zurich")
    now = at("2027-01-31T09:00") + 7
    assert meant("+1mo", now=now).start == at("2027-02-28T09:00") + 7
    assert meant("in 6 months", now=now).start == at("2027-07-31T08:00") + 7


def test_bare_spans_and_weekdays_say_so():
    """What says neither past nor future is past, and known as unsaid."""
    assert meant("7d", now=NOW).is_bare and meant("friday", now=NOW).is_bare
    assert not any(
        meant(text, now=NOW).is_bare
        for text in ("7d ago", "+7d", "2026", "last friday", "now", "in 7 days")
    )


@given(st.text(max_size=30), st.integers(EARLIEST_MS, LATEST_MS))
def test_no_text_breaks_it(text, now):
    """Every text has a meaning inside of the years 1..9999, or is refused."""
    try:
        found = meant(text, now=now)
    except UsageError:
        return
    assert EARLIEST_MS <= found.start <= found.end <= LATEST_MS
