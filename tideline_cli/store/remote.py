"""Memories on servers, from this side: their addresses, how long they are waited for, and what is
too long for their indexes.

An address is `postgresql://user@host:5432/database?schema=NAME`. A password in it is kept in this
process alone: what is shown, logged or put into a schedule is the address without it.
"""

from __future__ import annotations

from time import monotonic

from tideline_cli.errors import UsageError
from tideline_cli.model.server_address import is_clear, is_server, without_password
from tideline_cli.model.text import index_terms
from tideline_cli.store import SERVERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.text import Analyzer

_USUAL_SCHEMA = "tideline"
_LONGEST_NAME = 63  # bytes, of any name in PostgreSQL
_whole: dict[str, str] = {}  # address without a password -> as it was written


def kept(address: str) -> str:
    """Return an address without its password, which `for_library` puts in again.

    Raises UsageError for an address whose parts cannot be told apart.
    """
    if is_server(address) and not is_clear(address):
        raise UsageError(
            "the address of the server cannot be read: a character that ends a part of it stands "
            "within one",
            hint="in user and password write @ as %40, : as %3A, / as %2F, ? as %3F, % as %25",
        )
    plain = without_password(address)
    if plain != address:
        _whole[plain] = address
    return plain


def with_schema(address: str, schema: str) -> str:
    """Return the address of another schema of the same database."""
    plain = kept(address)
    found = _in_schema(plain, schema)
    if plain in _whole:
        _whole[found] = _in_schema(_whole[plain], schema)
    return found


def _in_schema(address: str, schema: str) -> str:
    base, _, query = address.partition("?")
    others = [pair for pair in query.split("&") if pair and not pair.startswith("schema=")]
    return f"{base}?{'&'.join((*others, f'schema={schema}'))}"


def for_library(address: str) -> tuple[str, str]:
    """Return an address as libpq reads it, and the schema that `schema=` in it names.

    Raises UsageError for a name that is none.
    """
    plain = kept(address)
    base, mark, query = _whole.get(plain, plain).partition("?")
    others, schema = [], _USUAL_SCHEMA
    for pair in query.split("&") if mark else ():
        name, _, value = pair.partition("=")
        if name == "schema":
            schema = value
        else:
            others.append(pair)
    if not _is_name(schema):
        raise UsageError(
            f"no name of a schema: {schema!r}",
            hint="small letters, digits and _; not pg_… or information_schema, the server's own",
        )
    return base + ("?" + "&".join(others) if others else ""), schema


def _is_name(schema: str) -> bool:
    """Say whether a schema of ours can have this name; PostgreSQL itself makes letters small."""
    is_plain = schema.isidentifier() and schema.isascii() and schema == schema.lower()
    is_servers = schema.startswith("pg_") or schema == "information_schema"
    return is_plain and not is_servers and len(schema) <= _LONGEST_NAME


def whole(address: str) -> str:
    """Return an address with the password that was in it."""
    plain = kept(address)
    return _whole.get(plain, plain)


def without_whole(message: str, address: str) -> str:
    """Return what the library said of an address, without the password where it repeats all."""
    plain = kept(address)
    return message.replace(for_library(address)[0], plain) if plain in _whole else message


_until: list[float] = []  # the time of `monotonic` at which servers are waited for no more
TOO_LATE = "the server does not answer in time"


class within:  # noqa: N801  reads as what it does
    """Wait for servers so many seconds in all while the block runs, then raise TimeoutError."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        _until[:] = [monotonic() + self._seconds]

    def __exit__(self, *_: object) -> None:
        _until.clear()


def seconds_left(*ends: float) -> float | None:
    """Return the seconds that may still be waited, also by `ends`, times of `monotonic`; None where
    nothing bounds them.

    Raises TimeoutError where there is none left.
    """
    if not (_until or ends):
        return None
    seconds = min(*_until, *ends, float("inf")) - monotonic()
    if seconds <= 0:
        raise TimeoutError(TOO_LATE)
    return seconds


# A server itself would take some of these, since it compresses a key before it measures it. One
# rule for all verbs is what people can know, and what is exported from one goes into another.
LONGEST_KEY = 2600
"""Bytes of a word or a label: PostgreSQL's keys have 2,704 at most, with what stands beside."""
KEY_TOO_LONG = "54000"
"""What a server says where a key is too long."""
_KEY_FIELDS = ("slot", "session", "document")
_FIELDS = ("content", *_KEY_FIELDS, "title", "tags")


def keys_are_bounded(path: str) -> bool:
    """Say whether the memory at a path or an address takes no long keys."""
    return path.startswith(SERVERS)


def refuse_long_keys(
    fact: Fact, analyzer: Callable[[], Analyzer], fields: Collection[str] | None = None
) -> None:
    """Raise UsageError where a server cannot store what a fact says, or some of its fields: what it
    has taken already stays as it is. Few facts need the analyser."""
    asked = _FIELDS if fields is None else fields
    stated = {name: getattr(fact, name) for name in _FIELDS if name in asked}
    refusal = _long_key(stated)
    if not refusal and (texts := _with_long_pieces(stated.get("content"), stated)):
        refusal = _long_word(texts, analyzer())
    if refusal:
        raise refusal


def long_key_refusal(
    content: str, labels: Mapping[str, object], *, analyzer: Analyzer
) -> UsageError | None:
    """Return why a server cannot store a text with these labels, None where it can."""
    return _long_key(labels) or _long_word(_with_long_pieces(content, labels), analyzer)


def _long_key(labels: Mapping[str, object]) -> UsageError | None:
    for name in _KEY_FIELDS:
        value = labels.get(name)
        if isinstance(value, str) and _is_long(value):
            return too_long(f"{name} is a text")
    return None


def _long_word(texts: Iterable[tuple[str, str]], analyzer: Analyzer) -> UsageError | None:
    for name, text in texts:
        if any(map(_is_long, index_terms(text, analyzer=analyzer))):
            return too_long(f"{name} has a word")
    return None


def _with_long_pieces(content: object, labels: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return what the words of are indexed and may be too long, each with what it is. Few texts
    have so long a piece without a space: the others are not taken apart."""
    tags = labels.get("tags")
    texts = [("the text", content), ("the title", labels.get("title"))]
    texts += (("a tag", tag) for tag in (tags if isinstance(tags, (list, tuple)) else [tags]))
    long = LONGEST_KEY // 4
    return [
        (name, text) for name, text in texts
        if isinstance(text, str) and len(text) > long and any(map(_is_long, text.split()))
    ]  # fmt: skip


def too_long(what: str) -> UsageError:
    """Return what it means where a word or a label is too long."""
    return UsageError(
        f"{what} of more than {LONGEST_KEY:,} bytes, which a server cannot index",
        hint="shorten it, or keep the fact in a memory in a file", code="too_long_for_server",
    )  # fmt: skip


def _is_long(text: str) -> bool:
    return len(text) > LONGEST_KEY // 4 and len(text.encode()) > LONGEST_KEY
