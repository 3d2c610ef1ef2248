"""tideline feedback."""

from __future__ import annotations

from tideline_cli.cli import by_id, output
from tideline_cli.cli.options import Argument, OptionSet, number
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.memory import amend
from tideline_cli.policy.transitions import DOWN, LARGEST_DELTA, UP

HELP = f"""Say whether a fact was of use.

`up` raises its importance, and its confidence if it has one, by {UP:.2f}, and counts as a use;
`down` lowers them by {-DOWN:.2f} and leaves the last use alone. Both weigh in recall."""
EXAMPLES = (("@1 up", ""), ("@2", "--delta -0.3"))
ARGUMENTS = (
    Argument("words", "ID up|down", "Which fact, and how it was.", "id", False, 1,
             completes=("active", "one of up down")),
)  # fmt: skip
_SIGNALS = {"up": UP, "down": DOWN}


class Options(OptionSet):
    """The options of a call."""

    delta = number(
        f"By how much, from -{LARGEST_DELTA} to {LARGEST_DELTA}, in place of up and down."
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Judge the fact."""
    signal, by = _judgement(words, options.delta)
    reference = session.reference(words[0])
    db = by_id.existing(session, [reference])
    done = amend.feedback(db, reference, delta=by, viewer=session.viewer, now=session.now)
    (fact,) = done.changed or done.kept
    if session.json:
        form = {"id": fact.id, "signal": signal, "importance": fact.importance,
                "confidence": fact.confidence, "access_count": fact.access_count,
                "batch": done.batch}  # fmt: skip
        output.emit_json(form)
        return 0
    sure = "" if fact.confidence is None else f", confidence {fact.confidence:.2f}"
    output.emit_lines([f"{signal} {fact.id}: importance {fact.importance:.2f}{sure}"])
    if done.kept:
        session.note("it cannot fall any further")
    return 0


def _judgement(words: list[str], delta: float | None) -> tuple[str, float]:
    """Return up or down, and by how much."""
    if delta is None:
        if len(words) == 2 and words[1] in _SIGNALS:
            return words[1], _SIGNALS[words[1]]
        raise UsageError("name one fact, and say up or down", hint="tideline feedback ID up")
    if len(words) != 1:
        raise UsageError("--delta stands in place of up and down", hint="name one fact")
    if not (0.0 < abs(delta) <= LARGEST_DELTA):
        raise UsageError(
            f"--delta: {delta:g} is not between -{LARGEST_DELTA} and {LARGEST_DELTA}",
            hint="0 would change nothing",
        )
    return "up" if delta > 0 else "down", delta
