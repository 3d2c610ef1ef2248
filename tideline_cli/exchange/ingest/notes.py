"""What is known of the file of a document: a note in the metadata of its first chunk."""

from __future__ import annotations

from tideline_cli.model import instant
from tideline_cli.model.record import record, replace
from tideline_cli.store.documents import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.exchange.ingest.files import Form
    from tideline_cli.model.fact import Fact
    from tideline_cli.store.documents import Document


@record
class Cut:
    """How a document is cut: characters of a chunk, and of its overlap with the one before."""

    size: int
    overlap: int


@record
class Reading:
    """How the file of a document is read: its form, and the encoding that the user has said."""

    form: Form
    encoding: str | None


def note(
    path: str | None, digest: str, size: int, cut: Cut, reading: Reading, *, chunks: int, now: int
) -> Mapping[str, Any]:
    """Return the note of a document: where it lies, None where it came by standard input; SHA-256
    and bytes of its content; how it was cut, into how many chunks, and when; how it was read."""
    return {
        "path": path, "sha256": digest, "bytes": size, "chunk_size": cut.size,
        "overlap": cut.overlap, "chunks": chunks, "ingested_at": instant.iso(now),
        "format": reading.form, "encoding": reading.encoding,
    }  # fmt: skip


def begun(path: str | None) -> Mapping[str, Any]:
    """Return the note of a document that is not whole yet: where it lies, so that another run knows
    it again."""
    return {NOTE: {"path": path}}


def is_whole(known: Document, digest: str, cut: Cut, reading: Reading) -> bool:
    """Say whether a document is of this content, read and cut in this way. More chunks than were
    noted are those of a run that was stopped; fewer are what somebody has taken out."""
    said = known.note
    stated = said.get("sha256"), said.get("chunk_size"), said.get("overlap")
    count = said.get("chunks")
    is_of = stated == (digest, cut.size, cut.overlap)
    was_read = said.get("format", reading.form), said.get("encoding", reading.encoding)
    is_of = is_of and was_read == (reading.form, reading.encoding)
    return is_of and isinstance(count, int) and known.chunks <= count


def with_note(fact: Fact, said: Mapping[str, Any] | None) -> Fact:
    """Return a chunk with this note in its metadata; None takes away the one that it has."""
    rest = {name: value for name, value in (fact.metadata or {}).items() if name != NOTE}
    if said is not None:
        rest[NOTE] = said
    return replace(fact, metadata=rest or None)
