"""What is asked of recall, the table of fusions, what a lane finds, what is answered, and how the
text of a question is read."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model.fact import role_weight, trust
from tideline_cli.model.record import Record, replace
from tideline_cli.model.text import WITH_FORMS, asked_forms, normalise, terms
from tideline_cli.ranking.decay import DEPTH, modulator, strength_at
from tideline_cli.ranking.question_words import common_terms, weights
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from typing import Literal

    from tideline_cli.errors import UnavailableError
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.forms.found import Forms
    from tideline_cli.model.hit import Breakdown, Hit
    from tideline_cli.model.text import Analyzer
    from tideline_cli.ranking.bm25 import Condition
    from tideline_cli.ranking.decay import Decay

    Mode = Literal["hybrid", "keyword", "semantic", "points"]

MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic", "points")
DEFAULT_LIMIT = 8
ALL = 2**31 - 1
_POOL = 200  # hits that maximal marginal relevance chooses among, at least


class Fusion(Record):
    """A way in which lanes become one order. `joined_by` is its function in `memory.fusions`, none
    where recall answers by the lanes as they are. Each of its `lanes` puts forward so many times
    the hits that are wanted, and at least so many facts. `decay` is how facts fade by it where
    nobody says, `is_learned` whether it wants a learned embedder, `takes_stop_words` whether a
    question of stop words alone has an answer. `by_distance`: it sums up distances, within classes
    that have limits and are named in a line of `context`."""

    name: str
    help: str
    joined_by: str = ""
    lanes: Mapping[str, tuple[int, int]] = {}
    decay: Decay = "half-life"
    is_learned: bool = False
    takes_stop_words: bool = False
    by_distance: bool = False

    def room(self, lane: str, reach: int) -> int:
        """Return how many facts a lane puts forward for so many hits."""
        times, least = self.lanes[lane]
        return max(times * reach, least)


FUSIONS: Mapping[str, Fusion] = {
    row.name: row
    for row in (
        Fusion("append", "likeness below all words"),
        Fusion("score", "as a share of the score, with a learned embedder", is_learned=True),
        Fusion("rrf", "by ranks", "by_ranks", {"words": (4, 16), "likeness": (3, 0)}, "weibull"),
        Fusion("additive", "added to points", "by_points", {"points": (2, 0), "likeness": (2, 0)},
               "none", takes_stop_words=True),
        Fusion("priority", "by classes and distance", "by_classes",
               {"words": (2, 30), "likeness": (2, 30)}, "spaced", takes_stop_words=True,
               by_distance=True),
    )
}  # fmt: skip
POINTS = Fusion("points", "points alone", "by_points", {}, "none", takes_stop_words=True)
"""What the mode points is: no other lane is joined with it."""


def way_of(mode: str, fusion: str | None) -> Fusion:
    """Return how a question is answered in a mode and by a fusion, where one is named."""
    return POINTS if mode == "points" else FUSIONS[fusion or "append"]


class Query(Record):
    """What is asked. `mmr` 1 keeps the order of the scores; `min_sim` None is the embedder's.
    `fading` is how much of its score a fact loses that has faded altogether. `fusion` None is by
    scores where the embedder of the file is learned. `touches` says whether an answer is a use,
    `profile` which profile the rest comes from. `pool`, if given, is the number of hits of the
    question that this one looks behind."""

    text: str
    limit: int = DEFAULT_LIMIT
    mode: Mode = "hybrid"
    fusion: str | None = None
    decay: Decay = "half-life"
    min_sim: float | None = None
    mmr: float = 1.0
    wanted: Filter = Filter()
    fading: float = DEPTH
    min_score: float = 0.0
    touches: bool = True
    profile: str = "tideline"
    pool: int | None = None

    @property
    def reach(self) -> int:
        """Return for how many hits the lanes put facts forward: more where hits are chosen among
        those that differ."""
        if self.pool is not None:
            return self.pool
        is_wide = self.mmr < 1.0 and not self.is_other_way
        return max(_POOL, 10 * self.limit) if is_wide else self.limit

    @property
    def way(self) -> Fusion:
        """Return how it is answered."""
        return way_of(self.mode, self.fusion)

    @property
    def is_other_way(self) -> bool:
        """Say whether the answer is not made by the lanes as they are: see `memory.fusions`."""
        return bool(self.way.joined_by)

    @property
    def takes_scores(self) -> bool:
        """Say whether likeness by a learned embedder adds to the scores of words."""
        return self.mode == "hybrid" and self.fusion != "append"

    def joined_by(self, *, is_learned: bool) -> str:
        """Return by which fusion an answer is made."""
        if self.is_other_way:
            return self.fusion or "append"
        return "score" if is_learned and self.takes_scores else "append"

    @property
    def depth(self) -> float:
        """Return how much of its score a faded fact loses here."""
        return 0.0 if self.decay == "none" else self.fading


def weights_of(
    fact: Fact, query: Query, *, now: int, weighs_roles: bool
) -> tuple[float, float, float, float]:
    """Return the strength of a fact, 1 where nothing fades, and what its score is multiplied by:
    its modulator, its trust and the weight of its role."""
    power = 1.0
    if query.depth and query.decay == "half-life":
        power = strength_at(fact, now=now)
    elif query.depth:
        from tideline_cli.ranking import decays  # noqa: PLC0415  another curve alone

        power = decays.strength_by(fact, query.decay, now=now)
    spoken = role_weight(fact.role) if weighs_roles else 1.0
    factor = modulator(power, query.depth)
    return power, factor, trust(fact.source, fact.confidence), spoken


class Match(Record):
    """A ranked fact before its text is read. `weak`: it may be no answer at all."""

    seq: int
    id: str
    created_at: int
    score: float
    why: Breakdown
    weak: bool = False

    def order(self) -> tuple[float, int, str]:
        """Return the sort key: best first, then newer, then by id."""
        return -self.score, -self.created_at, self.id


class Backlog(Record):
    """Vectors made by a recall for facts that had none, to be stored after the answer."""

    origin_number: int
    embedder: str
    numbers: tuple[int, ...]
    codes: bytes
    ids: tuple[str, ...]


class Ranked(Record):
    """The matches in order, the vectors that were made on the way, why likeness was left out, the
    facts that were `read` by number, and in how many archived facts each term of the question
    occurs, where that was asked."""

    matches: list[Match]
    backlog: Backlog | None = None
    lacking: UnavailableError | None = None
    read: dict[int, Fact] | None = None
    archived: Mapping[str, int] | None = None


class Recalled(Record):
    """The hits in order, their numbers, and the vectors that were made on the way. `unsettled` is
    the number of an origin where much begins or ends that is not counted yet, 0 for none.
    `lacking` says why likeness was left out, where the embedder of the file cannot be had.
    `mode` is the one of the answer: keyword, where likeness cannot be had. `origin_number` is that
    of the viewer. `has_lapsed` says whether facts that match may have ended before. Where it was
    asked, `unbounded` says how many facts have no bound of their scores yet, and `archived` in how
    many archived facts each term of the question occurs."""

    hits: tuple[Hit, ...]
    seqs: tuple[int, ...]
    backlog: Backlog | None
    unsettled: int = 0
    lacking: UnavailableError | None = None
    fusion: str = "append"
    mode: Mode = "hybrid"
    origin_number: int = 0
    has_lapsed: bool = False
    unbounded: int | None = None
    archived: Mapping[str, int] | None = None


def nothing(query: Query, *, is_learned: bool = False) -> Recalled:
    """Return the answer to a query where there is nothing to find."""
    return Recalled((), (), None, fusion=query.joined_by(is_learned=is_learned), mode=query.mode)


MAX_QUERY_TERMS = 256
LONGEST_QUESTION = 16 * 1024  # characters
_SEVERAL = 3
_LEAST = 5  # letters of a word that is looked up by its beginning; not in ASCII one less

ENDS = "\"'()[]{}<>.,;:!?*`~|=“”„‘’«»…"
"""What may stand at the ends of a word."""


class Question(Record):
    """What a text asks for: its terms in order, further forms of its words among them, each with
    what it weighs, and whether stored words stand in for unknown ones. `names` are its words where
    all are stop words."""

    weights: Mapping[str, float]
    forms: Forms | None = None
    by_beginning: bool = False
    names: tuple[str, ...] = ()
    analyzer: Analyzer = "standard"

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms in order."""
        return tuple(self.weights)

    @property
    def is_of_reference(self) -> bool:
        """Say whether it is asked as the reference asks, which weighs neither words nor roles."""
        return self.analyzer == "reference"

    @property
    def has_forms(self) -> bool:
        """Say whether the words of the file are indexed in further forms."""
        return self.analyzer.startswith(WITH_FORMS)

    def is_empty(self) -> bool:
        """Say whether there is nothing to look for."""
        return not self.weights and not self.names

    def with_forms(self, forms: Forms) -> Question:
        """Return the same question with the stored words among `forms` that stand in for unknown
        ones, each with the weight of its word."""
        every = _weighed(self.weights, forms)
        more = {term: every[term] for term in forms.added_to(self.forms)}
        return replace(self, weights={**self.weights, **more}, forms=forms, by_beginning=False)


def check_length(text: str) -> None:
    """Raise UsageError for a text that is no question, by its length."""
    if len(text) > LONGEST_QUESTION:
        raise UsageError(
            f"the question has {len(text):,} characters; {LONGEST_QUESTION:,} are taken",
            hint="ask in a few words",
        )


def question_of(text: str, analyzer: Analyzer) -> Question:
    """Return what a text asks for. Raises UsageError for one that is too long."""
    check_length(text)
    text = normalise(text)
    listed = terms(text, analyzer=analyzer)
    said = dict.fromkeys(listed, 1.0) if analyzer == "reference" else weights(listed, text)
    if len(said) > MAX_QUERY_TERMS:
        said = dict([*said.items()][:MAX_QUERY_TERMS])
    has_forms = analyzer.startswith(WITH_FORMS)
    if not has_forms or len(said) == MAX_QUERY_TERMS:
        return Question(said, None, has_forms, (), analyzer)
    found = asked_forms(text, listed, analyzer=analyzer)
    if found is None:
        return Question(said, None, True, () if said else _names(text), analyzer)
    kept = [term for term in said if term not in found.mute and any(map(str.isalnum, term))]
    every = _weighed(said, found)
    asked_for = (*(kept or said), *found.further()[:MAX_QUERY_TERMS])
    return Question({term: every[term] for term in asked_for}, found, True, (), analyzer)


def _weighed(said: Mapping[str, float], forms: Forms) -> dict[str, float]:
    """Return what the terms of a question and their forms weigh: a form as much as its word, and of
    a word in parts as much as the part or the whole that weighs most. A word that is said twice
    counts twice as it is said; its forms are not said, and count once."""
    known = dict(said)
    for parts, wholes in forms.wholes:
        group = (*parts, *wholes)
        most = max([known[term] for term in group if term in known], default=1.0)
        for term in group:
            known.setdefault(term, min(most, 1.0))
    for term, others in forms.others.items():
        for other in others:
            known.setdefault(other, min(known.get(term, 1.0), 1.0))
    for term in forms.further():
        known.setdefault(term, 1.0)
    return known


def _names(text: str) -> tuple[str, ...]:
    """Return the words of a question whose every word is a stop word, where they may be a name: one
    word, or several that end in a capital letter's word."""
    words = [core for word in text.split() if (core := word.strip(ENDS))]
    is_name = len(words) == 1 or (1 < len(words) <= 3 and words[-1][:1].isupper())
    return tuple(words) if is_name and all(map(str.isalpha, words)) else ()


def conditions(question: Question) -> tuple[Condition, ...]:
    """Return for each word of a question what a fact must hold to have it."""
    forms = question.forms
    if forms is None:
        return question.terms
    left: dict[str, Condition] = {term: term for term in question.terms}
    for term, others in forms.others.items():
        ways = [left.pop(one) for one in (term, *others) if one in left]
        if ways:
            left[term] = ("OR", tuple(ways))
    for parts, wholes in forms.wholes:
        held = tuple([left.pop(one) for one in parts if one in left])
        ways = [left.pop(one) for one in wholes if one in left]
        left[parts[0]] = ("OR", (*ways, ("AND", held))) if held else ("OR", tuple(ways))
    return tuple(left.values())


def least_size(term: str) -> int:
    """Return how many letters a word must have that is looked up by its beginning."""
    return _LEAST if term.isascii() else _LEAST - 1


def unknown_words(
    terms: Sequence[str], held: Mapping[str, int], forms: Forms | None
) -> list[str]:
    """Return the terms that are long enough to be looked up by their beginning, and that no fact
    holds in any form."""
    missing = [term for term in terms if not held[term] and len(term) >= least_size(term)]
    if missing and forms is not None:
        skipped = _skipped(terms, held, forms)
        missing = [term for term in missing if term not in skipped]
    if all(map(str.isascii, missing)):
        return missing
    from tideline_cli.model.letters import is_spaceless  # noqa: PLC0415  ASCII needs none of it

    return [term for term in missing if not is_spaceless(term[0])]


def _skipped(terms: Sequence[str], held: Mapping[str, int], forms: Forms) -> set[str]:
    """Return the terms that are not looked up, as another form of their word is."""
    known = {term for term in terms if held[term]}
    skipped: set[str] = set()
    for term, others in forms.others.items():
        skipped.update(others)
        if not known.isdisjoint(others):
            known.add(term)
    for parts, wholes in forms.wholes:
        skipped.update(parts if len(parts) > 1 else ())
        if not known.isdisjoint(wholes) or known.issuperset(parts):
            skipped.update(wholes)
    return skipped | known


def is_mostly_unknown(
    terms: Sequence[str], known: Container[str], forms: Forms | None
) -> bool:
    """Say whether a question is of several words that tell something, of which half or more are
    unknown to the memory, or of several words of which no telling one is known. Function words
    ("why", "no", "how many") tell nothing: whether a fact holds them is chance."""
    words = _words(terms, forms)
    if len(words) < _SEVERAL:
        return False
    function_words = common_terms(dict.fromkeys(terms))
    telling = [word for word in words if word[0] not in function_words] or words
    found = sum(any(term in known for term in word) for word in telling)
    return not found or (len(telling) >= _SEVERAL and 2 * found <= len(telling))


def is_one_word(matched: Sequence[str], forms: Forms | None) -> bool:
    """Say whether a hit shares one word alone with the question, and no word in parts. The parts
    are words here."""
    if len(matched) > 1 and len(_apart(matched)) > 1:
        return False
    return forms is None or not any(matched[0] in wholes for _, wholes in forms.wholes)


def _apart(matched: Sequence[str]) -> list[str]:
    """Return the terms that matched, without characters that stand in another one of them."""
    return [
        term for term in matched
        if len(term) > 1 or term.isascii() or not any(term in other for other in matched
                                                      if other != term)
    ]  # fmt: skip


def _words(terms: Sequence[str], forms: Forms | None) -> list[tuple[str, ...]]:
    """Return the words of a question, each with its other spellings."""
    if forms is None:
        return [(term,) for term in terms]
    wholes = {whole for _, listed in forms.wholes for whole in listed}
    others = {other for listed in forms.others.values() for other in listed}
    return [
        (term, *forms.others.get(term, ()))
        for term in terms
        if term not in wholes and term not in others
    ]


def word_count(terms: Sequence[str], forms: Forms | None) -> int:
    """Return how many words these terms are."""
    if forms is None:
        return len(terms)
    others = sum(map(len, forms.others.values()))
    joined = sum(len(parts) + len(wholes) - 1 for parts, wholes in forms.wholes)
    return max(1, len(terms) - others - joined)


def word_keys(terms: Iterable[str], forms: Forms | None) -> dict[str, str]:
    """Return for each of these terms the one that stands for its word: other spellings, and the
    parts and the wholes of a word, have the same."""
    if forms is None:
        return {term: term for term in terms}
    keys = {other: head for head, others in forms.others.items() for other in others}
    for parts, wholes in forms.wholes:
        keys.update(dict.fromkeys((*parts, *wholes), parts[0]))
    return {term: keys.get(head, head) for term in terms for head in (keys.get(term, term),)}


def matched_count(matched: Sequence[str], forms: Forms | None) -> int:
    """Return how many words of a question these of its terms are."""
    return len(matched) if forms is None else len({*word_keys(matched, forms).values()})
