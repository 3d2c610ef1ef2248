"""What a memory on a PostgreSQL server costs: facts of one origin or of many, one client and
sixteen, whole commands and a process that stays.

    python -m bench.servers [--case 100k:1 100k:1000 10k:1] [--rounds 9]

`100k:1000` are 100,000 facts of 1,000 origins, each with as many as the others. A server is made in
a folder below /tmp, with its usual durability, on this machine: its clients share the processor
with it. `recall` and `remember` are those of the class Memory, in a process that stays; `sixteen`
are as many such processes at once, of one origin each. `whole` is a new process, beside the same
facts in a file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from itertools import islice
from statistics import median, quantiles

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import corpus  # noqa: E402
import stores  # noqa: E402
import timing  # noqa: E402

from tests.postgres.cluster import Cluster, programs  # noqa: E402

CASES = ("10k:1", "100k:1", "100k:10", "100k:1000")
CLIENTS = 16
QUESTIONS = 200

_CLIENT = """
import json, sys, time
from tideline_cli import Memory
address, origin, verb = sys.argv[1:]
texts = json.load(sys.stdin)
memory = Memory.open(address, origin=origin)
memory.recall(texts[0])
spent = []
begun = time.time()
for text in texts:
    start = time.perf_counter()
    getattr(memory, verb)(text)
    spent.append((time.perf_counter() - start) * 1e3)
print(json.dumps([begun, time.time(), spent]))
"""


def origins(count: int) -> list[str]:
    """Return the names of so many origins; the first is the owner."""
    rooms = (f"channel:chat/team/{number:06}" for number in range(1, count))
    return ["owner", *rooms]


def load(address: str, facts: int, count: int) -> float:
    """Store the facts, and return the seconds that this took."""
    path = os.path.join(timing.WORK, "servers.jsonl")
    source, names = corpus.facts(facts), origins(count)
    with open(path, "w", encoding="utf-8") as file:
        for name in names:
            for text in islice(source, facts // count):
                file.write(json.dumps({"content": text, "origin": name}) + "\n")
    start = time.perf_counter()
    subprocess.run(
        [timing.TIDELINE, "import", path, "--trust", "-q"], check=True,
        stderr=subprocess.DEVNULL, env=timing.clean_env(TIDELINE_DB=address),
    )  # fmt: skip
    return time.perf_counter() - start


def warm(address: str, verb: str, texts: list[str], names: list[str]) -> tuple[list[float], float]:
    """Have a client for each of the origins call a verb with each text, all at once. Return the
    milliseconds of each call, and calls a second."""
    clients = [
        subprocess.Popen(
            [sys.executable, "-c", _CLIENT, address, name, verb], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=timing.clean_env(), cwd=os.path.dirname(HERE),
        )
        for name in names
    ]  # fmt: skip
    for client, name in zip(clients, names, strict=True):
        own = texts if verb == "recall" else [f"{text} {name}" for text in texts]
        assert client.stdin is not None
        client.stdin.write(json.dumps(own).encode())
        client.stdin.close()
        client.stdin = None
    told = [json.loads(client.communicate()[0]) for client in clients]
    spent = [one for *_, its in told for one in its]
    taken = max(end for _, end, _ in told) - min(begun for begun, *_ in told)
    return spent, len(spent) / taken


def cold(address: str, facts: int, texts: list[str], rounds: int) -> tuple[float, float]:
    """Return the milliseconds of a whole `recall` on the server, and in a file."""
    jobs = [
        timing.Job(name, [timing.TIDELINE, "recall", texts[0]], timing.clean_env(TIDELINE_DB=db))
        for name, db in (("server", address), ("file", stores.kept(facts)))
    ]
    found = timing.measure(jobs, rounds)
    return found["server"].ms, found["file"].ms


def bytes_held(address: str) -> int:
    """Return the bytes of a memory with all that belongs to it: the part of the owner."""
    done = subprocess.run(
        [timing.TIDELINE, "status", "--json"], check=True, stdout=subprocess.PIPE,
        env=timing.clean_env(TIDELINE_DB=address),
    )  # fmt: skip
    return int(json.loads(done.stdout)["size_bytes"])


def _told(spent: list[float]) -> str:
    return f"{median(spent):.1f} / {quantiles(spent, n=20)[-1]:.1f}"


def measure(address: str, case: str, rounds: int) -> None:
    """Print a line of the table."""
    size, _, many = case.partition(":")
    (facts,), count = stores.sizes_from([size]), int(many)
    seconds = load(address, facts, count)
    held = bytes_held(address) * count / facts
    texts = [text for text, _ in corpus.queries(QUESTIONS, min(corpus.BLOCK, facts // count))]
    names = origins(count)
    one, _ = warm(address, "recall", texts, names[-1:])
    several = (names * CLIENTS)[:CLIENTS]
    sixteen, rate = warm(address, "recall", texts, several)
    said, _ = warm(address, "remember", corpus.fresh(QUESTIONS), names[-1:])
    whole = cold(address, facts, texts, rounds) if count == 1 else None
    told = " / ".join(f"{ms:.0f}" for ms in whole) if whole else ""
    print(
        f"| {case} | {facts / seconds:,.0f} | {held:,.0f} | {_told(one)} "
        f"| {_told(sixteen)} | {rate:,.0f} | {_told(said)} | {told} |",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--case", nargs="*", default=CASES)
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    asked = parser.parse_args()
    folder = programs()
    if folder is None:
        raise SystemExit("no PostgreSQL server is installed here")
    print("| facts:origins | loaded a second | bytes a fact | recall p50 / p95 ms | of sixteen "
          "| answers a second | remember p50 / p95 ms "
          "| whole recall ms: server / file |")  # fmt: skip
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    with Cluster(folder, ("fsync=on",)) as server:
        for number, case in enumerate(asked.case):
            measure(f"{server.address}&schema=case{number}", case, asked.rounds)


if __name__ == "__main__":
    main()
