"""Passwords, keys and card numbers: what no memory needs and no model is told, by its form."""

from __future__ import annotations

import re

MARK = "[secret left out]"

# Keys that their makers mark, and blocks that say so.
_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END)){0,20000}"
    r"(?:-----END [A-Z0-9 ]{0,40}-----)?"
    r"|(?<![A-Za-z0-9_-])(?:"
    r"(?:sk|rk|pk)[-_](?:ant|live|test|proj|or|svcacct)?[-_]?[A-Za-z0-9_-]{16,250}"
    r"|gh[opsur]_[A-Za-z0-9]{20,250}|github_pat_[A-Za-z0-9_]{20,250}|glpat-[A-Za-z0-9_-]{16,250}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[A-Za-z0-9-]{10,250}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,60}|ya29\.[A-Za-z0-9_-]{16,250}"
    r"|eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{0,4000})?"
    r"|npm_[A-Za-z0-9]{30,60}|pypi-[A-Za-z0-9_-]{30,250}|hf_[A-Za-z0-9]{20,60}"
    r"|SG\.[A-Za-z0-9_-]{16,60}\.[A-Za-z0-9_-]{16,60}|whsec_[A-Za-z0-9]{16,60}"
    r"|dop_v1_[a-f0-9]{32,80}|AGE-SECRET-KEY-1[A-Z0-9]{40,70}"
    r"|(?i:bearer) [A-Za-z0-9._~+/=-]{16,4000}"
    r")"
)
_USERINFO = re.compile(r"(?<=://)([^\s/@:]{1,100}:[^\s/@]{1,200})(?=@)")

_NAMES = (
    r"(?<![A-Za-z])(?:pass ?(?:word|phrase|code|wd)|passwd|pwd|pin(?: code| number)?|cvv2?|cvc"
    r"|(?:api|access|secret|private|encryption|license|recovery|ssh|app)[ _-]?(?:key|token|secret"
    r"|password|code)s?|(?:auth|bearer|refresh|session)[ _-]?token|client[ _-]?secret|secret|token"
    r"|mot de passe|code secret|contrase[nñ]a|clave|senha|passwor[dt]|kennwort|geheimzahl)s?"
    r"(?![a-z])"
    r"|[A-Z0-9]{0,40}_(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD)(?![A-Z])"
    r"|парол[ьяюе]|пин-?код|ключ api|密码|密碼|口令|密钥|密鑰|私钥|私鑰|令牌|验证码|驗證碼"
    r"|パスワード|暗証番号|비밀번호"
)
_JOINT = (
    r"(?:[ \t]{0,4}(?:for|of|to|on|at|pour|du|de la|для|от)[ \t][^\s.,;:=!?]{1,40}"
    r"(?:[ \t][^\s.,;:=!?]{1,40}){0,3})?[ \t\"'`*]{0,4}"
)
_SIGN = r"(?P<sign>[:=：＝]|->|=>)[ \t]{0,4}"
_VERB = (
    r"(?P<verb>['’]s|is(?: now| still| set to)?|was|are|remains|est|es|ist|lautet|is:|è|—|-)"
    r"[ \t]{1,4}"
    r"|(?P<han>[是为為はが이은])[ \t]{0,4}|(?P<blank>[ \t]{1,4})(?=\S{0,40}[0-9])"
)
_STATED = re.compile(
    f"(?P<name>{_NAMES}){_JOINT}(?:{_SIGN}|{_VERB})"
    r"(?:[\"'`“「‘](?P<phrase>[^\"'`“”「」‘’\n]{3,100})[\"'`”」’]"
    r"|[\"'`“「‘*]{0,3}(?P<value>[^\s\"'`”」’]{3,200}))",
    re.I,
)
# What follows `the password is` and is no password.
_PLAIN = re.compile(
    r"(?:a|an|the|not|no|too|very|so|in|on|at|by|for|from|to|with|under|that|this|what|where|how"
    r"|only|also|always|never|already|still|now|your|my|our|his|her|their|its|different|empty"
    r"|good|bad|safe|secure|weak|strong|wrong|right|correct|incorrect|long|short|simple|easy|hard"
    r"|old|new|same|missing|invalid|valid|unknown|secret|private|public|ok|okay|fine|due|out"
    r"|un|une|le|la|il|el|das|ein|eine|nicht|pas|trop|muy|[a-z]+(?:ed|ing|able|ible|ten|ly|ory))"
    r"(?![\w-])",
    re.I,
)
# Every name of a secret holds one of these; to look for them first is ten times as fast.
_HINTS = (
    "pass", "pwd", "pin", "cv", "key", "token", "secret", "code", "contra", "clave", "senha",
    "kenn", "zahl", "парол", "пин", "ключ", "密", "口令", "私", "令牌", "验证", "驗證", "パス",
    "暗証", "비밀",
)  # fmt: skip
_PLAIN_HAN = re.compile(
    "什么|什麼|多少|哪|错|錯|对|對|不|正确|正確|空|必|要|由|我|你|他|她|一个|一個|用|弱|强|強|多|安全|没|沒"
    "|忘|何|正し|間違|必要|重要|最|为|是|的"
)  # fmt: skip
# Names of nothing but secrets: after them a plain word is a secret too.
_STRONG = re.compile(r"pass|pwd|mot de|contra|senha|kenn|парол", re.I)
_DIGITS = re.compile(r"(?<![0-9A-Za-z.])[2-6](?:[ -]?[0-9]){12,18}(?![0-9A-Za-z]|[ -][0-9])")
_BORN = re.compile(r"[0-9]{6}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_ISSUERS = re.compile(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})|5[0-9]{15}|2[2-7][0-9]{14}|3[47][0-9]{13}"
    r"|3(?:0|6|8)[0-9]{12}|35[0-9]{14}|6[0-9]{15,18}"
)


def without(text: str) -> tuple[str, int]:
    """Return `text` with a mark in the place of each secret, and how many there were."""
    count = 0

    def gone(_: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return MARK

    def stated(match: re.Match[str]) -> str:
        nonlocal count
        value = match["phrase"] or _value(match)
        if value is None or value.startswith("[secret"):
            return match[0]
        count += 1
        start = match.start("phrase" if match["phrase"] else "value") - match.start()
        return match[0][:start] + MARK + match[0][start + len(value) :]

    def carded(match: re.Match[str]) -> str:
        return gone(match) if _is_card(match[0]) else match[0]

    text = _KEY.sub(gone, text)
    text = _USERINFO.sub(gone, text)
    lowered = text.lower()
    if any(hint in lowered for hint in _HINTS):
        text = _STATED.sub(stated, text)
    return _DIGITS.sub(carded, text), count


def holds(text: str) -> bool:
    """Say whether a text holds a secret, or the mark of one that was taken out."""
    return MARK in text or without(text)[1] > 0


def _value(match: re.Match[str]) -> str | None:
    """Return the secret that a sentence states, None where it only speaks of one."""
    value = match["value"].rstrip(".,;:!?)]}。，；：！？）】*")
    if len(value) < 3 or value.startswith(("[", "<", "$", "{", "%", "(", "…", "...")):
        return None
    looks = any(char.isdigit() for char in value) or not value.isalpha()
    if match["han"] is not None or match["name"][0] > "\u3000":
        return None if _PLAIN_HAN.match(value) else _ascii_run(value)
    if match["sign"] is not None or match["blank"] is not None:
        return None if _PLAIN.match(value) else value
    if looks and any(char.isalnum() for char in value) and "'" not in value:
        return value
    if _PLAIN.match(value) or not value.isascii() or not _STRONG.match(match["name"]):
        return None
    rest = match.string[match.start("value") + len(value) : match.start("value") + len(value) + 2]
    return value if not rest[:1].strip() or rest[:1] in ".,;:!?)" else None


def _ascii_run(value: str) -> str:
    """Return the part of a value before the next words in another script, or all of it."""
    if not value[0].isascii():
        return value
    end = next((index for index, char in enumerate(value) if not char.isascii()), len(value))
    return value[:end]


def _is_card(text: str) -> bool:
    digits = text.replace(" ", "").replace("-", "")
    if not _ISSUERS.fullmatch(digits) or (len(digits) == 18 and _BORN.match(digits)):
        return False
    doubled = (int(digit) * (2 - (index % 2 == 0)) for index, digit in enumerate(digits[::-1]))
    return sum(sum(divmod(number, 10)) for number in doubled) % 10 == 0
