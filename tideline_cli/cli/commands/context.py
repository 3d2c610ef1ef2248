"""tideline context."""

from __future__ import annotations

import os
import sys

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, Option
from tideline_cli.cli.session import Session
from tideline_cli.memory.context import AUTO_FACTS, DEFAULT_CHARS, ContextBlock, context_block
from tideline_cli.memory.query import ALL, DEFAULT_LIMIT, NOTHING, Query
from tideline_cli.memory.recall import recall, write_back
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HELP = """Print a budgeted block of facts for a prompt.

One line a fact, best first, up to the budget. Every fact is scanned for injected instructions
and escaped. With --auto the block carries a heading, a notice and a fence that no fact can forge.

Passive: it does not count as use of the facts, and moves no rank. Without --auto it is noted that
a fact was given out: that one does not fade in the next 30 days. Prints nothing and exits with 0
when there is nothing to say."""
EXAMPLES = (("dietary restrictions", ""), ("dietary restrictions", "--auto --max-tokens 300"))
ARGUMENTS = (Argument("words", "QUERY", "What the prompt is about; `-` reads standard input."),)
OPTIONS = (
    Option("max_chars", ("--max-chars",), f"Characters at most [default: {DEFAULT_CHARS}]; the "
           "first line is whole, unless an untrusted source said it.", "count"),
    Option("max_tokens", ("--max-tokens",), "Tokens at most, estimated.", "count"),
    Option("limit", ("--limit", "-n"), f"Facts at most [default: {DEFAULT_LIMIT}, with --auto "
           f"{AUTO_FACTS}; 0 is all that the budget holds].", "count"),
    Option("auto", ("--auto",), "Heading, notice and fence, for a program: whatever goes wrong, "
           "nothing is printed and it ends with 0; --verbose says why.", "flag", False),
    Option("format", ("--format",), "text, json or xml [default: text]; --json goes with json "
           "alone.", "choice", choices=("text", "json", "xml"), beside=(("json", ("json",)),)),
)  # fmt: skip
_NO_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}  # allowed in Unicode, not in XML


@record
class Options:
    """The options of a call."""

    max_chars: int | None
    max_tokens: int | None
    limit: int | None
    auto: bool
    format: str | None


def run(session: Session, words: list[str], options: Options) -> int:
    """Print the block."""
    chosen = output.chosen(session, options.format, usual="text")
    text = session.text(words)
    limit = options.limit
    if limit is None:
        limit = AUTO_FACTS if options.auto else session.setting("limit", DEFAULT_LIMIT)
    wanted = limit or ALL
    db = session.reading()
    answer = NOTHING
    if db is not None:
        answer = recall(db, Query(text, limit=wanted), viewer=session.viewer, now=session.now)
    most = options.max_chars
    made = context_block(
        answer.hits,
        max_chars=session.setting("max_chars", DEFAULT_CHARS) if most is None else most,
        max_tokens=options.max_tokens,
        fence=os.urandom(8).hex() if options.auto else None,
    )
    if chosen == "json":
        output.emit_json(_form(made))
    elif made.text:
        sys.stdout.write((_xml(made) if chosen == "xml" else made.text) + "\n")
    shown, held = len(made.facts), len(made.blocked)
    session.detail(f"{len(answer.hits):,} facts fit, {shown:,} shown, {held:,} withheld; no use")
    for fact_id in made.cut:
        session.note(f"cut to the budget: `{session.call('show', fact_id)}` has all of it")
    if db is not None and (answer.backlog is not None or (made.facts and not options.auto)):
        output.deliver()
        given = () if options.auto else made.facts
        write_back(db, answer, touch=False, given=given, now=session.now)
    return 0


def _form(made: ContextBlock) -> dict[str, Any]:
    return {
        "block": made.text,
        "chars": len(made.text),
        "tokens": made.tokens,
        "facts": list(made.facts),
        "blocked": list(made.blocked),
        "truncated": made.truncated,
    } | ({"cut": list(made.cut)} if made.cut else {})


def _xml(made: ContextBlock) -> str:
    # `<` and `>` are escaped in the bullets already; the fence of --auto is markup.
    text = made.text.replace("&", "&amp;")
    for name in ("lt", "gt"):
        text = text.replace(f"&amp;{name};", f"&{name};")
    # An end tag has no attribute. In facts such a tag is escaped, so this is the only one.
    head, mark, _ = text.rpartition("</untrusted-memory ")
    if mark:
        text = f"{head}</untrusted-memory>"
    return f"<memory>\n{text.translate(_NO_XML)}\n</memory>"
