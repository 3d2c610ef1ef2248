"""What users bring in answers their questions: thirty-six kinds of files and memories, ten
questions each, as a user asks them."""

from __future__ import annotations

import shlex
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import run_main
from tests.incoming.made import HERE, make_all

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-02-05T12:00:00Z"


@cache
def asked() -> dict[str, tuple[list[str], list[tuple[str, str]]]]:
    """Return for each kind the command that takes it in, and questions with their answers."""
    found: dict[str, tuple[list[str], list[tuple[str, str]]]] = {}
    for line in (HERE / "questions.txt").read_text("utf-8").splitlines():
        if line.startswith("== "):
            kind, _, command = line[3:].partition(": ")
            found[kind] = shlex.split(command), []
        else:
            question, _, answer = line.rpartition(" = ")
            found[kind][1].append((question, answer))
    return found


def is_answer(hit: dict[str, Any], answer: str) -> bool:
    """Say whether a fact, with its title, holds all pieces of an answer; `|` parts forms of one."""
    shown = " ".join(str(hit.get(key) or "") for key in ("title", "content", "progress")).casefold()
    return all(
        any(form.strip() in shown for form in piece.split("|"))
        for piece in answer.casefold().split(" & ")
    )


def ranks_of(kind: str, folder: Path) -> list[tuple[int, str]]:
    """Return the rank of the right fact for each question of a kind, 0 where it is not among five;
    with what came first."""
    command, questions = asked()[kind]
    memory = ("--db", str(folder / f"{kind}-memory.db"), "--now", NOW)
    taken = run_main(*command, *memory, "-q")
    assert taken.code == 0, (kind, taken.err)
    found = []
    for question, answer in questions:
        hits = run_main("recall", question, "-n", "5", "--json", *memory).json["hits"]
        right = [place for place, hit in enumerate(hits, 1) if is_answer(hit, answer)]
        first = f"{hits[0].get('title')}: {hits[0]['content']}" if hits else "nothing"
        found.append((right[0] if right else 0, f"{kind}: {question} → {first:.160}"))
    return found


GROUPS = 2


@pytest.mark.parametrize("group", range(GROUPS))
def test_what_comes_in_answers_questions(tmp_path, group):
    """The right fact comes first for 85 questions of 100 and among five for 95; of no kind for
    fewer than 7 and 9 of 10."""
    make_all(tmp_path)
    ranks: list[tuple[int, str]] = []
    for kind in list(asked())[group::GROUPS]:
        found = ranks_of(kind, tmp_path)
        first, five = (sum(1 for rank, _ in found if rank in of) for of in ((1,), range(1, 6)))
        assert (first >= 7, five >= 9) == (True, True), (kind, found)
        ranks += found
    missed = [line for rank, line in ranks if rank == 0]
    behind = [line for rank, line in ranks if rank > 1]
    assert len(missed) <= 0.05 * len(ranks), missed
    assert len(missed) + len(behind) <= 0.15 * len(ranks), (missed, behind)
