"""Nothing that one origin sees depends on what another stores."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import backends
from tests.conftest import run_main
from tests.support import NOW, often, rows
from tideline_cli.cli import new_fact
from tideline_cli.model.source import UNTRUSTED
from tideline_cli.store.opening import open_for_writing

ORIGINS = ("owner", "channel:wa/c1/s1", "channel:wa/c1/s2")
TEXTS = (
    "deploy on friday", "never deploy on friday", "the deploy takes ten minutes", "alice deploys",
    "i keep a vegetarian diet", "lunch on friday is vegetarian", "alice is my manager",
    "the residence permit expires", "用户喜欢素食", "deploy deploy deploy friday",
)  # fmt: skip
writes = st.tuples(
    st.just("remember"), st.sampled_from(TEXTS),
    st.sampled_from(((), ("--slot", "day"), ("--segment", "project"), ("--pin",),
                     ("--source", "tool_output"), ("--valid-to", "2026-01-01"))),
)  # fmt: skip
reads = st.tuples(
    st.just("recall"), st.sampled_from(("deploy friday", "vegetarian", "alice")),
    st.sampled_from(((), ("--limit", "2"), ("--mode", "semantic"))),
)  # fmt: skip
imports = st.tuples(st.just("import"), st.sampled_from(TEXTS), st.just(()))
commands = st.lists(writes | writes | reads | imports, max_size=7)
LOOKS = (
    ("recall", "deploy friday", "--json", "--explain", "--limit", "20"),
    ("recall", "vegetarian residing", "--json", "--explain", "--mode", "semantic"),
    ("recall", "deploy", "--json", "--explain", "--as-of", str(NOW)),
    ("context", "vegetarian friday"),
    ("context", "vegetarian friday", "--json"),
    ("list", "--json", "--lifecycle", "all"),
    ("status", "--json"),
    ("history", "--json"),
    ("export",),
)


class Ids:
    """Ids that depend on who writes and on nothing else."""

    def __init__(self):
        self.made = {}
        self.writer = ""

    def next(self, now):
        self.made[self.writer] = self.made.get(self.writer, 0) + 1
        return f"{ORIGINS.index(self.writer)}{self.made[self.writer]:025d}"


def play(ids, who, command):
    verb, text, flags = command
    ids.writer = who
    if verb == "import":
        row = f'{{"content": "{text}"}}\n'
        return run_main("import", "-", "--trust", "--origin", who, stdin=row)
    return run_main(verb, text, *flags, "--origin", who)


def seen_by(viewer, script, path):
    """Play a script of (who, command) and return what `viewer` reads, on the way and after."""
    ids = Ids()
    with mock.patch.object(new_fact, "new_id", ids.next):
        answers = [(who, play(ids, who, command)) for who, command in script]
        own = [answer for who, answer in answers if who == viewer]
        return own, [run_main(*look, "--origin", viewer) for look in LOOKS]


@settings(max_examples=often(10, 30))
@given(st.data())
def test_no_origin_sees_another(data):
    """The bytes that a viewer reads are the same with and without the others' writes and reads."""
    viewer = data.draw(st.sampled_from(ORIGINS))
    mine = [(viewer, command) for command in data.draw(commands)]
    script = list(mine)
    for other in ORIGINS:
        for command in data.draw(commands) if other != viewer else ():
            script.insert(data.draw(st.integers(0, len(script))), (other, command))
    with tempfile.TemporaryDirectory(prefix="tideline-test-") as folder:
        path = os.path.join(folder, "tideline.db")
        with mock.patch.dict(os.environ, {"TIDELINE_DB": path}):
            # The file is there in both: whether there is one at all is no secret.
            open_for_writing(path).close()
            alone = seen_by(viewer, mine, path)
            backends.remove(Path(path))
            open_for_writing(path).close()
            assert seen_by(viewer, script, path) == alone


@settings(max_examples=often(10, 30))
@given(st.data())
def test_no_untrusted_write_changes_a_trusted_fact(data):
    """Trusted facts and their use stay as they are, row by row, whatever untrusted sources say."""
    trusted = st.sampled_from(("owner_message", "user_instruction", "dream"))
    slots = st.sampled_from(((), ("--slot", "a"), ("--slot", "b")))
    segments = st.sampled_from(((), ("--segment", "preference"), ("--segment", "context")))
    with tempfile.TemporaryDirectory(prefix="tideline-test-") as folder:
        path = os.path.join(folder, "tideline.db")
        base = ("--db", path)
        for _ in range(data.draw(st.integers(1, 5))):
            run_main(
                "remember", data.draw(st.sampled_from(TEXTS)), *base, *data.draw(slots),
                "--source", data.draw(trusted), *data.draw(segments),
            )  # fmt: skip
        db = open_for_writing(path)
        before = rows(db, "fact"), rows(db, "usage"), rows(db, "link")
        ids = [row[1] for row in before[0]]
        for _ in range(data.draw(st.integers(1, 8))):
            text, source = data.draw(st.sampled_from(TEXTS)), data.draw(st.sampled_from(UNTRUSTED))
            how = data.draw(st.sampled_from(("remember", "import", "merge")))
            if how == "remember":
                targets = data.draw(st.sampled_from(((), ("--supersedes", ids[0]))))
                done = run_main(
                    "remember", text, *base, *data.draw(slots), *data.draw(segments), *targets,
                    "--source", source, *data.draw(st.sampled_from(((), ("--confine",)))),
                )  # fmt: skip
                assert done.code in (0, 4), done.err
            else:
                row = f'{{"content": "{text}", "slot": "a", "id": "{ids[0]}"}}\n'
                flags = ("--merge",) if how == "merge" else ()
                row = row if how == "merge" else row * 2
                done = run_main("import", "-", *base, *flags, stdin=row)
                assert done.code in (0, 1), done.err  # 1: the id is taken in every row
        assert [row for row in rows(db, "fact") if row[1] in ids] == before[0]
        seqs = {row[0] for row in before[0]}
        assert [row for row in rows(db, "usage") if row[0] in seqs] == before[1]
        assert [row for row in rows(db, "link") if row[1] in seqs] == before[2]
        db.close()
