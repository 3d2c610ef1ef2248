"""Writing the hubs and the map of a vault. What their reader wrote stays; a file in the place of
one that is no hub is left alone."""

from __future__ import annotations

from tideline_cli.exchange.vault import hubs
from tideline_cli.exchange.vault.folder import END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tideline_cli.exchange.vault.folder import Folder
    from tideline_cli.exchange.vault.hubs import HubLine, Own


def put(root: Folder, rooms: Folder, entries: Sequence[HubLine]) -> list[str]:
    """Write the map into the vault and the hubs into their folder; a hub that is left without a
    fact goes, or keeps what its reader wrote. Return the files that are no hubs and stay."""
    strange = []
    wanted: set[str] = set()
    for title, members in _by_hub(entries).items():
        wanted.add(title + END)
        page = lambda own, title=title, members=members: hubs.hub(title, members, own)  # noqa: E731
        if not _put(rooms, title, page):
            strange.append(f"hubs/{title}{END}")
    for file in set(rooms.notes()) - wanted:
        _empty(rooms, file)
    if not _put(root, hubs.MAP, lambda own: hubs.map_page(entries, own)):
        strange.append(hubs.MAP + END)
    return strange


def _by_hub(entries: Sequence[HubLine]) -> dict[str, list[HubLine]]:
    """Return the facts of each hub. Slots that the name of a file cannot tell apart share one."""
    found: dict[str, list[HubLine]] = {}
    for kind in ("segment", "slot"):
        for one in entries:
            word = getattr(one, kind)
            if word:
                found.setdefault(hubs.hub_name(kind, word), []).append(one)
    return found


def _put(folder: Folder, title: str, page: Callable[[Own], str]) -> bool:
    """Write a hub with what its reader wrote; say whether there was no other file in its place."""
    text = folder.read(title + END)
    if text is None and folder.holds(title + END):
        return False
    own = hubs.Own() if text is None else hubs.own_of(text, title)
    if own is None:
        return False
    folder.write(title + END, page(own))
    return True


def _empty(folder: Folder, file: str) -> None:
    """Take away the hub of what is gone; with the words of its reader it stays, without facts."""
    title = file[: -len(END)]
    text = folder.read(file)
    own = None if text is None else hubs.own_of(text, title)
    if own == hubs.Own():
        folder.remove(file)
    elif own is not None:
        folder.write(file, hubs.hub(title, (), own))
