"""How long a command takes in a new process, and how much memory.

Rules that the figures keep:

* jobs are interleaved: every round runs each job once, so that a busy spell hits all alike;
* the first round warms caches and compiles byte code, and does not count;
* a ratio is the median divided by the median of `python -c pass`, the interpreter of the same
  virtual environment, in the same rounds;
* children get an environment of their own, without PYTHONDONTWRITEBYTECODE, PYTHONUNBUFFERED and
  the like: they write byte code, and stdout is a pipe;
* both run in a plain virtual environment under bench/.work, made of links to what the project's
  own has installed: the import hook of an editable install adds 8 ms to every start of Python,
  which would make the ratios look almost half as large as they are for users;
* peak memory is taken through a small launcher: Linux counts the peak of the process that starts
  another as the other's own until it has run its program.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

BENCH = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(BENCH, ".work")
ROUNDS = 9
PASS = "python -c pass"

_LAUNCHER = """
import os, sys
null = os.open(os.devnull, os.O_RDWR)
to_null = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=to_null)
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""

Argv = Sequence[str] | Callable[[int], Sequence[str]]


def clean_env(**more: str) -> dict[str, str]:
    """Return the environment of the children."""
    home = os.path.join(WORK, "home")
    os.makedirs(home, mode=0o700, exist_ok=True)
    keep = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return {**keep, "HOME": home, "LANG": "C.UTF-8", "TIDELINE_HOME": home, **more}


def plain_venv() -> str:
    """Return the directory of the plain environment; make it when the project's has changed."""
    here, installed = os.path.join(WORK, "venv"), sysconfig.get_path("purelib")
    mark = os.path.join(here, "made-from")
    entries = sorted(os.listdir(installed))
    state = "\n".join([sys.version, installed, *entries])
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == state:
                return here
    shutil.rmtree(here, ignore_errors=True)
    venv.EnvBuilder(symlinks=True).create(here)
    library = sysconfig.get_path("purelib", vars={"base": here})
    for entry in entries:
        hook = entry.endswith(".pth") or entry.startswith("__editable__")
        if not hook and entry not in ("__pycache__", "tideline_cli"):
            os.symlink(os.path.join(installed, entry), os.path.join(library, entry))
    package = os.path.join(os.path.dirname(BENCH), "tideline_cli")
    os.symlink(package, os.path.join(library, "tideline_cli"))
    with open(os.path.join(os.path.dirname(BENCH), "bin", "tideline"), encoding="utf-8") as file:
        script = file.read()
    command = os.path.join(here, "bin", "tideline")
    with open(command, "w", encoding="utf-8") as file:
        file.write(script.replace("#!python", f"#!{here}/bin/python", 1))
    os.chmod(command, 0o755)
    with open(mark, "w", encoding="utf-8") as file:
        file.write(state)
    return here


PYTHON = os.path.join(plain_venv(), "bin", "python")
TIDELINE = os.path.join(os.path.dirname(PYTHON), "tideline")


@dataclass
class Job:
    """One command; `argv` may be a function of the round, for commands that must differ."""

    name: str
    argv: Argv
    env: Mapping[str, str]
    codes: tuple[int, ...] = (0,)

    def at(self, number: int) -> list[str]:
        """Return the command line of a round."""
        return list(self.argv(number) if callable(self.argv) else self.argv)


@dataclass
class Sample:
    """What was measured of one job."""

    name: str
    wall: list[float] = field(default_factory=list)  # ms
    cpu: list[float] = field(default_factory=list)  # ms
    failure: str = ""
    ratio: float = 0.0
    least_ratio: float = 0.0

    @property
    def ms(self) -> float:
        """The median."""
        return median(self.wall)

    @property
    def least(self) -> float:
        """The fastest run."""
        return min(self.wall)

    def line(self) -> str:
        """One line of a table."""
        if self.failure:
            return f"{self.name:<28} failed: {self.failure}"
        return (
            f"{self.name:<28} {self.ms:8.1f} {self.least:8.1f} {median(self.cpu):8.1f} "
            f"{self.ratio:7.2f} {self.least_ratio:7.2f}"
        )


HEADER = f"{'':<28} {'median':>8} {'least':>8} {'cpu':>8} {'ratio':>7} {'least':>7}   (ms; x pass)"


def run_once(argv: Sequence[str], env: Mapping[str, str]) -> tuple[float, float, int, bytes]:
    """Run a command with its output in a pipe; return wall ms, cpu ms, exit code and output."""
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    actions = [
        (os.POSIX_SPAWN_DUP2, null, 0),
        (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_DUP2, null, 2),
    ]
    begin = time.perf_counter()
    pid = os.posix_spawn(argv[0], list(argv), dict(env), file_actions=actions)
    os.close(writing)
    chunks = []
    while chunk := os.read(reading, 65536):
        chunks.append(chunk)
    _, status, used = os.wait4(pid, 0)
    wall = time.perf_counter() - begin
    os.close(reading)
    os.close(null)
    code = os.waitstatus_to_exitcode(status)
    return wall * 1e3, (used.ru_utime + used.ru_stime) * 1e3, code, b"".join(chunks)


def _trouble(job: Job) -> str:
    """Run a job once, uncounted; return what is wrong with it, or nothing."""
    done = subprocess.run(
        job.at(-1), env=dict(job.env), capture_output=True, stdin=subprocess.DEVNULL, cwd=WORK
    )
    if done.returncode in job.codes:
        return ""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return f"exit {done.returncode}" + (f": {lines[-1][:70]}" if lines else "")


def measure(jobs: Sequence[Job], rounds: int = ROUNDS) -> dict[str, Sample]:
    """Run the jobs interleaved with `python -c pass`; return a sample for each name."""
    os.makedirs(WORK, exist_ok=True)
    os.chdir(WORK)  # away from a .tideline.toml that a checkout may hold
    every = [Job(PASS, [PYTHON, "-c", "pass"], clean_env()), *jobs]
    samples = {job.name: Sample(job.name, failure=_trouble(job)) for job in every}
    for number in range(rounds):
        for job in every:
            sample = samples[job.name]
            if sample.failure:
                continue
            wall, cpu, code, _ = run_once(job.at(number), job.env)
            if code not in job.codes:
                sample.failure = f"exit {code} in round {number}"
            sample.wall.append(wall)
            sample.cpu.append(cpu)
    base = samples[PASS]
    for sample in samples.values():
        if not sample.failure:
            sample.ratio = sample.ms / base.ms
            sample.least_ratio = sample.least / base.least
    return samples


def peak_rss(argv: Sequence[str], env: Mapping[str, str]) -> float:
    """Return the peak resident memory of a command in MiB."""
    done = subprocess.run(
        [PYTHON, "-I", "-S", "-c", _LAUNCHER, *argv],
        env=dict(env), capture_output=True, stdin=subprocess.DEVNULL, cwd=WORK, check=True,
    )  # fmt: skip
    return int(done.stdout.split()[0]) / 1024


def pooled(name: str, samples: Sequence[Sample]) -> Sample:
    """Return several jobs as one: the median of their medians, the worst ratio as a note."""
    bad = [sample for sample in samples if sample.failure]
    if bad:
        return Sample(name, failure=bad[0].failure)
    return Sample(
        name,
        [sample.ms for sample in samples],
        [median(sample.cpu) for sample in samples],
        ratio=median(sample.ratio for sample in samples),
        least_ratio=median(sample.least_ratio for sample in samples),
    )
