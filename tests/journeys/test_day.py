"""A short day through the doors, and planted faults: does the day find them?"""

from __future__ import annotations

import pytest

from tests.journeys.day import Day
from tests.journeys.soon_day import SoonDay
from tests.support import some

_PLANTED = {
    "a prompt that writes": (
        "from tideline_cli.serve import ledger\n"
        "import os\n"
        "def add(path, ids):\n"
        "    with open(os.environ['TIDELINE_HOME'] + '/tideline.db', 'ab') as file:\n"
        "        file.write(b'x')\n"
        "ledger.add = add", "has changed the file"),
    "no ledger": ("from tideline_cli.serve import ledger\n"
                  "ledger.given = lambda path: []", "said twice"),
    "no scope": ("from tideline_cli.cli import hook_door\n"
                 "hook_door._scopes = lambda *_: None", "was told betaonly"),
    "no cap": ("from tideline_cli.cli import hook_block\n"
               "from tideline_cli.serve import hook_answer\n"
               "hook_block.DEFAULT_CHARS = hook_answer.MOST_CHARS = 6000\n"
               "hook_block.AUTO_FACTS = hook_answer.AUTO_FACTS = 50", "beyond its cap"),
    "a word on stderr": ("import sys\nsys.stderr.write('hm')", "b'hm'"),
}  # fmt: skip
_PLANTED_IN_NIGHTS = {
    "a feedback loop": ("from tideline_cli.policy import private_blocks\n"
                        "private_blocks.without_blocks = lambda text, *_, **__: text",
                        "ECHOED"),
    "secrets": ("from tideline_cli.policy import secrets\n"
                "secrets.without = lambda text: (text, 0)", "was sent to the model"),
    "another project": ("from tideline_cli.exchange.extract import facts_pass\n"
                        "whole = facts_pass.Filter()\n"
                        "facts_pass.Filter = lambda **_: whole", "where nobody said it"),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.slow
def test_a_day_goes_well(tmp_path):
    """No duplicate, no feedback, no leak between origins or projects, no secret, no block beyond
    its cap; hooks end with 0, say nothing on stderr, and leave the file as it is."""
    figures = Day(tmp_path).run(8, 4)
    assert figures.faults == []
    counts = figures.counts
    assert counts["prompts"] == 32 and counts["blocks"] > 20 and counts["nights"] == 2
    assert len({name for name in counts if name.startswith("starts")}) == 3


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.file_alone("the processes that distil are found by their home")
def test_conversations_are_distilled_soon(tmp_path):
    """Kept once, distilled once, at the cost that was foretold, whenever the process is ended."""
    figures = SoonDay(tmp_path).run(6, 3)
    assert figures.faults == []
    assert figures.counts["turns kept"] >= 15


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.file_alone("the fault is one byte more in the file"))
    if name == "a prompt that writes" else name for name in some(_PLANTED)
])  # fmt: skip
def test_a_fault_of_hooks_is_found(tmp_path, name):
    """What each check is for is seen by it, within some sessions: on a busy machine a hook may
    reach its deadline, and says nothing then."""
    planted, found = _PLANTED[name]
    day = Day(tmp_path, planted=planted)
    for number in range(4):
        day._session(number, 3)
        if any(found in fault for fault in day.figures.faults):
            return
    pytest.fail(f"not found: {day.figures.faults[:5]}")


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", some(_PLANTED_IN_NIGHTS))
def test_a_fault_of_the_night_is_found(tmp_path, name):
    """What each check is for is seen by it."""
    planted, found = _PLANTED_IN_NIGHTS[name]
    day = Day(tmp_path, planted=planted, seed=2)
    for number in (0, 4):
        day._session(number, 4)
        day._night()
    day._judge()
    assert any(found in fault for fault in day.figures.faults), day.figures.faults[:5]
