"""Each promise of security is held by tests that are there."""

from __future__ import annotations

import ast
import re

from tests.support import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
PROMISES = (ROOT / "docs" / "internals" / "guarantees.md").read_text("utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def promises():
    """The lines of the list: (promise, what holds it)."""
    listed = PROMISES.partition("\n### Supply chain")[0]
    return re.findall(r"^- (.+?): (`tests/.+)$", listed, re.MULTILINE)


def functions(path):
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_each_promise_is_held_by_tests():
    """Every line names at least one test, and every test that it names is there."""
    rows = promises()
    assert len(rows) >= 30
    for promise, holders in rows:
        named = NAMED.findall(holders)
        assert named, promise
        assert holders == ", ".join(f"`{path}::{name}`" for path, name in named), promise
        assert not [name for path, name in named if name not in functions(path)], promise


def test_each_limit_has_an_example():
    """What is not protected against is said with an example, in a sentence of its own at least."""
    section = PAGE.partition("## What it does not protect against")[2].partition("\n## ")[0]
    limits = [line for line in section.split("\n") if line.startswith("- ")]
    assert len(limits) >= 12
    for limit in limits:
        assert len(re.split(r"[.:] ", limit)) >= 2, limit


def test_a_way_to_report_is_told():
    """SECURITY.md says how to report, and the page leads to it."""
    policy = (ROOT / "SECURITY.md").read_text("utf-8")
    assert "## How to report" in policy
    assert "(../SECURITY.md)" in PAGE
