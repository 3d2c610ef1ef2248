"""Facts in classes that come one after the other, each with a limit of distance, and by distance
within a class."""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.model.source import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tideline_cli.model.fact import Fact


@record
class Group:
    """A class of facts: its priority, the least first, and from which distance on none is taken."""

    name: str
    priority: int
    most: float


GROUPS: Mapping[str, Group] = {
    group.name: group
    for group in (
        Group("name_memory", -20, 1.00),
        Group("summary", -15, 0.75),
        Group("episode", -12, 0.70),
        Group("identity", -10, 0.65),
        Group("document", -5, 1.25),
        Group("manual", 0, 0.55),
        Group("auto", 1, 0.55),
    )
}
WEIGHT = 10.0
"""What one step of priority weighs against distance."""
OVERLAP = 0.3
"""The most that shared words take off a distance."""
PROBE = "The user's profile, the name and the preferences of the user."
_PROBED = ("who", "my ", " i ", "profile", "preference", "remember")
_NAMED = ("name is", "call me")
_SUMMARIES = ("document_summary", "summary")
_TYPED = ("owner_message", "user_instruction")
_K1, _B = 1.5, 0.75
_FULL = 5.0
_EDGES = ".,;:!?\"'()[]{}"
_LABELS = ((-15, "MASTER SUMMARY"), (-10, "IDENTITY"))


def group_of(fact: Fact, *, is_probed: bool) -> Group:
    """Return the class of a fact; `is_probed` says whether it is near the question about the user.

    What nobody trusts is never more than a document, whatever it says of itself.
    """
    is_document = fact.kind == "document" or fact.source == "retrieved_document"
    if not is_trusted(fact.source):
        return GROUPS["document" if is_document else "auto"]
    said = fact.content.lower()
    if fact.kind == "name_memory" or any(sign in said for sign in _NAMED):
        return GROUPS["name_memory"]
    if fact.kind in _SUMMARIES:
        return GROUPS["summary"]
    if fact.kind == "episode":
        return GROUPS["episode"]
    if is_probed or fact.kind in ("identity", "entity") or fact.segment == "identity":
        return GROUPS["identity"]
    if is_document:
        return GROUPS["document"]
    typed = fact.kind is None and fact.source in _TYPED
    return GROUPS["manual" if fact.kind == "manual" or typed else "auto"]


def priority_of(group: Group, *, trusted: bool) -> int:
    """Return the priority of a fact: what nobody trusts comes with the last class."""
    return group.priority if trusted else max(group.priority, GROUPS["auto"].priority)


def asks_about_user(question: str) -> bool:
    """Say whether a question is about the user, so that their profile is looked at too."""
    said = question.lower()
    return any(sign in said for sign in _PROBED)


def is_of_user(cosine: float) -> bool:
    """Say whether a fact is near enough to the question about the user to be about them."""
    return distance(cosine) < GROUPS["identity"].most


def distance(cosine: float) -> float:
    """Return the squared distance of two unit vectors."""
    return 2.0 - 2.0 * cosine


def summed_up(priority: int, far: float, penalty: float, distrust: float) -> float:
    """Return what a fact is ranked by, the least first: priority · 10 + distance + penalty, and
    what its source is not trusted. Source: VectorMemory, its search."""
    return WEIGHT * priority + far + penalty + distrust


def bare_words(text: str) -> list[str]:
    """Return the words of two letters or more, in lower case, without signs at the ends."""
    words = (word.strip(_EDGES) for word in text.lower().split() if len(word) > 1)
    return [word for word in words if word]


def bm25(asked: Sequence[str], held: Sequence[str], mean: float) -> float:
    """Return the score of the words of a text without their rarity (k1 1.5, b 0.75); `mean` is the
    mean number of words. Source: VectorMemory, its re-rank."""
    if not held or mean <= 0:
        return 0.0
    norm = _K1 * (1.0 - _B + _B * len(held) / mean)
    counts = [held.count(word) for word in asked]
    return sum(n * (_K1 + 1.0) / (n + norm) for n in counts if n)


def overlaps(question: str, texts: Sequence[str]) -> list[float]:
    """Return what the words shared with a question take off the distance of each text, 0..0.3."""
    asked = bare_words(question)
    held = [bare_words(text) for text in texts]
    mean = sum(map(len, held)) / len(held) if held else 0.0
    return [OVERLAP * min(bm25(asked, words, mean) / _FULL, 1.0) for words in held]


def class_label(priority: int) -> str | None:
    """Return how a line of this priority is marked, None for no mark."""
    if priority == 0:
        return "USER PRIORITY"
    return next((name for most, name in _LABELS if priority <= most), None)
