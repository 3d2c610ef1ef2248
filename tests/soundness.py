"""Whether all that a store derives from its facts is what the facts say."""

from __future__ import annotations

import json
from collections import Counter
from struct import unpack

from tests import backends
from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.memory.lanes import embedder_of
from tideline_cli.model.text import index_terms, said_terms
from tideline_cli.ranking.score_bounds import ROW, bound_code, most_strength
from tideline_cli.store import journal, vector_counts, vectors, writes
from tideline_cli.store.checks import derived, structure
from tideline_cli.store.connection import setting
from tideline_cli.store.postgres import examination


def sound(db):
    """Assert that terms, index, statistics, vectors, bounds and digests are those of the facts."""
    facts = {
        seq: row for seq, *row in db.execute(
            "SELECT seq, origin, source, lifecycle, length, terms, role, content FROM fact"
        )
    }  # fmt: skip
    analyzer = setting(db, "analyzer", "standard")
    for _, _, _, length, held, _, content in facts.values():
        assert held == index_terms(content, analyzer=analyzer).joined()
        assert length == len(held.split())
    index_is_sound(db)
    statistics_are_sound(db, facts)
    lapsed_are_sound(db)
    labels_are_sound(db, analyzer)
    vectors_are_sound(db, facts)
    bounds_are_sound(db, facts, analyzer)
    assert list(writes.wrong_digests(db)) == []
    references = examination.references if backends.is_server() else structure.references
    assert list(references(db)) == []
    assert db.execute("SELECT count(*) FROM batch WHERE open > 0").get == 0
    assert list(derived.status_counts(db)) == []
    assert not journal.counts_are_wrong(db)


def index_is_sound(db):
    """The full-text index agrees with the terms, both ways."""
    if backends.is_server():
        assert list(examination.index(db)) == []
    else:
        db.execute("INSERT INTO fact_fts (fact_fts, rank) VALUES ('integrity-check', 1)")


def statistics_are_sound(db, facts):
    counted, tokens, archived = Counter(), Counter(), Counter()
    for origin, source, lifecycle, length, held, *_ in facts.values():
        if lifecycle == "active":
            counted[origin, source] += 1
            tokens[origin, source] += length
        else:
            archived.update((origin, term) for term in set(held.split()))
    rows = db.execute("SELECT origin, source, facts, tokens FROM tally").fetchall()
    assert {row[:2]: row[2] for row in rows if row[2]} == counted
    assert {row[:2]: row[3] for row in rows if row[3]} == +tokens
    # A term of which none is left may stay until the next purge.
    rows = db.execute("SELECT origin, term, facts FROM archived_term").fetchall()
    assert {row[:2]: row[2] for row in rows if row[2]} == archived


def lapsed_are_sound(db):
    """What the file counts as lapsed is what did not hold at the instant that it names."""
    instants = dict(db.execute("SELECT origin, at FROM lapsed"))
    counts, terms = {origin: [0, 0] for origin in instants}, Counter()
    rows = db.execute(
        "SELECT origin, valid_from, valid_to, length, terms FROM fact WHERE lifecycle = 'active'"
        " AND (valid_from IS NOT NULL OR valid_to IS NOT NULL)"
    )
    for origin, begins, ends, length, held in rows:
        at = instants[origin]
        if (ends is not None and ends <= at) or (begins is not None and begins > at):
            counts[origin] = [counts[origin][0] + 1, counts[origin][1] + length]
            terms.update((origin, term) for term in set(held.split()))
    kept = db.execute("SELECT origin, facts, tokens FROM lapsed").fetchall()
    assert {row[0]: list(row[1:]) for row in kept} == counts
    rows = db.execute("SELECT origin, term, facts FROM lapsed_term").fetchall()
    assert {row[:2]: row[2] for row in rows if row[2]} == terms


def labels_are_sound(db, analyzer):
    """The index of labels holds what their words have beyond the text, of every fact; the kind of
    chunks of documents says nothing."""
    wanted = set()
    rows = db.execute(
        "SELECT seq, origin, terms, title, slot, iif(document IS NULL, kind, ''), tags FROM fact"
    )
    for seq, origin, held, title, slot, kind, tags in rows:
        words = " , ".join([title or "", slot or "", kind or "", *json.loads(tags or "[]")])
        named = set(index_terms(words, analyzer=analyzer)) - set(held.split())
        wanted |= {(origin, term, seq, len(named)) for term in named}
    assert set(db.execute("SELECT origin, term, fact, size FROM label_term")) == wanted


def vectors_are_sound(db, facts):
    """Each fact up to the progress of its origin has its vector, and no other number has one."""
    embedder = embedder_of(db)
    assert embedder.name == DEFAULT_EMBEDDER
    for origin in {row[0] for row in facts.values()} | {1}:
        reached = vector_counts.embedded_up_to(db, origin_number=origin, embedder=embedder.name)
        wanted = [seq for seq, row in sorted(facts.items()) if row[0] == origin and seq <= reached]
        packed = embedder.embed_packed([facts[seq][-1] for seq in wanted]).tobytes()
        size = len(packed) // max(1, len(wanted))
        held = {}
        for numbers, codes in vectors.chunks(db, origin_number=origin, embedder=embedder.name):
            listed = unpack(f"<{len(numbers) // 4}I", numbers)
            assert list(listed) == sorted(listed)
            for i, seq in enumerate(listed):
                assert seq not in held
                held[seq] = codes[i * size : (i + 1) * size]
        assert list(held) == wanted
        # Embedded among others, a phase may round to the step beside; steps go round at 256.
        steps = {(a - b) % 256 for a, b in zip(b"".join(held.values()), packed, strict=True)}
        assert steps <= {0, 1, 255}


def bounds_are_sound(db, facts, analyzer):
    # In a file one row after another for all origins, on a server rows of each origin.
    stored = db.execute(
        "SELECT origin, number, codes FROM score_bound" if backends.is_server()
        else "SELECT NULL, number, codes FROM ceiling"
    ).fetchall()  # fmt: skip
    for origin, seq, code in (
        (origin, number * ROW + place, code)
        for origin, number, codes in stored
        for place, code in enumerate(codes)
    ):
        row = facts.get(seq)
        if row is None or origin not in (None, row[0]):
            assert code == 0, seq
            continue
        role = None if analyzer == "reference" else row[5]
        [(importance, immune, uses)] = db.execute(
            "SELECT importance, tier = 'permanent' OR pinned = 1, ifnull(access_count, 0)"
            " FROM fact LEFT JOIN usage ON usage.fact = seq WHERE seq = ?", (seq,)
        )  # fmt: skip
        highest = most_strength(importance, uses, immune=immune)
        said = len(said_terms(row[4]))
        assert code == bound_code(row[4].split(), row[1], role, highest, said=said), seq
