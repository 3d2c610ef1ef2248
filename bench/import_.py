"""How fast `import` is, how much memory it takes, and what is left when it is killed.

    python bench/import_.py [100k] [--million] [--kill 20k]

The import becomes the kept store of that size. For --kill an import is ended half-way by SIGKILL
and run again: then the store must hold each fact once.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import time

import stores
import timing


def kill_and_resume(n: int) -> str:
    """Kill an import half-way and run it again; return what was there before and after."""
    path = os.path.join(timing.WORK, "killed.db")
    whole = stores.make(n, path)
    source = stores.rows(n)
    env = timing.clean_env(TIDELINE_DB=path)
    left, share = 0, 0.5
    for _ in range(8):  # until some, but not all of the facts were written
        stores.remove(path)
        process = subprocess.Popen(
            [timing.TIDELINE, "import", source],
            env=env, cwd=timing.WORK, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(whole.seconds * share)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = stores.count(path) if os.path.exists(path) else 0
        if 0 < left < n:
            break
        share += 0.08 if left == 0 else -0.05
    stores.tideline("import", source, db=path)
    found = stores.checkpointed(path)
    stores.remove(path)
    verdict = "ok" if found == n else "WRONG"
    return f"killed after {share:.0%}: {left} of {n} facts; run again: {found}  {verdict}"


def processor_time(n: int) -> tuple[float, float]:
    """Import n facts into a scratch store; return the microseconds of processor time that each has
    taken, of all processes together, and the share of them beside one another: 2 is two at work all
    the time."""
    path = os.path.join(timing.WORK, "processor.db")
    stores.remove(path)
    wall, used, code, _ = timing.run_once(
        [timing.TIDELINE, "import", stores.rows(n)], timing.clean_env(TIDELINE_DB=path)
    )
    stores.remove(path)
    if code:
        raise SystemExit(f"import of {n} facts: exit {code}")
    return used * 1e3 / n, used / wall


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["100k"])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--kill", default="20k", help="size of the import that is killed; 0: none")
    args = parser.parse_args()
    print(f"{'':<12} {'seconds':>8} {'facts/s':>8} {'MiB':>7} {'B/fact':>7}"
          f" {'cpu us':>7} {'at once':>8}")  # fmt: skip
    for n in stores.sizes_from(args.sizes) + [1_000_000] * args.million:
        stores.rows(n)
        made = stores.make(n)
        used, at_once = processor_time(n)
        print(
            f"{'import ' + stores.name_of(n):<12} {made.seconds:8.2f} {made.rate:8.0f} "
            f"{made.rss:7.1f} {made.bytes_per_fact:7.1f} {used:7.1f} {at_once:8.2f}",
            flush=True,
        )
    if args.kill != "0":
        print(kill_and_resume(stores.sizes_from([args.kill])[0]))


if __name__ == "__main__":
    main()
