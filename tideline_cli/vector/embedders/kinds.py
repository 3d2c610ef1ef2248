"""The learned embedders that there are: what each is, what it needs, and what it costs."""

from __future__ import annotations

from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class Kind:
    """A kind of embedder. `floor`: the least cosine that counts as similar. `cold_ms`: what a
    question adds to a cold start. `extra`: the part of the package that brings it, '' for none.
    `is_slow`: a fact takes milliseconds, so vectors are made after the facts are stored. `leaves`:
    texts leave this process."""

    summary: str
    floor: float
    cold_ms: int
    extra: str = ""
    argument: str = ""
    is_slow: bool = True
    leaves: bool = False


KINDS: Mapping[str, Kind] = {
    "static": Kind("word vectors of the package wordllama, 256 values; English", 0.3, 15, "static",
                   is_slow=False),
    "static:": Kind("word vectors of a folder that model2vec has written", 0.3, 15, "", "DIR",
                    is_slow=False),
    "minilm": Kind("MiniLM-L6 in whole numbers, 384 values; English", 0.3, 250, "minilm"),
    "onnx:": Kind("a sentence-transformers model as ONNX", 0.3, 250, "minilm", "DIR"),
    "openai": Kind("an OpenAI-compatible endpoint", 0.3, 300, leaves=True),
    "openai-256": Kind("the same, cut to 256 values", 0.3, 300, leaves=True),
    "command": Kind("a program of yours", 0.3, 100, leaves=True),
}  # fmt: skip
"""By what is typed; a name that ends in a colon takes a folder."""


def known_kind(spec: str) -> Kind | None:
    """Return the kind of what a user typed, None where it is no learned embedder of ours."""
    name, colon, rest = spec.partition(":")
    return KINDS.get(name + colon) if bool(colon) == bool(rest) else None
