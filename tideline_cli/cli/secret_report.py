"""`doctor --secrets`: the facts that hold secrets, by id and kind; no secret is said."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.memory.secret_screening import kinds_in_words
from tideline_cli.memory.stored_secrets import stored_secrets
from tideline_cli.model.origin import EVERYONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.stored_secrets import StoredSecret

_REMEDY = (
    "`tideline purge ID` removes a fact and its history for good; `tideline edit ID TEXT` first "
    "keeps what else it says, and `purge` then takes the old wording"
)


def run(session: Session) -> int:
    """Print the facts that hold secrets, one a line."""
    db = session.reading()
    found = [] if db is None else stored_secrets(db, viewer=EVERYONE)
    if session.json:
        output.emit_json(_form(session, found))
        return 0
    output.emit_lines([_line(session, one) for one in found])
    if found:
        facts = "1 fact holds" if len(found) == 1 else f"{len(found):,} facts hold"
        session.note(f"{facts} what looks like a secret; {_REMEDY}")
    else:
        session.note("no secret found")
    return 0


def _line(session: Session, one: StoredSecret) -> str:
    whose = "" if one.origin == session.viewer.key else f"\t{output.shown_origin(one.origin)}"
    return f"{one.id}\t{kinds_in_words(one.kinds)}\t{', '.join(one.places)}{whose}"


def _form(session: Session, found: list[StoredSecret]) -> dict[str, Any]:
    return {
        "ok": True,
        "findings": [
            {"check": "secrets", "severity": "warning", "remedy": _REMEDY,
             "message": f"{one.id} holds {kinds_in_words(one.kinds)}"}
            for one in found
        ],
        "checks": ["secrets"],
        "database": session.database,
        "secrets": [
            {"id": one.id, "origin": one.origin, "kinds": list(one.kinds),
             "places": list(one.places)}
            for one in found
        ],
    }  # fmt: skip
