"""Keys and tokens: by the signs that their makers put on them, or as random letters beside a word
such as key."""

from __future__ import annotations

import re

_KINDS = (
    ("aws_key", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github_token", r"gh[opsur]_[A-Za-z0-9]{20,250}|github_pat_[A-Za-z0-9_]{20,250}"),
    ("gitlab_token", r"gl(?:pat|ptt|dt|rt|cbt|agent)-[A-Za-z0-9_-]{16,250}"),
    ("slack_token", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[A-Za-z0-9-]{10,250}"),
    ("stripe_key",
     r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{8,250}|whsec_[A-Za-z0-9+/=]{16,100}"),
    ("google_key",
     r"AIza[A-Za-z0-9_-]{30,60}|ya29\.[A-Za-z0-9_-]{16,250}|GOCSPX-[A-Za-z0-9_-]{20,60}"),
    ("npm_token", r"npm_[A-Za-z0-9]{30,60}"),
    ("pypi_token", r"pypi-(?=[a-z-]{0,250}[A-Z0-9])[A-Za-z0-9_-]{30,250}"),
    ("jwt",
     r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{0,4000})?"),
    ("private_key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,70}"),
    ("api_key",  # a name such as sk-learn-contrib has no figure
     r"(?:sk|rk|pk)[-_](?=[A-Za-z_-]{0,250}[0-9])(?:ant|proj|or|svcacct)?[-_]?[A-Za-z0-9_-]{16,250}"
     r"|hf_[A-Za-z0-9]{20,60}|dop_v1_[a-f0-9]{32,80}"
     r"|SG\.[A-Za-z0-9_-]{16,60}\.[A-Za-z0-9_-]{16,60}"),
    ("bearer_token", r"(?i:bearer) [A-Za-z0-9._~+/=-]{16,4000}"),
)  # fmt: skip
_MARKED = re.compile(
    f"(?<![A-Za-z0-9_-])(?:{'|'.join(f'(?P<{kind}>{form})' for kind, form in _KINDS)})"
)
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END)){0,20000}"
    r"(?:-----END [A-Z0-9 ]{0,40}-----)?"
)
_IN_URL = re.compile(
    r"(?<=://)(?:[^\s/@:]{0,100}:[^\s/@]{1,200})(?=@)|(?<=hooks\.slack\.com/services/)[\w/]{20,100}"
)

_NEAR = 60  # characters between a word such as key and what it may name
_BESIDE = re.compile(
    r"(?<![A-Za-z])(?:(?:[A-Za-z]{0,20}[_-])?(?:key|token|secret|password|passwd|credential|auth)s?"
    r"|apikey)(?![A-Za-z])",
    re.I,
)
_RUN = re.compile(
    r"(?<![A-Za-z0-9+/=_.@#-])[A-Za-z0-9+=_-]{20,200}+(?![A-Za-z0-9+=_@/-]|\.[A-Za-z0-9])"
)
_NO_KEY = re.compile(r"commit|sha|hash|digest|checksum|fingerprint|uuid|version|build", re.I)
_HEX = re.compile(r"[0-9a-f]{32,}|[0-9A-F]{32,}")
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_LEAST_BITS = 3.5  # a character of random base 64 has about 4.5 in a run of 30 characters


def keys(text: str) -> list[tuple[int, int, str]]:
    """Return where the keys of a text stand that their makers mark: start, end and kind."""
    return [(*match.span(), str(match.lastgroup)) for match in _MARKED.finditer(text)]


def key_blocks(text: str) -> list[tuple[int, int, str]]:
    """Return where the blocks of private keys stand: start, end and kind."""
    return [(*match.span(), "private_key") for match in _PEM.finditer(text)]


def in_urls(text: str) -> list[tuple[int, int, str]]:
    """Return where the passwords of addresses stand: start, end and kind."""
    return [(*match.span(), "url_password") for match in _IN_URL.finditer(text)]


def random_keys(text: str) -> list[tuple[int, int, str]]:
    """Return where random letters stand beside a word such as key: start, end and kind."""
    found: list[tuple[int, int, str]] = []
    for match in _RUN.finditer(text):
        start, end = match.span()
        before = text[max(0, start - _NEAR) : start]
        around = before + " " + text[end : end + _NEAR // 2]
        if _BESIDE.search(around) and not _NO_KEY.search(before) and _is_random(match[0]):
            found.append((start, end, "random_key"))
    return found


def _is_random(run: str) -> bool:
    """Say whether letters and figures look drawn by chance: no words, no id of a fact."""
    if _ULID.fullmatch(run):
        return False
    figures = sum(char.isdigit() for char in run)
    if not _HEX.fullmatch(run):
        upper = sum(char.isupper() for char in run)
        lower = sum(char.islower() for char in run)
        if figures < 3 or upper < 3 or lower < 3:
            return False
    return figures >= 3 and _bits(run) >= (_LEAST_BITS if not _HEX.fullmatch(run) else 2.8)


def _bits(run: str) -> float:
    """Return the entropy of a run of letters, in bits a letter."""
    from math import log2  # noqa: PLC0415  few texts come here

    shares = [run.count(char) / len(run) for char in set(run)]
    return -sum(share * log2(share) for share in shares)
