"""Passwords, PINs and keys that a sentence states: by the word before them, in nine languages."""

from __future__ import annotations

import re

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
_SIGN = r"(?P<sign>[:=：＝](?!//)|->|=>)[ \t]{0,4}"
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
    r"|see|use|ask|via|and|or|it|is|if|as|be|can|will|must|should|has|have|old|new|same|missing|invalid|valid|unknown|secret|private|public|ok|okay|fine|due|out"
    r"|un|une|le|la|il|el|das|ein|eine|nicht|pas|trop|muy|[a-z]+(?:ed|ing|able|ible|ten|ly|ory))"
    r"(?![\w-])",
    re.I,
)
_PLAIN_HAN = re.compile(
    "什么|什麼|多少|哪|错|錯|对|對|不|正确|正確|空|必|要|由|我|你|他|她|一个|一個|用|弱|强|強|多|安全|没|沒"
    "|忘|何|正し|間違|必要|重要|最|为|是|的"
)  # fmt: skip
# Names of nothing but secrets: after them a plain word is a secret too.
_STRONG = re.compile(r"pass|pwd|mot de|contra|senha|kenn|парол", re.I)


def values(text: str) -> list[tuple[int, int, str]]:
    """Return where the secrets of a text stand that it states: start, end and kind."""
    found: list[tuple[int, int, str]] = []
    for match in _STATED.finditer(text):
        value = match["phrase"] or _value(match)
        if value is None or value.startswith("[secret"):
            continue
        start = match.start("phrase" if match["phrase"] else "value")
        kind = "password" if _STRONG.match(match["name"]) else "secret"
        found.append((start, start + len(value), kind))
    return found


def _value(match: re.Match[str]) -> str | None:
    """Return the secret that a sentence states, None where it only speaks of one."""
    value = match["value"].rstrip(".,;:!?)]}。，；：！？）】*")
    if len(value) < 3 or value.startswith(("[", "<", "$", "{", "%", "(", "…", "...")):
        return None
    if "://" in value:  # an address; one that holds a password is found as such
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
