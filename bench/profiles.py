"""How good the profiles are on several sets of questions: the table of docs/profiles.md.

    python bench/profiles.py [--data DIR] [--only SET ...] [--embedder NAME ...] [--fresh]

The sets are those of sets.py, which says how they are asked. A row is a set with an embedder
(hrr-256 and, where its package is installed, static), a column a profile: recall@10 (nDCG@10).
"""

from __future__ import annotations

import argparse
import os
import sys

import metrics
import sets

from tideline_cli.config.settings import DEFAULT_EMBEDDER, PROFILES

EMBEDDERS = (DEFAULT_EMBEDDER, "static")


def cell_of(figures: sets.Figures) -> str:
    """Return the means of a set as text."""
    recall, ndcg = (
        metrics.bootstrap([one[place] for one in figures.values()]).mean for place in (0, 1)
    )
    return f"{recall:.3f} ({ndcg:.3f})".replace("0.", ".")


def row_of(folder: str, embedder: str, *, fresh: bool) -> str:
    """Return the row of a set with an embedder; its store is made at most once."""
    other = "" if embedder == DEFAULT_EMBEDDER else embedder
    cells: list[str] = []
    count = 0
    for name in PROFILES:
        system = sets.System(sets.HERE, [], ["--profile", name], other)
        figures = system.figures(folder, fresh=fresh and not cells)
        cells.append(cell_of(figures))
        count = len(figures)
    return f"| {' | '.join((os.path.basename(folder), str(count), embedder, *cells))} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default=os.environ.get("BENCH_DATA"))
    parser.add_argument("--only", action="append", default=[], metavar="SET")
    parser.add_argument("--embedder", action="append", default=[], metavar="NAME")
    parser.add_argument("--fresh", action="store_true", help="make the stores anew")
    args = parser.parse_args()
    if not args.data:
        raise SystemExit("where are the sets? --data DIR or BENCH_DATA")
    print(f"| set | questions | embedder | {' | '.join(PROFILES)} |")
    print("|---|---|---|" + "---|" * len(PROFILES))
    for name in args.only or sorted(os.listdir(args.data)):
        folder = os.path.join(args.data, name)
        if os.path.exists(os.path.join(folder, "queries.jsonl")):
            for embedder in args.embedder or EMBEDDERS:
                print(row_of(folder, embedder, fresh=args.fresh), flush=True)


if __name__ == "__main__":
    sys.exit(main())
