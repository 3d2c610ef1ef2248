"""A store with an owner in it, an attack on it, and what harm the attack did."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from unittest import mock

import pytest

from tests import backends
from tests.conftest import run_main
from tests.poison.attacks import MARK, OWNED, PEER, QUERIES, SPOKEN
from tests.support import empty_store_at
from tideline_cli.cli import model_options, new_fact
from tideline_cli.dream import consolidate
from tideline_cli.evaluation import poison
from tideline_cli.model.origin import OWNER
from tideline_cli.model.source import STANDING, UNTRUSTED, is_trusted
from tideline_cli.store import facts, listing
from tideline_cli.store.opening import open_for_writing
from tideline_cli.store.postgres import tables

_USE = ("access_count", "last_accessed_at")


class Battle:
    """A store in a folder of its own, made anew for each attack."""

    def __init__(self, folder):
        self._seeded = Path(folder) / "seeded.db"
        self.path = Path(folder) / "memory.db"
        self._seed(self._seeded)
        self.before = self._rows(self._seeded)

    def _seed(self, path):
        empty_store_at(path)
        for (text, *flags), fact_id in zip(OWNED, SPOKEN, strict=True):
            with mock.patch.object(new_fact, "new_id", lambda _, own=fact_id: own):
                done = run_main("remember", text, *flags, "--db", str(path))
            assert done.code == 0, done.err

    def _anew(self):
        backends.remove(self.path)
        if backends.is_server():
            self._seed(self.path)
        else:
            shutil.copy(self._seeded, self.path)

    def fight(self, attack):
        """Do what the attacker does; return the exit codes."""
        self._anew()
        codes = []
        with pytest.MonkeyPatch.context() as patch:
            replies = iter(attack.replies)
            answer = lambda *_, **__: self._named(next(replies, "{}"))  # noqa: E731
            patch.setattr(model_options, "complete", answer)
            patch.setattr(consolidate, "complete", answer)
            for words, text in attack.steps:
                done = self.run(*map(self._named, words), stdin=text)
                assert "Traceback" not in done.err
                codes.append(done.code)
        return codes

    def _named(self, text):
        """Return a text with `{new}` replaced by the id of the first fact that is not seeded."""
        if "{new}" not in text:
            return text
        newer = (row.id for row in self.facts(self.path) if row.id not in SPOKEN)
        return text.replace("{new}", next(newer, "none"))

    def run(self, *words, stdin=""):
        return run_main(*words, "--db", str(self.path), stdin=stdin)

    def harm(self, attack):
        """Return what the attack gained, in words."""
        now = self._rows(self.path)
        found = [
            f"the owner's fact {fact_id} became {now.get(fact_id)}"
            for fact_id, row in self.before.items()
            if now.get(fact_id) != row and fact_id not in attack.harmless
        ]
        for row in self.facts(self.path):
            foreign = MARK in row.content.lower() or not is_trusted(row.source)
            if foreign and row.origin == OWNER:
                found += [f"{row.content!r} {deed}" for deed in poison.gains(row)]
        return found + self._outranked(attack)

    def _outranked(self, attack):
        lost = []
        verbatim = set(SPOKEN.values())  # the owner's words are no lie, whoever repeats them
        for fact_id, queries in QUERIES.items():
            for query in () if fact_id in attack.harmless else queries:
                hits = self.run("recall", query, "--json", "--no-touch", "--explain").json["hits"]
                if not hits or hits[0]["content"] not in verbatim:
                    lost.append(f"{fact_id} is not the first hit of {query!r}: {hits[:1]}")
                for hit in hits:
                    trust = hit["explain"]["trust"]
                    if hit["source"] in UNTRUSTED and trust > STANDING[hit["source"]].weight:
                        lost.append(f"{hit['id']} weighs {trust}")
        return lost

    def facts(self, path):
        """Return the owner's facts, all of them."""
        db = open_for_writing(str(path))
        try:
            wanted = facts.Filter(lifecycle=None)
            return list(listing.each(db, viewer=OWNER, wanted=wanted, oldest_first=True))
        finally:
            db.close()

    def _rows(self, path):
        db = open_for_writing(str(path))
        try:
            names = [name for name in tables.columns("fact") if name != "seq"]
            rows = db.execute(f"SELECT {', '.join(names)} FROM fact").fetchall()
        finally:
            db.close()
        found = {row[names.index("id")]: dict(zip(names, row, strict=True)) for row in rows}
        return {fact_id: found[fact_id] for fact_id in SPOKEN if fact_id in found}


def battlefield():
    """Return a folder for battles, to be used as a context."""
    return tempfile.TemporaryDirectory(prefix="tideline-poison-")


__all__ = ["PEER", "Battle", "battlefield"]
