"""Manual pages, completion files and the schema page are what the commands are now."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from tideline_cli.cli import generate, generate_completions, generate_man
from tideline_cli.cli.commands import COMMANDS
from tideline_cli.cli.fast import verb
from tideline_cli.cli.options import GLOBAL

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_generated_files_are_current():
    """Every generated file of the checkout is what `make generate` would write."""
    assert generate.stale(ROOT) == []


def test_a_changed_file_is_stale(tmp_path):
    """A file that differs from what would be written is named."""
    assert generate.stale(str(tmp_path)) == list(generate.generated(str(tmp_path)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name):
    """Each command has a page with all its flags, and stands with them in every completion file."""
    page = generate_man.page(name).replace("\\-", "-")
    files = generate_completions.files()
    for option in (*verb(name).OPTIONS, *GLOBAL):
        for flag in option.flags:
            assert f"\\fB{flag}\\fR" in page
            for shell in ("tideline.bash", "_tideline", "tideline.ps1"):
                assert flag in files[shell]
            fish = f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
            assert fish in files["tideline.fish"]
    for text in (*files.values(), generate_man.main_page().replace("\\-", "-")):
        assert name in text


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
@pytest.mark.parametrize("name", sorted(generate_man.pages()))
def test_pages_render_without_warnings(name, tmp_path):
    """man formats every page and has nothing to say against it."""
    path = tmp_path / name
    path.write_text(generate_man.pages()[name], encoding="utf-8")
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "MANPAGER": "cat", "PAGER": "cat", "MANWIDTH": "100"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "EXIT STATUS" in re.sub(".\b", "", done.stdout)


def test_schema_page_has_every_table():
    """The schema page shows each table behind a heading of its name."""
    page = generate.schema_page()
    for table in ("setting", "origin", "fact", "fact_fts", "link", "batch", "change", "usage"):
        assert f"## {table}\n" in page
