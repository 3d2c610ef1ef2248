"""Questions with known answers: a line of a gold file, and which facts it means."""

from __future__ import annotations

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.importer import cells
from tideline_cli.model.record import record
from tideline_cli.store import facts, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

_TEXT = ("query", "question", "text")
_ID = ("id", "_id", "qid", "query_id")
_ANSWER = ("answers", "answer")
KEYS = frozenset((*_TEXT, *_ID, *_ANSWER, "ids", "gold", "origin", "now", "category", "says", "by"))
_LONGEST = 8192
_LEAST_PART = 8  # characters of an answer that may be a part of a fact


@record
class Case:
    """A question. `gold` says what answers it: ids of facts, or what their source_turn says, each
    with how much it is worth; one without gold is to be answered by nothing. `archived` counts the
    answers that are archived, so that no recall finds them; `unknown` are names of the gold that
    no fact has."""

    id: str
    text: str
    gold: dict[str, float]
    origin: Origin
    now: int
    category: str = ""
    archived: int = 0
    unknown: tuple[str, ...] = ()


@record
class LeftOut:
    """A line that cannot be asked, and why."""

    line: int
    message: str


class Gold:
    """The questions of a file, in order; what cannot be asked; and keys that mean nothing here."""

    def __init__(self) -> None:
        self.questions: list[Case] = []
        self.left_out: list[LeftOut] = []
        self.ignored: set[str] = set()


def read(
    rows: Iterable[tuple[int, Mapping[str, Any] | TidelineError]], db: Connection, *,
    viewer: Origin, origin_of: Callable[[str], Origin], now: int,
) -> Gold:  # fmt: skip
    """Return the questions of the rows, each with the facts that it means."""
    found, texts = Gold(), dict[object, _Known]()
    for number, row in rows:
        try:
            if isinstance(row, TidelineError):
                raise row
            question = _question(row, number, db, texts, viewer, origin_of, now)
        except TidelineError as error:
            found.left_out.append(LeftOut(number, error.message))
            continue
        found.ignored |= row.keys() - KEYS
        found.questions.append(question)
    return found


def _question(
    row: Mapping[str, Any], number: int, db: Connection, texts: dict[object, _Known],
    viewer: Origin, origin_of: Callable[[str], Origin], now: int,
) -> Case:  # fmt: skip
    text = _first(row, _TEXT)
    if not isinstance(text, str) or not text.strip():
        raise UsageError('no question: give "query"')
    if len(text) > _LONGEST:
        raise UsageError(f"the question is longer than {_LONGEST:,} characters")
    origin = _origin(row, viewer, origin_of)
    asked_at = cells.instants(row, "now", now)
    gold, archived, unknown = _gold(row, db, texts, origin)
    named = _first(row, _ID)
    return Case(
        str(number if named is None else named), text, gold, origin,
        now if asked_at is None else asked_at, str(row.get("category") or ""), archived, unknown,
    )  # fmt: skip


def _origin(row: Mapping[str, Any], viewer: Origin, origin_of: Callable[[str], Origin]) -> Origin:
    named = row.get("origin")
    if named is None:
        return viewer
    if not isinstance(named, str):
        raise UsageError("origin is not a text")
    origin = origin_of(named)
    if origin != viewer and not viewer.is_owner:
        raise UsageError("only the owner may ask for another origin")
    return origin


def _gold(
    row: Mapping[str, Any], db: Connection, texts: dict[object, _Known], origin: Origin
) -> tuple[dict[str, float], int, tuple[str, ...]]:
    """Return what answers a question, how many of the facts are archived, and what names none.
    `ids` are facts by id, `answers` facts by their text, `gold` either an id or a source_turn."""
    gains = _gains(row, "gold")
    if origin not in texts:
        texts[origin] = _Known(db, origin)
    states = [texts[origin].state(name) for name in gains]
    archived = states.count("archived")
    unknown = tuple(name for name, state in zip(gains, states, strict=True) if not state)
    for reference, gain in _gains(row, "ids").items():
        fact = facts.find(db, reference, viewer=origin)
        gains[fact.id] = gain
        archived += fact.lifecycle != "active"
    spoken = _first(row, _ANSWER)
    for text in [spoken] if isinstance(spoken, str) else spoken or ():
        if not isinstance(text, str):
            raise UsageError("an answer is not a text")
        fact_id, is_active = texts[origin].of(text)
        gains[fact_id] = 1.0
        archived += not is_active
    if not (gains or "gold" in row or "ids" in row or spoken is not None):
        raise UsageError('no answer: give "ids", "answers" or "gold"; [] says that there is none')
    if unknown and len(unknown) == len(gains):
        raise UsageError(f"no fact has the id or the source_turn {unknown[0]!r:.60}")
    return gains, archived, unknown


_EVERYTHING = facts.Filter(lifecycle=None)


def _gains(row: Mapping[str, Any], name: str) -> dict[str, float]:
    """Return the answers that a key names, each with its worth; those worth nothing are none."""
    value = row.get(name)
    if value is None:
        return {}
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return dict.fromkeys(value, 1.0)
    if not isinstance(value, dict):
        raise UsageError(f"{name} is neither a list of texts nor an object with numbers")
    found: dict[str, float] = {}
    for key, gain in value.items():
        if isinstance(gain, bool) or not isinstance(gain, (int, float)) or not -1e9 < gain < 1e9:
            raise UsageError(f"{name}: the worth of {key!r:.40} is not a number")
        if gain > 0:
            found[key] = float(gain)
    return found


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


class _Known:
    """The facts of an origin by their names and by their text: the active ones before the others.
    Each is read when it is first asked for."""

    def __init__(self, db: Connection, origin: Origin) -> None:
        self._db, self._origin = db, origin
        self._names: dict[str, str] | None = None
        self._by_text: dict[str, list[tuple[str, bool]]] | None = None

    def state(self, name: str) -> str:
        """Return whether the fact with an id or a source_turn is active, or else archived; nothing
        where there is none."""
        if self._names is None:
            self._names = {}
            for fact in self._each():
                for one in (fact.id, fact.source_turn):
                    if one is not None and self._names.get(one) != "active":
                        self._names[one] = "active" if fact.lifecycle == "active" else "archived"
        return self._names.get(name, "")

    def _each(self) -> Iterator[Fact]:
        return listing.each(self._db, viewer=self._origin, wanted=_EVERYTHING)

    def _texts(self) -> dict[str, list[tuple[str, bool]]]:
        if self._by_text is None:
            self._by_text = {}
            for fact in self._each():
                is_active = fact.lifecycle == "active"
                self._by_text.setdefault(_plain(fact.content), []).append((fact.id, is_active))
        return self._by_text

    def of(self, text: str) -> tuple[str, bool]:
        """Return the id of the fact that says a text, or of the only one that holds it; and
        whether it is active."""
        plain = _plain(text)
        by_text = self._texts()
        same = by_text.get(plain)
        if same is None and len(plain) >= _LEAST_PART:
            same = [one for key, some in by_text.items() if plain in key for one in some]
        best = [one for one in same or () if one[1]] or same or []
        if not best:
            raise UsageError(f"no fact says {text!r:.60}")
        if len(best) > 1:
            raise UsageError(f'{len(best):,} facts say {text!r:.60}: name one by "ids"')
        return best[0]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
