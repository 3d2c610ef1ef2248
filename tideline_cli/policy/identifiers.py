"""Phone numbers, ID numbers, e-mail and postal addresses that stand in a message: found by their
form alone, without a model. Whose they are is said only where the user says so."""

from __future__ import annotations

import re

from tideline_cli.model.record import record
from tideline_cli.policy import secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tideline_cli.model.fact import Fact

IMPORTANCE = 0.95
KIND = "entity"
NAMES = ("phone_number", "id_card", "email", "address")
MOST = 20  # of one message: a pasted list is not about its author
_LONGEST = 20_000  # characters of a message that are looked at
_LONGEST_ADDRESS = 120
_LONGEST_LOCAL, _LONGEST_DOMAIN = 64, 253

# Eleven digits, the country's code at most before them; or 3-4-4 with one separator throughout,
# which must not continue a longer row of digit groups.
_PHONE = re.compile(
    r"(?<![0-9])(?:\+?86)?(?P<solid>1[3-9][0-9]{9})(?![0-9])"
    r"|(?:(?<![0-9])\+?86[ -]?|(?<![0-9])(?<![0-9][ -]))(?P<head>1[3-9][0-9])"
    r"(?P<gap>[ -])(?P<middle>[0-9]{4})(?P=gap)(?P<tail>[0-9]{4})(?![ -]?[0-9])"
    r"|(?<![0-9])\+?86[ -](?P<after>1[3-9][0-9]{9})(?![0-9])"
)
# The international form of other countries: a plus, the country's code, 9 to 15 digits in groups.
_ABROAD = re.compile(
    r"(?<![\w+.-])\+(?!86)(?P<digits>[1-9](?:(?:\(0\)|[ ./()-]){0,3}[0-9]){8,14})(?![ .-]?[0-9])"
)
_THOUSANDS = re.compile(r"[0-9]{1,3}(?P<gap>[ .])[0-9]{3}(?P=gap)[0-9]{3}")
_ID = re.compile(r"(?<![0-9])[0-9]{17}(?:[0-9](?![0-9])|[Xx](?![0-9A-Za-z]))")
# Possessive: the local part cannot be split anew at each of its characters.
_EMAIL = re.compile(r"(?<![A-Za-z0-9._+-])([A-Za-z0-9._+-]++)@([A-Za-z0-9.-]{3,})")

_USERINFO = re.compile(r"://[^\s/@]*$")

_CLAUSE = re.compile("[^\n。！？!?；;，,]+[？?]?")
_PLACE = re.compile(
    "[\u4e00-\u9fff](?:省|市|自治区|区|县)"
    "[^\n]{0,40}?(?:路|街|道|巷|弄|胡同|村|镇|乡|园|小区)"
    "[^\n]{0,24}?[0-9０-９一二三四五六七八九十百]+\\s*(?:号|栋|幢|弄|楼|室|单元|座)"
)
_ASKS = re.compile("[？?]|什么|哪|怎么|多少|吗|是谁")
_LABELLED = re.compile("地址\\s*[:：]\\s*([^\n，,；;。]+)")
_NAME = re.compile("(?:收件人|收货人|姓名|联系人)\\s*[:：]\\s*([^\n，,；;。\\s]{1,20})")


# What a memory says of one: the user's own and anybody's, in Chinese and in English.
_WORDS = {
    "phone_number": ("用户手机号", "提到的手机号（电话）",
                     "The user's phone number (telephone, mobile)",
                     "Phone number (telephone, mobile) mentioned"),
    "id_card": ("用户身份证", "提到的身份证号", "The user's ID card number",
                "ID card number mentioned"),
    "email": ("用户邮箱", "提到的邮箱（电子邮件）", "The user's e-mail address (email)",
              "E-mail address (email) mentioned"),
    "address": ("用户地址", "提到的地址", "The user's postal address", "Postal address mentioned"),
    "parcel": ("用户收货地址", "提到的收货地址", "The user's delivery address",
               "Delivery address mentioned"),
}  # fmt: skip
_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
# The words right before what is the user's own. Nothing but a kind of number stands between.
_MINE = re.compile(
    r"(?:(?<![A-Za-z])my[ \t]+(?:(?:new|old|own|work|private|personal|home|business|office|company"
    r"|current|main|primary|second|first|other|cell|mobile|postal|street|mailing|delivery"
    r"|shipping|chinese|national|only|usual|direct)[ \t]+){0,3}(?:(?:e-?mails?|mails?|phones?"
    r"|telephones?|mobiles?|cells?|numbers?|addresses|address|ids?|identity|card|cellphone|handy"
    r"|gmail|inbox|contact)[ \t]*){1,4}"
    r"|(?<![\u3400-\u9fff『「“\"])我的?(?:(?:新|旧|老|常用|私人|个人|工作|公司|办公|家庭|家里|主要|另一个|备用|QQ"
    r"|qq|电子|中国|大陆){0,3}(?:邮箱地址|电邮|邮箱|邮件|邮件地址|e-?mail|手机号码|手机号|手机|电话号码"
    r"|电话|号码|联系方式|身份证号码|身份证号|身份证|收货地址|住址|地址)){1,2})"
    r"[ \t]*(?:is|are|was|:|=|：|是|为|就是|换成了|改成了|now|[-–—]|[ \t]){0,4}[ \t]*"
    r"[<\"'(（“]?[ \t]*(?:\(?\+?86\)?[ -]?)?\Z",
    re.I,
)
_LIVES = re.compile(
    "(?<![说道讲:：\"“「])我(?:现在|目前|就|们)?(?:住|家|的(?:家|新家|地址|住址|收货地址|家庭地址))"
)
# Before `my`: it is quoted, or it is taken back.
_NOT_MINE = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\bno longer|不是|并非|不再是|[\"“‘「『:：>])[ \t]*\Z", re.I
)
_AND = re.compile(
    r"[\s,;、，；/&+]*(?:and|or|和|与|或|或者|以及)?[\s,;、，；/&+(（]*(?:\+?86[ -]?)?", re.I
)
_BEFORE = 90  # characters before an identifier that say whose it is


@record
class Identifier:
    """What was found. `name` is phone_number, id_card, email or address; `text` is the memory;
    `is_own` says that the user calls it theirs. `owned` and `mentioned` are all the texts that
    may say so of it, and that say less."""

    name: str
    value: str
    text: str
    is_own: bool = False
    owned: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()


def found(message: str, around: str = "") -> list[Identifier]:
    """Return the identifiers of a message, each once: phones, IDs, e-mails, then addresses. They
    are worded in the language of the message, or of `around` where it has no words."""
    text = message[:_LONGEST]
    named = [
        *(("phone_number", value, at) for value, at in _phones(text)),
        *(("id_card", m[0].upper(), m.span()) for m in _ID.finditer(text)),
        *(("email", value, at) for value, at in _emails(text)),
    ]
    own = _owned(text, [at for *_, at in named])
    listed = [(name, name, value, at in own) for name, value, at in named]
    listed += _addresses(text)
    once: dict[tuple[str, str], Identifier] = {}
    worded = text if any(map(str.isalpha, text)) else around
    is_chinese = bool(_HAN.search(worded)) and not _KANA.search(worded)
    for name, words, value, is_own in listed:
        known = once.get((name, value))
        if known is None or (is_own and not known.is_own):
            once[name, value] = _worded(name, words, value, is_own, is_chinese)
    return list(once.values())[:MOST]


def is_private(fact: Fact) -> bool:
    """Say whether a fact is a phone number, an ID number, an e-mail or a postal address."""
    return fact.kind == KIND and any(tag in NAMES for tag in fact.tags)


def is_withheld(fact: Fact) -> bool:
    """Say whether no model is shown a fact: an identifier, or one that holds a secret. None needs
    them to join or to tidy facts."""
    return is_private(fact) or secrets.holds(fact.content)


def _worded(name: str, words: str, value: str, is_own: bool, is_chinese: bool) -> Identifier:
    texts = [f"{label}: {value}" for label in _WORDS[words]]
    text = texts[2 * (not is_chinese) + (not is_own)]
    return Identifier(name, value, text, is_own, tuple(texts[::2]), tuple(texts[1::2]))


def _owned(text: str, spans: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return those of some places that stand behind "my", or continue a row that does."""
    own: set[tuple[int, int]] = set()
    before: tuple[int, int] | None = None
    for start, end in sorted(spans):
        line = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
        mine = _MINE.search(line)
        continues = before in own and _AND.fullmatch(text, before[1], start) if before else None
        if continues or (mine and not _NOT_MINE.search(line[: mine.start()])):
            own.add((start, end))
        before = start, end
    return own


def _phones(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in _PHONE.finditer(text):
        whole = match["solid"] or match["after"]
        yield whole or match["head"] + match["middle"] + match["tail"], match.span()
    for match in _ABROAD.finditer(text):
        if not _THOUSANDS.fullmatch(match["digits"]):
            digits = match["digits"].replace("(0)", "")
            yield "+" + "".join(filter(str.isdigit, digits)), match.span()


def _emails(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in _EMAIL.finditer(text):
        local, domain = match[1].strip("."), match[2].strip(".-")
        if _in_a_url(text, match):
            continue
        is_sane = 0 < len(local) <= _LONGEST_LOCAL and len(domain) <= _LONGEST_DOMAIN
        if is_sane and "." in domain and ".." not in domain:
            yield f"{local}@{domain}", match.span()


def _in_a_url(text: str, match: re.Match[str]) -> bool:
    """Say whether an address is part of something else: a password in a URL, a repository."""
    before = text[max(0, match.start() - _LONGEST_DOMAIN) : match.start()]
    after = text[match.end() : match.end() + 2]
    return bool(_USERINFO.search(before)) or (after[:1] == ":" and not after[1:].isspace() and
                                              len(after) == 2)  # fmt: skip


def _addresses(text: str) -> Iterator[tuple[str, str, str, bool]]:
    """Yield (name, the words for it, value, whether it is the user's own) of postal addresses."""
    labelled = _LABELLED.search(text)
    if labelled:
        phone, _ = next(_phones(text), ("", None))
        name = _NAME.search(text)
        parts = [name[1] if name else "", phone, labelled[1].strip()]
        is_parcel = name is not None and bool(phone)
        value = " ".join(filter(None, parts)) if is_parcel else parts[-1]
        if _PLACE.search(parts[-1]):
            line = text[: labelled.end()].rpartition("\n")[2]
            yield "address", "parcel" if is_parcel else "address", value, _is_home(line)
        return
    for match in _CLAUSE.finditer(text):
        clause = match[0].strip()
        if len(clause) > _LONGEST_ADDRESS or _ASKS.search(clause) or not _PLACE.search(clause):
            continue
        is_parcel = next(_phones(clause), None) is not None
        yield "address", "parcel" if is_parcel else "address", clause, _is_home(clause)


def _is_home(text: str) -> bool:
    mine = _LIVES.search(text)
    return mine is not None and not _NOT_MINE.search(text[: mine.start()])
