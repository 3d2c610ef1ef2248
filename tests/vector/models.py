"""Small models for tests: a folder of word vectors, as model2vec writes it."""

from __future__ import annotations

import json
import math
import struct

WORDS = (
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "a", "i", "to", "my", "bob", "sold", "##s", "car",
    "automobile", "dog", "puppy", "rain", "weather", "deploy", "ship", "on", "friday", "number",
    *"0123456789", *(f"##{digit}" for digit in range(10)),
)  # fmt: skip
ALIKE = (("car", "automobile"), ("dog", "puppy"), ("rain", "weather"), ("deploy", "ship"))
DIMS = 32


def row_of(word):
    """Return the vector of a piece: that of its first synonym, turned a little."""
    first = next((pair[0] for pair in ALIKE if word in pair), word)
    place = WORDS.index(first)
    row = [0.05 * math.sin(7 * place + value) for value in range(DIMS)]
    row[place % DIMS] += 0.3 if word in WORDS[:11] else 1.0
    row[(place + 9) % DIMS] += 0.0 if first == word else 0.3
    return row


def tensors(path, **named):
    """Write tensors, each a kind (F32, F64, I64) and rows, into a safetensors file."""
    letters = {"F32": "f", "F64": "d", "I64": "q", "F16": "e", "I8": "b"}
    header, body = {}, b""
    for name, (kind, rows) in named.items():
        flat = [value for row in rows for value in (row if isinstance(row, list) else [row])]
        raw = struct.pack(f"<{len(flat)}{letters[kind]}", *flat)
        shape = [len(rows), len(rows[0])] if isinstance(rows[0], list) else [len(rows)]
        offsets = [len(body), len(body) + len(raw)]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": offsets}
        body += raw
    head = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + body)


def tokenizer(path):
    """Write a tokenizer.json of WordPiece."""
    form = {
        "version": "1.0",
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "lowercase": True,
                       "handle_chinese_chars": True, "strip_accents": None},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100,
                  "vocab": {word: number for number, word in enumerate(WORDS)}},
    }  # fmt: skip
    path.write_text(json.dumps(form, indent=2))


def static_folder(folder, *, turn=0.0):
    """Write a folder that `static:DIR` takes; another `turn` is another revision."""
    folder.mkdir(exist_ok=True)
    rows = [[value + turn for value in row_of(word)] for word in WORDS]
    tensors(folder / "model.safetensors", embeddings=("F32", rows))
    tokenizer(folder / "tokenizer.json")
    return f"static:{folder}"
