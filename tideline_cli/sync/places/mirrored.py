"""A place that is reached by another program: its files lie in a mirror here, one's own go out.

What another replica wrote is never changed there, and what is there under one's own id is never
overwritten: it is compared.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
from time import sleep

from tideline_cli.errors import (
    BusyError,
    CannotWriteError,
    TidelineError,
    UnavailableError,
    UsageError,
)
from tideline_cli.model.record import Record, replace
from tideline_cli.store import locks
from tideline_cli.store.private_files import make_folder
from tideline_cli.sync import folders, layout
from tideline_cli.sync.segment import LARGEST
from tideline_cli.system import NOFOLLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tideline_cli.sync.places.addresses import Address
    from tideline_cli.system.programs import Done, Programs

_WAIT = 60.0  # seconds for another sync of this machine
_LOCK = os.O_RDWR | os.O_CREAT | NOFOLLOW


class Mirror:
    """`files` is laid out as the place, `incoming` holds what is just arriving. `lock` is the open
    lock file while the mirror is `alone`: programs that work on it inherit it, so that the mirror
    is not free before they have ended, even where we were killed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.files = os.path.join(path, "files")
        self.incoming = os.path.join(path, "incoming")
        self.lock = -1

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only process that uses the mirror; raise BusyError after a minute."""
        try:
            make_folder(self.files)
            self.lock = os.open(os.path.join(self.path, "lock"), _LOCK, 0o600)
        except OSError as error:
            raise layout.cannot_write(self.path, error) from error
        try:
            if not locks.take(self.lock, seconds=_WAIT):
                raise BusyError("another sync with this place is running", hint="try again")
            yield
        finally:
            os.close(self.lock)
            self.lock = -1

    def sizes(self) -> dict[str, int]:
        """Return the sizes of the files, by their paths."""
        found = {}
        for folder in ("", layout.KEYS, *folders.replicas(self.files)):
            for name in layout.names(self.files, folder):
                path = f"{folder}/{name}" if folder else name
                if layout.is_ours(path):
                    with suppress(FileNotFoundError):
                        found[path] = os.lstat(os.path.join(self.files, path)).st_size
        return found

    def read(self, path: str) -> bytes:
        """Return the content of a file; raise FileNotFoundError."""
        folder, _, name = path.rpartition("/")
        return layout.read(self.files, folder, name)

    def take(self, paths: Sequence[str], get: Callable[[Sequence[str]], None]) -> None:
        """Bring in files that `get` lays into `incoming`, each whole or not at all."""
        if not paths:
            return
        try:
            self.clear_incoming()
            get(paths)
            for path in paths:
                source, target = (os.path.join(one, path) for one in (self.incoming, self.files))
                with suppress(FileNotFoundError, NotADirectoryError):  # it is gone meanwhile
                    if stat.S_ISREG(os.lstat(source).st_mode):
                        os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
                        os.replace(source, target)
            shutil.rmtree(self.incoming, ignore_errors=True)
        except OSError as error:
            raise layout.cannot_write(self.path, error) from error

    def clear_incoming(self) -> None:
        """Leave `incoming` empty."""
        shutil.rmtree(self.incoming, ignore_errors=True)
        make_folder(self.incoming)

    def drop(self, paths: Sequence[str]) -> None:
        """Remove segments, and folders of replicas that have none left."""
        for path in paths:
            folder, _, name = path.rpartition("/")
            layout.remove(self.files, folder, [name])
        for folder in {path.rpartition("/")[0] for path in paths}:
            with suppress(OSError):
                os.rmdir(os.path.join(self.files, folder))  # where nothing is in it

    def listed(self, paths: Sequence[str], *, start: str = "") -> str:
        """Write paths into a file, a line each, and return its name."""
        name = os.path.join(self.path, "list")
        try:
            with open(name, "w", encoding="ascii") as file:
                file.writelines(f"{start}{path}\n" for path in paths)
        except OSError as error:
            raise layout.cannot_write(name, error) from error
        return name


_TRIES = 10  # times to publish, while others publish too
_PAUSE = 0.05  # seconds after the first of them; each is twice as long, up to 1.6 s


class PlacedFile(Record):
    """A file of a place, as the place lists it; `mark` tells its content, where the place knows."""

    size: int
    mark: str = ""


class Mirrored(ABC):
    """A place with a mirror. `replica` is one's own id, empty where there is none yet; then nothing
    is removed from the mirror."""

    kind = ""

    def __init__(
        self, shown: str, address: Address, *, mirror: str, replica: str, programs: Programs
    ) -> None:
        self.address = shown
        self._there = address.path
        self._mirror = Mirror(mirror)
        self._replica = replica
        self._programs = programs
        self._has_place = False  # whether the last fetch found place.json there

    def is_owners_alone(self) -> bool:
        """Say whether only its owner can write there: nobody here knows that."""
        return False

    def is_private(self) -> bool:
        """Say whether only its owner can read it: nobody here knows that either."""
        return False

    def fetch(self) -> str:
        """Bring the mirror up to date, and return its folder.

        One's own files that are not there yet stay. Raises BusyError (75) for a place that cannot
        be reached now, UsageError for an address that leads nowhere.
        """
        with self._mirror.alone():
            there = self._list()
            self._has_place = layout.PLACE_FILE in there
            self._mirror.take(self._wanted(there), self._get)
            if self._replica:
                self._mirror.drop([
                    path
                    for path in self._mirror.sizes()
                    if path not in there and not self._may_be_unsent(path)
                ])  # fmt: skip
        return self._mirror.files

    def send(self, own_replica: str) -> None:
        """Publish the folder of one's own replica, keys and place.json; what a snapshot has
        replaced is removed there.

        Raises StoreError where another machine writes as this replica, BusyError where the place
        cannot be reached or others keep publishing, CannotWriteError where it takes nothing.
        """
        with self._mirror.alone():
            for attempt in range(_TRIES):
                there = self._list()
                self._check_place(there)
                put, gone = self._plan(there, own_replica)
                if (not put and not gone) or self._publish(put, gone, own_replica):
                    return
                sleep(_PAUSE * 2 ** min(attempt, 5) * (0.5 + os.urandom(1)[0] / 256))
        raise BusyError(
            f"{self.address}: others write there all the time", hint="try again",
            code="unreachable",
        )  # fmt: skip

    @abstractmethod
    def _list(self) -> dict[str, PlacedFile]:
        """Return the files of the layout that the place has now, by their paths."""

    @abstractmethod
    def _get(self, paths: Sequence[str]) -> None:
        """Copy files of the place to the same paths in the empty folder `incoming` of the mirror;
        what is gone meanwhile may lack."""

    @abstractmethod
    def _publish(self, put: Sequence[str], gone: Sequence[str], own: str) -> bool:
        """Copy files of the mirror to the place and remove others there; say False where somebody
        else was faster, and all of it must be done again."""

    def _is_same(self, data: bytes, entry: PlacedFile) -> bool:
        """Say whether a file here has the content that the place lists, as far as it tells."""
        return len(data) == entry.size

    def _run(
        self, words: Sequence[str], *, stdin: bytes = b"", cwd: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Done:  # fmt: skip
        return self._programs.run(
            words, stdin=stdin, cwd=cwd, variables=variables, held=self._mirror.lock
        )

    def _check(self, done: Done) -> None:
        """Raise what a program means that has failed."""
        if done.code:
            said = done.err + done.out[:4096].decode("utf-8", "replace")
            raise meaning_of(said, self.address)

    def _is_own(self, path: str) -> bool:
        return bool(self._replica) and path.startswith(f"{self._replica}/")

    def _may_be_unsent(self, path: str) -> bool:
        return "/" not in path or path.startswith(f"{layout.KEYS}/") or self._is_own(path)

    def _wanted(self, there: Mapping[str, PlacedFile]) -> list[str]:
        """Return what the mirror lacks or has otherwise. Of one's own it is only what lacks, and
        place.json comes with anything else."""
        here = self._mirror.sizes()
        wanted = [
            path
            for path, entry in there.items()
            if entry.size <= LARGEST
            and (path not in here or (not self._is_own(path) and self._differs(path, entry, here)))
        ]
        if wanted and self._has_place and layout.PLACE_FILE not in wanted:
            wanted.append(layout.PLACE_FILE)
        return wanted

    def _differs(self, path: str, entry: PlacedFile, here: Mapping[str, int]) -> bool:
        if here[path] != entry.size:
            return True
        return bool(entry.mark) and not self._is_same(self._mirror.read(path), entry)

    def _check_place(self, there: Mapping[str, PlacedFile]) -> None:
        """Raise BusyError where somebody has made the place since the last fetch."""
        if self._has_place or layout.PLACE_FILE not in there:
            return
        is_made = layout.PLACE_FILE in self._mirror.sizes()
        before = self._mirror.read(layout.PLACE_FILE) if is_made else b""
        self._mirror.take([layout.PLACE_FILE], self._get)
        self._has_place = True
        if is_made and self._mirror.read(layout.PLACE_FILE) != before:
            raise BusyError(
                f"{self.address}: another machine has made the place at the same moment",
                hint="sync again: this machine then joins it", code="place_made",
            )  # fmt: skip

    def _plan(self, there: Mapping[str, PlacedFile], own: str) -> tuple[list[str], list[str]]:
        """Return what is to be copied to the place, and what is to be removed there."""
        here = self._mirror.sizes()
        mine = {path for path in here if path.startswith(f"{own}/")}
        shared = {path for path in here if path.rpartition("/")[0] in ("", layout.KEYS)}
        put = sorted((mine | shared) - there.keys())
        gone = []
        for path in sorted(path for path in there if mine and path.startswith(f"{own}/")):
            if path in here:
                if not self._is_same(self._mirror.read(path), there[path]):
                    self._check_cut(path, there[path])
                    put.append(path)
            elif path < min(mine):
                gone.append(path)  # a snapshot has replaced it
            else:
                raise folders.forked(own, layout.number_of(path.rpartition("/")[2]))
        return put, gone

    def _check_cut(self, path: str, entry: PlacedFile) -> None:
        """Raise StoreError unless what the place has is the beginning of our own file, as a copy
        that was cut short leaves it."""
        own, _, name = path.rpartition("/")
        data = self._mirror.read(path)
        if entry.size < len(data) and not entry.mark:
            self._mirror.clear_incoming()
            self._get([path])
            with suppress(FileNotFoundError):
                if data.startswith(layout.read(self._mirror.incoming, own, name)):
                    return
        raise folders.forked(own, layout.number_of(name))


_LONGEST = 400
_AWAY = (
    "could not resolve", "temporary failure in name", "connection refused", "connection timed out",
    "no route to host", "network is unreachable", "connection reset", "connection closed",
    "operation timed out", "timed out", "timeout", "host is down", "broken pipe",
    "couldn't connect to server", "failed to connect", "the remote end hung up", "early eof",
    "unexpected disconnect", "no such host", "server misbehaving", "i/o timeout", "http 5",
    "error: 500", "error: 502", "error: 503", "error: 504", "kex_exchange", "lost connection",
)  # fmt: skip
_FULL = ("no space left", "disk quota", "quota exceeded", "storagequotaexceeded",
         "too big for remaining disk")  # fmt: skip
_KEYS = ("host key verification failed", "remote host identification has changed")
_REFUSED = (
    "permission denied (", "authentication failed", "could not read username",
    "could not read password", "terminal prompts disabled", "too many authentication failures",
    "invalid_grant", "401 unauthorized", "error: 401", "error: 403", "accessdenied",
)  # fmt: skip
_NO_PROGRAM = ("command not found", "rsync: not found", "not recognized as an internal")
_TOO_OLD = ("unrecognized option", "unknown option", "invalid option", "unknown flag",
            "unknown switch")  # fmt: skip
_WRONG = (
    "repository not found", "does not appear to be a git repository", "not a git repository",
    "no such file or directory", "does not exist", "didn't find section in config file",
    "not found", "is not a directory", "not a directory", "no such container", "no such bucket",
)  # fmt: skip
_OTHER_OWNER = re.compile(r"dubious ownership in repository at '(.+)'")
_CANNOT_WRITE = ("permission denied", "read-only file system", "pre-receive hook declined",
                 "protected branch", "operation not permitted",
                 "insufficient permission")  # fmt: skip


def meaning_of(said: str, address: str) -> TidelineError:
    """Return the error that a program means by what it said on stderr: 75 where trying again may
    help, usage where the address is wrong, 73 where nothing can be written, else 6."""
    low = said.lower()
    message = f"{address}: {_telling_line(said)}"
    owned = _OTHER_OWNER.search(said)
    if owned:
        return UnavailableError(
            f"{address}: git does not open {owned[1]}, which belongs to another user there",
            hint="if you trust it, on that machine: git config --global --add safe.directory "
            f"{shlex.quote(owned[1])}", code="not_allowed",
        )  # fmt: skip
    if _has(low, _NO_PROGRAM):
        return UnavailableError(f"{address}: rsync is missing on the other side",
                                hint="install rsync there", code="no_program")  # fmt: skip
    if _has(low, _TOO_OLD):
        return UnavailableError(
            message, code="no_program",
            hint="a program is too old: rsync 3.1, git 2.29 and rclone 1.53 are new enough",
        )  # fmt: skip
    if _has(low, _FULL):
        return CannotWriteError(message, hint="make room; nothing was lost")
    if _has(low, _KEYS):
        return UnavailableError(
            f"{address}: the host is not known, or has another key than before",
            hint="connect once by ssh, and compare the key of the host", code="host_key",
        )  # fmt: skip
    if _has(low, _REFUSED):
        return UnavailableError(message, hint="log in once by hand: no password can be asked for "
                                "here; ssh-agent or a credential helper answers for you",
                                code="not_allowed")  # fmt: skip
    if _has(low, _AWAY):
        return BusyError(message, hint="the place cannot be reached now: try again",
                         code="unreachable")  # fmt: skip
    if _has(low, _CANNOT_WRITE):
        return CannotWriteError(message, hint="check who may write there")
    if _has(low, _WRONG):
        return UsageError(message, hint="check the address: what is it, and is it there?",
                          code="place")  # fmt: skip
    return UnavailableError(message, hint="try again", code="place_failed")


def _telling_line(said: str) -> str:
    """Return the first line that tells what is wrong, else the last one."""
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["it failed"]
    known = (*_NO_PROGRAM, *_TOO_OLD, *_FULL, *_KEYS, *_REFUSED, *_AWAY, *_CANNOT_WRITE, *_WRONG)
    return next((line for line in lines if _has(line.lower(), known)), lines[-1])[:_LONGEST]


def _has(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


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
    """A place that rsync reaches over ssh, which asks for passwords where there is a terminal."""

    kind = "ssh"

    def __init__(
        self, shown: str, address: Address, *, mirror: str, replica: str, programs: Programs
    ) -> None:
        super().__init__(shown, address, mirror=mirror, replica=replica, programs=programs)
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
