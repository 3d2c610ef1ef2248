"""Phone numbers, ID numbers, e-mail and postal addresses that stand in a message: found by their
form alone, without a model."""

from __future__ import annotations

import re

from tideline_cli.model.record import record

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


@record
class Identifier:
    """What was found. `name` is phone_number, id_card, email or address; `text` is the memory."""

    name: str
    value: str
    text: str


def found(message: str) -> list[Identifier]:
    """Return the identifiers of a message, each once: phones, IDs, e-mails, then addresses."""
    text = message[:_LONGEST]
    listed = [
        *(_named("phone_number", "用户手机号", value) for value in _phones(text)),
        *(_named("id_card", "用户身份证", m[0].upper()) for m in _ID.finditer(text)),
        *(_named("email", "用户邮箱", value) for value in _emails(text)),
        *_addresses(text),
    ]
    return list(dict.fromkeys(listed))[:MOST]


def is_private(fact: Fact) -> bool:
    """Say whether a fact is an identifier: no model needs it to join or to tidy facts."""
    return fact.kind == KIND and any(tag in NAMES for tag in fact.tags)


def _named(name: str, label: str, value: str) -> Identifier:
    return Identifier(name, value, f"{label}: {value}")


def _phones(text: str) -> Iterator[str]:
    for match in _PHONE.finditer(text):
        whole = match["solid"] or match["after"]
        yield whole or match["head"] + match["middle"] + match["tail"]


def _emails(text: str) -> Iterator[str]:
    for match in _EMAIL.finditer(text):
        local, domain = match[1].strip("."), match[2].strip(".-")
        if _in_a_url(text, match):
            continue
        is_sane = 0 < len(local) <= _LONGEST_LOCAL and len(domain) <= _LONGEST_DOMAIN
        if is_sane and "." in domain and ".." not in domain:
            yield f"{local}@{domain}"


def _in_a_url(text: str, match: re.Match[str]) -> bool:
    """Say whether an address is part of something else: a password in a URL, a repository."""
    before = text[max(0, match.start() - _LONGEST_DOMAIN) : match.start()]
    after = text[match.end() : match.end() + 2]
    return bool(_USERINFO.search(before)) or (after[:1] == ":" and not after[1:].isspace() and
                                              len(after) == 2)  # fmt: skip


def _addresses(text: str) -> Iterator[Identifier]:
    labelled = _LABELLED.search(text)
    if labelled:
        phone = next(_phones(text), "")
        name = _NAME.search(text)
        parts = [name[1] if name else "", phone, labelled[1].strip()]
        is_parcel = name is not None and bool(phone)
        value = " ".join(filter(None, parts)) if is_parcel else parts[-1]
        if _PLACE.search(parts[-1]):
            yield _named("address", "用户收货地址" if is_parcel else "用户地址", value)
        return
    for match in _CLAUSE.finditer(text):
        clause = match[0].strip()
        if len(clause) > _LONGEST_ADDRESS or _ASKS.search(clause) or not _PLACE.search(clause):
            continue
        is_parcel = next(_phones(clause), "") != ""
        yield _named("address", "用户收货地址" if is_parcel else "用户地址", clause)
