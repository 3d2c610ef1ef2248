"""What the server is given by whoever starts it: a door to the memory for each call, and rights."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from apsw import Connection

    from tideline_cli.errors import TidelineError
    from tideline_cli.model.origin import Origin

    class Door(Protocol):
        """One call's way to the memory: its origin and its settings are none of the caller's."""

        @property
        def viewer(self) -> Origin: ...

        @property
        def now(self) -> int: ...

        def setting(self, name: str, fallback: Any) -> Any: ...

        def scope(self, given: str | None) -> str | None: ...

        def scopes(
            self, given: str | None, *, everything: bool
        ) -> tuple[str | None, ...] | None: ...

        def agent(self, given: str | None) -> str | None: ...

        def reading(self) -> Connection | None: ...

        def writing(self) -> Connection: ...

        def reference(self, text: str) -> str: ...

        def call(self, *words: str) -> str: ...

        def close(self) -> None: ...


@record
class Service:
    """How a server works: `opened` makes the door of a call, `meaning` says what an error means,
    `new_id` makes the id of a fact, `tell` hears of errors that nobody foresaw.

    It `writes` if the person who started it says so, and `forgets_any` if it may forget what a
    trusted source said. `as_text` leaves the structured half of results out. `agent` is the name
    that stands on what it writes. `show_secrets` shows the secrets of facts.
    """

    opened: Callable[[], Door]
    meaning: Callable[[Exception, Door | None], TidelineError]
    new_id: Callable[[int], str]
    tell: Callable[[Exception], None]
    writes: bool = False
    forgets_any: bool = False
    as_text: bool = False
    agent: str | None = None
    show_secrets: bool = False
