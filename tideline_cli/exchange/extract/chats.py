"""The conversations of an export of ChatGPT or Claude, read one by one from a file or a ZIP: of
each its chosen branch, in the words of both."""

from __future__ import annotations

import re
import zlib
from functools import partial
from lzma import LZMAError
from zipfile import BadZipFile, ZipFile

from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.exchange.extract.conversation import (
    ASSISTANT,
    USER,
    said_turn,
    storable_text,
    time_of,
    transcript_of,
)
from tideline_cli.model import codec
from tideline_cli.model.record import record, replace
from tideline_cli.policy import secrets
from tideline_cli.policy.private_blocks import MEMORY, without_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import IO, Any, BinaryIO

    from tideline_cli.exchange.extract.conversation import Transcript, Turn

    Read = Callable[[int], bytes]

CHATGPT, CLAUDE = "chatgpt", "claude"
KEYS: Mapping[str, str] = {"mapping": CHATGPT, "chat_messages": CLAUDE}
"""What only a conversation of each program has."""
_WORDS = ("text", "multimodal_text")  # contents of ChatGPT that somebody said; others are of tools
_SENDERS = {"human": USER, "user": USER, "assistant": ASSISTANT}
_BEGINNING = "00000000-"  # what the first message of Claude follows
_LONGEST_TITLE = 200
LONGEST = 16 << 20  # bytes of one conversation; read, it takes about six times as much memory


@record
class Chat:
    """One conversation: the program that it was held with, what it says, and when it last grew."""

    program: str
    transcript: Transcript
    title: str | None
    updated: int | None


def chat_of(raw: bytes) -> Chat:
    """Return the conversation that stands in `raw`; raise UsageError for what is none."""
    try:
        value = codec.loads(raw.decode())
        if "chat_messages" in value:
            return _claude(value)
        return _chatgpt(value)
    except UnicodeDecodeError as error:
        raise UsageError("not UTF-8") from error
    except KeyError as error:
        raise UsageError(f"it has no {error.args[0]}") from error
    except RecursionError as error:
        raise UsageError("it is nested too deeply") from error
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise UsageError("it is no conversation") from error


def _chat(program: str, value: Any, turns: Iterable[Turn], name: Any, title: Any) -> Chat:
    listed = list(turns)
    session = name.strip() if isinstance(name, str) and name.strip() else None
    stated = time_of(value.get("update_time", value.get("updated_at")))
    times = [turn.message.at for turn in listed if turn.message.at is not None]
    return Chat(
        program, transcript_of(listed, session, 0),
        _clean(title) or None if isinstance(title, str) else None,
        stated if stated is not None else max(times, default=None),
    )  # fmt: skip


def _clean(title: str) -> str:
    """Return a title on one line, without what of a message is kept from the memory too."""
    plain = without_blocks(storable_text(title), (*MEMORY, "private"))
    return " ".join(secrets.without(plain)[0].split())[:_LONGEST_TITLE]


def _chatgpt(value: Any) -> Chat:
    path = _branch(value["mapping"], value.get("current_node"))
    turns = (_chatgpt_turn(node.get("message")) for node in path)
    return _chat(
        CHATGPT, value, (turn for turn in turns if turn is not None),
        value.get("conversation_id") or value.get("id"), value.get("title"),
    )  # fmt: skip


def _branch(nodes: Mapping[str, Any], last: Any) -> list[Any]:
    """Return the nodes from the beginning to the one that the user was at last."""
    if last not in nodes:
        parents = {node.get("parent") for node in nodes.values()}
        last = max((one for one in nodes if one not in parents),
                   key=lambda one: _said_at(nodes[one].get("message")), default=None)  # fmt: skip
    path: dict[str, Any] = {}
    while last in nodes and last not in path:
        path[last] = nodes[last]
        last = nodes[last].get("parent")
    return [*reversed(path.values())]


def _said_at(message: Any) -> int:
    return (time_of(message.get("create_time")) if isinstance(message, dict) else None) or 0


def _chatgpt_turn(message: Any) -> Turn | None:
    """Return what a node says; tools, calls of them, files and what is hidden say nothing."""
    if not isinstance(message, dict):
        return None
    content, about = message.get("content"), message.get("metadata")
    is_hidden = isinstance(about, dict) and about.get("is_visually_hidden_from_conversation")
    to_all = message.get("recipient") in (None, "", "all")
    if is_hidden or not to_all or not isinstance(content, dict):
        return None
    if content.get("content_type", "text") not in _WORDS:
        return None
    parts = content.get("parts")
    pieces = [*_spoken(parts if isinstance(parts, list) else [])]
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else None
    return _turn(role, pieces, message.get("create_time"), message.get("id"))


def _spoken(parts: Iterable[Any]) -> Iterator[str]:
    """Yield the words of a message: typed ones, and spoken ones as the program has heard them."""
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and part.get("content_type") == "audio_transcription":
            text = part.get("text")
            yield text if isinstance(text, str) else ""


def _claude(value: Any) -> Chat:
    if not isinstance(value["chat_messages"], list):
        raise UsageError("its messages are no list")
    found = [one for one in value["chat_messages"] if isinstance(one, dict)]
    turns = (_claude_turn(one) for one in _chosen(found, value.get("current_leaf_message_uuid")))
    return _chat(
        CLAUDE, value, (turn for turn in turns if turn is not None),
        value.get("uuid"), value.get("name"),
    )  # fmt: skip


def _chosen(messages: list[Any], last: Any) -> list[Any]:
    """Return the messages of the branch that ends with the last one; all where none says which
    message it follows, or where the branch does not lead to the beginning."""
    known = {one["uuid"]: one for one in messages if isinstance(one.get("uuid"), str)}
    if not any(one.get("parent_message_uuid") in known for one in messages):
        return messages
    if last not in known:
        last = messages[-1].get("uuid")
    path: dict[str, Any] = {}
    while last in known and last not in path:
        path[last] = known[last]
        last = known[last].get("parent_message_uuid")
    is_whole = last is None or str(last).startswith(_BEGINNING)
    return [*reversed(path.values())] if is_whole else messages


def _claude_turn(message: Any) -> Turn | None:
    """Return what a message says; thoughts, calls of tools and attached files say nothing."""
    content = message.get("content")
    said = content if isinstance(content, list) and content else [message.get("text")]
    pieces = [one for one in said if isinstance(one, str)] + [
        one["text"] for one in said
        if isinstance(one, dict) and one.get("type") == "text" and isinstance(one.get("text"), str)
    ]  # fmt: skip
    role = _SENDERS.get(str(message.get("sender")))
    return _turn(role, pieces, message.get("created_at"), message.get("uuid"))


def _apart(pieces: list[str]) -> list[str]:
    """Return the pieces of a message so that no word goes on in that of the next piece."""
    listed: list[str] = []
    for piece in filter(None, pieces):
        if listed and not (listed[-1][-1].isspace() or piece[0].isspace()):
            listed[-1] += "\n"
        listed.append(piece)
    return listed


def _turn(role: str | None, pieces: list[str], said: Any, name: Any) -> Turn | None:
    if role not in (USER, ASSISTANT):
        return None
    turn = said_turn({"role": role, "content": _apart(pieces)})
    if turn is None:
        return None
    own = name if isinstance(name, str) else ""
    return replace(turn, message=replace(turn.message, at=time_of(said), name=own))


def is_export(head: bytes) -> bool:
    """Say whether a file that begins so is an export of conversations, as JSON."""
    return not KEYS.keys().isdisjoint(first_keys(head))


def zipped(file: BinaryIO, path: str) -> Iterator[Read]:
    """Yield what reads each list of conversations in a zip file; raise UsageError for one that has
    none, or that cannot be read."""
    try:
        archive = ZipFile(file)
        names = sorted(filter(_holds_conversations, archive.namelist()))
    except (BadZipFile, NotImplementedError) as error:
        raise _unreadable(path, error) from error
    if not names:
        raise UsageError(
            f"{path} holds no conversations.json",
            hint="the zip file of an export of ChatGPT or Claude has one",
        )
    for name in names:
        try:
            member = archive.open(name)
        except (BadZipFile, NotImplementedError, RuntimeError) as error:  # it has a password
            raise _unreadable(path, error) from error
        with member:
            yield partial(_read, member, path)


def _read(member: IO[bytes], path: str, count: int) -> bytes:
    try:
        return member.read(count)
    except (BadZipFile, zlib.error, LZMAError, EOFError, OSError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> UsageError:
    return UsageError(f"{path} cannot be read: {error}", hint="fetch it once more")


def _holds_conversations(name: str) -> bool:
    own = name.rpartition("/")[2]
    return own.startswith("conversations") and own.endswith(".json")


def chats(
    reads: Iterable[Read], longest: int = LONGEST
) -> Iterator[tuple[int, Chat | TidelineError]]:
    """Yield the number of each conversation, and what it says or what is wrong with it."""
    number = 0
    for read in reads:
        for raw in members(read, longest=longest):
            number += 1
            if raw is None:
                yield number, UsageError(f"it is longer than {longest >> 20} MiB")
                continue
            try:
                yield number, chat_of(raw)
            except UsageError as error:
                yield number, error


_AT_ONCE = 1 << 20  # bytes
_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+([\[\]{}])', re.DOTALL)
_KEYS = re.compile(rb'"([^"\\]{1,80})"\s*+:')
_BETWEEN = b" \t\r\n,"


def members(read: Callable[[int], bytes], *, longest: int) -> Iterator[bytes | None]:
    """Yield the members of the list that a document is, or the objects that follow one another in
    it, as they are written; None in the place of one that is longer than `longest` bytes. Raises
    UsageError where the document ends inside of its list or of a member."""
    walk = _Walk(longest)
    while chunk := read(_AT_ONCE):
        yield from walk.through(chunk)
    yield from walk.end()


def first_keys(head: bytes) -> frozenset[str]:
    """Return the keys of the first members of a document, as far as its beginning shows them: those
    of the members themselves, and of nothing inside of them."""
    walk = _Walk(len(head))
    keys: list[bytes] = []
    for _ in walk.through(head, keys):
        pass
    return frozenset(key.decode("utf-8", "replace") for key in keys)


class _Walk:
    """How deep a document is read, and what of it is kept for the member that has begun."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._data = b""
        self._at = 0  # behind the last bracket
        self._start = 0  # where the member begins, or what stands before the next one
        self._depth = 0
        self._base = -1  # the depth that members begin at: 1 in a list
        self._is_long = False

    def through(self, chunk: bytes, keys: list[bytes] | None = None) -> Iterator[bytes | None]:
        """Yield the members that end in the next part of the document; note in `keys` those of
        members."""
        self._data += chunk
        while found := _BRACKET.match(self._data, self._at):
            if keys is not None and self._base >= 0 and self._depth == self._base + 1:
                keys += _KEYS.findall(self._data, self._at, found.start(1))
            yield from self._bracket(found[1], found.start(1))
            self._at = found.end()
        self._let_go()
        if len(self._data) - self._at > 2 * self._longest + _AT_ONCE:
            raise UsageError(
                f"one text is longer than {self._longest >> 20} MiB", hint="is it an export?"
            )

    def _bracket(self, bracket: bytes, place: int) -> Iterator[bytes | None]:
        opens = bracket in b"[{"
        if self._base < 0:
            self._base = 1 if bracket == b"[" else 0
            self._start = place + self._base
        if opens and self._depth == self._base:
            yield from self._between(place)
            self._start = place
        self._depth += 1 if opens else -1
        if opens or self._depth < self._base:
            if not opens and self._base:
                yield from self._between(place)
                self._start = place + 1
            return
        if self._depth == self._base:
            too_long = self._is_long or place + 1 - self._start > self._longest
            yield None if too_long else self._data[self._start : place + 1]
            self._start, self._is_long = place + 1, False

    def _between(self, place: int) -> Iterator[bytes]:
        """Yield what stands between two members and is neither a comma nor a blank."""
        odd = self._data[self._start : place].strip(_BETWEEN)
        if odd:
            yield odd

    def _let_go(self) -> None:
        """Forget what is read: all before the member, and of one that is too long all of it."""
        if self._depth > self._base >= 0 and self._at - self._start > self._longest:
            self._is_long, self._start = True, self._at
        keep = min(self._start, self._at)
        self._data = self._data[keep:]
        self._at -= keep
        self._start -= keep

    def end(self) -> Iterator[bytes]:
        if self._depth > 0:
            raise UsageError("it is cut off", hint="fetch it once more", code="cut_off")
        yield from self._between(len(self._data))
