"""A transcript: who said what, as messages; and as one text, for prompts."""

from __future__ import annotations

import re
from hashlib import sha256

from tideline_cli.model.record import record, replace
from tideline_cli.policy.harness import Heard, heard
from tideline_cli.policy.private_blocks import MEMORY, without_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

USER, ASSISTANT = "user", "assistant"
# A line inside a message that would look like the beginning of another one.
_FORGED = re.compile(r"^(?=\s*(?:USER|ASSISTANT|SYSTEM|[A-Z ]*FACTS)\b[^\n:]*:|\s*\[)", re.M | re.I)
_CONTROLS = dict.fromkeys(
    code for code in (*range(32), *range(127, 160), 0x2028, 0x2029) if code not in (9, 10)
)


@record
class Message:
    """What the user or the assistant said; tools and the system say nothing here. A turn of which
    nothing is the user's own has no text and keeps its place, which cursors count. at: when it was
    said, name: what the file calls it, where the file tells."""

    role: str
    text: str
    at: int | None = None
    name: str = ""


@record
class Transcript:
    """The messages in order, the session they name, and how many lines could not be read.

    start: the first two messages as they stand in the file, which mark it.
    is_plain: from a text in which whoever is quoted can speak as the user.
    dropped, strange: what a program had written into the user's turns, and the unknown tags of it.
    """

    messages: tuple[Message, ...]
    session: str | None
    bad: int
    start: tuple[Message, ...] = ()
    is_plain: bool = False
    dropped: int = 0
    strange: tuple[str, ...] = ()


@record
class Turn:
    """A message as it stands in a file, and the pieces that it consists of."""

    message: Message
    pieces: tuple[str, ...]
    is_foreign: bool = False

    def said(self) -> Heard:
        """Return what of the turn its speaker said."""
        if self.message.role != USER:
            return Heard(without_blocks(self.message.text, (*MEMORY, "private")))
        return Heard("", 1) if self.is_foreign else heard(self.pieces)


def transcript_of(turns: Sequence[Turn], session: str | None, bad: int) -> Transcript:
    """Return the transcript of these turns, each as its speaker said it."""
    listed = [turn.said() for turn in turns]
    strange = dict.fromkeys(name for one in listed for name in one.strange)
    return Transcript(
        tuple(
            replace(turn.message, text=one.text.strip() if one.dropped else one.text)
            for turn, one in zip(turns, listed, strict=True)
        ),
        session,
        bad,
        tuple(turn.message for turn in turns[:2]),
        dropped=sum(one.dropped for one in listed),
        strange=tuple(strange),
    )


def flattened(messages: Iterable[Message], *, longest: int | None = None) -> str:
    """Return a conversation as text: `USER: …` and `ASSISTANT: …`, a blank line between.

    No line inside a message passes for the start of another one; of a message that is longer
    than `longest`, the middle is left out.
    """
    return "\n\n".join(
        f"{message.role.upper()}: {_quoted(_shortened(message.text, longest))}"
        for message in messages
        if message.text
    )


def fingerprint(messages: Iterable[Message], place: str = "") -> str:
    """Return a mark of a conversation: of how it begins and where it lies."""
    start = "".join(f"{one.role}:{one.text}\0" for one in messages)
    return sha256(f"{place}\0{start}".encode("utf-8", "replace")).hexdigest()[:12]


def marks(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return a mark of each message that stands for all before it too: where two branches of a
    conversation have the same mark, they have been one up to there."""
    listed, said = [], sha256()
    for one in messages:
        own = one.name or f"{one.role}:{one.text}"
        said.update(sha256(own.encode("utf-8", "replace")).digest())
        listed.append(said.hexdigest()[:16])
    return tuple(listed)


def _quoted(text: str) -> str:
    first, *rest = text.translate(_CONTROLS).split("\n")
    return "\n".join([first, *(_FORGED.sub("> ", line, count=1) for line in rest)])


def _shortened(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"
