"""Words that stand beside the tables of the program are words of those tables."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.property.strategies import DRAWN
from tests.support import joined
from tideline_cli.model.fact import HEATS, KINDS, LIFECYCLES, SEGMENTS, STATUSES, TIERS
from tideline_cli.model.source import SOURCES, STANDING

_TEXT = (".py", ".md", ".toml", ".yml", ".in", ".txt", ".cfg", "")
ROOT = Path(__file__).parents[2]
TABLES = {
    "segment": SEGMENTS, "tier": TIERS, "heat": HEATS, "kind": KINDS, "lifecycle": LIFECYCLES,
    "status": STATUSES, "source": SOURCES,
}  # fmt: skip


_AT_DRAWN = "tests/property/strategies.py, DRAWN"


def at(name, text):
    """Return the file and the line of a text in it."""
    lines = (ROOT / name).read_text("utf-8").split("\n")
    return next((f"{name}:{n}" for n, line in enumerate(lines, 1) if text in line), name)


def test_what_properties_draw_exists():
    """Each word that a property test draws is one that the program knows."""
    for name, drawn in DRAWN.items():
        unknown = set(drawn) - set(TABLES[name])
        assert not unknown, f"{_AT_DRAWN}, {name}: the program knows no {unknown}"
    assert DRAWN.keys() == TABLES.keys(), _AT_DRAWN


def test_the_concepts_list_all_segments_and_sources():
    """The tables of docs/concepts.md leave out no segment and no source."""
    page = "docs/concepts.md"
    missing = [segment for segment in SEGMENTS if not _rows(page, f"`{segment}`")]
    assert missing == [], f"{page}, the table of segments, lacks {missing}"
    for segment, one in SEGMENTS.items():
        ((_, _, tier, importance),) = [row for row in _rows(page, f"`{segment}`") if len(row) == 4]
        assert (tier, float(importance)) == (one.tier, one.importance), (
            at(page, f"`{segment}`")
        )
    missing = [source for source in SOURCES if not _rows(page, f"`{source}`")]
    assert missing == [], f"{page}, the table of sources, lacks {missing}"


def test_the_type_names_the_segments_of_the_table():
    """A segment is a word of `Segment` and a row of `SEGMENTS`, or neither."""
    name = "tideline_cli/model/fact.py"
    text = (ROOT / name).read_text("utf-8")
    named = re.search(r"Segment = Literal\[(.*?)\]", text, re.DOTALL).group(1)
    words = set(re.findall(r'"(\w+)"', named))
    assert sorted(words - set(SEGMENTS)) == [], f"{at(name, 'SEGMENTS: ')} lacks a row for them"
    assert sorted(set(SEGMENTS) - words) == [], f"{at(name, 'Segment = ')} lacks their words"


@pytest.mark.parametrize("segment", SEGMENTS)
def test_the_documents_tell_of_a_segment_what_its_table_says(segment):
    """docs/internals/ranking.md gives what a segment gives a fact."""
    one = SEGMENTS[segment]
    rows = [row for row in _rows("docs/internals/ranking.md", segment) if len(row) == 4]
    assert rows, f"docs/internals/ranking.md, the table of segments, lacks {segment}"
    ((_, tier, importance, rate),) = rows
    assert (tier, float(importance), float(rate)) == (one.tier, one.importance, one.decay_rate), (
        at("docs/internals/ranking.md", f"| {segment} ")
    )


@joined("source", SOURCES)
def test_the_documents_tell_of_a_source_what_its_table_says(source):
    """docs/concepts.md and docs/internals/ranking.md give its weight, the first what it may author,
    docs/security.md on which side it stands."""
    one = STANDING[source]
    rows = _rows("docs/concepts.md", f"`{source}`")
    told = [row for row in rows if row[1].startswith(("0.", "1."))]
    ((_, weight, authors, scanned),) = told
    where = f"{at('docs/concepts.md', f'`{source}`')}, the table of sources"
    assert float(weight) == one.weight, where
    assert authors.startswith("yes" if one.protected else "no"), where
    assert scanned == ("no" if one.trusted else "yes"), where
    page = "docs/internals/ranking.md"
    rows = _rows(page, source)
    assert [float(row[1]) for row in rows] == [one.weight], f"{page}, the table of trust"
    rows = _rows("docs/security.md", source, column=not one.trusted)
    assert rows, f"docs/security.md, the table of sources, column {2 - one.trusted}"


def _rows(name, word, *, column=0):
    """Return the rows of a document's tables with a word among those of one cell."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines
            if line.startswith("|")]  # fmt: skip
    return [row for row in rows
            if word in re.split(r", | \(", row[column] if column < len(row) else "")]  # fmt: skip


def test_contributing_names_every_target():
    """Each target of the Makefile stands in CONTRIBUTING.md, and none that is not there."""
    made = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    told = re.findall(r"^\| `make ([a-z-]+)` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"),
                      re.MULTILINE)  # fmt: skip
    page = f"{at('CONTRIBUTING.md', '| Target |')}, the table of targets,"
    assert sorted(set(made) - set(told)) == [], f"{page} lacks them"
    assert sorted(told) == sorted(made), f"{page} names what the Makefile has not"


def test_no_file_names_a_package_registry():
    """Which index a client asks is its own setting."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("no checkout")
    hosts = ("py" + "pi.org", "files.python" + "hosted.org")
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in _TEXT and path.is_file():
            text = path.read_text("utf-8", "replace")
            assert not any(host in text for host in hosts), name
