"""`eval make`: questions proposed from one's own facts, confirmed one by one or printed."""

from __future__ import annotations

import sys
from contextlib import nullcontext

from tideline_cli.cli import eval_files, model_options, output
from tideline_cli.errors import UsageError
from tideline_cli.evaluation import make
from tideline_cli.model import codec
from tideline_cli.model.record import replace
from tideline_cli.policy.render import screen_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tideline_cli.cli.eval_options import Options
    from tideline_cli.cli.session import Session
    from tideline_cli.evaluation.make import ProposedQuestion

_SHOWN = 200
_KEYS = "y keep, n drop, e edit, q stop"


def run(session: Session, options: Options) -> int:
    """Propose questions; on a terminal a person confirms each."""
    db = session.reading()
    scopes = session.scopes(options.scope, everything=options.all_scopes)
    chosen, known = (
        ([], []) if db is None
        else make.considered(db, viewer=session.viewer, scopes=scopes, count=options.count)
    )  # fmt: skip
    if db is None or not chosen:
        raise UsageError("there are no facts to ask about", hint="tideline remember TEXT")
    proposals = make.proposed(db, chosen, known)
    asks = sys.stdin.isatty() and sys.stderr.isatty() and not session.no_input
    kept: list[dict[str, Any]] = []
    file = (
        None if options.output is None
        else eval_files.appended(options.output, database=session.database)
    )  # fmt: skip
    with file or nullcontext():
        for one in _confirmed(session, proposals, options) if asks else _worded(
            session, proposals, options
        ):
            kept.append(_form(one))
            line = codec.dumps(kept[-1]) + "\n"
            if file is not None:
                file.write(line)
                file.flush()
            elif not session.json:
                output.emit_exact([line])
    if session.json:
        output.emit_json({"questions": kept, "output": options.output})
    elif options.output is not None:
        count = "1 question" if len(kept) == 1 else f"{len(kept):,} questions"
        output.emit_lines([f"{options.output}: {count} added"])
    if not asks:
        session.note("nobody has confirmed these: look through them before you measure with them")
    return 0


def _worded(
    session: Session, proposals: list[ProposedQuestion], options: Options
) -> Iterator[ProposedQuestion]:
    """Yield the proposals, in the words of a model where one is named."""
    model = model_options.chosen(session, options) if _names_model(options) else None
    if model is None:
        yield from proposals
        return
    for some in make.asked(proposals, model_options.asker(model)):
        yield from some


def _names_model(options: Options) -> bool:
    """Say whether this call names a model: that of the settings is not asked unasked for."""
    return bool(options.llm or options.model or options.base_url)


def _confirmed(
    session: Session, proposals: list[ProposedQuestion], options: Options
) -> Iterator[ProposedQuestion]:
    """Yield what a person keeps of the proposals, as worded by them."""
    sys.stderr.write(f"{_KEYS}\n")
    for number, one in enumerate(_worded(session, proposals, options), 1):
        fact = screen_text(output.clipped(one.fact.content, _SHOWN))
        sys.stderr.write(f"\n{number}/{len(proposals)}  {fact}\n    {screen_text(one.query)}\n")
        while (answer := _typed("keep? [y/n/e/q] ")) not in ("y", "yes", "n", "no", "q", "e", None):
            sys.stderr.write(f"{_KEYS}\n")
        if answer in ("q", None):
            return
        if answer == "e":
            said = _typed("question: ", folds=False)
            if said:
                yield replace(one, query=said, by="person")
        elif answer in ("y", "yes"):
            yield one


def _typed(prompt: str, *, folds: bool = True) -> str | None:
    """Return what is typed on one line; None at the end of the input."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        sys.stderr.write("\n")
        return None
    return line.strip().lower() if folds else line.strip()


def _form(one: ProposedQuestion) -> dict[str, Any]:
    return {"query": one.query, "ids": [one.fact.id], "says": one.fact.content, "by": one.by}
