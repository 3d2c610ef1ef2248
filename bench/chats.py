"""What an export of conversations costs: processor time a megabyte, and the most memory.

    python bench/chats.py [--megabytes 60]

`tideline extract --llm none` over an export in the form of ChatGPT: read, cleaned, searched for
identifiers, and stored.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from typing import NamedTuple

import corpus
import stores
import timing

MOST_RSS = 150.0  # MB, of a file of any size


class Figures(NamedTuple):
    """Seconds of processor time a megabyte, the most memory in MB, and the conversations."""

    seconds: float
    rss: float
    count: int


def conversation(chance: random.Random, number: int, words: list[str]) -> dict[str, object]:
    """Return one conversation: a chain of messages, some with code and other scripts."""
    nodes: dict[str, object] = {"root": {"message": None, "parent": None}}
    last = "root"
    for turn in range(chance.choice((6, 20, 60, 200))):
        text = " ".join(chance.choices(words, k=chance.choice((20, 80, 400))))
        text += chance.choice(("", "\n```py\nx = [{}]\n```", " café 😀"))
        own = f"{number}-{turn}"
        nodes[own] = {"parent": last, "message": {
            "author": {"role": ("user", "assistant")[turn % 2]}, "create_time": 1.7e9 + turn,
            "content": {"content_type": "text", "parts": [text]},
            "metadata": {"citations": [], "model_slug": "m"},
        }}  # fmt: skip
        last = own
    return {"id": f"c-{number}", "title": f"talk {number}", "update_time": 1.7e9,
            "mapping": nodes, "current_node": last}  # fmt: skip


def write(path: str, size: int) -> int:
    """Write an export of so many bytes; return how many conversations it has."""
    chance = random.Random(7)
    words = sorted({word for text, _ in corpus.queries(200) for word in text.split()})
    written = count = 0
    with open(path, "w", encoding="utf-8") as file:
        while written < size:
            text = json.dumps(conversation(chance, count, words))
            written += file.write((", " if count else "[") + text)
            count += 1
        file.write("]")
    return count


def measure(megabytes: int) -> Figures:
    """Write an export, read it into a scratch store, and take both away."""
    path, store = (os.path.join(timing.WORK, name) for name in ("chats.json", "chats.db"))
    count = write(path, megabytes * 10**6)
    stores.remove(store)
    argv = [timing.TIDELINE, "extract", path, "--llm", "none", "--quiet"]
    env = timing.clean_env(TIDELINE_DB=store)
    _, used, code, _ = timing.run_once(argv, env)
    stores.remove(store)
    rss = timing.peak_rss(argv, env) * 2**20 / 1e6
    stores.remove(store)
    os.unlink(path)
    if code:
        raise SystemExit(f"extract of {megabytes} MB: exit {code}")
    return Figures(used / 1e3 / megabytes, rss, count)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=60)
    size = parser.parse_args().megabytes
    found = measure(size)
    each = f"{1000 * found.seconds:.0f} ms of processor time a megabyte"
    print(f"{size} MB, {found.count} conversations: {each}, {found.rss:.0f} MB at most")


if __name__ == "__main__":
    main()
