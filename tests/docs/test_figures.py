"""Figures that pages state and the program knows are the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys

from tests.support import ROOT, joined
from tideline_cli import __version__
from tideline_cli.cli.commands import verb
from tideline_cli.dream import consolidate, plan
from tideline_cli.dream.run import PROPOSALS_A_TRANSACTION
from tideline_cli.errors import BusyError
from tideline_cli.exchange.ingest import read as documents
from tideline_cli.exchange.jsonl import LONGEST_LINE
from tideline_cli.memory import context, first_facts
from tideline_cli.model import fact, instant, text
from tideline_cli.policy import contradictions, identifiers, relations, sameness
from tideline_cli.ranking import decay, fading
from tideline_cli.serve import hook_answer, queue
from tideline_cli.store import connection, locks, private_files, vectors

DOCS = ROOT / "docs"


def default(command, name):
    """The default of an option, as its table has it."""
    (found,) = [one.default for one in verb(command).Options.ALL if one.name == name]
    return found


def days(ms):
    return ms // instant.DAY_MS


CLAIMS = (
    ("maintenance.md", f"≥ {default('dream', 'confirm_count')}    "),
    ("maintenance.md", f"a cosine of at least {default('dream', 'merge_at')} (`--merge-at`)"),
    ("maintenance.md", f"a cosine of at least {default('dream', 'relate_at'):.2f} (`--relate-at`"),
    ("maintenance.md", f"At most {plan.MOST} such edges leave a fact"),
    ("maintenance.md", f"least {days(default('dream', 'evict_after'))} days ago (`--evict-after"),
    ("maintenance.md", f"strength is below {default('dream', 'evict_below')} (`--evict-below`"),
    ("maintenance.md", f"confidence {plan.CONFIDENCE} and an importance of at least "
                       f"{plan.IMPORTANCE}"),
    ("maintenance.md", f"(`--max-loss {default('dream', 'max_loss')}`)"),
    ("maintenance.md", f"Strength below {fading.FLOOR} | {fading.FLOOR} to "
                       f"{plan.ARCHIVE_BELOW} |"),
    ("maintenance.md", f"within the next {days(default('fading', 'within'))} days (`--within`)"),
    ("maintenance.md", f"within the last {days(fading.GIVEN_REST_MS)} days stays"),
    ("maintenance.md", f"(Jaccard of at least {contradictions.MIN_OVERLAP})"),
    ("maintenance.md", f"overlap · (1 − cosine) is at least {contradictions.MIN_SCORE}"),
    ("internals/architecture.md", f"{PROPOSALS_A_TRANSACTION} proposals"),
    ("concepts.md", f"at most {fact.MAX_CONTENT:,} characters"),
    ("files.md", f"at most {fact.MAX_CONTENT:,} characters"),
    ("recall.md", f"{context.DEFAULT_CHARS:,} characters"),
    ("recall.md", f"takes at most {context.AUTO_FACTS} facts"),
    ("recall.md", f"not archived in the next {days(fading.GIVEN_REST_MS)} days"),
    ("recall.md", f"{1 - decay.DEPTH} + {decay.DEPTH} · [strength]"),
    ("agents.md", f"at most {first_facts.MOST} facts"),
    ("agents.md", f"Up to {queue.MOST:,} conversations"),
    ("internals/architecture.md", f"{hook_answer.LONGEST:,} characters at most"),
    ("models.md", f"at least {consolidate.MIN_FACTS} active facts"),
    ("models.md", f"once in {consolidate.INTERVAL_MS // 60_000} minutes"),
    ("models.md", f"the newest {consolidate.MAX_FACTS} facts"),
    ("extract.md", f"a strength of at least {relations.MIN_FACTUAL_STRENGTH} of 5"),
    ("extract.md", f"at most {identifiers.MOST} a message"),
    ("concepts.md", f"{sameness.SAME_TERMS:.0%} of the terms".replace("%", " %")),
    ("documents.md", f"{documents.MOST_BYTES:,} bytes a file"),
    ("documents.md", f"the first {documents.MOST_CHARACTERS:,} characters"),
    ("backup.md", f"more than {LONGEST_LINE >> 20} MiB is a bad row"),
    ("files.md", f"`tideline.db-reserve` | {private_files.RESERVE >> 10} KiB"),
    ("reliability.md", f"longer than {connection.BUSY_MS // 1000} s"),
    ("reliability.md", f"more than {connection.TOUCH_BUSY_MS} ms"),
    ("reliability.md", f"transactions of {vectors.CHUNK}"),
    ("exit-codes.md", f"for more than {connection.BUSY_MS // 1000} seconds"),
    ("troubleshooting.md", f"for more than {connection.BUSY_MS // 1000} seconds"),
    ("troubleshooting.md", f"## {BusyError.exit_code}: busy"),
    ("internals/ranking.md", f"{len(text.STOP_WORDS)} stop words go"),
)  # fmt: skip


@joined("page, claim", CLAIMS)
def test_a_page_says_what_the_program_knows(page, claim):
    """A page has the sentence with the figure that the program has."""
    said = " ".join((DOCS / page).read_text("utf-8").split("\n"))
    assert claim in said, f"docs/{page} lacks {claim!r}, which CLAIMS here takes from the program"


def test_the_stop_words_are_those_that_are_listed():
    """docs/internals/ranking.md lists every stop word, and no other."""
    page = (DOCS / "internals" / "ranking.md").read_text("utf-8")
    listed = re.search(r"\d+ stop words go: ([a-z ]+)\.", page)[1].split()
    assert sorted(listed) == sorted(text.STOP_WORDS)


def test_after_how_many_days_a_fact_is_archived():
    """The table of docs/maintenance.md is what the formula gives, for each segment that fades."""
    page = (DOCS / "maintenance.md").read_text("utf-8")
    rows = {name: (int(never), int(twice)) for name, never, twice in
            re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)}  # fmt: skip
    below = default("dream", "evict_below")
    fade = {name: tuple(_days_until(one, below, uses) for uses in (0, 2))
            for name, one in fact.SEGMENTS.items() if one.tier != "permanent"}  # fmt: skip
    assert rows == fade


def _days_until(segment, below, uses):
    """The first whole day on which the strength of an unused fact is below a threshold."""
    return next(day for day in range(1, 1000) if decay.strength(
        segment.importance, segment.decay_rate, uses, day, immune=False) < below)  # fmt: skip


def test_edges_of_a_crowd(run):
    """Of 30 facts that are all alike none has more than 12 edges that leave it; some edges have no
    counterpart, as docs/maintenance.md says."""
    for number in range(30):
        run("remember", f"The garden shed holds blue tools and ladder number {number}")
    run("dream", "--max-loss", "1")
    rows = [json.loads(line) for line in run("export").out.splitlines()]
    edges = {(row["id"], link["target"]) for row in rows for link in row["links"]}
    leaving = [sum(source == own for source, _ in edges) for own in {a for a, _ in edges}]
    assert max(leaving) == plan.MOST
    assert [pair for pair in edges if pair[::-1] not in edges]


def test_what_lies_beside_the_memory_is_listed(tmp_path):
    """Every file that commands leave is in docs/files.md."""
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    program = (sys.executable, "-m", "tideline_cli")
    calls = ("remember a", "recall a", "dream", "config set limit 5", "backup b.db",
             "restore --from b.db --yes", "status")  # fmt: skip
    for call in calls:
        subprocess.run([*program, *call.split()], env=environ, cwd=tmp_path, check=True,
                       capture_output=True)  # fmt: skip
    page = (DOCS / "files.md").read_text("utf-8")
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "b.db"]
    assert len(left) > 5
    for path in left:
        name = re.sub(r"before-restore-.*", "before-restore-TIME", path.name)
        names = (name, name.removeprefix("tideline.db"), f"{path.parent.name}/")
        assert any(f"`{one}`" in page for one in names), path


def test_the_lock_files_are_listed():
    """docs/files.md names each lock that there is, those of extractions by their first and last."""
    page = (DOCS / "files.md").read_text("utf-8")
    for name in (locks.WRITER, locks.DREAM, locks.UPGRADE, locks.EXTRACT[0]):
        assert f"-lock{name}`" in page, name
    assert f"to `-{len(locks.EXTRACT)}`" in page


def test_lengths_of_files():
    """No module is longer than CONTRIBUTING.md says, but for tables of data."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    said = int(re.search(r"lines and never more than (\d+)", page)[1])
    tables = re.compile(r"/threats/_\w+\.py$|/store/schema(_\d+)?\.py$")
    long = [str(path) for path in (ROOT / "tideline_cli").rglob("*.py")
            if len(path.read_text("utf-8").split("\n")) - 1 > said
            and not tables.search(path.as_posix())]  # fmt: skip
    assert long == []


def test_whether_it_is_released():
    """Until the changelog has a version with a date, README, docs/install.md and docs/files.md say
    that nothing is released, and none of them installs the program by its name."""
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    is_released = bool(re.search(rf"^## \[{re.escape(__version__)}\]", changes, re.MULTILINE))
    for page in (ROOT / "README.md", DOCS / "install.md", DOCS / "files.md"):
        said = page.read_text("utf-8").lower()
        assert ("not released" in said) != is_released, page
    for page in (ROOT / "README.md", *DOCS.glob("*.md")):
        named = re.findall(r"pipx? install '?tideline-cli(?!\[)", page.read_text("utf-8"))
        assert not named or is_released, page
