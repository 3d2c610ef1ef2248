"""Pieces of words that are looked for in the file of a tokenizer: those of the whole table."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace

import pytest

from tideline_cli.vector.embedders.tokenizer import BytePairs, read_tokenizer


def byte_pairs(path, pieces, **form):
    """Write a tokenizer.json of SentencePiece with these pieces, in this order."""
    model = {"type": "BPE", "byte_fallback": True, "unk_token": "<unk>", "vocab": pieces}
    steps = [{"type": "Prepend", "prepend": "▁"},
             {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]  # fmt: skip
    whole = {"normalizer": {"type": "Sequence", "normalizers": steps}, "pre_tokenizer": None,
             "model": model | {"merges": ["▁ c", "a r"]}}  # fmt: skip
    path.write_text(json.dumps(whole, **({"ensure_ascii": False} | form)), "utf-8")
    return read_tokenizer(str(path))


def many_pieces():
    """Pieces of a language that is made up, with marks, letters of all kinds, and words of them."""
    letters = ["<unk>", "▁", *'abcdefghij"\\,:{}é猫', "\t", "\x07"]
    drawn = random.Random(5)
    longer = ("".join(drawn.choices(letters[1:], k=drawn.randrange(2, 7))) for _ in range(30_000))
    listed = dict.fromkeys([*letters, *longer, '"a', 'a"', "\\", "merges"])
    return {piece: number for number, piece in enumerate(listed)}


@pytest.mark.parametrize(
    "form", [{}, {"indent": 2}, {"ensure_ascii": True}, {"separators": (",", ":")}]
)
def test_pieces_are_those_of_the_whole_table(tmp_path, form):
    """Pieces that are looked for in the file, one by one, have the numbers of the whole table, in
    whatever way it is written, for few texts and for many."""
    pieces = many_pieces()
    found = byte_pairs(tmp_path / "tokenizer.json", pieces, **form)
    whole = BytePairs(SimpleNamespace(first=pieces, get=pieces.get))
    drawn = random.Random(6)
    for number in range(300):
        text = "".join(drawn.choices('abcdefghij"\\,:{}é猫x \t\x07', k=12))
        assert found.ids(text) == whole.ids(text), text
        asked = byte_pairs(tmp_path / "tokenizer.json", pieces, **form) if number < 3 else None
        assert asked is None or asked.ids(text) == whole.ids(text), text


def test_a_table_out_of_order_is_read_whole(tmp_path):
    """Where ranks do not come in order, no piece is passed over."""
    pieces = many_pieces()
    last = max(pieces.values())
    turned = {piece: last - number for piece, number in pieces.items()}
    found = byte_pairs(tmp_path / "tokenizer.json", turned)
    whole = BytePairs(SimpleNamespace(first=turned, get=turned.get))
    assert found.ids("abc def ghi jab") == whole.ids("abc def ghi jab")
