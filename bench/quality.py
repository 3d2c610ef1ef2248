"""How good recall is on a set of questions with known answers.

    python bench/quality.py CORPUS.jsonl QUERIES.jsonl [--json] [--limit 10] [-- RECALL OPTIONS]

The corpus goes into a new store through `tideline import`, the questions through
`tideline recall --batch`; a hit counts when its source_turn is in the question's gold. Questions
without gold are left out. Intervals are 95 % bootstrap intervals of 1000 rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time

import metrics
import timing

from tideline_cli.model.record import as_dict

K = 10
NAMES = ("recall@1", "recall@5", "recall@10", "MRR@10", "nDCG@10")


def scores(retrieved: list[str], gold: dict[str, float]) -> dict[str, float]:
    """Return the figures of one question."""
    return {
        "recall@1": metrics.recall(retrieved, gold, 1),
        "recall@5": metrics.recall(retrieved, gold, 5),
        "recall@10": metrics.recall(retrieved, gold, K),
        "MRR@10": metrics.reciprocal_rank(retrieved, gold, K),
        "nDCG@10": metrics.ndcg(retrieved, gold, K),
    }


def ask(corpus: str, queries: list[dict], options: list[str]) -> tuple[dict[str, list[str]], dict]:
    """Return the source turns found for each question, and how the rest went."""
    with tempfile.TemporaryDirectory(prefix="tideline-quality-") as home:
        env = timing.clean_env(TIDELINE_HOME=home)
        lines = [
            json.dumps({key: query[key] for key in ("id", "query", "origin") if key in query})
            for query in queries
        ]
        begin = time.perf_counter()
        taken = _run(["import", os.path.abspath(corpus)], env, home).strip()
        middle = time.perf_counter()
        output = _run(["recall", "--batch", *options], env, home, "\n".join(lines) + "\n")
        end = time.perf_counter()
    found = {}
    for line in output.splitlines():
        answer = json.loads(line)
        found[answer["id"]] = [hit["source_turn"] for hit in answer["hits"]]
    took = {"import_s": round(middle - begin, 3), "recall_s": round(end - middle, 3)}
    return found, {"imported": taken, **took}


def _run(args: list[str], env: dict[str, str], cwd: str, stdin: str = "") -> str:
    done = subprocess.run(
        [timing.TIDELINE, *args], env=env, cwd=cwd, input=stdin, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"tideline {args[0]}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def evaluate(corpus: str, queries_path: str, options: list[str]) -> dict:
    """Return the figures of a set: overall and per category."""
    with open(queries_path, encoding="utf-8") as file:
        queries = [query for line in file if (query := json.loads(line))["gold"]]
    found, took = ask(corpus, queries, options)
    missing = [query["id"] for query in queries if query["id"] not in found]
    if missing:
        raise SystemExit(f"no answer to {len(missing)} questions, such as {missing[0]}")
    rows = [(query.get("category", ""), scores(found[query["id"]], query["gold"]))
            for query in queries]  # fmt: skip
    groups = {"overall": [row for _, row in rows]}
    if len({category for category, _ in rows}) > 1:
        for category, row in sorted(rows, key=lambda item: item[0]):
            groups.setdefault(category, []).append(row)
    figures = {
        group: {
            name: as_dict(metrics.bootstrap([row[name] for row in members])) for name in NAMES
        }
        for group, members in groups.items()
    }  # fmt: skip
    return {"queries": len(queries), **took, "figures": figures}


def table(result: dict) -> str:
    """Return the figures as text."""
    lines = [f"{'':<14} {'n':>5} " + " ".join(f"{name:>19}" for name in NAMES)]
    for group, figures in result["figures"].items():
        cells = [f"{one['mean']:.3f} ({one['lo']:.3f}-{one['hi']:.3f})" for one in figures.values()]
        count = figures["nDCG@10"]["n"]
        lines.append(f"{group:<14} {count:>5} " + " ".join(f"{cell:>19}" for cell in cells))
    lines.append(f"import {result['import_s']} s ({result['imported']})")
    lines.append(f"{result['queries']} questions {result['recall_s']} s")
    return "\n".join(lines)


def main() -> None:
    """Print the table, or the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("queries")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--limit", type=int, default=K, help="hits to ask for")
    parser.add_argument("options", nargs="*", help="options of recall, after --")
    args = parser.parse_args()
    options = ["--limit", str(args.limit), "--json", *args.options]
    result = evaluate(args.corpus, args.queries, options)
    print(json.dumps(result, indent=2) if args.json else table(result))


if __name__ == "__main__":
    main()
