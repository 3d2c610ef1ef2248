"""Is what would be released whole? Build it, install it where nothing is, and look.

    python -m tests.release

An sdist is built from the checkout, a wheel from the sdist, and each is installed into an
environment of its own. What fails is named; the exit code says whether anything did.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

from tideline_cli import __version__
from tideline_cli.cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
SHARED = (
    "man/man1/tideline.1",
    *(f"man/man1/tideline-{name}.1" for name in COMMANDS),
    "bash-completion/completions/tideline.bash",
    "zsh/site-functions/_tideline",
    "fish/vendor_completions.d/tideline.fish",
)
SCRIPTS = {"bash": "tideline.bash", "zsh": "_tideline", "fish": "tideline.fish",
           "powershell": "tideline.ps1"}  # fmt: skip


def main() -> int:
    """Build, install and look; return 0 when nothing is wrong."""
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tideline-release-") as folder:
        sdist = _built(Path(folder), dist)
        wheel = _wheel(sdist, dist)
        wrong += _looked_into(sdist, wheel)
        for machine in ("amd64", "arm64"):
            wrong += _started_on_windows(_windows_wheel(sdist, dist, machine), wheel)
        for name, archive in (("sdist", sdist), ("wheel", wheel)):
            wrong += [f"{name}: {what}" for what in _tried(Path(folder) / name, archive)]
    for what in wrong:
        print(what, file=sys.stderr)
    print(f"{sdist.name}, {wheel.name}: {'not whole' if wrong else 'whole'}")
    return 1 if wrong else 0


def _built(folder: Path, dist: Path) -> Path:
    """Build an sdist of what git has, so that nothing of the checkout beside it gets in."""
    clean = folder / "clean"
    clean.mkdir()
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", "HEAD"], check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", str(clean)], input=packed.stdout, check=True)
    dist.mkdir()
    tools = _tools_of_the_build(folder, clean)
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(dist)!r})"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=clean,
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(tools)},
    )
    return next(dist.glob("*.tar.gz"))


def _tools_of_the_build(folder: Path, clean: Path) -> Path:
    """Install what the build asks for: a Python's own setuptools may be too old to read ours."""
    with (clean / "pyproject.toml").open("rb") as file:
        asked = tomllib.load(file)["build-system"]["requires"]
    tools = folder / "tools"
    subprocess.run([sys.executable, *PIP, "install", "--target", str(tools), *asked], check=True)
    return tools


def _wheel(sdist: Path, dist: Path) -> Path:
    command = [sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", str(dist), str(sdist)]
    subprocess.run(command, check=True)
    return next(dist.glob("*-any.whl"))


def _windows_wheel(sdist: Path, dist: Path, machine: str) -> Path:
    """Build the wheel of which pip makes a tideline.exe; Windows takes no script of ours."""
    command = [sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", str(dist), str(sdist)]
    asked = os.environ | {"TIDELINE_WHEEL": f"win_{machine}"}  # see setup.py
    subprocess.run(command, check=True, env=asked)
    return next(dist.glob(f"*-win_{machine}.whl"))


def _started_on_windows(wheel: Path, other: Path) -> list[str]:
    """Return what a wheel for Windows has wrong: it holds what the other one does, and is started
    by an entry point in place of a script."""
    with zipfile.ZipFile(wheel) as opened, zipfile.ZipFile(other) as plain:
        names, others = set(opened.namelist()), set(plain.namelist())
    script = next(name for name in others if name.endswith(".data/scripts/tideline"))
    point = script.split(".data/")[0] + ".dist-info/entry_points.txt"
    wrong = others.symmetric_difference(names) ^ {script, point}
    return [f"{wheel.name}: {name}" for name in sorted(wrong)]


def _looked_into(sdist: Path, wheel: Path) -> list[str]:
    """Return what the archives lack, and what does not belong into them."""
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    wrong = [
        f"wheel: no {shared}"
        for shared in SHARED
        if not any(name.endswith(f"/data/share/{shared}") for name in names)
    ]
    wrong += [f"wheel: {name}" for name in names if name.startswith(("tests/", "bench/"))]
    if "tideline_cli/py.typed" not in names:
        wrong.append("wheel: no py.typed")
    with tarfile.open(sdist) as packed:
        held = {name.partition("/")[2] for name in packed.getnames()}
    needed = ("LICENSE", "README.md", "pyproject.toml", "setup.py", "bin/tideline",
              "man/tideline.1")  # fmt: skip
    return wrong + [f"sdist: no {name}" for name in needed if name not in held]


def _tried(place: Path, archive: Path) -> list[str]:
    """Install an archive into an empty environment and use it; return what is wrong."""
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    subprocess.run([str(python), *PIP, "install", str(archive)], check=True)
    share = place / "share"
    wrong = [f"not installed: share/{name}" for name in SHARED if not (share / name).is_file()]
    said = _said(place, "tideline", "--version")
    if said != f"tideline {__version__}":
        wrong.append(f"tideline --version printed {said!r}")
    for shell, name in SCRIPTS.items():
        if _said(place, "tideline", "completions", shell) != _committed(name):
            wrong.append(f"tideline completions {shell} prints something else than {name}")
    _said(place, "tideline", "remember", "the release is whole")
    if "the release is whole" not in _said(place, "tideline", "recall", "release"):
        wrong.append("what was remembered is not recalled")
    if shutil.which("man"):
        page = _said(place, "man", "-M", str(share / "man"), "tideline")
        if "tideline" not in page.lower():
            wrong.append("man tideline shows nothing")
    if shutil.which("bash"):
        completions = share / "bash-completion" / "completions" / "tideline.bash"
        _said(place, "bash", "-c", f"source '{completions}' && complete -p tideline")
    return wrong


def _committed(name: str) -> str:
    return (ROOT / "completions" / name).read_text("utf-8").strip()


def _said(place: Path, *command: str) -> str:
    """Return what a command printed with this environment first on the path."""
    surroundings = {
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(place), "TIDELINE_HOME": str(place / "memory"), "LC_ALL": "C.UTF-8",
    }  # fmt: skip
    done = subprocess.run(
        command, env=surroundings, check=True, capture_output=True, text=True, cwd=place
    )
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
