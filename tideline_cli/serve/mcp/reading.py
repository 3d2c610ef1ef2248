"""The tools that read: recall and show. Recall counts as use, show does not."""

from __future__ import annotations

from tideline_cli.errors import AmbiguousError, NotFoundError
from tideline_cli.memory.answer import answered
from tideline_cli.memory.query import DEFAULT_LIMIT, Query
from tideline_cli.memory.recall import write_back
from tideline_cli.model.instant import DAY_MS
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.serve.mcp.arguments import instant_of
from tideline_cli.serve.mcp.safe import NOTICE, SHORT, safe_text, safe_value
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.timeline import Moment
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Hit
    from tideline_cli.serve.mcp.service import Door, Service

_LINKED = 80  # characters of the text of a linked fact
_MOST_LINKS = 20


def hits_of(door: Door, given: dict[str, Any], service: Service) -> dict[str, Any]:
    """Return the facts that answer a query, best first, and those that match and hold no more; the
    use of the first counts, but for the past."""
    as_of = instant_of(given, "as_of", now=door.now, ends=True)
    query = Query(
        given["query"],
        limit=given["limit"] or min(door.setting("limit", DEFAULT_LIMIT), 25),
        fading=door.setting("fading", DEPTH),
        wanted=Filter(
            as_of=as_of,
            segments=() if given["segment"] is None else (given["segment"],),
            since=instant_of(given, "since", now=door.now),
            scopes=door.scopes(None, everything=False),
        ),
    )
    db = door.reading()
    if db is None:
        return {"hits": []}
    whole = answered(db, query, viewer=door.viewer, now=door.now)
    answer = whole.found
    told: dict[str, Any] = {"hits": [_hit(one, service, now=door.now) for one in answer.hits]}
    for name, found in whole.beside().items():
        if found:
            told[name] = [_gone(one, service) for one in found]
    if answer.lacking is not None:
        from tideline_cli.memory import lanes  # noqa: PLC0415  an embedder that cannot be had

        lanes.forget_named()  # the next call looks for it anew: it may be there by then
        told["found_by"] = safe_text(f"words alone: {answer.lacking.message}")
    write_back(db, answer, touch=as_of is None and query.touches, now=door.now)
    return told | {"notice": NOTICE} if answer.hits or whole.archived or whole.ended else told


def _gone(one: dict[str, Any], service: Service) -> dict[str, Any]:
    """Return a fact that matches and holds no more: `archived_at` and why, or `ended_at`."""
    text = safe_text(one["content"], SHORT, show_secrets=service.show_secrets)
    told = {"id": one["id"], "text": text}
    return told | {name: value for name, value in one.items() if name not in ("id", "content")}


def _hit(hit: Hit, service: Service, *, now: int) -> dict[str, Any]:
    fact = hit.fact
    told = {
        "id": fact.id,
        "text": safe_text(fact.content, SHORT, show_secrets=service.show_secrets),
        "segment": fact.segment,
        "score": round(hit.score, 4),
        "age_days": round((now - fact.created_at) / DAY_MS, 1),
        "weak": hit.weak,
    }
    return told if fact.lifecycle == "active" else told | {"lifecycle": fact.lifecycle}


def facts_of(door: Door, given: dict[str, Any], service: Service) -> dict[str, Any]:
    """Return whole facts; the references that name none are told as missing."""
    db = door.reading()
    found: list[dict[str, Any]] = []
    missing: list[str] = []
    for reference in given["ids"]:
        try:
            whole = _whole(door, service, db, reference)
        except (NotFoundError, AmbiguousError) as error:
            missing.append(safe_text(error.message, SHORT))
        else:
            found += [whole] if whole["id"] not in (one["id"] for one in found) else []
    if not found:
        raise NotFoundError("; ".join(missing))
    return {"facts": found, "missing": missing, "notice": NOTICE}


def _whole(
    door: Door, service: Service, db: Connection | None, reference: str
) -> dict[str, Any]:
    from tideline_cli.memory import timeline  # noqa: PLC0415  recall needs none of it
    from tideline_cli.model import codec  # noqa: PLC0415  as above
    from tideline_cli.ranking.fading import Eviction  # noqa: PLC0415  as above
    from tideline_cli.store import facts  # noqa: PLC0415  as above

    if db is None:
        raise facts.missing(reference)
    fact = facts.find(db, door.reference(reference), viewer=door.viewer)
    rule = Eviction(after_owner_ms=door.setting("evict_after_owner", None))
    life = timeline.of_fact(db, fact.id, rule, viewer=door.viewer, now=door.now)
    form = codec.fact_form(fact)
    hidden = ("id", "content", "origin")
    labels = {
        name: value
        for name, value in form.items()
        if name not in hidden and value not in (None, [], False)
    }
    why = next(_reasons(one) for one in life if one.fact.id == fact.id)
    return {
        "id": fact.id,
        "text": safe_text(fact.content, show_secrets=service.show_secrets),
        **why,
        **safe_value(labels, show_secrets=service.show_secrets),
        **_links(door, service, db, fact),
    }


def _reasons(moment: Moment) -> dict[str, Any]:
    """Return why a fact is in force, or why it is not."""
    from tideline_cli.model.instant import iso  # noqa: PLC0415  recall tells no time

    told: dict[str, Any] = {"state": moment.state, "since": iso(moment.since)}
    if moment.until is not None:
        told["until"] = iso(moment.until)
    if moment.by is not None:
        told["replaced_by"] = moment.by
    if moment.strength is not None:
        told["strength"] = round(moment.strength, 3)
    if moment.fades_at is not None and moment.fades_at > 0:
        told["fades_at"] = iso(moment.fades_at)
    return told


def _links(door: Door, service: Service, db: Connection, fact: Fact) -> dict[str, Any]:
    """Return the first links of a fact, both ways, and how many more there are."""
    from tideline_cli.model.edge import INVERSE  # noqa: PLC0415  recall needs none of it
    from tideline_cli.store import facts, links  # noqa: PLC0415  as above

    ends = [(link.kind, link.target, link.reason) for link in links.leaving(
        db, fact.id, viewer=door.viewer)]  # fmt: skip
    ends += [(INVERSE.get(link.kind, f"{link.kind} (from)"), link.source, link.reason)
             for link in links.arriving(db, fact.id, viewer=door.viewer)]  # fmt: skip
    told = []
    for kind, end, reason in ends[:_MOST_LINKS]:
        text = facts.find(db, end, viewer=door.viewer).content
        said = safe_text(text, _LINKED, show_secrets=service.show_secrets)
        one = {"kind": safe_text(kind, SHORT), "id": end, "text": said}
        if reason:
            one["reason"] = safe_text(reason, SHORT, show_secrets=service.show_secrets)
        told.append(one)
    more = len(ends) - len(told)
    return {"links": told} | ({"more_links": more} if more else {})
