"""Models that are asked in these tests: no pause between tries, no proxy of the user."""

from __future__ import annotations

import pytest

from tideline_cli.llm import endpoint


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch):
    monkeypatch.setattr(endpoint, "PAUSES", (0.01, 0.02))
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
