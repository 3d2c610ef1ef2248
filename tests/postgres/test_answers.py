"""What a connection answers from what it has asked ahead is what the server says."""

from __future__ import annotations

import random
from contextlib import ExitStack, contextmanager
from unittest import mock

import pytest

from tests.postgres import comparing
from tests.postgres.test_same import WORDS, rows, step
from tests.property.test_lexical import summed
from tests.support import DAY, NOW, PEER, often, some
from tideline_cli.store.postgres import posting_blocks, term_lists
from tideline_cli.store.postgres.known_answers import KnownAnswers
from tideline_cli.store.postgres.next_numbers import NextNumbers

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
            ("status",),
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


@pytest.fixture
def walk(run, address, tmp_path, monkeypatch):
    """Return what walks at random through all verbs and says what was compared on the way, until
    the first difference. Of `many` facts, common terms are kept, and their holders are not sent
    unasked; few facts are read so as well."""

    def walked(seed, steps, *, many=False):
        chance = random.Random(f"{seed} {many}")
        monkeypatch.setenv("TIDELINE_DB", address())
        (tmp_path / "rows.jsonl").write_text("\n".join(rows(chance, 40)))
        with ExitStack() as stack:
            seen = stack.enter_context(comparing.compared())
            if many:
                stack.enter_context(summed())
                stack.enter_context(_read_as_many())
            run("import", "rows.jsonl", "--trust")
            if many:  # what is kept of common terms is made, and is not enough for an earlier day
                run("dream")
                run("recall", "deploy friday lamp", "--as-of", str(NOW - 9 * DAY))
            for number in range(steps):
                monkeypatch.setenv("TIDELINE_NOW", str(NOW + number * DAY // 2))
                known = [fact["id"] for fact in run("export").lines]
                argv = (step, asked, changed)[number % 3](chance, known)
                whose = ("--origin", OTHER) if number % 7 == 6 else ()
                done = run(*whose, *argv, stdin=LINES)
                if seen.differences:
                    return seen
                assert done.code < 70, (argv, done)  # no failure of ours
            return seen

    return walked


@contextmanager
def _read_as_many():
    text = term_lists.TERMS.replace(f"sum(facts) < {term_lists._LARGE} ", "sum(facts) < 0 ")
    assert text != term_lists.TERMS
    with (
        mock.patch.object(term_lists, "TERMS", text),
        mock.patch.object(posting_blocks, "BLOCK", 2),  # all facts of one block would be sent
        mock.patch.object(posting_blocks, "_FEW", 1),
    ):
        yield


@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
@pytest.mark.parametrize("seed", range(often(1, 10)))
def test_each_answer_is_the_servers(walk, seed, many):
    """In a random walk of all verbs, each answer that was asked ahead; each way to answer is
    taken."""
    seen = walk(seed, often(15, 120), many=many)
    assert not seen.differences, seen.differences[0]
    ways = [way for way in comparing.WAYS if way not in ("lighter", "filled")]
    assert all(seen.counts[way] for way in ways), seen.counts


def _forgets_nothing(patch):
    patch.setattr(KnownAnswers, "forget_of", lambda *_: None)


def _counts_the_archived(patch):
    count = term_lists._Terms.frequency

    def frequency(self, given, *, is_lapsed):
        held = count(self, given, is_lapsed=is_lapsed)
        return held and [(held[0][0] + 1,)]

    patch.setattr(term_lists._Terms, "frequency", frequency)


def _picks_one_too_few(patch):
    picked = KnownAnswers.picked

    def less(self, asked):
        rows = picked(self, asked)
        return rows and rows[:-1]

    patch.setattr(KnownAnswers, "picked", less)


def _promises_another_change(patch):
    opened = NextNumbers.opened

    def other(self, sql, bindings):
        row = opened(self, sql, bindings)
        return row and (row[0], row[1] + 1)

    patch.setattr(NextNumbers, "opened", other)


FAULTS = (_forgets_nothing, _counts_the_archived, _picks_one_too_few, _promises_another_change)


@pytest.mark.parametrize("fault", some(FAULTS))
def test_a_fault_is_found(walk, fault, monkeypatch):
    """One answer in many that is another than the server's."""
    fault(monkeypatch)
    assert walk(0, 60).differences
