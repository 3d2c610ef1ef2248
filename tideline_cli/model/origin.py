"""Whose memory it is: the owner's, or that of one exact conversation in a channel.

There is no hierarchy and no wildcard. A viewer sees the facts of its own origin and nothing
else; EVERYONE exists for maintenance, which says so aloud.
"""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_HINT = (
    "use `owner` or `channel:CHANNEL/CONVERSATION/SESSION[@ACCOUNT]`, with `/`, `@`, `%` "
    "inside a part percent-encoded"
)
_CONTROL_END = 0x20
_LONGEST = 1024


@record
class Origin:
    """An identity by its canonical key; two origins are the same when their keys are."""

    key: str

    @property
    def is_owner(self) -> bool:
        return self.key == "owner"


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
    return channel(decoded[0], decoded[1], decoded[2], decoded[3])


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


def _refusal(text: str) -> UsageError:
    shown = text if len(text) <= 60 else text[:59] + "…"
    return UsageError(f"not an origin: {shown!r}", hint=_HINT)
