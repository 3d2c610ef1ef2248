"""Facts that end because another fact replaces them, and slots painted anew: stored with the edges
between them."""

from __future__ import annotations

from tideline_cli.model.edge import SUPERSEDES
from tideline_cli.model.source import is_trusted
from tideline_cli.policy.gate import check_work
from tideline_cli.policy.periods import as_said, ended, holds_from
from tideline_cli.policy.slots import (
    Ended,
    holds_at,
    moved_in,
    painted,
    restored_last,
    retimed,
    said_last,
    same_place,
    successor,
    told_anew,
    with_words,
)
from tideline_cli.store import labels, links, statements, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.store.reads import Read


def mates_of(fact: Fact, *, viewer: Origin) -> Read[list[tuple[Fact, str]]]:
    """Read the values of a slot when a fact of it begins, as said, with their terms."""
    held = yield from labels.values_of(str(fact.slot), scope=fact.scope, viewer=viewer)
    there = holds_at([mate for mate, _ in held], max(holds_from(fact), fact.created_at))
    ids = {mate.id for mate in there}
    return [(as_said(mate), terms) for mate, terms in held if mate.id in ids]


def replace_others(
    db: Connection, holder: Fact, new: Fact, *, named: Sequence[Fact], is_now: bool = True
) -> tuple[Fact, list[Ended]]:
    """Let the fact that says what `new` says end those that it names, and what its slot held, as
    far as it may; return it as its slot shows it, and what ends. What a row of a file says is said
    at the time of the row, and not `is_now`."""
    now, past = new.created_at, []
    at = max(holds_from(holder), min(holds_from(new), now))
    for fact in named:
        if fact.id != holder.id:
            # Without an end of its own, a value paints over the one that it names.
            is_painted = same_place(holder, fact) and holder.valid_to is None
            is_painted = is_painted and holds_from(fact) <= at
            after = fact if is_painted else ended(fact, at=at, now=now)
            past.append(Ended(fact, after, holder, SUPERSEDES))
    is_new = holder.id == new.id
    give_way(db, past, now=now, is_new=is_new)
    elsewhere = {(one.after.slot, one.after.scope): one.after for one in past
                 if one.after.slot is not None and not same_place(one.after, holder)}  # fmt: skip
    for fact in elsewhere.values():
        repaint(db, fact, now=now, by=None)
    if holder.slot is not None:
        linked = {one.before.id for one in past}
        holder, painted_over = repaint(
            db, holder, now=now, by=holder, linked=linked, is_said=is_now, is_new=is_new
        )
        shown = {one.before.id: one for one in painted_over}
        past = [
            Ended(one.before, shown.pop(one.before.id).after, holder, SUPERSEDES)
            if one.before.id in shown else one for one in past
        ] + list(shown.values())  # fmt: skip
    check_work(new.source, new.agent, [one.before for one in past])
    return holder, past


def give_way(
    db: Connection, ended: Iterable[Ended], *, now: int, is_new: bool = False
) -> None:
    """Store what each fact becomes and link its successor, which may be new, to it; part of the
    caller's batch."""
    for end in ended:
        writes.change(db, end.before, end.after)
        links.add_all(db, end.by.id, end.link_kinds, end.before.id, now=now, is_new=is_new)


def repaint(
    db: Connection, fact: Fact, *, now: int, by: Fact | None,
    said: Mapping[str, int] | None = None, linked: Container[str] = (), is_said: bool = False,
    but: Container[str] = (), is_new: bool = False,
) -> tuple[Fact, list[Ended]]:  # fmt: skip
    """Paint the time line of the slot of a fact as its statements say, in the caller's batch.
    Return the fact as it shows it, and the values that hold for a shorter time `by` another, each
    with an edge from that one, unless it is among the `linked`. Without `by`, that is the value
    that begins where it ends. `said` tells when values were last said, where the journal does not.
    One that `is_said` now is said later than all that its slot knows. Those `but` which the slot is
    painted go in the same batch. `is_new`: `by` has no edge yet.
    """
    assert fact.slot is not None  # noqa: S101  for the type checker
    values = labels.painted_values(db, fact.slot, scope=fact.scope, viewer=fact.origin)
    values = [one for one in values if one.id not in but]
    if len(values) == 1 and values[0].statement is None:
        return fact, []
    if said is None:
        said = _said(db, fact, values)
    told = values
    if is_said:
        last = said_last(fact, values, said, now=now)
        told = [last if one.id == fact.id else one for one in values]
    after = {one.id: one for one in painted(told, said)}
    gone: list[Ended] = []
    for value in values:
        shown = after.get(value.id, value)
        writes.change(db, value, shown)
        other = by or successor(shown, after.values())
        if other is not None and value.id != other.id and _is_shorter(value, shown):
            gone.append(Ended(value, shown, other))
            # What nobody vouches for makes no edge at what is vouched for.
            may_link = by is not None or is_trusted(value.source) or not is_trusted(other.source)
            if may_link and value.id not in linked:
                kinds = gone[-1].link_kinds
                links.add_all(db, other.id, kinds, value.id, now=now, is_new=is_new)
    return after.get(fact.id, fact), gone


def hold_again(db: Connection, fact: Fact, said: Mapping[str, int], *, now: int) -> Fact:
    """Let a restored value hold as it was said, and where its slot has no other; return it as its
    slot shows it. `said` tells when it was last said before."""
    assert fact.slot is not None  # noqa: S101  for the type checker
    values = labels.painted_values(db, fact.slot, scope=fact.scope, viewer=fact.origin)
    after = restored_last(fact, values, {**_said(db, fact, values), **said}, now=now)
    writes.change(db, fact, after)
    return repaint(db, after, now=now, by=None)[0]


def repeated(db: Connection, before: Fact, after: Fact, *, new: Fact) -> Fact:
    """Return `after`, which `before` becomes as `new` says it again, with what is known of it."""
    if before.slot is not None:
        return told_anew(before, after, **kept_words(db, before, after))
    is_timed = (new.valid_from, new.valid_to) != (None, None)
    return told_anew(before, after, **moved_in(now=new.created_at, is_timed=is_timed))


def kept_words(db: Connection, before: Fact, after: Fact) -> dict[str, Any]:
    """Return what stays said of a value of a slot that is said again: of other times."""
    if not retimed(before, after):
        return {}
    return with_words(before, _said(db, before, [before]))


def _said(db: Connection, fact: Fact, values: Iterable[Fact]) -> dict[str, int]:
    """Return when values of the slot of a fact were last said, by id."""
    times = statements.times(db, viewer=fact.origin, ids=[one.id for one in values])
    return {fact_id: at.said_at for fact_id, at in times.items()}


def _is_shorter(before: Fact, after: Fact) -> bool:
    is_over = before.lifecycle == "active" and after.lifecycle != "active"
    begins_later = holds_from(after) > holds_from(before)
    ends = after.valid_to is not None and (
        before.valid_to is None or after.valid_to < before.valid_to
    )
    return is_over or begins_later or ends
