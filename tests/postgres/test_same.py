"""The same commands on a file and on a server: the same answers."""

from __future__ import annotations

import json
import random

import pytest

from tests.support import DAY, NOW, named_id, often

WORDS = (
    "deploy",
    "friday",
    "redis",
    "cache",
    "lamp",
    "brass",
    "Lena",
    "birthday",
    "port",
    "8080",
    "backup",
    "night",
    "tea",
    "café",
    "北京",
    "walk",
    "train",
    "key",
    "garden",
    "blue",
)


def same(results):
    """Return what both said, which is equal."""
    (code, out, err), (other, theirs, told) = ((one.code, one.out, one.err) for one in results)
    assert (other, theirs) == (code, out)
    assert told.replace("postgresql", "") == err or told == err
    return results[0]


def rows(random, count):
    """Return facts with all labels, as lines of JSON."""
    for number in range(count):
        row = {
            "id": named_id(f"R{number:04d}"),
            "content": " ".join(random.choices(WORDS, k=random.randint(2, 9))) + f" {number}",
            "created_at": NOW - random.randint(0, 300) * DAY,
            "segment": random.choice(("knowledge", "project", "preference", "context")),
            "tags": random.sample(("ops", "home", "k8s"), random.randint(0, 2)),
            "importance": random.choice((0.2, 0.6, 0.9)),
            "access_count": random.randint(0, 4),
        }
        if number % 9 == 0:
            row |= {"slot": f"slot {number % 4}", "confidence": 0.7}
        if number % 11 == 0:
            row |= {"valid_to": NOW + random.randint(-9, 9) * DAY}
        if number % 5 == 0:
            row |= {
                "session": f"s{number % 3}",
                "turn": number,
                "speaker": random.choice(("Ann", "Bob")),
            }
        if number and number % 4 == 0:
            row |= {"links": [{"kind": "causes", "target": named_id(f"R{number - 1:04d}")}]}
        yield json.dumps(row)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("analyzer", ["standard", "reference"])
def test_ids_and_scores_are_equal(both, tmp_path, analyzer):
    """Questions in each way of asking find the same facts with the same scores, to the last bit."""
    chance = random.Random(5)
    (tmp_path / "rows.jsonl").write_text("\n".join(rows(chance, 120)))
    same(both("config", "set", "analyzer", analyzer))
    same(both("import", "rows.jsonl", "--trust"))
    ways = (
        (),
        ("--mode", "keyword"),
        ("--mode", "semantic"),
        ("--as-of", str(NOW - 90 * DAY)),
        ("--profile", "motherbrain"),
        ("--profile", "rsclaw"),
        ("--tag", "ops"),
        ("--graph", "on"),
        ("--archived",),
    )
    found = 0
    for number in range(often(18, 36)):
        question = " ".join(chance.choices(WORDS, k=chance.randint(1, 4)))
        more = ways[number % len(ways)]
        found += bool(same(both("recall", question, "--json", "--explain", *more)).out)
        same(both("context", question))
    assert found > 8
    for argv in (
        ("list", "--json"),
        ("slots",),
        ("tags",),
        ("status", "--by", "tag"),
        ("history",),
        ("contradictions", "--json"),
        ("fading", "--within", "99d"),
        ("export",),
    ):
        same(both(*argv))


def step(chance, known):
    """Return a command line: any verb that writes."""
    some = chance.choice(known) if known else "0" * 26
    text = " ".join(chance.choices(WORDS, k=chance.randint(2, 6)))
    return chance.choice(
        (
            ("remember", text),
            ("remember", text, "--slot", chance.choice(("a", "b"))),
            ("remember", text, "--tag", "ops", "--confidence", "0.8"),
            ("remember", text, "--slot", "a", "--scope", chance.choice(("x", "x/y"))),
            ("remember", text, "--source", "retrieved_document"),
            ("remember", text, "--supersedes", some),
            ("forget", some),
            ("restore", some),
            ("edit", some, text),
            ("edit", some, "--tag", "new"),
            ("pin", some),
            ("link", some, chance.choice(known or ["x"]), "--kind", "supports"),
            ("recall", text),
            ("undo",),
            ("redo",),
            ("dream",),
            ("gc",),
            ("purge", some, "--yes"),
        )
    )


@pytest.mark.parametrize("seed", range(often(1, 40)))
def test_a_random_walk_of_all_verbs(both, seed, monkeypatch):
    """In a file and on a server, all is the same after each command."""
    walk(both, seed, monkeypatch)


def walk(both, seed, monkeypatch):
    """Run 40 commands in two memories: after each both export the same, byte for byte."""
    chance = random.Random(seed)
    known = []
    for number in range(40):
        monkeypatch.setenv("TIDELINE_NOW", str(NOW + number * DAY))
        argv = step(chance, known)
        results = both(*argv)
        assert (results[1].code, results[1].out) == (results[0].code, results[0].out), argv
        exported = same(both("export"))
        known = [fact["id"] for fact in exported.lines]
        same(both("history", "--limit", "1"))
        same(both("slots", "--json"))
    assert known


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "text", ["[]", "{}", "NULL", "null", "'", "\\", "$1 ?1 ?", "--", "a\nb", "E'x'"]
)
def test_texts_that_mean_something_to_sql(both, text):
    """They are texts, and come back as they were."""
    same(both("remember", f"--title={text}", f"--speaker={text}", "--", f"lamp {text}"))
    same(both("remember", "--tag", text, "--", f"{text} lamp of brass"))
    told = [one["content"] for one in same(both("export")).lines]
    assert f"lamp {text}" in told and f"{text} lamp of brass" in told
    assert text in [one["title"] for one in same(both("export")).lines]
    same(both("recall", "--", f"lamp {text}"))


def test_a_nul_character_is_refused(both, tmp_path):
    """In any text of a row, before the server sees it, in the words that a file has for it."""
    texts = ("title", "tags", "slot", "kind", "session", "speaker", "document", "scope", "agent",
             "source_turn", "id", "derived_from", "metadata", "content")  # fmt: skip
    lists = ("tags", "derived_from")
    lines = [
        json.dumps({"content": f"lamp {name}"} | {name: ["a\0b"] if name in lists else "a\0b"})
        for name in texts
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    said = [done.err for done in both("import", "rows.jsonl", "--trust")]
    assert said[0] == said[1] and "NUL" in said[1] and "internal" not in said[1]
    same(both("export"))
