"""Every way of asking and every pass, on a file and on a server: the same answers."""

from __future__ import annotations

import json
import random

import pytest

from tests.postgres.test_same import WORDS, rows, same
from tests.support import DAY, NOW, often
from tideline_cli.memory.query import FUSIONS

TOPICS = ("deploy on fridays", "the lamp of brass", "Lena's birthday", "the backup at night")
WAYS = (
    *(("--mode", one) for one in ("hybrid", "keyword", "semantic", "points")),
    *(("--fusion", one) for one in FUSIONS),
    *(("--decay", one) for one in ("half-life", "weibull", "spaced", "none")),
    *(("--role", one) for one in ("user", "assistant", "system", "tool")),
    ("--scope", "work"), ("--scope", "work/site"), ("--all-scopes",), ("--mmr", "0.5"),
    ("--as-of", str(NOW - 90 * DAY)), ("--as-of", str(NOW - 5 * DAY), "--mode", "keyword"),
    ("--as-of", str(NOW - 40 * DAY), "--mode", "semantic"), ("--graph", "on"), ("--graph", "off"),
    ("--since", str(NOW - 60 * DAY)), ("--until", str(NOW - 60 * DAY)), ("--min-score", "0.4"),
    ("--speaker", "Ann"), ("--session", "s1"), ("--agent", "codex"), ("--kind", "task"),
    ("--status", "active"), ("--archived",), ("--segment", "preference"), ("--limit", "0"),
)  # fmt: skip
PASSES = ((), ("--stage", "confirm"), ("--stage", "consolidate", "--merge-at", "0.9"),
          ("--stage", "relate", "--relate-at", "0.75"), ("--stage", "evict"), ("--stage", "gc"),
          ("--stage", "evict", "--evict-below", "0.5", "--evict-after", "30d"))  # fmt: skip


def labelled(chance, count):
    """Return rows with scopes, roles, sources, agents and kinds, and texts that say the same."""
    for number, line in enumerate(rows(chance, count)):
        row = json.loads(line)
        if number % 3 == 0:
            row["scope"] = chance.choice(("work", "work/site", "home"))
        if number % 4 == 0:
            row["role"] = chance.choice(("user", "assistant", "system", "tool"))
        if number % 5 == 0:
            row["source"] = chance.choice(("tool_output", "retrieved_document", "channel_message"))
        if number % 6 == 0:
            row |= {"agent": "codex", "kind": "task", "progress": chance.choice(("active", "done"))}
        if number % 2 == 0:
            row["content"] = chance.choice(TOPICS) + chance.choice(("", ".", " now", f" {number}"))
        yield json.dumps(row)


@pytest.fixture(params=["standard", "reference"])
def filled(both, tmp_path, request):
    """Both memories, with the same rows; they are analysed in each way."""
    chance = random.Random(11)
    (tmp_path / "rows.jsonl").write_text("\n".join(labelled(chance, 90)))
    same(both("config", "set", "analyzer", request.param))
    same(both("import", "rows.jsonl", "--trust"))
    return both


@pytest.mark.sampled(1)
def test_every_way_of_asking(filled):
    """The same hits in the same order, each with the same factors."""
    chance = random.Random(3)
    found = 0
    for way in WAYS:
        for _ in range(often(1, 5)):
            question = " ".join((chance.choice(TOPICS), *chance.choices(WORDS, k=2)))
            found += bool(same(filled("recall", question, "--json", "--explain", *way)).out)
    assert found > len(WAYS) // 2


@pytest.mark.sampled(1)
def test_every_pass(filled, monkeypatch):
    """Each pass proposes, does and tells the same; what it did is taken back alike."""
    changed = 0
    for number, options in enumerate(PASSES):
        monkeypatch.setenv("TIDELINE_NOW", str(NOW + number * 30 * DAY))
        same(filled("dream", "--json", "--dry-run", "--max-loss", "1", *options))
        done = same(filled("dream", "--json", "--max-loss", "1", *options))
        same(filled("export"))
        changed += any(one for one in done.json["origins"][0].values() if isinstance(one, list))
        same(filled("recall", TOPICS[number % len(TOPICS)], "--json", "--explain", "--archived"))
        if number % 3 < 2:
            same(filled("undo"))
    assert changed > 3
    for argv in (("fading", "--within", "200d", "--json"), ("contradictions", "--json"),
                 ("gc", "--json"), ("history", "--json")):  # fmt: skip
        same(filled(*argv))
    same(filled("export"))
