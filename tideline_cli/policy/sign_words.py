"""Words by which contradictions are found: negations, words that tell nothing, opposites."""

from __future__ import annotations

NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere neither nor without hardly forbidden prohibited "
    "banned nicht kein keine keinen keiner keinem nie niemals ohne verboten ne n pas jamais sans "
    "aucun aucune interdit nunca jamás sin tampoco prohibido non mai senza não nunca sem niet geen "
    "nooit inte aldrig ikke не нет никогда без 不 没 沒 無 无 非 别 別 未 勿".split()
)
# With a word in -ing behind them these negate it: stopped drinking.
ENDINGS = frozenset(
    "stop stops stopped stopping quit quits avoid avoids ceased gave given".split()
)
ARTICLES = frozenset(
    "a an the der die das den dem des ein eine einen einem einer le la les l un une du el los las "
    "una unos unas il lo gli o os as het de een 了".split()
)
BE = frozenset(
    "is are am was were be been being means equals prefer prefers costs became "
    "ist sind bin bist seid war waren heisst heissen heisse est sont suis sommes était appelle "
    "es son soy eres somos era está están estoy è sono é são 是 叫".split()
)
HAVE = frozenset("has have had hat habe haben a ai ont tiene tengo tienen".split())
# Behind these a value stands that holds alone: where, when, on what.
PLACES = frozenset(
    "in at on for from by under until via into im am um bei auf ab bis aus unter zum zur à au aux "
    "en dans chez sur dès desde hasta sobre por 在 于".split()
)
# Behind these several values may hold at once: allergic to, afraid of.
RELATIONS = frozenset("to of about with vor über gegen von mit de con contre avec".split())
LIGHT = frozenset(
    "do does did done will would can could should shall must may might has have had any anymore "
    "longer more still now yet ever always already just also really very again currently up too "
    "nach mehr noch immer wird werden wurde kann soll sollte muss darf plus encore toujours ya más "
    "siempre there where that s re ve ll d m t und and et y und or but so then as if when since "
    "today please 很 也 都 再".split()
) | ARTICLES | BE | PLACES | RELATIONS  # fmt: skip
BREAKS = frozenset("but however although aber sondern doch mais pero sino 但".split())
ME = frozenset("i we me us ich wir mir mich uns je j nous moi yo nosotros 我".split())
MY = frozenset(
    "my our mine mein meine meinen meiner unser unsere mon ma mes notre nos mi mis nuestro nuestra "
    "your his her its their dein deine sein seine ihr ihre son sa ses tu su sus".split()
)
PERSONS = frozenset("me you he she they it er sie il elle ils él ella".split())
OPPOSITES = """
open closed close shut|on off|true false|yes no|public private|required mandatory optional|
before after|love like hate dislike loathe|accept reject refuse|allow deny forbid|
hourly daily weekly monthly quarterly yearly|married divorced single widowed|alive dead|up down|
early late|hot cold warm|fast slow|good bad|more less fewer|start stop|
begin end|buy sell|add remove delete|win lose|full empty|cheap expensive|high low|
manual automatic|light dark|success failure|succeed fail|pass fail|with without|present absent|
inside outside|wet dry|loud quiet|easy difficult hard|safe dangerous|strict lenient|
keep discard|horizontal vertical|ascending descending|full-time part-time|
vor nach|offen geschlossen|öffentlich privat|ein aus|ouvert fermé|avant après|
abierto cerrado|antes después|开 关|blocking blocked unblocked|relevant needless|
"""
PREFIXES = ("un", "in", "im", "dis", "non", "de", "ir", "il", "mis", "ab")
PREFIX_PAIRS = (("en", "dis"), ("in", "ex"), ("in", "de"), ("up", "down"), ("on", "off"),
                 ("in", "out"), ("over", "under"), ("max", "min"), ("as", "des"))  # fmt: skip
NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve first second third fourth "
    "fifth noon midnight zwei drei vier fünf sechs sieben acht neun zehn deux trois quatre cinq "
    "dos tres cuatro cinco 一 二 两 三 四 五 六 七 八 九 十".split()
)
# What somebody did may have been done elsewhere too; what ends in -ed is of that kind.
DONE = frozenset(
    "went met saw ate drank ran flew wrote read got made took gave came drove spent paid sent lost "
    "found told said bought sold slept swam sang had did fuhr war ging".split()
)
MOVE = "|move"
HOMES = (
    "live living reside residing moved moving relocated wohne wohnt wohnen lebe gezogen umgezogen "
    "habite habitons déménagé vivo vive vivimos mudé mudado 住 搬"
)
LIVING = ("live", "living", "resid", "wohn", "lebe", "habit", "vive", "vivo", "vivi", "住")
MOVING = ("moved", "moving", "relocat", "gezogen", "umgezogen", "zog", "déménag", "mudé", "mudad",
           "搬")  # fmt: skip
TOWARDS = frozenset("to into nach in à a en 到 至".split())
CHANGING = ("switch", "moved", "chang", "migrat", "replac", "swap", "upgrad", "gewechsel",
             "umgestiegen", "cambi", "换")  # fmt: skip
TURNING = MOVING + CHANGING
FROM = frozenset("from von de replaced 从".split())
JOINED = BREAKS | {"cannot"} | NUMBERS
