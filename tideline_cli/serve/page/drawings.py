"""Small pictures drawn as SVG: a curve of strength, bars of days."""

from __future__ import annotations

from tideline_cli.model import instant
from tideline_cli.ranking.decay import is_immune, strength
from tideline_cli.ranking.fading import FLOOR
from tideline_cli.serve.page.markup import Markup, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_WIDE, _HIGH = 640, 160
_LEFT, _BOTTOM = 36, 22
_POINTS = 80
_AHEAD_DAYS = 90


def strengths(
    fact: Mapping[str, Any], now: int, days: int = _AHEAD_DAYS
) -> list[tuple[int, float]]:
    """Return the strength of a fact, as JSON has it, day by day: from its last use, at most so many
    days back, to so many days ahead, if nobody uses it. Each item is (milliseconds, 0..1)."""
    used = instant.parse(fact["last_accessed_at"])
    start = min(max(used, now - days * instant.DAY_MS), now)
    end = now + days * instant.DAY_MS
    immune = is_immune(fact["tier"], bool(fact["pinned"]))
    times = [start + (end - start) * step // _POINTS for step in range(_POINTS + 1)]
    return [
        (at, strength(fact["importance"], fact["decay_rate"], fact["access_count"],
                      (at - used) / instant.DAY_MS, immune=immune))
        for at in times
    ]  # fmt: skip


def curve(points: Sequence[tuple[int, float]], now: int, *, label: str) -> Markup:
    """Return the curve of a strength, with a mark at now and a line at which a fact fades."""
    first, last = points[0][0], points[-1][0]
    span = max(1, last - first)

    def place(at: int, value: float) -> tuple[float, float]:
        x = _LEFT + (at - first) / span * (_WIDE - _LEFT - 8)
        return round(x, 1), round((1 - value) * (_HIGH - _BOTTOM - 8) + 8, 1)

    path = "M" + " L".join(f"{x} {y}" for x, y in (place(*point) for point in points))
    here, _ = place(now, 0)
    _, floor = place(now, FLOOR)
    base = _HIGH - _BOTTOM
    marks = [
        element("line", x1=_LEFT, y1=floor, x2=_WIDE - 8, y2=floor, class_="floor"),
        element("line", x1=here, y1=8, x2=here, y2=base, class_="now"),
        element("line", x1=_LEFT, y1=base, x2=_WIDE - 8, y2=base, class_="axis"),
        *(element("text", f"{share:g}", x=_LEFT - 6, y=place(now, share)[1] + 4, class_="tick end")
          for share in (0, 0.5, 1)),
        element("text", "now", x=here, y=_HIGH - 6, class_="tick middle"),
        element("text", _day(last), x=_WIDE - 8, y=_HIGH - 6, class_="tick end"),
    ]  # fmt: skip
    if here - _LEFT > 90:
        marks.append(element("text", _day(first), x=_LEFT, y=_HIGH - 6, class_="tick"))
    return element("svg", element("title", label), marks, element("path", d=path, class_="curve"),
                   viewBox=f"0 0 {_WIDE} {_HIGH}", role="img", class_="plot")  # fmt: skip


def days(counts: Sequence[Mapping[str, Any]]) -> Markup:
    """Return bars of what was added and archived, a day each."""
    most = max([1, *(max(one["added"], one["archived"]) for one in counts)])
    width = _WIDE / max(1, len(counts))
    bars = []
    for number, one in enumerate(counts):
        for name, side in (("added", -1), ("archived", 1)):
            tall = round(one[name] / most * 36, 1)
            if tall:
                said = element("title", f"{one['day']}: {one[name]:,} {name}")
                bars.append(element(
                    "g", said,
                    element("rect", x=round(number * width + 2, 1), y=40 - tall if side < 0 else 42,
                            width=round(width - 4, 1), height=tall, rx=2, class_=name),
                ))  # fmt: skip
    total = sum(one["added"] for one in counts), sum(one["archived"] for one in counts)
    label = f"The last {len(counts)} days: {total[0]:,} added, {total[1]:,} archived"
    axis = element("line", x1=0, y1=41, x2=_WIDE, y2=41, class_="axis")
    return element("svg", element("title", label), axis, bars, viewBox=f"0 0 {_WIDE} 82",
                   role="img", class_="plot")  # fmt: skip


def _day(ms: int) -> str:
    return instant.iso(ms)[:10]
