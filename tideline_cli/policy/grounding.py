"""Whether a distilled fact rests on words of the user's own. Pure.

A model that is shown a conversation may word what a pasted page says, what the assistant guessed,
or what it knows itself. Words tell: what nobody said, the user has not said.
"""

from __future__ import annotations

import re

from tideline_cli.model.forms.stems import LANGUAGES
from tideline_cli.model.text import WITH_FORMS, index_terms
from tideline_cli.policy.salience import are_in_one_script
from tideline_cli.policy.statements import NEGATIONS, NOT_TELLING, said_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

UNGROUNDED = "not said in words of the user's own"
_LEAST = 0.5  # of the letters of a fact
# What a fact calls its author, in the languages that prompts are answered in.
_AUTHOR = frozenset(
    "user nutzer nutzerin nutzers benutzer benutzerin utilisateur utilisatrice usuario usuaria "
    "пользователь 用户 使用者 ユーザー ユーザ 사용자".split()
)
_AUTHORS = re.compile("用户|使用者|ユーザー?|사용자")
_ANALYZER = f"{WITH_FORMS}:{','.join(LANGUAGES)}"
_NEGATIONS = NEGATIONS | {"ni"}
_SPACE = re.compile(r"[\s'’]+")
_SIGNS = ".,;:!?'’"
_CLAUSE_END = re.compile(r"[,;!?。，；！？、\n]|[.:](?=\s|$)")
_DATE = re.compile(
    r"\b\d{1,2}(?:\.|st|nd|rd|th)? (?:de |of )?[^\W\d]{3,12},? (?:de )?[12]\d{3}\b"
    r"|\b[^\W\d]{3,12} \d{1,2},? [12]\d{3}\b|\b[12]\d{3}-\d\d(?:-\d\d)?\b"
    r"|[12]\d{3}年(?:\d{1,2}月)?(?:\d{1,2}日)?|\b[12]\d{3}\b"
)
_NUMBER = re.compile(r"\d[\d.,:-]*")
_FENCED = re.compile(r"^[ \t]{0,3}(```+|~~~+).*?(?:^[ \t]{0,3}\1|\Z)", re.M | re.S)
_ELEMENT = re.compile(r"<([A-Za-z][\w-]{0,40})\b[^<>]{0,200}>.*?(?:</\1\s*>|\Z)", re.S)
_QUOTED = re.compile(
    r'"[^"]*(?:"|\Z)|[“„][^“”„]*(?:[“”]|\Z)|[«»][^«»]*(?:[«»]|\Z)|‘[^‘’]*(?:’|\Z)'
    r"|「[^「」]*(?:」|\Z)|『[^『』]*(?:』|\Z)|《[^《》]*(?:》|\Z)|(?<!\w)'[^'\n]*'(?!\w)"
)
_ANNOUNCED = re.compile(r"(?:(?<=:)\s|(?<=：))[^.!?。！？]+")
_SET_OFF = re.compile(r"^(?:>|\|| {4}|\t).*", re.M)
# What leads a paste: a line that ends in a colon, or begins with a label, a time or a bracket.
_LEAD = re.compile(
    r"^.*[:：][ \t]*\n|^[ \t]*(?:[^\s:：][^\n:：]{0,40}[:：](?!//)[ \t]?\S|[\[({<#*/]|\d\d?[:.]\d\d"
    r"|\d{4}-|\w{3} +\d\d? \d\d:).*",
    re.M,
)


def own_words(text: str) -> str:
    """Return what of a user's message is said by the user: without fences, elements, quotes and
    set off lines, and of several lines without those from the first on that leads a paste."""
    for foreign in (_FENCED, _ELEMENT, _QUOTED, _SET_OFF):
        text = foreign.sub(" . ", text)
    lead = _LEAD.search(text) if "\n" in text.strip() else None
    if lead is not None:
        text = text[: lead.end() if lead[0].rstrip().endswith((":", "：")) else lead.start()]
    return _ANNOUNCED.sub(" . ", text)


class Ground:
    """The user's own words of a stretch of conversation, which facts may rest on."""

    def __init__(self, messages: Iterable[str]) -> None:
        clauses = [one for text in messages for one in _CLAUSE_END.split(own_words(text))]
        self._said = "\n".join(clauses)
        self._terms = _terms(self._said)
        self._denied = _terms("\n".join(filter(_denies, clauses)))
        self._stated = _terms("\n".join(one for one in clauses if not _denies(one)))

    def bears(self, fact: str) -> bool:
        """Say whether a fact is no question and in the script of these words, more than half of the
        letters of its telling words stand in theirs, and so do its numbers that are no dates. What
        denies something rests on a clause that does so too, and what does not, on others alone."""
        bare, denies = _DATE.sub(" ", _AUTHORS.sub(" ", fact)), _denies(fact)
        ground = self._terms if denies else self._stated
        found = total = 0
        for word in _SPACE.split(bare):
            if (plain := word.strip(_SIGNS).lower()) in _AUTHOR or plain in NOT_TELLING:
                continue
            for form in index_terms(word, analyzer=_ANALYZER).said:
                weight = len(form) - 1  # a character of Han alone tells nothing
                total += weight
                forms = (form, *index_terms(form, analyzer=_ANALYZER).further)
                found += weight * (not ground.isdisjoint(forms))
        if denies and self._denied.isdisjoint(_terms(bare)):
            return False
        numbers = {one.strip(".,:-") for one in _NUMBER.findall(bare)}
        return (
            not fact.rstrip().endswith(("?", "？"))
            and found > _LEAST * total
            and all(re.search(rf"(?<!\d){re.escape(one)}(?!\d)", self._said) for one in numbers)
            and are_in_one_script(self._said, fact)
        )


def _denies(text: str) -> bool:
    return not _NEGATIONS.isdisjoint(said_in(text))


def _terms(text: str) -> frozenset[str]:
    listed = index_terms(text, analyzer=_ANALYZER)
    return frozenset((*listed.said, *listed.further))
