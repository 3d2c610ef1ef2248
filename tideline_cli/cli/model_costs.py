"""What asking models costs, as commands tell it: requests and tokens, and money where prices are
set."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.model.finding import some
from tideline_cli.serve import costs, queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.model.origin import Origin
    from tideline_cli.serve.costs import Cost


def of_late(session: Session, days: int = costs.DAYS) -> Cost:
    """Return what the last days have cost the origin."""
    return costs.since(config.state_folder(os.environ), whose(session), days, now=session.now)


def note(session: Session, sent: str, reply: str, *, origin: Origin | None = None) -> None:
    """Add a request and its reply to what this day has cost an origin. The reply counts more than
    that: where it cannot be noted, that is told."""
    cost = costs.Cost(1, costs.tokens_of(sent), costs.tokens_of(reply))
    try:
        costs.note(config.state_folder(os.environ), whose(session, origin), cost, now=session.now)
    except OSError as error:
        session.caution("costs", f"what asking the model costs is not counted: {error.strerror}")


def whose(session: Session, origin: Origin | None = None) -> queue.Whose:
    """Return whose costs are told: those of an origin, or of the viewer."""
    return queue.Whose(session.real_database, (origin or session.viewer).key)


def form_of(session: Session, cost: Cost) -> dict[str, Any]:
    """Return the JSON object of a cost."""
    return {"requests": cost.requests, "tokens_in": cost.sent, "tokens_out": cost.received,
            "money": _price(session, cost)}  # fmt: skip


def in_words(session: Session, cost: Cost) -> str:
    """Return a cost in words; empty for nothing."""
    if not cost.requests:
        return ""
    money = _price(session, cost)
    told = "" if money is None else f", {money:,.2f} by your prices"
    tokens = f"{cost.sent:,} tokens in, {cost.received:,} out"
    return f"{some(cost.requests, 'request')}, {tokens}{told}"


def _price(session: Session, cost: Cost) -> float | None:
    return cost.price(session.config.get("price_in"), session.config.get("price_out"))
