"""What words and likeness are worth in one order, and whether a hit rests on so little that it may
be no answer. Append-only: hits of the vector lane come below every lexical hit. By scores, for
learned embedders: likeness adds a share to what the words are worth."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHARE = 0.5
DAMPING = 0.9
LIKENESS_SHARE = 0.3
"""The share of the best score that the likest fact gets, by scores."""
BESIDE = 0.2
"""The share of its better neighbour in the likeness of a fact."""


def vector_base(lexical_scores: Sequence[float]) -> float:
    """Return the highest score of a vector hit: half the lowest lexical score, or half of 1."""
    return SHARE * (min(lexical_scores) if lexical_scores else 1.0)


def vector_damping(rank: int) -> float:
    """Return the factor of the vector hit at `rank` (from 0, best cosine first): 0.9^rank."""
    return DAMPING**rank


LIKENESS = 0.1
"""A cosine that lies less than this above the floor of its embedder is that of many a text."""
_SHARE = 0.05  # of the facts: a term that more of them hold tells them apart no more
_FEW = 5  # facts; in a small memory every word is held by a share
_WORDS = frozenset(
    "about after again ago all also always am another any anybody anyone anything around away "
    "back been before being best better between big both but came can cannot come could day days "
    "did do does doing done down during each else even ever every everything few first found gave "
    "get gets getting give go goes going gone good got great had has have having he her here him "
    "his if into just keep kind know known last let like liked likes little long look lot made "
    "make makes many may me mean might more most much must my need needs never new next no not "
    "nothing now off ok old once one only other our out over own part people place please put "
    "really right said same saw say see seem set shall she should show since so some somebody "
    "someone something still such sure take tell than their them then there these they thing "
    "things think those though through time times to today told too took two under until up us "
    "use used uses using very want wants was way we well went were what whether while who whom "
    "whose why will without would year years yes yet".split()
)
# As the standard analyser has them.
_STEMS = frozenset(
    "alway ani anoth anybodi anyon anyth be befor dure els everi everyth goe littl mani noth onc "
    "onli peopl pleas realli sinc somebodi someon someth veri whi".split()
)


def is_weak_match(matched: Sequence[str], *, asked: int, holders: float, facts: int) -> bool:
    """Say whether a hit of the lexical lane shares one common word alone with a longer question.

    `asked` is the number of distinct terms of the question, `holders` how many of the `facts` hold
    the one term that matched.
    """
    if len(matched) != 1 or asked < 2:
        return False
    return is_common(matched[0], holders=holders, facts=facts)


def is_common(term: str, *, holders: float, facts: int) -> bool:
    """Say whether a term is a common word, of English or of this memory."""
    if term in _WORDS or term in _STEMS:
        return True
    return holders >= _FEW and holders >= _SHARE * facts


def is_weak_likeness(cosine: float, *, floor: float) -> bool:
    """Say whether a hit that shares no word resembles the question but little; `floor` is the least
    cosine that its embedder takes for likeness."""
    return cosine < floor + LIKENESS
