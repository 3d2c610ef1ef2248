"""The list by this program itself: it answers as its reader types, until a fact is chosen."""

from __future__ import annotations

import sys

from tideline_cli.cli.picker import screen
from tideline_cli.cli.picker.choosing import Choosing
from tideline_cli.cli.picker.full_screen import FullScreen  # type: ignore[attr-defined,unused-ignore]
from tideline_cli.cli.terminal import copy_to_clipboard
from tideline_cli.errors import TidelineError

assert sys.platform != "win32"  # noqa: S101  for type checkers: `pick` says that it needs POSIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.picker.offer import Offer

_QUESTION = "forget it? y/N"
_NO = "n"


def chosen(offer: Offer, text: str, handle: int, *, is_styled: bool, now: int) -> str | None:
    """Let a reader choose at the terminal `handle`; return the id of the fact, None for none."""
    state = Choosing(text)
    state.answered(offer.answer(text))
    with FullScreen(handle, is_styled=is_styled) as terminal:
        while True:
            terminal.show(screen.drawn(state, terminal.size, now=now))
            done = _taken(state, terminal, offer)
            if done == "leave":
                return None
            if done == "choose" and state.marked is not None:
                return state.marked.id


def _taken(state: Choosing, terminal: FullScreen, offer: Offer) -> str:
    """Take the keys that were pressed; of what was typed only the last state is answered. Return
    how the list ends, nothing where it goes on."""
    is_asked = False
    pressed = terminal.pressed()
    if state.asks and len(pressed) > 1 and all(len(key) == 1 for key in pressed):
        pressed = [_NO]  # a text that was pasted is no answer
    for key in pressed:
        if is_asked and state.concerns_facts(key):
            is_asked = _answer(state, offer)
        done = state.pressed(key)
        if done in ("leave", "choose"):
            return done
        is_asked = is_asked or done == "search"
        if done not in ("", "search"):
            _act(state, done, terminal, offer)
    if is_asked:
        _answer(state, offer)
    return ""


def _answer(state: Choosing, offer: Offer, *, keeps: bool = False) -> bool:
    """Answer the question as it stands; return False, since it is no longer to be answered."""
    try:
        state.answered(offer.answer(state.text), keeps=keeps)
    except TidelineError as error:
        state.said = error.message
    return False


def _act(state: Choosing, done: str, terminal: FullScreen, offer: Offer) -> None:
    """Do what a key asks of the marked fact, and say so in the list."""
    fact = state.marked
    if fact is None:
        return
    if done == "forget":
        state.ask(_QUESTION)
        return
    try:
        if done == "copy":
            by = copy_to_clipboard(fact.id, terminal.handle)
            state.said = f"{fact.id} is copied, by {by}"
            return
        said = offer.forget(fact.id) if done == "forget-it" else offer.turn_pin(fact.id)
    except TidelineError as error:
        said = error.message
    _answer(state, offer, keeps=True)
    state.said = said
