"""The times that questions name in passing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support import joined
from tideline_cli.model import times_without_spaces
from tideline_cli.model.time_vocabulary import (
    DAYS,
    MONTHS,
    UNITS,
    WEEKDAYS,
    WORDS,
    may_name_time,
)
from tideline_cli.model.times_in_text import parts_at, windows

NOW = int(datetime(2023, 5, 31, 12, tzinfo=UTC).timestamp() * 1000)  # a Wednesday


def days(text):
    """Return the first and the last day of each window."""
    return [
        tuple(datetime.fromtimestamp(ms / 1000).date().isoformat()
              for ms in (window.start, window.end - 1))
        for window in windows(text, now=NOW)
    ]  # fmt: skip


@joined(
    "text, first, last",
    [
        ("what did I do yesterday?", "2023-05-30", "2023-05-30"),
        ("gestern im Garten", "2023-05-30", "2023-05-30"),
        ("昨天我做了什么", "2023-05-30", "2023-05-30"),
        ("three days ago", "2023-05-28", "2023-05-28"),
        ("a couple of days ago", "2023-05-29", "2023-05-29"),
        ("last week", "2023-05-22", "2023-05-28"),
        ("letzte Woche", "2023-05-22", "2023-05-28"),
        ("上周", "2023-05-22", "2023-05-28"),
        ("last Friday", "2023-05-26", "2023-05-26"),
        ("letzten Montag", "2023-05-29", "2023-05-29"),
        ("last month", "2023-04-01", "2023-04-30"),
        ("last March", "2023-03-01", "2023-03-31"),
        ("in December", "2022-12-01", "2022-12-31"),
        ("on 14 August, 2022", "2022-08-14", "2022-08-14"),
        ("August 14th 2022", "2022-08-14", "2022-08-14"),
        ("the 5th of June", "2022-06-05", "2022-06-05"),
        ("in 2021", "2021-01-01", "2021-12-31"),
        ("im Mai 2022", "2022-05-01", "2022-05-31"),
        ("2022年5月3日", "2022-05-03", "2022-05-03"),
        ("2022年", "2022-01-01", "2022-12-31"),
        ("去年", "2022-01-01", "2022-12-31"),
        ("diese Woche", "2023-05-29", "2023-06-04"),
    ],
)
def test_a_time_is_understood(text, first, last):
    """Times in English, German and Chinese are counted from the moment of the question."""
    assert days(text)[0] == (first, last)  # without a year it may lie ahead as well
    assert may_name_time(text)


@pytest.mark.parametrize(
    ("text", "middle"),
    [("two weeks ago", "2023-05-17"), ("vor zwei Wochen", "2023-05-17"), ("两周前", "2023-05-17"),
     ("3 months ago", "2023-02-28"), ("a year ago", "2022-05-31"), ("vor 5 Jahren", "2018-05-31"),
     ("五年前", "2018-05-31")],
)  # fmt: skip
def test_longer_ago_is_less_exact(text, middle):
    """A time so many weeks, months or years ago is a stretch around that day."""
    (window,) = windows(text, now=NOW)
    assert parts_at((window.start + window.end) // 2)[0] == ("year", int(middle[:4]))
    assert datetime.fromtimestamp((window.start + window.end) / 2000).date().isoformat() == middle


@joined(
    "text", ["May I go?", "they march on", "Chicago in a daze", "31 February", "100000 years ago",
             "room 2500", "a week", "three pears", "", "vor dem Haus", "99999999999 days ago"],
)  # fmt: skip
def test_no_time_is_read_into_other_words(text):
    """Verbs, numbers and impossible days name no time, and never an error."""
    assert windows(text, now=NOW) == ()


def test_every_word_of_a_time_is_asked_for():
    """A text with any word that is read as part of a time is handed to what reads it."""
    words = {word for table in (DAYS, UNITS, WEEKDAYS, MONTHS) for word in table}
    spaceless = times_without_spaces._WORDS
    assert {*words} - {"an"} <= WORDS
    assert all(may_name_time(f"{end}{word}{end}") for word in spaceless for end in ("", "?", " "))


@joined(
    "text", ["what does Ann want for her birthday", "email about the stage", "maybe the main one",
             "python 3.12", "room 250", "RFC 82215", "a favor for Mayra", "two weekdays"],
)  # fmt: skip
def test_words_that_hold_one_are_not_handed_over(text):
    """Letters of a time inside another word, and numbers that are no year, cost nothing more."""
    assert not may_name_time(text)
    assert windows(text, now=NOW) == ()


def test_parts_of_a_date_are_told():
    """What a date says in words counts as words do: its year, its month, its day."""
    (window,) = windows("on 3 May 2022", now=NOW)
    assert set(window.parts) == {("year", 2022), ("month", 5), ("day", 3)}
    assert windows("yesterday", now=NOW)[0].parts == ()
    assert dict(parts_at(NOW)) == {"year": 2023, "month": 5, "day": 31}
