"""What every text holds in which a secret is found: so most texts are passed without a search."""

from __future__ import annotations

# How the keys begin that their makers mark. All but the last row hold a dash or a line.
_JOINED = (
    "AGE-SECRET", "sk-", "sk_", "rk-", "rk_", "pk-", "pk_", "gho_", "ghp_", "ghs_", "ghu_", "ghr_",
    "github_pat", "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glagent-", "xox", "xapp-",
    "npm_", "pypi-", "hf_", "dop_v1", "whsec_", "GOCSPX-",
)  # fmt: skip
_PLAIN = ("AKIA", "ASIA", "AIza", "ya29.", "eyJ", "SG.")
# Words for nothing but a password: a plain word after them is one.
_STRONG = (
    "passw", "pass w", "passp", "pass p", "passc", "pass c", "pwd", "mot de", "contra", "senha",
    "kennw", "парол", "密", "口令", "私", "令牌", "验证", "驗證", "パス", "暗証", "비밀",
)  # fmt: skip
# Words for many things: a sign or a figure stands in the text of each secret that they name.
_WEAK = (
    "key", "token", "secret", "pin", "code", "cv", "cred", "auth", "clave", "geheimzahl", "пин",
    "ключ",
)  # fmt: skip
# What an ASCII text can hold of them, what often begins alike is asked for once. Of `contra` it is
# more: a `contract` is no password, and no other sign stands for a letter there.
_OFTEN = "pass"
_LONGER = {"contra": "contrase"}
_STRONG_ASCII = (
    _OFTEN,
    *(_LONGER.get(cue, cue) for cue in _STRONG if cue.isascii() and not cue.startswith(_OFTEN)),
)
_WEAK_ASCII = tuple(cue for cue in _WEAK if cue.isascii())
_SIGNS = frozenset("0123456789:=>-_!@#$%^&*+/~|\\\"'`()[]{}<,.;?")
_FIGURES = "0123456789"
_LEAST_FIGURES = 13  # of a card
_LEAST_RUN = 20  # letters of a key that has no mark


# What a word holds, or ends with, that begins one of them, in a text whose words are letters.
_HELD = tuple(
    cue for cue in (*_STRONG_ASCII, *_STRONG)
    if cue.isalpha() and cue != _OFTEN and cue not in _LONGER
)  # fmt: skip
_BEFORE_BLANKS = tuple(cue.split()[0] for cue in (*_STRONG, "earer ") if " " in cue)


def is_plain_word(low: str) -> bool:
    """Say whether a word in small letters is of no cue, but perhaps a weak one, where it stands in
    a text that has words of ASCII letters, each with one sign behind it at most, and single blanks.
    """
    return not any(map(low.__contains__, _HELD)) and not low.endswith(_BEFORE_BLANKS)


def is_marked(word: str) -> bool:
    """Say whether a word, in its own letters, may be of a key that its maker marks."""
    return any(map(word.__contains__, _PLAIN))


def is_weak(low: str) -> bool:
    """Say whether such a word names a secret where its text has a sign before its end."""
    return any(map(low.__contains__, _WEAK_ASCII))


def may_hold(text: str) -> bool:
    """Say whether a text may hold a secret. False is certain."""
    return (
        may_be_marked(text) or "-----BEGIN" in text or may_be_in_url(text)
        or may_be_named(text) or may_be_card(text)
    )  # fmt: skip


def may_be_marked(text: str) -> bool:
    """Say whether a text may hold a key that its maker marks."""
    for cue in _PLAIN:
        if cue in text:
            return True
    if "-" in text or "_" in text:
        for cue in _JOINED:
            if cue in text:
                return True
    return "earer " in text or "EARER " in text or "earer " in text.lower()


def may_be_in_url(text: str) -> bool:
    """Say whether a text may hold an address with a password."""
    return ":" in text and (("@" in text and "://" in text) or "hooks.slack" in text)


def may_be_named(text: str) -> bool:
    """Say whether a text may name a secret before it says it."""
    lowered = text.lower()
    is_ascii = text.isascii()
    for cue in _STRONG_ASCII if is_ascii else _STRONG:
        if cue in lowered and (cue != _OFTEN or _is_password(lowered)):
            return True
    for cue in _WEAK_ASCII if is_ascii else _WEAK:
        if cue in lowered:
            return not is_ascii or not _SIGNS.isdisjoint(text.rstrip(".!?"))
    return False


def _is_password(lowered: str) -> bool:
    return any(cue in lowered for cue in _STRONG if cue.startswith(_OFTEN))


def may_be_card(text: str) -> bool:
    """Say whether a text has figures enough for the number of a card."""
    return len(text) >= _LEAST_FIGURES and sum(map(text.count, _FIGURES)) >= _LEAST_FIGURES
