"""What each word of a question weighs: a word said twice counts twice, a common word half."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HALF = 0.5
"""The weight of a word that stands in most questions and says little of what they are about."""
# English words as the standard analyser has them; its stop words never get here.
ENGLISH = frozenset(
    "about abov across after afterward again against ago ain all almost along alreadi also "
    "although alway am among ani anoth anybodi anymor anyon anyth anyway anywher around ask "
    "away becam becaus becom been befor behind below besid between both but came can cannot "
    "chat come convers could couldn current didn discuss doe doesn don done down dure each "
    "either els enough especi etc even ever everi everybodi everyon everyth everywher few first "
    "get give given go goe gone got gotten hadn happen hasn haven he her here herself him "
    "himself his if includ instead into isn just kept kind knew know known last late later "
    "least less let long lot made make mani may mayb mention might mine more moreov most much "
    "must mustn myself near need neither never next no nobodi none nor not noth now off often "
    "oh ok okay onc one onli onto other ought our ourselv out over own per perhap pleas "
    "previous put quit rather realli recent rememb remind said same say seem sever shall she "
    "should shouldn sinc so some somebodi somehow someon someth sometim somewher soon sort "
    "specif still such take taken talk tell than thank their them themselv then there these "
    "they thing think those though thought through throughout thus till time togeth told too "
    "took toward two type under unless until up upon us use usual various veri via want wasn "
    "way we well went were weren whatev whenev wherev whether whi while whom whose within "
    "without won would wouldn yes yet yourself yourselv".split()
)
# Words by which a question may be in another language; whether it is, is told by all its words.
_FOREIGN = frozenset(
    "aucun avec che combien cosa cual cuando das del della der des die dond dove een ein geen "
    "haben hebben heeft het hoe hoeveel ich ik ist kein keinen las les los mit na nicht niet "
    "nous o ond para pas por porqu pourquoi quand quanto que quel quell quem qui quien sono und "
    "une van vous waarom wann warum wat welch welcher welk wem wen wer wie wieso wij wir woher "
    "wohin".split()
)
# Common nouns that say what is asked for where "of" comes next ("what type of food"), and elsewhere
# what it is about ("type checking", "how to sort a list").
_OF_WHAT = frozenset({"kind", "sort", "type"})


def weights(terms: Sequence[str], text: str) -> dict[str, float]:
    """Return the distinct terms of a question, `text`, in order, each with what it weighs."""
    found: dict[str, float] = {}
    for term in terms:
        found[term] = found.get(term, 0.0) + 1.0
    common = common_terms(found)
    for term in common:
        found[term] *= HALF
    if not _OF_WHAT.isdisjoint(common):
        _weigh_of_what(found, _OF_WHAT & common, text)
    return found


def _weigh_of_what(found: dict[str, float], nouns: Iterable[str], text: str) -> None:
    """Let these nouns weigh half only as often as "of" comes next."""
    words = text.lower().split()
    framing = [words[at - 1] for at, word in enumerate(words) if at and word == "of"]
    for noun in nouns:
        said = found[noun] / HALF
        frames = framing.count(noun) + framing.count(noun + "s")
        found[noun] = max(said - (1.0 - HALF) * frames, HALF * said)


def common_terms(found: Mapping[str, object]) -> frozenset[str]:
    """Return those of the terms of a question that are common words of its language."""
    common = ENGLISH
    if not (_FOREIGN.isdisjoint(found) and "".join(found).isascii()):
        from tideline_cli.ranking import function_words  # noqa: PLC0415  most questions are English

        common = function_words.of_language(found, english=ENGLISH)
    return common.intersection(found)
