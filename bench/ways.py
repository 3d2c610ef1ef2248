"""What recall costs that ranks in another way: by each profile, by points, by another curve.

    python bench/ways.py [100k] [--rounds 9]

One store and one question, each in a new process. Points look at every text of the memory.
"""

from __future__ import annotations

import argparse

import corpus
import stores
import timing

from tideline_cli.config.settings import PROFILES

WAYS = {
    **{f"recall: {name}": ("--profile", name) for name in PROFILES},
    "recall: points": ("--mode", "points"),
    "recall: weibull": ("--decay", "weibull"),
}


def measure(n: int, rounds: int = timing.ROUNDS) -> dict[str, timing.Sample]:
    """Return a sample for each way at n facts."""
    query = corpus.queries(1)[0][0]
    env = timing.clean_env(TIDELINE_DB=stores.copy(n, "ways"))
    samples = timing.measure(
        [
            timing.Job(name, [timing.TIDELINE, "recall", query, "--no-touch", *words], env)
            for name, words in WAYS.items()
        ],
        rounds,
    )
    stores.remove(env["TIDELINE_DB"])
    return samples


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("size", nargs="?", default="100k")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    args = parser.parse_args()
    print(timing.HEADER)
    for sample in measure(stores.sizes_from([args.size])[0], args.rounds).values():
        print(sample.line())


if __name__ == "__main__":
    main()
