"""Places for the boxes of a graph: forces between them, by a fixed number of steps. Pure; the same
graph gets the same picture."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Place = tuple[float, float]

WIDTH, HEIGHT = 200.0, 48.0
"""Of a box."""
_GAP = 26.0
_STEPS = 240
_REACH = 165.0  # the length that a link would have by itself


def box_places(count: int, edges: Sequence[tuple[int, int]], *, centre: int | None) -> list[Place]:
    """Return the middle of each box: linked boxes near each other, none on another. The centre
    stays where it is. Fruchterman and Reingold (1991)."""
    at = [_start(index, count) for index in range(count)]
    if centre is not None:
        at[centre] = (0.0, 0.0)
    for step in range(_STEPS):
        most = 60.0 * (1.0 - step / _STEPS) + 1.0
        at = _moved(at, edges, most, centre)
    return _apart(at, centre)


def _start(index: int, count: int) -> Place:
    """Return a place on a spiral: no two boxes begin at one."""
    angle = index * pi * (3.0 - sqrt(5.0))
    radius = _REACH * sqrt((index + 1) / count) * max(1.0, sqrt(count) / 2)
    return radius * cos(angle), radius * sin(angle) * 0.7


def _moved(
    at: Sequence[Place], edges: Sequence[tuple[int, int]], most: float, centre: int | None
) -> list[Place]:
    forces = [[0.0, 0.0] for _ in at]
    for one in range(len(at)):
        for other in range(one):
            _push(forces, at, one, other)
    for one, other in edges:
        _pull(forces, at, one, other)
    return [
        (x, y) if index == centre else _step(x, y, forces[index], most)
        for index, (x, y) in enumerate(at)
    ]


def _between(at: Sequence[Place], one: int, other: int) -> tuple[float, float, float]:
    x, y = at[one][0] - at[other][0], at[one][1] - at[other][1]
    return x, y, max(1.0, sqrt(x * x + y * y))


def _push(forces: list[list[float]], at: Sequence[Place], one: int, other: int) -> None:
    x, y, far = _between(at, one, other)
    force = _REACH * _REACH / (far * far)
    for index, sign in ((one, 1.0), (other, -1.0)):
        forces[index][0] += sign * x * force
        forces[index][1] += sign * y * force


def _pull(forces: list[list[float]], at: Sequence[Place], one: int, other: int) -> None:
    x, y, far = _between(at, one, other)
    force = far / _REACH
    for index, sign in ((one, -1.0), (other, 1.0)):
        forces[index][0] += sign * x * force
        forces[index][1] += sign * y * force


def _step(x: float, y: float, force: Sequence[float], most: float) -> Place:
    dx, dy = force
    far = max(1.0, sqrt(dx * dx + dy * dy))
    share = min(far, most) / far
    return x + dx * share, y + dy * share


def _apart(at: list[Place], centre: int | None) -> list[Place]:
    """Return the box_places with no box on another: the nearer way out, as often as it takes."""
    wide, high = WIDTH + _GAP, HEIGHT + _GAP
    for _ in range(200):
        is_clear = True
        for one in range(len(at)):
            for other in range(one):
                x, y = at[one][0] - at[other][0], at[one][1] - at[other][1]
                over_x, over_y = wide - abs(x), high - abs(y)
                if over_x <= 0.0 or over_y <= 0.0:
                    continue
                is_clear = False
                move = (over_x + 1.0 if x >= 0.0 else -over_x - 1.0, 0.0)
                if over_y < over_x:
                    move = (0.0, over_y + 1.0 if y >= 0.0 else -over_y - 1.0)
                still = other if one == centre else one
                sign = -1.0 if one == centre else 1.0
                at[still] = at[still][0] + sign * move[0], at[still][1] + sign * move[1]
        if is_clear:
            break
    return at
