"""What is said of secrets in what a trusted source stores: a warning, and the way out."""

from __future__ import annotations

from tideline_cli.memory.secret_screening import kinds_in_words, kinds_of, secret_kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.model.fact import NewFact


def warn(session: Session, new: NewFact) -> None:
    """Warn of the secrets of a new fact, if it holds any."""
    _warn(session, kinds_of(new))


def warn_of(session: Session, values: Iterable[Any]) -> None:
    """Warn of the secrets in texts, lists and objects that are stored as they are."""
    _warn(session, secret_kinds(values))


def _warn(session: Session, kinds: tuple[str, ...]) -> None:
    if kinds:
        session.caution(
            "secret",
            f"this looks like {kinds_in_words(kinds)}, and is stored as it is",
            hint="`tideline purge ID` removes it for good, `tideline doctor --secrets` finds more",
        )
