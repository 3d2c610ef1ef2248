"""Which files the paths of a call name: files as they are, and of folders what looks like a
document; and the names that their documents have in the store."""

from __future__ import annotations

import os
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.dates import Dates
from tideline_cli.exchange.folders import Walk
from tideline_cli.exchange.ingest.library import is_there
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    from tideline_cli.exchange.dates import By
    from tideline_cli.store.sequences import Document

    Form = Literal["text", "markdown", "rst", "html", "pdf", "docx", "odt", "epub"]

FORMS: tuple[Form, ...] = ("text", "markdown", "rst", "html", "pdf", "docx", "odt", "epub")
_FORM_OF: dict[str, Form] = {
    "md": "markdown", "markdown": "markdown", "mdown": "markdown", "mkd": "markdown",
    "mdx": "markdown", "rst": "rst", "html": "html", "htm": "html", "xhtml": "html", "pdf": "pdf",
    "txt": "text", "text": "text", "adoc": "text", "asciidoc": "text", "org": "text",
    "docx": "docx", "odt": "odt", "epub": "epub",
}  # fmt: skip
"""What the endings of names say; a folder is searched for these."""
STDIN = "-"


@record
class Found:
    """A file to read: its whole path, the path below the folder that was named with that folder's
    name before it, and that folder; of a file that was named itself, the folder it lies in."""

    path: str
    shown: str
    folder: str


@record
class FilesFound:
    """What the paths name. `passed` counts the files of folders that are passed over, by reason;
    `unread` are folders and links that cannot be read, with what is wrong."""

    files: tuple[Found, ...]
    folders: tuple[str, ...]
    passed: Mapping[str, int]
    unread: tuple[tuple[str, TidelineError], ...]


class WrittenTimes:
    """When the files of a call were written; `told` counts the files by what said it."""

    def __init__(self, files: Iterable[Found], *, now: int) -> None:
        below: dict[str, list[str]] = {}
        for one in files:
            below.setdefault(one.folder, []).append(os.path.relpath(one.path, one.folder))
        self._dates = {folder: Dates(folder, paths, now=now) for folder, paths in below.items()}

    def of(self, file: Found, head: Mapping[str, Any]) -> int | None:
        """Return when a file was written, in ms, with the fields at its head; None where nothing
        says it."""
        path = os.path.relpath(file.path, file.folder).replace(os.sep, "/")
        return self._dates[file.folder].of(path, head)

    @property
    def told(self) -> Mapping[By, int]:
        """How many files are dated by what."""
        return sum((Counter(one.told) for one in self._dates.values()), Counter())


def form_of(path: str) -> Form:
    """Return what a file is by its name; text, where its name does not say."""
    return _FORM_OF.get(_ending(path), "text")


def search(paths: Sequence[str], globs: Sequence[str], *, ignoring: bool = True) -> FilesFound:
    """Return the files that paths name, each once, in the order of their names.

    Of a folder and all below it are taken: what a pattern of `globs` matches, or without patterns
    what ends as a document does; nothing that a pattern behind `!` matches, nor what `Walk` passes
    over. Raises UsageError for a path that is not there.
    """
    seen: set[str] = set()
    files: list[Found] = []
    folders: list[str] = []
    unread: list[tuple[str, TidelineError]] = []
    passed: Counter[str] = Counter()
    for named in paths:
        whole = os.path.realpath(named)
        if not named or not Path(whole).exists():
            shown = named or "''"
            raise UsageError(f"no such file or folder: {shown}", hint="check the path")
        if not Path(whole).is_dir():
            found = [Found(whole, Path(named).name, str(Path(whole).parent))]
        else:
            folders.append(whole)
            walk = Walk(whole, ignoring=ignoring)
            walked = [_found(whole, below) for below in walk.files]
            found = [one for one in walked if _is_wanted(one, globs)]
            walk.count("of other kinds", len(walked) - len(found))
            passed.update(walk.passed)
            unread += [(place, TidelineError(f"cannot be read: {why}"))
                       for place, why in walk.unread]  # fmt: skip
            unread += [(shown, _leads_out(shown)) for below in walk.outside
                       for shown in [f"{Path(whole).name}/{below}"]]  # fmt: skip
        for one in found:
            if one.path not in seen:
                seen.add(one.path)
                files.append(one)
    return FilesFound(tuple(files), tuple(folders), passed, tuple(unread))


def _found(folder: str, below: str) -> Found:
    path = os.path.join(folder, below)
    return Found(os.path.realpath(path), f"{Path(folder).name}/{below}", folder)


def _leads_out(shown: str) -> TidelineError:
    return UsageError(
        "a link leads out of the folder", hint=f"name {shown} itself to take it", code="link_out"
    )


def _is_wanted(file: Found, globs: Sequence[str]) -> bool:
    wanted = [glob for glob in globs if not glob.startswith("!")]
    if any(_matches(file.shown, glob[1:]) for glob in globs if glob.startswith("!")):
        return False
    if wanted:
        return any(_matches(file.shown, glob) for glob in wanted)
    return _ending(file.shown) in _FORM_OF


def _matches(shown: str, glob: str) -> bool:
    """Say whether a pattern matches the name of a file; one with a slash, its path below the
    folder that was named."""
    *_, name = shown.split("/")
    if "/" not in glob:
        return fnmatchcase(name, glob)
    below = shown.partition("/")[2]
    forms = {glob.lstrip("/"), glob.replace("**/", "").lstrip("/")}
    return any(fnmatchcase(path, form) for path in (below, shown) for form in forms)


def _ending(path: str) -> str:
    return Path(path).suffix[1:].lower()


class Names:
    """The documents that an origin has, by name and by the path of the file."""

    def __init__(self, known: Iterable[Document]) -> None:
        self._by_name = {one.name: one for one in known}
        self._by_path: dict[str, str] = {}
        for one in self._by_name.values():
            path = one.note.get("path")
            if isinstance(path, str):
                self._by_path[path] = one.name
        self._given: dict[str, str] = {}  # path by name, of this run
        self._moved: set[str] = set()

    def known(self, name: str) -> Document | None:
        """Return the document of a name, None where there is none."""
        return self._by_name.get(name)

    def of(self, file: Found) -> str:
        """Return the name of the document that a file is: the one that it has; else its path below
        the folder that was named, with as many folders before it as no other file shares."""
        path = as_text(file.path)
        name = self._by_path.get(path) or self._free(file)
        self._given[name] = path
        return name

    def other(self, name: str, file: Found) -> str | None:
        """Return the name under which a file is there already, where that is another one."""
        known = self._by_path.get(as_text(file.path))
        return None if known == name else known

    def moved(self, digest: str, name: str) -> Document | None:
        """Return the document that a new file was before it moved: one of the same content, whose
        own file is gone. It is `name` from now on."""
        for one in self._by_name.values():
            path = one.note.get("path")
            is_same = one.note.get("sha256") == digest and one.name not in self._moved
            if is_same and isinstance(path, str) and one.name != name and not is_there(path):
                self._moved.add(one.name)
                return one
        return None

    def below(self, folders: Iterable[str]) -> list[Document]:
        """Return the documents whose files lay in one of the folders and are not there any more."""
        roots = [Path(folder) for folder in folders]
        return [
            self._by_name[name] for path, name in self._by_path.items()
            if self._given.get(name) in (None, path) and not is_there(path)
            and name not in self._moved
            and any(Path(path).is_relative_to(root) for root in roots)
        ]  # fmt: skip

    def _free(self, file: Found) -> str:
        parts = Path(as_text(file.path)).parts[1:]
        least = len(Path(file.shown).parts)
        longer = ("/".join(parts[-n:]) for n in range(least + 1, len(parts) + 1))
        named = [as_text(file.shown), *longer]
        return next((name for name in named if self._is_free(name)), "/".join(parts))

    def _is_free(self, name: str) -> bool:
        """Say whether no other file has a name: a file that is gone has left its name behind, and
        so has a document of which nothing is known but its name."""
        if name in self._given:
            return False
        known = self._by_name.get(name)
        if known is None:
            return True
        path = known.note.get("path")
        return not known.note or (isinstance(path, str) and not is_there(path))


def as_text(path: str) -> str:
    """Return a path as text: bytes of a name that are no UTF-8 are spelled out, as `\\xe9`."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path
