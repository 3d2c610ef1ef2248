"""A remote of rclone as a place: what it is, and who may read it, rclone's settings say."""

from __future__ import annotations

import json

from tideline_cli.sync import layout
from tideline_cli.sync.places.mirrored import Mirrored, PlacedFile
from tideline_cli.sync.places.trouble import meaning_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.sync.places.addresses import Address
    from tideline_cli.sync.places.programs import Done, Programs

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
