"""What `doctor` asks of slots."""

from __future__ import annotations

from tideline_cli.model.codec import dumps
from tideline_cli.model.finding import Finding, some
from tideline_cli.model.instant import LATEST_MS
from tideline_cli.model.source import UNTRUSTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from apsw import Connection

_NAMED = 5
_CROWDED = """
SELECT id FROM fact AS one WHERE slot IS NOT NULL AND lifecycle = 'active' AND EXISTS (
  SELECT 1 FROM fact AS other
  WHERE other.origin = one.origin AND other.slot = one.slot
    AND other.scope IS one.scope AND other.lifecycle = 'active'
    AND other.seq < one.seq
    AND (one.source IN (SELECT value FROM json_each(?1)))
      = (other.source IN (SELECT value FROM json_each(?1)))
    AND max(ifnull(one.valid_from, one.created_at), ifnull(other.valid_from, other.created_at))
      < min(ifnull(one.valid_to, ?2), ifnull(other.valid_to, ?2))
    AND NOT (ifnull(one.valid_from, one.created_at) > ifnull(other.valid_from, other.created_at)
      AND ifnull(one.valid_to, ?2) <= ifnull(other.valid_to, ?2))
    AND NOT (ifnull(one.valid_from, one.created_at) < ifnull(other.valid_from, other.created_at)
      AND ifnull(one.valid_to, ?2) >= ifnull(other.valid_to, ?2))
) ORDER BY seq
"""


def one_value(db: Connection) -> Iterator[Finding]:
    """A slot has one value at any instant: two meet where one is a stay within the other. An
    untrusted one may stand beside a trusted one."""
    rows: list[Any] = db.execute(_CROWDED, (dumps(UNTRUSTED), LATEST_MS)).fetchall()
    if rows:
        named = ", ".join(fact_id for (fact_id,) in rows[:_NAMED])
        yield Finding(
            "slots", "warning",
            f"{some(len(rows), 'fact')} in a slot while another value holds it: "
            f"{named}{', …' if len(rows) > _NAMED else ''}",
            "`tideline show ID` shows one; `tideline remember` the value that is right with its "
            "--slot, and it replaces the others",
        )  # fmt: skip
