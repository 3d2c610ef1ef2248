"""Whether a distilled fact rests on words of the user's own. Pure.

A model that is shown a conversation may word what a pasted page says, what the assistant guessed,
or what it knows itself. Words tell: what nobody said, the user has not said.
"""

from __future__ import annotations

import re

from tideline_cli.model.forms.stems import LANGUAGES
from tideline_cli.model.text import WITH_FORMS, index_terms
from tideline_cli.policy.salience import are_in_one_script, correcting
from tideline_cli.policy.statements import NEGATIONS, NOT_TELLING, said_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

UNGROUNDED = "not said in words of the user's own"
_LEAST = 0.5  # of the telling words of a fact
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
_CLAUSE_END = re.compile(r"[,;!?。，；！？、\n]|[.:](?=\s|$)|\s(?:and|und|et|y)\s")
_DATE = re.compile(
    r"\b\d{1,2}(?:\.|st|nd|rd|th)? (?:de |of )?[^\W\d]{3,12},? (?:de )?[12]\d{3}\b"
    r"|\b[^\W\d]{3,12} \d{1,2},? [12]\d{3}\b|\b[12]\d{3}-\d\d(?:-\d\d)?\b"
    r"|[12]\d{3}年(?:\d{1,2}月)?(?:\d{1,2}日)?|\b[12]\d{3}\b"
)
_NUMBER = re.compile(r"\d[\d.,:-]*")
_HAN = "\u2e80"
# Behind these and a word a colon leads what the user says: my preferences.
_MY = re.compile(
    r"((?:^|[.!?。！？])\s*(?:(?:my|our|meine?|unsere?|m(?:on|a|es)|notre|nos|mis?|nuestr[oa]s?)\s+\w+"
    r"|我们?的\w{1,3}))\s*[:：]\s*",
    re.I | re.M,
)
ASKS = re.compile(
    r"\b(?:(?<!do you )remember(?! when| how| if| whether| the time)|keep in mind|don['’]t forget|"
    r"do not forget|note that|for the record|merke? dir|merkt euch|denke? (?:bitte )?daran|"
    r"vergiss nicht|notiere? dir|souviens-toi|rappelle-toi|n['’]oublie pas|retiens|note que|"
    r"recuerda|acuérdate|no olvides|ten en cuenta|apunta que)\b"
    r"|记住|記住|请记得|請記得|别忘了|別忘了|覚えておいて|忘れないで|メモして|запомни",
    re.I,
)
"""What asks to remember something: what a colon leads behind it is said by who asks."""
_ASKED = re.compile(rf"({ASKS.pattern}|\bnote)\s*[:：]\s*", re.I)
_MARKED = re.compile(
    r"(?:[:：]\s*)?(?:^[ \t]{0,3}(?P<fence>```+|~~~+)[\s\S]*?(?:^[ \t]{0,3}(?P=fence)|\Z)"
    r"|<(?P<tag>[^\W\d][\w-]{0,40})\b[^<>]{0,200}>[\s\S]*?(?:</(?P=tag)\s*>|\Z)"
    r'|"[^"]*(?:"|\Z)|[“„][^“”„"]*(?:[“”"]|\Z)|[«»][^«»]*(?:[«»]|\Z)|‘[^‘’]*(?:’|\Z)'
    r"|「[^「」]*(?:」|\Z)|『[^『』]*(?:』|\Z)|《[^《》]*(?:》|\Z)|(?<!\w)'[^'\n]*'(?!\w)"
    r"|^(?:>|\|| {4}|\t).*)",
    re.M,
)
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)、])\s")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_LEAST_KEPT, _MOST_KEPT = 15, 1200  # bytes: "remember that" says nothing yet
_COLON = re.compile(r"[:：](?=\s|\Z|[^\x00-\x7f])")


def told_apart(text: str) -> tuple[str, str]:
    """Return what of a user's message is the user's own, and the rest.

    Not their own are quotes, fences, elements and set off lines; what a colon leads: the rest of
    its line, or what is below; and of three lines or more those between the first and the last. A
    list without quotes is their own.
    """
    foreign = [found[0] for found in _MARKED.finditer(text)]
    said = _MY.sub(r"\1, ", _ASKED.sub(r"\1, ", _MARKED.sub(" . ", text)))
    lines = [line for line in said.split("\n") if line.strip(" .\t")]
    own: list[str] = []
    is_led = False
    for place, line in enumerate(lines):
        if _ITEM.match(line):
            own.append(line)
        elif is_led or 0 < place < len(lines) - 1:
            foreign.append(line)
        else:
            before, *led = _COLON.split(line, maxsplit=1)
            own.append(before)
            foreign += led
            is_led = bool(led) and not led[0].strip()
    return "\n".join(own), "\n".join(foreign)


def to_keep(message: str) -> list[str]:
    """Return the sentences of the user's own that ask to remember something, or correct; none that
    asks a question."""
    own, _ = told_apart(message)
    found = (part.strip(" .\t") for part in _SENTENCE.split(own))
    return [
        one for one in found
        if _LEAST_KEPT <= len(one.encode("utf-8", "replace")) <= _MOST_KEPT
        and not one.endswith(("?", "？")) and (ASKS.search(one) or correcting(one))
    ]  # fmt: skip


class Ground:
    """The user's own words of a stretch of conversation, which facts may rest on."""

    def __init__(self, messages: Iterable[str]) -> None:
        own, foreign = zip(("", ""), *map(told_apart, messages), strict=True)
        clauses = [clause for text in own for clause in _CLAUSE_END.split(text)]
        self._said = "\n".join(clauses)
        self._terms = _terms(self._said)
        self._denied = _terms("\n".join(filter(_denies, clauses)))
        self._stated = _terms("\n".join(one for one in clauses if not _denies(one)))
        self._foreign = _terms("\n".join(foreign))

    def bears(self, fact: str) -> bool:
        """Say whether a fact is no question, in the script of these words, and says at least half
        of its telling words with them, and no fewer than with those quoted or pasted beside them.
        Its numbers that are no dates stand in them too. What denies something rests on a clause
        that does so, and what does not, on others alone."""
        bare, denies = _DATE.sub(" ", _AUTHORS.sub(" ", fact)), _denies(fact)
        words = [forms for word in _SPACE.split(bare) for forms in _telling(word)]
        own, foreign = (
            sum(not ground.isdisjoint(forms) for forms in words)
            for ground in (self._terms if denies else self._stated, self._foreign)
        )
        if denies and self._denied.isdisjoint(_terms(bare)):
            return False
        numbers = {one.strip(".,:-") for one in _NUMBER.findall(bare)}
        return (
            not fact.rstrip().endswith(("?", "？"))
            and own >= max(1, foreign, _LEAST * len(words))
            and all(re.search(rf"(?<!\d){re.escape(one)}(?!\d)", self._said) for one in numbers)
            and are_in_one_script(self._said, fact)
        )


def _telling(word: str) -> Iterator[tuple[str, ...]]:
    """Yield the forms of each term of a word; a character of Han alone tells nothing."""
    plain = word.strip(_SIGNS).lower()
    if plain in _AUTHOR or plain in NOT_TELLING:
        return
    for term in index_terms(word, analyzer=_ANALYZER).said:
        if len(term) > 1 or term < _HAN:
            yield (term, *index_terms(term, analyzer=_ANALYZER).further)


def _denies(text: str) -> bool:
    return not _NEGATIONS.isdisjoint(said_in(text))


def _terms(text: str) -> frozenset[str]:
    listed = index_terms(text, analyzer=_ANALYZER)
    return frozenset((*listed.said, *listed.further))
