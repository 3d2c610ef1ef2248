"""The scan for threats: within bounded processor time, and before a lock is taken.

How long a scan takes depends on the text. A transaction that waits for a scan stops every other
writer. So a command scans its texts first, and asks for the result when it stores them.
"""

from __future__ import annotations

from time import thread_time  # of this thread alone: a busy machine makes no text costly

from tideline_cli.errors import UsageError, WriteBlockedError
from tideline_cli.model.fact import MAX_CONTENT
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import normalise
from tideline_cli.policy.threats import scan as threats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tideline_cli.model.fact import Fact, NewFact

THREAT = "memory:threat"
"""The code of an error that refuses a text for what the scan found in it."""


def threats_in(text: str) -> tuple[str, ...]:
    """Return the names of the patterns found in a text. A text that is too costly to scan is
    reported under a name of its own."""
    return threats.scan(text, clock=thread_time)


def are_harmless(text: str, starts: frozenset[str]) -> bool:
    """Say whether a text of plain words, that begin so, is one in which the scan finds nothing."""
    return threats.finds_nothing(text, starts)


class Screen:
    """What the scan has found in the texts that a transaction is about to store. In the texts of
    `clean` it has found nothing."""

    def __init__(self, clean: Iterable[str] = ()) -> None:
        self._found: dict[str, tuple[str, ...]] = dict.fromkeys(clean, ())

    def found(self, text: str) -> tuple[str, ...]:
        """Return what is found in a text; it is scanned when it is first asked about."""
        known = self._found.get(text)
        if known is None:
            known = self._found[text] = threats_in(text)
        return known


def screen_of(facts: Iterable[NewFact]) -> Screen:
    """Scan the texts of untrusted facts, as they would be stored. A text that cannot be a fact is
    passed over: storing it raises the error."""
    screen = Screen()
    for new in facts:
        if is_trusted(new.source):
            continue
        try:
            text = normalise(new.content)
        except UsageError:
            continue
        if len(text) <= MAX_CONTENT:
            screen.found(text)
        if new.title:
            screen.found(new.title)
    return screen


def screened(new: NewFact) -> tuple[NewFact, int, Screen]:
    """Return an untrusted fact without secrets, their number, and what is found in the rest."""
    from tideline_cli.memory.secret_screening import secretless  # noqa: PLC0415  a fact to store

    new, count = secretless(new)
    return new, count, screen_of([new])


def refuse_threats(text: str, screen: Screen, *, whose: str, hint: str) -> None:
    """Raise WriteBlockedError for a text with threats; `whose` text it is may be empty."""
    found = screen.found(text)
    if found:
        raise refusal(found, whose, hint)


def refuse_untrusted(fact: Fact, screen: Screen) -> None:
    """Raise WriteBlockedError for threats in the text or the title of an untrusted fact."""
    if not is_trusted(fact.source):
        hint = "read it; if you vouch for it, remember it as the owner"
        for text in filter(None, (fact.content, fact.title)):
            refuse_threats(text, screen, whose=f"text from {fact.source}", hint=hint)


def refusal(found: tuple[str, ...], whose: str, hint: str) -> WriteBlockedError:
    """Return the error for a text with threats; `whose` text it is may be empty."""
    listed = ", ".join(found)
    if threats.TOO_COSTLY in found:
        hint = f"too costly to scan: split it into single facts, or {hint}"
    return WriteBlockedError(
        " ".join(filter(None, ("threat scan:", whose, "matched", listed))),
        hint=hint,
        code=THREAT,
        reason=f"threat: {listed}",
    )
