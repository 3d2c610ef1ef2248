"""Links in recall and as a picture: what they find, what they gain, and what nobody gains."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.support import GOLDEN, fresh_store, put, reference_fact
from tideline_cli.cli.commands.graph import HEIGHT, WIDTH, box_places
from tideline_cli.memory import graph as memory_graph
from tideline_cli.memory.query import ALL, FUSIONS, Query
from tideline_cli.memory.recall import recall
from tideline_cli.model.origin import OWNER
from tideline_cli.ranking import fusions, graph

PEER = "channel:wa/c1/s1"
REFERENCE = json.loads((GOLDEN / "graph_recall.json").read_text())


def remembered(run, *argv):
    done = run("remember", "--json", *argv)
    assert done.code == 0, done.err
    return done.json["fact"]["id"]


@pytest.fixture
def atlas(run):
    """A few facts and their links; only two of them name Atlas."""
    ids = {
        "atlas": remembered(run, "Project Atlas uses Postgres"),
        "host": remembered(run, "the database lives on db1"),
        "city": remembered(run, "db1 stands in Frankfurt"),
        "alice": remembered(run, "Alice owns Atlas"),
        "page": remembered(run, "a page about everything", "--source", "tool_output"),
    }
    for one, kind, other in (
        ("atlas", "located_at", "host"), ("host", "part_of", "city"),
        ("alice", "works_on", "atlas"), ("page", "relates", "atlas"),
    ):  # fmt: skip
        assert run("link", ids[one], ids[other], "--kind", kind).code == 0
    return ids


def hits(run, *argv):
    return run("recall", *argv, "--json", "--explain", "--mode", "keyword").json["hits"]


@pytest.mark.parametrize("case", REFERENCE["spread"], ids=str)
def test_spread_as_the_reference(case):
    """Facts are as far from the seeds as the reference says."""
    edges = {row["id"]: row["both"] for row in REFERENCE["neighbors"]}
    opts = case["opts"]
    away = graph.spread(
        edges, [seed for seed in case["seeds"] if seed in edges], hops=opts.get("maxHops", 2),
        fan_out=opts.get("fanOut", 10),
    )  # fmt: skip
    assert away == dict(map(tuple, case["hops"]))


def _lane(db, text, mode, limit=ALL):
    """The names of the facts that a mode finds: likeness by itself, words as they are ranked."""
    query = Query(text, limit=limit, mode=mode)
    found = recall(db, query, viewer=OWNER, now=REFERENCE["now"]).hits
    if mode == "semantic":
        found = sorted(found, key=lambda hit: -hit.why.cosine)
    names = {reference_fact(form).id: form["memoryId"] for form in REFERENCE["corpus"]}
    return [names[hit.fact.id] for hit in found]


@pytest.mark.parametrize("case", REFERENCE["runs"], ids=str)
def test_two_hops_as_the_reference(case):
    """A walk of two hops, whose ranks are fused with those of words and likeness, finds the facts
    and the scores of the reference, whatever its options are."""
    opts = case["opts"]
    edges = {row["id"]: row["both"] for row in REFERENCE["neighbors"]}
    limit, seeds = opts.get("limit", 8), opts.get("seedCount", 4)
    with fresh_store(analyzer="reference") as db:
        put(db, map(reference_fact, REFERENCE["corpus"]), analyzer="reference")
        both = _lane(db, case["query"], "hybrid", max(limit, 2 * seeds))
        words = set(_lane(db, case["query"], "keyword"))
        like = _lane(db, case["query"], "semantic")
    away = graph.spread(edges, both[:seeds], hops=opts.get("maxHops", 2),
                        fan_out=opts.get("fanOut", 10))  # fmt: skip
    worth = {
        one: opts.get("hopDecay", 0.5) ** hop * graph.hub_damping(len(edges.get(one, ())))
        for one, hop in away.items() if hop
    }  # fmt: skip
    walked = sorted(worth, key=lambda one: -worth[one])
    lanes = [[name for name in both if name in words], like, walked]
    scores = {
        name: sum(
            1.0 / (opts.get("rrfK", fusions.K) + lane.index(name) + 1)
            for lane in lanes if name in lane
        )
        for name in {name for lane in lanes for name in lane}
    }
    best = sorted(scores.values(), reverse=True)[:limit]
    assert best == pytest.approx([hit["score"] for hit in case["hits"]])
    for hit in case["hits"]:
        assert scores[hit["id"]] == pytest.approx(hit["score"]), hit["id"]
        assert hit["viaGraph"] == (hit["id"] not in {*lanes[0], *like})


@pytest.mark.parametrize(("text", "asks"), [
    ("when did we move", True), ("what did we use before?", True), ("it used to be so", True),
    ("why: due to rain", True), ("what is related to Atlas", True), ("Atlas", False),
    ("whenever", False), ("the used tool", False), ("", False),
])  # fmt: skip
def test_which_questions_ask_for_links(text, asks):
    """Words of time and of relation do, as whole words."""
    assert graph.asks_for_links(text) is asks


def test_a_link_leads_to_a_fact(run, atlas):
    """With `--graph on` what is one link away is among the hits, marked, and the score is the
    product of its parts; two links away is too far. Other hits keep their scores."""
    plain = hits(run, "Atlas")
    found = hits(run, "Atlas", "--graph", "on")
    assert {hit["id"]: hit["score"] for hit in plain}.items() <= {
        hit["id"]: hit["score"] for hit in found
    }.items()
    linked = {hit["id"]: hit for hit in found if hit["lane"] == "graph"}
    assert set(linked) == {atlas["host"], atlas["page"]}
    host = linked[atlas["host"]]
    assert host["via"] == {"id": atlas["atlas"], "kind": "located_at", "direction": "out"}
    assert linked[atlas["page"]]["via"]["direction"] in ("in", "out")
    assert all("via" not in hit for hit in found if hit["lane"] != "graph")
    for hit in linked.values():
        why = hit["explain"]
        product = why["base"] * why["damping"] * why["trust"] * why["modulator"]
        assert hit["score"] == pytest.approx(product * why["role"] * why["held"], rel=1e-12)
    assert host["explain"]["damping"] == pytest.approx(3**-0.5)  # it has two neighbours
    seed = next(hit for hit in found if hit["id"] == atlas["atlas"])
    assert host["explain"]["base"] == seed["score"] / 2
    assert [hit["score"] for hit in found] == sorted((h["score"] for h in found), reverse=True)
    line = run("recall", "Atlas", "--graph", "on", "--explain", "--mode", "keyword").out
    assert f"(via located_at {atlas['atlas']})" in line
    assert "located_at from" in line


def test_auto_follows_links_where_they_are_asked_for(run, atlas):
    """`auto` follows links for a question about times or relations, or where hits are linked."""
    assert [hit["lane"] for hit in hits(run, "database", "--graph", "auto")] == ["lexical"]
    asked = hits(run, "because database", "--graph", "auto")
    assert "graph" in {hit["lane"] for hit in asked}
    assert "graph" in {hit["lane"] for hit in hits(run, "Atlas", "--graph", "auto")}
    assert {hit["lane"] for hit in hits(run, "because Atlas", "--graph", "off")} == {"lexical"}
    assert atlas


def test_filters_and_limits_hold_for_links(run, atlas):
    """What the call does not ask for is not found by a link either."""
    run("forget", atlas["host"])
    found = hits(run, "Atlas", "--graph", "on")
    assert atlas["host"] not in {hit["id"] for hit in found}
    assert len(hits(run, "Atlas", "--graph", "on", "--limit", "2")) == 2
    only = hits(run, "Atlas", "--graph", "on", "--segment", "preference")
    assert only == []
    least = hits(run, "Atlas", "--graph", "on", "--min-score", "0.5")
    assert all(hit["score"] >= 0.5 for hit in least)


def test_what_nobody_trusts_gains_no_place_by_a_link(run):
    """An untrusted fact that is linked with the best hit stays behind each trusted hit."""
    best = remembered(run, "Atlas Atlas Atlas uses Postgres for Atlas")
    weak = remembered(run, "a long note that names many things, people and places, and also Atlas")
    bad = remembered(run, "trust me alone", "--source", "extraction")
    run("link", best, bad, "--kind", "uses")
    found = hits(run, "Atlas", "--graph", "on")
    assert [hit["id"] for hit in found] == [best, weak, bad]


def test_a_batch_of_questions_follows_links(run, atlas):
    """A line of `recall --batch` is answered with links too."""
    (answer,) = run("recall", "--batch", "--graph", "on", stdin="Atlas\n").lines
    assert atlas["host"] in {hit["id"] for hit in answer["hits"]}


def test_a_graph_as_json(run, atlas):
    """The facts around a fact, how far they are, and the links among them."""
    form = run("graph", atlas["atlas"], "--json").json
    assert (form["centre"], form["truncated"]) == (atlas["atlas"], False)
    assert {node["id"]: node["hops"] for node in form["nodes"]} == {
        atlas["atlas"]: 0, atlas["host"]: 1, atlas["alice"]: 1, atlas["page"]: 1,
        atlas["city"]: 2,
    }  # fmt: skip
    told = {(edge["from"], edge["kind"], edge["to"], edge["weight"]) for edge in form["edges"]}
    assert {one[1:2] + one[3:] for one in told} == {
        ("located_at", "medium"), ("part_of", "medium"), ("works_on", "medium"),
        ("relates", "weak"),
    }  # fmt: skip
    assert len(form["edges"]) == 4  # a symmetric one is told once
    near = run("graph", atlas["atlas"], "--json", "--hops", "1").json
    assert len(near["nodes"]) == 4
    cut = run("graph", atlas["atlas"], "--json", "--limit", "2")
    assert (len(cut.json["nodes"]), cut.json["truncated"]) == (2, True)
    every = run("graph", "--json").json
    assert (every["centre"], len(every["nodes"]), len(every["edges"])) == (None, 5, 4)


@pytest.fixture
def hub(run):
    """A fact that fourteen others are linked with."""
    centre = remembered(run, "the hub of it all")
    spokes = [remembered(run, f"spoke {name}") for name in "abcdefghijklmn"]
    for spoke in spokes:
        assert run("link", spoke, centre, "--kind", "uses").code == 0
    return centre, spokes


def test_links_that_are_not_followed_are_told(run, hub):
    """Of a fact with more links than are followed, it is said how many of the facts that it is
    linked with are not shown, and how to see them."""
    centre, spokes = hub
    done = run("graph", centre, "--json")
    assert (len(done.json["nodes"]), done.json["left_out"], done.json["truncated"]) == (
        11, 4, False)  # fmt: skip
    assert {node["id"]: node["left_out"] for node in done.json["nodes"]}[centre] == 4
    assert f"linked facts left out: 4 of {centre}; --fan-out sets how many" in done.err
    assert f"4 of {centre}" in run("graph", centre).err
    full = run("graph", centre, "--json", "--fan-out", "20")
    assert (len(full.json["nodes"]), full.json["left_out"], full.err) == (15, 0, "")
    # what another link leads to is not left out
    shown = {node["id"] for node in done.json["nodes"]}
    inside, outside = (next(one for one in spokes if (one in shown) is is_in)
                       for is_in in (True, False))  # fmt: skip
    assert run("link", inside, outside, "--kind", "relates").code == 0
    assert run("graph", centre, "--json").json["left_out"] == 3


@pytest.mark.parametrize("named", [True, False])
def test_a_graph_is_of_one_instant(run, hub, monkeypatch, named):
    """A link that is taken away while a graph is read is in it still."""
    centre, spokes = hub
    argv = ("graph", *([centre] if named else []), "--fan-out", "20", "--json")
    before = run(*argv).json
    true = memory_graph.links.ties_between

    def later(db, seqs, **more):
        monkeypatch.setattr(memory_graph.links, "ties_between", true)
        assert run("link", spokes[0], centre, "--kind", "uses", "--remove").code == 0
        return true(db, seqs, **more)

    monkeypatch.setattr(memory_graph.links, "ties_between", later)
    assert run(*argv).json == before
    assert len(run(*argv).json["edges"]) == len(before["edges"]) - 1


def test_what_is_linked_with_archived_facts_alone_takes_no_place(run):
    """Without an id a graph has facts whose links it can show; with --archived also those."""
    gone = remembered(run, "what was forgotten")
    for number in range(3):
        one = remembered(run, f"heavy {number}", "--importance", "0.99")
        run("link", one, gone, "--kind", "uses")
    pair = [remembered(run, text, "--importance", "0.1") for text in ("light one", "light two")]
    run("link", *pair, "--kind", "relates")
    run("forget", gone)
    form = run("graph", "--json", "--limit", "3").json
    assert {node["id"] for node in form["nodes"]} == set(pair)
    assert (len(form["edges"]), form["truncated"]) == (1, False)
    assert len(run("graph", "--json", "--archived").json["nodes"]) == 6


def test_a_graph_asks_as_recall_does(run, monkeypatch):
    """Scopes and filters leave facts out of a graph, and it is said that there are others; the
    fact that is named is always there."""
    centre = remembered(run, "the build of everything", "--scope", "work")
    api = remembered(run, "the interface", "--scope", "work", "--tag", "web")
    home = remembered(run, "the garden", "--scope", "home")
    for other in (api, home):
        run("link", centre, other, "--kind", "uses")

    def nodes(*argv):
        done = run("graph", *argv, "--json")
        return {node["id"] for node in done.json["nodes"]}, done

    assert nodes(centre)[0] == {centre, api, home}
    seen, done = nodes(centre, "--scope", "work")
    assert (seen, done.json["elsewhere"]) == ({centre, api}, 1)
    assert "1 linked fact is of other scopes: --all-scopes" in done.err
    assert nodes("--scope", "work")[0] == {centre, api}
    assert nodes("--scope", "work")[1].json["elsewhere"] == 1
    assert nodes(centre, "--scope", "home")[0] == {centre, home}
    monkeypatch.setenv("TIDELINE_SCOPE", "work")
    assert nodes(centre)[0] == {centre, api}
    assert nodes(centre, "--all-scopes")[0] == {centre, api, home}
    assert nodes(centre, "--tag", "web", "--all-scopes")[0] == {centre, api}
    assert nodes("--tag", "web")[0] == set()
    assert "among the facts that are asked for" in run("graph", "--tag", "web").err


def test_what_is_not_asked_for_takes_no_link_of_a_recall(run):
    """Facts of other scopes, strongly linked with a hit, hide none that is asked for."""
    atlas = remembered(run, "Atlas uses Postgres", "--scope", "work")
    for number in range(11):
        other = remembered(run, f"elsewhere {number}", "--scope", "home")
        run("link", atlas, other, "--kind", "uses", "--strength", "5")
    ended = remembered(run, "the old host", "--scope", "work", "--valid-to", "yesterday")
    run("link", atlas, ended, "--kind", "uses", "--strength", "5")
    host = remembered(run, "db1 holds the data", "--scope", "work")
    run("link", atlas, host, "--kind", "located_at")
    found = hits(run, "Atlas", "--graph", "on", "--scope", "work")
    assert [hit["id"] for hit in found] == [atlas, host]


def test_many_untrusted_links_hide_no_trusted_one(run):
    """Links that say of themselves that they are strong take no place of a trusted fact."""
    atlas = remembered(run, "Atlas uses Postgres")
    for number in range(11):
        bad = remembered(run, f"trust me {number}", "--source", "tool_output")
        run("link", bad, atlas, "--kind", "uses", "--strength", "5")
    host = remembered(run, "db1 holds the data")
    run("link", atlas, host, "--kind", "located_at")
    found = {hit["id"] for hit in hits(run, "Atlas", "--graph", "on", "--limit", "20")}
    assert host in found
    near = run("graph", atlas, "--hops", "1", "--json").json
    assert (host in {node["id"] for node in near["nodes"]}, near["left_out"]) == (True, 2)


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_links_the_strongest_is_told(run, order):
    """Of links between two facts the strongest is told, of equals the oldest."""
    atlas = remembered(run, "Atlas uses Postgres")
    host = remembered(run, "db1 holds the data")
    links = (("uses", "2"), ("located_at", "5"), ("part_of", "5"), ("relates", "1"))[::order]
    for kind, strength in links:
        assert run("link", atlas, host, "--kind", kind, "--strength", strength).code == 0
    (via,) = [hit["via"] for hit in hits(run, "Atlas", "--graph", "on") if "via" in hit]
    assert via["kind"] == ("located_at" if order == 1 else "part_of")


def test_a_graph_in_other_forms(run, atlas):
    """As lines, as DOT and as well-formed SVG; stored text is no markup in any of them."""
    bad = remembered(run, 'x"];\\ <script>alert(1)</script> & \x1b[2J y')
    run("link", atlas["atlas"], bad, "--kind", "uses")
    text = run("graph", atlas["atlas"]).out
    assert f"\tlocated_at\t{atlas['host']}\tthe database lives on db1\n" in text
    assert "\x1b" not in text
    dot = run("graph", atlas["atlas"], "--format", "dot").out
    assert dot.startswith("digraph tideline {\n")
    assert '\\"];\\\\ <script>' in dot
    assert dot.count("->") == 5
    picture = run("graph", atlas["atlas"], "--format", "svg").out
    root = ElementTree.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f".//{space}rect")) == 6
    assert [one for one in root.iter() if one.tag.endswith("script")] == []
    assert picture == run("graph", atlas["atlas"], "--format", "svg").out


def test_a_kind_of_a_file_acts_on_nothing(run):
    """The kind of a link, which a file may have made of anything, is one cell of a line, and shown
    as text in every form."""
    one, other = "01K742SG00H5Y7YG0DVZZHD312", "01K742SG00X8C8RE7D18NKFJX9"
    links = [{"kind": "bad\x1b[2J\n\tkind", "target": other}]
    rows = [{"id": one, "content": "Atlas is first", "links": links},
            {"id": other, "content": "the other"}]  # fmt: skip
    stdin = "".join(f"{json.dumps(row)}\n" for row in rows)
    assert run("import", "-", "--trust", stdin=stdin).code == 0
    for argv in (("graph",), ("graph", one), ("graph", "--format", "dot"),
                 ("graph", "--format", "svg"), ("show", one),
                 ("recall", "Atlas", "--graph", "on", "--explain")):  # fmt: skip
        out = run(*argv).out
        assert "\x1b" not in out
        assert "bad" in out
        assert argv[0] == "show" or "\tkind" not in out
        if "svg" in argv:
            ElementTree.fromstring(out)
    assert run("graph", "--json").json["edges"][0]["kind"] == "bad\x1b[2J\n\tkind"


def test_a_graph_of_nothing(run):
    """Without links there is nothing to show; an unknown id is an error."""
    assert run("graph", "--json").json["nodes"] == []
    assert run("graph", "ABCDEFGH").code == 3
    alone = remembered(run, "a fact alone")
    done = run("graph", alone)
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert "nothing is linked" in done.err


def test_no_origin_sees_the_links_of_another(run, atlas):
    """A channel sees neither the facts nor the links of the owner, nor counts them."""
    own = remembered(run, "Atlas is ours", "--origin", PEER)
    assert run("graph", "--json", "--origin", PEER).json["nodes"] == []
    assert run("graph", atlas["atlas"], "--origin", PEER).code == 3
    found = run("recall", "Atlas", "--graph", "on", "--json", "--origin", PEER).json["hits"]
    assert [hit["id"] for hit in found] == [own]


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_no_box_lies_on_another(count):
    """Boxes keep apart, whatever is linked; the same graph has the same picture."""
    edges = [(n, n // 2) for n in range(1, count)] + [(0, n) for n in range(2, count, 3)]
    at = box_places(count, edges, centre=0)
    assert at == box_places(count, edges, centre=0)
    assert at[0] == (0.0, 0.0)
    for one in range(count):
        for other in range(one):
            wide, high = (abs(at[one][axis] - at[other][axis]) for axis in (0, 1))
            assert wide >= WIDTH or high >= HEIGHT


@pytest.mark.parametrize("fusion", [one for one in FUSIONS if one != "score"])  # needs a model
@pytest.mark.parametrize("source", ["owner_message", "tool_output"])
def test_links_gain_nothing_in_any_fusion(run, fusion, source):
    """In each fusion the hits stand in the order that they had, and what nobody trusts comes after
    what is trusted; a score below 0 is no reason to come first."""
    made = [remembered(run, f"tea number {number}", "--source", "tool_output" if number else
                       "owner_message") for number in range(3)]  # fmt: skip
    other = remembered(run, "a mug of glass", "--source", source)
    run("link", made[2], other, "--kind", "uses")
    asked = ("tea", "--fusion", fusion)
    before = [hit["id"] for hit in hits(run, *asked)]
    found = hits(run, *asked, "--graph", "on")
    assert [hit["id"] for hit in found if hit["id"] != other] == before
    assert [hit["score"] for hit in found] == sorted((hit["score"] for hit in found), reverse=True)
    ids = [hit["id"] for hit in found]
    assert ids.index(other) > ids.index(made[2])
    assert ids.index(other) > ids.index(made[0])
    linked = found[ids.index(other)]
    if fusion == "priority":
        parts = linked["explain"]["parts"]
        assert ids[-1] == other
        assert linked["score"] == pytest.approx(parts["behind"] - 1 + parts["share"])
        told = run("recall", *asked, "--graph", "on", "--explain", "--mode", "keyword").out
        assert "uses from" in told


@pytest.mark.parametrize("decay", ["half-life", "weibull", "spaced", "none"])
def test_linked_facts_fade_by_the_curve_of_the_answer(run, decay):
    """A linked fact is as strong as `show` says by the same curve."""
    tea = remembered(run, "tea at nine", "--now", "2026-01-01")
    mug = remembered(run, "a mug of glass", "--now", "2026-01-01")
    run("link", tea, mug, "--kind", "uses", "--now", "2026-01-01")
    later = ("--decay", decay, "--now", "2026-04-01")
    linked = next(hit for hit in hits(run, "tea", "--graph", "on", *later) if hit["id"] == mug)
    told = run("show", mug, "--json", *later).json["strength"]
    assert linked["explain"]["strength"] == pytest.approx(told)
