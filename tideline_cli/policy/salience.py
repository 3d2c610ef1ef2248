"""Which messages are worth a model's time: they speak of their author, or they correct.

In Chinese, English, French, German, Japanese, Russian and Spanish. A marker too many costs a
request. A marker too few loses what was said, since the message is not read again.
"""

from __future__ import annotations

import re

_SALIENT = re.compile(
    # Simplified and traditional Chinese: `我` where it does something, and what is asked to stay.
    "(?<![帮幫给給教让讓跟替诉訴请請把叫被])我(?:叫|是|的|家|住|用|习惯|習慣|想要|希望|们|們|公司|老婆|妻子|太太|老公"
    "|丈夫|儿子|兒子|女儿|女兒|爸|妈|媽|父|母|哥|姐|弟|妹|爷|爺|奶|外|孩子|女朋友|男朋友|女友|男友|朋友|同事|老板|生日"
    "|对|對|在|不|有|没有|沒有|爱|愛|吃|喝|会|會|来自|來自|从|從|搬|养|養|每|今年|出生|属|屬|姓|毕业|畢業|学|學|读"
    "|讀|教|玩|打|信|结婚|結婚|单身|單身|怀孕|懷孕|退休|身高|体重|體重|上班|工作|开车|開車|骑|騎|讨厌|討厭|喜欢|喜歡"
    "|偏|需要|经常|經常|一直|总是|總是|通常|从不|從不|刚|剛|已经|已經|现在|現在|曾|怕|戒|辞|辭|换|換|买|買)"
    "|我(?:习惯|希望|想要|生日)|住在|喜欢|喜歡|讨厌|討厭|过敏|過敏|记住|記住|记一下|記一下|记下|記下|帮我记|幫我記"
    "|偏好|以后每次|以後每次|每次都"
    # English.
    r"|my name|\bcall me|remember (?:that|to)|\bi am |\bi['’]?m |\bi(?:['’]m| am) from"
    r"|\bi (?:live|like|prefer|hate|use |work|moved|eat|drink|don['’]?t (?:eat|drink|like|use|want"
    r"|work|live|drive|have|speak)|do not (?:eat|drink|like|use|want|work|live|drive|have|speak)"
    r"|can['’]?t (?:eat|drink|stand|drive|have)|cannot (?:eat|drink|stand|drive|have)|never|always"
    r"|usually|often|love|enjoy|dislike|grew up|was born|come from|was diagnosed|speak|study"
    r"|studied|teach|play|own|drive|ride|run |have (?:an? |one |two |three |four |no |been |lived "
    r"|worked |to take |\d)|got (?:married|divorced|engaged|a )|started|quit|joined|retired"
    r"|suffer|take |need |want |stopped|became|celebrate|believe in|vote|wear|follow)"
    r"|\bi['’]ve (?:got|been|lived|worked|moved|always|never)|allerg|vegan|vegetarian"
    r"|\bmy (?:wife|husband|partner|son|daughter|kids?|child|children|mother|father|mom|mum|dad"
    r"|sister|brother|parents|boss|birthday|dog|cat|pet|job|company|team|doctor|address|phone"
    r"|e-?mail|favou?rite|girlfriend|boyfriend|friend|family|home|house|car|hobby|allerg|diet"
    r"|pronouns|time ?zone|native|mother tongue)"
    r"|\bwe (?:live|moved|have (?:a|an|two|three) |use |work)"
    # French, German, Spanish.
    r"|\bje (?:suis|m['’]appelle|vis|travaille|n['’]|ne |déteste|préfère|mange|bois|viens|parle"
    r"|fais|joue|veux|porte|prends|conduis)|\bj['’](?:habite|aime|ai |adore|utilise|étudie"
    r"|apprends|étais)|\bm(?:on|a|es) (?:nom|prénom|femme|mari|fils|fille|enfants|mère|père|chien"
    r"|chat|anniversaire|adresse|numéro|patron|ami)|appelle-moi|souviens-toi|allergique"
    r"|\bich (?:bin|heiße|heisse|wohne|lebe|mag|hasse|arbeite|habe|esse|trinke|komme|spreche|nutze"
    r"|benutze|fahre|möchte|liebe|ziehe|zog|kann|nehme|spiele)"
    r"|\bmeine? (?:name|frau|mann|sohn|tochter|hund|katze|geburtstag|chef|adresse|nummer)"
    r"|\b(?:me llamo|soy |vivo en|trabajo|me gusta|me encanta|prefiero|odio|tengo|no como|nací"
    r"|me mudé|mi (?:nombre|esposa|esposo|mujer|marido|hij[oa]|perr[oa]|gat[oa]|cumpleaños))"
    # Japanese.
    "|(?:私|わたし|僕|ぼく|俺|うち)(?:は|が|の|も|って)|好き|嫌い|住んで|働いて|勤めて|と申します|アレルギー|覚えて|食べな"
    "|食べませ|飲めませ|引っ越し|飼って"
    # Russian.
    r"|(?<!\w)(?:я [а-яё]|меня зовут|зови меня|у меня|мо(?:й|я|ё|е|и|его|ей|им|их) "
    r"|мне (?:нравится|\d)|запомни|аллерг|мы (?:живём|живем|переехали))",
    re.I,
)
_CORRECTING = re.compile(
    "不对|不對|错了|錯了|搞错|搞錯|弄错|弄錯|说错|說錯|不是这|不是這|不是我要|我说的是|我說的是|应该是|應該是"
    "|应该用|應該用|别这样|別這樣|别用|別用|不要这样|不要這樣|重新|纠正|糾正|更正|下次|以后不要|以後不要|以后别"
    "|以後別|记住别|記住別|不准|(?:^|[。！!\n])\\s*(?:不是|不，|不,|错|錯)|不是.{0,12}[，,]\\s*(?:而?是|我叫|我是)"
    r"|that['’]?s wrong|that is wrong|you['’]re wrong|not what i|not correct|incorrect"
    r"|you should(?:n['’]t| not| never| always| have| use| be | do | stop| only| rather)"
    r"|should have|don['’]t do|do not do|stop doing|next time|actually i meant|i meant"
    r"|not like that|\bredo|you misunderstood|\bnot (?:quite )?right\b|(?:^|[.!?\n])\s*(?:no|nope)"
    r"(?:[,.!—-]| (?:it|that|this|my|i|the)\b)|that['’]?s not|that is not|\bit['’]?s not .{1,40}"
    r"\b(?:it['’]?s|but)\b|that was wrong|(?:^|[.!?\n])\s*wrong\b|\bmistake|don['’]t ever"
    r"|\bnever (?:do|use|say|call|write) |stop (?:using|calling|saying|adding|writing)"
    r"|c['’]est faux|c['’]est incorrect|ce n['’]est pas|(?:^|[.!?\n])\s*non[,.!]|pas comme ça"
    r"|tu (?:aurais dû|te trompes)|vous (?:auriez dû|vous trompez)|la prochaine fois|mal compris"
    r"|\bfalsch|(?:^|[.!?\n])\s*nein[,.!]|stimmt nicht|nächstes mal|nicht so\b|missverstanden"
    r"|no es (?:así|correcto|cierto)|incorrecto|la próxima vez|te equivocas|eso está mal"
    "|違う|違い|違って|じゃなくて|ではなく|ではありませ|じゃない|間違|次から|次回|しないで|やめて|訂正"
    r"|неправильно|неверно|(?<!\w)не так|(?:^|[.!?\n])\s*нет[,.!]|в следующий раз|ты ошиб"
    r"|вы ошиб|ошибка|(?<!\w)не надо|(?<!\w)это не |больше не ",
    re.I | re.M,
)
_WHOLE = 4000  # characters of a message that is sent as it is; of a longer one, what is marked
_NEAR = 400  # characters around a marker
_LONGEST_RUN = 200_000  # characters of a message that are looked at
_SHORTEST_SALIENT = 4
_SHORTEST_CORRECTION = 2
_CUT = "\n…\n"

_RANGES = (
    (0x0041, 0x024F, "latin"),
    (0x1E00, 0x1EFF, "latin"),
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0531, 0x058F, "armenian"),
    (0x0591, 0x05FF, "hebrew"),
    (0x0600, 0x077F, "arabic"),
    (0x0900, 0x0DFF, "indic"),
    (0x0E00, 0x0E7F, "thai"),
    (0x10A0, 0x10FF, "georgian"),
    (0x1100, 0x11FF, "hangul"),
    (0xAC00, 0xD7FF, "hangul"),
    # Japanese mixes kana and Han, so they count as one script.
    (0x3040, 0x30FF, "han"),
    (0x3400, 0x9FFF, "han"),
    (0xF900, 0xFAFF, "han"),
    (0x20000, 0x3FFFF, "han"),
)


def salient(message: str) -> str:
    """Return what of a message speaks of its author: all of it, of a long one the passages that
    do; nothing where none does."""
    return _marked(message, _SALIENT, _SHORTEST_SALIENT)


def correcting(message: str) -> str:
    """Return what of a message corrects what was done, as `salient` does."""
    return _marked(message, _CORRECTING, _SHORTEST_CORRECTION)


def _marked(message: str, markers: re.Pattern[str], shortest: int) -> str:
    text = message.strip()
    if len(text) < shortest:
        return ""
    if len(text) <= _WHOLE:
        return message if markers.search(text) else ""
    parts: list[str] = []
    size = end = 0
    for found in markers.finditer(text, 0, _LONGEST_RUN):
        if found.start() < end:
            continue
        start = max(end, found.start() - _NEAR)
        end = min(len(text), found.end() + _NEAR)
        parts.append(text[start:end])
        size += end - start
        if size >= _WHOLE:
            break
    return _CUT.join(parts)


def are_in_one_script(message: str, memory: str) -> bool:
    """Say whether a memory may be in the language of a message.

    It may not where half of one of them or more is in a script that the other does not hold at
    all: an English sentence about a Chinese message, or the reverse. Numbers have no script.
    """
    said, kept = _units(message), _units(memory)
    if not (said and kept):
        return True
    return not (_is_foreign(said, kept) or _is_foreign(kept, said))


def _is_foreign(counts: dict[str, int], other: dict[str, int]) -> bool:
    total = sum(counts.values())
    return any(2 * count >= total and script not in other for script, count in counts.items())


def _units(text: str) -> dict[str, int]:
    """Return how many units of each script a text has: a Han character, else a word."""
    counts: dict[str, int] = {}
    previous = ""
    for char in text:
        script = _script(char) if char.isalpha() else ""
        if script and (script == "han" or script != previous):
            counts[script] = counts.get(script, 0) + 1
        previous = script
    return counts


def _script(char: str) -> str:
    code = ord(char)
    return next((name for low, high, name in _RANGES if low <= code <= high), "other")
