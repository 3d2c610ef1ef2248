"""What a connection answers from what it has asked ahead is what the server says."""

from __future__ import annotations

import random
from contextlib import ExitStack

import pytest

from tests.postgres import comparing
from tests.postgres.test_same import WORDS, rows, step
from tests.property.test_lexical import summed
from tests.support import DAY, NOW, often
from tideline_cli.store.postgres import term_lists


def asked(chance, known):
    """Return a command line: any verb that reads."""
    text = " ".join(chance.choices(WORDS, k=chance.randint(1, 4)))
    some = chance.choice(known)
    return chance.choice(
        (
            ("recall", text, "--json", "--explain"),
            ("recall", text, "--mode", "semantic"),
            ("recall", text, "--as-of", str(NOW - 9 * DAY)),
            ("recall", text, "--archived", "--tag", "ops"),
            ("recall", text, "--graph", "on"),
            ("recall", text[:-1]),
            ("context", text),
            ("context", text, "--auto"),
            ("show", some),
            ("timeline", some),
            ("list",),
            ("list", "--archived", "--limit", "5"),
            ("slots", "--json"),
            ("status",),
            ("history",),
            ("tags",),
            ("undo", "--dry-run"),
        )
    )


@pytest.fixture
def many(monkeypatch):
    """Return what lets a memory of few facts be read as one of many: common terms are kept, and
    their holders are not sent unasked."""

    def enter(stack):
        stack.enter_context(summed())
        text = term_lists.TERMS.replace(f"< {term_lists._LARGE} AS are", "< 0 AS are")
        assert text != term_lists.TERMS
        monkeypatch.setattr(term_lists, "TERMS", text)

    return enter


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("seed", range(often(1, 20)))
def test_each_answer_is_the_servers(run, address, seed, size, many, tmp_path, monkeypatch):
    """In a random walk of all verbs, each answer that was asked ahead."""
    chance = random.Random(f"{seed} {size}")
    monkeypatch.setenv("TIDELINE_DB", address())
    (tmp_path / "rows.jsonl").write_text("\n".join(rows(chance, 40)))
    with ExitStack() as stack:
        seen = stack.enter_context(comparing.compared())
        if size == "many":
            many(stack)
        run("import", "rows.jsonl", "--trust")
        for number in range(often(24, 120)):
            monkeypatch.setenv("TIDELINE_NOW", str(NOW + number * DAY // 2))
            known = [fact["id"] for fact in run("export").lines]
            argv = (step if number % 2 else asked)(chance, known)
            done = run(*argv)
            assert not seen.differences, (argv, seen.differences[0])
            assert done.code < 70, (argv, done)  # no failure of ours
    print(seen.counts)
    ways = [way for way in comparing.WAYS if way != "lighter" or size == "many"]
    assert all(seen.counts[way] for way in ways), seen.counts
