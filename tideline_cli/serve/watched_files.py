"""Settings that a client's own commands have changed and changed back: they get their old bytes
where they say what they said."""

from __future__ import annotations

from collections import Counter

from tideline_cli.serve import json_edit, setup_files
from tideline_cli.serve.json_text import JsonTextError, scanned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LEFT_EMPTY = ("enabledPlugins", "extraKnownMarketplaces")  # by Claude Code


def give_back(path: str, old: bytes | None) -> bool:
    """Give a file the bytes that it had, where nobody has said anything else in it since; take out
    what is left behind empty in any other. Say whether it changed."""
    now = setup_files.content(path)
    if now is None or now == old:
        return False
    is_json = path.endswith(".json")
    new = _given_back(_text(now), None if old is None else _text(old), is_json=is_json)
    if new == _text(now):
        return False
    setup_files.put(path, None if new is None else new.encode("utf-8", "surrogateescape"))
    return True


def _given_back(now: str, old: str | None, *, is_json: bool) -> str | None:
    if not is_json:
        return old if _has_only(_lines(now), _lines(old or "")) and _is_same(now, old) else now
    try:
        file = scanned(now if now.strip() else "{}", with_comments=True)
        before = scanned(old if old and old.strip() else "{}", with_comments=True)
    except JsonTextError:
        return now
    for name in _LEFT_EMPTY:
        item = file.root.item(name)
        is_left = item is not None and item.value.kind == "object" and not item.value.items
        if item is not None and is_left and before.root.item(name) is None:
            file = scanned(json_edit.removed(file, file.root, item), with_comments=True)
    if file.form() == before.form() and _has_only(file.remarks, before.remarks):
        return old
    return file.text if now.strip() else now


def _is_same(now: str, old: str | None) -> bool:
    """Say whether two TOML texts say the same."""
    from tomllib import loads  # noqa: PLC0415  Codex alone

    try:
        return loads(now) == loads(old or "")
    except ValueError:
        return now.split() == (old or "").split()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _has_only(some: Iterable[str], all_of: Iterable[str]) -> bool:
    """Say whether nothing is among some that is not among all: nothing that is new is lost."""
    return not Counter(some) - Counter(all_of)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
