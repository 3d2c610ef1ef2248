"""The tools that write: remember and forget. What a model says is extraction: untrusted, confined,
scanned; it may not replace what a trusted source said, nor forget it unless the person allows."""

from __future__ import annotations

from tideline_cli.errors import WriteBlockedError
from tideline_cli.memory import amend
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import NewFact
from tideline_cli.policy.gate import confined, may_touch
from tideline_cli.serve.mcp.safe import SHORT, safe_text
from tideline_cli.store import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact, Segment
    from tideline_cli.model.source import Source
    from tideline_cli.policy.contradictions import ComparedFact
    from tideline_cli.serve.mcp.service import Door, Service

SOURCE: Source = "extraction"
"""Who a model is: the door says so, and no argument."""


def stored(door: Door, given: dict[str, Any], service: Service) -> dict[str, Any]:
    """Store a fact, and return what became of it."""
    segment: Segment = given["segment"] or "knowledge"
    new = NewFact(
        given["text"],
        confined(segment, SOURCE),
        SOURCE,
        door.viewer,
        tags=tuple(door.setting("tags", ())),
        slot=given["slot"],
        scope=door.scope(None),
        agent=door.agent(service.agent),
        assumed=() if given["segment"] else ("segment",),
    )
    fact_id = service.new_id(door.now)
    done = remember(door.writing(), new, fact_id=fact_id, now=door.now)
    told: dict[str, Any] = {"action": done.action, "id": done.fact.id}
    if done.fact.segment != segment:
        told["segment"] = done.fact.segment
    if done.superseded:
        told["superseded"] = list(done.superseded)
    if done.secrets:
        told["secrets_taken_out"] = done.secrets

    def named(fact: Fact | ComparedFact) -> dict[str, Any]:
        text = safe_text(fact.content, SHORT, show_secrets=service.show_secrets)
        return {"id": fact.id, "text": text}

    if done.may_contradict:
        told["may_contradict"] = [
            named(one) | {"command": door.call("forget", one.id)} for one in done.may_contradict
        ]
    if done.similar:
        told["similar"] = [named(one) for one in done.similar]
    return told | {"undo": door.call("undo", str(done.batch))}


def forgotten(door: Door, given: dict[str, Any], service: Service) -> dict[str, Any]:
    """Archive facts, all or none, and return which. The reason is for the person who approves the
    call: it is a model's text, which may quote a fact, so it is not stored."""
    seen = door.reading()
    if seen is None:
        raise facts.missing(given["ids"][0])
    named = [door.reference(one) for one in given["ids"]]
    if not service.forgets_any:
        _refuse_trusted(door, seen, named)
    done = amend.forget(door.writing(), named, viewer=door.viewer, now=door.now)
    told: dict[str, Any] = {"archived": [fact.id for fact in done.changed]}
    if done.kept:
        told["archived_before"] = [fact.id for fact in done.kept]
    if done.batch is not None:
        told["undo"] = door.call("undo", str(done.batch))
    return told


def _refuse_trusted(door: Door, db: Connection, named: list[str]) -> None:
    """Raise WriteBlockedError for facts that a model may not archive by itself."""
    kept = [
        fact.id
        for fact in facts.named(db, named, viewer=door.viewer)
        if not may_touch(SOURCE, fact.source)
    ]
    if kept:
        raise WriteBlockedError(
            f"write-gate: a program may not forget what a trusted source said: {', '.join(kept)}",
            hint=f"ask the person to run `{door.call('forget', *kept)}`, or to start the server "
            "with --forget-any",
            code="write_gate_blocked",
        )
