"""What the list offers: the facts that answer, how each is shown, and what may be done to one."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.memory import amend, pick
from tideline_cli.memory.query import Query
from tideline_cli.model import time_words
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.render import screen_text, with_title
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.errors import UnavailableError
    from tideline_cli.model.fact import Fact
    from tideline_cli.store.facts import Filter

_OF_A_LINE = 400  # characters of a text in the list
HANDED = "_TIDELINE_PICK"
"""The variable that says to the processes of fzf of which call they are a part, as JSON."""
PINNED = "* "
"""What stands before a pinned fact."""


class Offer:
    """The facts of one memory that a list may offer, for one session and by its filters."""

    def __init__(self, session: Session, wanted: Filter, limit: int) -> None:
        self._session = session
        self._wanted = wanted
        self._limit = limit
        self._db: Connection | None = None
        self.notes: list[str] = []  # what is to be said when the list is closed

    def answer(self, text: str) -> list[Fact]:
        """Return the facts that answer what is typed so far; the newest where nothing is."""
        db = self._reading()
        if db is None:
            return []
        query = Query(
            text, limit=self._limit, wanted=self._wanted,
            fading=self._session.setting("fading", DEPTH),
        )  # fmt: skip
        return pick.found(
            db, query, viewer=self._session.viewer, now=self._session.now, caution=self._caution
        )

    def _caution(self, error: UnavailableError) -> None:
        note = f"answered by words alone: {error.message}"
        if note not in self.notes:
            self.notes.append(note)

    def fact(self, fact_id: str) -> Fact:
        """Return one fact as it is now."""
        db = self._reading()
        if db is None:
            raise facts.missing(fact_id)
        return facts.find(db, fact_id, viewer=self._session.viewer)

    def forget(self, fact_id: str) -> str:
        """Forget a fact, and say so; how it comes back is noted for afterwards too."""
        text = output.brief(self.fact(fact_id))
        amend.forget(self._writing(), [fact_id], viewer=self._session.viewer, now=self._session.now)
        way_back = f"`{self._session.call('restore', fact_id)}` brings it back"
        self.notes.append(f"forgot {fact_id}: {text}; {way_back}")
        return f"forgotten; {way_back}"

    def turn_pin(self, fact_id: str) -> str:
        """Pin a fact, or unpin it where it is pinned, and say which."""
        is_pinned = self.fact(fact_id).pinned
        verb = amend.unpin if is_pinned else amend.pin
        self.notes.append(f"{'unpinned' if is_pinned else 'pinned'} {fact_id}")
        verb(self._writing(), [fact_id], viewer=self._session.viewer, now=self._session.now)
        return "unpinned" if is_pinned else "pinned"

    def used(self, fact: Fact) -> None:
        """Count the choice as use of a fact, as a recall is one: a setting or a profile may say
        otherwise."""
        is_profiled = self._session.profile(None) is not None
        if self._session.setting("touch", "off" if is_profiled else "on") == "off":
            return
        db = self._reading()
        if db is not None:
            pick.count_choice(db, fact, viewer=self._session.viewer, now=self._session.now)

    def _reading(self) -> Connection | None:
        if self._db is None:
            self._db = self._session.reading()
        return self._db

    def _writing(self) -> Connection:
        if not self._session.has_memory:
            raise facts.missing("it")
        self._db = self._session.writing(frees=True)
        return self._db


def line_of(fact: Fact, *, now: int) -> str:
    """Return the line of a fact in the list, as a terminal may show it; what does not hold says so
    in front, since a screen cuts the end."""
    text = screen_text(output.brief(fact, _OF_A_LINE).expandtabs(1))
    state = output.state(fact, now=now)
    return PINNED * fact.pinned + (f"({state}) " if state else "") + text


def row_of(fact: Fact, *, now: int) -> str:
    """Return the row of a fact as fzf reads it: its id, a tab, what is shown."""
    return f"{fact.id}\t{line_of(fact, now=now)}\n"


def shown_lines(fact: Fact, *, now: int) -> list[str]:
    """Return the lines that show a fact beside the list: its text as it is, and its labels."""
    told = with_title(fact.title, fact.content)
    text = [screen_text(line.expandtabs(4)) for line in told.split("\n")]
    return [*text, "", *map(screen_text, _labels(fact, now=now))]


def _labels(fact: Fact, *, now: int) -> Sequence[str]:
    said = fact.source if is_trusted(fact.source) else f"{fact.source}, untrusted"
    named = [
        ("slot ", fact.slot), ("tags ", ", ".join(fact.tags)),
        ("document ", fact.document), ("scope ", fact.scope), ("said by ", fact.speaker),
        ("", "pinned" if fact.pinned else None),
        ("", output.state(fact, now=now)),
    ]  # fmt: skip
    return [
        " · ".join([fact.segment, *(word + text for word, text in named if text)]),
        f"{time_words.ago(fact.created_at, now)} · {said}",
        fact.id,
    ]
