"""What a command costs that has next to nothing to do: start, parse, open the file, answer.

    python bench/cold.py [--rounds 9] [--modules recall]

Ends with the import budget: the modules that each command loads over `python -c pass`, and the
fifteen that take longest by themselves.
"""

from __future__ import annotations

import argparse
import subprocess

import corpus
import stores
import timing

FACTS = 1000
VERBS = (
    ("list",), ("tags",), ("slots",), ("history",), ("undo", "--list"), ("fading",), ("config",),
)  # fmt: skip
QUERY = corpus.queries(1)[0][0]


def jobs() -> list[timing.Job]:
    """Return the commands, all on a copy of the 1000-fact store."""
    env = timing.clean_env(TIDELINE_DB=stores.copy(FACTS, "cold"))
    texts = corpus.fresh(500)

    def remember(number: int) -> list[str]:
        return [timing.TIDELINE, "remember", texts[number + 1]]

    return [
        timing.Job("--version", [timing.TIDELINE, "--version"], env),
        timing.Job("--help", [timing.TIDELINE, "--help"], env),
        timing.Job("recall --help", [timing.TIDELINE, "recall", "--help"], env),
        timing.Job("remember", remember, env),
        timing.Job("recall", [timing.TIDELINE, "recall", QUERY], env),
        timing.Job("context", [timing.TIDELINE, "context", QUERY], env),
        timing.Job("status --json", [timing.TIDELINE, "status", "--json"], env),
        *(timing.Job(" ".join(verb), [timing.TIDELINE, *verb], env) for verb in VERBS),
    ]


def modules(argv: list[str], env: dict[str, str]) -> dict[str, int]:
    """Return the modules that a Python command line imports, and the microseconds of each."""
    done = subprocess.run(
        [timing.PYTHON, "-X", "importtime", *argv],
        env=env, capture_output=True, stdin=subprocess.DEVNULL, cwd=timing.WORK, text=True,
    )  # fmt: skip
    found = {}
    for line in done.stderr.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if line.startswith("import time:") and len(parts) == 3 and parts[0].strip().isdigit():
            found[parts[2].strip()] = int(parts[0])
    return found


def budget(job: timing.Job, top: int = 15) -> str:
    """Return what a command imports, as text."""
    base = modules(["-c", "pass"], timing.clean_env())
    own = {name: us for name, us in modules(job.at(400), dict(job.env)).items() if name not in base}
    slowest = sorted(own.items(), key=lambda item: -item[1])[:top]
    lines = [f"{job.name}: {len(own)} modules, {sum(own.values()) / 1000:.1f} ms"]
    lines += [f"  {us / 1000:6.2f} ms  {name}" for name, us in slowest]
    return "\n".join(lines)


def main() -> None:
    """Print the table and the import budget."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--modules", action="append", help="only the budget of this command")
    args = parser.parse_args()
    every = jobs()
    if not args.modules:
        print(timing.HEADER)
        for sample in timing.measure(every, args.rounds).values():
            print(sample.line())
        print("\nImport budget (time of each module alone, under -X importtime)\n")
    for job in every:
        if not args.modules or job.name in args.modules:
            print(budget(job))


if __name__ == "__main__":
    main()
