"""A connection that asks for what will be asked next, in the round trip that it makes anyway.

`foresee` takes calls of functions of the store. Their statements go to the server with the next
trip, and what it says is known until something is written, or the transaction ends: the same
statement with the same values is then answered without a trip. Whatever was not foreseen is asked
as ever. So a wrong guess costs a trip, and never an answer.
"""

from __future__ import annotations

import re

import apsw

from tideline_cli.errors import TidelineError
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import WITH_FORMS
from tideline_cli.ranking.score_bounds import CODER
from tideline_cli.store import fts, journal, writes
from tideline_cli.store.connection import SETTING
from tideline_cli.store.postgres import by_number, derived, next_numbers, term_lists, values
from tideline_cli.store.postgres.packed_rows import packing, unpacked
from tideline_cli.store.postgres.server import Cursor, ServerConnection
from tideline_cli.store.visibility import NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tideline_cli.store.postgres.by_number import ByNumber
    from tideline_cli.store.postgres.libpq import ServerAnswer, Wire

    Row = tuple[Any, ...]
    Rows = list[Row]
    Key = tuple[str, tuple[object, ...]]
    Filler = Callable[[Sequence[Any]], Rows | None]

_FILLED = term_lists.FILLED | derived.FILLED
_OTHER_NUMBER = "22012"  # by a division: see `next_numbers.checked`
_SETTINGS = "SELECT name, value FROM setting"
_GENERATION = "SELECT value FROM setting WHERE name = 'generation'"
_NAMED = f"{_SETTINGS} WHERE name IN ("
_NO_CHANGE = ("BEGIN", "BEGIN ", "PRAGMA", "SAVEPO", "RELEAS")
_WRITTEN = re.compile(r"\s*(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM) (\w+)")
_ALONE = {
    "batch": ("batch",), "batch_count": ("batch",), "usage": ("usage", "change"),
    "ceiling": ("ceiling",), "given": ("given",), "vector_chunk": ("vector",),
    "vector_progress": ("vector",), "setting": ("setting",),
}  # fmt: skip
"""The tables of which a change changes no other one that is asked for ahead, and the words that
stand in what asks for them."""


class NotYetError(Exception):
    """What a statement answers is not there yet."""


class Foreseeing(ServerConnection):
    """A connection to a memory on a server.

    `guess` and `origins` are the settings and the numbers of origins as they were when the memory
    was opened, `guessed` what some statements said then: by them it is guessed what will be asked,
    and nothing is answered.
    """

    def __init__(self, wire: Wire, address: str, schema: str) -> None:
        super().__init__(wire, address, schema)
        self.is_there = False  # the tables are
        self._is_standing = False
        self.guess: Mapping[str, str] = {"analyzer": WITH_FORMS, "score_bounds": CODER}
        self.origins: Mapping[str, int] = {OWNER.key: 1}
        self.guessed: dict[Key, Rows] = {(NUMBER, (OWNER.key,)): [(1,)]}
        self.foreseen: object = None  # of what it was asked ahead what is known
        self.lags: bool | None = None  # whether many facts had no byte that bounds their score
        self.unembedded = (0, 0)  # the last fact with a vector, and the last chunk of vectors
        self.whole: Callable[[Sequence[int]], object] = _nothing
        self.likely: Callable[[], object] = _none
        self.fillers: dict[str, Filler] = {}
        self._calls: list[Callable[[], object]] = []
        self._chains: list[Callable[[], object]] = []
        self._is_noting = False
        self._is_begun = False  # the server has been told of the transaction
        self._settings: Ahead | None = None
        self._next: tuple[Ahead, int] | None = None
        self._numbers: next_numbers.NextNumbers | None = None
        self._answers: dict[Key, Ahead] = {}
        self._rows: dict[Key, dict[int, Row | None]] = {}
        self._lists: dict[int, Ahead] = {}
        self._coming: list[tuple[ByNumber, Ahead]] = []
        self._filling: list[tuple[Ahead, Callable[[Rows], Mapping[str, Filler]]]] = []

    # what is asked for ahead

    @property
    def ahead(self) -> Foreseeing:
        """The connection itself, where one can be told what comes."""
        return self

    def foresee(self, *calls: Callable[[], object]) -> None:
        """Ask for what these calls will ask, with the next trip of a transaction: of the one that
        is open, or of the next."""
        self._calls += calls
        if self._is_open and not self._has_failed:
            self._note_calls()

    def listed(self, number: int) -> int:
        """Return the number of a fact that stands for a list of the server's, in what is foreseen.
        """
        return by_number.FOUND + number

    def find_list(self, number: int, sql: str, bindings: Sequence[object]) -> None:
        """Have the server find a list of numbers of facts, by a statement for one array."""
        text = f"SELECT set_config('tideline.list_{number}', coalesce(({sql})::text, '{{}}'), true)"
        self._lists[number] = self._send_ahead(text, bindings)

    def fill(
        self, sql: str, bindings: Sequence[object],
        filled: Callable[[Rows], Mapping[str, Filler]],
    ) -> None:  # fmt: skip
        """Ask ahead by a statement of whose rows the answers to others are made."""
        self._filling.append((self._send_ahead(sql, bindings), filled))

    def follow(self, *chains: Callable[[], object]) -> None:
        """Ask for what these calls will ask, one step of each with every trip: calls that only
        read, each in its own order."""
        self._chains += chains
        self._note_chains()

    def _note_chains(self) -> None:
        """Go on with the chains as far as is known."""
        chains, self._chains = self._chains, []
        was_noting, self._is_noting = self._is_noting, True
        try:
            for chain in chains:
                try:
                    chain()
                except NotYetError:
                    self._chains.append(chain)
                except TidelineError:
                    continue  # whoever asks in earnest is told
        finally:
            self._is_noting = was_noting

    def _note_calls(self) -> None:
        calls, self._calls = self._calls, []
        was_noting, self._is_noting = self._is_noting, True
        try:
            for call in calls:
                try:
                    call()
                except NotYetError:
                    continue
        finally:
            self._is_noting = was_noting

    def _send_ahead(self, sql: str, bindings: Sequence[object]) -> Ahead:
        cursor = Ahead(self)
        self._waiting.append((self._statement(sql, bindings), cursor))
        return cursor

    def _send_packed(self, sql: str, bindings: Sequence[object]) -> Ahead:
        cursor = Packed(self)
        text, types, cells = self._statement(sql, bindings)
        self._waiting.append(((packing(text), types, cells), cursor))
        return cursor

    # what is asked

    def execute(self, sql: str, bindings: Sequence[object] = ()) -> Cursor:
        """Run a statement, or answer it by what is known."""
        if self._is_standing and not sql.startswith("BEGIN"):
            self._is_standing = False
            self._end(b"ROLLBACK")
        if not self._is_open or self._has_failed:
            return super().execute(sql, bindings)
        word = sql.lstrip()[:6].upper()
        if word != "SELECT":
            promised = self._promised(sql, bindings)
            if word not in _NO_CHANGE:
                self._forget(sql)
            if promised is not None:
                return promised
            return super().execute(sql, bindings)
        rows = self._guessed(sql, bindings) if self._is_noting else self._of_settings(sql, bindings)
        if rows is not None:
            return Read(self, rows)
        asked = by_number.parsed(sql, bindings)
        rows = self._known(sql, bindings, asked)
        if rows is not None:
            return Read(self, rows)
        if self._is_noting:
            return self._noted(sql, bindings, asked)
        if sql == fts.POSTINGS:
            return self._holders(bindings[0])
        if asked is None:
            return super().execute(sql, bindings)
        cursor = self._send_packed(sql, bindings)
        self.flush()
        self._keep(asked, cursor.rows or [])
        return Read(self, self._picked(asked) or [])

    def _holders(self, query: Any) -> Cursor:
        """Return the numbers of the facts that hold a term, which come as one value."""
        cursor = self._send_ahead(term_lists.HOLDERS, (query.strip('"'),))
        self.flush()
        packed = (cursor.rows or [(None,)])[0][0]
        return Read(self, [(seq,) for seq in term_lists.unpacked(packed)])

    def foresee_numbers(self, key: str) -> None:
        """Ask, with the next transaction, for the numbers of new rows of an origin."""
        def ask() -> None:
            if key in self.origins:
                self._next = self._send_ahead(next_numbers.NEXT, (key,)), self.origins[key]

        self._calls.append(ask)

    def _promised(self, sql: str, bindings: Sequence[Any]) -> Cursor | None:
        """Return the number of a row that is stored later on, where it is known; the server
        compares it."""
        if self._next is None or "RETURNING" not in sql:
            return None
        answer, origin = self._next
        if answer.rows is None:
            self.flush()
        if self._numbers is None:
            self._numbers = next_numbers.NextNumbers((answer.rows or [()])[0], origin)
        if sql == writes.INSERT and not self._is_free(bindings):
            return None
        found = self._numbers.promised(sql, bindings)
        if found is None:
            return None
        names, row = found
        text, types, cells = self._statement(sql, bindings)
        text = next_numbers.checked(text, names, len(cells) + 1)
        sent = [values.sent_form(value) for value in row]
        types = [*types, *(kind for kind, _ in sent)]
        cells = [*cells, *(cell for _, cell in sent)]
        self._waiting.append(((text, types, cells), None))
        return Read(self, [row[:1]])

    def _is_free(self, bindings: Sequence[Any]) -> bool:
        """Say whether no fact is known to have the id of a new one."""
        known = self._answers.get((next_numbers.TAKEN, (bindings[next_numbers.ID],)))
        return known is not None and known.rows == []

    def _send(self, some: Sequence[tuple[Statement, Cursor | None]]) -> None:
        try:
            super()._send(some)
        except apsw.SQLError as error:
            if getattr(error, "state", "") != _OTHER_NUMBER:
                raise
            raise apsw.BusyError("another writer came between; nothing was stored") from None

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> Cursor:
        """Run a statement for each of the rows."""
        if self._is_standing:
            self._is_standing = False
            self._end(b"ROLLBACK")
        self._forget(sql)
        return super().executemany(sql, rows)

    def _guessed(self, sql: str, bindings: Sequence[Any]) -> Rows | None:
        """Return what is guessed of settings and origins while calls are noted."""
        if sql == SETTING:
            value = self.guess.get(bindings[0])
            return [] if value is None else [(value,)]
        if sql.startswith(_NAMED):
            return [(name, self.guess[name]) for name in bindings if name in self.guess]
        rows = self.guessed.get((sql, tuple(bindings)))
        if rows is not None:
            self._noted(sql, bindings, None)
        return rows

    def settings(self) -> dict[str, str]:
        """Return all settings of the memory, in the transaction that is open."""
        if self._settings is None:
            self._settings = self._send_ahead(_SETTINGS, ())
        if self._settings.rows is None:
            self.flush()
        return dict(self._settings.rows or [])

    def _of_settings(self, sql: str, bindings: Sequence[Any]) -> Rows | None:
        is_one = sql == SETTING
        if self._settings is None or not (is_one or sql == _GENERATION or sql.startswith(_NAMED)):
            return None
        held = self.settings()
        if sql.startswith(_NAMED):
            return [(name, held[name]) for name in bindings if name in held]
        name = bindings[0] if is_one else "generation"
        return [(held[name],)] if name in held else []

    def _known(
        self, sql: str, bindings: Sequence[Any], asked: ByNumber | None
    ) -> Rows | None:
        """Return the rows of a statement that are known."""
        if sql == journal.OPENED and self._numbers is not None:
            row = self._numbers.opened.get(tuple(bindings))  # type: ignore[arg-type]
            return row and [row]
        answer = self._answers.get((sql, tuple(bindings)))
        is_coming = answer is not None and answer.rows is None
        is_coming = is_coming or self._comes(sql, asked)
        if is_coming and not self._is_noting:
            self.flush()
        if answer is not None and answer.rows is not None:
            return answer.rows
        filler = self.fillers.get(sql)
        rows = filler(tuple(bindings)) if filler else None
        if rows is None and asked is not None:
            rows = self._picked(asked)
        return rows

    def _comes(self, sql: str, asked: ByNumber | None) -> bool:
        """Say whether what may answer a statement is sent, or waits to be."""
        if self._filling and sql in _FILLED:
            return True
        return asked is not None and any(asked.key == one.key for one, _ in self._coming)

    def _noted(self, sql: str, bindings: Sequence[Any], asked: ByNumber | None) -> Cursor:
        """Ask ahead."""
        if asked is not None:
            number = asked.list_number
            if number is not None:
                sql, bindings = asked.of_list(number)
            self._coming.append((asked, self._send_packed(sql, bindings)))
        elif not (self._filling and sql in _FILLED):
            key = sql, tuple(bindings)
            if key not in self._answers:
                self._answers[key] = self._send_ahead(sql, bindings)
        return Pending(self)

    def _picked(self, asked: ByNumber) -> Rows | None:
        """Return the rows of a statement by number, None where one is not known."""
        if not asked.numbers:
            return []
        held = self._rows.get(asked.key)
        if held is None or not all(number in held for number in asked.numbers):
            return None
        rows = (held[number] for number in sorted(set(asked.numbers)))
        return [row for row in rows if row is not None]

    def _keep(self, asked: ByNumber, rows: Rows) -> None:
        number = asked.list_number
        numbers = asked.numbers if number is None else self._listed(number)
        held = self._rows.setdefault(asked.key, {})
        held.update(dict.fromkeys(numbers))
        held.update((row[0], row) for row in rows)

    def _listed(self, number: int) -> list[int]:
        rows = self._lists[number].rows or []
        return [int(one) for one in (rows[0][0] or "{}")[1:-1].split(",") if one]

    def flush(self) -> None:
        """Send what waits, take the answers, and keep those that were asked ahead."""
        if self._is_open and self._chains and not self._is_noting:
            self._note_chains()
        self._is_begun = True
        super().flush()
        coming, self._coming = self._coming, []
        for asked, cursor in coming:
            self._keep(asked, cursor.rows or [])
        filling, self._filling = self._filling, []
        for cursor, filled in filling:
            self.fillers.update(filled(cursor.rows or []))

    # what ends what is known

    def _forget(self, sql: str) -> None:
        """Forget what a statement may change."""
        found = _WRITTEN.match(sql)
        table = found[1] if found else ""
        if table == "setting":
            self._settings = None
        words = _ALONE.get(table)
        if words is None:
            self._forget_facts()
            return
        self._coming.clear()
        self._filling.clear()
        for known in (self._answers, self._rows, self.fillers):
            for key in [*known]:
                if any(word in (key if isinstance(key, str) else key[0]) for word in words):
                    del known[key]  # type: ignore[attr-defined]

    def _forget_facts(self) -> None:
        self._chains.clear()
        self.foreseen = None
        for known in (self._answers, self._rows, self.fillers, self._coming, self._filling):
            known.clear()

    def stand(self) -> None:
        """Keep the snapshot that is open for the reader that begins next."""
        self._is_standing = True

    def get_autocommit(self) -> bool:
        """Say whether no transaction is open: one that waits for its reader is none."""
        return self._is_standing or super().get_autocommit()

    def _forget_numbers(self) -> None:
        self._next = self._numbers = None

    def _begin(self, *, is_writer: bool) -> Cursor:
        if self._is_standing:
            self._is_standing = False
            if not is_writer:
                self._note_calls()
                return Cursor(self)
            self._end(b"ROLLBACK")
        self._forget_facts()
        self._forget_numbers()
        self._is_begun = False
        done = super()._begin(is_writer=is_writer)
        self._put(b"SET LOCAL jit = off")  # which takes longer than what it makes faster
        if self.is_there:
            self._settings = self._send_ahead(_SETTINGS, ())
            self._note_calls()
        return done

    def _end(self, how: bytes) -> Cursor:
        self._forget_facts()
        self._forget_numbers()
        self._settings = None
        if how != b"ROLLBACK" or self._has_failed:
            return super()._end(how)
        # Nothing depends on the end of a transaction that stores nothing: nobody waits for it.
        self._waiting.clear()
        if self._is_begun:
            self._wire.send(how, (), ())
            self._wire.leave_unread(1)
        self._is_open = False
        return Cursor(self)

    def __exit__(self, kind: type[BaseException] | None, *more: object) -> None:
        self._forget_facts()
        self._forget_numbers()
        super().__exit__(kind, *more)


def _none() -> None:
    """Foresee no ranking."""


def _nothing(_: Sequence[int]) -> None:
    """Foresee no facts."""


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
        self.rows = unpacked(self._rows[0][0])


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
