"""What prompts hear unasked: how often the right facts, and how often silence where it is right.

    python bench/moments.py SET.json [--embedder static] [--among 100k] [--loud]

A set is JSON: `facts`, a list of texts, and `prompts`, each with `prompt`, `kind`, `lang`, `wanted`
(the numbers of the facts that should be said) and `also` (of those that are neither right nor
wrong). The facts are stored alone, or among so many of the made-up corpus. Every prompt is asked
as a hook asks it, each as the first one of its conversation.

`kept` is the share of the wanted facts that are said, `heard` that of the prompts with wanted facts
that hear one of them, `silent` that of the prompts without which hear nothing, `wrong` the facts a
prompt that are neither wanted nor in `also`, `facts` all that are said a prompt.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import corpus
import timing

from tideline_cli.memory import silence
from tideline_cli.memory.context import AUTO_FACTS
from tideline_cli.memory.query import Query
from tideline_cli.model.instant import now_ms
from tideline_cli.model.origin import OWNER
from tideline_cli.serve import hook_answer
from tideline_cli.store import opening


class Heard(NamedTuple):
    """A prompt of a set, and the numbers of the facts that it hears; None is one of the corpus."""

    asked: dict[str, Any]
    facts: list[int | None]

    @property
    def wanted(self) -> set[int]:
        return {*self.asked["wanted"]}

    @property
    def wrong(self) -> int:
        """Count the facts that are neither wanted nor defensible."""
        return sum(one not in {*self.wanted, *self.asked["also"]} for one in self.facts)


def heard(path: str, *, embedder: str, among: int) -> list[Heard]:
    """Return what each prompt of a set hears."""
    with open(path, encoding="utf-8") as file:
        given = json.load(file)
    places = {text: place for place, text in enumerate(given["facts"])}
    with tempfile.TemporaryDirectory(prefix="tideline-moments-") as home:
        env = timing.clean_env(TIDELINE_HOME=home)
        rows = os.path.join(home, "rows.jsonl")
        with open(rows, "w", encoding="utf-8") as file:
            for text in given["facts"]:
                file.write(json.dumps({"content": text}) + "\n")
        calls = [["import", rows]]
        if among:
            corpus.write_jsonl(os.path.join(home, "more.jsonl"), among)
            calls.append(["import", os.path.join(home, "more.jsonl")])
        for call in (*calls, ["embedder", "use", embedder], ["reembed"]):
            subprocess.run([timing.TIDELINE, *call], env=env, check=True, capture_output=True)
        db = opening.open_as_it_is(os.path.join(home, "tideline.db"), patience_ms=1000)
        if db is None:
            raise SystemExit("the memory of the set was not made")
        found = []
        for one in given["prompts"]:
            query = Query(silence.asked(one["prompt"]), limit=AUTO_FACTS)
            hits = hook_answer.found(db, query, viewer=OWNER, now=now_ms(), given=())
            found.append(Heard(one, [places.get(hit.fact.content) for hit in hits]))
        db.close()
    return found


def figures(group: Iterable[Heard]) -> str:
    """Return the figures of some prompts as a row."""
    every = [*group]
    full = [one for one in every if one.wanted]
    bare = [one for one in every if not one.wanted]
    kept = sum(len(one.wanted.intersection(one.facts)) for one in full)
    wanted = sum(len(one.wanted) for one in full)
    met = sum(not one.wanted.isdisjoint(one.facts) for one in full)
    silent = sum(not one.wrong for one in bare)
    shares = [f"{part / whole:7.0%}" if whole else f"{'':7}" for part, whole in
              ((kept, wanted), (met, len(full)), (silent, len(bare)))]  # fmt: skip
    means = [sum(map(count, every)) / len(every) for count in
             (lambda one: one.wrong, lambda one: len(one.facts))]  # fmt: skip
    return f"{len(every):4} {' '.join(shares)} {means[0]:7.2f} {means[1]:7.2f}"


def table(found: list[Heard]) -> str:
    """Return the figures by kind and by language."""
    lines = [f"{'':<12} {'n':>4} {'kept':>7} {'heard':>7} {'silent':>7} {'wrong':>7} {'facts':>7}"]
    sorts: list[Callable[[Heard], str]] = [
        lambda one: one.asked["kind"], lambda one: one.asked["lang"], lambda _: "all",
    ]  # fmt: skip
    for name_of in sorts:
        for name in dict.fromkeys(map(name_of, found)):
            lines.append(f"{name:<12} {figures(one for one in found if name_of(one) == name)}")
    return "\n".join(lines)


def main() -> None:
    """Print the figures; with --loud also prompts that hear wrong facts or lack right ones."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("set")
    parser.add_argument("--embedder", default="hrr-256")
    parser.add_argument("--among", default="0", help="facts of the corpus beside them: 5000, 100k")
    parser.add_argument("--loud", action="store_true")
    args = parser.parse_args()
    found = heard(args.set, embedder=args.embedder, among=int(args.among.replace("k", "000")))
    print(table(found))
    for one in found if args.loud else ():
        if one.wrong or not one.wanted <= {*one.facts}:
            print(f"{one.asked['kind']:<10} wanted {sorted(one.wanted)} said {one.facts} "
                  f"{' '.join(one.asked['prompt'].split())[:90]}")  # fmt: skip


if __name__ == "__main__":
    main()
