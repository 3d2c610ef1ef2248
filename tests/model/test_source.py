"""The table of sources: whole, and the only place that knows one."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tideline_cli
from tests.support import NOW, fresh_store, joined
from tideline_cli.errors import WriteBlockedError
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.memory.remember import remember
from tideline_cli.model import source
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.policy.gate import check, confined, may_touch

ROOT = Path(tideline_cli.__file__).parent
ROW = '    "extraction": Standing(0.9, trusted=False, protected=False, confined=True),\n'


def _named():
    """Return the sources that the type names."""
    for node in ast.walk(ast.parse((ROOT / "model" / "source.py").read_text("utf-8"))):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "Source":
            return {ast.literal_eval(one) for one in node.value.slice.elts}
    raise AssertionError("no type Source")


def _tried(tmp_path, row, code):
    """Run code with the program as it is with another row in the table."""
    shutil.copytree(ROOT, tmp_path / "tideline_cli")
    table = tmp_path / "tideline_cli" / "model" / "source.py"
    text = table.read_text("utf-8")
    assert ROW in text
    table.write_text(text.replace(ROW, ROW + row), "utf-8")
    return subprocess.run(
        [sys.executable, "-m", "tideline_cli", *code], capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(tmp_path), "TIDELINE_HOME": str(tmp_path / "home"), "HOME": "/"},
    )  # fmt: skip


def test_the_type_names_what_the_table_has():
    """A source is in both or in none."""
    assert _named() == set(source.STANDING)


def test_weights_are_shares():
    """No source weighs nothing, or more than its words."""
    assert all(0 < one.weight <= 1 for one in source.STANDING.values())


@pytest.mark.parametrize("trusted", [True, False])
def test_a_new_source_is_one_row(tmp_path, trusted):
    """What is added to the table is remembered, recalled and gated."""
    row = f'    "browser": Standing(0.7, trusted={trusted}, protected=False, confined=True),\n'
    done = _tried(tmp_path, row, ["remember", "the harbour opens at six", "--source", "browser"])
    assert done.returncode == 0, done.stderr
    shutil.rmtree(tmp_path / "tideline_cli")
    done = _tried(tmp_path, row, ["recall", "harbour", "--json"])
    assert done.returncode == 0, done.stderr
    assert '"source": "browser"' in done.stdout
    shutil.rmtree(tmp_path / "tideline_cli")
    done = _tried(tmp_path, row, ["remember", "my name is Ann", "-s", "identity", "--source",
                                  "browser"])  # fmt: skip
    assert done.returncode == 4, done.stderr


def test_a_row_that_lacks_something_does_not_import(tmp_path):
    """There are no defaults for what a source may do."""
    done = _tried(tmp_path, '    "browser": Standing(0.7, trusted=False),\n', ["recall", "x"])
    assert done.returncode != 0
    assert "protected" in done.stderr


def test_an_unknown_source_in_a_file_is_not_trusted():
    """A word that no table knows gives no right and the least weight, and recall goes on."""
    with fresh_store() as db:
        new = NewFact("the harbour opens at six", "knowledge", "owner_message", OWNER)
        remember(db, new, fact_id="A" * 26, now=NOW)
        db.execute("UPDATE fact SET source = 'oracle'")
        (hit,) = recall(db, Query("harbour"), viewer=OWNER, now=NOW).hits
        assert hit.fact.source == "oracle"
        assert not source.is_trusted("oracle")
        assert not may_touch("oracle", "owner_message")


@joined("name", source.SOURCES)
def test_the_gate_reads_the_table(name):
    """Who may author a protected segment, and what becomes of it if not, stands in the table."""
    one = source.STANDING[name]
    if one.protected:
        check("identity", name, [])
        assert confined("identity", name) == "identity"
    else:
        with pytest.raises(WriteBlockedError):
            check("identity", name, [])
        assert confined("identity", name) == "knowledge"
