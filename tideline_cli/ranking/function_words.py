"""Words of other languages than English that say little of what a question is about."""

from __future__ import annotations

from tideline_cli.model.lean import once
from tideline_cli.model.text import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_LEAST = 2  # words by which a language of Latin letters is known; fewer may be names
# Languages whose words are told from those of others by the question as a whole.
_LATIN = {
    "german": """
aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin
bis bist da dabei damit dann das dass dein deine dem den denn der des die dies diese diesem
diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch
euer für ganz gegen gehabt gerade gern habe haben hab hat hatte hatten hier ihm ihn ihnen ihr
ihre im immer ich in ins irgendwann ist wann ja jede jeden jeder jedes jetzt kann kein keine
keinen können könnte man mehr mein meine meinem meinen meiner mich mir mit muss müssen nach nicht
nichts noch nun nur ob oder ohne oft schon sehr sein seine seinem seinen seiner seit selbst sich
sie sind so soll sollte sondern über um und uns unser unsere unter viel viele vom von vor war
waren warum was weil welche welchem welchen welcher welches wem wen wenn wer werde werden wessen
wie wieder will wir wird wirst wo wohin woher wurde wurden zu zum zur zwischen""",
    "french": """
ai alors au aucun aussi autre aux avait avec avez avoir avons ce cela ces cet cette ceux chez
comme comment combien dans de des dont du elle elles en encore est et étaient était être eu fait
faire fut ici il ils je jamais la le les leur leurs lors lui ma mais me même mes moi moins mon ne
nos notre nous on ont ou où par pas peut plus pour pourquoi qu quand que quel quelle quelles
quelque quels qui quoi sa sans se ses si son sont sous suis sur ta te tes toi ton tous tout toute
toutes très tu un une va vers vos votre vous y""",
    "spanish": """
a al algo alguien alguna algunas alguno algunos antes aquel aquella así aún con contra cómo como
cuál cual cuáles cuándo cuando cuánto cuanto cuántos cuántas de del desde donde dónde dos durante
el él ella ellas ellos en entre era eran eres es esa esas ese eso esos esta está están estaba
este esto estos fue fueron ha había han has hasta hay he la las le les lo los más me mi mis mucho
muy nada ni no nos nosotros nuestra nuestro o os otra otro otros para pero poco por porque qué
que quién quien quiénes se sea según ser si sí sido sin sobre son soy su sus también tan te tengo
tiene tienen todo todos tu tus tuvo un una uno unos usted ya yo""",
    "italian": """
a ad ai al alla alle anche ancora aveva avere bene che chi ci come con cosa cui da dal dalla dei
del della delle di dopo dove e è era erano essere fa fra fu già gli ha hanno ho i il in io la le
lei li lo loro lui ma mi mia mie mio molto ne nei nel nella no noi non nostra nostro o ogni per
perché però più poi prima qual quale quali quando quanti quanto quella quelle quelli quello
questa queste questi questo se sei senza si sia siamo sono sta stato su sua sue sul sulla suo tra
tu tua tuo tutti tutto un una uno vi voi""",
    "portuguese": """
a ao aos aquela aquele as até com como da das de dela dele depois do dos e é ela elas ele eles em
entre era eram essa esse esta está estão este eu foi foram há isso isto já lhe mais mas me mesmo
meu minha muito na não nas nem no nos nós o onde os ou para pela pelo por porque pra qual quais
quando quanto quantos que quê quem são se sem ser seu seus só sua suas também te tem têm tenho
ter teu tinha tua um uma você vocês""",
    "dutch": """
aan al alle alles als altijd andere ben bij daar dan dat de deze die dit doen door dus een en er
ge geen had hadden heb hebben heeft hem het hier hij hoe hoeveel hun iemand iets ik in is ja je
jij kan kon maar me meer men met mij mijn moet na naar niet niets nog nu of om onder ons ook op
over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren was wat
we wel welk welke werd wie wij wil worden wordt zal ze zich zij zijn zo zonder zou""",
}
# Of scripts that no other list shares: words with spaces, then pieces as the analyser cuts them.
_OTHER = """
а без бы был была были было быть в вам вас все всё где да для до его ее её если есть еще ещё же
за и из или им их к как какая какие какой какую когда который которая которые кто куда ли между
меня мне мой моя мы на над нас не него нее нет ни но ну о об он она они от перед по под почему
при про с сколько со так также там то тогда только том ты у уже что чтобы чем чей эта эти это
этот я про та те ті це чи що як який яка які коли де хто
"""
_PIECES = frozenset(
    "的 了 是 在 有 和 与 與 或 吗 嗎 呢 吧 啊 把 被 让 讓 对 對 于 於 之 其 这 這 那 哪 谁 "
    "誰 什 么 麼 甚 何 怎 几 幾 也 都 就 而 及 为 為 我 你 他 她 它 们 們 个 個 些 什么 什麼 "
    "怎么 怎麼 哪些 哪里 哪裡 哪个 哪個 哪一 为什 為什 如何 何时 何時 多少 我们 我們 他们 "
    "他們 你们 你們 这个 這個 那个 那個 以及 因为 因為 所以 です ます した して いる ます "
    "ない から まで とき なに どこ いつ だれ どの どれ どう なぜ この その あの これ それ "
    "あれ ました でし まし たか すか".split()
)


@once
def of_all_languages() -> frozenset[str]:
    """Return the words of all these languages."""
    return frozenset(word for words in (*_LATIN.values(), _OTHER) for word in words.split())


def of_language(asked: Mapping[str, object], *, english: Collection[str]) -> frozenset[str]:
    """Return the words of the language of a question, and those of scripts of their own."""
    best, most = frozenset(english), max(_LEAST - 1, sum(term in english for term in asked))
    others = _others() if any(map(_is_cyrillic, asked)) else _PIECES
    if sum(map(_is_latin, asked)) <= most:  # no list of words can have more of them
        return best | others
    for words in _latin().values():
        count = sum(term in words for term in asked)
        if count > most:
            best, most = words, count
    return best | others


def _is_latin(term: str) -> bool:
    return term[0] < "\u0250"


def _is_cyrillic(term: str) -> bool:
    return "\u0400" <= term[0] < "\u0530"


@once
def _latin() -> dict[str, frozenset[str]]:
    return {name: frozenset(terms(text, analyzer="standard")) for name, text in _LATIN.items()}


@once
def _others() -> frozenset[str]:
    return _PIECES.union(terms(_OTHER, analyzer="standard"))
