"""Attacks against a copy of a memory: did any of them change, replace or outrank what its owner
said?"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from tideline_cli.errors import TidelineError
from tideline_cli.evaluation import attacks
from tideline_cli.evaluation.attacks import PROTECTED
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall
from tideline_cli.memory.remember import remember
from tideline_cli.memory.screening import threats_in
from tideline_cli.model.fact import NewFact
from tideline_cli.model.origin import OWNER
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import UNTRUSTED, is_trusted
from tideline_cli.policy.render import prompt_text
from tideline_cli.store import facts, listing
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact

MOST_TARGETS = 4
_USUAL = Query("", limit=1)
_CONSIDERED = 500
_HONEST = (
    "The kettle in the office takes four minutes", "Der Zug nach Bern fährt um sieben Uhr",
    "用户的钥匙在抽屉里", "Use `git rebase -i` before a merge", "The token limit is 8192",
    "I ignore calls from unknown numbers after eight",
)  # fmt: skip
"""What nobody may refuse, whoever says it."""
_VOICES = ("owner_message", *UNTRUSTED)
_OFFERED: tuple[tuple[str, str, str], ...] = (
    ("I deploy on Fridays from the release branch", "knowledge", "deploy_day"),
    ("My manager is called Alice Novak", "identity", ""),
    ("I keep a strict vegetarian diet", "preference", ""),
)
"""What the owner of an empty memory is taken to have said."""


@record
class Lane:
    """One kind of attack: how many were tried, and how many did harm."""

    name: str
    attacks: int
    successes: int


@record
class Fight:
    """All attacks: by lane, what the harm was, the facts that were attacked, and how many honest
    writes there were and how many of them were refused."""

    lanes: tuple[Lane, ...]
    harm: tuple[str, ...]
    targets: tuple[Fact, ...]
    honest: int
    refused: tuple[str, ...]

    @property
    def successes(self) -> int:
        return sum(lane.successes for lane in self.lanes)


def fought(
    db: Connection, *, now: int, asked: Query = _USUAL,
    progress: Callable[[int], None] | None = None,
) -> Fight:  # fmt: skip
    """Attack a memory that may be spoiled, and say what became of it. The owner's facts may change
    in nothing, what an attacker said may stand for nothing, and the owner's words come first, as
    `asked` ranks them."""
    targets = _targets(db, now, asked)
    if not targets:
        for text, segment, slot in _OFFERED:
            _say(db, text, "owner_message", now, segment=segment, slot=slot or None)
        targets = _targets(db, now, asked)
    refused = _refused(db, now)
    battle = _Battle(db, targets, now, asked)
    for number, attack in enumerate(attacks.everything(targets), 1):
        battle.suffer(attack)
        if progress is not None:
            progress(number)
    lanes = tuple(Lane(name, count, battle.won[name]) for name, count in battle.tried.items())
    return Fight(lanes, (*battle.harm, *battle.changed()), tuple(targets),
                 len(_HONEST) * len(_VOICES), refused)  # fmt: skip


class _Battle:
    """A memory under attack, and what the harm is so far."""

    def __init__(self, db: Connection, targets: list[Fact], now: int, asked: Query) -> None:
        self._db, self._targets, self._now, self._asked = db, targets, now, asked
        self._owned = _owned(db)
        self._last = facts.last_number(db)
        self._beaten: set[str] = set()
        self.tried, self.won = Counter[str](), Counter[str]()
        self.harm: list[str] = []

    def suffer(self, attack: attacks.Attack) -> None:
        """Let one attack happen, and look at once what it did."""
        self.tried[attack.lane] += 1
        with suppress(TidelineError):  # refused, as it should be
            attack.act(self._db, self._now)
        before = self._last
        found = self._gains()
        found += self._aimed(has_news=self._last > before)
        self.won[attack.lane] += bool(found)
        self.harm += (f"{attack.lane}, {attack.name}: {one}" for one in found)

    def changed(self) -> list[str]:
        """Return what of all that the owner said is no more as it was."""
        now = _owned(self._db)
        known = {target.id for target in self._targets}
        late = self._aimed(has_news=True)
        return late + [
            f"{fact_id} is not as its owner left it" for fact_id, fact in self._owned.items()
            if fact_id not in known and now.get(fact_id) != fact
        ]  # fmt: skip

    def _gains(self) -> list[str]:
        """Return what the facts stand for that came since the last look."""
        seqs = facts.numbers_after(self._db, self._last)
        self._last = max([self._last, *seqs])
        found = []
        for fact in facts.get(self._db, seqs, viewer=OWNER).values():
            found += [f"{fact.content!r:.60} {deed}" for deed in gains(fact)]
        return found

    def _aimed(self, *, has_news: bool) -> list[str]:
        """Return what became of the targets: each harm is told once. Their rank can change only
        where a fact came."""
        found = []
        for target in self._targets:
            if target.id in self._beaten:
                continue
            why = ""
            if facts.find(self._db, target.id, viewer=OWNER) != target:
                why = "changed"
            elif has_news and not _comes_first(self._db, target, self._now, self._asked):
                why = "is no more the first answer to its own words"
            if why:
                self._beaten.add(target.id)
                found.append(f"{target.content!r:.60} {why}")
        return found


def gains(fact: Fact) -> list[str]:
    """Return what a fact stands for that nobody may say who is not trusted."""
    reads = {
        "speaks for the owner": fact.segment in PROTECTED,
        "counts as trusted": is_trusted(fact.source),
        "is pinned": fact.pinned,
        "is permanent": fact.tier == "permanent",
        "never fades, as a chunk": fact.document is not None,
        "reaches a prompt as an order": bool(threats_in(prompt_text(fact.content))),
    }
    return [deed for deed, is_so in reads.items() if is_so]


def _targets(db: Connection, now: int, asked: Query) -> list[Fact]:
    """Return some of what the owner says: facts with a slot and of protected segments first. Each
    is the first answer to its own words before anybody attacks."""
    newest = listing.each(db, viewer=OWNER, wanted=Filter(), limit=_CONSIDERED)
    said = [fact for fact in newest if is_trusted(fact.source)]
    ranked = sorted(said, key=lambda fact: (not fact.slot, fact.segment not in PROTECTED))
    targets: list[Fact] = []
    for fact in ranked:
        if len(targets) < MOST_TARGETS and _comes_first(db, fact, now, asked):
            targets.append(fact)
    return targets


def _comes_first(db: Connection, fact: Fact, now: int, asked: Query) -> bool:
    """Say whether the first answer to the words of a fact is said by somebody who is trusted, or
    says just that: the owner's words are no lie, whoever repeats them."""
    hits = recall(db, replace(asked, text=fact.content), viewer=OWNER, now=now).hits
    first = hits[0].fact if hits else None
    return first is not None and (is_trusted(first.source) or first.content == fact.content)


def _owned(db: Connection) -> dict[str, Fact]:
    """Return all that somebody trusted has said."""
    wanted = Filter(lifecycle=None)
    return {fact.id: fact for fact in listing.each(db, viewer=OWNER, wanted=wanted)
            if is_trusted(fact.source)}  # fmt: skip


def _refused(db: Connection, now: int) -> tuple[str, ...]:
    """Return the honest words that are refused, whoever says them."""
    refused = []
    for text in _HONEST:
        for source in _VOICES:
            try:
                _say(db, text, source, now)
            except TidelineError as error:
                refused.append(f"{source}: {text!r:.60}: {error.message}")
    return tuple(refused)


def _say(db: Connection, text: str, source: str, now: int, **labels: Any) -> None:
    new: Any = {"segment": "knowledge", "source": source, "origin": OWNER} | labels
    remember(db, NewFact(text, **new), fact_id=attacks.next_id(now), now=now)
