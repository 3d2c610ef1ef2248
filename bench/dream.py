"""How long a dream takes, how much memory, and what writers notice of it.

    python bench/dream.py [10k 100k] [--million] [--crowd 12] [--seconds 20]

For each size: the first dream of a freshly imported memory, a second one with nothing new, and one
after 1,000 new facts. The crowd: so many processes write a fact every 50 ms while dreams run in a
loop beside them; what is shown is how long a write took, its commit included.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import time
from statistics import median

import corpus
import stores
import timing

from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.store.opening import open_for_writing

NEW = 1000
EVERY = 0.05  # seconds between two writes of one writer
FIRST = {10_000: 2.0, 100_000: 8.0, 1_000_000: 480.0}
AGAIN = 3.0
RSS = 600.0  # MB
P99 = 0.1
_DREAM = ("dream", "--json", "--max-loss", "1")


def timed(path: str) -> tuple[float, float, dict[str, int]]:
    """Dream once; return seconds of the whole process, peak MB, and what was done."""
    env = timing.clean_env(TIDELINE_DB=path)
    report = os.path.join(timing.WORK, "dream.json")
    shell = f'exec "{timing.TIDELINE}" {" ".join(_DREAM)} > "{report}"'
    begin = time.perf_counter()
    rss = timing.peak_rss(["/bin/sh", "-c", shell], env)
    seconds = time.perf_counter() - begin
    with open(report, encoding="utf-8") as file:
        (mine,) = json.load(file)["origins"]
    done = {name: len(mine[name]) for name in ("confirmed", "consolidated", "evicted")}
    return seconds, rss * 2**20 / 1e6, done | {"related": mine["related"]}


def add(path: str, number: int) -> None:
    """Import 1,000 facts that are new."""
    rows = os.path.join(timing.WORK, "fresh.jsonl")
    with open(rows, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"content": text}) + "\n" for text in corpus.fresh(number))
    stores.tideline("import", rows, db=path)


def nights(n: int) -> list[tuple[str, float, float, dict[str, int]]]:
    """Dream three times in a memory of n facts."""
    path = stores.copy(n, "dream")
    found = [("first", *timed(path)), ("again", *timed(path))]
    add(path, NEW)
    found.append((f"{NEW:,} new", *timed(path)))
    return found


def _writer(path: str, number: int, until: float, out: multiprocessing.Queue) -> None:
    db = open_for_writing(path)
    waits, errors, made = [], 0, 0
    while time.time() < until:
        due = time.time() + EVERY
        fact = NewFact(f"writer {number} notes {made} of {number * 7919 + made}", "knowledge",
                       "owner_message", OWNER)  # fmt: skip
        begin = time.perf_counter()
        try:
            remember(db, fact, fact_id=f"W{number:02}-{made:06}", now=int(time.time() * 1000))
        except Exception:
            errors += 1
        waits.append(time.perf_counter() - begin)
        made += 1
        time.sleep(max(0.0, due - time.time()))
    db.close()
    out.put((waits, errors))


def crowd(n: int, writers: int, seconds: float) -> str:
    """Write from many processes while dreams run in a loop; return a line of figures."""
    path = stores.copy(n, "crowd")
    env = timing.clean_env(TIDELINE_DB=path)
    until = time.time() + seconds
    out: multiprocessing.Queue = multiprocessing.Queue()
    people = [multiprocessing.Process(target=_writer, args=(path, i, until, out))
              for i in range(writers)]  # fmt: skip
    for one in people:
        one.start()
    dreams = failed = 0
    while time.time() < until:
        argv = [timing.TIDELINE, "dream", "-q", "--max-loss", "1"]
        done = subprocess.run(argv, env=env, cwd=timing.WORK, capture_output=True)
        dreams += 1
        failed += done.returncode != 0
    results = [out.get() for _ in people]
    for one in people:
        one.join()
    waits = sorted(wait for some, _ in results for wait in some)
    errors = sum(count for _, count in results)
    p99 = waits[int(len(waits) * 0.99)]
    verdict = "ok" if p99 < P99 and not errors and not failed else "MISS"
    return (
        f"{writers} writers, {stores.name_of(n)}: {len(waits):,} writes, {dreams} dreams, "
        f"{errors + failed} errors; p50 {median(waits) * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms, "
        f"max {waits[-1] * 1e3:.1f} ms  <= {P99 * 1e3:.0f} ms  {verdict}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["10k", "100k"])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--crowd", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    os.makedirs(timing.WORK, exist_ok=True)
    print(f"load {os.getloadavg()[0]:.1f}")
    print(f"{'':<18} {'seconds':>8} {'MB':>7}  demand")
    for n in stores.sizes_from(args.sizes) + [1_000_000] * args.million:
        for night, seconds, rss, done in nights(n):
            most = FIRST.get(n) if night == "first" else AGAIN
            ok = most is None or (seconds <= most and rss <= RSS)
            demand = f"<= {most:g} s" if most else ""
            told = ", ".join(f"{count:,} {name}" for name, count in done.items() if count)
            print(
                f"{'dream ' + stores.name_of(n) + ' ' + night:<18} {seconds:8.2f} {rss:7.0f}  "
                f"{demand:<8} {'ok' if ok else 'MISS'}  {told or 'nothing to do'}",
                flush=True,
            )
    if args.crowd:
        print(crowd(10_000, args.crowd, args.seconds))


if __name__ == "__main__":
    main()
