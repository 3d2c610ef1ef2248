"""The name that vectors carry: which embedder, which revision of it, and how many values.

`static 1f0c2a9b 256` is the embedder `static`. A name without the other two is that of an embedder
that computes features, such as hrr-256, or of another package.
"""

from __future__ import annotations

from tideline_cli.model.lean import blake2b
from tideline_cli.model.record import record

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
