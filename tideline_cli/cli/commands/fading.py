"""tideline fading."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.filters import Formats
from tideline_cli.cli.options import Argument, count, duration
from tideline_cli.cli.session import Session
from tideline_cli.memory.fading import SOON_MS, Foretold, foretold
from tideline_cli.model import instant
from tideline_cli.model.fact import has_ended
from tideline_cli.model.instant import DAY_MS, LONGEST_SPAN_MS, iso
from tideline_cli.ranking.fading import FLOOR, Eviction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

HELP = f"""Show which facts fade soon, and what keeps them.

The facts that a dream archives within the next days, unless they are used before; soonest first.
A fact fades when it was made 30 days ago, its strength falls below {FLOOR}, and `context` has not
given it out for 30 days. What you typed yourself never fades, unless you called it short-lived
(`--segment context`) or the setting evict_after_owner says how old it gets; nor do the permanent
tier, pinned and confirmed facts. The day is exact for a dream with its own settings; one that would
take too many at once takes none (`--max-loss`).

What keeps a fact: `tideline pin`, a recall that finds it, `tideline feedback ID up`. What has faded
comes back by `tideline restore`."""
EXAMPLES = (("", "--within 60d"), ("--json", ""))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(Formats):
    """The options of a call."""

    within = duration(f"How far to look ahead [default: {SOON_MS // DAY_MS}d].", default=SOON_MS)
    limit = count("At most so many [default: 50; 0 is all].", short="-n", default=50)


def run(session: Session, _: list[str], options: Options) -> int:
    """Show what fades."""
    rule = Eviction(after_owner_ms=session.config.get("evict_after_owner"))
    db = session.reading()
    found: list[Foretold] = []
    total = 0
    if db is not None:
        found, total = foretold(
            db, rule, viewer=session.viewer, now=session.now,
            within_ms=min(options.within, LONGEST_SPAN_MS), limit=options.limit or None,
        )  # fmt: skip
    chosen = output.of_rows(session, options)
    _print(session, chosen, found, options, total)
    if output.is_json(session, chosen):
        return 0
    if total > len(found):
        session.note(f"these are the first of {total:,}: --limit 0 shows all")
    if found:
        session.note(f"what keeps one: {session.call('pin', 'ID')}, or a recall that finds it")
    else:
        session.note(f"nothing fades within {_days(options.within)}")
    return 0


def _print(
    session: Session, format: str, found: Sequence[Foretold], options: Options, total: int
) -> None:
    def table() -> None:
        rows = [(_day(session, one, instant.local), one.fact, _why(session, one)) for one in found]
        drawer(session).fading(rows)

    output.emit_rows(
        format,
        (_form(one, now=session.now) for one in found),
        whole=lambda forms: {
            "within_s": options.within // 1000, "facts": forms, "total": total,
            "truncated": total > len(found),
        },
        lines=lambda: [_line(session, one) for one in found],
        table=table, is_empty=not found,
    )  # fmt: skip


def _form(one: Foretold, *, now: int) -> dict[str, Any]:
    return ({"ended": True} if has_ended(one.fact, now=now) else {}) | {
        "id": one.fact.id,
        "content": one.fact.content,
        "title": one.fact.title,
        "segment": one.fact.segment,
        "source": one.fact.source,
        "fades_at": iso(one.at),
        "strength": one.strength,
        "access_count": one.fact.access_count,
        "last_accessed_at": iso(one.fact.last_accessed_at),
        "given_at": None if one.given_at is None else iso(one.given_at),
        "valid_to": None if one.fact.valid_to is None else iso(one.fact.valid_to),
    }


def _line(session: Session, one: Foretold) -> str:
    text = output.told(one.fact)
    state = output.state(one.fact, now=session.now)
    shown = f"[{one.fact.segment}] {text}" + (f" ({state})" if state else "")
    return f"{one.fact.id}\t{_day(session, one)}\t{shown}\t({_why(session, one)})"


def _day(session: Session, one: Foretold, shown: Callable[[int], str] = iso) -> str:
    """Return the day on which a fact fades; what is due goes with the next dream."""
    return "next dream" if one.at <= session.now else shown(one.at)[:10]


def _why(session: Session, one: Foretold) -> str:
    unused = session.now - one.fact.last_accessed_at
    used = f"not used for {_days(unused)}" if unused >= DAY_MS else "used today"
    why = f"strength {one.strength:.3f}, {used}"
    if one.given_at is None:
        return why
    given = session.now - one.given_at
    return f"{why}, given out " + (f"{_days(given)} ago" if given >= DAY_MS else "today")


def _days(ms: int) -> str:
    days = max(0, ms) // DAY_MS
    return "1 day" if days == 1 else f"{days:,} days"
