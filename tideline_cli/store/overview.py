"""What a question is told of an origin before its words are looked up."""

from __future__ import annotations

from tideline_cli.model import codec
from tideline_cli.model.record import Record
from tideline_cli.store import lapsed, visibility

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.store.lapsed import Lapsed
    from tideline_cli.store.reads import Read

_OVERVIEW = """
SELECT own.number, analyzer.value, embedder.value,
  (SELECT ifnull(sum(facts), 0) FROM tally WHERE origin = own.number),
  (SELECT ifnull(sum(tokens), 0) FROM tally WHERE origin = own.number),
  lapsed.at, lapsed.facts, lapsed.tokens,
  {changes},
  EXISTS (SELECT 1 FROM fact WHERE origin = own.number
          AND (session IS NOT NULL OR speaker IS NOT NULL)),
  EXISTS (SELECT 1 FROM fact
          WHERE origin = own.number AND document IS NOT NULL AND lifecycle = 'active'),
  EXISTS (SELECT 1 FROM label_term WHERE origin = own.number),
  EXISTS (SELECT 1 FROM archived_term WHERE origin = own.number AND facts > 0)
FROM (SELECT (SELECT number FROM origin WHERE key = ?1) AS number) AS own
LEFT JOIN lapsed ON lapsed.origin = own.number
LEFT JOIN setting AS analyzer ON analyzer.name = 'analyzer'
LEFT JOIN setting AS embedder ON embedder.name = 'embedder'
"""
_APART = _OVERVIEW.format(changes="NULL")
_CHANGES = lapsed.changing("own.number", "min(lapsed.at, ?2)", "max(lapsed.at, ?2)")
_AT_ONCE = _OVERVIEW.format(
    changes=f"""
  (SELECT json_group_array(json_array(sign, length, terms)) FROM ({_CHANGES}) AS changed)
"""
)
_CHANGING = lapsed.changing("?1", "?2", "?3")


class Overview(Record):
    """The number of an origin (`visibility.NOBODY` where it has never written), the analyser and
    the embedder of the memory ('' where none is set), how many active facts it has, with how many
    terms, and of these what does not hold at the moment. `has_turns`: some fact has a session or a
    speaker. `has_labels`: some label has a term that its text has not."""

    number: int
    analyzer: Analyzer
    embedder: str
    facts: int
    tokens: int
    gone: Lapsed
    has_turns: bool
    has_chunks: bool
    has_labels: bool
    has_archived: bool

    @property
    def has_sessions(self) -> bool:
        """Whether facts may stand next to others: turns of a session, chunks of a document."""
        return self.has_turns or self.has_chunks


def overview(*, viewer: Origin, now: int, at_once: bool) -> Read[Overview]:
    """Read what is known of the origin of a viewer at a moment. What begins or ends is asked apart,
    where there is any, or else comes along: this costs a file more than a statement."""
    ((number, analyzer, embedder, facts, tokens, at, ended, ended_tokens, changed, turns, chunks,
      labels, archived),) = (
        yield (_AT_ONCE, (viewer.key, now)) if at_once else (_APART, (viewer.key,))
    )  # fmt: skip
    gone = lapsed.NONE
    if at is not None:
        rows = (
            codec.loads(changed or "[]") if at_once
            else (yield _CHANGING, (number, min(at, now), max(at, now)))
        )  # fmt: skip
        gone = lapsed.since(at, ended, ended_tokens, rows, now=now)
    return Overview(
        number or visibility.NOBODY, analyzer or "standard", embedder or "", int(facts),
        int(tokens), gone, bool(turns), bool(chunks), bool(labels), bool(archived),
    )  # fmt: skip
