"""A branch of a git repository as a place. Files go in and out as objects, never through a work
tree, and git opens none but a repository of our own: no setting, hook, attribute, filter or link of
the place takes effect here."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import stat
from contextlib import contextmanager, suppress
from time import time

from tideline_cli.errors import StoreError, UsageError
from tideline_cli.model.lean import blake2b
from tideline_cli.sync import layout
from tideline_cli.sync.places.addresses import local_path
from tideline_cli.sync.places.mirrored import Mirrored, PlacedFile
from tideline_cli.system import LOCK_EX, LOCK_NB, NOFOLLOW, NONBLOCK, flock
from tideline_cli.system.machine import machine_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tideline_cli.sync.places.addresses import Address
    from tideline_cli.system.programs import Done, Programs

_HEADS, _NAME = "refs/heads", "tideline"
_LOCK = f"{_NAME}.lock"
_FRESH = f".{_NAME}.fresh"
_MOST = 64 << 20  # bytes of packed-refs
_MOST_SETTINGS = 1 << 20
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHA256 = re.compile(rb"^\s*objectformat\s*=\s*\"?sha256", re.MULTILINE | re.IGNORECASE)
_KILLED = 600  # seconds after which a lock is of a process that was killed
_LOOSE = 27  # objects in one folder of 256 from which on git packs them, by its gc.auto


def found(path: str) -> str:
    """Return the folder of a repository: of one with a work tree its `.git`. Raises UsageError
    where there is none, or none that can be used without asking git."""
    for folder in (os.path.join(path, ".git"), path, f"{path}.git/.git", f"{path}.git"):
        inside = [os.path.join(folder, name) for name in ("objects", "refs")]
        is_one = os.path.lexists(os.path.join(folder, "HEAD")) and all(map(os.path.isdir, inside))
        if os.path.isfile(folder) or os.path.lexists(os.path.join(folder, "commondir")):
            why = "its repository lies elsewhere"
        elif not is_one:
            continue
        elif any(map(os.path.islink, inside)):
            why = "its objects or branches are links to other folders"
        elif os.path.lexists(os.path.join(folder, "reftable")):
            why = "it keeps its branches as reftable"
        elif odd := _odd_object(inside[0]):
            why = f"{odd} is no plain file of its own"
        elif folder.endswith("/.git") and _is_checked_out(folder):
            why = "the branch tideline is checked out there"
        else:
            return folder
        raise UsageError(f"{path} cannot be a place: {why}", hint="take a bare repository: "
                         f"git init --bare {shlex.quote(path + '-memory.git')}",
                         code="place")  # fmt: skip
    raise UsageError(f"{path} does not appear to be a git repository", code="place",
                     hint=f"git init --bare {shlex.quote(path)} makes one")  # fmt: skip


def head_of(folder: str) -> str:
    """Return the commit of the branch, '' for none; StoreError for one that is not plain."""
    path = os.path.join(folder, _HEADS, _NAME)
    try:
        told = layout.read(folder, _HEADS, _NAME, most=1024).decode("ascii", "replace").strip()
    except FileNotFoundError:
        if os.path.lexists(path):
            raise _no_branch(path) from None
        return _packed(folder)
    if not _COMMIT.fullmatch(told):
        raise _no_branch(path)
    return told


def object_format(folder: str, commit: str) -> str:
    """Return the hashes of a repository, sha1 or sha256: of its branch, else as it says."""
    if commit:
        return "sha1" if len(commit) == 40 else "sha256"
    with suppress(FileNotFoundError):
        if _SHA256.search(layout.read(folder, "", "config", most=_MOST_SETTINGS)):
            return "sha256"
    return "sha1"


def move_head(folder: str, old: str, new: str) -> bool:
    """Let the branch be another commit, under the lock that git takes for it; say False where it is
    not `old`, or others hold the lock. Raises OSError where nothing can be written."""
    os.makedirs(os.path.join(folder, _HEADS), exist_ok=True)
    mode = 0o664 if is_shared(folder) else 0o644
    with layout.opened_folder(folder, _HEADS) as handle:
        if not layout.put_file(handle, _LOCK, _owner(), mode=mode, like=folder):
            _free(handle)
            return False
        with suppress(FileNotFoundError), _opened_lock(handle) as lock:
            if _is_held(lock, handle, where_unknown=True):
                try:
                    return head_of(folder) == old and _moved(folder, handle, new, mode)
                finally:
                    os.unlink(_LOCK, dir_fd=handle)
        return False


def _moved(folder: str, above: int, commit: str, mode: int) -> bool:
    with suppress(FileNotFoundError):
        os.unlink(_FRESH, dir_fd=above)  # of one that was killed
    layout.put_file(above, _FRESH, f"{commit}\n".encode("ascii"), mode=mode, like=folder)
    os.rename(_FRESH, _NAME, src_dir_fd=above, dst_dir_fd=above)
    layout.sync_folder(above)
    return True


def _owner() -> bytes:
    """Return what a lock of this program says: on which machine it was taken, to who knows it."""
    return f"tideline {blake2b(machine_id().encode(), digest_size=16).hexdigest()}\n".encode()


def _free(above: int) -> None:
    """Remove a lock whose owner was killed: one of this machine that no process holds, or any that
    is old. Git takes locks by their name alone, so of its own nobody knows more."""
    with suppress(FileNotFoundError):
        there = os.lstat(_LOCK, dir_fd=above)
        if time() - there.st_mtime > _KILLED:
            os.unlink(_LOCK, dir_fd=above)
        elif stat.S_ISREG(there.st_mode):
            with _opened_lock(above) as lock:
                if os.read(lock, 256) == _owner() and _is_held(lock, above, where_unknown=False):
                    os.unlink(_LOCK, dir_fd=above)


@contextmanager
def _opened_lock(above: int) -> Iterator[int]:
    lock = os.open(_LOCK, os.O_RDONLY | NOFOLLOW | NONBLOCK, dir_fd=above)
    try:
        yield lock
    finally:
        os.close(lock)


def _is_held(lock: int, above: int, *, where_unknown: bool) -> bool:
    """Hold the lock file of a folder, which is open, until it is closed: the system frees what a
    killed process held. Say False where another process holds it, or where it is not the lock any
    more; `where_unknown` where the disk knows of no such locks."""
    try:
        flock(lock, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return where_unknown
    there = os.stat(_LOCK, dir_fd=above, follow_symlinks=False)
    return os.path.samestat(os.fstat(lock), there)


def is_to_be_packed(folder: str) -> bool:
    """Say whether so many objects lie there each in a file that git would pack them."""
    return len(layout.names(folder, "objects/17")) > _LOOSE


def is_shared(folder: str) -> bool:
    """Say whether a group writes in a repository."""
    return bool(os.stat(os.path.join(folder, "objects")).st_mode & stat.S_IWGRP)


def _packed(folder: str) -> str:
    try:
        rows = layout.read(folder, "", "packed-refs", most=_MOST).split(b"\n")
    except FileNotFoundError:
        return ""
    for row in rows:
        commit, _, name = row.partition(b" ")
        if name.strip() == f"{_HEADS}/{_NAME}".encode("ascii"):
            told = commit.decode("ascii", "replace")
            if not _COMMIT.fullmatch(told):
                raise _no_branch(os.path.join(folder, "packed-refs"))
            return told
    return ""


def _odd_object(objects: str) -> str:
    """Return what git would wait for, or follow to elsewhere, among the objects; '' for none."""
    if os.path.lexists(alternates := os.path.join(objects, "info", "alternates")):
        return alternates
    folders = [objects]
    for folder in folders:
        with suppress(FileNotFoundError, PermissionError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    return entry.path
    return ""


def _is_checked_out(folder: str) -> bool:
    with suppress(FileNotFoundError):
        told = layout.read(folder, "", "HEAD", most=1024).split()
        return told == [b"ref:", f"{_HEADS}/{_NAME}".encode("ascii")]
    return False


def _no_branch(path: str) -> StoreError:
    return StoreError(f"{path} is no branch with a commit", hint="remove it there, or name a new "
                      "place", code="place_damaged")  # fmt: skip


_BRANCH = "refs/heads/tideline"
_HEAD = "refs/place/head"
_SETTINGS = ("core.hooksPath=/dev/null", "gc.autoDetach=false", "maintenance.auto=false",
             "push.gpgSign=false", "push.followTags=false", "http.lowSpeedLimit=100",
             "http.lowSpeedTime=60", "fetch.recurseSubmodules=false",
             "core.fsmonitor=false")  # fmt: skip
_WHO = {"GIT_AUTHOR_NAME": "tideline", "GIT_AUTHOR_EMAIL": "tideline@localhost",
        "GIT_COMMITTER_NAME": "tideline", "GIT_COMMITTER_EMAIL": "tideline@localhost"}  # fmt: skip
_AT_ONCE = 64 << 20  # bytes of files that are read by one process
_RACES = ("[rejected]", "fetch first", "non-fast-forward", "cannot lock ref",
          "failed to update ref", "reference already exists", "incorrect old value")  # fmt: skip
_DAMAGED = ("is corrupt", "bad object", "unable to read tree", "is empty")
_UNREADABLE = "permission denied"
_OTHER_FORMAT = ("hash algorithm", "mismatched algorithms")
_LOCKS = ("shallow.lock", "packed-refs.lock", "config.lock", "HEAD.lock", "gc.pid",
          "refs/place/head.lock", "../index.lock")  # fmt: skip
_FILE_MODES = ("100644", "100755", "100664")


class GitPlace(Mirrored):
    """The branch `tideline` of a repository. Each publication is a commit on top of what is there;
    who comes too late builds anew on top of the others: every replica has its own folder, so there
    is nothing to merge."""

    kind = "git"

    def __init__(
        self, shown: str, address: Address, *, mirror: str, replica: str, programs: Programs
    ) -> None:
        super().__init__(shown, address, mirror=mirror, replica=replica, programs=programs)
        self._repository = os.path.join(mirror, "repository.git")
        self._ids: dict[str, str] = {}  # of the files that the last list had
        self._format, self._sharing = "sha1", "umask"
        self._head = ""  # the commit of the branch then, '' where there is no branch
        self._sizes: dict[str, int] = {}
        # Without `file`: of a repository on this machine git would run the hooks.
        self._environ = {"GIT_TERMINAL_PROMPT": str(int(programs.on_terminal)),
                         "GIT_ALLOW_PROTOCOL": "https:ssh",
                         "GIT_NO_LAZY_FETCH": "1"}  # fmt: skip
        if not programs.on_terminal:
            self._environ["GCM_INTERACTIVE"] = "never"  # no window that nobody sees

    def _list(self) -> dict[str, PlacedFile]:
        self._head = self._fetched()
        if not self._head:
            self._ids = {}
            return {}
        found = {}
        for row in self._objects("ls-tree", "-r", "-z", "-l", self._head).out.split(b"\0")[:-1]:
            words, _, name = row.partition(b"\t")
            mode, kind, mark, size = words.decode("ascii").split()
            path = name.decode("ascii", "replace")
            if kind == "blob" and not size.isdigit():
                raise self._damaged()
            if kind == "blob" and mode in _FILE_MODES and layout.is_ours(path):
                found[path] = PlacedFile(int(size), mark)
        self._ids = {path: entry.mark for path, entry in found.items()}
        self._sizes = {path: entry.size for path, entry in found.items()}
        return found

    def _get(self, paths: Sequence[str]) -> None:
        for some in _parted(paths, self._sizes):
            asked = "".join(f"{self._ids[path]}\n" for path in some)
            out = memoryview(self._objects("cat-file", "--batch", stdin=asked.encode()).out)
            at = 0
            for path in some:
                end = at + bytes(out[at : at + 200]).index(b"\n")
                words = bytes(out[at:end]).split()
                if words[1:2] != [b"blob"]:
                    raise self._damaged()
                size = int(words[2])
                target = os.path.join(self._mirror.incoming, path)
                os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
                with open(target, "xb") as file:
                    file.write(out[end + 1 : end + 1 + size])
                at = end + size + 2

    def _publish(self, put: Sequence[str], gone: Sequence[str], own: str) -> bool:
        tree = self._tree(put, gone)
        parent = ("-p", self._head) if self._head else ()
        message = f"Segments of {own}" if own else "A place"
        return self._pushed(self._word("commit-tree", tree, *parent, "-m", message, variables=_WHO))

    def _fetched(self) -> str:
        """Bring in the commit of the branch with what it holds; return it, '' for none."""
        self._open()
        fetch = ("fetch", "--quiet", "--no-tags", "--depth=1", "--", self._there,
                 f"+{_BRANCH}:{_HEAD}")  # fmt: skip
        done = self._git(*fetch)
        if self._has_other_format(done):
            done = self._git(*fetch)
        if done.code and "couldn't find remote ref" in done.err:
            self._checked("update-ref", "-d", _HEAD)
            return ""
        self._check(done)
        return self._word("rev-parse", "--verify", _HEAD)

    def _pushed(self, commit: str) -> bool:
        """Let the branch be a commit; say False where it is not any more what it was."""
        done = self._git("push", "--porcelain", "--", self._there, f"{commit}:{_BRANCH}")
        if done.code and any(word in done.out.decode("utf-8", "replace") + done.err
                             for word in _RACES):  # fmt: skip
            return False
        if self._has_other_format(done):
            return False
        self._check(done)
        self._checked("update-ref", _HEAD, commit)
        self._git("gc", "--auto", "--quiet", "--prune=now")  # a failure costs room, no more
        return True

    def _tree(self, put: Sequence[str], gone: Sequence[str]) -> str:
        """Return the tree of the place with files put in and taken out."""
        listed = "".join(f"{path}\n" for path in put).encode()
        made = self._checked("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listed,
                             cwd=self._mirror.files).out.decode("ascii").split()  # fmt: skip
        rows = [f"100644 {mark}\t{path}\0" for path, mark in zip(put, made, strict=True)]
        rows += [f"0 {'0' * len(self._ids[path])}\t{path}\0" for path in gone]
        index = {"GIT_INDEX_FILE": os.path.join(self._mirror.path, "index")}
        self._objects("read-tree", self._head or "--empty", variables=index)
        self._checked("update-index", "-z", "--index-info", stdin="".join(rows).encode("ascii"),
                      variables=index)  # fmt: skip
        return self._word("write-tree", variables=index)

    def _is_same(self, data: bytes, entry: PlacedFile) -> bool:
        name = "sha1" if len(entry.mark) == 40 else "sha256"
        made = hashlib.new(name, b"blob %d\0" % len(data) + data, usedforsecurity=False)
        return made.hexdigest() == entry.mark

    def _open(self) -> None:
        """Make the repository of the mirror, where it is not there or not whole. What locks it is
        of a git that was killed: we are alone."""
        for name in _LOCKS:
            with suppress(FileNotFoundError, NotADirectoryError):
                os.unlink(os.path.join(self._repository, name))
        if os.path.exists(os.path.join(self._repository, "ready")):
            return
        other = () if self._format == "sha1" else (f"--object-format={self._format}",)
        self._check(self._git("init", "--bare", "--quiet", "--template=",
                              f"--shared={self._sharing}", *other, self._repository))  # fmt: skip
        try:
            with open(os.path.join(self._repository, "ready"), "x", encoding="ascii"):
                pass
        except OSError as error:
            raise layout.cannot_write(self._repository, error) from error

    def _has_other_format(self, done: Done) -> bool:
        """Make the repository of the mirror anew where that of the place has the other hashes."""
        is_other = bool(done.code) and any(word in done.err for word in _OTHER_FORMAT)
        if is_other and self._format == "sha1":
            self._format = "sha256"
            shutil.rmtree(self._repository, ignore_errors=True)
            self._open()
            return True
        return False

    def _git(
        self, *words: str, stdin: bytes = b"", cwd: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Done:  # fmt: skip
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        where = () if words[0] == "init" else (f"--git-dir={self._repository}",)
        environ = {**self._environ, **(variables or {}), **self._shell(words[0])}
        return self._run(("git", *where, *settings, *words), stdin=stdin,
                         cwd=cwd or self._mirror.path, variables=environ)  # fmt: skip

    def _shell(self, command: str) -> dict[str, str]:
        """Return the variable that keeps ssh from asking where nobody can answer."""
        given = self._programs.environ
        if self._programs.on_terminal or command not in ("fetch", "push"):
            return {}
        if "GIT_SSH" in given and "GIT_SSH_COMMAND" not in given:
            return {}
        own = given.get("GIT_SSH_COMMAND") or self._own_ssh()
        options = "-o BatchMode=yes -o LogLevel=ERROR -o ConnectTimeout=20"
        alive = "-o ServerAliveInterval=15 -o ServerAliveCountMax=4"
        return {"GIT_SSH_COMMAND": f"{own} {options} {alive}"}

    def _own_ssh(self) -> str:
        done = self._git("config", "--get", "core.sshCommand")
        return done.out.decode("utf-8", "surrogateescape").strip() or "ssh"

    def _checked(
        self, *words: str, stdin: bytes = b"", cwd: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Done:  # fmt: skip
        done = self._git(*words, stdin=stdin, cwd=cwd, variables=variables)
        self._check(done)
        return done

    def _objects(
        self, *words: str, stdin: bytes = b"", variables: Mapping[str, str] | None = None
    ) -> Done:
        """Run what reads objects. Where it fails, and git finds that they are not sound, they are
        damaged; else it is something else that fails: a full disk, too little memory."""
        done = self._git(*words, stdin=stdin, variables=variables)
        if done.code and _UNREADABLE not in done.err.lower() and self._is_unsound():
            raise self._damaged()
        self._check(done)
        return done

    def _is_unsound(self) -> bool:
        return bool(self._git("fsck", *filter(None, (self._head,))).code)

    def _word(self, *words: str, variables: Mapping[str, str] | None = None) -> str:
        return self._checked(*words, variables=variables).out.decode("ascii").strip()

    def _check(self, done: Done) -> None:
        if done.code and any(word in done.err.lower() for word in _DAMAGED):
            raise self._damaged()
        super()._check(done)

    def _damaged(self) -> StoreError:
        return StoreError(
            f"the mirror of {self.address} is damaged: objects of it cannot be read",
            hint=f"remove {self._repository}: the next sync makes it again", code="mirror_damaged",
        )  # fmt: skip


class GitFolderPlace(GitPlace):
    """The same in a repository on this machine, which git would open with its settings and hooks.
    So its objects are read and written by git in a repository of our own, and its branch here."""

    def __init__(
        self, shown: str, address: Address, *, mirror: str, replica: str, programs: Programs
    ) -> None:
        super().__init__(shown, address, mirror=mirror, replica=replica, programs=programs)
        self._path = local_path(address.path)

    def _fetched(self) -> str:
        there = found(self._path)
        head = head_of(there)
        self._format = object_format(there, head)
        self._sharing = "group" if is_shared(there) else "umask"
        self._repository = os.path.join(self._mirror.path, f"{self._format}-{self._sharing}.git")
        self._environ.pop("GIT_OBJECT_DIRECTORY", None)
        self._open()
        self._environ["GIT_OBJECT_DIRECTORY"] = os.path.join(there, "objects")
        self._there = there
        return head

    def _pushed(self, commit: str) -> bool:
        try:
            is_moved = move_head(self._there, self._head, commit)
        except OSError as error:
            raise layout.cannot_write(self._there, error) from error
        if is_moved and is_to_be_packed(self._there):
            self._checked("update-ref", _HEAD, commit)
            self._git("repack", "-d", "-n", "--quiet")  # a failure costs room, no more
        return is_moved

    def _damaged(self) -> StoreError:
        return StoreError(
            f"the repository {self._there} is damaged: objects of it cannot be read",
            hint="take it from a backup; or move it away and make a new one there (git init "
            f"--bare {shlex.quote(self._there)}): the next sync of each machine fills that",
            code="place_damaged",
        )  # fmt: skip


def _parted(paths: Sequence[str], sizes: dict[str, int]) -> Iterator[list[str]]:
    """Yield the paths in groups whose files one process may hold."""
    some: list[str] = []
    total = 0
    for path in paths:
        if some and total + sizes[path] > _AT_ONCE:
            yield some
            some, total = [], 0
        some.append(path)
        total += sizes[path]
    if some:
        yield some
