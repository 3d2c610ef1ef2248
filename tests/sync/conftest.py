"""Places to test with: a folder, a real git repository, a real sshd, rclone's local backend."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("folder", "git", "ssh", "rclone")
MIRRORED = ("git", "ssh", "rclone")


AT_LENGTH = "TIDELINE_JOURNEY"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most tests of ssh to `make sync-journey`: each costs some seconds for its connections.
    One stays, in which two machines meet."""
    if os.environ.get(AT_LENGTH):
        return
    later = pytest.mark.skip(reason="make sync-journey tests it")
    for item in items:
        is_place = item.path.name in ("test_places.py", "test_place_faults.py")
        if is_place and "[ssh" in item.name and not item.name.startswith("test_two_machines_meet"):
            item.add_marker(later)


@dataclass
class Where:
    """An address, where its files really lie, and the environment that its programs need."""

    kind: str
    address: str
    folder: Path
    environ: dict[str, str]


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A sshd on a port of its own with keys of its own; yield what ssh needs to reach it."""
    program = shutil.which("sshd") or "/usr/sbin/sshd"
    if not Path(program).exists() or not shutil.which("ssh-keygen") or not shutil.which("rsync"):
        pytest.skip("NOT TESTED: sshd or rsync is not installed, so no place is reached by ssh")
    base = tmp_path_factory.mktemp("sshd")
    short = tempfile.mkdtemp(prefix="tls")  # the path of a socket is bounded
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(base / name)],
                       check=True)  # fmt: skip
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (base / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {base}/host\nPidFile none\n"
        f"AuthorizedKeysFile {base}/user.pub\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
    )
    host = (base / "host.pub").read_text()
    (base / "known").write_text(f"[127.0.0.1]:{port} {host}")
    (base / "config").write_text(
        f"Host *\n IdentityFile {base}/user\n IdentitiesOnly yes\n"
        f" UserKnownHostsFile {base}/known\n GlobalKnownHostsFile /dev/null\n"
        # One connection for all calls, as many people have it: it lives on after each call.
        f" ControlMaster auto\n ControlPath {short}/%C\n ControlPersist 60\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    with (base / "log").open("wb") as log:
        server = subprocess.Popen([program, "-D", "-e", "-f", str(base / "sshd_config")],
                                  stderr=log)  # fmt: skip
    try:
        for _ in range(100):
            with socket.socket() as looks:
                if looks.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        else:
            pytest.skip(f"NOT TESTED: sshd does not start: {(base / 'log').read_text()}")
        yield {"port": str(port), "RSYNC_RSH": f"ssh -F {base}/config",
               "GIT_SSH_COMMAND": f"ssh -F {base}/config"}  # fmt: skip
    finally:
        for socket_of_master in Path(short).iterdir():
            subprocess.run(["ssh", "-F", str(base / "config"), "-S", str(socket_of_master), "-O",
                            "exit", "127.0.0.1"], capture_output=True, check=False)  # fmt: skip
        server.terminate()
        server.wait()
        shutil.rmtree(short)


def made(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Where:
    """Return a place of a kind that nobody has used yet."""
    folder = tmp_path / "there" / "the place"
    folder.parent.mkdir()
    environ = dict(os.environ)
    if kind == "folder":
        return Where(kind, str(folder), folder, environ)
    if kind == "git":
        folder = folder.with_suffix(".git")
        subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
        return Where(kind, str(folder), folder, environ)
    if kind == "rclone":
        if not shutil.which("rclone"):
            pytest.skip("NOT TESTED: rclone is not installed")
        environ["RCLONE_CONFIG_BOX_TYPE"] = "local"
        return Where(kind, f"rclone:box:{folder}", folder, environ)
    keys = dict(request.getfixturevalue("sshd"))
    address = f"ssh://127.0.0.1:{keys.pop('port')}{folder}"
    return Where(kind, address, folder, environ | keys)


@pytest.fixture(params=KINDS)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    """A place of each kind."""
    return made(request.param, tmp_path, request)


@pytest.fixture(params=MIRRORED)
def far(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    """A place of each kind that has a mirror."""
    return made(request.param, tmp_path, request)


@pytest.fixture
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    """A bare git repository as a place."""
    return made("git", tmp_path, request)


@pytest.fixture
def beside_ssh(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    """A folder behind sshd as a place."""
    return made("ssh", tmp_path, request)
