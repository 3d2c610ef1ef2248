"""Heads of rows: a quarter of the values, chosen so that they bound most products well enough.

Rows are turned so that the directions in which many rows are long come first. By Cauchy and
Schwarz a.b <= a1.b1 + |a2||b2|, where a1 is the first part of a turned row and a2 the rest; with
|a2| as one more value of the head that is a single product. A second part, read for the few pairs
that pass, makes the bound narrower. A bound is never too low, whatever the directions are.
"""

from __future__ import annotations

from tideline_cli.model.record import record
from tideline_cli.vector.arrays import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tideline_cli.vector.embedder import Embedder

    Rows = NDArray[np.float32]

SLACK = 1e-4  # a float32 product of unit vectors is off by less
_ROUNDED = 1e-6  # the square of a rest is off by less
_STEP = 16
_SAMPLE = 8192  # rows that the directions are learned from
_TRIED = 1024  # rows of each side of the products that are tried
_SECOND_LOOK = 3000  # the cost of one second look, in values of a head: 50 ns against 0.017
_AT_ONCE = 1 << 14


@record
class Heads:
    """Heads of rows. `first`: values and the length of the rest (n, k + 1), so that a product of
    two bounds that of their rows. `second`: the same of the next values, empty where none are."""

    first: Rows
    second: Rows

    def part(self, start: int, stop: int) -> Heads:
        """Return the heads of some rows."""
        return Heads(self.first[start:stop], self.second[start:stop])


class Basis:
    """How rows are turned, and how many values are in the first and the second part of a head."""

    def __init__(self, directions: Rows | None, size: int) -> None:
        self._directions = directions
        self._size = size

    def heads(self, rows: Rows) -> Heads:
        """Return the heads of rows (n, dims)."""
        turned = rows if self._directions is None else rows @ self._directions
        first, second = turned[:, : self._size], turned[:, self._size :]
        rest = np.einsum("ij,ij->i", rows, rows) - np.einsum("ij,ij->i", first, first)
        head = np.column_stack([first, _length(rest)])
        if not second.shape[1]:
            return Heads(head, second)
        last = _length(rest - np.einsum("ij,ij->i", second, second))
        return Heads(head, np.column_stack([second, last]))


def basis_of(embedder: Embedder, codes: NDArray[np.uint8], *, least: float, pairs: int) -> Basis:
    """Return the basis that makes it cheapest to tell which of so many pairs reach `least`: the
    rows as they are when they are few."""
    dims = embedder.dims
    if pairs < 100 * dims * dims:
        return Basis(None, dims)
    sample = embedder.rows(codes[:: max(1, len(codes) // _SAMPLE)])
    directions = _directions(sample)
    size = _cheapest(sample @ directions, least)
    return Basis(np.ascontiguousarray(directions[:, : min(2 * size, dims)]), size)


def passing(mine: Heads, theirs: Heads, least: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs (row of mine, row of theirs) whose products may reach `least`."""
    least -= SLACK
    bounds = (mine.first @ theirs.first.T).ravel()
    flat = np.flatnonzero(bounds >= least)
    if not mine.second.shape[1] or not len(flat):
        return np.divmod(flat, len(theirs.first))
    kept = [
        part[bounds[part] + _correction(mine, theirs, *np.divmod(part, len(theirs.first))) >= least]
        for part in (flat[at : at + _AT_ONCE] for at in range(0, len(flat), _AT_ONCE))
    ]
    return np.divmod(np.concatenate(kept), len(theirs.first))


def _correction(
    mine: Heads, theirs: Heads, at: NDArray[np.intp], of: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return by how much the second parts move the bounds of pairs."""
    moved: NDArray[np.float32] = np.einsum("ij,ij->i", mine.second[at], theirs.second[of])
    moved -= mine.first[at, -1] * theirs.first[of, -1]
    return moved


def _length(square: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return no less than the lengths whose squares are given."""
    length: NDArray[np.float32] = np.sqrt(np.maximum(square, 0.0) + np.float32(_ROUNDED))
    return length


def _directions(sample: Rows) -> Rows:
    """Return orthonormal columns (dims, dims), those in which the rows are longest first."""
    _, found = np.linalg.eigh((sample.T @ sample).astype(np.float64))
    directions: Rows = found[:, ::-1].astype(np.float32)
    return directions


def _cheapest(turned: Rows, least: float) -> int:
    """Return how many values of turned rows decide pairs at the least cost, tried on a sample."""
    left, right = turned[0::2][:_TRIED], turned[1::2][:_TRIED]
    dims = turned.shape[1]
    product = np.zeros((len(left), len(right)), np.float32)
    costs: dict[int, float] = {}
    for start in range(0, dims, _STEP):
        part = slice(start, start + _STEP)
        product += left[:, part] @ right[:, part].T
        size = min(start + _STEP, dims)
        rests = [_length(np.square(side[:, size:]).sum(axis=1)) for side in (left, right)]
        passed = float(np.mean(product + np.outer(*rests) >= least - SLACK))
        costs[size] = size + passed * _SECOND_LOOK
    return min(costs, key=costs.__getitem__)
