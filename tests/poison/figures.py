"""Print how many attacks there were and how many succeeded; `make poison` runs it.

The figures of near-verbatim contradictions are no pass or failure: they are the limit that
docs/internals/guarantees.md states.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from itertools import chain

from tests.poison import attacks, honest, hostile_models
from tests.poison.attacks import DAY, SPOKEN
from tests.poison.battle import Battle, battlefield
from tests.support import DAY as DAY_MS
from tests.support import NOW
from tideline_cli.model.source import UNTRUSTED


def fought(battle):
    """Count all attacks and those that did harm, by lane."""
    tried, won = Counter(), Counter()
    for attack in chain(attacks.everything(), hostile_models.everything()):
        codes = battle.fight(attack)
        harm = battle.harm(attack)
        tried[attack.lane] += 1
        won[attack.lane] += bool(harm) or max(codes) > 4
        if harm:
            print(f"  {attack}: {harm[0]}")
    return tried, won


def refused(battle):
    """Count the honest writes and those that were refused."""
    codes = [
        battle.fight(attacks.Attack("honest", name, (words, text)))
        for name, words, text in honest.writes()
    ]
    return len(codes), sum(code != [0] for code in codes)


def swallowed(battle):
    """Count the owner's words that an untrusted source had forestalled, and those lost in it."""
    tried = lost = 0
    for name, first, text, own in honest.forestalled():
        battle.fight(attacks.Attack("first", name, first))
        done = battle.run("remember", text, *own, "--json").json["fact"]
        tried += 1
        lost += (done["source"], done["content"]) != ("owner_message", text)
    return tried, lost


def overtaken(battle, source, voice, days):
    """Say whether a near-verbatim contradiction comes before the owner's fact after some days."""
    lie = f"{SPOKEN[DAY]} never"
    battle.fight(attacks.Attack("first", "nothing"))
    later = ("--now", str(NOW + days * DAY_MS))
    battle.run("remember", lie, "--source", source, *voice, *later)
    found = battle.run("recall", SPOKEN[DAY], "--json", "--no-touch", *later).json["hits"]
    return found[0]["content"] == lie


def main():
    os.environ["TIDELINE_HOME"] = tempfile.mkdtemp(prefix="tideline-poison-home-")
    os.environ["TIDELINE_NOW"] = str(NOW)
    began = time.perf_counter()
    with battlefield() as folder:
        battle = Battle(folder)
        tried, won = fought(battle)
        for lane, count in tried.items():
            print(f"{lane:<12} {count:>5} attacks {won[lane]:>3} successes")
        print(f"{'all':<12} {tried.total():>5} attacks {won.total():>3} successes")
        count, bad = refused(battle)
        print(f"{'honest':<12} {count:>5} writes  {bad:>3} refused")
        more, lost = swallowed(battle)
        print(f"{'forestalled':<12} {more:>5} writes  {lost:>3} swallowed")
        for voice in ((), ("--importance", "1")):
            for source in UNTRUSTED:
                first = next(
                    (days for days in range(366) if overtaken(battle, source, voice, days)), None
                )
                print(f"near-verbatim contradiction by {source} {' '.join(voice)}: first after"
                      f" {first} days without use of the owner's fact")  # fmt: skip
    print(f"{time.perf_counter() - began:.0f} s")
    return 1 if won.total() + bad + lost else 0


if __name__ == "__main__":
    sys.exit(main())
