"""The fields of a fact, one row each: whatever lists fields reads this table."""

from __future__ import annotations

from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Form = Literal[
        "text", "word", "texts", "object", "number", "count", "place", "flag", "time", "origin"
    ]
    Again = Literal["first", "later", "all", "together"]


class Field(Record):
    """One field of a fact.

    name       in Fact, in the file, in JSON and in CSV.
    form       the kind of its values: how they are stored, shown and read from a file. `texts` is
               a tuple of texts, `object` a JSON object, `word` a text of a fixed set, `count` a
               number of times, `place` a whole number that puts facts in order.
    is_label   a writer may state it, so NewFact has it and a line of a batch may give it.
    is_fixed   it stays as it is for the life of the fact; any other changes in place.
    is_use     it is about the use of the fact and stands in the table `usage`.
    is_merit   it lets a fact rank higher or stay longer: a file that nobody vouches for may not
               claim more of it than the segment gives.
    is_searched  its words find the fact, as those of its text do.
    digest     its place in the digest, which counts from 1; 0 is not in it. A new field takes the
               next place, so that the digests of facts without a value in it stay as they are.
    again      what counts when a fact is said again: the `first` word, the `later` one or `all` of
               them; of fields that belong `together`, those of one fact, the first that has any.
               None: the policy has a rule for this field alone.
    """

    name: str
    form: Form
    is_label: bool = False
    is_fixed: bool = False
    is_use: bool = False
    is_merit: bool = False
    is_searched: bool = False
    digest: int = 0
    again: Again | None = None


FIELDS = (
    Field("id", "text", is_fixed=True, digest=1),
    Field("content", "text", is_fixed=True, digest=9),
    Field("segment", "word", is_label=True),
    Field("tier", "word", is_label=True, is_merit=True),
    Field("heat", "word", is_merit=True),
    Field("kind", "word", is_label=True, is_searched=True, digest=5, again="later"),
    Field("title", "text", is_label=True, is_searched=True, digest=6, again="later"),
    Field("tags", "texts", is_label=True, is_searched=True, digest=7, again="all"),
    Field("importance", "number", is_label=True, is_merit=True),
    Field("decay_rate", "number", is_merit=True),
    Field("access_count", "count", is_use=True, is_merit=True),
    Field("last_accessed_at", "time", is_use=True, is_merit=True),
    Field("created_at", "time", is_fixed=True, digest=3),
    Field("source", "word", is_fixed=True, digest=4),
    Field("origin", "origin", is_fixed=True, digest=2),
    Field("lifecycle", "word"),
    Field("status", "word", is_merit=True),
    Field("confidence", "number", is_label=True, is_merit=True),
    Field("slot", "text", is_label=True, is_searched=True, again="first"),
    Field("valid_from", "time", is_label=True),
    Field("valid_to", "time", is_label=True),
    Field("pinned", "flag", is_label=True, is_merit=True),
    Field("source_turn", "text", is_label=True, again="first"),
    Field("derived_from", "texts", is_label=True, digest=8, again="all"),
    Field("metadata", "object", is_label=True),
    Field("scope", "text", is_label=True, digest=10, again="first"),
    Field("session", "text", is_label=True, digest=11, again="together"),
    Field("turn", "place", is_label=True, digest=12, again="together"),
    Field("speaker", "text", is_label=True, digest=13, again="together"),
    Field("role", "word", is_label=True, digest=14, again="together"),
    Field("document", "text", is_label=True, digest=15, again="first"),
    Field("agent", "text", is_label=True, digest=16, again="first"),
    Field("progress", "word", is_label=True, again="later"),
    Field("statement", "object"),
)
"""In the order of Fact, of JSON and of an export. A new field is the last row."""

NAMES = tuple(field.name for field in FIELDS)
LABELS = tuple(field.name for field in FIELDS if field.is_label)
ONE_WORD = tuple(
    field.name
    for field in FIELDS
    if field.is_label and field.form in ("text", "word", "number", "place", "time")
)
"""The labels that have one value, where others gather values."""
TEXTS = tuple(field.name for field in FIELDS if field.is_label and field.form == "text")
TIMES = tuple(field.name for field in FIELDS if field.form == "time")
LISTS = tuple(field.name for field in FIELDS if field.form == "texts")
JSON = (*LISTS, *(field.name for field in FIELDS if field.form == "object"))
"""The fields that the file keeps as JSON texts."""
SEARCHED = tuple(field.name for field in FIELDS if field.is_searched)
FIRST = tuple(field.name for field in FIELDS if field.again == "first")
LATER = tuple(field.name for field in FIELDS if field.again == "later")
ALL = tuple(field.name for field in FIELDS if field.again == "all")
SAID = tuple(field.name for field in FIELDS if field.again == "together")
"""Where and by whom a fact was said: the session, the turn in it, the speaker and the role."""
CHANGEABLE = tuple(field.name for field in FIELDS if not (field.is_fixed or field.is_use))
