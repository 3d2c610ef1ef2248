"""LoCoMo (Maharana et al., ACL 2024): long conversations of two people, and questions about them.

`locomo10.json` is a list of conversations. Each is an origin of its own here, and each turn a fact.
Questions of the category 5, which have no answer on purpose, are left out, as is usual.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tideline_cli.errors import UsageError
from tideline_cli.evaluation.sets import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Rows = Iterator[tuple[int, dict[str, Any]]]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_UNANSWERABLE = 5
_TURN = re.compile(r"D\d+:\d+")
_TIME = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


def is_it(value: Any) -> bool:
    """Say whether a JSON value is this set."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and {"conversation", "qa"} <= first.keys()


def documents(path: str) -> Rows:
    """Yield a row for each turn."""
    number = 0
    for name, sample in _samples(path):
        place = 0
        for session, at, turns in _sessions(sample["conversation"]):
            for turn in turns:
                number, place = number + 1, place + 1
                yield number, {
                    "content": _said(turn), "source_turn": f"{name}/{turn['dia_id']}",
                    "origin": _origin(name), "created_at": at, "session": f"{name}/{session}",
                    "turn": place, "speaker": turn["speaker"],
                }  # fmt: skip


def questions(path: str) -> Rows:
    """Yield a row for each question; the turns that are its evidence are its gold."""
    number = 0
    for name, sample in _samples(path):
        turns = {turn["dia_id"] for _, _, some in _sessions(sample["conversation"])
                 for turn in some}  # fmt: skip
        for place, one in enumerate(sample["qa"]):
            number += 1
            if one.get("category") == _UNANSWERABLE:
                continue
            named = _TURN.findall(" ".join(map(str, one.get("evidence") or ())))
            gold = [f"{name}/{turn}" for turn in dict.fromkeys(named) if turn in turns]
            row = {"id": f"{name}/q{place}", "query": str(one["question"]),
                   "origin": _origin(name),
                   "category": CATEGORIES.get(one.get("category"), "other")}  # fmt: skip
            # Some questions name no turn that there is: they cannot be measured.
            yield number, row | ({"gold": dict.fromkeys(gold, 1)} if gold else {})


def _samples(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    value = files.value(path)
    if not is_it(value):
        raise UsageError(f"{path} is not a file of LoCoMo", hint="give locomo10.json")
    for place, sample in enumerate(value, 1):
        yield str(sample.get("sample_id", f"conv-{place}")), sample


def _sessions(conversation: dict[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield the sessions in their order: name, time, turns."""
    number = 1
    while f"session_{number}_date_time" in conversation or f"session_{number}" in conversation:
        name = f"session_{number}"
        turns = conversation.get(name) or []
        if turns:
            yield name, _instant(str(conversation.get(f"{name}_date_time", ""))), turns
        number += 1


def _instant(text: str) -> str:
    try:
        at = datetime.strptime(text.strip(), _TIME).replace(tzinfo=UTC)
    except ValueError as error:
        raise UsageError(f"{text!r:.40} is no time of a session") from error
    return at.isoformat()


def _said(turn: dict[str, Any]) -> str:
    image = turn.get("blip_caption")
    shared = f" [shared image: {image}]" if image else ""
    return f"{turn['speaker']}: {turn['text']}{shared}"


def _origin(name: str) -> str:
    return f"channel:locomo/{name}/all"
