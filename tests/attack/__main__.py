"""All attacks on `serve` and `mcp`: `make attack`, or python -m tests.attack [COUNT] [SEED]"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.attack import on_http, on_mcp
from tests.attack.target import Memory


def main(argv: list[str]) -> int:
    """Print what was sent and found; return 0 where every promise was kept."""
    count, seed = ([int(number) for number in argv] + [10_000, 1][len(argv) :])[:2]
    broken = 0
    for name, attacks in (("serve", on_http.attacked), ("mcp", on_mcp.attacked)):
        with tempfile.TemporaryDirectory(prefix="tideline-attack-") as folder:
            began = time.monotonic()
            figures = attacks(Memory(Path(folder) / "home"), count, seed=seed)
            took = time.monotonic() - began
        kinds = ", ".join(f"{kind} {number:,}" for kind, number in figures.sent.items())
        print(f"{name}: {figures.sent.total():,} attacks in {took:.0f} s: {kinds}")
        if figures.statuses:
            told = ((code or "none", number) for code, number in figures.statuses.most_common())
            print("  answers: " + ", ".join(f"{code} {number:,}" for code, number in told))
        grown = f"{figures.grown_mb} MB more than before"
        print(f"  slowest answer {figures.slowest_ms:.0f} ms, {grown}")
        for line in figures.lines:
            print(f"  {line}")
        print(f"  {len(figures.faults)} faults")
        for fault in figures.faults[:20]:
            print(f"    {fault}")
        broken += len(figures.faults)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
