"""Whose memory it is: the owner's, or that of one exact conversation in a channel.

There is no hierarchy and no wildcard. A viewer sees the facts of its own origin and nothing
else. EVERYONE is the viewer of maintenance, which passes it explicitly.

Names are compared after NFC, and no name may hold invisible characters. A store may hold an older
name that is not in that form: it is an origin like any other, and found by its exact spelling.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_HINT = (
    "use `owner` or `channel:CHANNEL/CONVERSATION/SESSION[@ACCOUNT]`, with `/`, `@`, `%` "
    "inside a part percent-encoded"
)
_CONTROL_END = 0x20
_LONGEST = 1024
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_IGNORABLE = (  # fillers and selectors that show nothing, of any category
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
)  # fmt: skip


class Origin(Record):
    """An identity by its canonical key; two origins are the same when their keys are the same."""

    key: str

    @property
    def is_owner(self) -> bool:
        return self.key == "owner"

    @property
    def is_internal(self) -> bool:
        """Say whether it is a channel in which programs talk to themselves."""
        return self.key.startswith(("channel:heartbeat/", "channel:cron/", "channel:system/"))


class Everyone:
    """The viewer of maintenance passes: all origins."""

    __slots__ = ()


OWNER: Final = Origin("owner")
UNKNOWN: Final = Origin("unknown")  # somebody who cannot be identified: sees and writes nothing
EVERYONE: Final = Everyone()


def parse_origin(text: str) -> Origin:
    """Return the origin that `text` spells, in canonical form; raise UsageError otherwise."""
    for known in (OWNER, UNKNOWN):
        if text == known.key:
            return known
    found = channel(*(_in_form(part, text) for part in _parts(text)))
    if len(found.key) > _LONGEST:  # its slashes take three characters each
        raise _refusal(text)
    return found


def as_spelled(text: str) -> Origin:
    """Return the origin of a channel with exactly this name; raise UsageError for no name."""
    return channel(*_parts(text))


def is_in_form(key: str) -> bool:
    """Say whether a key is one that `parse_origin` returns."""
    try:
        return parse_origin(key).key == key
    except UsageError:
        return False


def spelled_out(key: str) -> str:
    """Return a key where spaces and all but ASCII are percent-encoded: the same origin, in letters
    that anybody can tell apart and type."""
    return "".join(
        char if "\x21" <= char <= "\x7e" else "".join(f"%{octet:02X}" for octet in char.encode())
        for char in key
    )


def _parts(text: str) -> list[str]:
    """Return the parts of a channel's name, decoded: channel, conversation, session, account."""
    kind, _, rest = text.partition(":")
    if kind != "channel" or len(text) > _LONGEST:
        raise _refusal(text)
    rest, at, account = rest.partition("@")
    parts = rest.split("/")
    if len(parts) != 3 or (at and not account):
        raise _refusal(text)
    decoded = [_decode(part, text) for part in (*parts, account)]
    if not (decoded[0] and decoded[2]):
        raise _refusal(text)
    return decoded


def _in_form(part: str, whole: str) -> str:
    """Return a part after NFC; raise UsageError for one with an invisible character."""
    if part.isascii() and part.isprintable() and part.strip(" ") == part:
        return part
    from unicodedata import category  # noqa: PLC0415  plain names need none of it

    from tideline_cli.model.unicode_forms import in_form  # noqa: PLC0415  as above

    part = in_form("NFC", part)
    for char in part:
        kind, code = category(char), ord(char)
        is_blank = kind == "Zs" and char != " "
        if kind in _UNSEEN or is_blank or any(low <= code <= high for low, high in _IGNORABLE):
            raise _refusal(whole, f"U+{code:04X} in it cannot be seen")
    if part.strip(" ") != part:
        raise _refusal(whole, "a part begins or ends with a blank")
    return part


def channel(channel_id: str, conversation: str, session: str, account: str = "") -> Origin:
    """Return the origin of one session; a missing account equals the empty one."""
    key = "channel:" + "/".join(_encode(part) for part in (channel_id, conversation, session))
    return Origin(f"{key}@{_encode(account)}" if account else key)


def _encode(part: str) -> str:
    return "".join(
        f"%{ord(char):02X}" if char in "%/@" or ord(char) < _CONTROL_END else char for char in part
    )


def _decode(part: str, whole: str) -> str:
    if any(
        char == "@" or ord(char) < _CONTROL_END or 0xD800 <= ord(char) < 0xE000 for char in part
    ):
        raise _refusal(whole)
    head, *coded = part.split("%")
    out = bytearray(head.encode())
    try:
        for piece in coded:
            out += bytes.fromhex(piece[:2] if len(piece) > 1 else "?")
            out += piece[2:].encode()
        return out.decode()
    except ValueError as error:
        raise _refusal(whole) from error


def _refusal(text: str, why: str = "") -> UsageError:
    shown = text if len(text) <= 60 else text[:59] + "…"
    return UsageError(f"not an origin: {shown!r}{why and ': '}{why}", hint=_HINT)
