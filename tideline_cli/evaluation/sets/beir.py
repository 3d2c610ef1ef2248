"""The form of BEIR (Thakur et al., 2021), in which many sets of documents and questions are shared:
a folder with corpus.jsonl, queries.jsonl, and judgements as qrels/test.tsv."""

from __future__ import annotations

from tideline_cli.evaluation.sets import files
from tideline_cli.evaluation.sets.judgements import gold_by_question, grade

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.errors import TidelineError

    Rows = Iterator[tuple[int, dict[str, Any] | TidelineError]]

_SPLITS = ("test", "dev", "train")


def is_it(folder: str) -> bool:
    """Say whether a folder is a set of this form."""
    return files.has(folder, "corpus.jsonl") and files.is_folder(f"{folder}/qrels")


def documents(folder: str) -> Rows:
    """Yield a row for each document: its title and its text."""
    for number, row in files.lines(files.found(folder, "corpus.jsonl")):
        if not isinstance(row, dict):
            yield number, row
            continue
        text = "\n".join(part for part in (row.get("title"), row.get("text")) if part)
        if text.strip():
            yield number, {"content": text, "source_turn": str(row.get("_id"))}


def questions(folder: str) -> Rows:
    """Yield a row for each question that somebody has judged."""
    gold = gold_by_question(_judged(folder))
    for number, row in files.lines(files.found(folder, "queries.jsonl")):
        if not isinstance(row, dict):
            yield number, row
        elif str(row.get("_id")) in gold:
            name = str(row["_id"])
            yield number, {"id": name, "query": row.get("text"), "gold": gold[name]}


def _judged(folder: str) -> Iterator[tuple[str, str, float]]:
    """Yield (question, document, grade) of the split for tests, else of another."""
    path = files.found(folder, *(f"qrels/{split}.tsv" for split in _SPLITS))
    for number, line in enumerate(files.texts(path), 1):
        cells = line.split("\t")
        if number == 1 and not grade(cells[-1].strip()):
            continue  # the header
        if len(cells) == 3:
            yield cells[0], cells[1], float(cells[2])
