"""Words that stand beside the tables of the program are words of those tables."""

from __future__ import annotations

from pathlib import Path

from tests.property.strategies import DRAWN
from tideline_cli.model.fact import HEATS, KINDS, LIFECYCLES, SEGMENTS, STATUSES, TIERS
from tideline_cli.model.source import SOURCES

ROOT = Path(__file__).parents[2]
TABLES = {
    "segment": SEGMENTS, "tier": TIERS, "heat": HEATS, "kind": KINDS, "lifecycle": LIFECYCLES,
    "status": STATUSES, "source": SOURCES,
}  # fmt: skip


def test_what_properties_draw_exists():
    """Each word that a property test draws is one that the program knows."""
    for name, drawn in DRAWN.items():
        assert set(drawn) <= set(TABLES[name]), name
    assert DRAWN.keys() == TABLES.keys()


def test_the_readme_lists_all_segments_and_sources():
    """The tables of the README leave out no segment and no source."""
    text = (ROOT / "README.md").read_text("utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith("| `--segment` |")]
    assert all(segment in row for segment in SEGMENTS), row
    assert all(f"`{source}`" in text for source in SOURCES)
