"""The agents whose hooks call us: what their events mean, where a call says what, and the only form
of answer that each of them takes."""

from __future__ import annotations

from tideline_cli.model.codec import dumps
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    Deed = Literal["start", "prompt", "end"]

CLIENTS = ("claude-code", "codex", "gemini", "cursor")
_KEPT = "resume"  # a conversation that goes on has the facts that it was given


@record
class Event:
    """An event of a client: what is done, the name that its answer has to carry, whether the
    conversation loses its blocks after it, and whether it is settled: at its end, or before it is
    made shorter."""

    deed: Deed
    name: str
    loses_blocks: bool = False
    settles: bool = False


_STARTS, _ENDS = Event("start", "SessionStart"), Event("end", "")
_OVER = Event("end", "", settles=True)
# Gemini has an event before a compaction too, and tells it in each turn.
_COMPACTS = Event("end", "", loses_blocks=True, settles=True)
_USUAL = {
    "sessionstart": _STARTS, "start": _STARTS,
    "stop": _ENDS, "sessionend": _OVER, "end": _ENDS,
}  # fmt: skip
_PROMPTED = Event("prompt", "UserPromptSubmit")
_CLAUDE = {**_USUAL, "userpromptsubmit": _PROMPTED, "prompt": _PROMPTED, "precompact": _COMPACTS}
_BEFORE_AGENT = Event("prompt", "BeforeAgent")
_SUBMITTED = Event("prompt", "beforeSubmitPrompt")
EVENTS: Mapping[str, Mapping[str, Event]] = {
    "claude-code": _CLAUDE,
    "codex": _CLAUDE,
    "gemini": {
        **_USUAL, "beforeagent": _BEFORE_AGENT, "prompt": _BEFORE_AGENT, "afteragent": _ENDS,
        "precompress": _OVER,
    },
    "cursor": {
        **_USUAL, "beforesubmitprompt": _SUBMITTED, "prompt": _SUBMITTED, "precompact": _COMPACTS,
    },
}  # fmt: skip
"""Of each client its events, by their letters alone: SessionStart, session-start, sessionStart."""


@record
class HookCall:
    """What a client has sent: texts, empty where it says nothing of that. `agent` is the one that
    a conversation has started beside its own; `source` says how a conversation begins."""

    client: str
    event: str
    session: str
    agent: str
    transcript: str
    folder: str
    prompt: str
    source: str

    @property
    def is_resumed(self) -> bool:
        return self.source == _KEPT

    def meant(self) -> Event | None:
        """Return what the event means, None for one that we do not know."""
        return EVENTS[self.client].get(_letters(self.event))


def call_of(client: str, event: str, payload: Mapping[str, Any]) -> HookCall:
    """Return a call; `event` of the command line goes before the one that the payload names."""
    roots = payload.get("workspace_roots")
    folder = roots[0] if isinstance(roots, list) and roots else None
    return HookCall(
        client,
        event or _text(payload.get("hook_event_name")),
        _text(payload.get("session_id")) or _text(payload.get("conversation_id")),
        _text(payload.get("agent_id")),
        _text(payload.get("transcript_path")),
        _text(payload.get("cwd")) or _text(folder),
        _text(payload.get("prompt")),
        _letters(_text(payload.get("source"))),
    )


def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, word)).lower()


def _text(value: object) -> str:
    """Return a text that a file can hold; what is no text says nothing."""
    if not isinstance(value, str) or value.isascii():
        return value if isinstance(value, str) else ""
    return value.encode("utf-8", "replace").decode()


def answer(client: str, event: Event, block: str) -> str:
    """Return a block in the form that the client hands to its model. Codex drops an answer with any
    other key, without a word."""
    if client != "cursor":
        inner = {"hookEventName": event.name, "additionalContext": block}
        return dumps({"hookSpecificOutput": inner})
    first = {} if event.deed == "start" else {"continue": True}
    return dumps({**first, "additional_context": block})
