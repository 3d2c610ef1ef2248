"""tideline doctor."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing

from tideline_cli.cli import output, status_lines
from tideline_cli.cli.commands import drawer
from tideline_cli.cli.options import Argument, OptionSet, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import StoreError, TidelineError, UsageError
from tideline_cli.exchange.ingest import library
from tideline_cli.memory import doctor
from tideline_cli.memory.secret_screening import kinds_in_words, stored_secrets
from tideline_cli.model.finding import some
from tideline_cli.model.origin import EVERYONE
from tideline_cli.store import connection, sequences
from tideline_cli.store.checks import engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tideline_cli.memory.doctor import DoctorReport
    from tideline_cli.memory.secret_screening import StoredSecret
    from tideline_cli.model.finding import Finding

HELP = """Check that the store is whole, and mend what can be made anew.

Quick by default: pages, index, counts, vectors, history, links, modes, room. --deep reads every
fact as well: its digest, which tells a flipped bit, its terms, its vector; and the logs of the
places that it syncs with, as far as they lie on this machine. Nothing is written without --repair.

--repair makes anew what is derived from the facts: index, counts, bounds, vectors. What touches
more (facts that another program changed, links that lead nowhere, gaps in the history) is copied
first, beside the file, or into another schema of a server. It asks before it begins. While a disk
fails to read, it repairs nothing.

--secrets looks for passwords, keys and card numbers in every text that is kept, archived facts and
the history too, and names the facts and the kinds, never the secret.

Databases that origins have of their own (see config) are examined too, one after the other.

Ends with 0 when all is well, and with 5 when something is wrong. Warnings aside: a full disk, a
long log, a file that may only be read have damaged nothing."""
EXAMPLES = (("", ""), ("--deep --json", ""), ("--repair --yes", ""))
ARGUMENTS: tuple[Argument, ...] = ()
_WHAT = {
    "modes": "take away what rights others have on the files",
    "batches": "close the batches that were left open",
    "references": "remove links and derived rows that point to nothing",
    "links": "remove links from one origin to another, and links stored twice",
    "journal": "close the gaps of the history",
    "index": "make the full-text index anew",
    "terms": "analyse every text anew",
    "counts": "count facts and terms anew",
    "labels": "index the words of labels anew",
    "bounds": "make the bounds of scores anew",
    "census": "count the facts for status anew",
    "batch_counts": "count what each command did anew",
    "pairs": "forget the pairs that are alike, until the next dream",
    "questions": "forget the codes of questions, which are made again when they are asked",
    "walls": "put each row behind the wall of its origin",
    "outlooks": "forget what was foreseen to fade, until the next dream",
    "vectors": "make the vectors anew",
    "digests": "take the facts that changed as they are",
    "purge": "finish the purge",
}


class Options(OptionSet):
    """The options of a call."""

    deep = flag("Check every fact, its terms and its vector, too.")
    repair = flag("Mend what can be mended.")
    secrets = flag(
        "Only look for facts that hold passwords, keys or card numbers.",
        excludes=("deep", "repair"),
    )
    yes = flag("Do not ask.", short="-y")


def run(session: Session, _: list[str], options: Options) -> int:
    """Examine the store, and mend it when that is asked for."""
    session.needs_owner("only the owner may examine the store")
    if options.secrets:
        return _report_secrets(session)
    if engine.is_none(session.database):
        session.check_memory_is_there()
        _show(session, doctor.DoctorReport((), ()), {}, None)
        return 0
    if session.is_on_server and _is_for_another(session):
        return 0
    report = _examined(session, options.deep)
    mended: dict[Finding, bool] = {}
    kept = None
    if options.repair:
        report, mended, kept = _repaired(session, report, deep=options.deep, yes=options.yes)
    _show(session, report, mended, kept)
    _note_older_terms(session)
    if options.deep and session.is_on_server:
        session.note("the pages of the server were not looked at: pg_amcheck does that")
    if not session.tended:  # the clients are those of all databases
        _note_doors(session)
    if not report.findings:
        _note_documents(session)
    return 0 if _is_well(report, mended) else StoreError.exit_code


def _is_well(report: DoctorReport, mended: dict[Finding, bool]) -> bool:
    """Say whether no error is left."""
    return all(one.severity != "error" or mended.get(one, False) for one in report.findings)


def _note_documents(session: Session) -> None:
    """Say how many documents are not as their files are now; that is no fault of the memory."""
    db = session.reading()
    listed = [] if db is None else sequences.documents(db, viewer=session.viewer)
    for state, count in sorted(Counter(map(library.staleness, listed)).items(), key=str):
        if state is not None:
            what = "changed since" if state == "changed" else "gone from the disk"
            session.note(f"{some(count, 'document')} {what}: `{session.call('library')}`")


def _is_for_another(session: Session) -> bool:
    """Say, with a note, that a server that is one of several is examined by its owner alone. Raises
    UsageError where it was asked for."""
    from tideline_cli.store import members  # noqa: PLC0415  psycopg, which few have

    try:
        opened: Any = connection.open_for_inspection(session.database)
        with closing(opened) as db:
            if members.sees_all(db):
                return False
    except (connection.DatabaseError, TidelineError):
        return False  # the checks say why
    why = f"{session.database} is examined by the role that owns its tables alone"
    if not session.tended:
        raise UsageError(why, hint="log in as that role; `tideline member list` shows what "
                         "yours sees", code="not_the_owner")  # fmt: skip
    if session.json:
        output.emit_json({"ok": None, "findings": [], "checks": []})
    session.note(why)
    return True


def _note_older_terms(session: Session) -> None:
    """Say that words could be found in more forms; that is no fault."""
    try:
        with closing(connection.open_for_inspection(session.database)) as db:
            if connection.is_analysed_by_older_rules(db):
                session.note(f"the words of this file are {connection.OLDER_TERMS}")
    except (connection.DatabaseError, TidelineError):
        return


def _note_doors(session: Session) -> None:
    """Say which clients are set up, and what failed there last."""
    for line in status_lines.doors_status(session)[1]:
        session.note(" ".join(line.split()))


def _examined(session: Session, deep: bool) -> DoctorReport:
    with _progress(session, "checking") as tell:
        report = doctor.examine(
            session.database, deep=deep, network_allowed=session.network_allowed, progress=tell
        )
        if not deep or not doctor.BLOCKING.isdisjoint(one.check for one in report.findings):
            return report
        from tideline_cli.cli.commands.sync import meetings  # noqa: PLC0415  of a deep look alone

        found = meetings.log_findings(session, tell)
        if found is None:
            return report
        checks = (*report.checks, meetings.LOG_CHECK)
        return doctor.DoctorReport((*report.findings, *found), checks)


def _repaired(
    session: Session, report: DoctorReport, *, deep: bool, yes: bool
) -> tuple[DoctorReport, dict[Finding, bool], str | None]:
    """Mend what was found; return what was found before and after, which of it is mended, and
    the copy that was made."""
    blocking = [finding for finding in report.findings if finding.check in doctor.BLOCKING]
    names = doctor.asked_repairs(report.findings)
    if blocking:
        session.note(f"nothing in the store is repaired: {blocking[0].message}")
        names = [name for name in names if name == "modes"]
    if not names:
        return report, {}, None
    lines = [f"  {_WHAT[name]}" for name in names]
    if doctor.needs_copy(names):
        copy = "into a schema beside it" if session.is_on_server else "beside itself"
        lines.insert(0, f"  copy the store {copy}")
    question = "\n".join(["doctor would", *lines, "Do it?"])
    if not session.confirmed(question, yes=yes, hint="repeat it with --yes"):
        session.note("nothing was changed")
        return report, {}, None
    with _progress(session, "mending") as tell:
        kept = doctor.repair(
            session.database, names, now=session.now, network_allowed=session.network_allowed,
            progress=tell,
        )  # fmt: skip
    after = _examined(session, deep)
    left = {finding.check for finding in after.findings}
    mended = {finding: finding.check not in left for finding in report.findings if finding.mend}
    fresh = [finding for finding in after.findings if finding not in report.findings]
    return doctor.DoctorReport((*report.findings, *fresh), after.checks), mended, kept


def _show(
    session: Session, report: DoctorReport, mended: dict[Finding, bool], kept: str | None
) -> None:
    if session.json:
        output.emit_json(_form(session, report, mended, kept))
        return
    lines: list[str] = []
    seen = report.findings
    if seen and output.is_terminal(session):
        drawer(session).findings(seen, mended)
        seen = ()
    for finding in seen:
        done = mended.get(finding, False)
        word = "repaired" if done else finding.severity
        lines.append(f"{word:<9}{finding.check}: {finding.message}")
        if not done:
            lines.append(f"         → {finding.remedy}")
    if kept is not None:
        lines.append(f"copy     {kept}")
    if not report.checks:
        lines.append(f"no store yet at {session.database}")
    elif not report.findings and not session.quiet:
        lines.append(f"all is well: {len(report.checks)} checks of {session.database}")
    output.emit_lines(lines)


def _form(
    session: Session, report: DoctorReport, mended: dict[Finding, bool], kept: str | None
) -> dict[str, Any]:
    findings: list[dict[str, Any]] = []
    for finding in report.findings:
        form: dict[str, Any] = {
            "check": finding.check, "severity": finding.severity, "message": finding.message,
            "remedy": finding.remedy,
        }  # fmt: skip
        if finding in mended:
            form["repaired"] = mended[finding]
        findings.append(form)
    form = {"ok": _is_well(report, mended), "findings": findings, "checks": list(report.checks)}
    return form | {"database": session.database} | ({"copy": kept} if kept else {})


class _progress:  # noqa: N801  reads as a statement: with _progress(...) as tell
    """A line on a terminal that says which part runs now; it is removed at the end."""

    def __init__(self, session: Session, doing: str) -> None:
        self._doing = doing
        self._is_seen = session.is_watched

    def __enter__(self) -> Callable[[str], None]:
        return lambda name: self._write(f"{self._doing} {name.replace('_', ' ')} …")

    def __exit__(self, *_: object) -> None:
        self._write("")

    def _write(self, text: str) -> None:
        if self._is_seen:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


_OF_SECRETS = (
    "`tideline purge ID` removes a fact and its history for good; `tideline edit ID TEXT` first "
    "keeps what else it says, and `purge` then takes the old wording"
)


def _report_secrets(session: Session) -> int:
    """Print the facts that hold secrets, one a line."""
    db = session.reading()
    if db is None:
        session.check_memory_is_there()
    found = [] if db is None else stored_secrets(db, viewer=EVERYONE)
    if session.json:
        output.emit_json(_secrets_form(session, found))
        return 0
    lines = [f"{'warning':<9}secrets: {_secret_message(session, one)}" for one in found]
    if not lines and not session.quiet:
        lines = [f"all is well: no secret found in {session.database}"]
    output.emit_lines(lines)
    if found:
        session.note(_OF_SECRETS)
    return 0


def _secret_message(session: Session, one: StoredSecret) -> str:
    is_own = one.origin == session.viewer.key
    whose = "" if is_own else f" of {output.shown_origin(one.origin)}"
    return f"{one.id}{whose} holds {kinds_in_words(one.kinds)} ({', '.join(one.places)})"


def _secrets_form(session: Session, found: list[StoredSecret]) -> dict[str, Any]:
    return {
        "ok": True,
        "findings": [
            {"check": "secrets", "severity": "warning", "remedy": _OF_SECRETS,
             "message": _secret_message(session, one)}
            for one in found
        ],
        "checks": ["secrets"],
        "database": session.database,
        "secrets": [
            {"id": one.id, "origin": one.origin, "kinds": list(one.kinds),
             "places": list(one.places)}
            for one in found
        ],
    }  # fmt: skip
