"""The learned embedders that there are, what each needs and costs, and the name that vectors carry:
which embedder, which revision of it, and how many values.

`static 1f0c2a9b 256` is the embedder `static`. A name without the other two is that of an embedder
that computes features, such as hrr-256, or of another package.
"""

from __future__ import annotations

from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_REVISION = 4  # bytes


@record
class EmbedderName:
    """A name in its parts. `spec` is what the user chose; the rest is empty for features."""

    spec: str
    revision: str = ""
    dims: int = 0


def vector_name(spec: str, revision: str, dims: int) -> str:
    """Return the name of the vectors of one revision."""
    return f"{spec} {revision} {dims}"


def split_name(name: str) -> EmbedderName:
    """Return the parts of the name of vectors."""
    spec, _, rest = name.rpartition(" ")
    spec, _, revision = spec.rpartition(" ")
    if not spec or not rest.isdigit():
        return EmbedderName(name)
    return EmbedderName(spec, revision, int(rest))


def revision_of(*parts: bytes) -> str:
    """Return a short name for what makes the vectors of a model what they are."""
    found = blake2b(digest_size=_REVISION)
    for part in parts:
        found.update(b"%d:" % len(part) + part)
    return str(found.hexdigest())


@record
class Kind:
    """A kind of embedder. `floor`: the least cosine that counts as similar. `cold_ms`: what a
    question adds to a cold start. `extra`: the part of the package that brings it, '' for none.
    `is_slow`: a fact takes milliseconds, so vectors are made after the facts are stored. `leaves`:
    texts leave this process. `is_english`: it has learned English alone."""

    summary: str
    floor: float
    cold_ms: int
    extra: str = ""
    argument: str = ""
    is_slow: bool = True
    leaves: bool = False
    is_english: bool = False


FLOOR = 0.3
"""The floor of a model that was not measured. Of those that were it is the cosine that one in a
hundred pairs of texts reaches that have nothing to do with each other (bench/floors.py)."""
KINDS: Mapping[str, Kind] = {
    "static": Kind("word vectors of the package wordllama, 256 values; English", 0.2, 15, "static",
                   is_slow=False, is_english=True),
    "static:": Kind("word vectors of a folder that model2vec has written", FLOOR, 15, "", "DIR",
                    is_slow=False),
    "minilm": Kind("MiniLM-L6 in whole numbers, 384 values; English", 0.3, 250, "minilm",
                   is_english=True),
    "onnx:": Kind("a sentence-transformers model as ONNX", FLOOR, 250, "minilm", "DIR"),
    "openai": Kind("an OpenAI-compatible endpoint", FLOOR, 300, leaves=True),
    "openai-256": Kind("the same, cut to 256 values", FLOOR, 300, leaves=True),
    "command": Kind("a program of yours", FLOOR, 100, leaves=True),
}  # fmt: skip
"""By what is typed; a name that ends in a colon takes a folder."""


def known_kind(spec: str) -> Kind | None:
    """Return the kind of what a user typed, None where it is no learned embedder of ours."""
    name, colon, rest = spec.partition(":")
    return KINDS.get(name + colon) if bool(colon) == bool(rest) else None


def floor_of(spec: str) -> float:
    """Return the least cosine that counts as similar by a learned embedder."""
    kind = known_kind(spec)
    return FLOOR if kind is None else kind.floor
