"""Scripts of writes and recalls against the reference's results and final stores."""

from __future__ import annotations

import pytest

from tests.support import DAY, NOW, deviation, fresh_store, golden, reference_fact, reference_origin
from tideline_cli.errors import UsageError
from tideline_cli.memory.recall import Query, recall, settle
from tideline_cli.memory.remember import remember
from tideline_cli.model.fact import SEGMENTS, NewFact, slot_key
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.store import facts, journal, links, uses
from tideline_cli.store.connection import put_setting
from tideline_cli.store.facts import Filter

CASES = golden("store_sequences")["sequences"]

LATER = frozenset(
    "feedback reactivate invalidate link promote dream evict lifecycle vault_list".split()
)
"""Operations that no command of ours does yet; the facts they name are not compared at the end."""

HANDLED = frozenset("write recall search list origins".split())


class Script:
    """One sequence played on a store of ours."""

    def __init__(self, db):
        self.db = db
        self.now = NOW
        self.made = 0
        self.changed_later = set()
        self.refused = set()

    def play(self, op):
        self.now += op.get("advance_days", 0) * DAY
        if op["op"] in LATER:
            self._leave_out(op)
        else:
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
            valid_to=args.get("validTo"), supersedes=tuple(args.get("supersedes", ())),
        )  # fmt: skip
        done = remember(self.db, new, fact_id=f"f{self.made}", now=self.now)
        self.made += done.action != "reinforced"
        assert done.fact.id == result["id"]

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
        settle(self.db, answer, touch=opts.get("markAccessed", True), now=self.now)

    def search(self, args, result):
        query = Query(args["query"], mode="keyword")
        answer = recall(self.db, query, viewer=OWNER, now=self.now)
        self._compare(answer, result)
        settle(self.db, answer, touch=True, now=self.now)

    def list(self, args, result):
        found = facts.each(self.db, viewer=OWNER, wanted=Filter())
        assert [fact.id for fact in found] == result

    def origins(self, args, result):
        assert self._origins() == [reference_origin(form).key for form in result]

    def _origins(self):
        return [key for (key,) in self.db.execute("SELECT key FROM origin ORDER BY number")]

    def _compare(self, answer, result):
        assert [hit.fact.id for hit in answer.hits] == [hit["id"] for hit in result]
        assert [hit.score for hit in answer.hits] == pytest.approx(
            [hit["score"] for hit in result], abs=1e-9
        )

    def _touch(self, result):
        for hit in result:
            seq, _ = facts.find(self.db, hit["id"], viewer=EVERYONE)
            uses.touch(self.db, [seq], now=self.now)

    def _leave_out(self, op):
        args, result = op["args"], op["result"]
        self.changed_later |= {args.get("id"), args.get("by"), *args.get("ids", ())}
        if op["op"] == "dream":
            self.changed_later |= {item["memoryId"] for item in result["confirmed"]}


def stored(db, fact_id):
    """Return our fact with its links, as comparable values."""
    _, fact = facts.find(db, fact_id, viewer=EVERYONE)
    return fact, [(link.kind, link.target) for link in links.leaving(db, fact_id, viewer=EVERYONE)]


def wanted(form, script):
    """Return the reference's fact with its links, in our terms."""
    fact = reference_fact(form)
    edges = [(link["kind"], link["target"]) for link in form.get("links", ())]
    if form.get("supersedes"):
        assert deviation("supersede_links")
        ours = [target for target in form["supersedes"] if target != "nope"]
        edges += [(kind, target) for target in ours for kind in ("supersedes", "transition")]
    return fact, edges


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_sequence(case):
    """Each write and recall gives the reference's result, and the store ends as it does there."""
    with fresh_store() as db:
        put_setting(db, "analyzer", "reference")
        script = Script(db)
        for op in case["ops"]:
            assert op["op"] in LATER | HANDLED
            script.play(op)
        for form in case["final_store"]:
            if form["memoryId"] in script.refused | script.changed_later:
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
            if not any(op["op"] == "link" for op in case["ops"]):
                assert edges == expected_edges


def reference_comparable(fact):
    """Leave out what the reference's records do not have."""
    from tideline_cli.model.record import replace

    return replace(fact, heat="working")


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if not any(op["op"] in LATER for op in c["ops"])],
    ids=lambda case: case["name"],
)
def test_journal_of_a_sequence(case):
    """The journal tells the same writes as the reference's event log, in order."""
    with fresh_store() as db:
        put_setting(db, "analyzer", "reference")
        script = Script(db)
        for op in case["ops"]:
            script.play(op)
        told = sorted(
            event for key in script._origins() for event in _events(db, reference_key(key))
        )
    events = [(e["at"], e["kind"], e["memoryId"]) for e in case["events"]]
    assert told == sorted(event for event in events if event[2] not in script.refused)


def reference_key(key):
    from tideline_cli.model.origin import parse_origin

    return parse_origin(key)


def _events(db, viewer):
    by_batch = {}
    for entry in journal.entries(db, viewer=viewer, limit=100):
        by_batch.setdefault((entry.batch, entry.at), []).append(entry)
    for (_, at), entries in by_batch.items():
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
    from tideline_cli.model.fact import one_of

    with pytest.raises(UsageError):
        one_of("weird", tuple(SEGMENTS), "segment")
    assert run("remember", "unknown segment", "--segment", "weird").code == 2
