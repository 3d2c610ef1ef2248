"""Public sets, in the form in which their authors ship them."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.conftest import run_main
from tideline_cli.evaluation import datasets
from tideline_cli.evaluation.datasets import form_of

TALK = [{
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ada", "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I bought a red kayak yesterday."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Look at mine!",
             "img_url": ["http://x.example/1.jpg"], "blip_caption": "a photo of a blue canoe"},
        ],
        "session_2_date_time": "10:05 am on 12 June, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "The lake is frozen."}],
    },
    "qa": [
        {"question": "What did Ada buy?", "answer": "a kayak", "evidence": ["D1:1"],
         "category": 4},
        {"question": "Is there a kayak or a canoe?", "answer": "two", "category": 1,
         "evidence": ["D1:1; D1:2"]},
        {"question": "When did Bo fly?", "adversarial_answer": "May", "evidence": ["D2:1"],
         "category": 5},
        {"question": "What is missing?", "answer": "much", "evidence": ["D9:9"], "category": 2},
    ],
    "observation": {}, "session_summary": {}, "event_summary": {},
}]  # fmt: skip
CHATS = [
    {"question_id": "q1", "question_type": "single-session-user",
     "question": "Which tea do I like?", "answer": "oolong",
     "question_date": "2023/05/30 (Tue) 23:40",
     "haystack_session_ids": ["s1", "s2"],
     "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
     "haystack_sessions": [
         [{"role": "user", "content": "I like oolong tea best.", "has_answer": True},
          {"role": "assistant", "content": "Noted, oolong."}],
         [{"role": "user", "content": "How far is the moon?"}]],
     "answer_session_ids": ["s1"]},
    {"question_id": "q2_abs", "question_type": "multi-session", "question": "Who is my dentist?",
     "answer": "not mentioned", "question_date": "2023/06/01 (Thu) 08:00",
     "haystack_session_ids": ["s1"], "haystack_dates": ["2023/05/20 (Sat) 02:21"],
     "haystack_sessions": [[{"role": "user", "content": "I paint boats."}]],
     "answer_session_ids": []},
]  # fmt: skip


@pytest.fixture
def talk(tmp_path):
    path = tmp_path / "locomo10.json"
    path.write_text(json.dumps(TALK, indent=2))
    return str(path)


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "longmemeval_s.json"
    path.write_text(json.dumps(CHATS))
    return str(path)


@pytest.fixture
def judged(tmp_path):
    """A folder as BEIR has them; its documents are compressed."""
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    documents = [{"_id": "d1", "title": "Kayaks", "text": "Boats for one."},
                 {"_id": "d2", "title": "", "text": "Moonlight travels fast.", "metadata": {}},
                 {"_id": "d3", "title": "Empty", "text": "x " * 9000}]  # fmt: skip
    with gzip.open(folder / "corpus.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(one) + "\n" for one in documents)
    queries = [{"_id": "q1", "text": "boats"}, {"_id": "q2", "text": "moonlight"},
               {"_id": "q3", "text": "nobody judged this"}]  # fmt: skip
    (folder / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))
    (folder / "qrels/test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n"
    )
    return str(folder)


@pytest.fixture
def trec_folder(tmp_path):
    folder = tmp_path / "trec"
    folder.mkdir()
    (folder / "docs.txt").write_bytes(
        b"<DOC>\n<DOCNO> AP-1 </DOCNO>\n<HEAD>Kayak race</HEAD>\n<TEXT>\nA red kayak won.\n"
        b"</TEXT>\n</DOC>\n"
        b"<DOC>\n<DOCNO>AP-2</DOCNO>\n<TEXT>\nThe caf\xe9 closed.\n</TEXT>\n</DOC>\n"
    )
    (folder / "topics.1-2.txt").write_text(
        "<top>\n<num> Number: 001\n<title> Topic: red kayak\n<desc> Description:\nA boat.\n</top>\n"
        "<top>\n<num> Number: 002 \n<title> closed café \n\n<desc> x\n</top>\n"
    )
    (folder / "qrels.txt").write_text("1 0 AP-1 1\n1 0 AP-2 0\n2 0 AP-2 2\n3 0 AP-1 1\n")
    return str(folder)


def test_locomo_is_read_as_it_is_shipped(talk):
    """Locomo is read as it is shipped."""

    rows = dict(datasets.locomo_documents(talk))

    assert rows[2] == {
        "content": "Bo: Look at mine! [shared image: a photo of a blue canoe]",
        "source_turn": "conv-1/D1:2", "origin": "channel:locomo/conv-1/all",
        "created_at": "2023-05-08T13:56:00+00:00", "session": "conv-1/session_1", "turn": 2,
        "speaker": "Bo",
    }  # fmt: skip
    asked = [row for _, row in datasets.locomo_questions(talk)]
    assert [row["category"] for row in asked] == ["single-hop", "multi-hop", "temporal"]
    assert asked[1]["gold"] == {"conv-1/D1:1": 1, "conv-1/D1:2": 1}
    assert "gold" not in asked[2]


def test_longmemeval_is_read_as_it_is_shipped(chats):
    """Longmemeval is read as it is shipped."""

    rows = [row for _, row in datasets.longmemeval_documents(chats)]

    assert rows[1] == {
        "content": "Noted, oolong.", "source_turn": "s1#1", "role": "assistant", "turn": 1,
        "origin": "channel:longmemeval/q1/all", "created_at": "2023-05-20T02:21:00+00:00",
        "session": "s1",
    }  # fmt: skip
    first, second = (row for _, row in datasets.longmemeval_questions(chats))
    assert first["gold"] == {"s1#0": 1} and first["now"] == "2023-05-30T23:40:00+00:00"
    assert second["gold"] == {}


def test_beir_is_read_as_it_is_shared(judged):
    """Beir is read as it is shared."""

    rows = [row for _, row in datasets.beir_documents(judged)]

    assert rows[0] == {"content": "Kayaks\nBoats for one.", "source_turn": "d1"}
    assert [row for _, row in datasets.beir_questions(judged)] == [
        {"id": "q1", "query": "boats", "gold": {"d1": 2.0}},
        {"id": "q2", "query": "moonlight", "gold": {"d2": 1.0}},
    ]


def test_trec_is_read_as_it_is_shared(trec_folder):
    """Trec is read as it is shared."""

    assert [row for _, row in datasets.trec_documents(trec_folder)] == [
        {"content": "Kayak race\nA red kayak won.", "source_turn": "AP-1"},
        {"content": "The café closed.", "source_turn": "AP-2"},
    ]
    assert [row for _, row in datasets.trec_questions(trec_folder)] == [
        {"id": "1", "query": "red kayak", "gold": {"AP-1": 1.0}},
        {"id": "2", "query": "closed café", "gold": {"AP-2": 2.0}},
    ]


def test_the_form_of_a_set_is_seen(talk, chats, judged, trec_folder, tmp_path):
    """The form of a set is seen."""

    ours = tmp_path / "ours"
    ours.mkdir()
    (ours / "corpus.jsonl").write_text('{"content": "a red kayak", "source_turn": "t1"}\n')
    (ours / "queries.jsonl").write_text('{"id": "q", "query": "kayak", "gold": {"t1": 1}}\n')
    (tmp_path / "gold.jsonl").write_text('{"query": "x", "ids": []}\n')

    forms = {path: form_of(path) for path in (talk, chats, judged, trec_folder, str(ours))}

    assert list(forms.values()) == ["locomo", "longmemeval", "beir", "trec", "own"]
    assert form_of(str(tmp_path / "gold.jsonl")) == "jsonl"
    assert datasets.is_own_set(str(ours))
    assert run_main("eval", "run", str(ours), "--json").json["ways"][0]["hit"]["mean"] == 1


@pytest.mark.parametrize("name", ["talk", "chats", "judged", "trec_folder"])
def test_a_set_is_measured_in_a_memory_that_goes(request, home, name):
    """A set is measured in a memory that goes."""

    done = run_main("eval", "run", request.getfixturevalue(name), "--json", "--k", "3")

    assert done.code == 0, done.err
    assert done.json["ways"][0]["hit"]["mean"] == 1
    assert not (home / "tideline.db").exists()


def test_a_document_that_is_longer_than_a_fact_is_cut_and_told(judged):
    """A document that is longer than a fact is cut and told."""

    done = run_main("eval", "run", judged, "--json")

    assert any("1 document is longer" in note for note in done.notes)
    assert done.json["facts"] == 3


def test_a_question_whose_evidence_is_not_there_is_told(talk):
    """A question whose evidence is not there is told."""

    done = run_main("eval", "run", talk, "--json")

    assert done.json["questions"] == 2
    assert [one["line"] for one in done.json["left_out"]] == [4]


def test_each_history_is_seen_by_its_question_alone(chats):
    """Each history is seen by its question alone."""

    form = run_main("eval", "run", chats, "--json").json

    assert (form["questions"], form["unanswerable"]) == (1, 1)


def test_load_makes_a_memory_and_questions_to_ask_again(talk, tmp_path):
    """Load makes a memory and questions to ask again."""

    there = ("--db", str(tmp_path / "talk.db"))
    target = str(tmp_path / "gold.jsonl")

    done = run_main("eval", "load", talk, "--output", target, "--json", *there)

    assert (done.json["facts"], done.json["questions"]) == (3, 3)
    again = run_main("eval", "run", target, "--json", *there).json
    once = run_main("eval", "run", talk, "--json").json
    assert again["ways"] == once["ways"]
    assert run_main("eval", "load", talk, "--output", target, *there).code == 2


def test_load_refuses_a_memory_that_holds_facts(talk):
    """Load refuses a memory that holds facts."""

    run_main("remember", "mine", "--json")

    assert run_main("eval", "load", talk).code == 2
    assert run_main("list", "--json").json["facts"][0]["content"] == "mine"


@pytest.mark.parametrize("broken", [
    [{"conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [
        {"speaker": "A", "dia_id": "D1:1", "text": "hello there"}]}, "qa": [{"category": 4}]}],
    [{"conversation": {"session_1_date_time": "soon", "session_1": [{"text": "x"}]}, "qa": []}],
    [{"conversation": {"session_1": 5}, "qa": 7}],
    [{"question_id": "q", "haystack_sessions": [[{"role": "user", "content": "hi"}]],
      "haystack_dates": []}],
    [{"question_id": "q", "haystack_sessions": 5, "haystack_dates": 5}],
])  # fmt: skip
def test_a_set_that_is_broken_inside_is_told(tmp_path, broken):
    """Whatever a file lacks: one line says that it is not as its form has it."""
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken))

    done = run_main("eval", "run", str(path), "--json")

    assert done.code == 2 and done.error["code"] != "internal", done.err


def test_a_cut_off_archive_is_told(judged):
    """A compressed file that ends early is an error in one line."""
    path = f"{judged}/corpus.jsonl.gz"
    with open(path, "rb") as file:
        half = file.read()[:-12]
    with open(path, "wb") as file:
        file.write(half)

    done = run_main("eval", "run", judged, "--json")

    assert done.code in (2, 73) and done.error["code"] != "internal", done.err


@pytest.mark.parametrize("form", ["locomo", "longmemeval", "beir", "trec", "own"])
def test_a_file_of_another_form_is_refused(tmp_path, form):
    """A file of another form is refused."""

    path = tmp_path / "other.json"
    path.write_text('[{"conversation": 5, "qa": [{}]}, 3]')

    done = run_main("eval", "run", str(path), "--format", form)

    assert done.code == 2 and "Traceback" not in done.err


def test_text_on_the_line_of_a_tag_is_read(trec_folder):
    """Tags stand anywhere on a line; a document without an end ends where the next begins."""
    with open(f"{trec_folder}/docs.txt", "w") as file:
        file.write(
            "<DOC><DOCNO>A</DOCNO>all on one line</DOC><DOC><DOCNO>B</DOCNO>\nbegins late\n"
            "ends early</DOC>\n<doc id='3'> <DOCNO>C</DOCNO> open\n<DOC>\n<DOCNO>D</DOCNO>\nlast\n"
        )

    rows = datasets.trec_documents(trec_folder)
    assert [(row["source_turn"], row["content"]) for _, row in rows] == [
        ("A", "all on one line"), ("B", "begins late\nends early"), ("C", "open"), ("D", "last"),
    ]


def test_a_load_that_cannot_write_its_questions_stores_nothing(talk, tmp_path):
    """Whether the questions can be written is known before the memory is filled; a load that fails
    leaves no file of questions."""
    there = ("--db", str(tmp_path / "talk.db"))
    (tmp_path / "taken.jsonl").write_text("mine")

    assert run_main("eval", "load", talk, "-o", str(tmp_path / "taken.jsonl"), *there).code == 2
    assert run_main("eval", "load", talk, "-o", str(tmp_path / "no/gold.jsonl"), *there).code == 73
    assert not (tmp_path / "talk.db").exists()
    assert (tmp_path / "taken.jsonl").read_text() == "mine"
    run_main("remember", "mine", "--json", *there)
    assert run_main("eval", "load", talk, "-o", str(tmp_path / "gold.jsonl"), *there).code == 2
    assert not (tmp_path / "gold.jsonl").exists()
