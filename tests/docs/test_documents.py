"""Every command that a page shows is run from a home where nothing is, and prints what it says."""

from __future__ import annotations

import shlex
from itertools import pairwise

import pytest

from tests.docs import pages
from tests.docs.run_page import complaints
from tests.support import joined
from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.options import GLOBAL


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page(page, tmp_path):
    """Each command of a page ends and prints as the page says."""
    found = list(complaints(page, tmp_path))
    assert not found, "\n\n".join(found)


@joined("page", pages.PAGES)
def test_the_commands_in_sentences(page):
    """A command that a sentence or a configuration file names exists, and so do its options."""
    text = page.read_text()
    calls = (*pages.inline(text), *pages.configured(text))
    assert [call for call in calls if _unknown(call)] == []


def _unknown(call):
    words = shlex.split(call.replace("…", " "))[1:]
    options = [*GLOBAL]
    if words[:1] == ["help"] or "--" in words:
        return False
    if words and words[0] in COMMANDS:
        options += verb(words[0]).Options.ALL
    elif words and not words[0].startswith("-") and words[0] != "COMMAND":
        return True
    by_flag = {flag: option for option in options for flag in option.flags}
    return any(_is_wrong(word, value, by_flag) for word, value in pairwise([*words, ""]))


def _is_wrong(word, value, by_flag):
    """Whether a word is an option that there is not, or has a value that it cannot have."""
    flag, is_one, inner = word.partition("=")
    if not word.startswith("-") or flag in ("--help", "-h", "--version"):
        return False
    if flag not in by_flag:
        return True
    choices, said = by_flag[flag].choices, inner if is_one else value
    return bool(choices) and said.islower() and said not in choices
