"""What is asked of a text before a pattern follows from the pattern, whatever the pattern is."""

from __future__ import annotations

import re

import pytest

from generate import patterns
from generate.filters import filters, literal_groups, tree, word_groups
from tests.policy import regexes
from tests.support import joined
from tideline_cli.policy.threats._patterns import ROWS
from tideline_cli.policy.threats.readings import _reading
from tideline_cli.policy.threats.regexes import expanded
from tideline_cli.policy.threats.scan import _holding


def words(pattern):
    return [sorted(group) for group in word_groups(tree(pattern), len)]


def literals(pattern):
    return [sorted(group) for group in literal_groups(tree(pattern))]


@joined(
    "pattern, groups",
    [
        (r"\bignor(?:e|ing)\b", [["ignor"]]),
        (r"\bcat\b", [["cat"]]),
        (r"\bcat", []),  # catalogue
        (r"cat\b", []),  # bobcat
        (r"\bcats?\b", [["cat", "cats"]]),
        (r"\bcat\w{0,3}\b", []),
        (r"\b(?:big )?cat\b", [["cat"]]),
        (r"\b(?:big|small)? ?cat\b", [["big", "bigca", "cat", "small"]]),
        (r"^cat\b", [["cat"]]),
        (r"[.!]\s?cat\b", [["cat"]]),
        (r"\scat$", [["cat"]]),
        (r"_cat_", [["cat"]]),
        (r"\wcat\b", []),
        (r".cat\b", []),
        (r"[^\w]cat\b", [["cat"]]),
        (r"\bdon't\b", [["don"], ["t"]]),
        (r"\b(?:do not|don't) tell\b", [["do", "don"], ["not", "t"], ["tell"]]),
        (r"\b(?i:CURL)\b", [["curl"]]),
        (r"\b(?i:dig)\b", []),  # ignoring case, i is a dotless ı too
        (r"\b[A-C]x\b", [["ax", "bx", "cx"]]),
        (r"\b[^a]x\b", []),
        (r"\b(?!the)cat\b(?= sat)", [["cat"]]),
        (r"\b(?>cat|dog)\b", [["cat", "dog"]]),
        (r"\b(?:a|b){3}\b", [["aaa", "aab", "aba", "abb", "baa", "bab", "bba", "bbb"]]),
        (r"\b(?:very )*cat\b", [["cat"]]),
        (r"\bcat\Bs\b", [["cats"]]),
    ],
)
def test_words(pattern, groups):
    """Only words that surely begin and end, in every match, are asked for."""
    assert sorted(words(pattern)) == sorted(groups)


@joined(
    "pattern, groups",
    [
        ("ab?c", [["abc", "ac"]]),
        ("a.b", [["a"], ["b"]]),
        ("(?:ab|cd)(?:e|f)?", [["ab", "cd"]]),
        ("x{2,3}y", [["xxy"]]),
        ("(?:ab.*|cd.*)", [["ab", "cd"]]),
        ("(?:ab|.)c", [["c"]]),
        (r"api[\s_-]?key", [["api key", "api-key", "api_key", "apikey"]]),
        ("(?:ab)?", []),
        ("(?=ab)c", [["c"]]),
        ("(?i:K)x", [["kx"]]),
        ("(?i:I)x", [["x"]]),
    ],
)
def test_literals(pattern, groups):
    """Only texts that stand in every match are asked for."""
    assert literals(pattern) == groups


@joined("row", range(len(ROWS)))
def test_examples_of_a_pattern_are_asked(row):
    """Each example made from a pattern passes what is asked before it, among other words too."""
    alternative = ROWS[row][3]
    whole = re.compile(expanded((alternative,)))
    tried = 0
    for example in regexes.examples(regexes.tree(whole.pattern)):
        for text in (example, f"so {example} so", f"so.{example}, ", f"x{example}x"):
            text = " ".join(text.split())
            if whole.search(text):
                tried += 1
                assert row in _holding(_reading(text)), text
    assert tried


def test_a_pattern_of_which_nothing_is_certain_is_refused():
    """A pattern that would be asked of every text cannot be made."""
    with pytest.raises(ValueError, match="nothing is certain"):
        filters(r"\w{3,9}", len)


GOOD = {"name": "x", "scope": "all", "source": "ours", "from": "here", "alternatives": [r"\bcat\b"]}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"scop": "all"}, "no such key: scop"),
        ({"scope": "everything"}, "scope is one of"),
        ({"source": "theirs"}, "source one of"),
        ({"from": ""}, "say where"),
        ({"alternatives": [r"\bcat\b|\bdog\b"]}, "alternatives of their own"),
        ({"alternatives": ["\\bcat \n  dog"]}, "a blank ends a line"),
        ({"alternatives": ["(cat"]}, "unterminated"),
    ],
)
def test_a_wrong_entry_is_named(changed, told):
    """`make generate` says which pattern of the file is wrong, and why."""
    with pytest.raises((ValueError, re.error), match=told):
        patterns._pattern(GOOD | changed)


def test_an_entry_may_go_on_in_the_next_line():
    """A line break and what indents a line are no part of a pattern."""
    written = "\\bcat (?:sat|\n    lay| ate)[|]\\|\\b"
    assert patterns._pattern(GOOD | {"alternatives": [written]}).alternatives == (
        r"\bcat (?:sat|lay| ate)[|]\|\b",
    )
