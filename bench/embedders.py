"""What a question costs with a learned embedder, where its package is installed.

    python bench/embedders.py [1k] [--rounds 9]

Cold processes over one store: by words alone; in semantic mode a question that was asked before,
and one that was not. Ratios are to `python -c pass`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

import stores
import timing

LEARNED = ("static", "minilm")
_TIDELINE = os.path.join(os.path.dirname(sys.executable), "tideline")  # which has the extras


def measure(n: int, rounds: int = timing.ROUNDS) -> dict[str, timing.Sample]:
    """Return a sample for each figure at n facts; none for an embedder that is not installed."""
    jobs = []
    for name in LEARNED:
        path = stores.copy(n, f"embedders-{name}")
        env = timing.clean_env(TIDELINE_DB=path)
        if not (_runs(env, "embedder", "use", name) and _runs(env, "reembed")):
            continue
        _runs(env, "recall", "repairs of cars", "--mode", "semantic")
        for kind, words in _QUESTIONS.items():
            jobs.append(timing.Job(f"{name}: {kind}", _argv(words), env, codes=(0, 1)))
    return timing.measure(jobs, rounds) if jobs else {}


_QUESTIONS = {
    "by words": "repairs of cars --mode keyword",
    "asked before": "repairs of cars --mode semantic",
    "asked first": "repairs of cars {} --mode semantic",
}


def _argv(words: str):
    asked, *rest = words.split(" --")
    flags = [part for one in rest for part in f"--{one}".split()]
    return lambda number: [_TIDELINE, "recall", asked.format(number), *flags, "--no-touch"]


def _runs(env: dict[str, str], *words: str) -> bool:
    done = subprocess.run([_TIDELINE, *words], env=env, capture_output=True, check=False)
    return done.returncode in (0, 1)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("size", nargs="?", default="1k")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    args = parser.parse_args()
    for sample in measure(stores.sizes_from([args.size])[0], args.rounds).values():
        print(sample.line())


if __name__ == "__main__":
    main()
