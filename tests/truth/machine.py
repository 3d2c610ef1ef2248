"""A memory to which anything may happen, and what must be true of it after every step."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.property import test_undo as deeds
from tests.property.strategies import ORIGINS
from tests.soundness import sound
from tests.support import empty_store_at, fresh_store
from tideline_cli.errors import TidelineError
from tideline_cli.exchange import jsonl
from tideline_cli.exchange.importer.import_rows import import_rows
from tideline_cli.exchange.importer.rows import ImportContext
from tideline_cli.memory import purge
from tideline_cli.memory.query import Query, question_of
from tideline_cli.memory.recall import recall
from tideline_cli.model import codec
from tideline_cli.model.fact import NewFact
from tideline_cli.model.instant import LATEST_MS
from tideline_cli.model.origin import EVERYONE, OWNER
from tideline_cli.model.source import is_trusted
from tideline_cli.model.text import index_terms
from tideline_cli.store import facts, listing
from tideline_cli.store.connection import setting
from tideline_cli.store.opening import open_for_writing

EVERYTHING = 10**6
WEIGHTED = (
    *["remember"] * 6, *["token"] * 3, *["forget"] * 3, *["dream"] * 3, *["undo"] * 2,
    "undo_older", "redo", "import", "import",
    "recall", "index", "restore", "restore", "pin", "feedback",
    "edit", "edit", "link", "unlink", "consolidate", "extract", "purge", "retain", "reopen", "move",
)  # fmt: skip
DONE = Counter()
"""How often each step was taken, and how often one was refused; for the figures."""


class Memory(RuleBasedStateMachine):
    """The steps are those of tests/property/test_undo.py and what they lack."""

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tideline-truth-"))
        self.path = empty_store_at(self.folder / "memory.db")
        self.world = deeds.World(self._opened(), None)
        self.purged: set[str] = set()
        self.tokens: dict[str, str] = {}
        DONE["runs"] += 1

    def _opened(self):
        db = open_for_writing(str(self.path))
        db.execute("PRAGMA synchronous = OFF")
        return db

    def teardown(self):
        if hasattr(self, "world"):
            self.world.db.close()
            shutil.rmtree(self.folder)

    @rule(data=st.data())
    def act(self, data):
        """Take a step; what policy refuses is a step too."""
        world = self.world
        world.draw = data.draw
        world.viewer = data.draw(deeds.viewers)
        name = data.draw(st.sampled_from(WEIGHTED))
        step = getattr(deeds, f"do_{name}", None) or getattr(self, f"do_{name}")
        try:
            step(world)
        except TidelineError:
            DONE[f"{name} (refused)"] += 1
        else:
            DONE[name] += 1

    def do_token(self, world):
        """Remember a fact with a word of its own."""
        fact_id = world.new_id()
        self.tokens[fact_id] = f"token{fact_id.lower()}"
        text = f"{world.draw(deeds.texts)} {self.tokens[fact_id]}"
        new = NewFact(text, "knowledge", "owner_message", world.viewer)
        deeds.remember(world.db, new, fact_id=fact_id, now=world.tick())

    do_undo_older = staticmethod(deeds.do_undo_older)
    do_redo = staticmethod(deeds.do_redo)

    def do_purge(self, world):
        wanted = world.some(2, lifecycle=None)
        if wanted:
            done = purge.purge(world.db, wanted, viewer=world.viewer, now=world.tick())
            assert not done.pending
            self.purged |= set(done.ids)

    def do_retain(self, world):
        wanted = purge.Retention(300, include_confirmed=world.draw(st.booleans()))
        done = purge.retain(world.db, wanted, viewer=world.viewer, now=world.tick())
        self.purged |= set(done.ids)

    def do_reopen(self, world):
        world.db.close()
        world.db = self._opened()

    @staticmethod
    def do_move(world):
        """Export everything, and import it into an empty store: the same export, and sound."""
        wanted = [dict(form) for form in jsonl.forms(world.db, viewer=EVERYONE)]
        rows = [codec.loads(codec.dumps(form)) for form in wanted]
        there = {(form["origin"], form["id"]) for form in wanted}
        for form in wanted:  # a citation of what is gone does not travel, and the import says so
            form["derived_from"] = [
                one for one in form["derived_from"] if (form["origin"], one) in there
            ]
        with fresh_store() as db:
            import_rows(db, enumerate(rows, 1), ImportContext(OWNER, LATEST_MS, True), merge=False)
            assert [dict(form) for form in jsonl.forms(db, viewer=EVERYONE)] == wanted
            sound(db)

    @invariant()
    def everything_agrees(self):
        if hasattr(self, "world"):
            sound(self.world.db)
            for viewer in ORIGINS:
                self._words_find(viewer)
            self._purged_are_gone()

    def _words_find(self, viewer):
        """Each word of the viewer's facts, also of their labels, finds those that are active and
        valid and hold it or another form of it, and no other but what was said next to one of them;
        a word that no such fact holds may find those that begin so."""
        db, now = self.world.db, self.world.now
        analyzer = setting(db, "analyzer", "standard")
        held, words, places, texts = {}, set(), {}, {}
        for fact in listing.each(db, viewer=viewer, wanted=facts.Filter(lifecycle=None)):
            said = [fact.content, *_labels(fact)]
            words |= set(" ".join(said).split())
            begun = fact.valid_from is None or fact.valid_from <= now
            holds = begun and (fact.valid_to is None or fact.valid_to > now)
            if fact.lifecycle == "active" and holds:
                every = " ".join(index_terms(text, analyzer=analyzer).joined() for text in said)
                held[fact.id] = frozenset(every.split())
                texts[fact.id] = " ".join(said).casefold()
                group = (fact.session, fact.scope, is_trusted(fact.source))
                places[fact.id] = (None if fact.session is None else group, fact.turn)
        for word in sorted(words):
            asked = question_of(word, analyzer)
            query = Query(word, limit=EVERYTHING, mode="keyword")
            hits = recall(db, query, viewer=viewer, now=now).hits
            found = {hit.fact.id for hit in hits if hit.why.matched_terms}
            wanted = {one for one, its in held.items() if not its.isdisjoint(asked.terms)}
            assert wanted <= found, word
            for one in found - wanted:  # for a word that no fact holds, others stand in
                assert (asked.by_beginning and _begins_like(asked.terms, held[one])) or (
                    _names_in(asked.names, texts[one])
                ), (word, one)
            assert {hit.fact.id for hit in hits} - found <= _next_to(found, places), word

    def _purged_are_gone(self):
        db = self.world.db
        known = {row[0] for row in db.execute("SELECT id FROM fact")}
        for fact_id in self.purged & known:
            assert fact_id not in self.tokens, fact_id  # an import may give an id anew
        for fact_id in self.purged & self.tokens.keys():
            token = self.tokens[fact_id]
            for table, column in (("fact", "content"), ("fact", "terms"), ("change", "before"),
                                  ("batch", "reason")):  # fmt: skip
                rows = db.execute(f"SELECT 1 FROM {table} WHERE {column} LIKE '%{token}%'")
                others = [one for one, its in self.tokens.items() if its == token]
                assert rows.fetchall() == [], (table, others)


def _begins_like(asked, held):
    """Say whether a stored term begins like one that is asked for, or has another ending."""
    return any(one.startswith(term[:-2]) for one in held for term in asked if len(term) > 3)


def _names_in(names, text):
    return any(name.casefold() in text for name in names)


def _next_to(found, places):
    """Return the facts between which and one of those found nothing was said in their session, in
    a scope and by as trusted a source."""
    near = set()
    for fact_id in found:
        group, turn = places[fact_id]
        if group is None or turn is None:
            continue
        said = {at for where, at in places.values() if where == group and at is not None}
        beside = (max(filter(turn.__gt__, said), default=None),
                  min(filter(turn.__lt__, said), default=None), turn)  # fmt: skip
        near |= {one for one, (where, at) in places.items() if where == group and at in beside}
    return near


def _labels(fact):
    kind = fact.kind if fact.document is None else None  # that of a chunk says nothing
    return [label for label in (fact.title, fact.slot, kind, *fact.tags) if label]
