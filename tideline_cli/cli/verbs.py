"""What modules of commands share: the form of a verb that stands beside another one, and the bar of
a long one."""

from __future__ import annotations

from tideline_cli.cli.commands import drawer
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

    from tideline_cli.cli.options import Argument, OptionSet
    from tideline_cli.cli.session import Session


@record
class Verb:
    """A command that stands in the module of another one, which it has much in common with: what
    else is a module of its own has by these names."""

    HELP: str
    EXAMPLES: tuple[tuple[str, str], ...]
    ARGUMENTS: tuple[Argument, ...]
    Options: type[OptionSet]
    run: Callable[[Session, list[str], Any], int]


def progress(
    session: Session, label: str, total: int, position: Callable[[], int] | None = None
) -> AbstractContextManager[Callable[[int], None]]:
    """Return a bar on stderr where a person waits, of which `with` gives what is told how many rows
    are done; `position` says how far a file is read, where that is not by rows. Nothing is shown of
    a total of 0, which is not known or not worth it."""
    if not (session.is_watched and total > 0):
        from contextlib import nullcontext  # noqa: PLC0415  long verbs alone

        return nullcontext(lambda _: None)
    return drawer(session).bar(label, total, position)
