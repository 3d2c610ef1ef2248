"""What a person sees: every form on a terminal of its own, wide and narrow, with and without
color, by the pager."""

from __future__ import annotations

import os
import re
import sys
import unicodedata

import pexpect
import pytest

from tests.support import DAY, NOW

TEXTS = (
    "I deploy on Fridays after the standup, never on Mondays",
    "the landlord is Bob 🏠 and the rent is due on the first day of every month",
    "私は毎週金曜日にデプロイします。東京のサーバーは夜だけ使います",
    "Lena eats no cheese",
    "Lena eats cheese every morning",
)
ROWS = {
    "recall": "recall deploy", "list": "list", "history": "history", "undo": "undo --list",
    "contradictions": "contradictions --min-score 0.1",
}  # fmt: skip


@pytest.fixture
def facts(run):
    """Some facts of different age, and a change or two."""
    for days, text in enumerate(TEXTS):
        run("remember", text, "--now", str(NOW - days * 9 * DAY - 1000))
    run("remember", "I deploy on Mondays", "--slot", "day", "--now", str(NOW - DAY))
    run("remember", "I deploy on Tuesdays", "--slot", "day")


@pytest.fixture
def screen():
    """Run shell commands on a terminal of a width, and return what stands there, line by line."""

    def shown(commands, columns, *, rows=200, keep=False, **environ):
        says = f"alias tideline='{sys.executable} -m tideline_cli'\n{commands}"
        child = pexpect.spawn(
            "/bin/bash", ["--norc", "-O", "expand_aliases", "-c", says], dimensions=(rows, columns),
            encoding="utf-8", timeout=60,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.getcwd(), **environ},
        )  # fmt: skip
        child.expect(pexpect.EOF)
        text = child.before if keep else re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", child.before)
        return text.replace("\r", "").rstrip("\n").split("\n")

    return shown


@pytest.fixture(autouse=True)
def package(monkeypatch):
    """The shells find this package, wherever the test runs."""
    import tideline_cli

    monkeypatch.chdir(os.path.dirname(os.path.dirname(tideline_cli.__file__)))


def cells(text):
    """Return how many columns a text takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide


@pytest.mark.sampled(8)
@pytest.mark.parametrize("columns", [40, 50, 60, 80, 120])
@pytest.mark.parametrize("command", ROWS)
def test_the_text_stays(facts, screen, command, columns):
    """No line is wider than the terminal, and the words of the facts are there at any width."""
    lines = screen(f"tideline {ROWS[command]}", columns)
    assert max(map(cells, lines)) <= columns
    said = " ".join(" ".join(lines).split())
    for word in ("deploy on",) if command == "recall" else ("Lena eats", "cheese"):
        assert word in said
    if command != "undo":
        assert "@2" in said
    assert columns - max(map(cells, lines)) < 26 or columns > 80  # the room is used


@pytest.mark.parametrize(
    ("columns", "there", "gone"),
    [
        (140, {"score", "fact", "segment", "when", "id"}, set()),
        (80, {"score", "fact", "segment", "when", "id"}, set()),
        (60, {"fact", "segment", "when"}, {"score", "id"}),
        (40, {"fact"}, {"score", "id", "segment"}),
    ],
)
def test_what_gives_way(facts, screen, columns, there, gone):
    """Ids get shorter first, then the score goes, then the segment; the text never does."""
    headings = set(screen("tideline recall deploy", columns)[0].split())
    assert there <= headings
    assert not gone & headings
    full = [line for line in screen("tideline list", columns) if re.search(r"01[0-9A-Z]{24}", line)]
    assert bool(full) is (columns == 140)


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_without_color_a_table_is_one(facts, screen, environ):
    """NO_COLOR, TERM=dumb and --color never take away color, and nothing else."""
    flag = "" if environ else " --color never"
    plain = screen(f"tideline list{flag}", 80, keep=True, **environ)
    assert not any("\x1b" in line for line in plain)
    assert plain == screen("tideline list", 80)
    assert any("\x1b[" in line for line in screen("tideline list", 80, keep=True))


def test_columns_stay_in_line(facts, screen):
    """Wide letters and emoji move no column."""
    lines = screen("tideline list --no-pager", 100)
    at = lines[0].index("segment")
    rows = [line for line in lines[1:] if line.startswith("@")]
    assert len(rows) == 6
    for row in rows:
        width, place = 0, 0
        while width < at:
            width += cells(row[place])
            place += 1
        assert row[place:].startswith("knowledge"), row


def test_the_history_of_a_person(facts, screen):
    """A line a batch: the number for undo, when, which command, the text; and what is undone."""
    lines = screen("tideline undo -q >/dev/null; tideline history", 80)
    assert re.fullmatch(r" +8  just now +undo +@1  batch 7 \(remember\): I deploy on T.*", lines[1])
    assert re.fullmatch(r" +7  just now +remember +@1  undone · I deploy on Tuesdays.*", lines[2])
    assert re.fullmatch(r" +6  1 day ago +remember +@2  I deploy on Mondays", lines[3])


def test_places_stand_for_what_was_shown(facts, screen):
    """`@1` is a fact of the last list, history, remember, forget or contradictions; after an edit
    it is the new fact, and forgetting by place leaves the places as they are."""
    def text(commands):
        return screen(commands, 200)[-1].split("\t")[-1].strip()

    show = "tideline show {} --json | cut -d'\"' -f10"
    assert text("tideline list >/dev/null; " + show.format("@1")) == "I deploy on Tuesdays"
    assert text("tideline list >/dev/null; tideline edit @3 'new words' >/dev/null 2>&1; "
                + show.format("@3")) == "new words"
    assert text("tideline remember 'a fresh one' >/dev/null; " + show.format("@1")) == "a fresh one"
    named = "tideline forget --query 'a fresh one' --yes >/dev/null; " + show.format("@1")
    assert text(named) == "a fresh one"
    both = screen("tideline list >/dev/null; tideline forget @1 @2 >/dev/null; tideline forget @3; "
                  "tideline show @1 --json", 200)
    assert "forgot" in both[-2]
    assert "archived" in both[-1]
    kept = screen("tideline history; tideline show @2 --json", 200)
    assert '"fact"' in kept[-1]


def test_long_texts_are_cut(run, screen):
    """A table shows the beginning of a long text, marked, and says once how to read it whole."""
    fact_id = run("remember", "boiler " * 600, "--json").json["id"]
    for command, most in (("recall boiler", 1_000), ("list", 300)):
        shown = "\n".join(screen(f"tideline {command} --no-pager", 80))
        assert 7 < shown.count("boiler") <= most // 7 and "boiler …" in " ".join(shown.split())
        assert " ".join(shown.split()).count("long texts are cut (…): `tideline show") == 1
    assert run("list", "--format", "lines").out.count("boiler") == 600
    assert run("show", "--raw", fact_id).out.count("boiler") == 600


def test_long_results_are_paged(facts, screen, tmp_path):
    """What has more lines than the terminal goes through PAGER; never in a pipe, with --json, with
    --no-pager, or where the terminal cannot."""
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED $LESS; cat\n")
    pager.chmod(0o755)
    given = {"PAGER": str(pager), "LESS": ""}
    del given["LESS"]
    for command in ("list", "history", "show @1", "undo --list"):
        lines = screen(f"tideline list --no-pager -q >/dev/null; tideline {command}", 60, rows=5,
                       **given)
        assert "PAGED FRX" in lines[0], command
        assert len(lines) > 5
    for call in ("tideline list --no-pager", "tideline --no-pager list", "tideline list | cat",
                 "tideline list --json", "TERM=dumb tideline list", "PAGER=cat tideline list"):
        assert not any("PAGED" in line for line in screen(call, 60, rows=5, **given)), call
    assert not any("PAGED" in line for line in screen("tideline list", 60, rows=90, **given))


def test_a_pager_that_is_left_or_missing(facts, screen):
    """Leaving before the end is no error; a pager that cannot be run is named once, and the result
    printed."""
    assert screen("tideline list; echo code $?", 60, rows=5, PAGER="head -1")[-1] == "code 0"
    lines = screen("tideline list; echo code $?", 60, rows=5, PAGER="no-such-pager -x")
    assert lines[0].startswith("tideline: PAGER: cannot run 'no-such-pager -x'")
    assert lines[-1] == "code 0"
    assert "@7" in " ".join(lines) or "@6" in " ".join(lines)


def test_the_start_page_at_all_widths(screen):
    """Whatever the terminal, no line is wider than 52 columns; bold and dim are not in NO_COLOR."""
    lines = screen("tideline", 80, keep=True)
    assert "\x1b[1mtideline\x1b[0m" in lines[0]
    plain = screen("tideline", 80, keep=True, NO_COLOR="1")
    assert not any("\x1b" in line for line in plain)


@pytest.mark.file_alone("the modes of a file")
def test_care_on_a_terminal(facts, screen, home):
    """Findings and settings are tables: what is wrong, what to do; which value, from where."""
    lines = screen("tideline config list", 80)
    assert lines[0].split() == ["setting", "value", "from"]
    assert any(re.match(r"color +auto +default", line) for line in lines)
    (home / "tideline.db").chmod(0o644)
    found = " ".join(screen("tideline doctor", 60))
    assert re.search(r"error +modes", found)
    assert "→" in found


@pytest.mark.parametrize("columns", ["40", "60", "80", "120"])
def test_a_factor_stays_on_one_line(run, monkeypatch, columns):
    """The sums of --explain are parted before a sign, never between a name and its number."""
    run("remember", "The boiler needs 1.5 bar")
    monkeypatch.setenv("COLUMNS", columns)
    out = run("recall", "boiler needs bar", "--explain", "--table").out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for factor in ("× trust 1.00", "× modulator 0.800", "= bm25 ", "(strength 0.600)"):
        assert any(factor in line for line in lines)
    plain = run("recall", "boiler needs bar", "--explain", "--format", "lines").out
    assert plain.partition(" = ")[2].split() == " ".join(lines).partition(" = ")[2].split()
