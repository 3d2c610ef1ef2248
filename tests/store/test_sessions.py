"""Neighbours: what was said before and after a fact, by a plain walk over the facts."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support import NOW, fact, fresh_store, named_id, put
from tideline_cli.model.origin import OWNER, Origin
from tideline_cli.model.source import is_trusted
from tideline_cli.store import sequences, visibility
from tideline_cli.store.facts import Filter

GUEST = Origin("channel:a/b/c")
drawn = st.fixed_dictionaries({
    "origin": st.sampled_from((OWNER, OWNER, GUEST)),
    "session": st.sampled_from(("s", "s", "t", None)),
    "turn": st.sampled_from((0, 1, 2, 3, None)),
    "source": st.sampled_from(("owner_message", "channel_message", "tool_output")),
    "scope": st.sampled_from((None, None, "x")),
    "lifecycle": st.sampled_from(("active", "active", "archived", "pruned")),
    "valid_from": st.sampled_from((None, None, NOW, NOW + 1)),
    "valid_to": st.sampled_from((None, None, NOW, NOW + 1)),
})  # fmt: skip


def holds(one, instant, *, is_past):
    """Say whether a fact holds: today by its lifecycle too, in the past from when it was made."""
    since = one.valid_from if one.valid_from is not None else one.created_at if is_past else 0
    if one.lifecycle == "pruned" or (one.lifecycle != "active" and not is_past):
        return False
    return since <= instant and (one.valid_to is None or one.valid_to > instant)


def walked(stored, own, instant, *, is_past):
    """Return the neighbours of a fact by looking at all facts."""
    mine = stored[own]

    def group(one):
        return one.origin, one.session, one.scope, is_trusted(one.source)

    row = sorted(
        (one.turn, seq) for seq, one in stored.items()
        if one.turn is not None and group(one) == group(mine)
        and (seq == own or holds(one, instant, is_past=is_past))
    )  # fmt: skip
    at = row.index((mine.turn, own))
    return [seq for _, seq in (*row[max(0, at - 1) : at], *row[at + 1 : at + 2])]


@given(st.lists(drawn, max_size=14), st.sampled_from((NOW - 1, NOW, NOW + 2)), st.booleans())
def test_neighbours_are_those_of_a_walk(rows, instant, is_past):
    """They are the facts next to one in its session, of its origin, scope and trust, that hold; and
    no fact of another origin is answered for."""
    with fresh_store() as db:
        made = [
            fact(f"words {n}", named_id(f"{n:02}"), now=NOW - 5, **row)
            for n, row in enumerate(rows)
        ]
        put(db, made)
        stored = dict(enumerate(made, 1))
        for viewer in (OWNER, GUEST):
            number = visibility.number(db, viewer)
            found = sequences.around(
                db, list(stored), origin_number=number, now=instant, has_chunks=True,
                wanted=Filter(as_of=instant if is_past else None),
            )  # fmt: skip
            assert found.beside == {
                seq: walked(stored, seq, instant, is_past=is_past) for seq, one in stored.items()
                if one.origin == viewer and one.session is not None and one.turn is not None
            }  # fmt: skip
