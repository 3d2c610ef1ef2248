"""consolidate: one call of a model for an origin, outside of any transaction, and what its reply
changes."""

from __future__ import annotations

from tideline_cli.dream import apply, verdict
from tideline_cli.dream.verdict import Verdict
from tideline_cli.errors import UnavailableError
from tideline_cli.llm import prompts, reply
from tideline_cli.llm.client import complete
from tideline_cli.memory.lanes import embedder_of
from tideline_cli.memory.near_duplicates import rule_of
from tideline_cli.memory.screening import threats_in
from tideline_cli.model.record import record, replace
from tideline_cli.policy import prompt_lines, secrets
from tideline_cli.policy.identifiers import is_withheld
from tideline_cli.policy.render import prompt_text
from tideline_cli.ranking.fading import GIVEN_REST_MS
from tideline_cli.store import bulk_reads, facts, given, listing, visibility
from tideline_cli.store.connection import put_setting, setting
from tideline_cli.store.transactions import snapshot, writing
from tideline_cli.vector.embedder import cosines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from tideline_cli.llm.model_settings import Model
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin

INTERVAL_MS = 30 * 60_000
MIN_FACTS = 6
_LONGEST_REASON = 200
MAX_FACTS = 500  # the newest of an origin: some 60 kB of prompt


@record
class Bucket:
    """The active facts of an origin that the model sees, newest first, with their terms. Facts with
    phone numbers and the like are left out."""

    active: int
    facts: tuple[Fact, ...]
    terms: dict[str, frozenset[str]]
    left_out: bool = False  # there are older facts than these

    def prompt(self) -> tuple[str, str]:
        """Return the system prompt and the prompt."""
        return prompts.consolidation(prompt_lines.weighed(self.facts))


@record
class Judged:
    """What became of the bucket of one origin. `error` is why the model gave no answer. `parsed` is
    False when the reply cannot be read, and True when it is readable and requests nothing."""

    bucket: Bucket
    ran: bool = False
    parsed: bool = False
    verdict: Verdict = Verdict((), ())
    skipped: int = 0
    batch: int | None = None
    error: UnavailableError | None = None
    refused_before: bool = False  # the one before it refused the same


def is_due(last: int | None, *, now: int, interval: int = INTERVAL_MS) -> bool:
    """Say whether a consolidation may run again; a last one in the future does not count."""
    return last is None or now - last >= interval or now < last


def last_run(db: Connection, *, viewer: Origin) -> int | None:
    """Return when an origin was last consolidated, or tried to be."""
    stamp = setting(db, f"consolidated:{visibility.number(db, viewer)}", "")
    return int(stamp) if stamp else None


def stamp(db: Connection, *, viewer: Origin, now: int) -> None:
    """Note that the consolidation of an origin has begun; the note stays after an error."""
    with writing(db):
        put_setting(db, f"consolidated:{visibility.number(db, viewer)}", str(now))


def gather(db: Connection, *, viewer: Origin, most: int = MAX_FACTS) -> Bucket:
    """Return the facts of an origin that the model would see."""
    with snapshot(db):
        count = bulk_reads.active_count(db, viewer=viewer)
        listed = _listed(db, most + 1, count, viewer=viewer)
        newest, left_out = listed[:most], len(listed) > most
        terms = bulk_reads.terms_of(db, [fact.id for fact in newest], viewer=viewer)
    return Bucket(count, tuple(newest), terms, left_out)


def _listed(db: Connection, most: int, count: int, *, viewer: Origin) -> list[Fact]:
    """Return the newest `most` of `count` active facts, identifiers left out."""
    asked = 2 * most
    while True:
        newest = listing.each(db, viewer=viewer, wanted=facts.Filter(documents=()), limit=asked)
        listed = [fact for fact in newest if not is_withheld(fact)]
        if len(listed) >= most or asked >= count:
            return listed[:most]
        asked *= 4


def consolidate(
    db: Connection,
    bucket: Bucket,
    model: Model,
    *,
    viewer: Origin,
    now: int,
    max_loss: float,
    dry_run: bool,
) -> Judged:
    """Ask the model which facts are needless, and archive those that may go.

    Each fact is archived only if it is as the model saw it.
    """
    system, prompt = bucket.prompt()
    try:
        said = complete(model, prompt, system=system)
    except UnavailableError as error:
        return Judged(bucket, error=error)
    said = reply.unechoed(said, system, prompt)
    wanted = reply.archive_request(said)
    reasons = reply.archive_reasons(said)
    requests = [_request(id_, *reasons.get(id_, (None, None))) for id_ in wanted or ()]
    rule = rule_of(db)
    lately = given.since(db, now - GIVEN_REST_MS, viewer=viewer)
    found = verdict.judge(
        bucket.facts, requests, bucket.terms, _cosine(db), active=bucket.active, max_loss=max_loss,
        now=now, rule=rule, given=lately,
    )  # fmt: skip
    if dry_run or not bucket.facts:
        return Judged(bucket, True, wanted is not None, found)
    if wanted is None:
        return Judged(bucket, True, False, found)
    pass_ = apply.Pass(db, verb="consolidate", viewer=viewer, now=now, rule=rule)
    pass_.apply(found.granted)
    gone = tuple(item for item in found.granted if item not in pass_.skipped)
    before = bulk_reads.said_of_last(db, "consolidate", viewer=viewer)
    said = f"refused: {found.refused}" if found.refused else "nothing to do"
    said = f"{len(gone):,} archived" if gone else said
    ordinal = pass_.finish(said)
    done = replace(found, granted=gone)
    skipped = len(pass_.skipped)
    return Judged(bucket, True, True, done, skipped, ordinal, refused_before=said == before)


def _request(fact_id: str, by: str | None, reason: str | None) -> verdict.ArchiveRequest:
    """Return a request. Its reason is cut to a few words; it is dropped when it reads like an
    instruction or holds a password."""
    said = prompt_text(reason or "")[:_LONGEST_REASON].strip()
    is_fit = said and not secrets.holds(reason or "") and not threats_in(said)
    return verdict.ArchiveRequest(fact_id, by, said if is_fit else None)


def _cosine(db: Connection) -> Callable[[Fact, Fact], float]:
    def cosine(a: Fact, b: Fact) -> float:
        return cosines(embedder_of(db), [(a.content, b.content)])[0]

    return cosine
