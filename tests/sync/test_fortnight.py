"""Two laptops and a server sync for a fortnight: through a folder here, through git, ssh and rclone
by `make sync-journey`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.nursery import Nursery
from tests.sync.conftest import made
from tests.sync.fortnight import NAMES, Fortnight, objects, readable
from tests.sync.homes import World

WHOLE = "TIDELINE_JOURNEY"  # set: all kinds of places, and all days
KINDS = ("folder", "git", "git+ssh", "ssh", "rclone")
_IS_WHOLE = WHOLE in os.environ


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS if _IS_WHOLE else KINDS[:1])
def test_a_fortnight_on_three_machines(kind, tmp_path, request):
    """At the end all exports are the same bytes, and what was purged is nowhere."""
    where = made("git" if kind == "git+ssh" else kind, tmp_path, request)
    address, keys = where.address, {}
    if kind == "git+ssh":
        keys = dict(request.getfixturevalue("sshd"))
        address = f"git+ssh://127.0.0.1:{keys.pop('port')}{where.folder}"
    environ = {name: value for name, value in (where.environ | keys).items()
               if name not in os.environ and not name.startswith("TIDELINE")}  # fmt: skip
    with Nursery() as nursery:
        world = World(nursery, tmp_path / "world", names=NAMES, address=address)
        world.environ = environ
        life = Fortnight(world, days=14 if _IS_WHOLE else 4)
        life.live()
        assert life.end() == []
        if "git" in kind:
            blobs = objects(where.folder)
            assert len(blobs) > life.days
        else:
            blobs = [one.read_bytes() for one in Path(where.folder).glob("*/*.seg")]
            assert len(blobs) >= len(NAMES)
        assert readable(world, blobs) == []
    print(f"\n{kind}: {life.days} days, {life.syncs} syncs, {len(world.export('lark'))} facts")
