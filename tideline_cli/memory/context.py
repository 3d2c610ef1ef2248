"""context: a block of facts within a budget, safe to pipe into a prompt."""

from __future__ import annotations

from tideline_cli.memory.screening import threats_in
from tideline_cli.model.fields import TEXTS
from tideline_cli.model.instant import DAY_MS, iso, local
from tideline_cli.model.record import Record, replace
from tideline_cli.model.time_vocabulary import may_name_time
from tideline_cli.policy.render import HEADING, NOTICE, STALE, prompt_text, with_title
from tideline_cli.policy.secret_forms import may_hold
from tideline_cli.store import facts, reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from apsw import Connection

    from tideline_cli.memory.query import Recalled
    from tideline_cli.model.fact import Fact
    from tideline_cli.model.hit import Hit
    from tideline_cli.model.origin import Origin

DEFAULT_CHARS = 1200
AUTO_FACTS = 5
DATES_MS = 90 * DAY_MS
"""How old a fact is when a prompt tells the day on which it was said, unless `dates` says it."""
_MOST_PASSED = 50  # facts that do not fit, until no other is looked at
_LEAST_PIECE = 24  # characters of a text for which a fact is cut instead of left out
_LEAST_ALONE = 12  # the same where there is nothing else to print
_CHARS_PER_TOKEN = 4
_NO_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}  # allowed in Unicode, not in XML


class ContextBlock(Record):
    """The text, and what went into it. `truncated` says that a hit did not fit, or not whole;
    `cut` names those whose text ends early; `left_out` counts the hits that did not fit. The
    `constraints` stand before the facts, and are none of them."""

    text: str
    facts: tuple[str, ...]
    blocked: tuple[str, ...]
    truncated: bool
    cut: tuple[str, ...] = ()
    left_out: int = 0
    constraints: tuple[str, ...] = ()
    constraints_left_out: int = 0

    @property
    def tokens(self) -> int:
        return tokens(self.text)


class _Taken(Record):
    """A line of the block: the rank of its fact, whether its text is withheld, or cut."""

    rank: int
    line: str
    is_blocked: bool
    is_cut: bool = False


def masked_hits(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits whose facts have marks in the place of secrets, in all that is said of them."""
    return [replace(hit, fact=_masked(hit.fact)) for hit in hits]


def dated(hits: Iterable[Hit], *, now: int, after_ms: int) -> list[Hit]:
    """Return hits with the day on which each was said, where a prompt has to tell it."""
    return [replace(hit, said=said_on(hit.fact, now=now, after_ms=after_ms)) for hit in hits]


def said_on(fact: Fact, *, now: int, after_ms: int) -> str:
    """Return the day, in the zone of this machine, on which a fact was said, where a reader has to
    know it: its words count from that day ("yesterday"), it has an end, or it is older than
    `after_ms`. Empty for any other."""
    if now - fact.created_at <= after_ms and fact.valid_to is None:
        if not may_name_time(fact.content):
            return ""
        from tideline_cli.model.times_in_text import days_meant  # noqa: PLC0415  few name a time

        if not days_meant(fact.content, fact.created_at):
            return ""
    return local(fact.created_at)[:10]


def _masked(fact: Fact) -> Fact:
    texts = [fact.content, *fact.tags, *(getattr(fact, name) or "" for name in TEXTS)]
    texts += map(str, (fact.metadata or {}).items())
    if not any(map(may_hold, filter(None, texts))):
        return fact
    from tideline_cli.memory.secret_screening import masked_fact  # noqa: PLC0415  few facts hold one

    return masked_fact(fact)


def context_block(
    hits: Sequence[Hit],
    *,
    max_chars: int,
    max_tokens: int | None,
    fence: str | None,
    is_xml: bool = False,
    style: str = "segment",
) -> ContextBlock:
    """Return the bullets of the hits, one line each, best first, in no more than the budget: it
    counts all that is printed, the line break at its end too.

    A fact that does not fit is cut, or left out for smaller ones behind it; one that leaves no room
    for others gets half of the block. With `fence`, a nonce, the bullets stand under a heading and
    between markers that no fact can forge; with `is_xml` all of it is one element. `style` is how a
    line looks: see `_profile_head`.
    """
    frame = frame_of(fence, is_xml=is_xml)
    return lines_of(hits, frame, Room(frame, max_chars, max_tokens), style)


def newest_first(db: Connection, answer: Recalled, *, viewer: Origin) -> Sequence[Hit]:
    """Return the hits of an answer as `newest_of_similar` orders them."""
    similar = reads.alone(db, facts.similar_among(answer.seqs, viewer=viewer))
    return newest_of_similar(answer.hits, similar)


def newest_of_similar(hits: Sequence[Hit], similar: Iterable[tuple[str, str]]) -> Sequence[Hit]:
    """Return hits, of facts that are linked as `similar`, pairs of ids, the newest in the place of
    the best, and the others behind all hits: they are said where room is left."""
    group: dict[str, str] = {}

    def head(fact_id: str) -> str:
        while fact_id in group:
            fact_id = group[fact_id]
        return fact_id

    for one, other in similar:
        if head(one) != head(other):
            group[head(one)] = head(other)
    if not group:
        return hits
    newest: dict[str, Hit] = {}
    for hit in hits:
        held = newest.get(head(hit.fact.id))
        if held is None or _age(hit) > _age(held):
            newest[head(hit.fact.id)] = hit
    first = list(dict.fromkeys(head(hit.fact.id) for hit in hits))
    told = [newest[one] for one in first]
    said = {hit.fact.id for hit in told}
    return (*told, *(hit for hit in hits if hit.fact.id not in said))


def _age(hit: Hit) -> tuple[int, str]:
    return hit.fact.created_at, hit.fact.id


def lines_of(hits: Sequence[Hit], frame: Frame, room: Room, style: str = "segment") -> ContextBlock:
    """Return the block of hits that have this room, in their frame, in lines of this style."""
    chosen = _chosen(hits, room, style)
    text = "\n".join(frame.written(one.line) for one in chosen)
    ids = [hits[one.rank].fact.id for one in chosen]
    short = [fact_id for fact_id, one in zip(ids, chosen, strict=True) if one.is_cut]
    withheld = [fact_id for fact_id, one in zip(ids, chosen, strict=True) if one.is_blocked]
    return ContextBlock(
        f"{frame.head}{text}{frame.tail}" if text else "",
        tuple(fact_id for fact_id in ids if fact_id not in withheld),
        tuple(withheld),
        len(chosen) < len(hits) or bool(short),
        tuple(short),
        len(hits) - len(chosen),
    )


def bullet(hit: Hit, style: str = "segment") -> tuple[str, bool]:
    """Return the line of a fact, and whether its text is withheld."""
    line, is_blocked = _line(hit, prompt_text(hit.fact.content), style)
    return line if is_blocked else line + _day(hit, style), is_blocked


def _day(hit: Hit, style: str) -> str:
    """Return what tells behind a line of the usual style on which day its fact was said."""
    return f" (said {hit.said})" if hit.said and style == "segment" else ""


def prompt_line(fact: Fact, *, show_secrets: bool = False) -> str:
    """Return the text of a fact as a prompt may hold it, or why it is withheld."""
    shown = fact if show_secrets else _masked(fact)
    return _stated(shown, prompt_text(with_title(shown.title, shown.content)))[0]


class _Lines:
    """The lines of the hits, each made and scanned once."""

    def __init__(self, hits: Sequence[Hit], room: Room, style: str) -> None:
        self._hits = hits
        self.style = style
        self._made: dict[int, tuple[str, bool]] = {}
        self._whole_room = room.emptied()
        self._crowded: bool | None = None

    def at(self, rank: int) -> tuple[str, bool]:
        """Return the line of a hit, and whether its text is withheld."""
        if rank not in self._made:
            self._made[rank] = bullet(self._hits[rank], self.style)
        return self._made[rank]

    def are_crowded(self) -> bool:
        """Say whether the block is too small for all of them."""
        if self._crowded is None:
            self._crowded = False
            for rank in range(len(self._hits)):
                line, _ = self.at(rank)
                if not self._whole_room.holds(line):
                    self._crowded = True
                    break
                self._whole_room.take(line)
        return self._crowded


def _chosen(hits: Sequence[Hit], room: Room, style: str) -> list[_Taken]:
    """Return the lines of a block, in the order of the hits."""
    lines = _Lines(hits, room, style)
    taken: list[_Taken] = []
    passed: list[int] = []
    for rank, hit in enumerate(hits):
        one = _first_look(hit, rank, lines, room, is_only=len(hits) == 1)
        if one is not None:
            taken.append(one)
            room.take(one.line)
        elif len(passed) == _MOST_PASSED:
            break
        else:
            passed.append(rank)
    for rank in passed:
        one = _second_look(hits[rank], rank, lines, room, is_alone=not taken)
        if one is not None:
            taken.append(one)
            room.take(one.line)
    return sorted(taken, key=lambda one: one.rank)


def _first_look(hit: Hit, rank: int, lines: _Lines, room: Room, *, is_only: bool) -> _Taken | None:
    """Return a line that fits, or the piece of one that would leave no room for others; None for
    one that has to wait for the room which is left at last."""
    line, is_blocked = lines.at(rank)
    fits = room.holds(line)
    if is_only or room.holds_as_half(line) or (fits and not lines.are_crowded()):
        return _Taken(rank, line, is_blocked) if fits else None
    piece = None if is_blocked else _piece(hit, rank, line, room.holds_as_half, lines.style)
    return piece or (_Taken(rank, line, is_blocked) if fits else None)


def _second_look(
    hit: Hit, rank: int, lines: _Lines, room: Room, *, is_alone: bool
) -> _Taken | None:
    """Return the piece of a fact that fits into the room left; None where it says too little."""
    line, is_blocked = lines.at(rank)
    if is_blocked:
        return None
    return _piece(
        hit, rank, line, room.holds if is_alone else room.holds_as_half, lines.style,
        is_alone=is_alone,
    )  # fmt: skip


def _piece(
    hit: Hit, rank: int, line: str, fits: Callable[[str], bool], style: str, *,
    is_alone: bool = False,
) -> _Taken | None:  # fmt: skip
    """Return the longest piece of a line that fits, cut at a word, with the id of its fact; where
    the fact is alone and there is no room for an id, without. None where it says too little."""
    from tideline_cli.policy.cutting import ELLIPSIS, cut  # noqa: PLC0415  most lines fit

    head = len(_line(hit, "", style)[0])
    day = _day(hit, style)
    text = line[head:].removesuffix(day)
    least = _LEAST_ALONE if is_alone else _LEAST_PIECE
    for end, least_said in ((f"{day} ({hit.fact.id})", least), (day, 1))[: 1 + is_alone]:
        low, high = 0, len(text) - 1
        while low < high:  # more text never takes less room
            middle = (low + high + 1) // 2
            if fits(line[: head + middle - 1] + ELLIPSIS + end):
                low = middle
            else:
                high = middle - 1
        piece = cut(text, low)
        if len(piece) >= least_said:
            # A part of a text may show a pattern that the whole does not: it is scanned again.
            shown, is_blocked = _line(hit, piece, style)
            shown += "" if is_blocked else end
            return _Taken(rank, shown, is_blocked, not is_blocked) if fits(shown) else None
    return None


def _line(hit: Hit, shown: str, style: str) -> tuple[str, bool]:
    fact = hit.fact
    text, is_blocked = _stated(fact, shown)
    if style == "segment":
        head = f"- [{fact.segment}{', weak match' if hit.weak else ''}] "
    else:
        head = _profile_head(hit, style)
    if is_blocked or (fact.document is None and not fact.title):
        return head + text, is_blocked
    if fact.document is None:
        told, is_blocked = _stated(fact, prompt_text(with_title(fact.title, "")) + text)
        return head + told, is_blocked
    cited = citation(fact)
    if threats_in(cited + text):
        cited = "(from a document) "
    return head + cited + text, False


def _stated(fact: Fact, shown: str) -> tuple[str, bool]:
    found = threats_in(shown)
    if found:
        shown = (
            f"[BLOCKED] this {fact.segment} fact matched threat pattern(s): {', '.join(found)} "
            "— omitted from context"
        )
    return shown, bool(found)


def tokens(text: str) -> int:
    """Return an estimate of the tokens of a text: a quarter per ASCII character, two thirds per
    character of a script without spaces, half per other; rounded down each, plus one."""
    return _estimate(*_kinds(text)) if text else 0


def _kinds(text: str) -> tuple[int, int, int]:
    """Count the characters of a text that are ASCII, of a script without spaces, and others."""
    if text.isascii():
        return len(text), 0, 0
    spaceless = sum("\u0e00" <= char <= "\u0e7f" or char >= "\u2e80" for char in text)
    plain = sum(char < "\x80" for char in text)
    return plain, spaceless, len(text) - spaceless - plain


def _estimate(plain: int, spaceless: int, other: int) -> int:
    return plain // _CHARS_PER_TOKEN + (2 * spaceless + 1) // 3 + other // 2 + 1


class Frame(Record):
    """What stands around the lines of a block, and how a line of it is written there."""

    head: str = ""
    tail: str = ""
    is_xml: bool = False

    def written(self, line: str) -> str:
        """Return a line as it is printed. `<` and `>` are escaped in every format."""
        if not self.is_xml:
            return line
        line = line.replace("&", "&amp;").translate(_NO_XML)
        return line.replace("&amp;lt;", "&lt;").replace("&amp;gt;", "&gt;")


def frame_of(fence: str | None, *, is_xml: bool) -> Frame:
    head = tail = ""
    if fence is not None:
        mark = f'untrusted-memory id="{fence}"'
        head = f"{HEADING}\n{NOTICE}\n{STALE}\n<{mark}>\n"
        # An end tag of XML has no attribute. In facts such a tag is escaped: this is the only one.
        tail = "\n</untrusted-memory>" if is_xml else f"\n</{mark}>"
    return Frame(f"<memory>\n{head}", f"{tail}\n</memory>", True) if is_xml else Frame(head, tail)


class Room:
    """What a block may still take: characters, and tokens if they are limited too. The frame and
    the line break that ends the block count."""

    def __init__(self, frame: Frame, max_chars: int, max_tokens: int | None) -> None:
        self._frame = frame
        self._max_chars = max_chars
        self._max_tokens = max_tokens
        around = frame.head + frame.tail
        self._chars = max_chars - len(around)
        self._kinds = _kinds(around)
        self._half = self._chars // 2
        spent = _estimate(*self._kinds)
        self._half_tokens = 0 if max_tokens is None else (max_tokens - spent) // 2

    def emptied(self) -> Room:
        """Return this room as it was when nothing was in it."""
        return Room(self._frame, self._max_chars, self._max_tokens)

    def holds(self, line: str) -> bool:
        """Say whether a line still fits."""
        shown = self._frame.written(line)
        if len(shown) + 1 > self._chars:
            return False
        if self._max_tokens is None:
            return True
        return _estimate(*self._with(shown)) <= self._max_tokens

    def holds_as_half(self, line: str) -> bool:
        """Say whether a line still fits, and takes no more than half of what the block had."""
        if not self.holds(line):
            return False
        shown = self._frame.written(line)
        if len(shown) + 1 > self._half:
            return False
        return self._max_tokens is None or tokens(shown) <= self._half_tokens

    def take(self, line: str) -> None:
        """Count a line as printed."""
        shown = self._frame.written(line)
        self._kinds = self._with(shown)
        self._chars -= len(shown) + 1

    def _with(self, shown: str) -> tuple[int, int, int]:
        plain, spaceless, other = _kinds(shown)
        return self._kinds[0] + plain + 1, self._kinds[1] + spaceless, self._kinds[2] + other


_LONGEST = 60  # characters of a name


def _profile_head(hit: Hit, style: str) -> str:
    """Return the beginning of a line: nothing (`plain`), the id and the points of a fact, or when
    it was said, what it is, and its mark (`labelled`)."""
    fact = hit.fact
    match style:
        case "points":
            state = f"{_state(fact)}, weak match" if hit.weak else _state(fact)
            return f"- **{fact.id}** [{state}] score={hit.score:.4g} "
        case "labelled":
            weak = "(weak match) " if hit.weak else ""
            return f"[{iso(fact.created_at)}] ({_kind(hit)}) {_mark(hit)}{weak}"
        case _:
            return "- (weak match) " if hit.weak else "- "


def _state(fact: Fact) -> str:
    """Return how the work that an active fact states goes on, else its lifecycle."""
    return fact.progress or fact.lifecycle if fact.lifecycle == "active" else fact.lifecycle


def _kind(hit: Hit) -> str:
    return (hit.fact.kind or hit.why.group or hit.fact.segment).upper()


def _mark(hit: Hit) -> str:
    from tideline_cli.ranking.priority import class_label  # noqa: PLC0415  one profile alone

    parts = hit.why.parts or {}
    found = class_label(int(parts["priority"])) if "priority" in parts else None
    return f"**[{found}]** " if found else ""


def citation(fact: Fact) -> str:
    """Return what stands before the text of a chunk, with a space after: `(guide.md, Setup)`."""
    parts = [_short(part) for part in (fact.document, fact.source_turn) if part]
    parts += [prompt_text(fact.title).strip()] if fact.title else []
    return f"({', '.join(filter(None, parts))}) "


def _short(text: str) -> str:
    """Return the end of a name, which says most, as a prompt may hold it."""
    shown = prompt_text(text).strip()
    return shown if len(shown) <= _LONGEST else "…" + shown[1 - _LONGEST :]
