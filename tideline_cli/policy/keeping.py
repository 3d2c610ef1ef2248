"""What of a user's message is kept as it was said where no model words it: sentences that ask to
remember something, or that correct. Pure."""

from __future__ import annotations

import re

from tideline_cli.policy.grounding import ASKS, told_apart
from tideline_cli.policy.salience import correcting

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_LEAST, _MOST = 15, 1200  # bytes: "remember that" says nothing yet


def to_keep(message: str) -> list[str]:
    """Return the sentences of the user's own that ask to remember something, or correct; none that
    asks a question."""
    own, _ = told_apart(message)
    found = (part.strip(" .\t") for part in _SENTENCE.split(own))
    return [
        one for one in found
        if _LEAST <= len(one.encode("utf-8", "replace")) <= _MOST and not one.endswith(("?", "？"))
        and (ASKS.search(one) or correcting(one))
    ]  # fmt: skip
