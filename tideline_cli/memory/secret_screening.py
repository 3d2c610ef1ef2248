"""Secrets in facts: taken out of what nobody vouches for and of what programs are shown, named to
those who vouch, and found in what is stored."""

from __future__ import annotations

from tideline_cli.errors import UsageError
from tideline_cli.model import codec
from tideline_cli.model.fields import TEXTS
from tideline_cli.model.record import record, replace
from tideline_cli.policy import secrets
from tideline_cli.policy.secret_forms import may_hold
from tideline_cli.store.checks.texts import stated_texts
from tideline_cli.store.connection import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact, NewFact
    from tideline_cli.model.origin import Everyone, Origin

_SEARCHED = ("content", "tags", "metadata", *TEXTS)


@record
class StoredSecret:
    """A fact that holds secrets: of which kinds, and in which of its texts. `history` is what the
    journal keeps of it, `link` the reason of an edge that leaves it."""

    id: str
    origin: str
    kinds: tuple[str, ...]
    places: tuple[str, ...]


def secretless(new: NewFact) -> tuple[NewFact, int]:
    """Return a new fact with marks in the place of its secrets, and how many there were."""
    stated = {name: getattr(new, name) for name in _SEARCHED}
    found, count = searched(stated)
    return (replace(new, **found), count) if count else (new, 0)


def searched(stated: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Return fields of a fact, or a row of a file, with marks in the place of secrets, and how many
    there were. A slot and an id that hold one are left out.

    Raises UsageError for a text of which nothing else is left.
    """
    found, count = _replaced(dict(stated))
    if not count:
        return found, 0
    found |= {name: None for name in ("slot", "id") if stated.get(name) != found.get(name)}
    content = found.get("content")
    if isinstance(content, str) and not any(map(str.isalnum, content.replace(secrets.MARK, ""))):
        raise UsageError(
            "nothing but a secret: it is not stored",
            hint="secrets belong into a password manager; say what is to be known of it",
        )
    return found, count


def count_in(value: Any) -> int:
    """Return how many secrets stand in a text, or in the texts inside a value."""
    return _replaced(value)[1]


def kinds_of(new: NewFact) -> tuple[str, ...]:
    """Return the kinds of the secrets that a fact holds, each once."""
    return secret_kinds(getattr(new, name) for name in _SEARCHED)


def secret_kinds(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the kinds of the secrets in texts, lists and objects, each once."""
    found: dict[str, None] = {}
    for value in values:
        for text in _texts(value):
            found.update(dict.fromkeys(secrets.kinds_in(text)))
    return tuple(found)


def kinds_in_words(kinds: Iterable[str]) -> str:
    """Return kinds of secrets in words: `an aws key, a password`."""
    words = [kind.replace("_", " ") for kind in kinds]
    return ", ".join(f"{'an' if word[0] in 'aeiou' else 'a'} {word}" for word in words)


def replacement_note(count: int) -> str:
    """Return in words how many secrets were replaced."""
    what = "1 secret was" if count == 1 else f"{count:,} secrets were"
    return f"{what} replaced by {secrets.MARK}"


def masked(value: Any) -> Any:
    """Return a text, or a value of JSON, for programs to read: marks in the place of secrets."""
    return _replaced(value)[0]


def masked_fact(fact: Fact) -> Fact:
    """Return a fact with marks in the place of secrets, in all that is said of it."""
    found, count = _replaced({name: getattr(fact, name) for name in _SEARCHED})
    return replace(fact, **found) if count else fact


def stored_secrets(db: Connection, *, viewer: Origin | Everyone) -> list[StoredSecret]:
    """Return the facts of a viewer that hold secrets, archived and undone ones too."""
    found: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    with snapshot(db):
        for fact_id, origin, place, text in stated_texts(db, viewer=viewer):
            if may_hold(text) and (kinds := secret_kinds([_read(text)])):
                places = found.setdefault((fact_id, origin), {})
                places[place] = (*places.get(place, ()), *kinds)
    return [
        StoredSecret(
            fact_id, origin,
            tuple(dict.fromkeys(kind for kinds in places.values() for kind in kinds)),
            tuple(places),
        )
        for (fact_id, origin), places in found.items()
    ]  # fmt: skip


def _read(text: str) -> Any:
    """Return a text, or what JSON says."""
    if text[:1] not in ("[", "{"):
        return text
    try:
        return codec.loads(text)
    except ValueError:
        return text


def _replaced(value: Any) -> tuple[Any, int]:
    """Return a text, or the texts inside a value, with marks in the place of secrets."""
    if isinstance(value, str):
        return secrets.without(value)
    if isinstance(value, dict):
        return _of_object(value)
    if isinstance(value, list | tuple):
        pairs = [_replaced(item) for item in value]
        count = sum(found for _, found in pairs)
        return (type(value)(item for item, _ in pairs), count) if count else (value, 0)
    return value, 0


def _of_object(stated: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return an object without secrets; `{"password": "heron-77"}` says one as a sentence does."""
    found: dict[str, Any] = {}
    count = 0
    for key, value in stated.items():
        fresh, inside = _replaced(value)
        name, in_name = secrets.without(key)
        if isinstance(value, str | int) and not inside and key not in _SEARCHED:
            inside = int(secrets.without(f"{key}: {value}")[1] > in_name)
            fresh = secrets.MARK if inside else value
        found[name] = fresh
        count += in_name + inside
    return (found, count) if count else (stated, 0)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts of a value; of an object also each key with its value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{key}: {item}" if isinstance(item, str | int) else key
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
