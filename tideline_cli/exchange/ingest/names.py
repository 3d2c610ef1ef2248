"""What a document is called: by the file that it comes from, as long as no other has the name."""

from __future__ import annotations

from pathlib import Path

from tideline_cli.exchange.ingest import paths
from tideline_cli.exchange.ingest.files import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tideline_cli.store.documents import Document

STDIN = "-"


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

    def known(self, name: str) -> Document | None:
        """Return the document of a name, None where there is none."""
        return self._by_name.get(name)

    def of(self, file: Found) -> str:
        """Return the name of the document that a file is: the one that it has; else its path below
        the folder that was named, with as many folders before it as no other file shares."""
        path = paths.as_text(file.path)
        name = self._by_path.get(path) or self._free(file)
        self._given[name] = path
        return name

    def other(self, name: str, file: Found) -> str | None:
        """Return the name under which a file is there already, where that is another one."""
        known = self._by_path.get(paths.as_text(file.path))
        return None if known == name else known

    def below(self, folders: Iterable[str]) -> list[Document]:
        """Return the documents whose files lay in one of the folders and are not there any more."""
        roots = [Path(folder) for folder in folders]
        return [
            self._by_name[name] for path, name in self._by_path.items()
            if self._given.get(name) in (None, path) and not paths.is_there(path)
            and any(Path(path).is_relative_to(root) for root in roots)
        ]  # fmt: skip

    def _free(self, file: Found) -> str:
        parts = Path(paths.as_text(file.path)).parts[1:]
        least = len(Path(file.shown).parts)
        longer = ("/".join(parts[-n:]) for n in range(least + 1, len(parts) + 1))
        named = [paths.as_text(file.shown), *longer]
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
        return not known.note or (isinstance(path, str) and not paths.is_there(path))
