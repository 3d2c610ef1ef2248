"""The filters that whatever reads facts takes: their options, and what they ask of facts."""

from __future__ import annotations

from tideline_cli.cli.options import DOCUMENTS, Option, check_order
from tideline_cli.model.fact import KINDS, PROGRESSES, ROLES, SEGMENTS
from tideline_cli.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.model.fact import Progress, Role, Segment

SPOKEN = (
    Option("session", ("--session",), "Only what was said in this session.", many=True,
           metavar="NAME", completes="session"),
    Option("speaker", ("--speaker",), "Only what this speaker said.", many=True, metavar="NAME",
           completes="speaker"),
    Option("role", ("--role",), "Only what this role said.", "choice", choices=ROLES, many=True),
    Option("agent", ("--agent",), "Only what this agent wrote.", many=True, metavar="NAME",
           completes="agent"),
)  # fmt: skip
NARROWING = (
    Option("segment", ("--segment", "-s"), "Only facts of this segment.", "choice",
           choices=tuple(SEGMENTS), many=True),
    Option("tag", ("--tag", "-t"), "Only facts with this tag, or with all of several between "
           "commas.", many=True, metavar="TAG", completes="tag"),
    Option("kind", ("--kind",), "Only facts of this kind.", "choice", choices=tuple(KINDS),
           many=True, metavar="KIND"),
    *SPOKEN,
    *DOCUMENTS,
    Option("progress", ("--status", "--progress"), "Only work that is so far, such as open tasks; "
           "what has ended is not active.",
           "choice", choices=PROGRESSES, many=True),
    Option("since", ("--since",), "Only facts made at or after TIME.", "start"),
    Option("until", ("--until",), "Only facts made at or before TIME; of a day, all of it.",
           "last"),
)  # fmt: skip


class Spoken(Record, part=True):
    """Where and by whom something was said: `SPOKEN`."""

    session: tuple[str, ...]
    speaker: tuple[str, ...]
    role: tuple[Role, ...]
    agent: tuple[str, ...]


class Documents(Record, part=True):
    """Which documents facts may be chunks of: `DOCUMENTS`."""

    document: tuple[str, ...]
    no_documents: bool


class Narrowing(Spoken, Documents, part=True):
    """What a command asks of facts: `NARROWING`."""

    segment: tuple[Segment, ...]
    tag: tuple[str, ...]
    kind: tuple[str, ...]
    progress: tuple[Progress, ...]
    since: int | None
    until: int | None


def narrowed(options: Narrowing) -> dict[str, Any]:
    """Return what a call asks of facts, as keywords of a Filter; raise UsageError for a span
    without an instant."""
    check_order(options.since, options.until)
    return {
        "segments": options.segment, "kinds": options.kind, "tags": options.tag,
        "documents": asked_documents(options), "progress": options.progress,
        "since": options.since, "until": options.until, **spoken(options),
    }  # fmt: skip


def spoken(options: Spoken) -> dict[str, Any]:
    """Return by whom and where facts are to be said, as keywords of a Filter."""
    return {"sessions": options.session, "speakers": options.speaker, "roles": options.role,
            "agents": options.agent}  # fmt: skip


def asked_documents(options: Documents) -> tuple[str, ...] | None:
    """Return the documents that a call asks for: () for none of them, None for whatever there is.
    """
    return () if options.no_documents else options.document or None
