"""Writers that wait are served in the order in which they came."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import ROOT
from tideline_cli.store import locks

pytestmark = pytest.mark.file_alone("the lock file of the writers")

_WRITER = """\
import sys
from tideline_cli.store import locks
held = locks.wait(sys.argv[1], locks.WRITER, seconds=30)
print(sys.argv[2], flush=True)
with open(sys.argv[1] + ".order", "a") as file:
    file.write(sys.argv[2])
locks.release(held)
"""


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="no list of who waits")
def test_in_order_of_arrival(tmp_path):
    """Six processes come one after the other while the lock is held; it goes from the first to the
    last."""
    store = str(tmp_path / "m.db")
    held = locks.wait(store, locks.WRITER, seconds=1)
    waiting = []
    for name in "abcdef":
        waiting.append(subprocess.Popen([sys.executable, "-c", _WRITER, store, name], cwd=ROOT,
                                        stdout=subprocess.DEVNULL))  # fmt: skip
        _until_blocked(waiting[-1].pid)
    locks.release(held)
    assert [one.wait(30) for one in waiting] == [0] * 6
    assert (tmp_path / "m.db.order").read_text() == "abcdef"


def _until_blocked(pid):
    """Wait until the kernel lists a process among those that wait for a lock."""
    for _ in range(1000):
        with open("/proc/locks") as file:
            if any("->" in line and f" {pid} " in line for line in file):
                return
        time.sleep(0.01)
    raise AssertionError(f"{pid} does not wait")
