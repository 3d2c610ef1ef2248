"""When a file was written: by what stands at its head, by its name, by its repository, by the time
of its last change; the first of these that says it."""

from __future__ import annotations

import os
import re
import tempfile
from datetime import date, datetime

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.named_files import open_plain
from tideline_cli.model import instant, times_in_text
from tideline_cli.system.programs import Programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    By = Literal["its head", "its name", "git", "its last change"]

BY: tuple[By, ...] = ("its head", "its name", "git", "its last change")
_AT_HEAD = ("created", "created_at", "createdat", "created-at", "date created", "date", "datetime",
            "published", "pubdate", "timestamp", "modified", "updated")  # fmt: skip
_NUMBERS = re.compile(
    r"(?:(?<!\d)((?:19|20)\d\d)([-_./ ])|^((?:19|20)\d\d)())"
    r"(0[1-9]|1[0-2])(?:\2|\4)(0[1-9]|[12]\d|3[01])(?!\d)"
)
_FOLDERS = re.compile(r"(?:^|/)((?:19|20)\d\d)/(?:[^/\d]*/)?(0[1-9]|1[0-2])(?:[^/\d][^/]*)?/"
                      r"(0[1-9]|[12]\d|3[01])(?![^/\D]*\d)[^/]*$")  # fmt: skip
_DOTTED = re.compile(r"(?<![\d.])(0?[1-9]|[12]\d|3[01])\. ?(0?[1-9]|1[0-2])\. ?"
                     r"((?:19|20)\d\d)(?!\d)")  # fmt: skip
_SHORT = {
    "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june",
    "jul": "july", "aug": "august", "sep": "september", "sept": "september", "oct": "october",
    "nov": "november", "dec": "december",
}  # fmt: skip
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SECONDS = 30.0  # of git
_UNPACKED = 60.0  # seconds within which a clone or an archive lays down all of its files
_FEW = 3  # files of one minute that still may have been written then


class Dates:
    """When the files of a folder were written. `told` counts the files by what said it."""

    def __init__(self, folder: str, paths: Sequence[str], *, now: int) -> None:
        self._folder = folder
        self._now = now
        self._by_git, self._is_cloned = _of_repository(folder)
        own = (os.path.join(folder, path) for path in paths if path not in self._by_git)
        self._is_unpacked = _are_of_one_minute(own)
        self.told: dict[By, int] = {}

    def of(self, path: str, head: Mapping[str, Any]) -> int | None:
        """Return when a file was written, in ms, by its path below the folder and the fields at its
        head; None where nothing says it. No file is of a time to come."""
        ways: tuple[tuple[By, Any], ...] = (
            ("its head", lambda: at_head(head)), ("its name", lambda: in_name(path)),
            ("git", lambda: self._by_git.get(path)),
            ("its last change", lambda: self._changed(path)),
        )  # fmt: skip
        for by, way in ways:
            found = way()
            if found is not None and found <= self._now:
                self.told[by] = self.told.get(by, 0) + 1
                return int(found)
        return None

    def _changed(self, path: str) -> int | None:
        """Return the time of the last change of a file, unless it is that of a clone or archive:
        one that a repository does not have was written here."""
        if self._is_unpacked or self._is_cloned:
            return None
        try:
            return int(os.stat(os.path.join(self._folder, path)).st_mtime * 1000)
        except OSError:
            return None


def dated_words(told: Mapping[By, int]) -> str:
    """Return by what files are dated, such as "dated by git (12), its name (3)"; '' for none."""
    parts = [f"{by} ({told[by]:,})" for by in BY if told.get(by)]
    return f"dated by {', '.join(parts)}" if parts else ""


def at_head(head: Mapping[str, Any]) -> int | None:
    """Return when the fields at the head of a file say that it was made, in ms."""
    fields = {str(name).lower(): value for name, value in head.items()}
    for name in _AT_HEAD:
        value = fields.get(name)
        if isinstance(value, datetime):
            return int(value.timestamp() * 1000)
        if isinstance(value, date):
            return _midnight(value.year, value.month, value.day)
        if isinstance(value, str) and value.strip():
            try:
                return instant.parse(value.strip().replace(" ", "T", 1))
            except UsageError:
                found = in_name(value)
                if found is not None:
                    return found
    return None


def in_name(path: str) -> int | None:
    """Return the midnight of the day that the name of a file says, or its folders; None where they
    say none: 2026-02-08, 2026_02_08, Feb 8 2026, 8.2.2026, 2026/02/08, at its beginning also
    20260208."""
    name = os.path.splitext(path.rpartition("/")[2])[0]
    found = _NUMBERS.search(name) or _FOLDERS.search(os.path.splitext(path)[0])
    if found is not None:
        *_, year, month, day = (int(part) for part in found.groups() if part and part.isdigit())
        return _midnight(year, month, day)
    dotted = _DOTTED.search(path.rpartition("/")[2])  # whose year is no ending
    if dotted is not None:
        return _midnight(int(dotted[3]), int(dotted[2]), int(dotted[1]))
    if not _YEAR.search(name):
        return None
    words = re.findall(r"[^\W_]+", name.lower())
    spelled = " ".join(_SHORT.get(word, word) for word in words)
    for window in times_in_text.windows(spelled, now=instant.now_ms()):
        parts = dict(window.parts)
        if {"year", "month", "day"} <= parts.keys():
            return _midnight(parts["year"], parts["month"], parts["day"])
    return None


def _midnight(year: int, month: int, day: int) -> int | None:
    try:
        return int(datetime(year, month, day).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def _are_of_one_minute(paths: Iterable[str]) -> bool:
    times = []
    for path in paths:
        try:
            times.append(os.stat(path).st_mtime)
        except OSError:
            continue
    return len(times) > _FEW and max(times) - min(times) < _UNPACKED


def _of_repository(folder: str) -> tuple[dict[str, int], bool]:
    """Return when the last commit of each file of a folder was made, in ms by its path below it,
    and whether the folder lies in a repository that cannot be read.

    Nothing of the repository's settings is read: its objects are read from a repository of our own
    that has none, so no program that they name is ever started.
    """
    top = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(top, ".git")):
        above = os.path.dirname(top)
        if above == top:
            return {}, False
        top = above
    try:
        return _logged(top, os.path.relpath(os.path.realpath(folder), top)), False
    except (TidelineError, OSError, ValueError):
        return {}, True


def _logged(top: str, below: str) -> dict[str, int]:
    """Return the times of `git log`, by the paths of files below a folder of a work tree."""
    place = _git_folder(os.path.join(top, ".git"))
    shared = place
    if os.path.exists(os.path.join(place, "commondir")):
        shared = os.path.join(place, _line(os.path.join(place, "commondir")))
    head = _head(place, shared)
    if not head:
        return {}
    programs = Programs(_SECONDS, on_terminal=False, environ=os.environ)
    form = "sha1" if len(head) == 40 else "sha256"
    with tempfile.TemporaryDirectory() as empty:
        own = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "HOME": empty,
               "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_TERMINAL_PROMPT": "0"}
        programs.run(["git", "init", "--quiet", "--bare", f"--object-format={form}",
                      "--template=", empty], variables=own, cwd=empty)  # fmt: skip
        own |= {"GIT_DIR": empty, "GIT_OBJECT_DIRECTORY": os.path.join(shared, "objects"),
                "GIT_SHALLOW_FILE": os.path.join(shared, "shallow")}  # fmt: skip
        paths = [] if below == "." else ["--", below.replace(os.sep, "/")]
        done = programs.run(
            ["git", "--no-pager", "log", "--format=%x00%x01%ct", "--name-only", "-z",
             "--no-renames", "--no-show-signature", head, *paths],
            variables=own, cwd=empty,
        )  # fmt: skip
    prefix = b"" if below == "." else os.fsencode(below.replace(os.sep, "/")) + b"/"
    found: dict[str, int] = {}
    at = 0
    for part in done.out.split(b"\0"):
        text = part.lstrip(b"\n")
        if text[:1] == b"\x01":
            at = int(text[1:]) * 1000
        elif text.startswith(prefix) and text:
            found.setdefault(os.fsdecode(text[len(prefix) :]), at)
    return found


def _git_folder(path: str) -> str:
    """Return the folder that `.git` is, or names: of a worktree or a submodule it is a file."""
    if os.path.isdir(path):
        return path
    told = _line(path)
    return os.path.join(os.path.dirname(path), told.removeprefix("gitdir:").strip())


def _head(place: str, shared: str) -> str:
    """Return the commit that is checked out, "" where there is none yet; raise ValueError where it
    is not told plainly."""
    told = _line(os.path.join(place, "HEAD"))
    if told.startswith("ref:"):
        name = told[4:].strip()
        if ".." in name or not name.startswith("refs/"):
            raise ValueError(name)
        told = _loose(place, name) or _loose(shared, name) or _packed(shared, name)
        if not told and not os.path.exists(os.path.join(shared, "reftable")):
            return ""
    if not _COMMIT.fullmatch(told):
        raise ValueError(told)
    return told


def _loose(place: str, name: str) -> str:
    path = os.path.join(place, name)
    return _line(path) if os.path.isfile(path) else ""


def _packed(shared: str, name: str) -> str:
    path = os.path.join(shared, "packed-refs")
    if not os.path.exists(path):
        return ""
    with open(path, encoding="ascii", errors="replace") as file:
        return next((line[: -len(name) - 2] for line in file if line.endswith(f" {name}\n")), "")


def _line(path: str) -> str:
    with open_plain(path, hint="") as file:
        return file.read(4096).decode("utf-8", "replace").strip()
