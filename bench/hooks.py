"""What a hook costs: its processor time beside that of `context --auto`, and how long 200 prompts
wait while a dream runs.

    python bench/hooks.py [--rounds 25]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import time

import corpus
import stores
import timing

FACTS = 1000
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


def beside_a_dream() -> float:
    """Return the 99th percentile of the milliseconds that prompts wait beside a dream."""
    env = timing.clean_env(TIDELINE_DB=stores.copy(FACTS, "hooks-dream"))
    texts = [text for text, *_ in corpus.queries(PROMPTS)]
    waits = []
    dream = subprocess.Popen([timing.TIDELINE, "dream", "--quiet"], env=env, cwd=timing.WORK)
    for text in texts:
        if dream.poll() is not None:
            dream = subprocess.Popen([timing.TIDELINE, "dream", "--quiet"], env=env,
                                     cwd=timing.WORK)  # fmt: skip
        began = time.perf_counter()
        subprocess.run([timing.TIDELINE, "hook", "codex"], env=env, input=call(text),
                       capture_output=True, check=True, cwd=timing.WORK)  # fmt: skip
        waits.append(1000 * (time.perf_counter() - began))
    dream.wait()
    return sorted(waits)[int(len(waits) * 0.99) - 1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=25)
    hook, context = beside_context(parser.parse_args().rounds)
    print(f"hook {hook:.1f} ms, context --auto {context:.1f} ms of processor time")
    print(f"beside a dream: 99 of 100 prompts wait {beside_a_dream():.0f} ms at most")
