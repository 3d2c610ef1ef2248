"""What a shell offers for a value when TAB is pressed: `tideline __complete KIND:START [WORD…]`.

Prints a line for each value, what it is behind a tab; nothing at all where anything is amiss. The
WORDs are those before the cursor, as they stand in the line.
"""

from __future__ import annotations

import os
import sys
from time import perf_counter

from tideline_cli.cli.options import GlobalOptions
from tideline_cli.cli.session import Session
from tideline_cli.model.origin import parse_origin
from tideline_cli.policy.render import screen_text
from tideline_cli.store import SERVERS, suggestions
from tideline_cli.store.suggestions import peek
from tideline_cli.vector.embedders.names import KINDS as LEARNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Literal

    from apsw import Connection

    from tideline_cli.model.origin import Origin
    Offer = tuple[str, str]

_PATIENCE = 0.4  # seconds
_LONGEST = 200  # characters of a value
_ABOUT = 60  # characters that say what it is
_TAKEN = ("--db", "--origin", "--scope")
_EXPANDED = frozenset("$`")  # what the shell would put there is not known


def run(words: Sequence[str]) -> int:
    """Print what completes the word that is being typed; return 0 whatever happens."""
    told = sys.stderr
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            sys.stderr = nowhere
            kind, _, start = words[0].partition(":")
            with _Line(words[1:]) as line:
                found = _offered(kind, _bare(start), line)
        lines = (f"{value}\t{about}\n" for value, about in found if _can_be_typed(value))
        sys.stdout.write("".join(lines))
        sys.stdout.flush()
    except Exception:  # noqa: BLE001, S110  a prompt is being typed, and nobody to tell
        pass
    finally:
        sys.stderr = told
    return 0


def _can_be_typed(value: str) -> bool:
    """Say whether the terminal's encoding has each letter: an escape would be another value."""
    try:
        value.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class _Line:
    """What the words before the cursor say of the memory, its viewer and the scopes."""

    def __init__(self, words: Sequence[str]) -> None:
        self._began = perf_counter()
        self._left: list[Callable[[], object]] = []  # what ends the look
        self.words = [_bare(word) for word in words]
        given = _given(self.words)
        if any(_EXPANDED & set(value) for value in given.values()):
            raise ValueError("what the shell makes of it is not known")
        self._scope = given.get("--scope")
        # The older spellings of origins, which `Session` would look up, are not worth an opening.
        self._origin = given.get("--origin") or os.environ.get("TIDELINE_ORIGIN")
        if self._origin:
            parse_origin(self._origin)
        self._session = Session(
            GlobalOptions(db=given.get("--db"), origin=self._origin, json=True, quiet=True,
                          no_input=True, no_pager=True)
        )  # fmt: skip

    @property
    def viewer(self) -> Origin:
        return parse_origin(self._origin or self._session.config.get("origin"))

    @property
    def scopes(self) -> tuple[str | None, ...] | None:
        everything = "--all-scopes" in self.words
        return self._session.scopes(self._scope, everything=everything)

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        while self._left:
            self._left.pop()()

    def memory(self) -> Connection | None:
        path = self._session.database
        if not path.startswith(SERVERS):
            return peek(path, is_over=self._is_over)
        from tideline_cli.store import opening, remote  # noqa: PLC0415  no file

        bound = remote.within(_PATIENCE - (perf_counter() - self._began))
        bound.__enter__()
        self._left.append(bound.__exit__)
        db = opening.open_for_reading(path)
        if db is not None:
            self._left.append(db.close)
        return db

    def _is_over(self) -> bool:
        return perf_counter() - self._began > _PATIENCE


def _given(words: Sequence[str]) -> dict[str, str]:
    """Return the options that say where to look."""
    found: dict[str, str] = {}
    for at, word in enumerate(words):
        if word == "--":
            break
        flag, equals, value = word.partition("=")
        if flag in _TAKEN and (equals or at + 1 < len(words)):
            found[flag] = value if equals else words[at + 1]
    return found


def _bare(word: str) -> str:
    """Return a word without the quotes and backslashes of a shell; a quote may be open."""
    if not ("\\" in word or '"' in word or "'" in word):
        return word
    kept: list[str] = []
    quote = ""
    chars = iter(word)
    for char in chars:
        if char == "\\" and quote != "'":
            kept.append(next(chars, ""))
        elif char == quote:
            quote = ""
        elif char in "\"'" and not quote:
            quote = char
        else:
            kept.append(char)
    return "".join(kept)


def _offered(kind: str, start: str, line: _Line) -> list[Offer]:
    """Return what can be typed safely, and what it is, within bounds."""
    found = [
        (value, _described(about))
        for value, about in KINDS[kind](start, line)
        if value.isprintable() and 0 < len(value) <= _LONGEST
    ]
    return found[: suggestions.MOST]


def _described(about: str) -> str:
    text = screen_text(" ".join(about.split()))
    return text if len(text) <= _ABOUT else text[: _ABOUT - 1] + "…"


def _slots(start: str, line: _Line) -> Iterable[Offer]:
    db = line.memory()
    return suggestions.slots(db, start, viewer=line.viewer, scopes=line.scopes) if db else []


def _tags(start: str, line: _Line) -> Iterable[Offer]:
    db = line.memory()
    if db is None:
        return []
    found = suggestions.tags(db, start, viewer=line.viewer, scopes=line.scopes)
    return [(tag, _many(count, "fact")) for tag, count in found]


def _counted(
    start: str, line: _Line, column: Literal["scope", "session", "document"], one: str = "fact"
) -> Iterable[Offer]:
    db = line.memory()
    if db is None:
        return []
    scopes = None if column == "scope" else line.scopes
    found = suggestions.counted(db, column, start, viewer=line.viewer, scopes=scopes)
    return [(name, _many(count, one)) for name, count in found]


def _frequent(start: str, line: _Line, column: Literal["speaker", "agent"]) -> Iterable[Offer]:
    db = line.memory()
    if db is None:
        return []
    found = suggestions.frequent(db, column, start, viewer=line.viewer, scopes=line.scopes)
    return [(name, _many(count, "fact")) for name, count in found]


def _ids(start: str, line: _Line, states: Sequence[bool]) -> list[Offer]:
    """Return facts by their endings, as tables show them; where an ending is not enough, or is not
    what was typed, by the whole id. What is on the line already is not offered again."""
    db = line.memory()
    if db is None:
        return []
    viewer, part = line.viewer, start.removeprefix("…").upper()
    found: dict[str, str] = {}
    for is_active in states:
        if part:
            found |= suggestions.named(db, part, viewer=viewer, is_active=is_active)
        else:
            found |= suggestions.newest(db, viewer=viewer, is_active=is_active)
    endings = {fact_id: fact_id[-suggestions.ENDING :] for fact_id in found}
    shared = suggestions.shared(db, endings.values(), viewer=viewer)
    short = {
        fact_id: ending if shared is not None and ending not in shared else fact_id
        for fact_id, ending in endings.items()
    }
    taken = {word.removeprefix("…").upper() for word in line.words}
    return [
        (short[fact_id] if short[fact_id].startswith(part) else fact_id, text)
        for fact_id, text in found.items()
        if not {fact_id, endings[fact_id]} & taken
    ]


def _batches(start: str, line: _Line) -> Iterable[Offer]:
    db = line.memory()
    if db is None or not (start.isdigit() or not start):
        return []
    from tideline_cli.cli.commands import undo  # noqa: PLC0415  one kind of many

    return undo.batch_offers(db, start, viewer=line.viewer)


def _settings(start: str, line: _Line) -> Iterable[Offer]:
    from tideline_cli.cli.commands import config  # noqa: PLC0415  one kind of many

    return config.setting_offers(start, line.words, lambda: _counted(start, line, "scope"))


def _many(count: int, one: str) -> str:
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def _embedders(start: str, line: _Line) -> Iterable[Offer]:  # noqa: ARG001  a shape
    names = [("hrr-256", "no model"), *((name, kind.summary) for name, kind in LEARNED.items())]
    return [one for one in names if one[0].startswith(start)]


KINDS: dict[str, Callable[[str, _Line], Iterable[Offer]]] = {
    "slot": _slots, "tag": _tags,
    "scope": lambda start, line: _counted(start, line, "scope"),
    "session": lambda start, line: _counted(start, line, "session"),
    "document": lambda start, line: _counted(start, line, "document", "chunk"),
    "speaker": lambda start, line: _frequent(start, line, "speaker"),
    "agent": lambda start, line: _frequent(start, line, "agent"),
    "active": lambda start, line: _ids(start, line, (True,)),
    "archived": lambda start, line: _ids(start, line, (False,)),
    "id": lambda start, line: _ids(start, line, (True, False)),
    "batch": _batches, "setting": _settings, "embedder": _embedders,
}  # fmt: skip
"""What completes a value of each kind; `completes` of an option or an argument names one."""
