"""The files of a folder that a person means: what ignore files name, and what programs lay there
for themselves, is passed over and counted by its reason."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from tideline_cli.errors import UsageError
from tideline_cli.exchange.named_files import is_below, open_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from pathspec import GitIgnoreSpec

_LARGEST = 1 << 20  # bytes of an ignore file
_MOST_STARS = 3  # of a part of a pattern: each one more tries every place again
_IGNORE_FILES = (".gitignore", ".ignore")  # of one folder the later one has the last word
_FOLDERS = {
    "node_modules": (), "bower_components": (), "__pycache__": (), "site-packages": (),
    "jspm_packages": (), "elm-stuff": (), "DerivedData": (), "CMakeFiles": (),
    "vendor": ("go.mod", "composer.json", "Gemfile"), "Pods": ("Podfile",),
    "Carthage": ("Cartfile",), "deps": ("mix.exs",), "target": ("Cargo.toml", "pom.xml"),
    "dist": ("package.json", "pyproject.toml", "setup.py"),
    "build": ("package.json", "pyproject.toml", "setup.py", "CMakeLists.txt", "build.gradle",
              "build.gradle.kts", "pubspec.yaml"),
    "_build": ("conf.py", "mix.exs", "dune-project"), "site": ("mkdocs.yml",),
    "out": ("package.json",), "coverage": ("package.json",), "htmlcov": ("pyproject.toml",),
    "venv": (), "env": (), "bak": ("config.edn",),
}  # fmt: skip
"""Folders that programs fill, by name: where one of these files stands beside it, or, without
files, wherever it is."""
_ENVIRONMENTS = ("venv", "env")  # only where they hold `pyvenv.cfg`
_NOTEBOOKS = (".obsidian", "logseq")
_TEMPLATES = ("templates", "_templates", "template")
_CONFLICTS = ("*.sync-conflict-*", "*conflicted copy*", "*_conflict-*")
_LOCKS = ("~$*", "*.lock", "*-lock.json", "*-lock.yaml")


class Walk:
    """What lies in a folder and below it. `files` are paths from the folder on, with `/`, in the
    order of their names; `passed` counts the files that are passed over by reason, `outside` are
    links that lead out of the folder, `unread` the folders that cannot be read, each with why.

    Names that begin with a dot are neither walked nor counted; links to folders are not followed.
    """

    def __init__(self, folder: str, *, ignoring: bool = True) -> None:
        self.folder = folder
        self.files: list[str] = []
        self.read = 0  # of the files, by who reads them one after the other
        self.taken: set[str] = set()  # of these the ones that could be read
        self.tick: Callable[[], object] = int  # called after each of them
        self.passed: dict[str, int] = {}
        self.outside: list[str] = []
        self.unread: list[tuple[str, str]] = []
        self._is_ignoring = ignoring
        self._real = os.path.realpath(folder)
        if os.path.dirname(self._real) == self._real:
            raise UsageError("that is the whole disk", hint="name a folder of it")
        self._is_notebook = any(os.path.isdir(os.path.join(folder, one)) for one in _NOTEBOOKS)
        waiting: list[tuple[str, Sequence[_Spec]]] = [("", _above(self._real) if ignoring else ())]
        while waiting:
            waiting += reversed(self._below(*waiting.pop()))

    def count(self, reason: str, files: int = 1) -> None:
        """Note that files are passed over for a reason."""
        if files:
            self.passed[reason] = self.passed.get(reason, 0) + files

    def _below(self, place: str, specs: Sequence[_Spec]) -> list[tuple[str, Sequence[_Spec]]]:
        """Take the files of a folder, by its path from the top; return the folders in it, each with
        what ignore files say of it."""
        whole = os.path.join(self.folder, place)
        try:
            entries = sorted(os.scandir(whole), key=lambda entry: entry.name)
        except OSError as error:
            self.unread.append((whole, error.strerror or str(error)))
            return []
        names = {entry.name for entry in entries}
        if self._is_ignoring:
            found, bad = _specs(os.path.join(self._real, place), names)
            specs = [*specs, *found]
            self.unread += [(whole, f"a pattern of an ignore file: {one:.40}") for one in bad]
        inner = []
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = f"{place}/{entry.name}" if place else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            reason = self._reason(path, entry, names, specs) if self._is_ignoring else None
            if reason is not None:
                self.count(reason, _count(entry.path) if is_folder else 1)
            elif is_folder:
                inner.append(path)
            elif entry.is_symlink():
                if is_below(self.folder, entry.path):
                    self.count("links to what is in the folder")
                else:
                    self.outside.append(path)
            elif os.path.isfile(entry.path):  # which no right that is lacking breaks off
                self.files.append(path)
        return [(path, specs) for path in inner]

    def _reason(
        self, path: str, entry: os.DirEntry[str], names: set[str], specs: Sequence[_Spec]
    ) -> str | None:
        """Return why an entry of a folder is passed over, None where it is not."""
        name = entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        by = _ignored(os.path.join(self._real, path), specs, is_folder=is_folder)
        if by is not None:
            return f"ignored by {by}"
        if not is_folder:
            kinds = ((_CONFLICTS, "left by a conflict of syncs"), (_LOCKS, "lock files"))
            return next((why for globs, why in kinds if _fits(name, globs)), None)
        if self._is_notebook and name.lower() in _TEMPLATES:
            return "templates"
        beside = _FOLDERS.get(name)
        if beside is None or (beside and names.isdisjoint(beside)):
            return None
        if name in _ENVIRONMENTS and not os.path.exists(os.path.join(entry.path, "pyvenv.cfg")):
            return None
        return "of dependencies and builds"


class _Spec:
    """What one ignore file says of what lies below its folder."""

    def __init__(self, folder: str, name: str, spec: GitIgnoreSpec) -> None:
        self.folder, self.name, self.spec = folder, name, spec


def passed_words(passed: Mapping[str, int]) -> str:
    """Return how many files are passed over, and why; '' where none is."""
    if not passed:
        return ""
    total = sum(passed.values())
    by_count = sorted(passed.items(), key=lambda one: (-one[1], one[0]))
    parts = ", ".join(f"{count:,} {why}" for why, count in by_count)
    return f"{total:,} {'file' if total == 1 else 'files'} passed over: {parts}"


def _fits(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def _above(folder: str) -> list[_Spec]:
    """Return what the ignore files of the repository say that a folder lies in (its real path),
    outermost first; nothing where they ignore the folder itself, since it was named."""
    places = [folder]
    while not os.path.lexists(os.path.join(places[-1], ".git")):
        above = os.path.dirname(places[-1])
        if above == places[-1]:
            return []
        places.append(above)
    specs = [one for place in reversed(places[1:]) for one in _specs(place, _IGNORE_FILES)[0]]
    return [] if _ignored(folder, specs, is_folder=True) else specs


def _specs(folder: str, names: Container[str]) -> tuple[list[_Spec], list[str]]:
    """Return what the ignore files of a folder say, of those that `names` holds, and the patterns
    that are not read: those that are none, and those that would take for ever."""
    found: list[_Spec] = []
    bad: list[str] = []
    for name in _IGNORE_FILES:
        if name not in names:
            continue
        try:
            with open_plain(os.path.join(folder, name), hint="") as file:
                lines = file.read(_LARGEST).decode("utf-8", "replace").splitlines()
        except (OSError, UsageError):
            continue
        from pathspec import GitIgnoreSpec  # noqa: PLC0415  15 ms, where there is such a file

        good: list[str] = []
        for line in lines:
            try:
                GitIgnoreSpec.from_lines([line])
                parts = line.replace("**", "").split("/")
                (bad if any(part.count("*") > _MOST_STARS for part in parts) else good).append(line)
            except ValueError:
                bad.append(line)
        found.append(_Spec(folder.rstrip(os.sep), name, GitIgnoreSpec.from_lines(good)))
    return found, bad


def _ignored(path: str, specs: Sequence[_Spec], *, is_folder: bool) -> str | None:
    """Return the name of the ignore file that leaves a path out; the innermost that names it has
    the last word."""
    for one in reversed(specs):
        below = path[len(one.folder) :].replace(os.sep, "/").lstrip("/")
        told = one.spec.check_file(below + "/" * is_folder).include
        if told is not None:
            return one.name if told else None
    return None


def _count(folder: str) -> int:
    """Return how many files lie in a folder and below it."""
    return sum(len(files) for _, _, files in os.walk(folder))
