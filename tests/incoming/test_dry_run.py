"""What `import --dry-run` shows: what becomes of each kind of what a file holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_terminal_forms import cells, package, screen
from tests.incoming.made import make_all
from tideline_cli.cli.commands.import_ import source

__all__ = ("package", "screen")


@pytest.fixture
def samples(tmp_path, monkeypatch):
    """The samples, in the folder of the test."""
    make_all(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("words", "wanted"), [
    ("obsidian", {("list item", "knowledge"): 24, ("paragraph", "knowledge"): 10,
                  ("front matter", "knowledge"): 4, ("table row", "knowledge"): 3,
                  ("quote", "knowledge"): 3, ("definition", "knowledge"): 2}),
    ("claude-code/shopfront/memory", {
        ("note (feedback)", "knowledge"): 4, ("note (project)", "project"): 4,
        ("note (reference)", "knowledge"): 4, ("note (user)", "knowledge"): 3,
    }),
    ("json/mem0-graph.json", {("memory", "knowledge"): 6, ("relation", "knowledge"): 6}),
    ("contacts.vcf", {("contact", "relationship"): 142, ("birthday", "relationship"): 2}),
    ("pumps.csv --map Pump=content", {("row", "knowledge"): 87}),
])  # fmt: skip
def test_each_kind_is_counted(run, samples, words, wanted):
    """All that could be stored is of one kind or another; the first three of each are shown, and
    nothing of it is in a fact that is stored."""
    form = run("import", *words.split(), "--dry-run", "--json").json
    assert {(one["element"], one["becomes"]): one["count"] for one in form["kinds"]} == wanted
    assert sum(wanted.values()) == form["usable"]
    assert all(len(one["first"]) == min(3, one["count"]) for one in form["kinds"])
    assert run("import", *words.split()).code == 0
    assert all("element" not in one["metadata"] for one in run("list", "--json").json["facts"])


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_it_fits_the_terminal(samples, tmp_path, screen, columns):
    """Each kind has a line, and below it one for each of its first facts."""
    *lines, end = screen(f"cd {tmp_path}; tideline import claude-mem.db -n -q", columns,
                         PYTHONPATH=str(Path(source.__file__).parents[4]))  # fmt: skip
    assert max(map(cells, lines)) <= columns
    said = [line.split() for line in lines]
    assert said[0] == ["rows", "of", "the", "file", "become"]
    assert said[1] == ["259", "observation:", "fact", "knowledge"]
    assert ["2", "summary:", "next", "steps", "knowledge"] in said
    assert lines[2].strip().startswith("Duplicate labels after a retry: The carrier")
    assert end == "dry run: 275 of 275 rows could be stored; nothing was"


def test_a_pipe_gets_the_first_rows(run, samples):
    """A line each, parted by tabs, as before."""
    head, *rows, end = run("import", "contacts.vcf", "--dry-run").out.splitlines()
    assert head.split("\t")[:2] == ["content", "segment"]
    assert (len(rows), end.startswith("dry run: 144 of 144")) == (10, True)


@pytest.mark.parametrize("path", ["obsidian", "german", "mem0.json"])
def test_how_far_it_is_read_is_known(run, samples, monkeypatch, path):
    """Of a folder by its files, of what a program left by its rows too."""
    places = []
    kept = []
    made = source.Source.__init__

    def make(self, *given, **named):
        made(self, *given, **named)
        self.watched(lambda _: places.append(self.place()))
        self.watched = lambda advance: None
        kept.append(self)

    monkeypatch.setattr(source.Source, "__init__", make)
    assert run("import", path).code == 0
    assert kept[0].place() == kept[0].size > 0
    assert places == list(range(1, {"obsidian": 9, "german": 1}.get(path, 0) + 1))
