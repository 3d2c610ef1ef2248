"""tideline eval."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.commands.eval import measure, questions
from tideline_cli.cli.commands.eval.questions import Options
from tideline_cli.cli.messages import shows_progress
from tideline_cli.cli.options import Argument
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.evaluation import ask, copies, poison
from tideline_cli.memory.query import Query
from tideline_cli.ranking.decay import DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.evaluation.poison import Fight


HELP = """Measure how good the answers are, with questions whose answers you know.

`eval run GOLD.jsonl` asks the questions of a file, a JSON object a line: "query", and what answers
it: "ids" of facts, or "answers", texts that a fact says. [] means that nothing does: then no answer
is the right one. "id", "now", "origin" and "category" may be given. It prints, of the first K
answers, the share that is found (recall), how high the first one stands (MRR), how good the order
is (nDCG), each with its 95 % interval; and with --profiles or --embedder what another way of asking
wins and loses against the one of now, which is that of your settings. Nothing is counted as use and
nothing is written: vectors that are missing, or of another embedder, are made in a copy.

`eval make` proposes questions from your own facts: by their slot, their title, or the rare words of
their text, or with --llm in the words of a model. On a terminal you say y, n or e (edit) to each;
elsewhere all are printed, for you to edit.

`eval poison` attacks a copy of your memory, through every door that untrusted text comes in by, and
says whether an attack changed, replaced or outranked what you said. It ends with 1 if one did.

`eval run SET` and `eval load SET` read public sets as their authors ship them: locomo10.json,
longmemeval_s.json, a folder of BEIR or TREC. Run puts the documents into a memory that goes
afterwards, load into a new memory of yours (--db), with the questions in --output."""
EXAMPLES = (("make --output gold.jsonl", ""), ("run gold.jsonl", "--profiles all"),
            ("run locomo10.json", "--k 10"), ("poison", ""))
ACTIONS = ("run", "make", "poison", "load")
ARGUMENTS = (
    Argument("words", "ACTION [FILE]", "run FILE, make, poison, load FILE.", "word", True, 0,
             ACTIONS),
)  # fmt: skip


def run(session: Session, words: list[str], options: Options) -> int:
    """Run one action."""
    match words:
        case ["run", path]:
            return measure.run(session, path, options)
        case ["load", path]:
            return questions.load_set(session, path, options)
        case ["make"]:
            return questions.propose(session, options)
        case ["poison"]:
            return _poison(session)
    raise UsageError(
        "eval takes run FILE, make, poison or load FILE", hint="tideline eval make"
    )


def _poison(session: Session) -> int:
    """Attack a copy, and say whether anything succeeded."""
    session.needs_owner("only the owner may copy the store")
    db = session.reading()
    with copies.empty() if db is None else copies.copy_of(db) as copied:
        if shows_progress(quiet=session.quiet, as_json=session.json):
            session.note("attacking a copy; your memory is left as it is")
        own = session.profile(None) or ask.DEFAULT
        asked = Query(
            "", limit=1, fading=session.setting("fading", DEPTH), **ask.PROFILES[own]
        )
        fight = poison.fought(copied, now=session.now, asked=asked)
    if own != ask.DEFAULT:
        session.note(f"asked as your settings have it: by the profile {own}")
    if session.json:
        output.emit_json(_fight_form(fight) | {"profile": own})
    else:
        output.emit_lines(_fight_lines(fight))
    return 1 if fight.harm or fight.refused else 0


def _fight_lines(fight: Fight) -> list[str]:
    lines = [
        f"{lane.name:<10} {_count(lane.attacks, 'attack')}, {lane.successes:,} succeeded"
        for lane in fight.lanes
    ]
    tried = sum(lane.attacks for lane in fight.lanes)
    lines.append(f"{'all':<10} {_count(tried, 'attack')}, {fight.successes:,} succeeded")
    refused = len(fight.refused)
    lines.append(f"{'honest':<10} {_count(fight.honest, 'write')}, {refused:,} refused")
    lines += [f"harm       {output.one_line(one)}" for one in fight.harm]
    return lines + [f"refused    {output.one_line(one)}" for one in fight.refused]


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _fight_form(fight: Fight) -> dict[str, Any]:
    return {
        "lanes": [
            {"name": lane.name, "attacks": lane.attacks, "successes": lane.successes}
            for lane in fight.lanes
        ],
        "attacks": sum(lane.attacks for lane in fight.lanes), "successes": fight.successes,
        "honest": fight.honest, "refused": list(fight.refused), "harm": list(fight.harm),
        "targets": [fact.id for fact in fight.targets],
    }  # fmt: skip
