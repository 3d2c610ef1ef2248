"""Which of two states of one fact is the later one, and the fact as it is in that state. Pure."""

from __future__ import annotations

from tideline_cli.model.fields import CHANGEABLE
from tideline_cli.model.record import replace
from tideline_cli.model.saying import as_told
from tideline_cli.policy.gate import may_touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.saying import Times

    Change = Literal["archived", "restored", "relabelled"]

# How warm a fact is moves by dreams; what it cites may wait for facts to come.
_STATE = tuple(name for name in CHANGEABLE if name not in ("heat", "derived_from", "metadata"))
_OWN = ("original_id",)  # keys of the metadata that say where a row came from


def brought(known: Fact, at: Times, stated: Fact, stated_at: Times) -> Fact:
    """Return a known fact in the state that another machine states, if that is the later one and
    its source may touch it; else the fact as it is."""
    if not may_touch(stated.source, known.source) or _state(known) == _state(stated):
        return known
    if _rank(stated, stated_at) <= _rank(known, at):
        return known
    stated = as_told(stated)
    own = {name: value for name, value in (known.metadata or {}).items() if name in _OWN}
    metadata = {**(stated.metadata or {}), **own} or None
    values = {name: getattr(stated, name) for name in _STATE}
    return replace(known, **values, heat=stated.heat, metadata=metadata)


def is_same(one: Fact, other: Fact) -> bool:
    """Say whether two facts are in one state."""
    return _state(one) == _state(other)


def change(before: Fact, after: Fact) -> Change:
    """Return what a later state has changed."""
    if before.lifecycle == after.lifecycle:
        return "relabelled"
    return "restored" if after.lifecycle == "active" else "archived"


def is_forgotten(fact: Fact, at: Times) -> bool:
    """Say whether a fact is archived by somebody's word: a pass that archives leaves its mark
    later than the last word."""
    fact = as_told(fact)
    return fact.lifecycle != "active" and (fact.valid_to or 0) <= at.changed_at


def _rank(fact: Fact, at: Times) -> tuple[int, bool, int, str]:
    """Return the key by which the later state is the greater: when it was stated; of equals, that
    somebody has forgotten the fact, then when a pass has archived it, or when it was last used."""
    fact = as_told(fact)
    is_active = fact.lifecycle == "active"
    last = fact.last_accessed_at if is_active else fact.valid_to or at.changed_at
    return at.changed_at, is_forgotten(fact, at), last, repr(_state(fact))


def _state(fact: Fact) -> list[Any]:
    """Return what was said of a fact: what its slot shows of it follows from that."""
    fact = as_told(fact)
    metadata: Mapping[str, Any] = fact.metadata or {}
    plain = {name: value for name, value in sorted(metadata.items()) if name not in _OWN}
    return [*(getattr(fact, name) for name in _STATE), plain]
