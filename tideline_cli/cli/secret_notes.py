"""What is said of secrets: a warning where a trusted source stores one, and `doctor --secrets`,
which names the facts and the kinds, never a secret."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.memory.secret_screening import (
    kinds_in_words,
    kinds_of,
    secret_kinds,
    stored_secrets,
)
from tideline_cli.model.origin import EVERYONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.memory.secret_screening import StoredSecret
    from tideline_cli.model.fact import NewFact

_REMEDY = (
    "`tideline purge ID` removes a fact and its history for good; `tideline edit ID TEXT` first "
    "keeps what else it says, and `purge` then takes the old wording"
)

def warn(session: Session, stated: Iterable[NewFact], fact_id: str | None) -> None:
    """Warn of the secrets of new facts, if they hold any."""
    kinds = (kind for new in stated for kind in kinds_of(new))
    _warn(session, tuple(dict.fromkeys(kinds)), fact_id)


def warn_of(session: Session, values: Iterable[Any], fact_id: str) -> None:
    """Warn of the secrets in texts, lists and objects that a fact keeps as they are."""
    _warn(session, secret_kinds(values), fact_id)


def _warn(session: Session, kinds: tuple[str, ...], fact_id: str | None) -> None:
    if kinds:
        hint = f"`{session.call('doctor', '--secrets')}` names what is there"
        if fact_id is not None:
            hint = f"`{session.call('purge', fact_id)}` removes it for good, {hint}"
        told = f"this looks like {kinds_in_words(kinds)}, and is stored as it is"
        session.caution("secret", told, hint=hint)


def report(session: Session) -> int:
    """Print the facts that hold secrets, one a line."""
    db = session.reading()
    if db is None:
        session.check_memory_is_there()
    found = [] if db is None else stored_secrets(db, viewer=EVERYONE)
    if session.json:
        output.emit_json(_form(session, found))
        return 0
    lines = [f"{'warning':<9}secrets: {_message(session, one)}" for one in found]
    if not lines and not session.quiet:
        lines = [f"all is well: no secret found in {session.database}"]
    output.emit_lines(lines)
    if found:
        session.note(_REMEDY)
    return 0


def _message(session: Session, one: StoredSecret) -> str:
    is_own = one.origin == session.viewer.key
    whose = "" if is_own else f" of {output.shown_origin(one.origin)}"
    return f"{one.id}{whose} holds {kinds_in_words(one.kinds)} ({', '.join(one.places)})"


def _form(session: Session, found: list[StoredSecret]) -> dict[str, Any]:
    return {
        "ok": True,
        "findings": [
            {"check": "secrets", "severity": "warning", "remedy": _REMEDY,
             "message": _message(session, one)}
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
