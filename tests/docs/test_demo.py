"""The tour of `make demo` runs to its end in a new home, and prints what its own words say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT


def played(home, database):
    """Return what the tour prints; nothing is left in its home. Variables of the caller that lead
    to another memory in a file are not followed."""
    environ = {
        "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8", "TZ": "UTC",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "TIDELINE_DB": database, "TIDELINE_MIN_SCORE": "99",
    }  # fmt: skip
    done = subprocess.run(
        ["sh", ROOT / "examples" / "demo.sh"], env=environ, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, check=False, timeout=300, cwd=home,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:] + done.stderr
    assert [*home.iterdir()] == []  # nothing is left, and nothing came to the caller's memory
    return done.stdout


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    """What each part of the tour prints, by the sentence above it."""
    home = tmp_path_factory.mktemp("demo")
    parts = re.split(r"^# (.+)\n", played(home, str(home / "own.db")), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize(
    ("beginning", "printed", "not_printed"),
    [
        ("Saying the same thing again", "known already, reinforced", "much like"),
        ("No word in common", "= cosine ", "bm25"),
        ("Nothing relevant", "nothing matched\n(exit code 1)", "[knowledge]"),
        ("A web page", "threat scan", "[knowledge]"),
        ("As plain knowledge", "× trust 0.65 ×", "exit code"),
        ("What held in January", "I deploy on Fridays", "Mondays"),
        ("Import takes", "[project] Redis was dropped", "exit code"),
        ("dream tends", "merged ", "exit code"),
        ("Every command and every pass", "brought back batch", "exit code"),
        ("A channel session", "nothing matched", "Mondays"),
    ],
)
def test_the_tour_shows_what_it_says(tour, beginning, printed, not_printed):
    """Under each sentence stands an example of it."""
    (part,) = [part for sentence, part in tour.items() if sentence.startswith(beginning)]
    assert printed in part
    assert not_printed not in part
