"""What fzf asks of a call of `tideline pick`: `tideline __pick rows|show|forget|pin|copy WORD`.

It prints nothing on stderr but the question whether a fact is to be forgotten: fzf has the screen.
"""

from __future__ import annotations

import os
import sys

from tideline_cli.cli import filters, output
from tideline_cli.cli.commands import pick
from tideline_cli.cli.options import GlobalOptions
from tideline_cli.cli.picker import offer
from tideline_cli.cli.picker.offer import Offer
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError
from tideline_cli.model import codec
from tideline_cli.store.connection import DatabaseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_USAGE = 2


def run(words: Sequence[str]) -> int:
    """Do what fzf asks; return 0, or 1 where it could not be done."""
    handed = os.environ.get(offer.HANDED)
    if handed is None or len(words) != 2:
        return _USAGE
    form = codec.loads(handed)
    session = Session(GlobalOptions(**form["global"] | {"quiet": True}))  # fzf has the screen
    try:
        offered = _offer(session, form["options"])
        _DEEDS[words[0]](session, offered, words[1])
        _tell(form["told"], offered.notes, once=words[0] == "rows")
    except (TidelineError, DatabaseError) as error:
        _tell(form["told"], [str(error)])
        sys.stdout.write(f"{error}\n" if words[0] == "show" else "")
        return 1
    finally:
        session.close()
    return 0


def _offer(session: Session, given: dict[str, Any]) -> Offer:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value
              for name, value in given.items()}  # fmt: skip
    options = pick.Options(**values)
    wanted = filters.wanted(session, session.reading(), options)
    return Offer(session, wanted, options.limit)


def _rows(session: Session, offered: Offer, text: str) -> None:
    facts = offered.answer(text)
    sys.stdout.write("".join(offer.row_of(fact, now=session.now) for fact in facts))


def _show(session: Session, offered: Offer, fact_id: str) -> None:
    lines = offer.shown_lines(offered.fact(fact_id), now=session.now)
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _forget(session: Session, offered: Offer, fact_id: str) -> None:
    from tideline_cli.cli.terminal import confirmed  # noqa: PLC0415  one key of many

    question = f"Forget {fact_id}: {output.clipped(offered.fact(fact_id).content)}?"
    if confirmed(session, question, yes=False):
        offered.forget(fact_id)


def _pin(_: Session, offered: Offer, fact_id: str) -> None:
    offered.turn_pin(fact_id)


def _copy(_: Session, __: Offer, fact_id: str) -> None:
    from tideline_cli.cli import terminal  # noqa: PLC0415  one key of many

    handle = os.open("/dev/tty", os.O_WRONLY)
    terminal.copy_to_clipboard(fact_id, handle)
    os.close(handle)


def _tell(path: str, notes: Sequence[str], *, once: bool = False) -> None:
    """Leave what is to be said when the list is closed; `once`: what is said already is not said
    again, as with each letter."""
    if not notes:
        return
    with open(path, "a+", encoding="utf-8", newline="\n") as file:
        file.seek(0)
        said = set(file.read().splitlines()) if once else set()
        lines = (" ".join(note.split()) for note in notes)
        file.write("".join(f"{line}\n" for line in lines if line not in said))


_DEEDS = {"rows": _rows, "show": _show, "forget": _forget, "pin": _pin, "copy": _copy}
