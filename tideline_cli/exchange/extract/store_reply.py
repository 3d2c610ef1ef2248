"""What is distilled, into the store: one short transaction for all of a reply and its cursor."""

from __future__ import annotations

from tideline_cli.errors import ReplacedError, UsageError, WriteBlockedError
from tideline_cli.exchange import relink
from tideline_cli.exchange.extract.types import (
    ExtractContext,
    OvertakenError,
    Proposal,
    Refusal,
    Step,
    Tally,
)
from tideline_cli.memory import remember
from tideline_cli.memory.amend import NothingToDo, repaint_slots
from tideline_cli.memory.rivals import rule_of, sharing, stating
from tideline_cli.memory.screening import Screen, refuse_threats, screen_of
from tideline_cli.memory.secret_screening import searched
from tideline_cli.memory.succession import kept_words
from tideline_cli.model.fact import NewFact, bare_name, birth
from tideline_cli.model.record import replace
from tideline_cli.model.scope import of_said
from tideline_cli.model.source import UNTRUSTED, is_trusted
from tideline_cli.model.text import terms
from tideline_cli.policy import relations, secrets
from tideline_cli.policy.gate import confined
from tideline_cli.policy.periods import as_said
from tideline_cli.policy.sameness import state_the_same
from tideline_cli.policy.slots import told_anew
from tideline_cli.policy.survivor import holding_on, richness
from tideline_cli.store import facts, journal, listing, uses, visibility, writes
from tideline_cli.store.connection import setting, writing
from tideline_cli.store.facts import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from apsw import Connection

    from tideline_cli.model.fact import Fact
    from tideline_cli.model.origin import Origin
    from tideline_cli.model.text import Analyzer
    from tideline_cli.policy.relations import Reference

VERB = "extract"
MOST_FACTS = 100  # of one reply: it keeps a transaction short
TOO_MANY = "one more than a reply may give"


def store_reply(
    db: Connection,
    context: ExtractContext,
    tally: Tally,
    proposals: Sequence[Proposal],
    *,
    step: Step | None,
    references: Iterable[Reference] = (),
    shown: Sequence[str] = (),
    known: Sequence[str] = (),
) -> None:
    """Store what a reply gave and how far it brings the pass, all or nothing.

    `known` are the facts that a reply says again. Where nothing changes, the journal gets no batch.
    Raises OvertakenError when the pass is not at `step.before` any more, and ReplacedError, with
    how far it came, when the store is not the one that it began with.
    """
    try:
        _keep(db, context, tally, proposals, step, references, shown, [*dict.fromkeys(known)])
    except ReplacedError as error:
        done = f"{tally.stored:,} facts had been stored in what was there before"
        raise error.after(done) from error


def _keep(
    db: Connection,
    context: ExtractContext,
    tally: Tally,
    proposals: Sequence[Proposal],
    step: Step | None,
    references: Iterable[Reference],
    shown: Sequence[str],
    known: Sequence[str],
) -> None:
    over = [Refusal(one.content, TOO_MANY) for one in proposals[MOST_FACTS:]]
    proposals = proposals[:MOST_FACTS]
    references = list(references)
    tally.secrets += relink.secret_count(one.reason for one in references)
    screen = _screen(proposals, context)
    relink.scan_reasons((one.reason for one in references), screen)
    writer = _Writer(db, context, tally, screen)
    before = tally.changes()
    try:
        with journal.batch(
            db, verb=VERB, by=context.origin, now=context.now, resume=tally.number
        ) as batch:
            _expect(db, context, step)
            ids = [writer.kept(proposal, batch) for proposal in proposals]
            writer.repeated(known)
            pairs = relations.taken(references, new=ids, shown=shown)
            tally.links += relink.join(db, pairs, now=context.now, screen=screen)
            if tally.changes() == before:
                raise NothingToDo
            batch.note_secrets(tally.secrets_before + tally.secrets)
            _advance(db, context, step)
        tally.number, tally.batch = batch.number, batch.ordinal
    except NothingToDo:
        with writing(db):
            _expect(db, context, step)
            _advance(db, context, step)
    for reason in writer.reasons:
        journal.record_blocked(db, verb=VERB, by=context.origin, now=context.now, reason=reason)
    tally.refusals += over
    if step is not None:
        tally.done[step.name] = step.after


def _advance(db: Connection, context: ExtractContext, step: Step | None) -> None:
    """Move a cursor; needs an open transaction."""
    if step is not None:
        context.put(db, step.name, step.after)


def _expect(db: Connection, context: ExtractContext, step: Step | None) -> None:
    if step is None:
        return
    if context.done(db, step.name) != step.before:
        raise OvertakenError


class _Writer:
    """One transaction's writes."""

    def __init__(
        self, db: Connection, context: ExtractContext, tally: Tally, screen: Screen
    ) -> None:
        self._db = db
        self._context = context
        self._tally = tally
        self._screen = screen
        self._reinforced: set[str] = set()
        self.reasons: list[str] = []

    def kept(self, proposal: Proposal, batch: journal.batch) -> str | None:
        """Store a proposal, or reinforce the fact that says it; return the fact's id, None for
        one that is refused."""
        try:
            with self._db:
                return self._kept(proposal, batch)
        except WriteBlockedError as error:
            self._tally.refusals.append(_refusal(proposal, error.reason, is_blocked=True))
            self.reasons.append(error.reason)
        except UsageError as error:
            self._tally.refusals.append(_refusal(proposal, error.message))
        return None

    def repeated(self, known: Sequence[str]) -> None:
        """Count one use of each of these facts that still holds; nothing else of them changes."""
        found = facts.by_ids(self._db, known, viewer=self._context.origin) if known else {}
        for _, fact in found.values():
            holds = fact.valid_to is None or fact.valid_to > self._context.now
            if fact.lifecycle == "active" and holds and fact.scope == self._context.scope:
                self._use(fact)

    def _kept(self, proposal: Proposal, batch: journal.batch) -> str:
        content = remember.checked_text(self._without_secrets(proposal))
        if proposal.refusal:
            self._refuse_threats(content)  # which the journal tells of
            raise UsageError(proposal.refusal)
        if proposal.supersedes is not None:
            return self._only(proposal, content, proposal.supersedes, batch)
        known = self._known(proposal, content)
        weaker = known is not None and is_trusted(proposal.source) and not is_trusted(known.source)
        if weaker and not proposal.pinned:
            known = None  # trusted words do not vanish in what an untrusted source said first
        promoted = (weaker and proposal.pinned) or self._is_bettered(proposal, known)
        if known is not None and not promoted:
            return self._reinforce(known, self._context.said_at(proposal.turn))
        new = self._new(proposal, content, (known.id,) if known is not None else ())
        if is_trusted(new.source) and not proposal.exact:
            self._refuse_threats(content)  # a model worded it, whoever vouches for it
        fact_id, screen = self._context.new_id(), self._screen
        now = self._context.said_at(proposal.turn)
        if known is not None:
            now = max(now, known.created_at)  # it takes its place
        if proposal.exact and known is None:
            remember.write_apart(
                self._db, new, batch=batch, fact_id=fact_id, now=now, screen=screen
            )
            return self._count(fact_id, now)
        done = remember.remember_in_batch(
            self._db, new, batch=batch, fact_id=fact_id, now=now, screen=screen
        )
        if done.action == "reinforced":
            self._tally.reinforced += 1
            return done.fact.id
        return self._count(done.fact.id, now)

    def _refuse_threats(self, content: str) -> None:
        refuse_threats(
            content, self._screen,
            whose="distilled text", hint="shorten what the model distilled",
        )  # fmt: skip

    def _only(
        self, proposal: Proposal, content: str, before: tuple[str, ...], batch: journal.batch
    ) -> str:
        """Store the one fact of its kind in the session in the place of the one before. Raises
        OvertakenError where another process has stored one meanwhile."""
        new = self._new(proposal, content, before)
        wanted = Filter(
            kinds=(proposal.kind or "",), sessions=(self._context.session,), sources=UNTRUSTED,
            scopes=(self._context.scope,),
        )  # fmt: skip
        found = listing.each(self._db, viewer=self._context.origin, wanted=wanted, limit=2)
        held = [fact for fact in found if fact.id not in before]
        if held:
            raise OvertakenError
        now = self._context.now if before else self._context.said_at(proposal.turn)
        done = remember.remember_in_batch(
            self._db, new, batch=batch, fact_id=self._context.new_id(), now=now,
            screen=self._screen,
        )  # fmt: skip
        return self._count(done.fact.id, now)

    def _without_secrets(self, proposal: Proposal) -> str:
        """Return the text of a proposal with marks in the place of secrets; an identifier is meant
        to be kept."""
        if proposal.exact:
            return proposal.content
        clean, count = searched({"content": proposal.content})
        self._tally.secrets += count
        return str(clean["content"])

    def _is_bettered(self, proposal: Proposal, known: Fact | None) -> bool:
        """Say whether a proposal says more than a known fact, whose place it may take."""
        if known is None or known.content not in proposal.lesser:
            return False
        return is_trusted(proposal.source) or not is_trusted(known.source)

    def _known(self, proposal: Proposal, content: str) -> Fact | None:
        viewer, now = self._context.origin, self._context.now
        scope = of_said(self._context.scope, proposal.segment, proposal.kind)
        if proposal.exact:
            for text in (content, *proposal.others, *proposal.lesser):
                known = verbatim(self._db, text, scope=scope, viewer=viewer, now=now)
                if known is not None:
                    return known
            return None
        if proposal.corrects:
            return None
        said = self._context.said_at(proposal.turn)
        fact = birth(self._new(proposal, content, ()), fact_id="", now=said)
        return equivalent(self._db, fact, viewer=viewer, now=now)

    def _reinforce(self, known: Fact, now: int) -> str:
        """Count one use of a fact that is said at `now`, however often one reply repeats it. One
        that nobody vouches for holds on, as it does when it is restated; what a trusted one states
        of its end stays."""
        if self._use(known) and not is_trusted(known.source):
            after = holding_on(as_said(known), now=now)
            if now < known.created_at:  # who says it later knows more of its end
                after = replace(after, valid_to=as_said(known).valid_to)
            said = kept_words(self._db, known, after)
            writes.change(self._db, known, told_anew(known, after, **said))
            repaint_slots(self._db, [known], now=now)
        return known.id

    def _use(self, known: Fact) -> bool:
        """Count one use of a fact; say whether this reply has not counted one before."""
        if known.id in self._reinforced:
            return False
        self._reinforced.add(known.id)
        self._tally.reinforced += 1
        uses.put(
            self._db,
            known.id,
            access_count=known.access_count + 1,
            last_accessed_at=max(known.last_accessed_at, self._context.now),
        )
        return True

    def _new(self, proposal: Proposal, content: str, replaced: tuple[str, ...]) -> NewFact:
        metadata: dict[str, Any] = {}
        if proposal.confidence is not None:
            metadata["extraction_confidence"] = proposal.confidence
        if self._context.title is not None:
            metadata["conversation"] = self._context.title
        return NewFact(
            content,
            confined(proposal.segment, proposal.source),
            proposal.source,
            self._context.origin,
            kind=proposal.kind,
            tags=proposal.tags,
            importance=proposal.importance,
            pinned=proposal.pinned,
            source_turn=self._context.session,
            metadata=metadata or None,
            supersedes=replaced,
            scope=of_said(self._context.scope, proposal.segment, proposal.kind),
            agent=self._context.agent,
            session=bare_name(self._context.session),
            turn=proposal.turn,
            role=proposal.role,
        )

    def _count(self, fact_id: str, made: int) -> str:
        """Count a new fact. One that was said long ago is heard now, and fades from now on."""
        if made < self._context.now:
            uses.put(self._db, fact_id, access_count=0, last_accessed_at=self._context.now)
        self._tally.stored += 1
        self._tally.facts.append(fact_id)
        self._reinforced.add(fact_id)  # what this reply stored, it does not confirm
        return fact_id


def _refusal(proposal: Proposal, reason: str, *, is_blocked: bool = False) -> Refusal:
    return Refusal(secrets.without(proposal.content)[0], reason, is_blocked)


def _screen(proposals: Iterable[Proposal], context: ExtractContext) -> Screen:
    """Look at what may be stored: all but the owner's words as they were said."""
    return screen_of(
        NewFact(one.content, "knowledge", "extraction", context.origin)
        for one in proposals
        if not (one.exact and is_trusted(one.source))
    )


def equivalent(db: Connection, fact: Fact, *, viewer: Origin, now: int) -> Fact | None:
    """Return the richest active fact of this origin, and of the scope of a distilled one, that says
    the same; None when there is none.

    By the rule `reference` that is any with Jaccard >= 0.85. What has ceased to hold is not the
    same as what is said now.
    """
    rule, find = rule_of(db), _stating
    if rule == "reference":
        find = _sharing
    rivals = (one for one in find(db, fact.content, viewer) if state_the_same(fact, one, rule=rule))
    return max(_standing(rivals, fact.scope, now), key=richness, default=None)


def verbatim(
    db: Connection, text: str, *, scope: str | None, viewer: Origin, now: int
) -> Fact | None:
    """Return the active fact of this origin and scope with exactly this text, None when there is
    none."""
    said = (fact for fact in _stating(db, text, viewer) if fact.content == text)
    return next(iter(_standing(said, scope, now)), None)


def _standing(found: Iterable[Fact], scope: str | None, now: int) -> list[Fact]:
    """Return those of the active facts that hold in a scope, and are no chunks of a document."""
    return [
        fact for fact in found
        if fact.scope == scope and fact.document is None
        and not (fact.valid_to is not None and fact.valid_to <= now)
    ]  # fmt: skip


def _distinct(db: Connection, text: str) -> frozenset[str]:
    analyzer: Analyzer = setting(db, "analyzer", "standard")
    return frozenset(terms(text, analyzer=analyzer))


def _stating(db: Connection, text: str, viewer: Origin) -> list[Fact]:
    number, distinct = visibility.number(db, viewer), _distinct(db, text)
    if number == visibility.NOBODY:
        return []
    return stating(db, text, distinct, viewer=viewer, origin_number=number)


def _sharing(db: Connection, text: str, viewer: Origin) -> list[Fact]:
    number, distinct = visibility.number(db, viewer), _distinct(db, text)
    if number == visibility.NOBODY:
        return []
    seqs = [seq for seq, _ in sharing(db, distinct, origin_number=number)]
    found = facts.with_terms(db, seqs, viewer=viewer) if seqs else ()
    return [fact for fact, _ in found if fact.lifecycle == "active"]
