"""Which embedder the name of a file's vectors means, on this machine."""

from __future__ import annotations

from tideline_cli.errors import UnavailableError
from tideline_cli.memory.coded_lane import check_revision
from tideline_cli.vector.embedder import resolve
from tideline_cli.vector.embedders.names import known_kind, split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.vector.embedder import Embedder


def made(db: Connection, name: str) -> Embedder:
    """Return the embedder that made the vectors of a name; raises UnavailableError where it cannot
    be had, or only another revision of it."""
    parts = split_name(name)
    found = chosen(db, parts.spec, known_dims=parts.dims)
    if parts.revision:
        check_revision(found.name, name)
    return found


def chosen(door: object, spec: str, *, known_dims: int = 0) -> Embedder:
    """Return an embedder as it is here now, by what a user types. How one is reached that is asked,
    a connection or a session says (`asked_settings`); `known_dims` spares the question how many
    values that one gives."""
    kind = known_kind(spec)
    if kind is None or not kind.leaves:
        return resolve(spec)
    from tideline_cli.memory.asked_embedder import AskedEmbedder  # noqa: PLC0415  one of many

    settings_of = getattr(door, "asked_settings", None)
    if settings_of is None:
        raise UnavailableError(f"{spec} needs settings, and there are none here")
    return AskedEmbedder(spec, settings_of(spec), known_dims=known_dims)


def plain_name(spec: str, found: Embedder) -> str:
    """Return the name of the vectors of an embedder that has no revision of ours."""
    if found.name == spec or spec == "hrr":
        return found.name
    raise UnavailableError(
        f"the plug-in {spec!r} calls its vectors {found.name!r}",
        hint="its entry point and the name of its vectors must be the same",
    )
