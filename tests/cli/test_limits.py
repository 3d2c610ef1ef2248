"""A process that gets too little of the machine says so; it never ends as if nothing was found."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

ENDS = (0, 73)


@pytest.fixture
def rows(run, tmp_path):
    for n in range(3):
        run("remember", f"person{n} deploys on day{n}")
    path = tmp_path / "rows.jsonl"
    lines = [json.dumps({"content": f"row {n} of fox{n}"}) + "\n" for n in range(20)]
    path.write_text("".join(lines))
    return str(path)


def limited(process, kind, value, *argv):
    return process(*argv, preexec_fn=lambda: resource.setrlimit(kind, (value, value)))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mib", [34, 60, 100, 130, 200])
def test_too_little_memory(process, run, rows, mib):
    """Commands that need more memory than they get end with 73 and say that it is memory."""
    for argv in (("dream",), ("import", "--trust", rows), ("remember", f"one at {mib}"),
                 ("doctor", "--deep"), ("embed", "word")):  # fmt: skip
        done = limited(process, resource.RLIMIT_AS, mib << 20, *argv, "--json")
        assert done.code in ENDS, (argv, done.code, done.err)
        if done.code:
            assert done.error["code"] == "out_of_memory"
    assert run("doctor", "--deep").out.startswith("all is well")


def test_no_room_for_vectors(process, rows):
    """Where numpy has no room, it is not tried: what it would end with means something else."""
    done = limited(process, resource.RLIMIT_AS, 100 << 20, "import", "--trust", rows)
    assert done.code == 73
    assert done.err.startswith("tideline: out of memory: vectors need")
    assert "OpenBLAS" not in done.err and "Traceback" not in done.err


@pytest.mark.sampled(2)
@pytest.mark.parametrize("files", [5, 6, 7, 9, 12])
def test_too_few_files(process, run, rows, files):
    """Commands that may open too few files end with 73 and say so."""
    for argv in (("remember", f"one with {files}"), ("recall", "person1"), ("dream",),
                 ("import", "--trust", rows)):  # fmt: skip
        done = limited(process, resource.RLIMIT_NOFILE, files, *argv)
        assert done.code in ENDS, (argv, done.code, done.err)
        if done.code:
            assert "too many open files" in done.err, (argv, done.err)
    assert run("doctor", "--deep").out.startswith("all is well")


def test_the_worker_dies_with_its_import(tmp_path):
    """A process beside an import that is killed ends at once, in the middle of its work."""
    code = (
        "from tideline_cli.exchange.importer.workers import Worker\n"
        "from tideline_cli.vector.worker import frame\n"
        "import os, time\n"
        "made = Worker('tideline_cli.vector.worker', 'hrr-256')\n"
        "made.ask(frame(['one']))\n"
        "made.answer()\n"
        "print(made._process.pid, flush=True)\n"
        "made.ask(frame([f'word{n} ' * 3000 for n in range(400)]))\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    worker = int(parent.stdout.readline())
    time.sleep(0.7)  # it is at work, for several seconds
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    end = time.monotonic() + 1.0
    while os.path.exists(f"/proc/{worker}") and time.monotonic() < end:
        with open(f"/proc/{worker}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                break
        time.sleep(0.02)
    assert time.monotonic() < end
