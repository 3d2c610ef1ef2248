"""Points for the words of a question: in the text, in the id, for tags, for what is new."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

WORD, ID, TAG, DAY, WEEK, ACTIVE = 2, 3, 3, 2, 1, 1
_DAY_HOURS, _WEEK_HOURS = 24.0, 7 * 24.0


@record
class Points:
    """The points of a fact, and for what it has them."""

    words: int
    id: int
    tags: int
    recency: int
    active: int

    @property
    def total(self) -> int:
        return self.words + self.id + self.tags + self.recency + self.active

    @property
    def is_match(self) -> bool:
        """Say whether a word, the id or a tag matched: what is merely new or active does not."""
        return bool(self.words or self.id or self.tags)


def words_of(question: str) -> tuple[str, ...]:
    """Return the words of a question, in lower case, that have two letters or more."""
    return tuple(word for word in question.lower().split() if len(word) > 1)


def points(
    words: Collection[str], *, text: str, fact_id: str, asked_tags: Collection[str],
    tags: Collection[str], hours: float | None, is_active: bool,
    least_of_id: int = 1,
) -> Points:  # fmt: skip
    """Return the points of a fact for the words of a question and for the tags that it asks for.

    2 for each word that stands in its text, as a part of words too, 3 for each of `least_of_id`
    letters or more that stands in its id; 3 for each tag; 2 when it is younger than 24 hours, 1
    when it is younger than 7 days (`hours` None has no age); 1 when it is active. Source: Mother
    Brain, its keyword mode.
    """
    said = text.lower()
    young = 0
    if hours is not None:
        young = DAY if hours < _DAY_HOURS else WEEK if hours < _WEEK_HOURS else 0
    return Points(
        WORD * sum(word in said for word in words),
        ID * sum(word in fact_id for word in words if len(word) >= least_of_id),
        TAG * sum(tag in tags for tag in asked_tags),
        young,
        ACTIVE if is_active else 0,
    )
