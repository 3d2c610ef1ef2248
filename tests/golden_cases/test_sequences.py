"""Scripts of writes and recalls against the reference's results and final stores."""

from __future__ import annotations

import pytest

from tests.support import (
    DAY,
    NOW,
    deviation,
    fresh_store,
    golden,
    joined,
    reference_fact,
    reference_origin,
)
from tideline_cli.dream.plan import Settings
from tideline_cli.dream.run import dream
from tideline_cli.errors import NotFoundError, UsageError, WriteBlockedError
from tideline_cli.memory import amend
from tideline_cli.memory.query import Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.memory.remember import remember
from tideline_cli.model.edge import INVERSE, SYMMETRIC
from tideline_cli.model.fact import SEGMENTS, NewFact, clamped, slot_key
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.record import as_dict, replace
from tideline_cli.policy.transitions import DOWN, UP
from tideline_cli.store import facts, history, journal, links, listing, uses, writes
from tideline_cli.store.connection import put_setting
from tideline_cli.store.facts import Filter

CASES = golden("store_sequences")["sequences"]

LEFT_OUT = frozenset(("vault_list",))
"""Operations on what we do not have: notes of a vault. They change no fact."""

HANDLED = frozenset(
    "write recall search list origins feedback reactivate invalidate link promote evict "
    "lifecycle dream".split()
)


class Script:
    """One sequence played on a store of ours."""

    def __init__(self, db):
        self.db = db
        self.now = NOW
        self.made = 0
        self.refused = set()
        self.diverged = set()
        self.backfilled = set()
        self.unmade = set()

    def play(self, op):
        self.now += op.get("advance_days", 0) * DAY
        if op["op"] not in LEFT_OUT:
            getattr(self, op["op"])(op.get("args", {}), op["result"])

    def write(self, args, result):
        if args["segment"] not in SEGMENTS:
            assert deviation("unknown_segment")
            self.refused.add(result["id"])
            return
        importance = args.get("importance", None)
        new = NewFact(
            args["content"], args["segment"], args.get("sourceType", "owner_message"),
            reference_origin(args.get("createdBy")), tier=args.get("tier"),
            importance=float("nan") if "importance" in args and importance is None else importance,
            confidence=args.get("confidence"), slot=args.get("subjectKey"),
            valid_to=args.get("validTo"), supersedes=self._known(args.get("supersedes", ())),
        )  # fmt: skip
        done = remember(self.db, new, fact_id=f"f{self.made}", now=self.now)
        self.made += done.action != "reinforced"
        assert done.fact.id == result["id"]

    def _known(self, named):
        """Return the targets that are there; of others the reference says nothing."""
        if "nope" in named:
            assert deviation("unknown_target")
        return tuple(target for target in named if target != "nope")

    def _active(self, named):
        """Return the active facts named; the reference passes over what is not there."""
        there = listing.each(self.db, viewer=OWNER, wanted=facts.Filter())
        by_id = {fact.id: fact for fact in there}
        return [by_id[fact_id] for fact_id in dict.fromkeys(named) if fact_id in by_id]

    def recall(self, args, result):
        opts = args["opts"]
        if "origin" not in opts and self._origins() != [OWNER.key]:
            assert deviation("whole_store")
            if opts.get("markAccessed", True):
                self._touch(result)
            return
        answer = recall(
            self.db, Query(args["query"]), viewer=reference_origin(opts.get("origin")), now=self.now
        )
        self._compare(answer, result)
        write_back(self.db, answer, touch=opts.get("markAccessed", True), now=self.now)

    def search(self, args, result):
        query = Query(args["query"], mode="keyword")
        answer = recall(self.db, query, viewer=OWNER, now=self.now)
        self._compare(answer, result)
        write_back(self.db, answer, touch=True, now=self.now)

    def list(self, args, result):
        found = listing.each(self.db, viewer=OWNER, wanted=Filter())
        assert [fact.id for fact in found] == result

    def origins(self, args, result):
        assert self._origins() == [reference_origin(form).key for form in result]

    def feedback(self, args, result):
        delta = {"up": UP, "down": DOWN}[args["signal"]]
        done = self._attempt(amend.feedback, args["id"], delta=delta)
        assert (done is not None) == result

    def reactivate(self, args, result):
        done = self._attempt(amend.restore, [args["id"]])
        if result and done is None:
            assert deviation("restore_refused")
            assert self.explicitly_superseded(args["id"])
            self.diverged.add(args["id"])
            return
        assert bool(done and done.changed) == result

    def invalidate(self, args, result):
        done = self._attempt(amend.forget, [args["id"]], superseded_by=args.get("by"))
        assert bool(done and done.changed) == result

    def link(self, args, result):
        at_most = args.get("opts", {}).get("maxPerRecord", links.MOST_OF_A_KIND)
        with journal.batch(self.db, verb="link", by=OWNER, now=self.now):
            made = sum(
                links.relate(
                    self.db, pair["a"], pair.get("kind", "relates"), pair["b"],
                    reason=pair.get("reason"), strength=pair.get("strength"), now=self.now,
                    at_most=at_most,
                )
                for pair in args["pairs"]
            )  # fmt: skip
        ours = {(e.source, e.kind, e.target) for e in links.each(self.db, viewer=OWNER)}
        for pair in args["pairs"]:
            kind = pair.get("kind", "relates")
            back = (pair["b"], INVERSE.get(kind, kind), pair["a"])
            if back not in ours and kind not in SYMMETRIC:
                assert deviation("one_edge")
                self.unmade.add(back)
            elif at_most == 1:
                assert deviation("full_edge")
                self.unmade.add(back)
        assert result - made in range(len(self.unmade) + 1)
        if not result:
            self.backfilled |= {
                (end, pair["reason"])
                for pair in args["pairs"] if "reason" in pair for end in (pair["a"], pair["b"])
            }  # fmt: skip

    def promote(self, args, result):
        found = self._active([args["id"]])
        assert bool(found) == (result is not None)
        for before in found:
            patch = args["patch"]
            after = replace(
                before,
                status=patch.get("status", before.status),
                confidence=clamped(patch.get("confidence"), before.confidence),
                importance=clamped(patch.get("importance"), before.importance),
            )
            with journal.batch(self.db, verb="promote", by=OWNER, now=self.now):
                writes.change(self.db, before, after)
            assert result.items() <= as_dict(before).items()
            assert after == facts.find(self.db, before.id, viewer=OWNER)

    def evict(self, args, result):
        found = self._active(args["ids"])
        with journal.batch(self.db, verb="evict", by=OWNER, now=self.now):
            for fact in found:
                amend.archive_fact(self.db, fact, by=None, now=self.now)
        assert [fact.id for fact in found] == result

    def lifecycle(self, args, result):
        for fact_id in args["ids"]:
            before = facts.find(self.db, fact_id, viewer=OWNER)
            writes.change(self.db, before, replace(before, lifecycle=args["lifecycle"]))

    def explicitly_superseded(self, fact_id):
        arriving = links.arriving(self.db, fact_id, viewer=OWNER)
        return any(link.kind == "supersedes" for link in arriving)

    def _attempt(self, verb, *args, **given):
        """Return what a verb did, None when it refuses."""
        try:
            return verb(self.db, *args, viewer=OWNER, now=self.now, **given)
        except (NotFoundError, WriteBlockedError):
            return None

    def _origins(self):
        return [key for (key,) in self.db.execute("SELECT key FROM origin ORDER BY number")]

    def _compare(self, answer, result):
        assert [hit.fact.id for hit in answer.hits] == [hit["id"] for hit in result]
        assert [hit.score for hit in answer.hits] == pytest.approx(
            [hit["score"] for hit in result], abs=1e-9
        )

    def _touch(self, result):
        for hit in result:
            seq = facts.number_of(self.db, hit["id"], viewer=EVERYONE)
            uses.touch(self.db, [seq], now=self.now)

    def dream(self, args, result):
        assert args == {}
        found = dream(
            self.db, Settings(max_loss=1.0, evict_after_owner_ms=0), viewer=OWNER, now=self.now,
            dry_run=False,
        ).plan
        ours = {
            "reflected": found.reflected,
            "confirmed": [
                {"memoryId": item.before.id, "prior": _prior(item.before)}
                for item in found.confirms
            ],
            "consolidated": [
                {"kept": item.keeper.id, "merged": item.loser.id} for item in found.merges
            ],
            "evicted": [item.fact.id for item in found.fades],
            "related": len(found.relates),
        }
        assert ours == result


def _prior(fact):
    """Return what a promotion logs: what it changes, where it was set."""
    fields = {"confidence": fact.confidence, "status": fact.status, "importance": fact.importance}
    return {name: value for name, value in fields.items() if value is not None}


def stored(db, fact_id):
    """Return our fact with its links, as comparable values."""
    fact = facts.find(db, fact_id, viewer=EVERYONE)
    leaving = links.leaving(db, fact_id, viewer=EVERYONE)
    return fact, [(link.kind, link.target, link.reason, link.strength) for link in leaving]


def wanted(form, script):
    """Return the reference's fact with its links, in our terms."""
    fact = reference_fact(form)
    edges = [
        (link["kind"], link["target"], link.get("reason"), link.get("strength"))
        for link in form.get("links", ())
    ]
    edges = [edge for edge in edges if (form["memoryId"], *edge[:2]) not in script.unmade]
    for fact_id, reason in sorted(script.backfilled):
        if fact_id == form["memoryId"]:
            assert deviation("link_backfill")
            place = next(n for n, edge in enumerate(edges) if edge[0] == "relates")
            edges[place] = (*edges[place][:2], reason, edges[place][3])
    if form.get("supersedes"):
        assert deviation("supersede_links")
        ours = [target for target in form["supersedes"] if target != "nope"]
        edges += [
            (kind, target, None, None) for target in ours for kind in ("supersedes", "transition")
        ]
    return fact, edges


@joined("case", CASES)
def test_sequence(case):
    """Each write and recall gives the reference's result, and the store ends as it does there."""
    with fresh_store() as db:
        put_setting(db, "analyzer", "reference")
        put_setting(db, "sameness", "reference")
        script = Script(db)
        for op in case["ops"]:
            assert op["op"] in LEFT_OUT | HANDLED
            script.play(op)
        for form in case["final_store"]:
            if form["memoryId"] in script.refused | script.diverged:
                continue
            fact, edges = stored(db, form["memoryId"])
            expected, expected_edges = wanted(form, script)
            if fact.content != expected.content:
                assert deviation("content_cap")
                assert fact.content.startswith(expected.content)
                assert len(expected.content) == 1000
                form = form | {"content": fact.content}
                expected, _ = wanted(form, script)
            comparable = reference_comparable(fact)
            assert comparable == reference_comparable(expected)
            assert edges == expected_edges


def reference_comparable(fact):
    """Leave out what the reference's records do not have."""
    return replace(fact, heat="working", statement=None)


@joined(
    "case",
    [c for c in CASES if not any(op["op"] in LEFT_OUT for op in c["ops"])],
)
def test_journal_of_a_sequence(case):
    """The journal tells the same writes as the reference's event log, in order."""
    with fresh_store() as db:
        put_setting(db, "analyzer", "reference")
        put_setting(db, "sameness", "reference")
        script = Script(db)
        for op in case["ops"]:
            script.play(op)
        told = sorted(
            event for key in script._origins() for event in _events(db, reference_key(key))
        )
    events = [(e["at"], e["kind"], e["memoryId"]) for e in case["events"]]
    unlike = script.refused | script.diverged
    assert [event for event in told if event[2] not in unlike] == sorted(
        event for event in events if event[2] not in unlike
    )


def reference_key(key):
    from tideline_cli.model.origin import parse_origin

    return parse_origin(key)


EVENTS = {"feedback": "feedback", "restore": "reinforced", "forget": "invalidated",
          "evict": "evicted", "promote": "confirmed", "dream": "confirmed"}  # fmt: skip


def _events(db, viewer):
    by_batch = {}
    for entry in history.entries(db, viewer=viewer, limit=100):
        by_batch.setdefault((entry.batch, entry.at, entry.verb), []).append(entry)
    for (_, at, verb), entries in by_batch.items():
        if verb in EVENTS:
            told = {entry.fact for entry in entries if entry.entity == "fact"}
            yield from ((at, EVENTS[verb], fact) for fact in sorted(told))
            continue
        born = [entry.fact for entry in entries if (entry.entity, entry.act) == ("fact", "+")]
        used = [entry.fact for entry in entries if entry.entity == "usage"]
        yield from ((at, "created", fact) for fact in born)
        if not born:
            yield from ((at, "reinforced", fact) for fact in used)


def test_slot_names():
    """A slot name is lower case, with each run of other characters as one underscore."""
    assert [slot_key(name) for name in ("Deploy Day", "deploy-day", "  家 City ")] == [
        "deploy_day", "deploy_day", "家_city"
    ]  # fmt: skip


def test_an_unknown_segment_is_a_usage_error(run):
    """No segment is invented."""
    from tideline_cli.model.short_text import one_of

    with pytest.raises(UsageError):
        one_of("weird", tuple(SEGMENTS), "segment")
    assert run("remember", "unknown segment", "--segment", "weird").code == 2
