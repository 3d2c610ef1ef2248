"""The moving pictures of the first screen: whole by themselves, light, and still for who asks."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.support import ROOT

FOLDER = ROOT / "docs" / "pictures"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["agent-light.svg", "agent-dark.svg"])
def test_moving_picture(name):
    """No scripts, nothing from elsewhere, styles that stand still where less motion is asked for,
    a text for who does not see it; what an agent answers is what was remembered last."""
    raw = (FOLDER / name).read_text(encoding="utf-8")
    tree = ElementTree.fromstring(raw)
    tags = {node.tag.removeprefix(SVG) for node in tree.iter()}
    assert tags <= {"svg", "title", "desc", "style", "clipPath", "rect", "circle", "g", "text"}
    assert len(raw) < 20_000 and "href" not in raw and "@import" not in raw
    assert raw.count("url(") == raw.count("url(#w)")
    assert "prefers-reduced-motion: reduce" in raw
    told = tree.findtext(f"{SVG}desc").splitlines()
    assert told[-1] == "From memory: We deploy billing on Tuesdays."
    shown = ["".join(node.itertext()) for node in tree.iter(f"{SVG}g") if node.get("id")]
    assert shown == [line for line in told if line]
    assert f"docs/pictures/{name}" in (ROOT / "README.md").read_text(encoding="utf-8")
