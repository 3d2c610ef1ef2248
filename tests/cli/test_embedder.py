"""Choosing an embedder: vectors made, kept, resumed, and missing on another machine."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests import backends
from tests.llm.server import Step, serving
from tests.vector import models
from tideline_cli.cli import embedding
from tideline_cli.memory import coded_lane, lanes, reembed
from tideline_cli.store.opening import open_for_reading

PEER = "channel:wa/c1/s1"


@pytest.fixture(autouse=True)
def afresh(monkeypatch):
    """Begin as a new process does."""
    def forget():
        for held in (lanes._resolved, lanes._missing, coded_lane._tables, coded_lane._known,
                     coded_lane._unstored):  # fmt: skip
            held.clear()

    forget()
    yield forget
    forget()


@pytest.fixture
def spec(tmp_path):
    return models.static_folder(tmp_path / "model")


def rows(home, sql):
    db = open_for_reading(str(home / "tideline.db"))
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def lines(tmp_path, count, word="car"):
    path = tmp_path / "facts.jsonl"
    path.write_text(
        "".join(json.dumps({"content": f"my {word} number {n}"}) + "\n" for n in range(count))
    )
    return str(path)


def found(done):
    return [hit["content"] for hit in done.json["hits"]]


def found_as(form):
    return [(hit["id"], hit["similarity"]) for hit in form["hits"]]


def test_semantic_mode_finds_what_means_the_same(run, spec):
    """With a learned embedder a question finds a fact that shares no word with it, and JSON says
    how alike they are, of facts that the words find too; with words alone it does neither."""
    run("remember", "I sold the automobile to Bob")
    run("remember", "the weather is rain")
    assert run("recall", "car", "--mode", "semantic").code == 1
    assert run("embedder", "use", spec).code == 0
    done = run("recall", "car", "--mode", "semantic", "--json")
    assert found(done) == ["I sold the automobile to Bob"]
    assert 0.3 < done.json["hits"][0]["similarity"] <= 1
    assert found(run("recall", "car", "--json")) == ["I sold the automobile to Bob"]
    asked = ("recall", "automobile", "--json")
    assert 0.3 < run(*asked).json["hits"][0]["similarity"] <= 1
    for alone in (("--mode", "keyword"), ("--fusion", "append")):
        assert run(*asked, *alone).json["hits"][0]["similarity"] is None
    assert run("doctor", "--deep").code == 0


def test_a_new_fact_is_found_at_once(run, spec):
    """What is remembered later has no vector yet: the next recall makes it."""
    run("embedder", "use", spec)
    run("remember", "my puppy")
    assert run("embedder", "status", "--json").json["missing"] == 1
    assert found(run("recall", "dog", "--mode", "semantic", "--json")) == ["my puppy"]
    assert run("embedder", "status", "--json").json["missing"] == 0


def test_recall_goes_on_with_the_old_vectors_until_the_last_is_made(
    run, home, tmp_path, spec, monkeypatch
):
    """A choice for many facts waits for `reembed`: what is stopped is kept, and only when every
    fact has a vector are they compared, and the old ones gone."""
    monkeypatch.setattr(embedding, "AT_ONCE", 10)
    monkeypatch.setattr(reembed, "AT_ONCE", 40)
    run("import", "--trust", lines(tmp_path, 100))
    done = run("embedder", "use", spec)
    assert "100 facts wait for vectors" in done.out
    assert "`tideline reembed`" in done.out
    assert run("recall", "automobile", "--mode", "semantic").code == 1
    assert run("reembed", "--limit", "30", "--json").json["missing"] == 70
    assert run("recall", "automobile", "--mode", "semantic").code == 1
    assert run("recall", "car").code == 0
    status = run("embedder", "status", "--json").json
    assert (status["embedder"], status["pending"]["embedder"]) == ("hrr-256", spec)
    run("remember", "my automobile number 7")
    assert run("doctor", "--deep").code == 0
    done = run("reembed", "--json").json
    assert (done["made"], done["missing"], done["pending"]) == (71, 0, False)
    assert run("recall", "automobile", "--mode", "semantic").code == 0
    assert {name for (name,) in rows(home, "SELECT DISTINCT embedder FROM vector_chunk")} == {
        f"{spec} {done['revision']} {models.DIMS}"
    }
    assert run("doctor", "--deep").code == 0


_KILLED = """
import os, signal, sys
from tideline_cli.memory import reembed
step, done = reembed._step, []
def dying(*given, **named):
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    done.append(1)
    return step(*given, **named)
reembed.AT_ONCE, reembed._step = 20, dying
from tideline_cli.__main__ import main
sys.exit(main(["reembed"]))
"""


def test_a_run_that_is_killed_goes_on_where_it_was(run, home, tmp_path, spec, monkeypatch):
    """Killed twice in the middle: each time what was stored stays, recall answers meanwhile, and
    the last run makes only the rest."""
    monkeypatch.setattr(embedding, "AT_ONCE", 10)
    run("import", "--trust", lines(tmp_path, 100))
    run("embedder", "use", spec)
    for left in (60, 20):
        done = subprocess.run([sys.executable, "-c", _KILLED], check=False)
        assert done.returncode == -9
        assert run("embedder", "status", "--json").json["missing"] == left
        assert run("recall", "car").code == 0
        assert run("doctor", "--deep").code == 0
    assert run("reembed", "--json").json["made"] == 20
    assert run("recall", "automobile", "--mode", "semantic").code == 0


def test_a_machine_that_lacks_it_recalls_by_words(run, tmp_path, spec, afresh):
    """Where the model is gone, recall and context answer by words with one warning and exit 0;
    what needs vectors ends with 6; writing goes on, and nothing is lost."""
    run("remember", "I sold the automobile to Bob")
    run("embedder", "use", spec)
    (tmp_path / "model").rename(tmp_path / "away")
    for words in (
        ("recall", "automobile"), ("recall", "automobile", "--mode", "semantic"),
        ("recall", "automobile", "--mmr", "0.5"), ("context", "automobile"),
    ):  # fmt: skip
        afresh()
        done = run(*words)
        assert (done.code, done.err.count("answered by words alone")) == (0, 1), words
        assert "automobile" in done.out
    afresh()
    batch = run("recall", "--batch", stdin="automobile\nautomobile\n")
    assert (batch.code, batch.err.count("answered by words alone")) == (0, 1)
    warned = json.loads(run("recall", "automobile", "--json").err)
    assert warned["warning"]["code"] == "embedder"
    assert run("recall", "automobile", "--mode", "keyword").err == ""
    assert run("context", "--auto", "automobile").err == ""
    run("remember", "a puppy")
    assert run("import", "--trust", lines(tmp_path, 3)).code == 0
    for words in (("dream",), ("reembed",), ("embedder", "warmup")):
        done = run(*words)
        assert done.code == 6, words
        assert "model.safetensors is missing" in done.err
    assert "missing" in run("embedder").out
    (tmp_path / "away").rename(tmp_path / "model")
    afresh()
    assert found(run("recall", "dog", "--mode", "semantic", "--json")) == ["a puppy"]
    assert run("doctor", "--deep").code == 0


def test_another_revision_is_never_compared(run, tmp_path, spec, afresh):
    """A model that was replaced says so; choosing it anew makes all vectors anew."""
    run("remember", "I sold the automobile to Bob")
    run("embedder", "use", spec)
    models.static_folder(tmp_path / "model", turn=0.02)
    afresh()
    done = run("recall", "car")
    assert (done.code, "another revision" in done.err) == (1, True)
    assert "tideline embedder use" in done.err
    assert run("embedder", "use", spec).code == 0
    assert run("recall", "car", "--mode", "semantic").code == 0


def test_a_question_asked_again_loads_nothing(run, home, spec, monkeypatch, afresh):
    """The code of a question is kept, so that the model is not loaded for it again; not its text,
    and no more once its origin has purged, or the embedder is another."""
    fact = run("remember", "I sold the automobile to Bob", "--json").json
    run("embedder", "use", spec)
    first = run("recall", "a car", "--mode", "semantic", "--json").json
    afresh()
    with monkeypatch.context() as patch:
        patch.setattr(coded_lane, "table_of", lambda name: pytest.fail("loaded"))
        again = run("recall", "a car", "--mode", "semantic", "--json").json
        assert found_as(again) == found_as(first) != []
    kept = "SELECT count(*) FROM query_vector"
    assert rows(home, kept) == [(1,)]
    assert b"a car" not in backends.raw(home / "tideline.db")
    assert run("purge", fact["id"], "--yes").code == 0
    assert rows(home, kept) == [(0,)]
    run("recall", "a puppy", "--mode", "semantic")
    run("embedder", "use", "hrr-256")
    assert rows(home, kept) == [(0,)]


def test_questions_are_bounded_and_of_one_origin(run, home, spec, monkeypatch):
    """Each origin keeps its own latest questions; what others ask or purge moves none of them."""
    monkeypatch.setattr("tideline_cli.store.vectors.QUESTIONS_KEPT", 3)
    run("embedder", "use", spec)
    mine = run("remember", "a puppy", "--json").json
    run("remember", "a car", "--origin", PEER)
    for n in range(5):
        run("recall", f"dog {n}", "--mode", "semantic")
    run("recall", "dog 4", "--mode", "semantic", "--origin", PEER)
    held = "SELECT origin, count(*) FROM query_vector GROUP BY origin ORDER BY origin"
    assert [count for _, count in rows(home, held)] == [3, 1]
    run("purge", mine["id"], "--yes")
    assert [count for _, count in rows(home, held)] == [1]


def test_a_channel_may_not_choose_and_counts_its_own(run, spec):
    """The embedder is the owner's to choose; what waits is counted by origin."""
    run("embedder", "use", spec)
    run("remember", "a puppy")
    run("remember", "a car", "--origin", PEER)
    for words in (("embedder", "use", "hrr-256"), ("reembed",)):
        assert run(*words, "--origin", PEER).code == 2
    assert run("embedder", "status", "--json", "--origin", PEER).json["missing"] == 1
    assert run("embedder", "status", "--json").json["missing"] == 2


def test_undo_keeps_the_vectors_of_both(run, tmp_path, spec, monkeypatch):
    """A fact that an undo brings back has its vector again, also of an embedder to come."""
    monkeypatch.setattr(embedding, "AT_ONCE", 1)
    run("remember", "a car")
    run("remember", "a puppy")
    run("embedder", "use", spec)
    run("reembed", "--limit", "1")
    run("undo")
    assert run("doctor", "--deep").code == 0
    run("redo")
    assert run("doctor", "--deep").code == 0
    run("reembed")
    assert found(run("recall", "dog", "--mode", "semantic", "--json")) == ["a puppy"]
    run("undo")
    run("redo")
    assert run("doctor", "--deep").code == 0


@pytest.mark.file_alone("a server needs modules of its own")
def test_static_vectors_need_no_numpy(run, spec):
    """A cold question by word vectors loads neither numpy nor json nor re."""
    run("remember", "I sold the automobile to Bob")
    run("embedder", "use", spec)
    script = (
        "import sys; from tideline_cli.__main__ import main\n"
        "code = main(['recall', 'a car', '--mode', 'semantic'])\n"
        "sys.stdout.flush(); print([n for n in ('numpy', 'json', 're') if n in sys.modules], code)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{script}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.endswith("[] 0\n"), done.stdout


def vectors_of(request):
    """Answer a request for vectors as an endpoint does."""
    texts = request.form["input"]
    data = [{"index": n, "embedding": models.row_of(text.split()[-1].lower())}
            for n, text in enumerate(texts)]  # fmt: skip
    return {"data": data[::-1]}


def test_an_endpoint_gives_vectors(run, home, monkeypatch):
    """An OpenAI-compatible endpoint is asked in batches, with its key and the instruction for
    questions; when it fails, recall goes on by words."""
    step = Step(meanwhile=lambda request: setattr(step, "body", vectors_of(request)))
    for n in range(70):
        run("remember", f"{n} automobile")
    with serving(step) as server:
        monkeypatch.setenv("TIDELINE_EMBEDDER_URL", server.base_url)
        monkeypatch.setenv("TIDELINE_EMBEDDER_MODEL", "small")
        monkeypatch.setenv("TIDELINE_QUERY_INSTRUCTION", "query: ")
        monkeypatch.setenv("TIDELINE_API_KEY", "sk-secret")
        assert run("embedder", "use", "openai").code == 0
        assert run("recall", "my car", "--mode", "semantic").code == 0
        asked = [request.form["input"] for request in server.requests]
    assert [len(texts) for texts in asked] == [1, 64, 6, 1]
    assert asked[-1] == ["query: my car"]
    assert server.requests[0].headers["Authorization"] == "Bearer sk-secret"
    assert server.requests[0].path.endswith("/embeddings")
    assert not any(b"sk-secret" in path.read_bytes() for path in home.iterdir() if path.is_file())
    done = run("recall", "5 automobile")
    assert done.code == 0
    done = run("recall", "the automobile of rain")
    assert done.code == 0


WRONG = {
    "no vectors": {"data": []},
    "words": {"data": [{"embedding": ["a"]}]},
    "not finite": '{"data": [{"embedding": [NaN, 1]}]}',
    "a refusal": Step(status=401, body={"error": {"message": "no"}}),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_endpoint_that_answers_nonsense(run, monkeypatch, case):
    """What is no list of finite numbers is refused with one line and exit 6."""
    wrong = WRONG[case]
    with serving(wrong if isinstance(wrong, Step) else Step(body=wrong)) as server:
        monkeypatch.setenv("TIDELINE_EMBEDDER_URL", server.base_url)
        done = run("embedder", "use", "openai")
    assert done.code == 6
    assert done.err.startswith("tideline: http")


def test_a_program_gives_vectors(run, tmp_path, monkeypatch):
    """A program of the user's reads one JSON text a line and writes one JSON list a line; the
    memory file names no program."""
    script = tmp_path / "embedder.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    text = json.loads(line)\n"
        "    print(json.dumps([1.0, 2.0 * ('car' in text or 'automobile' in text), 0.1]))\n"
    )
    monkeypatch.setenv("TIDELINE_EMBEDDER_COMMAND", f"{sys.executable} {script}")
    run("remember", "I sold the automobile to Bob")
    assert run("embedder", "use", "command").code == 0
    assert run("recall", "car", "--mode", "semantic").code == 0
    monkeypatch.delenv("TIDELINE_EMBEDDER_COMMAND")
    lanes._resolved.clear()
    done = run("recall", "puppy")
    assert "no program is set" in done.err


def test_the_list_says_what_is_here_and_what_it_costs(run):
    """Each embedder has a line: its name, whether it is here, and what a cold question adds."""
    form = run("embedder", "list", "--json").json["embedders"]
    names = [row["name"] for row in form]
    assert names[:4] == ["hrr-256", "hash-256", "static", "static:DIR"]
    assert next(row for row in form if row["name"] == "hrr-256")["chosen"]
    assert all(row["here"] is not False or row["hint"].startswith("pip install") for row in form)
    assert run("embedder", "use", "nope").code == 6
    assert run("embedder", "what").code == 2
