"""The long run behind `make contract`: `python -m tests.contract [LINES] [SEED]`."""

from __future__ import annotations

import sys

from tests.contract import pairs, tables

LINES = 10_000


def main(argv: list[str]) -> int:
    """Compare, print the figures, and return 0 when nothing differs."""
    count, seed = ([int(word) for word in argv] + [LINES, 1][len(argv) :])[:2]
    with pairs.surroundings() as world:
        wrong = tables.complaints(world)
    print(f"tables: {len(wrong)} complaints", *wrong[:40], sep="\n- ")
    figures = pairs.compared(count, seed=seed)
    print(pairs.told(figures))
    return int(bool(figures.found or wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
