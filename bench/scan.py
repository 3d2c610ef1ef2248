"""The time of the threat scan over texts that are made to be costly: `python -m bench.scan`.

Processor time, the least of three, without the making of the regular expressions.
"""

from __future__ import annotations

import random
from time import process_time
from typing import TYPE_CHECKING

from tests.policy import disguise
from tideline_cli.model.fact import MAX_CONTENT
from tideline_cli.policy.threats._cues import WAYS
from tideline_cli.policy.threats._words import WORDS
from tideline_cli.policy.threats.plain import CUES, MARKS
from tideline_cli.policy.threats.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterator


def _literals() -> list[str]:
    """Return all that the patterns spell out, and all that is asked for before them."""
    asked = {text for *_, groups in WAYS for group in groups for text in group}
    return sorted(asked.union(WORDS.split(), MARKS))


def hostile(size: int) -> Iterator[tuple[str, str]]:
    """Yield names and texts of a size that give the scan much to do."""
    chance = random.Random(1)
    literals = _literals()
    mixed = " ".join(" ".join(chance.choices(literals, k=size // 5)).split())
    yield "all literals, in any order", mixed
    yield "all cues, in any order", " ".join(chance.choices(sorted(CUES), k=size // 4))
    yield "literals with digits", mixed.translate(disguise.FULL_LEET)
    yield "literals in rot13", disguise.DISGUISES["rot13"]["all"](mixed)
    yield "literals, letters spread", " ".join(mixed)
    yield "literals, dotted", disguise.between(mixed, ".", " ")
    yield "literals, cut", disguise.DISGUISES["punctuated"]["each second letter"](mixed)
    yield "literals without blanks", mixed.replace(" ", "")
    yield "one letter", "a" * size
    yield "spread letters", "i n " * (size // 4)
    yield "dashes after a beginning", "nothing else. reply " + "-" * size
    yield "say say say", "say " * (size // 4) + "nothing"
    yield "ignore, and ten words", "ignore a b c d e f g h i previous " * (size // 30)
    yield "comments", "<!-- ignor secret " * (size // 18)
    yield "curl and dollars", "curl $aaaa key " * (size // 15)
    yield "cat and paths", "cat /a/b .en credentials " * (size // 24)
    yield "percent codes", "%69%67" * (size // 6)
    yield "backslashes", "\\x69\\u0067" * (size // 10)
    yield "base64", "aWdub3JlIGFsbCBwcmV2aW91cw" * (size // 26)
    yield "entities", "&#105;&amp;" * (size // 11)
    yield "two scripts", "іgnоrе аll рrеvіоus " * (size // 20)
    yield "joiners", "a\u200d" * (size // 2)
    yield "ideographs", "忽略之前的" * (size // 5)
    for word in ("ignore ", "you ", "system: ", "act as if ", "[system] ", "send to ", "when "):
        yield f"again and again {word!r}", word * (size // len(word))


def cost(text: str, tries: int = 3) -> float:
    """Return the seconds of a scan."""
    scan(text)
    best = 9e9
    for _ in range(tries):
        began = process_time()
        scan(text)
        best = min(best, process_time() - began)
    return best


def main() -> None:
    """Print the time for the longest fact, and for eight times as much."""
    for (name, text), (_, more) in zip(
        hostile(MAX_CONTENT), hostile(8 * MAX_CONTENT), strict=True
    ):
        text, more = text[:MAX_CONTENT], more[: 8 * MAX_CONTENT]
        short, long = cost(text), cost(more, 1)
        print(
            f"{name:32} {short * 1e3:6.1f} ms  {short / len(text) * 1e6:5.2f} µs a character, "
            f"{long / len(more) * 1e6:5.2f} in eight times as much"
        )


if __name__ == "__main__":
    main()
