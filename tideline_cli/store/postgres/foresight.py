"""A connection that asks for what will be asked next, in the round trip that it makes anyway.

`foresee` takes calls of functions of the store. Their statements go to the server with the next
trip, and what it says is known until something is written, or the transaction ends: the same
statement with the same values is then answered without a trip. Whatever was not foreseen is asked
as ever. So a wrong guess costs a trip, and never an answer.
"""

from __future__ import annotations

from tideline_cli.errors import TidelineError
from tideline_cli.model.origin import OWNER
from tideline_cli.model.text import WITH_FORMS
from tideline_cli.ranking.score_bounds import CODER
from tideline_cli.store import ORIGIN_NUMBER
from tideline_cli.store.postgres import by_number, known_answers
from tideline_cli.store.postgres.cursor import Cursor
from tideline_cli.store.postgres.driver import ServerError
from tideline_cli.store.postgres.known_answers import (
    GENERATION,
    SETTINGS,
    Ahead,
    KnownAnswers,
    NotYetError,
    Packed,
    Pending,
    Read,
)
from tideline_cli.store.postgres.packed_rows import packing
from tideline_cli.store.postgres.server import ServerConnection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Self

    from tideline_cli.store.postgres.by_number import ByNumber
    from tideline_cli.store.postgres.driver import Wire
    from tideline_cli.store.postgres.known_answers import Filling, Key, Rows

    Call = Callable[[], object]

# To compile takes longer than what it makes faster.
_LOCAL = b"SELECT set_config('jit', 'off', true)"
_NO_CHANGE = ("BEGIN", "BEGIN ", "PRAGMA", "SAVEPO", "RELEAS", "COMMIT", "ROLLBA", "END")


class Foreseeing(ServerConnection):
    """A connection to a memory on a server.

    `guess` are the settings and `origins` the numbers of origins as they were when the memory was
    opened, `guessed` what some statements said then: by them it is guessed what will be asked, and
    nothing is answered.
    """

    def __init__(self, wire: Wire, address: str, schema: str) -> None:
        super().__init__(wire, address, schema)
        self.is_there = False  # the tables are
        self.guess: Mapping[str, str] = {"analyzer": WITH_FORMS, "score_bounds": CODER}
        self.origins: Mapping[str, int] = {OWNER.key: 1}
        self.guessed: dict[Key, Rows] = {(ORIGIN_NUMBER, (OWNER.key,)): [(1,)]}
        # A statement, another one for the same values that is lighter to read, and its reader.
        self.lighter: dict[str, tuple[str, Callable[[Rows], Rows]]] = {}
        self.foreseen: object = None  # of what it was asked ahead what is known
        self.lags: bool | None = None  # whether many facts had no byte that bounds their score
        self.unembedded = (0, 0)  # the last fact with a vector, and the last chunk of vectors
        self.whole: Callable[[Sequence[int]], object] = id  # foresees facts
        self.likely: Call = list  # foresees what ranks the likely ones
        self._known = KnownAnswers()
        self._settings: Ahead | None = None
        self._calls: list[Call] = []
        self._chains: list[Call] = []
        self._is_noting = False
        self._is_begun = False  # the server has been told of the transaction
        self._is_standing = False  # the snapshot waits for its reader

    @property
    def ahead(self) -> Self:
        """The connection itself, where one can be told what comes."""
        return self

    def foresee(self, *calls: Call) -> None:
        """Ask for what these calls will ask first, with the next trip of a transaction: of the one
        that is open, or of the next."""
        self._calls += calls
        if self._is_open and not self._has_failed:
            calls, self._calls = (*self._calls,), []
            self._note(calls)

    def follow(self, *chains: Call) -> None:
        """Ask for what these calls will ask, one step of each with every trip: calls that only
        read, each in its own order."""
        self._chains += chains

    def find_list(self, number: int, sql: str, bindings: Sequence[object]) -> None:
        """Have the server find a list of numbers of facts, by a statement for one array."""
        text = (
            f"SELECT set_config('tideline.list_{number}', coalesce(({sql})::text, '{{}}'), true)"
        )
        self._known.lists[number] = self._send_ahead(text, bindings)

    def fill(
        self, sql: str, bindings: Sequence[object], filled: Filling, *,
        texts: frozenset[str],
    ) -> None:  # fmt: skip
        """Ask ahead by a statement of whose rows the answers to others are made, which have one of
        the `texts`."""
        self._known.filling.append((self._send_ahead(sql, bindings), filled, texts))

    def _note(self, calls: Iterable[Call]) -> list[Call]:
        """Send what calls ask until they need an answer; return those that do."""
        was_noting, self._is_noting = self._is_noting, True
        waiting: list[Call] = []
        try:
            for call in calls:
                try:
                    call()
                except NotYetError:
                    waiting.append(call)
                except TidelineError:
                    continue  # whoever asks in earnest is told
        finally:
            self._is_noting = was_noting
        return waiting

    def _send_ahead(self, sql: str, bindings: Sequence[object]) -> Ahead:
        cursor = Ahead(self)
        self._waiting.append((self._statement(sql, bindings), cursor))
        return cursor

    def _send_by_number(
        self, asked: ByNumber, sql: str, bindings: Sequence[object]
    ) -> Ahead:
        if not asked.is_plain:
            return self._send_ahead(sql, bindings)
        cursor = Packed(self)
        text, types, cells = self._statement(sql, bindings)
        self._waiting.append(((packing(text), types, cells), cursor))
        return cursor

    def execute(self, sql: str, bindings: Sequence[object] = ()) -> Cursor:
        """Run a statement, or answer it by what is known."""
        if not sql.startswith("BEGIN"):
            self._stand_no_more()
        if not self._is_open or self._has_failed:
            return super().execute(sql, bindings)
        word = sql.lstrip()[:6].upper()
        if word == "SELECT":
            return self._selected(sql, bindings)
        if self._is_noting:
            raise NotYetError  # what is foreseen stores nothing
        if word not in _NO_CHANGE:
            self._forget(sql)
        return super().execute(sql, bindings)

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> Cursor:
        """Run a statement for each of the rows."""
        if self._is_noting:
            raise NotYetError
        self._stand_no_more()
        self._forget(sql)
        return super().executemany(sql, rows)

    def _selected(self, sql: str, bindings: Sequence[object]) -> Cursor:
        rows = self._guessed(sql, bindings) if self._is_noting else self._of_settings(sql, bindings)
        if rows is not None:
            return Read(self, rows)
        asked = by_number.parsed(sql, bindings)
        if not self._is_noting and self._known.comes(sql, bindings, asked):
            self.flush()
        rows = self._known.rows(sql, bindings, asked)
        if rows is not None:
            return Read(self, rows)
        if self._is_noting:
            return self._noted(sql, bindings, asked)
        if sql in self.lighter:
            text, made = self.lighter[sql]
            return Read(self, made(self._asked_now(self._send_ahead(text, bindings))))
        if asked is None:
            return super().execute(sql, bindings)
        rows = self._asked_now(self._send_by_number(asked, sql, bindings))
        self._known.keep(asked, rows)
        return Read(self, self._known.picked(asked) or [])

    def _asked_now(self, cursor: Ahead) -> Rows:
        self.flush()
        return cursor.rows or []

    def _noted(self, sql: str, bindings: Sequence[Any], asked: ByNumber | None) -> Cursor:
        """Ask ahead."""
        known, key = self._known, (sql, tuple(bindings))
        if asked is not None:
            number = asked.list_number
            if number is not None:
                if number not in known.lists:  # nobody has asked for that list
                    return Pending(self)
                sql, bindings = asked.of_list(number)
            known.coming.append((asked, self._send_by_number(asked, sql, bindings)))
        elif key not in known.answers and not known.will_fill(sql):
            known.answers[key] = self._send_ahead(sql, bindings)
        return Pending(self)

    def _guessed(self, sql: str, bindings: Sequence[Any]) -> Rows | None:
        """Return what is guessed of settings and origins while calls are noted."""
        rows = None if sql == GENERATION else known_answers.of_settings(self.guess, sql, bindings)
        if rows is not None:
            return rows
        rows = self.guessed.get((sql, tuple(bindings)))
        if rows is not None:
            self._noted(sql, bindings, None)
        return rows

    def settings(self) -> dict[str, str]:
        """Return all settings of the memory, in the transaction that is open."""
        if self._settings is None:
            self._settings = self._send_ahead(SETTINGS, ())
        known = self._settings.rows
        return dict(self._asked_now(self._settings) if known is None else known)

    def _of_settings(self, sql: str, bindings: Sequence[Any]) -> Rows | None:
        if self._settings is None or not known_answers.asks_settings(sql):
            return None
        return known_answers.of_settings(self.settings(), sql, bindings)

    def flush(self) -> None:
        """Send what waits, take the answers, and keep those that were asked ahead."""
        if self._is_open and self._chains and not self._is_noting:
            self._chains = self._note(self._chains)
        self._is_begun = True
        super().flush()
        self._known.settle()

    def _forget(self, sql: str) -> None:
        """Forget what a statement may change."""
        table = known_answers.written(sql)
        if table == "setting":
            self._settings = None
        self._known.forget_of(table)
        self._chains.clear()
        self.foreseen = None

    def _forget_all(self) -> None:
        self._known.clear()
        self._chains.clear()
        self.foreseen = self._settings = None

    def stand(self) -> None:
        """Keep the snapshot that is open for the reader that begins next."""
        self._is_standing = True

    def _stand_no_more(self) -> None:
        if self._is_standing:
            self._is_standing = False
            self._end(b"ROLLBACK")

    def get_autocommit(self) -> bool:
        """Say whether no transaction is open: one that waits for its reader is none."""
        return self._is_standing or super().get_autocommit()

    def _begin(self, *, is_writer: bool) -> Cursor:
        calls, self._calls = self._calls, []
        if self._is_standing and not is_writer:
            self._is_standing = False
            self._note(calls)
            return Cursor(self)
        self._stand_no_more()
        self._forget_all()
        self._is_begun = False
        done = super()._begin(is_writer=is_writer)
        self._put(_LOCAL)
        if self.is_there:
            self._settings = self._send_ahead(SETTINGS, ())
            self._note(calls)
        return done

    def _end(self, how: bytes) -> Cursor:
        self._forget_all()
        if how != b"ROLLBACK" or self._has_failed:
            return super()._end(how)
        # Nothing depends on the end of a transaction that stores nothing: nobody waits for it.
        self._waiting.clear()
        self._is_open = False
        if self._is_begun:
            try:
                self._wire.send(how, (), ())
                self._wire.leave_unread()
            except ServerError:  # a connection that is lost has rolled back
                self._leave()
        return Cursor(self)

    def __exit__(self, kind: type[BaseException] | None, *more: object) -> None:
        self._forget_all()
        super().__exit__(kind, *more)
