"""Finding the facts that rows of an import name, by a whole id or the beginning of one: facts of
the same file, or facts of the store."""

from __future__ import annotations

from bisect import bisect_left

from tideline_cli.errors import NotFoundError, UsageError
from tideline_cli.exchange.importer.rows import minted_id, vouched_id
from tideline_cli.model import ulid
from tideline_cli.store import facts, references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.exchange.importer.rows import ImportContext
    from tideline_cli.model.origin import Origin

_LEAST = 4  # letters of a beginning


class References:
    """Knows which rows got another id than they state, and finds the fact that a name means."""

    def __init__(self, db: Connection, context: ImportContext) -> None:
        self._db = db
        self._context = context
        self._given: dict[str, dict[str, str]] = {}
        self._folded: dict[str, list[tuple[str, str]]] = {}

    def give(self, origin: Origin, stated: object, fact_id: str) -> None:
        """Note that the row with this id is the fact with that one."""
        if stated and str(stated) != fact_id:
            self._given.setdefault(origin.key, {})[str(stated)] = fact_id
            self._folded.pop(origin.key, None)

    def exactly(self, stated: str, origin: Origin) -> str | None:
        """Return the id of the fact that has this name letter by letter: one that this file has
        brought under another id goes before one that was there."""
        given = self._given.get(origin.key, {}).get(stated)
        if given is not None:
            return given
        made = []
        if not (self._context.trusted and ulid.is_ulid(stated)):
            made.append(minted_id(origin, stated))
        if self._context.trusted:
            made = [vouched_id(origin, one) for one in (*made, stated)] + made
        for one in (*made, stated):
            if references.exists(self._db, one, viewer=origin):
                return one
        return None

    def meant(self, stated: str, origin: Origin) -> str | None:
        """Return the id of the fact that a name means: exactly, in other letters, or as the only
        one that begins so, of this file or of the store; None when it names none, or several."""
        found = self.exactly(stated, origin)
        if found is None:
            found = self._begun(stated, origin)
        if found is not None:
            return found
        try:
            return facts.find(self._db, stated, viewer=origin).id
        except (NotFoundError, UsageError):
            return None

    def _begun(self, stated: str, origin: Origin) -> str | None:
        """Return the only row whose stated id is this one in other letters, or begins so."""
        if origin.key not in self._folded:
            given = self._given.get(origin.key, {})
            self._folded[origin.key] = sorted((name.casefold(), it) for name, it in given.items())
        names, sought = self._folded[origin.key], stated.casefold()
        first = bisect_left(names, (sought, ""))
        same = [it for name, it in names[first : first + 2] if name == sought]
        if not same and len(sought) >= _LEAST:
            same = [it for name, it in names[first : first + 2] if name.startswith(sought)]
        return same[0] if len(same) == 1 else None
