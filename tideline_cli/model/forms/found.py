"""What the further forms of a text are: other spellings of a term, terms that are parts of a whole,
and terms of signs that are no letters."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Forms:
    """The further forms of a text whose terms are known. No term stands in it twice.

    others: of a term, its other spellings. Whoever holds one of them holds the word.
    wholes: (parts, wholes): the parts of a word together say what one of the wholes says.
    cut: of these, the parts that the text does not say as words: it says the whole.
    signs: terms of their own.
    mute: terms of the text that say nothing beside the word that they are a letter of.
    """

    def __init__(self, terms: Iterable[str]) -> None:
        self.others: dict[str, list[str]] = {}
        self.wholes: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        self.cut: set[tuple[str, ...]] = set()
        self.signs: list[str] = []
        self.mute: set[str] = set()
        self._known = set(terms)
        self._joined: set[str] = set()
        self._heads: dict[str, str] = {}  # of another spelling, the term that it spells
        self._added: list[str] = []

    def copy(self) -> Forms:
        """Return the same forms, to which more can be added."""
        made = Forms(self._known)
        made.others = {term: [*others] for term, others in self.others.items()}
        made.wholes, made.signs = [*self.wholes], [*self.signs]
        made.cut = {*self.cut}
        made.mute, made._joined = {*self.mute}, {*self._joined}
        made._heads, made._added = {**self._heads}, [*self._added]
        return made

    def further(self) -> list[str]:
        """Return all terms that are not those of the text."""
        return self._added

    def added_to(self, other: Forms | None) -> list[str]:
        """Return the terms that were added since a copy was made of `other`."""
        return self._added if other is None else self._added[len(other.further()) :]

    def spell(self, term: str, other: str) -> None:
        """Add another spelling of a term, unless it is a term already."""
        if other and other not in self._known:
            self._add(other)
            term = self._heads.get(term, term)
            self._heads[other] = term
            self.others.setdefault(term, []).append(other)

    def spell_all(self, terms: Sequence[str], others: Sequence[str]) -> None:
        """Add the terms of another spelling of a text: one by one where they answer each other."""
        if len(terms) == len(others):
            for term, other in zip(terms, others, strict=True):
                self.spell(term, other)
        elif len(terms) == 1:
            self.join(others, terms)
        else:
            self.join(terms, others) if len(others) == 1 else self.sign(*others)

    def join_words(self, parts: Sequence[str], wholes: Sequence[str]) -> None:
        """Say the same of words: a single letter beside a word is none, as in e-mail."""
        longer = [part for part in parts if len(part) > 1]
        if longer:
            self.mute.update(part for part in parts if len(part) == 1)
        self.join(longer or parts, wholes)

    def join(self, parts: Sequence[str], wholes: Sequence[str]) -> None:
        """Say that the parts of a word are what each of the wholes is. A term is part of one word
        alone."""
        heads, joined = self._heads, self._joined
        parts = tuple([
            term for term in dict.fromkeys([heads.get(part, part) for part in parts])
            if term and term not in joined
        ])  # fmt: skip
        fresh = [
            term for term in dict.fromkeys([heads.get(whole, whole) for whole in wholes])
            if term and term not in joined and term not in parts
        ]  # fmt: skip
        if not parts or not fresh:
            self.sign(*parts)
            return
        if not self._known.issuperset(parts):
            self.cut.add(parts)
        for term in (*parts, *fresh):
            self._add(term)
        joined.update(parts, fresh)
        self.wholes.append((parts, tuple(fresh)))

    def sign(self, *terms: str) -> None:
        """Add terms of their own."""
        for term in terms:
            if term and term not in self._known:
                self._add(term)
                self.signs.append(term)

    def _add(self, term: str) -> None:
        if term not in self._known:
            self._known.add(term)
            self._added.append(term)
