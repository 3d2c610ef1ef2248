"""What a shell pays for tideline when it starts, and what a letter typed in `pick` costs.

    python bench/shell.py [10k] [--rounds 9]

`init` is a new process, beside `python -c pass`; what it prints is then read by each shell that is
installed. A letter is answered in one process by our own list, and by a new process for fzf.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import corpus
import stores
import timing

_TIMES = 2000  # readings of a script
_QUESTIONS = 20
_SHELLS = {
    "bash": ("--norc", "-i", "-c", 'for i in $(seq {n}); do eval "$SCRIPT"; done'),
    "zsh": ("-f", "-i", "-c", 'for i in {{1..{n}}}; do eval "$SCRIPT"; done'),
    "fish": ("--no-config", "-i", "-c", "for i in (seq {n}); echo $SCRIPT | source; end"),
}


@dataclass
class Figure:
    """One figure in milliseconds, and the most that it may be."""

    name: str
    ms: float
    most: float


def starts(rounds: int = timing.ROUNDS) -> dict[str, timing.Sample]:
    """Return a sample of each shell's `init`, in a new process."""
    jobs = [timing.Job(timing.PASS, [timing.PYTHON, "-c", "pass"], timing.clean_env())]
    jobs += [timing.Job(f"init {shell}", [timing.TIDELINE, "init", shell], timing.clean_env())
             for shell in _SHELLS]  # fmt: skip
    return timing.measure(jobs, rounds)


def readings() -> Iterator[Figure]:
    """Yield what a shell needs to read the script once."""
    for shell, argv in _SHELLS.items():
        if shutil.which(shell):
            script = subprocess.run([timing.TIDELINE, "init", shell], env=timing.clean_env(),
                                    capture_output=True, text=True, check=True).stdout  # fmt: skip
            once, often = (_seconds(shell, argv, script, n) for n in (1, _TIMES + 1))
            yield Figure(f"{shell} reads init", 1000 * (often - once) / _TIMES, 5.0)


def _seconds(shell: str, argv: tuple[str, ...], script: str, times: int) -> float:
    """Return the processor time of a shell that reads a script so often."""
    *flags, loop = argv
    env = timing.clean_env(SCRIPT=script, TERM="dumb")
    before = os.times()
    subprocess.run([shell, *flags, loop.format(n=times)], env=env, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # fmt: skip
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def letters(n: int) -> Iterator[Figure]:
    """Yield the processor time that the answer to a letter takes in a memory of n facts: on
    average, and at most."""
    from tideline_cli.cli.commands import pick
    from tideline_cli.cli.commands.pick import by_fzf, offer
    from tideline_cli.cli.commands.pick.offer import Offer
    from tideline_cli.cli.options import GlobalOptions
    from tideline_cli.cli.session import Session
    from tideline_cli.store.facts import Filter

    path = stores.copy(n, "shell")
    given = GlobalOptions(db=path)
    session = Session(given)
    ours = Offer(session, Filter(), 100)
    ours.answer("")
    size = stores.name_of(n)
    costs = [_spent(ours.answer, text) for text in _typed()]
    yield Figure(f"a letter {size}", sum(costs) / len(costs), 50.0)
    yield Figure(f"a letter {size}: slowest", max(costs), 150.0)
    session.close()
    told = by_fzf.handed(pick.Options(), given, os.devnull)
    env = timing.clean_env(**{offer.HANDED: told})
    texts = _typed()[::10]
    costs = [_spent(lambda text: _by_process(text, env), text) for text in texts]
    yield Figure(f"a letter {size}, by fzf", sum(costs) / len(costs), 100.0)
    stores.remove(path)


def _typed() -> list[str]:
    """Return what stands in the line after each letter of some questions."""
    texts = [text for text, *_ in corpus.queries(_QUESTIONS)]
    return [text[:end] for text in texts for end in range(1, min(len(text), 30) + 1)]


def _spent(answer: Callable[[str], object], text: str) -> float:
    """Return the milliseconds of processor time of an answer, those of its processes too."""
    before = os.times()
    answer(text)
    return 1000 * (sum(os.times()[:4]) - sum(before[:4]))


def _by_process(text: str, env: dict[str, str]) -> None:
    subprocess.run([timing.TIDELINE, "__pick", "rows", text], env=env, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # fmt: skip


def figures(n: int) -> Iterator[Figure]:
    """Yield all figures but those of new processes."""
    yield from readings()
    yield from letters(n)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("size", nargs="?", default="10k")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    args = parser.parse_args()
    sys.path.insert(0, os.path.dirname(timing.BENCH))
    for name, sample in starts(args.rounds).items():
        print(f"{name:<28} {sample.ms:6.1f} ms  {sample.ratio:.2f}")
    for figure in figures(int(args.size.replace("k", "000"))):
        print(f"{figure.name:<28} {figure.ms:6.1f} ms  <= {figure.most:g}")
