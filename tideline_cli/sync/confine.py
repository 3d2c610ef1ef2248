"""What a place may say that others can write, and for which the owner does not vouch."""

from __future__ import annotations

from tideline_cli.memory.screening import threats_in
from tideline_cli.memory.secret_screening import searched
from tideline_cli.model.edge import REPLACING
from tideline_cli.model.fact import SEGMENTS, initial_heat
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import Record, replace
from tideline_cli.policy.gate import confined as confined_segment
from tideline_cli.store import purge_rows, sync_registers, sync_state
from tideline_cli.sync.operations import AddOp, BatchOp, EdgeOp, PurgeOp, SetOp, UseOp
from tideline_cli.sync.registers import GONE, is_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

    from apsw import Connection

    from tideline_cli.store.sync_registers import FactRow
    from tideline_cli.sync.operations import Operation

SOURCE: Final = "retrieved_document"
"""Who says what such a place says: as with an import that nobody vouches for."""
_ALLOWED = ("content", "created_at", "origin", "kind", "title", "tags", "valid_from", "valid_to",
            "scope", "session", "turn", "speaker", "role", "source_turn", "lifecycle", "metadata",
            "derived_from")  # fmt: skip
_CHANGED = frozenset(("lifecycle", "valid_to", "present", GONE))


class Confined(Record):
    """What is taken of what a place tells; the ids of the facts that are new and `strangers`, and
    of those of which something was `refused`."""

    taken: list[Operation]
    strangers: set[str]
    refused: set[str]


def confined_words(db: Connection, told: Sequence[Operation], *, place: int) -> Confined:
    """Return what is taken of what a place tells. A fact that is new here is taken as text from
    outside: of no standing, without its secrets, and not at all where the scan finds an attack. The
    place may change and take back what is known from it alone."""
    ids = {one.id for one in told if isinstance(one, AddOp | SetOp)}
    ids |= {end for one in told if isinstance(one, EdgeOp) for end in (one.source, one.target)}
    ids |= {fact_id for one in told if isinstance(one, PurgeOp) for fact_id in one.ids}
    rows, stored = sync_registers.facts(db, ids), sync_registers.in_table(db, ids)
    own = {one for one, row in rows.items() if _is_of(row, place)}
    here = sync_state.SyncState(db).own_id
    new = ids - rows.keys() - stored.keys()
    taken: list[Operation] = []
    strangers, refused = set[str](), set[str]()
    for one in told:
        match one:
            case BatchOp() if one.stamp[1] != here:
                taken.append(replace(one, origin=OWNER.key))
            case AddOp() if one.id in new and not threats_in(_text(one)):
                taken.append(replace(one, values=_plain(one)))
                own.add(one.id)
                strangers.add(one.id)
            case AddOp() if one.id in new:
                refused.add(one.id)
            case SetOp() if one.id in own and one.values.keys() <= _CHANGED:
                taken.append(replace(one, values=_unexplained(one.values)))
            case EdgeOp() if {one.source, one.target} <= own and one.kind not in REPLACING:
                taken.append(one)
            case PurgeOp():
                gone = tuple(fact_id for fact_id in one.ids if fact_id in own)
                if gone and not _reaches_own(db, gone, place):
                    gone = ()
                taken += [PurgeOp(gone)] if gone else []
                refused |= {known for known in one.ids if known in stored} - {*gone}
            case SetOp() | EdgeOp() if one.stamp[1] != here:
                refused.add(one.id if isinstance(one, SetOp) else one.source)
            case BatchOp() | SetOp() | EdgeOp() | UseOp() | AddOp():
                pass
    return Confined(taken, strangers, refused)


def _reaches_own(db: Connection, ids: Sequence[str], place: int) -> bool:
    """Say whether a purge of these takes nothing that is known from elsewhere with it."""
    seqs = [seq for seq, _ in sync_registers.in_table(db, ids).values()]
    reached = set(purge_rows.with_citers(db, seqs, viewer=EVERYONE).values())
    rows = sync_registers.facts(db, reached)
    return all(one in rows and _is_of(rows[one], place) for one in reached)


def _is_of(row: FactRow, place: int) -> bool:
    """Say whether a fact, and all that was said of it, is known from this place alone."""
    stamps = [mark for name, mark in row.marks.items() if is_stamp(name)]
    return row.clock > 0 and row.place == place and all(mark[3] == place for mark in stamps)


def _unexplained(values: Mapping[str, object]) -> dict[str, object]:
    """Return what is stated without why a fact is archived: what faded or was merged is announced,
    and nobody vouches for that."""
    return {name: None if name == GONE else value for name, value in values.items()}


def _text(one: AddOp) -> str:
    return "\n".join(str(one.values[name] or "") for name in ("title", "content"))


def _plain(one: AddOp) -> dict[str, object]:
    """Return the fields of a fact for which nobody vouches."""
    stated = one.values
    segment = confined_segment(stated["segment"], SOURCE)
    defaults = SEGMENTS[segment]
    values: dict[str, object] = dict.fromkeys(stated)
    values |= {name: stated[name] for name in _ALLOWED}
    values |= {
        "source": SOURCE, "origin": OWNER.key, "segment": segment, "tier": defaults.tier,
        "heat": initial_heat(segment, None, defaults.tier, defaults.importance),
        "importance": min(float(stated["importance"]), defaults.importance),
        "decay_rate": max(float(stated["decay_rate"] or 0), defaults.decay_rate), "pinned": False,
    }  # fmt: skip
    found, _ = searched(values)
    return found
