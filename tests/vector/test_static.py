"""Word vectors that are read from a folder: without numpy and with it, whole and broken."""

from __future__ import annotations

import json

import pytest

from tests.vector import models
from tideline_cli.errors import UnavailableError
from tideline_cli.vector.embedders import codes
from tideline_cli.vector.embedders.coded import StaticEmbedder
from tideline_cli.vector.embedders.static import StaticTable
from tideline_cli.vector.embedders.tokenizer import WordPiece

TEXTS = [
    "I sold the car to Bob", "automobile", "", "…", "the the the", "dogs on Friday 12", "Ünï 你好",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "model"


def test_words_that_mean_the_same_are_alike(folder):
    """A word is near to its synonym, and far from others."""
    table = StaticTable(models.static_folder(folder))
    car, automobile, dog = map(table.code, ("a car", "the automobile", "my dog"))
    assert codes.cosine(car, automobile) > 0.7 > 0.3 > codes.cosine(car, dog)


def test_the_codes_are_those_of_numpy(folder):
    """One text in plain Python and many by numpy have the same codes, also with weights and shared
    rows, and whatever kind of number the file holds."""
    rows = [models.row_of(word) for word in models.WORDS]
    count = len(rows)
    weights = [0.1 + 0.01 * place for place in range(count)]
    shared = [place // 2 for place in range(count)]
    more = {
        "plain": {}, "weighted": {"weights": ("F64", weights)},
        "shared": {"weights": ("F64", weights), "mapping": ("I64", shared)},
    }  # fmt: skip
    spec = models.static_folder(folder)
    for named in more.values():
        for kind in ("F16", "F32", "F64"):
            models.tensors(folder / "model.safetensors", embeddings=(kind, rows), **named)
            alone, many = StaticTable(spec), StaticEmbedder(spec)
            assert alone.name == many.name
            assert alone.codes(TEXTS) == many.embed_packed(TEXTS).tobytes()


def test_another_model_is_another_revision(folder):
    """Other weights, or another tokenizer, carry another name: their vectors are never compared."""
    first = StaticTable(models.static_folder(folder)).name
    assert first == StaticTable(f"static:{folder}").name
    assert first.endswith(f" {models.DIMS}")
    assert StaticTable(models.static_folder(folder, turn=0.01)).name != first


BROKEN = {
    "no weights": ("model.safetensors", None),
    "no tokenizer": ("tokenizer.json", None),
    "empty": ("model.safetensors", b""),
    "cut short": ("model.safetensors", b"\xff\x00\x00\x00\x00\x00\x00\x00{}"),
    "no header": ("model.safetensors", b"\x04\x00\x00\x00\x00\x00\x00\x00nullxxxx"),
    "out of the file": ("model.safetensors", (lambda head: len(head).to_bytes(8, "little") + head)(
        json.dumps({"embeddings": {"dtype": "F32", "shape": [9, 9],
                                   "data_offsets": [0, 324]}}).encode())),
    "no JSON": ("tokenizer.json", b"[1, 2"),
    "no model": ("tokenizer.json", b"{}"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_folder_is_unavailable(folder, case):
    """A part that is missing or broken is one error that names the file."""
    spec = models.static_folder(folder)
    name, content = BROKEN[case]
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    with pytest.raises(UnavailableError, match=name):
        StaticTable(spec).code("a car")


def test_pieces_of_words():
    """The longest piece is taken first, accents and case are folded, and a word with a part that no
    piece has is unknown as a whole."""
    pieces = WordPiece({word: number for number, word in enumerate(models.WORDS)})
    number = models.WORDS.index
    assert pieces.ids("CARS, Cár") == [
        number("car"), number("##s"), number("[UNK]"), number("car")
    ]  # fmt: skip
    assert pieces.ids("carx 42") == [number("[UNK]"), number("4"), number("##2")]
    assert pieces.ids("\u200bdog\u00a0puppy") == [number("dog"), number("puppy")]
    assert pieces.marked("car car car", 4) == [
        number("[CLS]"), number("car"), number("car"), number("[SEP]")
    ]  # fmt: skip
