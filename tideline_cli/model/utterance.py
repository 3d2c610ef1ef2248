"""Where and by whom something was said, as programs write it down: session, turn, speaker, role.

What fits a field is taken; anything else is left where it stands.
"""

from __future__ import annotations

from tideline_cli.model.fact import LARGEST_TURN, ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_ROLES: Mapping[str, str] = {role: role for role in ROLES} | {
    "human": "user", "owner": "user", "ai": "assistant", "bot": "assistant", "model": "assistant",
    "developer": "system", "function": "tool",
}  # fmt: skip
_SESSIONS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "chat_id")
_TURNS = ("turn_index", "turn_number", "message_index")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "role": ("role",),
    "session": ("session", *_SESSIONS),
    "turn": ("turn", *_TURNS),
    "speaker": ("speaker", "speaker_name", "author", "sender", "name"),
}
"""What programs call each field; the first that is there and fits counts."""
_OF_MESSAGES = frozenset(("author", "sender", "name"))  # which anything may have, not only messages
TELLING = frozenset(name for names in _NAMES.values() for name in names)


def role_of(value: object) -> str | None:
    """Return the role that a value names, by its own word or by another program's."""
    return _ROLES.get(value.strip().lower()) if isinstance(value, str) else None


def turn_of(value: object) -> int | None:
    """Return the whole number from 0 that a value is, or that a text writes."""
    if isinstance(value, str):
        text = value.strip()
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= 16 else None
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_TURN:
        return None
    return value


def _session(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return _speaker(value)


def _speaker(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


_READ: Mapping[str, Callable[[object], Any]] = {
    "role": role_of, "session": _session, "turn": turn_of, "speaker": _speaker,
}  # fmt: skip


def utterance_in(row: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a row says of where and by whom it was said, by field, and all else of the row.
    A field that the row has with another kind of value stands in the rest."""
    found: dict[str, Any] = {}
    rest = dict(row)
    for field, names in _NAMES.items():
        for name in names:
            if name in _OF_MESSAGES and not _is_message(name, found):
                continue
            value = _READ[field](row.get(name))
            if value is not None:
                found[field] = value
                del rest[name]
                break
    return found, rest


def _is_message(name: str, found: Mapping[str, Any]) -> bool:
    """Say whether a row is of a conversation, so that who wrote it is who spoke."""
    return "role" in found or (name != "name" and "session" in found)
