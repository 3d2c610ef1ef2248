"""What is known in a transaction: answers of statements that were sent ahead, by their texts and
values; rows by the numbers of facts; and what answers others that were not sent at all."""

from __future__ import annotations

import re

from tideline_cli.store import SETTING
from tideline_cli.store.postgres import by_number
from tideline_cli.store.postgres.cursor import Cursor
from tideline_cli.store.postgres.packed_rows import rows_of_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from tideline_cli.store.postgres.by_number import ByNumber
    from tideline_cli.store.postgres.driver import ServerAnswer
    from tideline_cli.store.postgres.server import ServerConnection

    Row = tuple[Any, ...]
    Rows = list[Row]
    Key = tuple[str, tuple[object, ...]]
    Filler = Callable[[Sequence[Any]], Rows | None]
    Filling = Callable[[Rows], Mapping[str, Filler]]

SETTINGS = "SELECT name, value FROM setting"
GENERATION = "SELECT value FROM setting WHERE name = 'generation'"
_NAMED = f"{SETTINGS} WHERE name IN ("
_WRITTEN = re.compile(r"\s*(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) (\w+)")
# The tables of which a change changes no other one that is asked for ahead, and the words that
# stand in what asks for them.
_OF_FACTS = re.compile(
    r"\b(?:fact|link|usage|posting\w*|indexed_term|census|arrival|tally|archived_term|lapsed"
    r"|lapsed_term|change|unpaired|batch_count|label_term|matching|fact_\w+)\b"
)
_ALONE = {
    "batch": ("batch",), "batch_count": ("batch",), "usage": ("usage", "change"),
    "score_bound": ("score_bound",), "given": ("given",), "vector_chunk": ("vector",),
    "vector_progress": ("vector",), "setting": ("setting",),
}  # fmt: skip
# Those of which triggers change what stands in _OF_FACTS.
_TRIGGERING = frozenset(("fact", "link", "label_term"))


def written(sql: str) -> str:
    """Return the table that a statement writes, empty for one that may write any."""
    found = _WRITTEN.match(sql)
    return found[1] if found else ""


def asks_settings(sql: str) -> bool:
    """Say whether a statement asks for settings by name."""
    return sql in (SETTING, GENERATION) or sql.startswith(_NAMED)


def of_settings(held: Mapping[str, str], sql: str, bindings: Sequence[Any]) -> Rows | None:
    """Return the rows of a statement that asks for settings by name, None for any other."""
    if sql.startswith(_NAMED):
        return [(name, held[name]) for name in bindings if name in held]
    if not asks_settings(sql):
        return None
    name = bindings[0] if sql == SETTING else "generation"
    return [(held[name],)] if name in held else []


class NotYetError(Exception):
    """What a statement answers is not there yet."""


class Ahead(Cursor):
    """What a statement gave that was sent ahead; `rows` is None until then."""

    rows: Rows | None = None

    def take(self, answer: ServerAnswer) -> None:
        """Take the answer of the server."""
        super().take(answer)
        self.rows = self._rows


class Packed(Ahead):
    """The same, of rows that come as one text."""

    def take(self, answer: ServerAnswer) -> None:
        """Take the answer of the server."""
        super().take(answer)
        self.rows = rows_of_text(self._rows[0][0])


class Read(Cursor):
    """Rows that are known: reading them asks nothing."""

    def __init__(self, db: ServerConnection, rows: Rows) -> None:
        super().__init__(db)
        self._rows = rows

    def __iter__(self) -> Iterator[Row]:
        rows, self._at = self._rows[self._at :], len(self._rows)
        return iter(rows)

    def fetchone(self) -> Row | None:
        """Return the next row, None behind the last."""
        self._at += 1
        return self._rows[self._at - 1] if self._at <= len(self._rows) else None


class Pending(Cursor):
    """Rows that come later."""

    def __iter__(self) -> Iterator[Row]:
        raise NotYetError


class KnownAnswers:
    """What was sent ahead in a transaction, and what it said.

    `answers` are by the text of a statement and its values, `lists` the lists of numbers that the
    server has found, `coming` and `filling` what is not there yet.
    """

    def __init__(self) -> None:
        self.answers: dict[Key, Ahead] = {}
        self.lists: dict[int, Ahead] = {}
        self.coming: list[tuple[ByNumber, Ahead]] = []
        self.filling: list[tuple[Ahead, Filling, frozenset[str]]] = []
        self._rows: dict[Key, dict[int, Row | None]] = {}
        self._fillers: dict[str, Filler] = {}

    def comes(self, sql: str, bindings: Sequence[Any], asked: ByNumber | None) -> bool:
        """Say whether what may answer a statement waits to be sent."""
        answer = self.answers.get((sql, tuple(bindings)))
        if (answer is not None and answer.rows is None) or self.will_fill(sql):
            return True
        return asked is not None and any(asked.key == one.key for one, _ in self.coming)

    def will_fill(self, sql: str) -> bool:
        """Say whether a statement may be answered by what waits to be sent."""
        return any(sql in texts for *_, texts in self.filling)

    def rows(self, sql: str, bindings: Sequence[Any], asked: ByNumber | None) -> Rows | None:
        """Return the rows of a statement, None where they are not known."""
        answer = self.answers.get((sql, tuple(bindings)))
        if answer is not None and answer.rows is not None:
            return answer.rows
        filler = self._fillers.get(sql)
        rows = filler(tuple(bindings)) if filler else None
        return self.picked(asked) if rows is None and asked is not None else rows

    def picked(self, asked: ByNumber) -> Rows | None:
        """Return the rows of a statement by number, None where one is not known."""
        if not asked.numbers:
            return []
        held = self._rows.get(asked.key)
        if held is None or not all(number in held for number in asked.numbers):
            return None
        rows = (held[number] for number in sorted(set(asked.numbers)))
        return [row for row in rows if row is not None]

    def keep(self, asked: ByNumber, rows: Rows) -> None:
        """Keep the rows of a statement by number."""
        number = asked.list_number
        numbers = asked.numbers if number is None else self._listed(number)
        held = self._rows.setdefault(asked.key, {})
        held.update(dict.fromkeys(numbers))
        held.update((row[0], row) for row in rows)

    def _listed(self, number: int) -> list[int]:
        rows = self.lists[number].rows or []
        return [int(one) for one in (rows[0][0] or "{}")[1:-1].split(",") if one]

    def settle(self) -> None:
        """Keep what has come with a round trip."""
        coming, self.coming = self.coming, []
        for asked, cursor in coming:
            self.keep(asked, cursor.rows or [])
        filling, self.filling = self.filling, []
        for cursor, filled, _ in filling:
            self._fillers.update(filled(cursor.rows or []))

    def forget_of(self, table: str) -> None:
        """Forget what a change of a table may change."""
        words = _ALONE.get(table)
        if words is None and table not in _TRIGGERING:
            self.clear()
            return

        def is_changed(sql: str) -> bool:
            if words is None:
                return _OF_FACTS.search(sql) is not None
            return any(word in sql for word in words)

        self.coming.clear()
        self.filling.clear()
        for keyed in (self.answers, self._rows):
            for key in [key for key in keyed if is_changed(key[0])]:
                keyed.pop(key)
        for sql in [sql for sql in self._fillers if is_changed(sql)]:
            self._fillers.pop(sql)

    def clear(self) -> None:
        """Forget everything."""
        for known in (self.answers, self.lists, self.coming, self.filling, self._rows,
                      self._fillers):  # fmt: skip
            known.clear()


def standing_for(number: int) -> int:
    """Return the number of a fact that stands for a list of the server's."""
    return by_number.FOUND + number
