"""Where and by whom facts were said, where an older program kept it in their metadata: read, and
put into the fields. For the upgrade to version 3."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.model.utterance import utterance_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from apsw import Connection

_FIELDS = ("session", "turn", "speaker", "role")
_TELLING = " OR ".join(
    f"metadata LIKE '%{word}%'" for word in ("session", "conversation", "thread", "chat")
)


@record
class Utterance:
    """What the metadata of a fact say of where and by whom it was said, and what else they say."""

    seq: int
    said: Mapping[str, Any]
    rest: Mapping[str, Any]


def in_metadata(db: Connection) -> dict[int, list[Utterance]]:
    """Return by origin the facts whose metadata name a session. Without one, a role or a name may
    be anything."""
    found: dict[int, list[Utterance]] = {}
    rows: list[Any] = db.execute(
        f"SELECT origin, seq, metadata FROM fact WHERE {_TELLING} ORDER BY origin, seq"
    ).fetchall()
    for origin, seq, metadata in rows:
        said, rest = utterance_in(codec.loads(metadata))
        if "session" in said:
            found.setdefault(origin, []).append(Utterance(seq, said, rest))
    return found


def put(db: Connection, utterances: Iterable[Utterance]) -> None:
    """Put utterances into the fields of their facts; the metadata keep the rest. What is derived of
    these facts is made anew by whoever finds them without a digest."""
    columns = ", ".join(f"{name} = ?" for name in _FIELDS)
    for one in utterances:
        rest = codec.dumps(dict(one.rest)) if one.rest else None
        db.execute(
            f"UPDATE fact SET {columns}, metadata = ?, digest = NULL WHERE seq = ?",
            (*(one.said.get(name) for name in _FIELDS), rest, one.seq),
        )
