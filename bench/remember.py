"""How long one durable `remember` takes in memories of growing size.

    python bench/remember.py [1k 10k 100k] [--million] [--rounds 15]

Every run writes a new fact, on a copy of the store; the sizes are interleaved.
"""

from __future__ import annotations

import argparse

import corpus
import stores
import timing


def measure(sizes: list[int], rounds: int = 15) -> dict[int, timing.Sample]:
    """Return a sample for each size."""
    texts = corpus.fresh(rounds + 2)
    paths = {n: stores.copy(n, "remember") for n in sizes}

    def job(n: int) -> timing.Job:
        return timing.Job(
            f"remember {stores.name_of(n)}",
            lambda number: [timing.TIDELINE, "remember", texts[number + 1]],
            timing.clean_env(TIDELINE_DB=paths[n]),
        )

    samples = timing.measure([job(n) for n in sizes], rounds)
    for n, path in paths.items():
        sample = samples[f"remember {stores.name_of(n)}"]
        found = stores.checkpointed(path)
        if not sample.failure and found != n + rounds + 1:
            sample.failure = f"{found - n} of {rounds + 1} facts were stored"
        stores.remove(path)
    return {n: samples[f"remember {stores.name_of(n)}"] for n in sizes}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["1k", "10k", "100k"])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    print(timing.HEADER)
    sizes = stores.sizes_from(args.sizes) + [1_000_000] * args.million
    for sample in measure(sizes, args.rounds).values():
        print(sample.line())


if __name__ == "__main__":
    main()
