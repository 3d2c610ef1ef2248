"""Every command that a page shows is run from a home where nothing is, and prints what it says."""

from __future__ import annotations

import shlex

import pytest

from tests.docs import pages
from tests.docs.run_page import complaints
from tideline_cli.cli.commands import COMMANDS, verb
from tideline_cli.cli.options import GLOBAL


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page(page, tmp_path):
    """Each command of a page ends and prints as the page says."""
    found = list(complaints(page, tmp_path))
    assert not found, "\n\n".join(found)


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_the_commands_in_sentences(page):
    """A command that a sentence or a configuration file names exists, and so do its options."""
    text = page.read_text()
    calls = (*pages.inline(text), *pages.configured(text))
    assert [call for call in calls if _unknown(call)] == []


def _unknown(call):
    words = shlex.split(call.replace("…", " "))[1:]
    flags = {flag for option in GLOBAL for flag in option.flags} | {"--help", "-h", "--version"}
    if words[:1] == ["help"] or "--" in words:
        return False
    if words and words[0] in COMMANDS:
        flags |= {flag for option in verb(words[0]).OPTIONS for flag in option.flags}
    elif words and not words[0].startswith("-") and words[0] != "COMMAND":
        return True
    return any(word.startswith("-") and word.split("=")[0] not in flags for word in words)
