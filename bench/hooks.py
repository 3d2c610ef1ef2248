"""What a hook costs: its processor time beside that of `context --auto`, and how long 200 prompts
wait alone and while a dream runs.

    python bench/hooks.py [--rounds 25]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import corpus
import stores
import timing

FACTS = 1000
DREAMT = 10_000  # facts of a dream that takes a while
PROMPTS = 200


def cpu(argv: list[str], env: dict[str, str], given: bytes) -> float:
    """Return the processor time of one call, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, env=env, input=given, capture_output=True, check=True, cwd=timing.WORK)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def call(text: str, session: str = "") -> bytes:
    """Return the call of a prompt."""
    form = {"hook_event_name": "UserPromptSubmit", "prompt": text, "session_id": session}
    return json.dumps(form).encode()


def beside_context(rounds: int) -> tuple[float, float]:
    """Return the least processor time of a hook, and of `context --auto`, for the same prompt."""
    env = timing.clean_env(TIDELINE_DB=stores.copy(FACTS, "hooks"))
    text = corpus.queries(1)[0][0]
    pairs = [
        (cpu([timing.TIDELINE, "hook", "codex"], env, call(text)),
         cpu([timing.TIDELINE, "context", "--auto", text], env, b""))
        for _ in range(rounds)
    ]  # fmt: skip
    hooks, contexts = zip(*pairs, strict=True)
    return min(hooks), min(contexts)


@dataclass
class Prompts:
    """What some prompts took, one after the other: milliseconds until the process had ended,
    milliseconds of its processor time, and how often it waited for something (a lock, a disk)
    instead of the processor."""

    waits: list[float]
    cpu: list[float]
    blocked: list[int]

    def p99(self) -> float:
        return share(self.waits, 0.99)

    def line(self) -> str:
        """Return the figures as one line."""
        return (
            f"waits p50 {share(self.waits, 0.5):.0f}, p99 {self.p99():.0f} ms; processor time "
            f"p50 {share(self.cpu, 0.5):.0f}, p99 {share(self.cpu, 0.99):.0f} ms; "
            f"waited for something else {sum(self.blocked) / len(self.blocked):.1f} times a prompt,"
            f" {max(self.blocked)} at most"
        )


def share(values: Sequence[float], part: float) -> float:
    """Return the value that this part of some values does not exceed."""
    return sorted(values)[max(0, int(len(values) * part) - 1)]


def one_prompt(env: dict[str, str], given: bytes, into: Prompts) -> None:
    """Ask one prompt, and note what it took."""
    began = time.perf_counter()
    hook = subprocess.Popen([timing.TIDELINE, "hook", "codex"], env=env, cwd=timing.WORK,
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # fmt: skip
    if hook.stdin is None:
        raise RuntimeError("no pipe to the hook")
    hook.stdin.write(given)
    hook.stdin.close()
    _, status, used = os.wait4(hook.pid, 0)
    hook.returncode = os.waitstatus_to_exitcode(status)
    into.waits.append(1000 * (time.perf_counter() - began))
    into.cpu.append(1000 * (used.ru_utime + used.ru_stime))
    into.blocked.append(used.ru_nvcsw)
    if hook.returncode:
        raise RuntimeError(f"a hook ended with {hook.returncode}")


def ask(*, dreams: bool) -> Prompts:
    """Ask all prompts, ten in a conversation; where `dreams`, beside a dream, and beside its undo
    when it has ended, so that the next has as much to do."""
    env = timing.clean_env(TIDELINE_DB=stores.copy(DREAMT, "hooks-asked"))
    asked = Prompts([], [], [])
    dream: subprocess.Popen[bytes] | None = None
    passes = cycle(["dream", "undo"])
    mark = time.time_ns()
    for n, (text, *_) in enumerate(corpus.queries(PROMPTS)):
        if dreams and (dream is None or dream.poll() is not None):
            dream = subprocess.Popen([timing.TIDELINE, next(passes), "--quiet"], env=env,
                                     cwd=timing.WORK, stdout=subprocess.DEVNULL)  # fmt: skip
        one_prompt(env, call(text, f"{mark}-{n // 10}"), asked)
    if dream is not None:
        dream.wait()
    return asked


def beside_a_dream() -> float:
    """Return the 99th percentile of the milliseconds that prompts wait beside a dream."""
    return ask(dreams=True).p99()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=25)
    hook, context = beside_context(parser.parse_args().rounds)
    print(f"hook {hook:.1f} ms, context --auto {context:.1f} ms of processor time")
    for title, dreams in (("alone", False), ("beside dreams", True)):
        print(f"{PROMPTS} prompts {title}: {ask(dreams=dreams).line()}")
