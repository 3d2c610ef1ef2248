"""What a look past the facts in use costs: archived ones, those that fade, the ids that TAB offers.

    python bench/seldom.py [100k] [--rounds 9]

A copy of one store, of which a tenth is archived and another tenth was made 80 days ago: `recall`
of a fact that is archived, without and with `--archived`; `fading`; and what a shell asks for when
the beginning of an id, or nothing of it, has been typed. Each in a new process.
"""

from __future__ import annotations

import argparse
import os

import apsw
import corpus
import stores
import timing

_DAY = 86_400_000


def measure(n: int, rounds: int = timing.ROUNDS) -> dict[str, timing.Sample]:
    """Return a sample for each figure at n facts."""
    path = stores.copy(n, "seldom")
    text, start = _changed(path)
    env = timing.clean_env(TIDELINE_DB=path)
    calls = {
        "recall: archived facts match": ["recall", text, "--no-touch"],
        "recall --archived": ["recall", text, "--no-touch", "--archived"],
        "fading": ["fading"],
        "ids to offer": ["__complete", "active:"],
        "ids that begin so": ["__complete", f"active:{start}"],
        "archived ids to offer": ["__complete", "archived:"],
    }
    size = stores.name_of(n)
    jobs = [
        timing.Job(f"{name} {size}", [timing.TIDELINE, *words], env)
        for name, words in calls.items()
    ]
    samples = timing.measure(jobs, rounds)
    stores.remove(path)
    return samples


def _changed(path: str) -> tuple[str, str]:
    """Archive a tenth of the facts and make another tenth older; return four words of an archived
    one, and how the id of an active one begins."""
    db = apsw.Connection(path)
    with db:
        db.execute("UPDATE fact SET lifecycle = 'archived' WHERE seq % 10 = 3")
        db.execute("UPDATE fact SET created_at = created_at - ? WHERE seq % 10 = 7", (80 * _DAY,))
    text = str(db.execute("SELECT content FROM fact WHERE seq = 503").get)
    start = str(db.execute("SELECT id FROM fact WHERE seq = 505").get)[:14]
    db.close()
    stores.checkpointed(path)
    words = [word for word in text.rstrip(".").split() if word not in corpus.FUNCTION_WORDS]
    return " ".join(words[:4]), start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("size", nargs="?", default="100k")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    args = parser.parse_args()
    os.makedirs(timing.WORK, exist_ok=True)
    print(timing.HEADER)
    for sample in measure(stores.sizes_from([args.size])[0], args.rounds).values():
        print(sample.line())


if __name__ == "__main__":
    main()
