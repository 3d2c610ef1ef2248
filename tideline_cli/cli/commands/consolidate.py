"""tideline consolidate."""

from __future__ import annotations

from tideline_cli.cli import model_costs, model_options, output, passes
from tideline_cli.cli.model_options import ModelOptions
from tideline_cli.cli.options import Argument, count, duration, flag, share
from tideline_cli.cli.session import Session
from tideline_cli.dream import consolidate
from tideline_cli.dream.consolidate import Judged
from tideline_cli.errors import BadReplyError, UsageError
from tideline_cli.model.finding import some
from tideline_cli.model.instant import iso
from tideline_cli.model.origin import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from apsw import Connection

    from tideline_cli.llm.model_settings import Model

    Done = list[tuple[Origin, Judged]]

HELP = """Have a model name contradicted and duplicated facts, and archive them.

One call for each origin with at least --min-facts active facts, which sees that origin's facts
alone, and no more often than every 30 minutes. Only what another fact contradicts or duplicates
is archived, with the reason and the fact that stands in its place. Whatever the model says:
never all facts, never more than --max-loss, never a pinned or confirmed one, never a trusted fact
for the sake of an untrusted one; of twins the richer stays. `tideline undo` takes it back.

--dry-run prints what is sent and what would change, and writes nothing; with `--llm none` it
asks no model either."""
EXAMPLES = (
    ("--llm 'llm -m gpt-4o-mini'", ""),
    ("--base-url http://localhost:11434/v1 --model qwen3 --dry-run", ""),
    ("--dry-run --llm none", ""),
)
ARGUMENTS: tuple[Argument, ...] = ()
_SHOWN = 72  # characters of a text


class Options(ModelOptions):
    """The options of a call."""

    dry_run = flag("Show what is sent and what would change; write nothing.", short="-n")
    force = flag("Do not wait for the interval to pass.")
    interval = duration("Time between two runs [default: 30m].", default=consolidate.INTERVAL_MS)
    min_facts = count(
        "Leave origins with fewer active facts alone [default: 6].",
        default=consolidate.MIN_FACTS, least=2,
    )  # fmt: skip
    max_facts = count(
        "Show the model the newest N facts of an origin [default: 500].",
        default=consolidate.MAX_FACTS, least=2,
    )  # fmt: skip
    max_loss = share(
        "Share of an origin's facts that one run may archive [default: 0.25].", default=0.25
    )
    all_origins = flag("Take every origin, although --origin names the owner.")


def run(session: Session, _: list[str], options: Options) -> int:
    """Consolidate."""
    passes.check_right(session, all_origins=options.all_origins)
    if passes.is_frozen(session):
        return 0
    model = model_options.chosen(session, options)
    if model is None and not options.dry_run:
        raise UsageError(
            "no model is named",
            hint="--llm COMMAND, or --base-url URL and --model NAME; `tideline dream` needs none",
        )
    done, due = _over_origins(session, options, model)
    _report(session, options, done, due)
    _raise_what_failed(done)
    return 0


def _over_origins(
    session: Session, options: Options, model: Model | None
) -> tuple[Done, int | None]:
    """Consolidate one origin after the other; return also when the first of those that had to
    wait is due."""
    db = session.reading()
    if db is None:
        session.check_memory_is_there()
        return [], None
    if not options.dry_run:
        session.close()
        db = session.writing()
    done: Done = []
    waiting: list[int] = []
    at_once = options.force or options.dry_run
    for origin in passes.origins_to_tend(session, db, all_origins=options.all_origins):
        last = consolidate.last_run(db, viewer=origin)
        is_due = consolidate.is_due(last, now=session.now, interval=options.interval)
        if not (at_once or is_due):
            waiting.append((last or 0) + options.interval)
            continue
        one = _judged(session, db, options, model, origin)
        done.append((origin, one))
        if one.error is not None:
            break  # a model that does not answer for one origin answers for none
    return done, min(waiting, default=None)


def _raise_what_failed(done: Done) -> None:
    """Raise the error of a model that gave no answer, or none that can be read."""
    errors = [one.error for _, one in done if one.error is not None]
    if errors:
        raise errors[0]
    unread = ", ".join(_name(origin) for origin, one in done if _is_unread(one))
    if unread:
        raise BadReplyError(
            about=f"{unread}: the model's reply",
            hint="nothing of it was done; `--force` asks again at once",
        )


def _is_unread(one: Judged) -> bool:
    return one.ran and not one.parsed


def _judged(
    session: Session, db: Connection, options: Options, model: Model | None, origin: Origin
) -> Judged:
    bucket = consolidate.gather(db, viewer=origin, most=options.max_facts)
    if bucket.active < options.min_facts:
        return Judged(bucket)
    if options.dry_run and not session.json:
        system, prompt = bucket.prompt()
        shown = prompt if origin == session.viewer else f"({len(bucket.facts):,} facts)"
        told = [*system.split("\n"), "", *shown.split("\n"), ""]
        output.emit_lines([f"{_name(origin)}: this is sent", *told])
    if model is None:
        return Judged(bucket)
    if not options.dry_run:
        consolidate.stamp(db, viewer=origin, now=session.now)
    done = consolidate.consolidate(
        db, bucket, model, viewer=origin, now=session.now, max_loss=options.max_loss,
        dry_run=options.dry_run,
    )  # fmt: skip
    if done.ran:
        model_costs.note(session, "".join(bucket.prompt()), done.heard, origin=origin)
    return done


def _report(session: Session, options: Options, done: Done, due: int | None) -> None:
    if session.json:
        output.emit_json(_form(session, done, options.dry_run, due))
    elif not session.quiet:
        told = [(origin, one) for origin, one in done if one.error is None]
        output.emit_lines([line for origin, one in told for line in _lines(session, origin, one)])
    if due is not None and not done:
        session.note(f"not due before {iso(due)} (--force)")
    if not done and due is None:
        session.note("nothing to consolidate: no facts yet")
    for origin, one in done:
        gone = [item.loser for item in one.verdict.granted]
        passes.tell_typed(session, origin, gone, one.batch)
        if one.verdict.refused and not one.refused_before:
            look = session.call("consolidate", "--dry-run", origin=origin)
            session.caution(
                "refused", f"{_name(origin)}: refused: {one.verdict.refused}",
                hint=f"`{look}` shows what the model is asked; `tideline pin ID` keeps a fact, a "
                "higher --max-loss lets it happen",
            )  # fmt: skip
        if one.verdict.unknown:
            session.note(f"{_name(origin)}: {one.verdict.unknown:,} unknown ids were ignored")
        if one.skipped:
            session.note(f"{_name(origin)}: {one.skipped:,} left alone: changed meanwhile")
        if one.bucket.active < options.min_facts:
            session.note(f"{_name(origin)}: fewer than {options.min_facts} facts")
        if one.bucket.left_out:
            session.note(f"{_name(origin)}: the newest {len(one.bucket.facts):,} facts were shown")
    if options.dry_run:
        session.note("dry run: nothing was written")


def _name(origin: Origin) -> str:
    return output.shown_origin(origin.key)


def _lines(session: Session, origin: Origin, one: Judged) -> list[str]:
    granted = one.verdict.granted
    lines = [f"{_name(origin)}: {some(one.bucket.active, 'fact')}, {_outcome(one, len(granted))}"]
    for item in granted:
        text = f" {output.brief(item.loser, _SHOWN)}" if origin == session.viewer else ""
        by = f", for {item.survivor.id}" if item.survivor else ""
        lines.append(f"  archived  {item.loser.id}{text} ({item.reason}{by})")
    lines += [f"  kept      {fact_id} ({why})" for fact_id, why in one.verdict.denied]
    if one.batch is not None and granted:
        undo = session.call("undo", str(one.batch), origin=origin)
        lines.append(f"  batch {one.batch}: `{undo}` takes it back")
    return lines


def _outcome(one: Judged, granted: int) -> str:
    if _is_unread(one):
        return "a reply that cannot be read"
    return f"{granted:,} archived" if one.ran else "no model asked"


def _form(session: Session, done: Done, dry_run: bool, due: int | None) -> dict[str, Any]:
    return {
        "origins": [_origin_form(origin, one, dry_run) for origin, one in done],
        "archived": sum(len(one.verdict.granted) for _, one in done),
        "throttled": due is not None and not done,
        "next_due": None if due is None else iso(due),
        "dry_run": dry_run,
        "skipped_windows": sum(_is_unread(one) for _, one in done),
        "batch": next((one.batch for origin, one in done if origin == session.viewer), None),
    }


def _origin_form(origin: Origin, one: Judged, dry_run: bool) -> dict[str, Any]:
    form: dict[str, Any] = {
        "origin": origin.key,
        "considered": one.bucket.active,
        "ran": one.ran,
        "parsed": one.parsed,
        "archived": [
            {
                "id": item.loser.id,
                "replaced_by": item.survivor.id if item.survivor else None,
                "reason": item.reason,
            }
            for item in one.verdict.granted
        ],
        "kept": [{"id": fact_id, "reason": why} for fact_id, why in one.verdict.denied],
        "refused": one.verdict.refused,
        "unknown_ids": one.verdict.unknown,
        "skipped": one.skipped,
        "batch": one.batch,
    }
    if dry_run:
        form["system"], form["prompt"] = one.bucket.prompt()
    return form
