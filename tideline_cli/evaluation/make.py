"""Questions proposed from one's own facts, for a person to confirm."""

from __future__ import annotations

from collections import Counter

from tideline_cli.errors import BadReplyError
from tideline_cli.llm import prompts, reply
from tideline_cli.model.record import record, replace
from tideline_cli.model.text import terms
from tideline_cli.policy import identifiers, prompt_lines
from tideline_cli.store import listing
from tideline_cli.store.connection import setting
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer

    Ask = Callable[[str, str], str]

MOST_CONSIDERED = 5_000
WINDOW = 20
_WORDS = 3  # rare ones that make a question
_LONGEST_WORD = 12  # characters; what is longer is a text without blanks
_PART = 6
_ENDS = ".,;:!?\"'()[]{}<>«»„“”‘’…。，；：！？（）「」『』、*_`~"


@record
class ProposedQuestion:
    """A question that a fact may answer, and what it was made from."""

    query: str
    fact: Fact
    by: str


def considered(
    db: Connection, *, viewer: Origin, scopes: tuple[str | None, ...] | None, count: int
) -> tuple[list[Fact], list[Fact]]:
    """Return facts to make questions from, spread over the newest of an origin, and all of these.
    Identifiers are left out: a question about them is told to whoever reads the file."""
    wanted = Filter(scopes=scopes)
    newest = [
        fact for fact in listing.each(db, viewer=viewer, wanted=wanted, limit=MOST_CONSIDERED)
        if not identifiers.is_withheld(fact)
    ]  # fmt: skip
    step = max(1.0, len(newest) / count)
    return [newest[int(place * step)] for place in range(min(count, len(newest)))], newest


def proposed(
    db: Connection, chosen: Sequence[Fact], known: Sequence[Fact]
) -> list[ProposedQuestion]:
    """Return a question for each fact: by its slot, its title, or the rarest words of its text."""
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    held = Counter(term for fact in known for term in set(terms(fact.content, analyzer=analyzer)))
    made = []
    for fact in chosen:
        if fact.slot:
            about = f"What is the {fact.slot.replace('_', ' ')}?"
            made.append(ProposedQuestion(about, fact, "slot"))
        elif fact.title and fact.title.strip():
            made.append(ProposedQuestion(fact.title.strip(), fact, "title"))
        elif words := _rare(fact.content, held, analyzer):
            made.append(ProposedQuestion(" ".join(words), fact, "words"))
    return made


def _rare(text: str, held: Mapping[str, int], analyzer: Analyzer) -> list[str]:
    """Return the words of a text that the fewest facts hold, in order; of equals the longest."""
    by_rarity: list[tuple[int, int, int, str]] = []
    for place, word in enumerate(_words(text)):
        said = terms(word, analyzer=analyzer)
        if said and not any(word == other for *_, other in by_rarity):
            by_rarity.append((min(held[term] for term in said), -len(word), place, word))
    rarest = sorted(by_rarity)[:_WORDS]
    return [word for *_, word in sorted(rarest, key=lambda one: one[2])]


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        bare = word.strip(_ENDS)
        if len(bare) > _LONGEST_WORD and not bare.isascii():
            middle = (len(bare) - _PART) // 2
            bare = bare[middle : middle + _PART].strip(_ENDS)
        if bare:
            yield bare


def asked(proposals: Sequence[ProposedQuestion], ask: Ask) -> Iterator[list[ProposedQuestion]]:
    """Yield the proposals, some at a time, in the words of a model; where it has none for a fact,
    the question stays as it was. Raises BadReplyError for a reply that cannot be read."""
    for start in range(0, len(proposals), WINDOW):
        some = proposals[start : start + WINDOW]
        block = prompt_lines.lines(one.fact for one in some)
        said = reply.unechoed(ask(prompts.QUESTIONS, block), prompts.QUESTIONS, block)
        worded = reply.questions(said)
        if worded is None:
            raise BadReplyError(hint="leave out --llm, or try another model")
        ids = [one.fact.id for one in some]
        worded = {prompt_lines.shown_id(one, ids): text for one, text in worded.items()}
        yield [
            replace(one, query=worded[one.fact.id], by="model") if one.fact.id in worded else one
            for one in some
        ]
