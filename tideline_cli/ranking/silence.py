"""Whether a fact has enough to do with a prompt to be said unasked. Most prompts have nothing to do
with what is remembered, and share some word with it all the same."""

from __future__ import annotations

from tideline_cli.model.record import Record
from tideline_cli.ranking.question_words import common_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tideline_cli.model.hit import Breakdown

_SHARE = 4  # of the telling words of a prompt, one in so many has to match
_FEW, _RARE = 3, 0.02  # facts, and share of all: a word that no more hold is rare
_SHORT_NUMBER = 3  # digits
LIKE = 0.6
"""The cosine of other spellings that says as much as a rare word."""


class Prompt(Record):
    """The words of a prompt that tell something, how many facts there are, how many of them hold
    each term of those words, and of each term of the prompt its word."""

    telling: frozenset[str]
    facts: int
    holders: Mapping[str, int]
    words: Mapping[str, str]


def telling_terms(terms: Iterable[str]) -> frozenset[str]:
    """Return the terms that say what a text is about: no function words, and of scripts without
    spaces no single characters, which are parts of the pairs beside them."""
    found = dict.fromkeys(terms)
    return frozenset(found).difference(common_terms(found)).difference(
        term for term in found if len(term) == 1
    )  # fmt: skip


def is_worth_saying(why: Breakdown, prompt: Prompt, *, least_cosine: float) -> bool:
    """Say whether a hit rests on two telling words, on a rare one, or on likeness that counts."""
    if why.cosine is not None and why.cosine >= least_cosine:
        return True
    # A term that is none of the prompt is a stored word that begins like one.
    shared = {term: prompt.words.get(term, term) for term in why.matched_terms}
    shared = {term: word for term, word in shared.items()
              if word in prompt.telling or term not in prompt.words}  # fmt: skip
    enough = min(len(prompt.telling), max(2, -(-len(prompt.telling) // _SHARE)))
    if len({*shared.values()}) >= max(enough, 1):
        return True
    return any(_is_rare(term, word, prompt) for term, word in shared.items())


def _is_rare(term: str, word: str, prompt: Prompt) -> bool:
    if not EVERYDAY.isdisjoint((term, word)) or (term.isdigit() and len(term) <= _SHORT_NUMBER):
        return False
    if term not in prompt.words and term.isalpha():
        return False  # `planets` is not `planes`; the beginning of an id is that id
    return prompt.holders.get(term, 0) <= max(_FEW, int(_RARE * prompt.facts))


# As the standard analyser has them.
EVERYDAY = frozenset(
    "abl accept access account act action activ add address advic age air allow amount anim "
    "answer apart api appear appli area argument arm array arriv art articl attent avail averag "
    "avoid bad bag ball bank bar base basic bath beat beauti bed begin believ big bill bit black "
    "blood blue board boat bodi book born boss bottl bottom box boy bread break breakfast bring "
    "brother brown budget build burn bus busi button buy call camera car card care carri case cat "
    "catch caus cell center chair chanc chang chapter charact charg cheap check child children "
    "choic choos church circl citi class clean clear clock close cloth cloud club code coffe cold "
    "collect colleg color column come comment common compani compar complet comput concert condit "
    "connect consid contain content continu control cook cool copi corner correct cost count "
    "countri coupl cours court cover creat cri cross css cup current custom cut dad danc danger "
    "dark data databas date daughter dead deal death decid deep default delet design desk detail "
    "develop devic differ difficult dinner direct discov dish document dog door doubl draw dream "
    "dress dri drink drive drop ear earli earth easi east eat edg educ effect egg email empti end "
    "energi engin english enjoy enter entir error essay evening event evid exact exampl exercis "
    "exist expect expens experi explain express extra eye face fact fail fall famili famous far "
    "farm fast father favorit favourit fear feel field fight figur file fill film final find fine "
    "finger finish fire fish fit fix flat fli floor flower focus follow food foot forc foreign "
    "forget form format free fresh friend front fruit full fun function fund futur game garden "
    "general generat girl glass goal gold govern grade grand grass great green ground group grow "
    "guess guid hair half hand hang happi hard hat hate head health hear heart heat heavi hello "
    "help high histori hit hold hole holiday home hope hors hospit hot hotel hour hous html hundr "
    "hurri husband ice idea imag import improv increas inform insid interest internet island issu "
    "item java javascript job join joke journey json jump key kid kill king kitchen knee label "
    "ladi lake land languag larg laugh law lay lead leaf learn leav left leg lesson letter level "
    "librari lie life lift light limit line link list listen load local lock lone loop lose lost "
    "love low luck lunch machin mail main man manag map mark market marri match materi matter "
    "meal mean measur meat medicin meet member memori messag method middl mile milk mind minut "
    "miss mistak mix model modern moment money month morn most mother mountain mouth move movi "
    "music name narrow nation natur news nice night nois normal north nose note notic number "
    "object offer offic oil old open opinion option order origin outsid oven own owner pack page "
    "pain paint pair paper paragraph parent park part parti pass password past path pattern pay "
    "pen pencil perfect period person phone photo phrase pick pictur piec plan plane plant plate "
    "play poem point polic poor posit possibl post power practic prefer prepar present presid "
    "press pretti price print problem process produc product program project promis proper "
    "protect proud public pull push python qualiti queri question quick quiet race radio rain "
    "rais rang rate reach read readi real reason receiv recip record red reduc regular relat "
    "remov rent repeat repli report request rest result return rich ride right ring rise river "
    "road rock role room round rule run sad safe sale salt sand save scale scene school scienc "
    "score screen script sea search season seat secret section select sell send sens sentenc seri "
    "serious serv server servic set shape share sharp shirt shoe shop short shoulder shout show "
    "shower sick side sign silver similar simpl singl sister sit situat size skill skin sky sleep "
    "slow small smart smell smile snow social soft softwar son song sound soup south space speak "
    "special speed spell spend sport spread spring sql squar stage stand standard star start "
    "state statement station stay step stick stop store stori storm straight strang street string "
    "strong structur student studi style subject success sugar suggest suit summar summari summer "
    "sun support sure surfac surpris sweet swim system tabl talk tall tast tax tea teach teacher "
    "team tell term test text thick thin thousand throw ticket tidi tie titl tomorrow tone tool "
    "tooth top topic total touch tour town toy track trade train translat travel tree tri trip "
    "troubl true trust turn understand unit updat upset use user valu variabl version view villag "
    "visit voic wait walk wall war warm wash watch water weak wear weather web websit wed week "
    "weekend weight west wet white whole wide wife win wind window winter wish woman wonder wood "
    "word work world worri worth write wrong yard year yellow young zero".split()
)
