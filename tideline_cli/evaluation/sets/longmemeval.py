"""LongMemEval (Wu et al., ICLR 2025): chats with an assistant, and questions asked after them.

Each question has a history of its own, which is an origin of its own here; each turn is a fact. The
turns that hold the evidence are marked in the file. A question whose id ends with _abs has no
answer.
"""

from __future__ import annotations

from datetime import UTC, datetime

from tideline_cli.errors import UsageError
from tideline_cli.evaluation.sets import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Rows = Iterator[tuple[int, dict[str, Any]]]

_NO_ANSWER = "_abs"


def is_it(value: Any) -> bool:
    """Say whether a JSON value is this set."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and {"haystack_sessions", "question_id"} <= first.keys()


def documents(path: str) -> Rows:
    """Yield a row for each turn of each history."""
    number = 0
    for one in _instances(path):
        for session, at, turns in _sessions(one):
            for place, turn in enumerate(turns):
                if not str(turn.get("content", "")).strip():
                    continue
                number += 1
                yield number, {
                    "content": str(turn["content"]),
                    "source_turn": f"{session}#{place}", "origin": _origin(one),
                    "created_at": at, "session": session, "turn": place,
                    "role": turn.get("role"),
                }  # fmt: skip


def questions(path: str) -> Rows:
    """Yield a row for each question, asked when the set says."""
    for number, one in enumerate(_instances(path), 1):
        name = str(one["question_id"])
        row: dict[str, Any] = {
            "id": name, "query": str(one["question"]), "origin": _origin(one),
            "category": one.get("question_type"),
        }  # fmt: skip
        if one.get("question_date"):
            row["now"] = _instant(str(one["question_date"]))
        gold = [] if name.endswith(_NO_ANSWER) else [
            f"{session}#{place}" for session, _, turns in _sessions(one)
            for place, turn in enumerate(turns) if turn.get("has_answer")
        ]  # fmt: skip
        if gold or name.endswith(_NO_ANSWER):
            row["gold"] = dict.fromkeys(gold, 1)
        yield number, row


def _instances(path: str) -> list[dict[str, Any]]:
    value: Any = files.value(path)
    if not is_it(value):
        raise UsageError(
            f"{path} is not a file of LongMemEval",
            hint="give longmemeval_s.json, longmemeval_m.json or longmemeval_oracle.json",
        )
    return value  # type: ignore[no-any-return]


def _sessions(one: dict[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield the sessions of a history: name, time, turns. One that comes twice counts once."""
    sessions = one["haystack_sessions"]
    names = one.get("haystack_session_ids") or [f"s{place}" for place in range(len(sessions))]
    seen = set[str]()
    for name, date, turns in zip(names, one["haystack_dates"], sessions, strict=True):
        if name not in seen:
            yield str(name), _instant(str(date)), turns
        seen.add(name)


def _instant(text: str) -> str:
    """Return a time such as `2023/05/20 (Sat) 02:21`."""
    day, _, rest = text.strip().partition(" ")
    clock = rest.rpartition(" ")[2] or "00:00"
    try:
        at = datetime.strptime(f"{day} {clock}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
    except ValueError as error:
        raise UsageError(f"{text!r:.40} is no time of a session") from error
    return at.isoformat()


def _origin(one: dict[str, Any]) -> str:
    return f"channel:longmemeval/{one['question_id']}/all"
