"""How good recall is on several sets of questions, and what a change of it is worth.

    python bench/sets.py [--data DIR] [--only SET ...] [--change MODULE.NAME=VALUE ...]
                         [--against CHECKOUT | --unlike MODULE.NAME=VALUE ...] [-- RECALL OPTIONS]

A set is a directory with corpus.jsonl and queries.jsonl (id, query, gold; origin and now where it
has them). DIR, or BENCH_DATA, holds the sets. Each has a store of its own, made once by
`tideline import` and kept in the directory for temporary files; --fresh makes it anew. Questions
are asked by `tideline recall --batch`, each in its origin and at its `now`.

--change sets a constant of the program for the whole run, as in ranking.conversation.NEIGHBOUR=0.
--unlike compares with the same checkout where other constants are set, --against with another
checkout, which has an environment of its own. Differences are of pairs, with 95 % bootstrap
intervals; a star stands where such an interval leaves out 0.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import metrics

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
K = 10
_ASK = """
import gc, importlib, json, sys
gc.set_threshold(50_000)
changes, argv = json.loads(sys.argv[1]), sys.argv[2:]
for place, value in changes.items():
    module, name = ("tideline_cli." + place).rsplit(".", 1)
    module = importlib.import_module(module)
    if not hasattr(module, name):
        sys.exit(place + ": no such constant")
    setattr(module, name, value)
from tideline_cli.__main__ import main
sys.exit(main(argv))
"""
Figures = dict[str, tuple[float, float]]  # by question: recall@10, nDCG@10


class System:
    """A checkout with some of its constants changed."""

    def __init__(
        self, checkout: str, changes: list[str], options: list[str], embedder: str = ""
    ) -> None:
        self.checkout = os.path.abspath(checkout)
        self.embedder = embedder  # another than the usual one
        self.changes = {place: json.loads(value) for place, value in _pairs(changes)}
        self.options = options

    def run(self, store: str, args: list[str], stdin: str = "") -> str:
        """Run a command of this system on a store; return what it prints."""
        keep = {name: os.environ[name] for name in ("PATH", "TMPDIR", "TZ") if name in os.environ}
        env = keep | {"HOME": store, "LANG": "C.UTF-8", "TIDELINE_HOME": store}
        python = os.path.join(self.checkout, ".venv", "bin", "python")
        done = subprocess.run(
            [python, "-c", _ASK, json.dumps(self.changes), *args],
            env=env, cwd=store, input=stdin, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode not in (0, 1) or "Traceback" in done.stderr:
            raise SystemExit(f"{args[0]}: exit {done.returncode}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def store_of(self, corpus: str, *, fresh: bool) -> str:
        """Return the home that holds a corpus, with its vectors; make it where it is missing."""
        named = f"{self.checkout}\n{os.path.abspath(corpus)}{self.embedder}"
        key = hashlib.sha256(named.encode()).hexdigest()
        home = os.path.join(tempfile.gettempdir(), "tideline-sets", key[:16])
        done = os.path.join(home, "imported")
        if fresh or not os.path.exists(done):
            os.makedirs(home, exist_ok=True)
            for name in os.listdir(home):
                os.unlink(os.path.join(home, name))
            self.run(home, ["import", "--trust", os.path.abspath(corpus)])
            if self.embedder:
                self.run(home, ["embedder", "use", self.embedder])
                self.run(home, ["reembed"])
            open(done, "w").close()
        return home

    def figures(self, folder: str, *, fresh: bool) -> Figures:
        """Return the figures of each question of a set."""
        home = self.store_of(os.path.join(folder, "corpus.jsonl"), fresh=fresh)
        with open(os.path.join(folder, "queries.jsonl"), encoding="utf-8") as file:
            queries = [query for line in file if (query := json.loads(line))["gold"]]
        keys = ("id", "query", "origin", "now")
        lines = [json.dumps({key: one[key] for key in keys if key in one}) for one in queries]
        asked = ["recall", "--batch", "--limit", str(K), "--json", *self.options]
        output = self.run(home, asked, "\n".join(lines) + "\n")
        found = {}
        for line in output.splitlines():
            answer = json.loads(line)
            found[answer["id"]] = [hit["source_turn"] for hit in answer["hits"]]
        return {
            one["id"]: (
                metrics.recall(found[one["id"]], one["gold"], K),
                metrics.ndcg(found[one["id"]], one["gold"], K),
            )
            for one in queries
        }


def _pairs(changes: list[str]) -> list[tuple[str, str]]:
    return [(place, value) for place, _, value in (one.partition("=") for one in changes)]


def line_of(name: str, mine: Figures, other: Figures | None) -> str:
    """Return the figures of a set as text, and how they differ from those of another system."""
    cells = [f"{name:<16} {len(mine):>5}"]
    for place in (0, 1):
        values = [figures[place] for figures in mine.values()]
        one = metrics.bootstrap(values)
        cell = f"{one.mean:.4f} ({one.lo:.3f}-{one.hi:.3f})"
        if other is not None:
            differences = [figures[place] - other[key][place] for key, figures in mine.items()]
            apart = metrics.bootstrap(differences)
            star = "*" if apart.lo > 0 or apart.hi < 0 else " "
            cell += f"  {apart.mean:+.4f}{star} ({apart.lo:+.3f}..{apart.hi:+.3f})"
        cells.append(cell)
    return "   ".join(cells)


def main() -> None:
    """Print a line for each set."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", default=os.environ.get("BENCH_DATA"))
    parser.add_argument("--only", action="append", default=[], metavar="SET")
    parser.add_argument("--change", action="append", default=[], metavar="MODULE.NAME=VALUE")
    parser.add_argument("--unlike", action="append", default=[], metavar="MODULE.NAME=VALUE")
    parser.add_argument("--against", metavar="CHECKOUT")
    parser.add_argument("--fresh", action="store_true", help="make the stores anew")
    parser.add_argument("options", nargs="*", help="options of recall, after --")
    args = parser.parse_args()
    if not args.data:
        raise SystemExit("where are the sets? --data DIR or BENCH_DATA")
    system = System(HERE, args.change, args.options)
    other = None
    if args.against or args.unlike:
        other = System(args.against or HERE, args.unlike, args.options)
    print(f"{'set':<16} {'n':>5}   recall@{K}, then nDCG@{K}: mean (95 %)  difference (95 %)")
    for name in args.only or sorted(os.listdir(args.data)):
        folder = os.path.join(args.data, name)
        if os.path.exists(os.path.join(folder, "queries.jsonl")):
            mine = system.figures(folder, fresh=args.fresh)
            theirs = other and other.figures(folder, fresh=bool(args.against and args.fresh))
            print(line_of(name, mine, theirs), flush=True)


if __name__ == "__main__":
    sys.exit(main())
