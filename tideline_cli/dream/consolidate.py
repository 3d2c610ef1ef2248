"""consolidate: one call of a model for an origin, outside of any transaction, and what its reply
changes."""

from __future__ import annotations

from tideline_cli.dream.run import Pass
from tideline_cli.errors import UnavailableError
from tideline_cli.llm import prompts, reply
from tideline_cli.llm.client import complete
from tideline_cli.memory.lanes import embedder_of
from tideline_cli.memory.rivals import rule_of
from tideline_cli.memory.screening import threats_in
from tideline_cli.model.proposal import Retire
from tideline_cli.model.record import record, replace
from tideline_cli.model.source import is_trusted
from tideline_cli.policy import gate, prompt_lines, secrets
from tideline_cli.policy.identifiers import is_withheld
from tideline_cli.policy.periods import covers
from tideline_cli.policy.prompt_lines import shown_id
from tideline_cli.policy.render import prompt_text
from tideline_cli.policy.sameness import (
    SAME_SLOT_COSINE,
    SAME_SLOT_TERMS,
    SAME_TERMS,
    jaccard,
    may_share_place,
    state_the_same,
)
from tideline_cli.policy.survivor import may_be_one, merged, richness
from tideline_cli.ranking.fading import GIVEN_REST_MS
from tideline_cli.store import facts, listing, passes, uses, visibility
from tideline_cli.store.connection import put_setting, setting, snapshot, writing
from tideline_cli.vector.embedder import cosines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from apsw import Connection

    from tideline_cli.llm.model_settings import Model
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.policy.sameness import Sameness

    Cosine = Callable[[Fact, Fact], float]

INTERVAL_MS = 30 * 60_000
MIN_FACTS = 6
_LONGEST_REASON = 200
MAX_FACTS = 500  # the newest of an origin: some 60 kB of prompt
UNSAID = "named as needless by the model"


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
        return prompts.CONSOLIDATION, prompt_lines.weighed(self.facts)


@record
class ArchiveRequest:
    """A fact that the model wants to archive; `by` makes it needless, as the model says."""

    id: str
    by: str | None = None
    reason: str | None = None


@record
class Verdict:
    """What is granted, and for each other id why it is not. `refused` is the reason why nothing is
    granted; `unknown` counts the ids that the model was not shown."""

    granted: tuple[Retire, ...]
    denied: tuple[tuple[str, str], ...]
    refused: str | None = None
    unknown: int = 0


@record
class Judged:
    """What became of the bucket of one origin. `error` is why the model gave no answer. `parsed` is
    False when the reply cannot be read, and True when it is readable and requests nothing. `heard`
    is the reply as it came."""

    bucket: Bucket
    ran: bool = False
    parsed: bool = False
    verdict: Verdict = Verdict((), ())
    skipped: int = 0
    batch: int | None = None
    error: UnavailableError | None = None
    heard: str = ""
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
        count = passes.active_count(db, viewer=viewer)
        listed = _listed(db, most + 1, count, viewer=viewer)
        newest, left_out = listed[:most], len(listed) > most
        terms = passes.terms_of(db, [fact.id for fact in newest], viewer=viewer)
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
    heard = said
    said = reply.unechoed(said, system, prompt)
    wanted = reply.archive_request(said)
    reasons = reply.archive_reasons(said)
    ids = [fact.id for fact in bucket.facts]
    requests = [
        _request(shown_id(one, ids), by and shown_id(by, ids), reason)
        for one in wanted or () for by, reason in [reasons.get(one, (None, None))]
    ]  # fmt: skip
    rule = rule_of(db)
    lately = uses.given_since(db, now - GIVEN_REST_MS, viewer=viewer)
    found = judge(
        bucket.facts, requests, bucket.terms, _cosine(db), active=bucket.active, max_loss=max_loss,
        now=now, rule=rule, given=lately,
    )  # fmt: skip
    if dry_run or not bucket.facts:
        return Judged(bucket, True, wanted is not None, found, heard=heard)
    if wanted is None:
        return Judged(bucket, True, False, found, heard=heard)
    pass_ = Pass(db, verb="consolidate", viewer=viewer, now=now, rule=rule)
    pass_.apply(found.granted)
    gone = tuple(item for item in found.granted if item not in pass_.skipped)
    before = passes.said_of_last(db, "consolidate", viewer=viewer)
    said = f"refused: {found.refused}" if found.refused else "nothing to do"
    said = f"{len(gone):,} archived" if gone else said
    ordinal = pass_.finish(said)
    done = replace(found, granted=gone)
    skipped = len(pass_.skipped)
    return Judged(
        bucket, True, True, done, skipped, ordinal, heard=heard, refused_before=said == before
    )


def _request(fact_id: str, by: str | None, reason: str | None) -> ArchiveRequest:
    """Return a request. Its reason is cut to a few words; it is dropped when it reads like an
    instruction or holds a password."""
    said = prompt_text(reason or "")[:_LONGEST_REASON].strip()
    is_fit = said and not secrets.holds(reason or "") and not threats_in(said)
    return ArchiveRequest(fact_id, by, said if is_fit else None)


def _cosine(db: Connection) -> Callable[[Fact, Fact], float]:
    def cosine(a: Fact, b: Fact) -> float:
        return cosines(embedder_of(db), [(a.content, b.content)])[0]

    return cosine


def judge(
    listed: Sequence[Fact],
    requests: Iterable[ArchiveRequest],
    terms: Mapping[str, frozenset[str]],
    cosine: Cosine,
    *,
    active: int,
    max_loss: float,
    now: int,
    rule: Sameness = "strict",
    given: Collection[str] = (),
) -> Verdict:
    """Return the verdict on a model's requests about the facts that it was shown.

    Unknown ids are ignored. Nothing is granted when the model names all facts, or more than
    `max_loss` of the `active` facts. Pinned and confirmed facts stay. Of twins the richer stays,
    whichever was named, unless the model says which other fact makes it needless. A fact that is
    to go cannot make another needless: of facts that name one another the last stays. A fact takes
    the place of another only if it holds for all of the time that the other has left. A trusted
    fact gives way to a trusted fact only: where untrusted facts were shown too, the request must
    say which fact makes it needless, or a twin must be known. What `given` names, which `context`
    gave out lately, goes only where another fact stands in its place.
    """
    known = {fact.id: fact for fact in listed}
    asked = [_recognised(request, known) for request in requests]
    wanted = {request.id: request for request in asked if request.id in known}
    unknown = len(asked) - sum(request.id in known for request in asked)
    if not wanted:
        return Verdict((), (), None, unknown)
    if len(wanted) == len(known):
        return Verdict((), (), "the model named every fact", unknown)
    decisions = _Decisions(known, wanted, terms, cosine, rule, now, given)
    for request in wanted.values():
        decisions.decide(request)
    if len(decisions.granted) > max_loss * active + 1e-9:
        count = len(decisions.granted)
        why = f"{count:,} of {active:,} facts are more than max-loss allows"
        return Verdict((), (), why, unknown)
    return Verdict(tuple(decisions.granted.values()), tuple(decisions.denied), None, unknown)


def _recognised(request: ArchiveRequest, known: Mapping[str, Fact]) -> ArchiveRequest:
    """Return a request with the true ids, which a model may put in brackets or in another case."""
    by_case = {fact_id.casefold(): fact_id for fact_id in known}

    def plain(text: str) -> str:
        bare = text.strip(" []`\"'")
        return bare if bare in known else by_case.get(bare.casefold(), bare)

    by = None if request.by is None else plain(request.by)
    return ArchiveRequest(plain(request.id), by, request.reason)


class _Decisions:
    """The requests decided one after the other; each decision respects the earlier ones."""

    def __init__(
        self,
        known: Mapping[str, Fact],
        wanted: Mapping[str, ArchiveRequest],
        terms: Mapping[str, frozenset[str]],
        cosine: Cosine,
        rule: Sameness,
        now: int,
        given: Collection[str],
    ) -> None:
        self._given = given
        self._rule = rule
        self._now = now
        self._known = dict(known)
        self._wanted = wanted
        self._terms = terms
        self._cosine = cosine
        self._mixed = not all(is_trusted(fact.source) for fact in known.values())
        self._kept: set[str] = set()
        self.granted: dict[str, Retire] = {}
        self.denied: list[tuple[str, str]] = []

    def decide(self, request: ArchiveRequest) -> None:
        named = self._known[request.id]
        if request.id in self.granted:
            return
        stated = self._stated(request)
        if request.by is not None and stated is None and request.by in self._wanted:
            self.denied.append((request.id, "what should stand in its place is to go as well"))
            self._kept.add(request.id)
            return
        least = SAME_TERMS if stated is not None else SAME_SLOT_TERMS
        twin = max(
            (fact for fact in self._staying() if self._is_twin(named, fact, least)),
            key=richness,
            default=None,
        )
        loser, survivor = named, stated or twin
        if twin is not None and stated in (None, twin) and self._outdoes(named, twin):
            loser, survivor = twin, named
        twin = twin if twin in (loser, survivor) else None
        denial = self._denial(loser, survivor)
        if denial is not None:
            self.denied.append((request.id, denial))
            return
        # Only a twin says the same, so the survivor takes over the labels of a twin only.
        after = None if twin is None or survivor is None else merged(survivor, loser)
        self.granted[loser.id] = Retire(loser, survivor, after, request.reason or UNSAID)
        if after is not None:
            self._known[after.id] = after

    @staticmethod
    def _outdoes(named: Fact, twin: Fact) -> bool:
        """Say whether the named fact is the one to keep, and may stand in its twin's place."""
        may = gate.may_touch(named.source, twin.source) and not _is_settled(twin)
        return may and richness(named) > richness(twin)

    def _staying(self) -> list[Fact]:
        return [fact for fact in self._known.values() if self._stays(fact.id)]

    def _stays(self, fact_id: str) -> bool:
        spared = fact_id not in self._wanted or fact_id in self._kept
        return spared and fact_id not in self.granted

    def _stated(self, request: ArchiveRequest) -> Fact | None:
        """Return the fact that makes another needless; in a chain of these the first that stays."""
        seen = {request.id}
        by = request.by
        while by is not None and by in self._known and by not in seen:
            if self._stays(by):
                return self._known[by]
            seen.add(by)
            by = self._wanted[by].by if by in self._wanted else None
        return None

    def _is_twin(self, a: Fact, b: Fact, least: float) -> bool:
        if not may_share_place(a, b) or not may_be_one(a, b, rule=self._rule):
            return False
        shared = jaccard(self._terms[a.id], self._terms[b.id])
        if shared >= SAME_TERMS:
            return state_the_same(a, b, rule=self._rule)
        if self._rule == "strict" or (a.slot is None and b.slot is None) or least >= SAME_TERMS:
            return False
        return shared >= SAME_SLOT_TERMS or self._cosine(a, b) >= SAME_SLOT_COSINE

    def _denial(self, loser: Fact, survivor: Fact | None) -> str | None:
        if _is_settled(loser):
            return "it is pinned" if loser.pinned else "it is confirmed"
        if survivor is None:
            if loser.id in self._given:
                return "context gave it out in the last 30 days"
            if self._mixed and is_trusted(loser.source):
                return "untrusted facts stand beside it, and no trusted one in its place"
            return None
        if not gate.may_touch(survivor.source, loser.source):
            return f"{survivor.source} may not replace a trusted fact"
        if not covers(survivor, loser, now=self._now):
            return "what should stand in its place does not hold for all of its time"
        return None


def _is_settled(fact: Fact) -> bool:
    return fact.pinned or fact.status == "confirmed"
