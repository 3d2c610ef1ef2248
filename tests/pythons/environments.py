"""Pythons of this machine, and an environment for each of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_VERSION = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
_PIP = ("--quiet", "--disable-pip-version-check")


def found(name: str) -> str | None:
    """Return the path of a Python by its name or path, None where there is none that runs: one of
    the path, or else of pyenv, whose own commands mostly fail."""
    ways = [shutil.which(name)]
    if "/" not in name:
        kept = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
        ways += sorted(map(str, kept.glob(f"*/bin/{name}")), reverse=True)
    return next((way for way in ways if way and _fits(version_of(way), name)), None)


def _fits(version: str, name: str) -> bool:
    """Say whether a version is that of a name such as python3.13; a name without one takes any."""
    wanted = Path(name).name.removeprefix("python")
    return bool(version) and (not wanted[1:2] or f"{version}.".startswith(f"{wanted}."))


def version_of(python: str) -> str:
    """Return the version of a Python in three parts, empty where it does not run."""
    try:
        done = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def environment(python: str, folder: Path) -> Path | str:
    """Return a folder with an environment of a Python, made where it is missing, which holds what
    requirements/dev.txt names for it; a text says why there is none."""
    if not (folder / "bin" / "python").exists():
        # Some Pythons have no pip of their own; the one that runs this has one for them.
        made = _tried([python, "-m", "venv", "--without-pip", str(folder)])
        if made:
            return f"no environment: {made}"
    hashed = ("--require-hashes", "--only-binary", ":all:", "-r", "requirements/dev.txt")
    own = ("--no-deps", "--no-build-isolation", "-e", ".")
    for what in (hashed, own):
        into = str(folder / "bin" / "python")
        wrong = _tried([sys.executable, "-m", "pip", "--python", into, "install", *_PIP, *what])
        if wrong:
            return f"cannot install: {wrong}"
    return folder


def _tried(argv: list[str]) -> str:
    """Run a command in the project; return its last line where it fails, else nothing."""
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return "" if done.returncode == 0 else (lines or ["it failed without a word"])[-1]


def run_in(folder: Path, argv: list[str]) -> tuple[str, int]:
    """Run a Python of an environment, its programs first on the path; return its last line and its
    exit code. What it prints is shown meanwhile."""
    environ = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    child = subprocess.Popen(
        [str(folder / "bin" / "python"), *argv], cwd=ROOT, env=environ,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    last = ""
    assert child.stdout is not None
    for line in child.stdout:
        print(line, end="", flush=True)
        last = line.strip() or last
    return last, child.wait()
