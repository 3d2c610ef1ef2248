"""Which facts of a memory file hold secrets: what `doctor --secrets` finds, without saying one."""

from __future__ import annotations

from tideline_cli.memory.secret_screening import secret_kinds
from tideline_cli.model import codec
from tideline_cli.model.record import record
from tideline_cli.policy.secret_cues import may_hold
from tideline_cli.store.checks.stated_texts import stated_texts
from tideline_cli.store.transactions import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.origin import Everyone, Origin


@record
class StoredSecret:
    """A fact that holds secrets: of which kinds, and in which of its texts. `history` is what the
    journal keeps of it, `link` the reason of an edge that leaves it."""

    id: str
    origin: str
    kinds: tuple[str, ...]
    places: tuple[str, ...]


def stored_secrets(db: Connection, *, viewer: Origin | Everyone) -> list[StoredSecret]:
    """Return the facts of a viewer that hold secrets, archived and undone ones too."""
    found: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    with snapshot(db):
        for fact_id, origin, place, text in stated_texts(db, viewer=viewer):
            if may_hold(text) and (kinds := secret_kinds([_read(text)])):
                places = found.setdefault((fact_id, origin), {})
                places[place] = (*places.get(place, ()), *kinds)
    return [
        StoredSecret(
            fact_id, origin,
            tuple(dict.fromkeys(kind for kinds in places.values() for kind in kinds)),
            tuple(places),
        )
        for (fact_id, origin), places in found.items()
    ]  # fmt: skip


def _read(text: str) -> Any:
    """Return a text, or what JSON says."""
    if text[:1] not in ("[", "{"):
        return text
    try:
        return codec.loads(text)
    except ValueError:
        return text
