"""Hubs: a note for each segment and each slot, which names the notes of its facts, and a map of
all. Pure."""

from __future__ import annotations

from tideline_cli.exchange.markdown_facts import FENCE
from tideline_cli.exchange.vault.names import safe_words
from tideline_cli.exchange.vault.note import HUB, LINKS, LINKS_END, YOURS
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def hub(kind: str, word: str, entries: Iterable[HubLine], yours: str = "") -> str:
    """Return the text of a hub; the newest facts come first."""
    newest = sorted(entries, key=lambda one: (one.created_at, one.name), reverse=True)
    lines = [
        f"- [[{one.name}]] {one.created_at[:10]}"
        + ("" if one.lifecycle == "active" else f" ({one.lifecycle})")
        for one in newest
    ]
    return _page(hub_name(kind, word), [*lines, "", f"[[{MAP}]]"], yours)


def map_page(entries: Sequence[HubLine], yours: str = "") -> str:
    """Return the text of the map: every segment and every slot, with how many facts they have."""
    lines: list[str] = []
    for heading, kind in (("Segments", "segment"), ("Slots", "slot")):
        words = [getattr(one, kind) for one in entries]
        named = sorted({word for word in words if word})
        if named:
            lines += [f"## {heading}", ""]
            lines += [f"- [[{hub_name(kind, word)}]] {words.count(word):,}" for word in named]
            lines.append("")
    return _page(MAP, lines, yours)


def yours_of(text: str | None) -> str:
    """Return what a reader has written into a hub."""
    if not text or LINKS_END not in text:
        return ""
    rest = text.replace("\r\n", "\n").partition(LINKS_END)[2].split("\n")
    return "\n".join(line for line in rest if line != YOURS).strip("\n")


def _page(title: str, lines: Sequence[str], yours: str) -> str:
    return "\n".join([
        FENCE, f"{HUB}: true", FENCE, "", f"# {title}", "", LINKS, *lines, LINKS_END, "", YOURS,
        yours, "",
    ]).rstrip("\n") + "\n"  # fmt: skip
