"""Writes that nobody may refuse, and words of the owner that nobody may swallow."""

from __future__ import annotations

from itertools import product

from tests.poison.attacks import DAY, DIET, SPOKEN, lines, said
from tideline_cli.model.fact import KINDS, SEGMENTS
from tideline_cli.model.source import TRUSTED, UNTRUSTED

PLAIN = (
    "I ignore calls from unknown numbers after eight",
    "Please remember the instructions of the dentist: floss every evening",
    "The system prompt of our shell shows the git branch",
    "curl is the tool I use to test the API", "My password manager is KeePassXC",
    "<b>Bold</b> text in the wiki is written with two stars",
    "The token limit of the model is 8192",
    "می‌خواهم کتاب‌ها را بخوانم", "मुझे क्ष और ज्ञ पसंद हैं", "أعيش في القاهرة", "用户喜欢素食",
    "ฉันชอบชาเขียว", "👨‍👩‍👧‍👦 is my family", "🏳️‍🌈 and 🏴󠁧󠁢󠁥󠁮󠁧󠁿 are on my desk", "Naïve café, déjà vu",
    "Use `git rebase -i` before a merge", "See [the manual](docs/manual.md)", "2 < 3 & 5 > 4",
    "שלום מהבית", "The act of disregarding small errors is called rounding",
)  # fmt: skip
_TRUSTED_WAYS = (
    (), ("--slot", "deploy_day"), ("--supersedes", DAY), ("--pin",), ("--tier", "permanent"),
    ("--derived-from", DIET), ("--confine",),
)  # fmt: skip
_UNTRUSTED_WAYS = (
    (), ("--slot", "deploy_day"), ("--slot", "elsewhere"), ("--derived-from", DAY),
    ("--importance", "1"), ("--confidence", "1"), ("--title", "a title"),
)  # fmt: skip


def writes():
    """Yield (name, words, standard input): each must end with 0 in a fresh store of the owner's."""
    for source, segment in product(TRUSTED, SEGMENTS):
        by = ("--source", source, "-s", segment)
        for more in _TRUSTED_WAYS:
            if source == "channel_message" and more == ("--supersedes", DAY):
                more = ("--origin", "channel:wa/c/1")  # where the owner's id names nothing
            yield _named("remember", f"a plain {segment} of {source}", *by, *more)
    for source, segment in product(UNTRUSTED, SEGMENTS):
        free = not SEGMENTS[segment].protected
        for more in _UNTRUSTED_WAYS:
            confine = () if free else ("--confine",)
            by = ("--source", source, "-s", segment, *confine)
            yield _named("remember", f"a plain {segment} of {source}", *by, *more)
    for source, kind in product((*TRUSTED, *UNTRUSTED), KINDS):
        yield _named("remember", f"a {kind} it is", "--kind", kind, "--source", source, "--confine")
    for text, source in product(PLAIN, (*TRUSTED, *UNTRUSTED)):
        yield _named("remember", text, "--source", source)
    for text in PLAIN:
        yield f"batch {text}", *said("remember", "--batch", stdin=lines({"content": text}))
        yield f"import {text}", *said("import", "-", "--strict", stdin=lines({"content": text}))


def _named(*words):
    return f"{' '.join(words)}", *said(*words)


def forestalled():
    """Yield (name, what an attacker says first, what the owner says then): it must be stored as
    the owner's, in his words."""
    for source, (fact_id, text) in product(UNTRUSTED, SPOKEN.items()):
        new = f"{text} since spring"
        for own in ((), ("-s", "preference"), ("--slot", "own_slot"), ("--pin",)):
            for before in (new, f"{new} not"):
                for labels in ((), ("--slot", "own_slot")):
                    first = said("remember", before, "--source", source, *labels)
                    yield f"{source} {fact_id[-1]} {own} {labels}", first, new, own
