"""Numbers of payment cards: by their issuer and their check digit."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"(?<![0-9A-Za-z.])[2-6](?:[ -]?[0-9]){12,18}(?![0-9A-Za-z]|[ -][0-9])")
_BORN = re.compile(r"[0-9]{6}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_ISSUERS = re.compile(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})|5[0-9]{15}|2[2-7][0-9]{14}|3[47][0-9]{13}"
    r"|3(?:0|6|8)[0-9]{12}|35[0-9]{14}|6[0-9]{15,18}"
)


def card_numbers(text: str) -> list[tuple[int, int, str]]:
    """Return where the card numbers of a text stand: start, end and kind."""
    return [
        (*match.span(), "card_number") for match in _DIGITS.finditer(text) if _is_card(match[0])
    ]


def _is_card(text: str) -> bool:
    digits = text.replace(" ", "").replace("-", "")
    if not _ISSUERS.fullmatch(digits) or (len(digits) == 18 and _BORN.match(digits)):
        return False
    doubled = (int(digit) * (2 - (index % 2 == 0)) for index, digit in enumerate(digits[::-1]))
    return sum(sum(divmod(number, 10)) for number in doubled) % 10 == 0
