"""Every verb says the same of a memory in a file and of one on a server."""

from __future__ import annotations

import random
from contextlib import contextmanager, nullcontext
from unittest import mock

import pytest

from tests.postgres.test_same import WORDS, rows, same, step
from tests.property.test_lexical import summed
from tests.support import DAY, NOW, PEER, often
from tideline_cli.store.postgres import posting_blocks

OTHER = PEER.key


def asked(chance, known):
    """Return a command line: any verb that reads."""
    text = " ".join(chance.choices(WORDS, k=chance.randint(1, 4)))
    one = chance.choice(known or ["0" * 26])
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
            ("show", one),
            ("timeline", one),
            ("list",),
            ("list", "--archived", "--limit", "5"),
            ("slots", "--json"),
            ("history",),
            ("tags",),
            ("undo", "--dry-run"),
        )
    )


def changed(chance, known):
    """Return a command line: a verb that changes what it has read, or many facts at once."""
    ids = known or ["0" * 26]
    one, other = chance.choice(ids), chance.choice(ids)
    text = " ".join(chance.choices(WORDS, k=3))
    return chance.choice(
        (
            ("forget", one, other, one),
            ("restore", one, other, one),
            ("pin", one, other),
            ("unpin", one, other),
            ("feedback", one, "up"),
            ("edit", one, "--slot", "a", "--importance", "0.9"),
            ("remember", text, "--slot", "a", "--supersedes", one, "--supersedes", other),
            ("remember", "--batch"),
            ("remember", "the lamp is of brass"),
            ("recall", text, "--archived"),
            ("dream", "--stage", "consolidate", "--merge-at", "0.9"),
            ("purge", one, other, "--yes"),
            ("undo",),
            ("redo",),
        )
    )


LINES = "".join(f'{{"content": "{text}", "slot": "b"}}\n' for text in (*WORDS[:3], WORDS[0]))


@contextmanager
def _as_many():
    """Keep common terms and blocks of few facts, as a large memory has them."""
    with (
        summed(),
        mock.patch.object(posting_blocks, "BLOCK", 2),
        mock.patch.object(posting_blocks, "_FEW", 1),
    ):
        yield


@pytest.mark.nightly
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
@pytest.mark.parametrize("seed", range(often(1, 10)))
def test_a_walk_says_the_same_in_both(both, tmp_path, monkeypatch, seed, many):
    """In a random walk of all verbs, each says the same of a memory in a file and on a server."""
    chance = random.Random(f"{seed} {many}")
    (tmp_path / "rows.jsonl").write_text("\n".join(rows(chance, 40)))
    with _as_many() if many else nullcontext():
        same(both("import", "rows.jsonl", "--trust"))
        if many:  # what is kept of common terms is made, and is not enough for an earlier day
            same(both("dream"))
            same(both("recall", "deploy friday lamp", "--as-of", str(NOW - 9 * DAY)))
        for number in range(often(15, 120)):
            monkeypatch.setenv("TIDELINE_NOW", str(NOW + number * DAY // 2))
            known = [fact["id"] for fact in same(both("export")).lines]
            argv = (step, asked, changed)[number % 3](chance, known)
            whose = ("--origin", OTHER) if number % 7 == 6 else ()
            mine, theirs = both(*whose, *argv, stdin=LINES)
            assert (mine.code, mine.out) == (theirs.code, theirs.out), argv
            assert mine.code < 70, (argv, mine)
