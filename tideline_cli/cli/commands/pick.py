"""tideline pick."""

from __future__ import annotations

import os
import sys

from tideline_cli.cli import filters, output, shell_quoting
from tideline_cli.cli.options import Argument, choice, count, flag
from tideline_cli.cli.session import Session
from tideline_cli.cli.shared_options import Filters
from tideline_cli.errors import UsageError
from tideline_cli.system import NOCTTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.picker.offer import Offer
    from tideline_cli.model.fact import Fact

HELP = """Choose a fact from a list that answers as you type.

The list is that of fzf where it is installed, else one of our own. It begins with the newest facts,
or with the answer to WORDS. Enter prints the text of the marked fact and counts as use of it;
ctrl-x forgets it, after a question; ctrl-t pins or unpins it; ctrl-y copies its id. Esc leaves with
130 and prints nothing. It takes a terminal, and the result may go into a pipe.

`tideline init` binds it to a key of your shell."""
EXAMPLES = (("", ""), ("deploy", "--print id"), ("", "--tag house"))
ARGUMENTS = (Argument("words", "WORDS", "What is typed already; `-` reads standard input."),)
_LEFT = 130
_TTY = "/dev/tty"
_LONGEST_LINE = 1 << 20  # bytes of a line before the cursor


class Options(Filters):
    """The options of a call."""

    limit = count(
        "Facts of one answer at most [default: 100].", short="-n", default=100, least=1, most=10_000
    )
    print = choice(("text", "id"))(
        "What of the fact is printed: its text, or its id [default: text].", default="text"
    )
    quote = choice(shell_quoting.SHELLS)(
        "Print it as a word of this shell: bash, zsh or fish. Standard input is the line before "
        "the cursor."
    )
    own = flag("Our own list, also where fzf is installed.")


def run(session: Session, words: list[str], options: Options) -> int:
    """Let the reader choose, and print the fact."""
    handle = _terminal(session)
    text, before = _given(session, words, options)
    try:
        return _run(session, text, before, options, handle)
    finally:
        os.close(handle)


def _run(session: Session, text: str, before: str, options: Options, handle: int) -> int:
    from tideline_cli.cli.picker.offer import Offer  # noqa: PLC0415  help and man need no list

    db = session.reading()
    wanted = filters.wanted(session, db, options)
    offer = Offer(session, wanted, options.limit)
    if db is None or not offer.answer(""):
        is_narrow = db is not None and filters.is_given(options)
        session.note("nothing to pick from" if is_narrow else "nothing is remembered yet")
        return 1
    fact_id = _chosen(session, offer, text, options, handle)
    for note in offer.notes:
        session.note(note)
    if fact_id is None:
        return _LEFT
    fact = offer.fact(fact_id)
    _print(session, fact, options, before)
    session.keep_hits([fact.id])
    output.deliver()
    offer.used(fact)
    return 0


def _terminal(session: Session) -> int:
    """Return the terminal of this process, open; raise UsageError where nobody can choose."""
    hint = "`tideline recall` and `tideline list` print facts"
    if sys.platform == "win32":
        raise UsageError("the list needs a terminal of POSIX, which Windows has not", hint=hint)
    is_seen = any(stream and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    if session.options.no_input or not is_seen:
        raise UsageError("a list needs a terminal, and somebody there", hint=hint)
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise UsageError("this terminal cannot show a list (TERM is dumb)", hint=hint)
    try:
        return os.open(_TTY, os.O_RDWR | NOCTTY)
    except OSError as error:
        raise UsageError(f"a list needs a terminal: {_TTY}: {error.strerror}", hint=hint) from error


def _given(session: Session, words: list[str], options: Options) -> tuple[str, str]:
    """Return what is typed already, and what stands before the cursor of the shell."""
    if options.quote is None:
        return (_typed(session.text(words)) if words else ""), ""
    if words == ["-"]:
        raise UsageError("standard input is the line, with --quote", hint="give WORDS instead")
    if sys.stdin is None or sys.stdin.isatty():
        return _typed(" ".join(words)), ""
    before = sys.stdin.buffer.read(_LONGEST_LINE).decode("utf-8", "surrogateescape")
    return _typed(" ".join(words)), before


def _typed(text: str) -> str:
    """Return a text as one could type it: on one line, without controls, which a terminal obeys."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


def _chosen(
    session: Session, offer: Offer, text: str, options: Options, handle: int
) -> str | None:
    """Return the id of the fact that the reader chooses, None for none."""
    is_styled = session.color != "never"
    if not options.own:
        from tideline_cli.cli.picker import by_fzf  # noqa: PLC0415  another list

        path, why = by_fzf.program()
        try:
            if path is not None:
                fact_id, notes = by_fzf.chosen(
                    path, offer.answer(text), text, handle, options, session.options,
                    is_styled=is_styled, now=session.now,
                )  # fmt: skip
                offer.notes += notes
                return fact_id
        except by_fzf.FzfFailed as error:
            why = str(error)
        if why:
            offer.notes.append(f"{why}: this was our own list")
    fact_id = None
    if sys.platform != "win32":  # `_terminal` has refused that
        from tideline_cli.cli.picker import own_list  # noqa: PLC0415  where fzf is not

        fact_id = own_list.chosen(offer, text, handle, is_styled=is_styled, now=session.now)
    return fact_id


def _print(session: Session, fact: Fact, options: Options, before: str) -> None:
    told = fact.id if options.print == "id" else fact.content
    if session.json:
        from tideline_cli.model import codec  # noqa: PLC0415  --json alone

        output.emit_json({"fact": codec.fact_form(fact)})
    elif options.quote is not None:
        sys.stdout.write(shell_quoting.as_word(told, options.quote, before=before))
    else:
        output.emit_raw(told if told.endswith("\n") or sys.stdout.isatty() else told + "\n")
