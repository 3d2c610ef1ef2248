"""An import that is killed and run again ends where one run ends."""

from __future__ import annotations

import json
import os
import time
from random import Random

import pytest

from tests.faults.nursery import Nursery
from tests.support import DAY, NOW, named_id, often
from tideline_cli.model.instant import iso

ROWS = 1300
CLOCK = {"TIDELINE_NOW": str(NOW)}


def ident(n):
    return named_id(f"R{n:05d}")


def row(n):
    """A row with edges forwards and backwards, sources, uses, and slots that follow one another."""
    said = NOW - (n * 7919 % 900) * DAY
    made = {
        "id": ident(n), "content": f"fact number {n} of word{n % 31} and word{n * n % 37}",
        "created_at": iso(said),
        "links": [{"kind": "supports", "target": ident((n * 613 + 1) % ROWS)},
                  {"kind": "causes", "target": ident((n + 1) % ROWS)}],
    }  # fmt: skip
    if n % 3 == 0:
        made |= {"derived_from": [ident((n + 40) % ROWS)], "access_count": n % 5,
                 "last_accessed_at": iso(min(NOW, said + DAY))}  # fmt: skip
    if n % 50 == 0:
        made |= {"slot": f"slot {n // 50 % 5}"}
    if n % 11 == 0:
        made |= {"lifecycle": "archived", "valid_to": iso(said)}
    return made


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("cut") / "rows.jsonl"
    path.write_text("".join(json.dumps(row(n)) + "\n" for n in range(ROWS)))
    return str(path)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("merge", [(), ("--merge",)])
def test_killed_anywhere_and_run_again(merge, file, tmp_path):
    """After kill -9 at a random moment a second run gives the facts, edges, sources, uses and
    values of slots that one run gives, byte for byte."""
    random = Random(7)
    argv = ("import", file, "--trust", *merge, "--json")
    with Nursery() as nursery:
        whole = tmp_path / "whole"
        whole.mkdir()
        began = time.monotonic()
        assert nursery.run(*argv, home=whole, environ=CLOCK).code == 0
        length = time.monotonic() - began
        wanted = nursery.run("export", home=whole).out
        assert sum(len(json.loads(line)["links"]) for line in wanted.splitlines()) > 2 * ROWS - 99
        cut = 0
        for number in range(often(1, 6) if merge else often(2, 12)):
            home = tmp_path / f"cut{number}"
            home.mkdir()
            child = nursery.start(*argv, home=home, environ=CLOCK)
            time.sleep(random.uniform(0.1, 1) * length)
            child.kill()
            cut += child.wait() == -9
            if os.path.exists(home / "tideline.db"):
                assert nursery.run(*argv, home=home, environ=CLOCK).code == 0
                assert nursery.run("export", home=home).out == wanted
        assert cut
        done = nursery.run(*argv, home=whole, environ=CLOCK).json
        assert (done["added"], done["links"], done["present"]) == (0, 0, ROWS)
        assert nursery.run("export", home=whole).out == wanted
        assert nursery.run("doctor", "--deep", home=whole).code == 0
