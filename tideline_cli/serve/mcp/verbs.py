"""What the tools do: recall, show and timeline read, remember and forget write. Recall counts as
use, show does not. What a model says is extraction: untrusted, confined, scanned; it may not
replace what a trusted source said, nor forget it unless the person allows."""

from __future__ import annotations

from tideline_cli.errors import AmbiguousError, NotFoundError, UsageError, WriteBlockedError
from tideline_cli.memory import amend, lanes, timeline, told_changes, turns
from tideline_cli.memory.answer import answered, elsewhere
from tideline_cli.memory.context import DATES_MS, said_on
from tideline_cli.memory.query import DEFAULT_LIMIT, Query
from tideline_cli.memory.recall import write_back
from tideline_cli.memory.remember import remember
from tideline_cli.model import codec
from tideline_cli.model.edge import INVERSE
from tideline_cli.model.fact import NewFact
from tideline_cli.model.instant import DAY_MS, iso
from tideline_cli.model.scope import of_said
from tideline_cli.policy.gate import confined, may_touch
from tideline_cli.policy.render import with_title
from tideline_cli.ranking.decay import DEPTH
from tideline_cli.ranking.fading import Eviction
from tideline_cli.serve.mcp.results import NOTICE, SHORT, safe_text, safe_value
from tideline_cli.serve.mcp.tools import instant_of
from tideline_cli.store import facts, history, images, links
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from apsw import Connection

    from tideline_cli.memory.timeline import Moment
    from tideline_cli.model.fact import Fact, Segment
    from tideline_cli.model.hit import Hit
    from tideline_cli.model.source import Source
    from tideline_cli.policy.contradictions import ComparedFact
    from tideline_cli.serve.mcp.tools import Door, Service
    from tideline_cli.store.history import Entry

    Told = tuple[Entry, str | None]

_LINKED = 80  # characters of the text of a linked fact
_QUOTED = 500  # characters of a turn
_MOST_LINKS = 20


def hits_of(door: Door, given: dict[str, Any], service: Service) -> dict[str, Any]:
    """Return the facts that answer a query, best first, those that match and hold no more, and
    where it is asked for or set the turns of sessions; the use of the first counts, but for the
    past."""
    as_of = instant_of(given, "as_of", now=door.now, ends=True)
    if as_of is not None and given["sessions"]:
        raise UsageError("sessions does not go with as_of: a turn was said once")
    query = Query(
        given["query"],
        limit=given["limit"] or min(door.setting("limit", DEFAULT_LIMIT), 25),
        fading=door.setting("fading", DEPTH),
        wanted=Filter(
            as_of=as_of,
            segments=() if given["segment"] is None else (given["segment"],),
            since=instant_of(given, "since", now=door.now),
            scopes=door.scopes(service.scope, everything=service.all_scopes),
        ),
    )
    db = door.reading()
    if db is None:
        return {"hits": []}
    whole = answered(db, query, viewer=door.viewer, now=door.now)
    answer = whole.found
    told: dict[str, Any] = {"hits": [_hit(one, service, door) for one in answer.hits]}
    for name, found in whole.beside().items():
        if found:
            told[name] = [_gone(one, service) for one in found]
    if query.wanted.scopes is not None and all(hit.weak for hit in answer.hits):
        _, _, count = elsewhere(db, query, viewer=door.viewer, now=door.now)
        told |= {"other_scopes": count} if count else {}
    room = query.limit if given["sessions"] else query.limit - len(answer.hits)
    is_usual = given["sessions"] is None and as_of is None
    if given["sessions"] or (is_usual and door.setting("recall_sessions", "off") == "on"):
        told |= _turns(door, service, db, query, room)
    if answer.lacking is not None:
        lanes.forget_named()  # the next call looks for it anew: it may be there by then
        told["found_by"] = safe_text(f"words alone: {answer.lacking.message}")
    write_back(db, answer, touch=as_of is None and query.touches, now=door.now)
    has_text = answer.hits or whole.archived or whole.ended or "turns" in told
    return told | {"notice": NOTICE} if has_text else told


def _turns(
    door: Door, service: Service, db: Connection, query: Query, room: int
) -> dict[str, Any]:
    """Return the turns of sessions that answer, at most so many; nothing where none does."""
    asked = turns.Asked(query.text, room, query.wanted.scopes)
    found = turns.search(db, asked, viewer=door.viewer, now=door.now) if room > 0 else []
    forms = [
        {"role": one.turn.role, "said_at": iso(one.turn.said_at), "session": one.session.name,
         "client": one.session.client, "turn": one.turn.place, "text": one.turn.content}
        for one in found
    ]  # fmt: skip
    told = safe_value(forms, _QUOTED, show_secrets=service.show_secrets)
    return {"turns": told} if forms else {}


def _gone(one: dict[str, Any], service: Service) -> dict[str, Any]:
    """Return a fact that matches and holds no more: `archived_at` and why, or `ended_at`."""
    told = {"id": one["id"], "text": _short(one.get("title"), one["content"], service)}
    hidden = ("id", "content", "title")
    return told | {name: value for name, value in one.items() if name not in hidden}


def _short(title: str | None, text: str, service: Service) -> str:
    """Return the beginning of a fact behind its title."""
    most = SHORT + len(title or "")
    return safe_text(with_title(title, text), most, show_secrets=service.show_secrets)


def _hit(hit: Hit, service: Service, door: Door) -> dict[str, Any]:
    fact, now = hit.fact, door.now
    day = said_on(fact, now=now, after_ms=door.setting("dates", DATES_MS))
    told = {
        "id": fact.id,
        "text": _short(fact.title, fact.content, service) + (f" (said {day})" if day else ""),
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


def _whole(door: Door, service: Service, db: Connection | None, reference: str) -> dict[str, Any]:
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
        "text": safe_text(with_title(fact.title, fact.content), show_secrets=service.show_secrets),
        **why,
        **safe_value(labels, show_secrets=service.show_secrets),
        **_links(door, service, db, fact),
    }


def _reasons(moment: Moment) -> dict[str, Any]:
    """Return why a fact is in force, or why it is not."""
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
    ends = [(link.kind, link.target, link.reason) for link in links.leaving(
        db, fact.id, viewer=door.viewer)]  # fmt: skip
    ends += [(INVERSE.get(link.kind, f"{link.kind} (from)"), link.source, link.reason)
             for link in links.arriving(db, fact.id, viewer=door.viewer)]  # fmt: skip
    told = []
    for kind, end, reason in ends[:_MOST_LINKS]:
        linked = facts.find(db, end, viewer=door.viewer)
        text, most = with_title(linked.title, linked.content), _LINKED + len(linked.title or "")
        said = safe_text(text, most, show_secrets=service.show_secrets)
        one = {"kind": safe_text(kind, SHORT), "id": end, "text": said}
        if reason:
            one["reason"] = safe_text(reason, SHORT, show_secrets=service.show_secrets)
        told.append(one)
    more = len(ends) - len(told)
    return {"links": told} | ({"more_links": more} if more else {})


_USUAL_CHANGES = 20
_TELLING = ("content", "segment", "slot", "kind", "source", "tags")  # of a fact that came or went


def changes_of(door: Door, given: dict[str, Any], service: Service) -> dict[str, Any]:
    """Return the changes, each with the values that it changed."""
    reference, limit = given["id"], given["limit"] or _USUAL_CHANGES
    since = instant_of(given, "since", now=door.now)
    until = instant_of(given, "until", now=door.now, ends=True)
    if since is not None and until is not None and since > until:
        raise UsageError("since is after until: nothing lies between")
    db = door.reading()
    if db is None:
        if reference is not None:
            raise facts.missing(reference)
        return {"changes": []}
    if reference is None:
        told = _between(door, db, since, until, limit + 1)
    else:
        whole, _ = told_changes.of_fact(db, door.reference(reference), 0, viewer=door.viewer)
        told = [pair for pair in whole[::-1] if _is_within(pair[0].at, since, until)]
    ends = [row for entry, after in told[:limit] if entry.entity == "link"
            for row in (entry.before, after)]  # fmt: skip
    names = told_changes.names_of(db, ends)
    changes = [_change(entry, after, names, service) for entry, after in told[:limit]]
    return {"changes": changes, "more": len(told) > limit} | ({"notice": NOTICE} if changes else {})


def _is_within(at: int, since: int | None, until: int | None) -> bool:
    return (since is None or at >= since) and (until is None or at <= until)


def _between(
    door: Door, db: Connection, since: int | None, until: int | None, most: int
) -> list[Told]:
    """Return the newest changes between two times; of a batch the first ones."""
    told: list[Told] = []
    for batch in history.batches(db, viewer=door.viewer):
        if len(told) == most:
            break
        if _is_within(batch.at, since, until):
            some = history.entries_in(db, batch, viewer=door.viewer, most=most - len(told))
            entries = list(history.with_whole_images(db, some))
            told += [(entry, _after(db, entry)) for entry in entries]
    return told


def _after(db: Connection, entry: Entry) -> str | None:
    """Return a row as a change left it: as the next change found it, or as it is now."""
    if entry.act in (None, "-") or entry.row is None or entry.change is None:
        return None
    if entry.entity == "fact":
        return images.state_before(db, entry.row, entry.change + 1)
    return images.row_image(db, entry.entity or "fact", entry.row)


def _change(
    entry: Entry, after: str | None, names: dict[int, str], service: Service
) -> dict[str, Any]:
    form = told_changes.form_of(entry, after, names)
    before, later = form["before"], form["after"]
    if entry.act == "~" and before and later:
        changed = [name for name in later if before.get(name) != later[name]]
        before = {name: before.get(name) for name in changed}
        later = {name: later[name] for name in changed}
    elif entry.entity == "fact":
        before, later = _telling(before), _telling(later)
    told = {"at": form["at"], "verb": entry.verb, "batch": entry.batch, "id": entry.fact,
            "did": f"{form['act'] or form['outcome']} {entry.entity or ''}".rstrip(),
            "reason": entry.reason, "before": before, "after": later}  # fmt: skip
    full = {name: value for name, value in told.items() if value not in (None, {})}
    told_safely: dict[str, Any] = safe_value(full, SHORT, show_secrets=service.show_secrets)
    return told_safely


def _telling(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return what tells a fact of the row that came or went."""
    if row is None:
        return None
    return {name: row[name] for name in _TELLING if row.get(name) not in (None, [], "")}


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
        scope=of_said(door.scope(service.scope), segment, None),
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
        return {"id": fact.id, "text": _short(fact.title, fact.content, service)}

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


VERBS: Mapping[str, Callable[[Door, dict[str, Any], Service], dict[str, Any]]] = {
    "recall": hits_of, "show": facts_of, "timeline": changes_of,
    "remember": stored, "forget": forgotten,
}  # fmt: skip
