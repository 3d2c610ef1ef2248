"""The whole table of patterns, and what is around it, takes time in proportion to the text."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from bench.scan import cost, hostile
from tests.policy import regexes
from tests.support import joined
from tideline_cli.model.fact import MAX_CONTENT
from tideline_cli.policy.threats._patterns import ROWS as TABLE
from tideline_cli.policy.threats.regexes import beginnings, compiled, expanded

ROWS = [(name, alternative) for name, _, _, alternative in TABLE]
MOST_WAYS = 25_000  # from one start; the most of the table is 24,723, in a window of 200 characters

# Patterns as they must not be: a word may hold what parts it from the next one.
AMBIGUOUS = (
    r"\b(?:say|print|output|write|reply|respond|answer|return|type|repeat) (?:\S{1,40} ){0,12}?"
    r"(?:and )?nothing (?:else|more)\b"
).replace(" ", "[ _*\"'`,:()\\[\\]-]{1,4}")
NESTED = r"\bsay(?:\w{1,20}[ _]{1,4}){0,4}?pwned"
QUADRATIC = r"say\s*\s*nothing"


@joined("name, alternative", ROWS)
def test_each_start_has_few_ways(name, alternative):
    """Nothing repeats without end, and from each start a pattern has few ways to try: so its time
    is bounded by the length of the text."""
    tree = regexes.tree(expanded([alternative]))
    assert not regexes.unbounded(tree)
    assert regexes.ways(tree) <= MOST_WAYS, regexes.ways(tree)


@pytest.mark.sampled(40)
@pytest.mark.parametrize(("name", "alternative"), ROWS, ids=[name for name, _ in ROWS])
def test_each_row_takes_linear_time(name, alternative):
    """Texts made from a pattern's own words and classes take at most twice the time when they are
    twice as long."""
    regex = compiled(alternative)
    for make in regexes.hostile(expanded([alternative])):
        wrong = regexes.superlinear(regex, make)
        assert wrong is None, (wrong, make(80))


@joined("name, alternative", ROWS)
def test_what_is_skipped_by_loses_nothing(name, alternative):
    """What a pattern matches as the table says it, is found from its first letter too."""
    whole = re.compile(expanded([alternative]))
    begun = beginnings(alternative)
    for example in regexes.examples(regexes.tree(whole.pattern)):
        for text in (example, f"so {example} so", f"so.{example}, ", f"x{example}x"):
            found = compiled(alternative).search(text)
            assert bool(found) == bool(whole.search(text)), (text, begun)


@pytest.mark.parametrize("pattern", [AMBIGUOUS, NESTED, QUADRATIC])
def test_the_count_of_ways_sees_an_ambiguous_pattern(pattern):
    """The check that is static fails on repeats that overlap."""
    tree = regexes.tree(pattern)
    assert regexes.unbounded(tree) or regexes.ways(tree) > MOST_WAYS


@pytest.mark.parametrize("pattern", [AMBIGUOUS, QUADRATIC])
def test_the_clock_sees_an_ambiguous_pattern(pattern):
    """The check that measures fails on them too, with texts that it made itself."""
    regex = re.compile(pattern)
    assert any(regexes.superlinear(regex, make) for make in regexes.hostile(pattern))


HOSTILE = [name for name, _ in hostile(64)]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("place", range(len(HOSTILE)), ids=HOSTILE)
def test_the_whole_scan_takes_linear_time(place):
    """Eight times the longest fact takes at most sixteen times the time, whatever disguise is read.
    A shorter text would hold fewer words of attacks, and so be asked fewer patterns."""

    def least(size, tries):
        _, text = next(islice(hostile(size), place, None))
        return cost(text[:size], tries)

    for tries in (1, 3, 7):
        before, after = least(MAX_CONTENT, tries), least(8 * MAX_CONTENT, tries)
        if after <= 16 * max(before, 1e-4):
            return
    pytest.fail(f"{after / before:.0f} times the time")


def test_most_patterns_are_skipped_by_their_first_letter():
    """Patterns that begin a word say with which letters; those that may begin elsewhere none."""
    patterns = [one for _, one in ROWS]
    assert sum(bool(beginnings(one)) for one in patterns) > 0.7 * len(patterns)
    assert beginnings(r"\b(?:the )?(?:ignore|forget) all\b|\bsay\b") == "tifs"
    for pattern in (
        r"\.ssh",
        r"(?:^|\bnow )act",
        r"\bz?ignore",
        r"\b\w",
        r"\bsay|mode",
        r"\b(?:a)*b",
    ):
        assert beginnings(pattern) == "", pattern
