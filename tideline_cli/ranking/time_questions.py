"""What a question that names a time asks for: what was said then, or what happened; and whether it
asks for anything else."""

from __future__ import annotations

from tideline_cli.model.text import STOP_WORDS
from tideline_cli.model.times_in_text import other_words, spans
from tideline_cli.ranking.function_words import of_all_languages
from tideline_cli.ranking.question_words import ENGLISH

# How words begin that ask for what was said, and those that ask for what there is.
_SAYING = tuple(
    "say said tell told talk note noted noting mention writ wrote record jot sag gesag erzähl "
    "bericht erwähn notier schrieb geschrieb aufgeschrieb gemerkt festgehalten dit dis parl racont "
    "not écri mentionn dij dich anot escri cont cuent apunt mencion habl".split()
)
_BEING = tuple(
    "happen occur due plan schedul deadline event appointment meeting coming expir list show thing "
    "fact going please anything everything something passier gescheh ansteh steh fällig läuft lauf "
    "geplant termin notiz sache ding los gab gibt zeig bitte eigentlich prévu échéanc rendez avai "
    "chose arriv pass montr rest devoir doi previst ten venc pendient cita cosa plazo toc suced "
    "ocurr pas hub quedó queda dime muestr list jusqu s'il".split()
)
_SAID = tuple("说 說 讲 講 记 記 写 寫 書 言 提 告诉 告訴 話 メモ 录 録".split())
_SIGNS = frozenset(
    "跟和對对于於把被让讓给給份我我们們你您自己的了过過呢吗嗎啊吧有没沒是在都些什么麼甚哪谁誰怎几幾"
    "到要做干幹办辦事情件项項目发發生内內容所全部请請还還个個那天这這和与與上下里裡中期截止安排计計"
    "划劃日程会會议議行程笔筆私僕俺君は何がをにでとものへやもかしたまするさいっれてだあるなどけねよ"
    "予定来出起締め切約束教えこつ"
)


def is_of_saying(text: str) -> bool:
    """Say whether a question asks for what was said, and not for what happened."""
    words = "".join([char if char.isalnum() else " " for char in text.lower()]).split()
    return any(word.startswith(_SAYING) for word in words) or any(sign in text for sign in _SAID)


def asks_for_time(text: str, at: int, *, alone: bool) -> bool:
    """Say whether a question names a time beside other words; `alone`, where these only ask. A time
    without any is looked for as a word."""
    others = other_words(text, at)
    is_asked = bool(others and spans(text, at))
    return is_asked and (not alone or all(map(_is_asking, others)))


def _is_asking(word: str) -> bool:
    if word in STOP_WORDS or word in ENGLISH or word in of_all_languages():
        return True
    if word.startswith((*_SAYING, *_BEING)):
        return True
    for sign in _SAID:
        word = word.replace(sign, "")
    return _SIGNS.issuperset(word) or len(word) == 1
