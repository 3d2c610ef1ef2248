"""The real models, where their packages are installed: `make embedders` installs them."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from tideline_cli.errors import UnavailableError
from tideline_cli.vector.embedder import resolve
from tideline_cli.vector.embedders import codes, onnx_folder, static, tokenizer

PAIRS = (
    ("car", "I sold the automobile to Bob", "the weather is nice"),
    ("physician", "my doctor is called Ann", "the server listens on port 80"),
    ("what do I eat in the morning", "breakfast is oats with milk", "the car is red"),
)
ANSWERS = (
    ("hound", "our dog barks at the postman"), ("automobile", "the car needs a new tyre"),
    ("physician", "the doctor gave him pills"), ("infant", "the baby cried all night"),
    ("lawyer", "her attorney wrote a letter"), ("film", "a movie about pirates"),
    ("ocean", "they swim in the sea"), ("teacher", "the instructor explains the exercise"),
    ("aircraft", "the plane lands in Rome"), ("shoes", "he polished his boots"),
    ("wages", "the salary is paid on the last day"), ("holiday", "a vacation in Greece"),
    ("gift", "she wrapped the birthday present"), ("sick", "he stayed in bed with an illness"),
    ("kids", "the children build a castle of sand"), ("supper", "dinner is on the table"),
)
TEXTS = (
    "I sold the automobile to Bob, who paid $12.50!", "naïve café ﬁne İstanbul Straße", "",
    "你好，世界 mixed with English", "Привет, мир", "tabs\tand\nlines", "e\u0301 \u200b zero",
    "double  blank", "snake_case and CamelCase v2.10.3 a@b.org", "😀 👍🏽 ok", "ＦＵＬＬ width",
)  # fmt: skip


def needs(name):
    """Return the embedder, or skip the test where its package is not installed."""
    try:
        return resolve(name)
    except UnavailableError as error:
        pytest.skip(error.message)


@pytest.mark.parametrize("name", ["static", "minilm"])
def test_a_model_knows_what_words_mean(name):
    """A question is nearer to the fact that answers it than to another, and above the floor."""
    model = needs(name)
    for texts in PAIRS:
        asked, answer, other = map(bytes, model.embed_packed(texts))
        assert codes.cosine(asked, answer) > max(model.floor, codes.cosine(asked, other) + 0.1)


@pytest.mark.parametrize("name", ["static", "minilm"])
def test_one_unrelated_text_of_a_hundred_reaches_the_floor(name):
    """Of texts that have nothing to do with each other at most 2 % reach the floor of a model, and
    most answers that share no word with their question do."""
    model = needs(name)
    answered = unanswered = 0
    asked = model.embed_packed([question for question, _ in ANSWERS])
    facts = model.embed_packed([fact for _, fact in ANSWERS])
    for place, question in enumerate(asked):
        for other, fact in enumerate(facts):
            passes = codes.cosine(bytes(question), bytes(fact)) >= model.floor
            answered += passes and place == other
            unanswered += passes and place != other
    count = len(ANSWERS)
    assert answered >= 0.8 * count
    assert unanswered <= 0.02 * count * (count - 1)


def test_minilm_is_the_same_in_any_company():
    """A text has the same vector alone and among many, whose graph is rewritten."""
    model = needs("minilm")
    texts = [f"{text} {n}" for n in range(8) for text in TEXTS]
    alone = [bytes(model.embed_packed([text])[0]) for text in texts[:11]]
    many = [bytes(one) for one in model.embed_packed(texts)[:11]]
    assert all(codes.cosine(*both) > 0.999 for both in zip(alone, many, strict=True))


def test_a_folder_is_read_as_its_settings_say(tmp_path):
    """An ONNX folder with mean pooling is the model itself; with CLS pooling it is another, and a
    prompt stands before questions alone; a kind of pooling that is unknown is refused."""
    model = needs("minilm")
    parts = onnx_folder.minilm()
    os.symlink(parts.model, tmp_path / "model.onnx")
    os.symlink(parts.tokenizer, tmp_path / "vocab.txt")
    (tmp_path / "sentence_bert_config.json").write_text('{"max_seq_length": 256}')
    same = resolve(f"onnx:{tmp_path}")
    assert (same.embed_packed(TEXTS) == model.embed_packed(TEXTS)).all()
    (tmp_path / "1_Pooling").mkdir()
    pooling = tmp_path / "1_Pooling" / "config.json"
    pooling.write_text('{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}')
    (tmp_path / "config_sentence_transformers.json").write_text('{"prompts": {"query": "q: "}}')
    other = resolve(f"onnx:{tmp_path}")
    assert other.name != same.name
    assert (other.embed_query("a car") == other.embed_packed(["q: a car"])[0]).all()
    pooling.write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(UnavailableError, match="max_tokens"):
        resolve(f"onnx:{tmp_path}")
    pooling.unlink()
    (tmp_path / "model.onnx").unlink()
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(UnavailableError, match="cannot be run"):
        resolve(f"onnx:{tmp_path}")


def test_byte_pairs_are_those_of_the_library():
    """Our pieces of words are those of the library tokenizers."""
    if find_spec("tokenizers") is None:
        pytest.skip("the package tokenizers is not installed")
    try:
        _, path = static.installed()
    except UnavailableError as error:
        pytest.skip(error.message)
    own, theirs = tokenizer.read_tokenizer(path), tokenizer._Library(path)
    assert [own.ids(text) for text in TEXTS] == [theirs.ids(text) for text in TEXTS]


def test_words_of_bert_are_those_of_the_library(tmp_path):
    """Our WordPiece cuts as the library does, with the vocabulary that comes with us."""
    if find_spec("tokenizers") is None:
        pytest.skip("the package tokenizers is not installed")
    from tokenizers import BertWordPieceTokenizer

    path = os.path.join(os.path.dirname(onnx_folder.__file__), "uncased.txt")
    theirs = BertWordPieceTokenizer(path)
    own = onnx_folder.ModelFolder("", path).read_tokenizer()
    assert [own.marked(text, 512) for text in TEXTS] == [theirs.encode(text).ids for text in TEXTS]
