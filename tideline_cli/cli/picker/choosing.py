"""What is typed and marked in the list, and what a key does to that. It knows no terminal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.model.fact import Fact

_OUT = ("choose", "leave", "forget", "pin", "copy")
_YES = ("y", "Y")
_TOO_LONG = "what was pasted is too long for a question, and left out"


class Choosing:
    """The question, where its cursor is, the facts that answer it and which of them is marked.

    `said` is told in the line of help until the next key; while `asks`, it is a question. `page` is
    how many facts the list shows, `scrolled` how many lines of the marked fact are above its view.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.cursor = len(text)
        self.facts: Sequence[Fact] = ()
        self.place = 0
        self.said = ""
        self.asks = False
        self.page = 10
        self.scrolled = 0

    @property
    def marked(self) -> Fact | None:
        """The fact that is marked, None where the list is empty."""
        return self.facts[self.place] if self.facts else None

    def answered(self, facts: Sequence[Fact], *, keeps: bool = False) -> None:
        """Take the facts of an answer; the first is marked, or with `keeps` the same place."""
        self.facts = facts
        self._mark(min(self.place, len(facts) - 1) if keeps else 0)

    def concerns_facts(self, key: str) -> bool:
        """Say whether a key means something of the facts, so that they have to be those of now."""
        return key in _OUT or key in _MOVES

    def pressed(self, key: str) -> str:
        """Take a key, and return what is to be done: `search` where the question has changed, one
        of choose, leave, forget, pin and copy, or nothing."""
        if self.asks:
            self.asks, self.said = False, ""
            return "forget-it" if key in _YES else ""
        self.said = _TOO_LONG if key == "too-long" else ""
        if key in _OUT:
            return key if self.facts or key == "leave" else ""
        if key in _MOVES:
            self._move(key)
            return ""
        before = self.text
        self._edit(key)
        return "search" if self.text != before else ""

    def ask(self, question: str) -> None:
        """Ask whether the marked fact is to be forgotten: the next key answers."""
        self.said, self.asks = question, True

    def _move(self, key: str) -> None:
        if key.startswith("scroll"):
            self.scrolled = max(0, self.scrolled + (1 if key == "scroll-down" else -1))
            return
        steps = {"up": -1, "down": 1, "page-up": -self.page, "page-down": self.page}
        last = len(self.facts) - 1
        place = {"first": 0, "last": last}.get(key, self.place + steps.get(key, 0))
        self._mark(max(0, min(place, last)))

    def _mark(self, place: int) -> None:
        self.place, self.scrolled = max(0, place), 0

    def _edit(self, key: str) -> None:
        text, at = self.text, self.cursor
        if len(key) == 1:
            self.text, self.cursor = text[:at] + key + text[at:], at + 1
        elif key == "backspace" and at:
            self.text, self.cursor = text[: at - 1] + text[at:], at - 1
        elif key == "delete":
            self.text = text[:at] + text[at + 1 :]
        elif key == "cut-left":
            self.text, self.cursor = text[at:], 0
        elif key == "cut-right":
            self.text = text[:at]
        elif key == "cut-word":
            start = text[:at].rstrip().rfind(" ") + 1
            self.text, self.cursor = text[:start] + text[at:], start
        else:
            to = {"left": at - 1, "right": at + 1, "home": 0, "end": len(text)}.get(key, at)
            self.cursor = max(0, min(to, len(text)))


_MOVES = ("up", "down", "page-up", "page-down", "first", "last", "scroll-up", "scroll-down")
