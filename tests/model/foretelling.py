"""The steps of a history, taken by the specification: what the program should answer."""

from __future__ import annotations

from tests.model import amending, editing, judging, life, moving, passes, past
from tests.model.state import is_trusted
from tests.model.vocabulary import touches
from tideline_cli.exchange.importer.rows import minted_id
from tideline_cli.model.origin import parse_origin


def minted(origin, stated):
    """The id of a row that nobody vouches for: a name, no decision."""
    return minted_id(parse_origin(origin), stated)


def foretold(memory, step, answer):
    """Take a step by the specification; return what the program's answer should be."""
    return _RULES[step["do"]](memory, step, {"viewer": step["by"], "now": step["at"]}, answer or {})


def _remember(memory, step, given, answer):
    new = {**step["new"], "origin": step["by"]}
    return _written(
        life.remember(memory, new, fact_id=step["id"], now=step["at"], answer=answer), answer
    )


def _edit(memory, step, given, answer):
    done = editing.edit(
        memory, step["of"], step["changes"], editor=step["editor"], new_id=step["id"],
        since=step["since"], answer=answer, **given,
    )  # fmt: skip
    return _written(done, answer)


def _written(done, answer):
    action, fact_id, gone = done
    return {"id": fact_id, "action": action, "gone": sorted(gone),
            "similar": answer.get("similar", [])}  # fmt: skip


def _recall(memory, step, given, answer):
    if step["as_of"] is not None:
        seen = memory.at(step["as_of"], step["by"])
    else:
        seen = {
            fact["id"] for _, fact in memory.active(step["by"])
            if (fact["valid_from"] is None or fact["valid_from"] <= step["at"])
            and (fact["valid_to"] is None or step["at"] < fact["valid_to"])
        }  # fmt: skip
    seqs = {memory.seq_of(fact_id) for fact_id in seen}
    found = [seq for seq in seqs if _answers(step["query"], memory.facts[seq])]
    found += [
        seq for seq in _beside(memory, seqs, found) - {*found}
        if memory.facts[seq]["id"] in answer.get("found", ())
    ]  # fmt: skip
    if step["as_of"] is None:
        memory.uses = dict(memory.uses)
        for seq in found:
            memory.used(seq, now=step["at"])
        with memory.batch("recall", step["by"], even_if_nothing=False):
            for seq in found:
                life.warmed(memory, seq, now=step["at"])
    return {"found": sorted(memory.facts[seq]["id"] for seq in found)}


def _beside(memory, seqs, found):
    """Return the facts between which and one of those found nothing was said in their session:
    which of them come along, ranking decides; no others may."""
    beside = set()
    for seq in found:
        group, turn = _session(memory.facts[seq]), memory.facts[seq]["turn"]
        if group is None or turn is None:
            continue
        mates = {one: memory.facts[one]["turn"] for one in seqs
                 if _session(memory.facts[one]) == group and memory.facts[one]["turn"] is not None}
        near = (max(filter(turn.__gt__, mates.values()), default=None),
                min(filter(turn.__lt__, mates.values()), default=None), turn)  # fmt: skip
        beside |= {one for one, at in mates.items() if at in near}
    return beside


def _session(fact):
    """Return what facts have in common that may come along with one another, as neighbours."""
    if fact["session"] is None:
        return None
    return fact["session"], fact["scope"], is_trusted(fact)


def _answers(query, fact):
    labels = [fact[name] for name in ("title", "slot", "kind") if fact[name]]
    return touches(query, fact["content"], (*labels, *fact["tags"]))


def _dream(memory, step, given, answer):
    gone = passes.dream(memory, step["with"], verb=step["verb"], dry_run=step["dry"], **given)
    return {"gone": sorted(gone)}


def _import(memory, step, given, answer):
    if step["merge"]:
        moving.merged(memory, step["rows"], viewer=step["by"], answer=answer)
        return None
    added = moving.take(memory, step["rows"], trusted=step["trusted"], minted=minted, **given)
    return {"added": added}


def _undo(memory, step, given, answer):
    try:
        return {"undone": past.undo(memory, step["batch"], dry_run=step["dry"], **given)}
    except past.Dry as dry:
        return {"undone": dry.number}


def _plain(verb, *names):
    """A verb that answers nothing but whether it was done."""
    def step_of(memory, step, given, answer):
        with_time = given if verb in _TIMED else {"viewer": given["viewer"]}
        verb(memory, *(step[name] for name in names), **with_time)

    return step_of


_TIMED = (amending.restore,)
_RULES = {
    "remember": _remember, "edit": _edit, "recall": _recall, "dream": _dream, "undo": _undo,
    "import": _import,
    "restore": _plain(amending.restore, "ids"),
    "pin": _plain(amending.pin, "ids"), "unpin": _plain(amending.unpin, "ids"),
    "purge": _plain(past.purge, "ids"), "unlink": _plain(amending.unlink, "ends", "kind"),
    "forget": lambda memory, step, given, _: amending.forget(
        memory, step["ids"], by=step["for"], **given),
    "feedback": lambda memory, step, given, _: amending.feedback(
        memory, step["id"], delta=step["delta"], **given),
    "link": lambda memory, step, given, _: amending.link(
        memory, step["ends"], step["kind"], reason=step["reason"], strength=step["strength"],
        **given),
    "retention": lambda memory, step, given, _: past.retention(
        memory, step["days"], confirmed=step["confirmed"], all_origins=step["all_origins"],
        **given),
    "consolidate": lambda memory, step, given, _: {"gone": sorted(judging.consolidate(
        memory, step["wishes"], max_loss=step["max_loss"], **given))},
}  # fmt: skip
