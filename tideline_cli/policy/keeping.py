"""What of a user's message is kept as it was said where no model words it: sentences that ask to
remember something, or that correct. Pure."""

from __future__ import annotations

import re

from tideline_cli.policy.grounding import told_apart
from tideline_cli.policy.salience import correcting

_ASKS = re.compile(
    r"\b(?:(?<!do you )remember(?! when| how| if| whether| the time)|keep in mind|don['’]t forget|"
    r"do not forget|note that|for the record|merke? dir|merkt euch|denke? (?:bitte )?daran|"
    r"vergiss nicht|notiere? dir|souviens-toi|rappelle-toi|n['’]oublie pas|retiens|note que|"
    r"recuerda|acuérdate|no olvides|ten en cuenta|apunta que)\b"
    r"|记住|記住|请记得|請記得|别忘了|別忘了|覚えておいて|忘れないで|メモして|запомни",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_COLON = re.compile(f"({_ASKS.pattern})[:：]", re.I)  # which leads what is asked, and no quote
_MARK = "\x00"
_LEAST, _MOST = 15, 1200  # bytes: "remember that" says nothing yet


def to_keep(message: str) -> list[str]:
    """Return the sentences of the user's own that ask to remember something, or correct; none that
    asks a question."""
    own, _ = told_apart(_COLON.sub(rf"\1{_MARK}", message))
    found = (part.strip(" .\t").replace(_MARK, ":") for part in _SENTENCE.split(own))
    return [
        one for one in found
        if _LEAST <= len(one.encode("utf-8", "replace")) <= _MOST and not one.endswith(("?", "？"))
        and (_ASKS.search(one) or correcting(one))
    ]  # fmt: skip
