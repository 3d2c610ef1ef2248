"""How long `recall` takes where facts are long: one word of 3,287 texts of 1,000 words, a sentence
of 1,000 paragraphs without spaces.

    python bench/long_texts.py [--rounds 9]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Iterable

import corpus
import stores
import timing


def store_of(name: str, texts: Iterable[str]) -> str:
    """Return a memory of these texts, made anew."""
    path = os.path.join(timing.WORK, f"{name}.db")
    stores.remove(path)
    rows = "".join(json.dumps({"content": text}) + "\n" for text in texts)
    subprocess.run(
        [timing.TIDELINE, "import", "-"], input=rows.encode(), check=True,
        env=timing.clean_env(TIDELINE_DB=path), capture_output=True,
    )  # fmt: skip
    return path


def jobs() -> list[timing.Job]:
    """Return the questions, each of its memory."""
    paragraphs = list(corpus.chinese())
    asked = {
        "long": (corpus.long_texts(), ["customer", "budget", "sensor"]),
        "chinese": (paragraphs, [paragraphs[place][40:56] for place in (7, 300, 900)]),
    }
    made = []
    for name, (texts, queries) in asked.items():
        env = timing.clean_env(TIDELINE_DB=store_of(name, texts))
        made += [
            timing.Job(f"{name} {i}", [timing.TIDELINE, "recall", query], env)
            for i, query in enumerate(queries)
        ]
    return made


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    args = parser.parse_args()
    os.makedirs(timing.WORK, exist_ok=True)
    print(timing.HEADER)
    for sample in timing.measure(jobs(), args.rounds).values():
        print(sample.line())


if __name__ == "__main__":
    main()
