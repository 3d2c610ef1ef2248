"""Which embedder a file has, and the lightest way to compare its vectors."""

from __future__ import annotations

from tideline_cli.config.settings import DEFAULT_EMBEDDER
from tideline_cli.errors import UnavailableError
from tideline_cli.memory.nearest import DECIMALS, PlainLane
from tideline_cli.store.connection import setting
from tideline_cli.vector.features import HRR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray

    from tideline_cli.memory.coded_lane import CodedLane
    from tideline_cli.memory.nearest import Chunk, Lane, Rough
    from tideline_cli.vector.embedder import Embedder

    Vector = NDArray[np.float64]

_resolved: dict[str, Embedder] = {}  # by the name that vectors carry
_missing: dict[str, UnavailableError] = {}  # those that cannot be had, asked for once


def embedder_of(db: Connection) -> Embedder:
    """Return the embedder of a file; raises UnavailableError where it cannot be had here."""
    return embedder_named(db, setting(db, "embedder", DEFAULT_EMBEDDER))


def embedder_named(db: Connection, name: str) -> Embedder:
    """Return an embedder by the name of its vectors, always the same: it keeps what it learns."""
    if name in _missing:
        raise _missing[name]
    if name not in _resolved:
        try:
            _resolved[name] = _made(db, name)
        except UnavailableError as error:
            _missing[name] = error
            raise
    return _resolved[name]


def forget_named() -> None:
    """Look for embedders anew: one may be installed, or its folder may have changed."""
    _resolved.clear()
    _missing.clear()


def lane_of(db: Connection, *, large: bool = False, name: str | None = None) -> Lane[Any]:
    """Return the way to compare vectors of a file's embedder, which has the `name` where the caller
    knows it: the lightest that is fit for few texts; with `large`, for many. An embedder that must
    be loaded may raise UnavailableError."""
    name = name or setting(db, "embedder", DEFAULT_EMBEDDER)
    if " " in name:
        return coded_lane(db, name)
    if large or name != HRR:  # which compares a few texts faster in plain Python than with numpy
        return ArrayLane(embedder_named(db, name))
    return PlainLane()


def is_slow(db: Connection) -> bool:
    """Say whether the embedder of a file takes too long for a transaction, or for a write."""
    name = setting(db, "embedder", DEFAULT_EMBEDDER)
    if " " not in name:
        return False
    from tideline_cli.vector.embedders.names import known_kind, split_name  # noqa: PLC0415  rare

    kind = known_kind(split_name(name).spec)
    return kind is None or kind.is_slow


def can_embed(db: Connection) -> bool:
    """Say whether the embedder of a file is here, and quick enough for an open transaction."""
    if is_slow(db):
        return False
    try:
        return bool(embedder_of(db).name)
    except UnavailableError:
        return False


def coded_lane(db: Connection, name: str) -> CodedLane:
    """Return the way to compare vectors of a learned embedder."""
    from tideline_cli.memory.coded_lane import CodedLane  # noqa: PLC0415  learned embedders alone
    from tideline_cli.vector.embedders.names import floor_of, split_name  # noqa: PLC0415  as above

    return CodedLane(name, lambda: embedder_named(db, name), floor_of(split_name(name).spec))


class ArrayLane:
    """Similarity by any embedder, for any number of vectors. Loads numpy, 55 to 60 ms."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.floor = embedder.floor
        self.margin = embedder.tolerance if embedder.exact else 0.0

    def embed(self, text: str) -> Vector:
        vector: Vector = self._embedder.embed([text])[0]
        return vector

    def packed(self, texts: Sequence[str]) -> bytes:
        return self._embedder.embed_packed(texts).tobytes()

    def rough(self, asked: Vector, chunks: Iterable[Chunk], least: float) -> Rough:
        from tideline_cli.vector import search  # noqa: PLC0415  numpy, 80 ms
        from tideline_cli.vector.arrays import np  # noqa: PLC0415  as above

        size = self._embedder.code_size
        blocks = (
            (
                np.frombuffer(numbers, dtype="<u4").astype(np.int64),
                np.frombuffer(codes, dtype=np.uint8).reshape(-1, size),
            )
            for numbers, codes in chunks
        )
        floor = least + self.margin  # `best` counts from the embedder's tolerance below
        seqs, scores = search.best(self._embedder, asked, blocks, floor=floor)
        return list(zip(seqs.tolist(), scores.tolist(), strict=True))

    def exact(self, asked: Vector, text: str, approximate: float) -> float:
        return self._cosine(asked, self.embed(text)) if self._embedder.exact else approximate

    def likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
        made = self._embedder.embed(texts)
        return lambda a, b: self._cosine(made[a], made[b])

    @staticmethod
    def _cosine(left: Vector, right: Vector) -> float:
        from tideline_cli.vector.embedder import cosine  # noqa: PLC0415  numpy, 80 ms

        return round(cosine(left, right), DECIMALS)




def _made(db: Connection, name: str) -> Embedder:
    """Return the embedder that made the vectors of a name; raises UnavailableError where it cannot
    be had, or only another revision of it."""
    from tideline_cli.memory.coded_lane import check_revision  # noqa: PLC0415  the embedder is made
    from tideline_cli.vector.embedders.names import split_name  # noqa: PLC0415  as above

    parts = split_name(name)
    found = chosen_embedder(db, parts.spec, known_dims=parts.dims)
    if parts.revision:
        check_revision(found.name, name)
    return found


def chosen_embedder(door: object, spec: str, *, known_dims: int = 0) -> Embedder:
    """Return an embedder as it is here now, by what a user types. How one is reached that is asked,
    a connection or a session says (`asked_settings`); `known_dims` spares the question how many
    values that one gives."""
    from tideline_cli.vector.embedder import resolve  # noqa: PLC0415  numpy, 80 ms
    from tideline_cli.vector.embedders.names import known_kind  # noqa: PLC0415  as above

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
