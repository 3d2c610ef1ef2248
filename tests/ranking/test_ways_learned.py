"""Other ways of ranking in a memory with a learned embedder."""

from __future__ import annotations

import pytest

from tests.ranking.test_ways import OTHERS
from tests.vector import models
from tideline_cli.memory import coded_lane, lanes


@pytest.fixture(autouse=True)
def afresh():
    """Begin as a new process does."""

    def forget():
        for held in (lanes._resolved, lanes._missing, coded_lane._tables, coded_lane._known,
                     coded_lane._unstored):  # fmt: skip
            held.clear()

    forget()
    yield forget
    forget()


@pytest.fixture
def folder(run, tmp_path):
    """The folder of the embedder of a memory that knows some words."""
    run("remember", "I sold the automobile to Bob")
    run("remember", "the weather is rain")
    assert run("embedder", "use", models.static_folder(tmp_path / "model")).code == 0
    return tmp_path / "model"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("fusion", OTHERS)
def test_each_way_asks_the_learned_embedder(run, fusion):
    """Each fusion finds what means the same, and says how alike it is."""
    for asked in ("car", "automobile"):
        form = run("recall", asked, "--fusion", fusion, "--json", "--explain").json
        assert form["mode"] == "hybrid"
        first = form["hits"][0]
        assert first["content"] == "I sold the automobile to Bob"
        assert first["similarity"] == first["explain"]["cosine"] > 0.3


@pytest.mark.parametrize("fusion", OTHERS)
def test_a_missing_model_leaves_words_in_each_way(run, folder, afresh, fusion):
    """Where the model is gone, words answer, with one warning, and JSON says keyword."""
    folder.rename(folder.with_name("away"))
    for more in ((), ("--mode", "semantic"), ("--mmr", "0.5")):
        afresh()
        done = run("recall", "automobile", "--fusion", fusion, "--json", *more)
        assert (done.code, done.json["mode"], done.json["fusion"]) == (0, "keyword", fusion)
        assert done.err.count("answered by words alone") == 1
        assert [hit["content"] for hit in done.json["hits"]] == ["I sold the automobile to Bob"]


@pytest.mark.usefixtures("folder")
def test_an_answer_without_facts_says_how_it_was_looked_for(run):
    """Mode and fusion in JSON are those of the answer, where it has no facts too."""
    for asked in ("automobile", "?!"):
        form = run("recall", asked, "--json").json
        assert (form["mode"], form["fusion"]) == ("hybrid", "score"), asked
        form = run("recall", asked, "--fusion", "rrf", "--mode", "keyword", "--json").json
        assert (form["mode"], form["fusion"]) == ("keyword", "rrf"), asked
