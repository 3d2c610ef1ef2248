"""The filters that list, export and forget share: one table of options, and what they mean."""

from __future__ import annotations

from tideline_cli.cli.options import SCOPES, Option, check_order
from tideline_cli.errors import NotFoundError
from tideline_cli.model.fact import HEATS, KINDS, PROGRESSES, ROLES, SEGMENTS, slot_key
from tideline_cli.model.source import SOURCES
from tideline_cli.store import history
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

    from tideline_cli.cli.session import Session
    from tideline_cli.cli.shared_options import Documents, Filters, Said


SPOKEN = (
    Option("session", ("--session",), "Only what was said in this session.", many=True,
           metavar="NAME", completes="session"),
    Option("speaker", ("--speaker",), "Only what this speaker said.", many=True, metavar="NAME",
           completes="speaker"),
    Option("role", ("--role",), "Only what this role said.", "choice", choices=ROLES, many=True),
    Option("agent", ("--agent",), "Only what this agent wrote.", many=True, metavar="NAME",
           completes="agent"),
)  # fmt: skip
DOCUMENTS = (
    Option("document", ("--document",), "Only chunks of this document; `tideline library` lists "
           "them.", many=True, metavar="NAME", completes="document"),
    Option("no_documents", ("--no-documents",), "No chunks of documents.", "flag", False,
           excludes=("document",)),
)  # fmt: skip
PROGRESS = Option("progress", ("--status", "--progress"), "Only work that is so far, such as open "
                  "tasks.", "choice", choices=PROGRESSES, many=True)  # fmt: skip
OPTIONS = (
    Option("segment", ("--segment", "-s"), "Only this segment.", "choice",
           choices=tuple(SEGMENTS), many=True),
    Option("tag", ("--tag", "-t"), "Only facts with this tag, or with all of several between "
           "commas.", many=True, metavar="TAG", completes="tag"),
    Option("kind", ("--kind",), "Only this kind.", "choice", choices=tuple(KINDS), many=True,
           metavar="KIND"),
    Option("slot", ("--slot",), "Only values of this slot.", many=True, metavar="NAME",
           completes="slot"),
    Option("source", ("--source",), "Only what this source said.", "choice", choices=SOURCES,
           many=True, metavar="SOURCE"),
    Option("heat", ("--heat",), "Only facts of this heat.", "choice", choices=HEATS, many=True),
    *SPOKEN,
    *DOCUMENTS,
    PROGRESS,
    Option("pinned", ("--pinned",), "Only pinned facts.", "flag", False),
    Option("batch", ("--batch",), "Only facts that this batch added; `tideline history` has the "
           "numbers.", "count", least=1, metavar="N", completes="batch"),
    Option("since", ("--since",), "Only facts made at or after TIME.", "start"),
    Option("until", ("--until",), "Only facts made at or before TIME; of a day, all of it.",
           "last"),
    *SCOPES,
)  # fmt: skip



def wanted(
    session: Session, db: Connection | None, options: Filters, *, lifecycle: str | None = "active"
) -> Filter:
    """Return what a call asks of facts; raise NotFoundError for a batch that is not there, and
    UsageError for a span without an instant."""
    check_order(options.since, options.until)
    return Filter(
        lifecycle=lifecycle, segments=options.segment, kinds=options.kind, tags=options.tag,
        slots=tuple(map(slot_key, options.slot)), sources=options.source, heats=options.heat,
        pinned=options.pinned, since=options.since, until=options.until,
        batch=None if options.batch is None else _number(session, db, options.batch),
        scopes=session.scopes(options.scope, everything=options.all_scopes),
        sessions=options.session, speakers=options.speaker, roles=options.role,
        documents=asked_documents(options),
        agents=options.agent, progress=options.progress,
    )  # fmt: skip


def asked_documents(options: Documents) -> tuple[str, ...] | None:
    """Return the documents that a call asks for: () for none of them, None for whatever there is.
    """
    return () if options.no_documents else options.document or None


def spoken(session: Session, options: Said) -> Filter:
    """Return what a call that counts labels asks of facts: their scope, and who said them where."""
    return Filter(
        lifecycle=None, scopes=session.scopes(options.scope, everything=options.all_scopes),
        sessions=options.session, speakers=options.speaker, roles=options.role,
        agents=options.agent,
    )


def is_given(options: Filters) -> bool:
    """Say whether a call names any filter: something that leaves facts out."""
    narrowing = (option.name for option in OPTIONS if option.name != "all_scopes")
    return any(getattr(options, name) not in (None, False, ()) for name in narrowing)


def _number(session: Session, db: Connection | None, ordinal: int) -> int:
    found = None if db is None else history.find(db, ordinal, viewer=session.viewer)
    if found is None:
        raise NotFoundError(f"no batch {ordinal}", hint="`tideline history` lists them")
    return found.number
