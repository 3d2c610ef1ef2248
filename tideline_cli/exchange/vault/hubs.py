"""Hubs: a note for each segment and each slot, which names the notes of its facts, and a map of
all. What their reader wrote stays; a file in the place of one that is no hub is left alone."""

from __future__ import annotations

from tideline_cli.exchange import front_matter
from tideline_cli.exchange.front_matter import FENCE
from tideline_cli.exchange.vault.folder import END
from tideline_cli.exchange.vault.note import HUB, LINKS, LINKS_END, YOURS, own_part, safe_words
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tideline_cli.exchange.vault.folder import Folder

MAP = "Memory"


@record
class HubLine:
    """What a hub says of a fact: the name of its note, where it belongs, when it was made."""

    name: str
    segment: str
    slot: str | None
    lifecycle: str
    created_at: str


def hub_name(kind: str, word: str) -> str:
    """Return the name of the hub of a segment or a slot."""
    return f"{kind} {safe_words(word.replace('_', ' '))}"


@record
class Own:
    """What a reader has written into a hub: lines of the front, and text."""

    extra: tuple[str, ...] = ()
    yours: str = ""


def hub(title: str, entries: Iterable[HubLine], own: Own) -> str:
    """Return the text of a hub; the newest facts come first."""
    newest = sorted(entries, key=lambda one: (one.created_at, one.name), reverse=True)
    lines = [
        f"- [[{one.name}]] {one.created_at[:10]}"
        + ("" if one.lifecycle == "active" else f" ({one.lifecycle})")
        for one in newest
    ]
    return _page(title, [*lines, "", f"[[{MAP}]]"], own)


def map_page(entries: Sequence[HubLine], own: Own) -> str:
    """Return the text of the map: every segment and every slot, with how many facts they have."""
    lines: list[str] = []
    for heading, kind in (("Segments", "segment"), ("Slots", "slot")):
        words = [getattr(one, kind) for one in entries]
        names = [hub_name(kind, word) for word in words if word]
        if names:
            lines += [f"## {heading}", ""]
            lines += [f"- [[{name}]] {names.count(name):,}" for name in sorted(set(names))]
            lines.append("")
    return _page(MAP, lines, own)


def own_of(text: str, title: str) -> Own | None:
    """Return what a reader has written into the hub of a name, None for a text that is no hub of
    ours, or one that lacks a mark: nothing tells then what of it is ours."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[:1] != [FENCE] or FENCE not in lines[1:]:
        return None
    end = lines.index(FENCE, 1)
    front = front_matter.entries(lines[1:end])
    body = lines[end + 1 :]
    if HUB not in (one.name for one in front) or LINKS not in body:
        return None
    begin = body.index(LINKS)
    if LINKS_END not in body[begin:]:
        return None
    above = [line for line in body[:begin] if line != f"# {title}"]
    extra = [line for one in front if one.name != HUB for line in one.lines if line.strip()]
    return Own(tuple(extra), own_part(above, body[begin:]))


def _page(title: str, lines: Sequence[str], own: Own) -> str:
    return "\n".join([
        FENCE, f"{HUB}: true", *own.extra, FENCE, "", f"# {title}", "", LINKS, *lines, LINKS_END,
        "", YOURS, own.yours, "",
    ]).rstrip("\n") + "\n"  # fmt: skip


def put(root: Folder, rooms: Folder, entries: Sequence[HubLine]) -> list[str]:
    """Write the map into the vault and the hubs into their folder; a hub that is left without a
    fact goes, or keeps what its reader wrote. Return the files that are no hubs and stay."""
    strange = []
    wanted: set[str] = set()
    for title, members in _by_hub(entries).items():
        wanted.add(title + END)
        page = lambda own, title=title, members=members: hub(title, members, own)  # noqa: E731
        if not _put(rooms, title, page):
            strange.append(f"hubs/{title}{END}")
    for file in set(rooms.notes()) - wanted:
        _empty(rooms, file)
    if not _put(root, MAP, lambda own: map_page(entries, own)):
        strange.append(MAP + END)
    return strange


def _by_hub(entries: Sequence[HubLine]) -> dict[str, list[HubLine]]:
    """Return the facts of each hub. Slots that the name of a file cannot tell apart share one."""
    found: dict[str, list[HubLine]] = {}
    for kind in ("segment", "slot"):
        for one in entries:
            word = getattr(one, kind)
            if word:
                found.setdefault(hub_name(kind, word), []).append(one)
    return found


def _put(folder: Folder, title: str, page: Callable[[Own], str]) -> bool:
    """Write a hub with what its reader wrote; say whether there was no other file in its place."""
    text = folder.read(title + END)
    if text is None and folder.holds(title + END):
        return False
    own = Own() if text is None else own_of(text, title)
    if own is None:
        return False
    folder.write(title + END, page(own))
    return True


def _empty(folder: Folder, file: str) -> None:
    """Take away the hub of what is gone; with the words of its reader it stays, without facts."""
    title = file[: -len(END)]
    text = folder.read(file)
    own = None if text is None else own_of(text, title)
    if own == Own():
        folder.remove(file)
    elif own is not None:
        folder.write(file, hub(title, (), own))
