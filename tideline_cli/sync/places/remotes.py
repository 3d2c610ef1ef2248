"""Places of other machines: a folder, by rsync over ssh, and what rclone reaches."""

from __future__ import annotations

import json
import os
import re
import shlex

from tideline_cli.model.record import replace
from tideline_cli.sync import layout
from tideline_cli.sync.places.mirrored import Mirrored, PlacedFile, meaning_of
from tideline_cli.sync.segment import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.sync.places.addresses import Address
    from tideline_cli.system.programs import Done, Programs

_ROW = re.compile(rb"-[rwxsStT-]{9}[.+@]? +([0-9,.]+) [0-9/-]+ [0-9:]+ (.+)")
_FILTERS = ("--include=/*/", f"--include=/{layout.PLACE_FILE}", f"--include=/{layout.KEYS}/*",
            f"--include=/*/*{layout.SEGMENT}", "--exclude=*")  # fmt: skip
_LEFT = ".*.seg.??????"  # what an rsync that was killed leaves
_NOISE = ("rsync error", "Broken pipe (32)")  # what follows from the first error
_SOME_FAILED = 23
_VANISHED = 24
_SSH_OPTIONS = ("-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15", "-o",
                "ServerAliveCountMax=4")  # fmt: skip


class SshPlace(Mirrored):
    """A place that rsync reaches over ssh; ssh asks for passwords and host keys by itself, where
    there is a terminal."""

    kind = "ssh"

    def __init__(
        self, shown: str, address: Address, *, mirror: str, replica: str, programs: Programs
    ) -> None:
        super().__init__(shown, mirror=mirror, replica=replica, programs=programs)
        self._there = f"{address.login}:{address.path.rstrip('/')}/"
        self._shell = _shell(programs, address.port)

    def _list(self) -> dict[str, PlacedFile]:
        done = self._rsync("--list-only", "--recursive", *_FILTERS, "--", self._there)
        if done.code == _SOME_FAILED and _is_missing(done.err):
            return {}
        self._check(done)
        found = {}
        for row in done.out.split(b"\n"):
            parts = _ROW.fullmatch(row)
            path = parts[2].decode("ascii", "replace") if parts else ""
            if parts and layout.is_ours(path):
                found[path] = PlacedFile(int(parts[1].translate(None, b",.")))
        return found

    def _get(self, paths: Sequence[str]) -> None:
        listed = f"--files-from={self._mirror.listed(paths)}"
        done = self._rsync(listed, f"--max-size={LARGEST}", "--no-implied-dirs", "--", self._there,
                           f"{self._mirror.incoming}/")  # fmt: skip
        if done.code != _SOME_FAILED or not _is_missing(done.err):
            self._check(done)

    def _publish(self, put: Sequence[str], gone: Sequence[str], own: str) -> bool:
        if put:
            self._check(self._rsync(
                f"--files-from={self._mirror.listed(put)}", "--times", "--ignore-existing", "--",
                f"{self._mirror.files}/", self._there,
            ))  # fmt: skip
        if gone:
            names = [path.rpartition("/")[2] for path in gone]
            self._check(self._rsync(
                "--recursive", "--delete", "--existing", "--ignore-existing",
                f"--include-from={self._mirror.listed([*names, _LEFT], start='/')}", "--exclude=*",
                "--", f"{self._mirror.files}/{own}/", f"{self._there}{own}/",
            ))  # fmt: skip
        return True

    def _rsync(self, *words: str) -> Done:
        """Run rsync; paths of the other side are protected from the shell there (-s)."""
        return self._run(("rsync", "-s", "--timeout=60", f"--rsh={self._shell}", *words))

    def _check(self, done: Done) -> None:
        if done.code == _VANISHED:
            return
        lines = done.err.splitlines()
        told = [line for line in lines if not any(noise in line for noise in _NOISE)]
        super()._check(replace(done, err="\n".join(told or lines)))


def _is_missing(said: str) -> bool:
    """Say whether rsync failed because files or the folder are not there, and for that alone; what
    ssh and the other machine say besides does not count."""
    lines = [line for line in said.splitlines() if line.startswith("rsync")]
    told = [line for line in lines if not any(noise in line for noise in _NOISE)]
    return bool(told) and all("No such file or directory (2)" in line for line in told)


def _shell(programs: Programs, port: int) -> str:
    """Return the remote shell as rsync takes it: that of the user's RSYNC_RSH, or ssh."""
    words = shlex.split(programs.environ.get("RSYNC_RSH", "")) or ["ssh"]
    if os.path.basename(words[0]) == "ssh":
        words += _SSH_OPTIONS
        words += () if programs.on_terminal else ("-o", "BatchMode=yes", "-o", "LogLevel=ERROR")
        words += ("-p", str(port)) if port else ()
    return " ".join(f"'{word}'" if " " in word else word for word in words)


_NO_FOLDER = 3
_OPTIONS = ("--quiet", "--ask-password=false", "--timeout=60s", "--contimeout=20s", "--retries=2",
            "--low-level-retries=3")  # fmt: skip


class RclonePlace(Mirrored):
    """A place that rclone reaches."""

    kind = "rclone"

    def __init__(
        self, shown: str, address: Address, *, mirror: str, replica: str, programs: Programs
    ) -> None:
        super().__init__(shown, mirror=mirror, replica=replica, programs=programs)
        self._there = address.path

    def _list(self) -> dict[str, PlacedFile]:
        done = self._rclone("lsjson", "--recursive", "--files-only", "--no-modtime",
                            "--no-mimetype", "--max-depth=2", "--", self._there)  # fmt: skip
        if done.code == _NO_FOLDER:
            return {}
        self._check(done)
        try:
            rows = json.loads(done.out)
            listed = {row["Path"]: PlacedFile(int(row["Size"])) for row in rows}
        except (ValueError, KeyError, TypeError):
            raise meaning_of("rclone gave a list that cannot be read", self.address) from None
        return {path: entry for path, entry in listed.items() if layout.is_ours(path)}

    def _get(self, paths: Sequence[str]) -> None:
        self._check(self._copy(paths, self._there, self._mirror.incoming))

    def _publish(self, put: Sequence[str], gone: Sequence[str], own: str) -> bool:  # noqa: ARG002  as of all kinds
        if put:
            self._check(self._copy(put, self._mirror.files, self._there))
        if gone:
            listed = f"--files-from-raw={self._mirror.listed(gone)}"
            self._check(self._rclone("delete", listed, "--", self._there))
        return True

    def _copy(self, paths: Sequence[str], source: str, target: str) -> Done:
        listed = f"--files-from-raw={self._mirror.listed(paths)}"
        return self._rclone("copy", listed, "--ignore-times", "--no-traverse", "--", source, target)

    def _rclone(self, command: str, *words: str) -> Done:
        return self._run(("rclone", command, *_OPTIONS, *words))
