"""tideline pick."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager

from tideline_cli.cli import filters, output
from tideline_cli.cli.commands import init
from tideline_cli.cli.commands.pick import by_fzf, offer
from tideline_cli.cli.commands.pick.offer import Offer
from tideline_cli.cli.filters import Filters
from tideline_cli.cli.options import Argument, GlobalOptions, choice, count, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import TidelineError, UsageError
from tideline_cli.model import codec
from tideline_cli.store.connection import DatabaseError
from tideline_cli.system import NOCTTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from tideline_cli.model.fact import Fact

HELP = """Choose a fact from a list.

Where fzf is installed it answers as you type. Enter prints the text of the marked fact and counts
as use of it; ctrl-x forgets it, after a question; ctrl-t pins or unpins it; ctrl-y copies its id.
Elsewhere the list is numbered: a number takes a fact, other words ask anew. It begins with the
newest facts, or with the answer to WORDS. Esc, or an empty line, leaves with 130 and prints
nothing. It takes a terminal, and the result may go into a pipe.

`tideline init` binds it to a key of your shell."""
EXAMPLES = (("", ""), ("deploy", "--print id"), ("", "--tag house"))
ARGUMENTS = (Argument("words", "WORDS", "What is typed already; `-` reads standard input."),)
_LEFT = 130
_TTY = "/dev/tty"
_LONGEST_LINE = 1 << 20  # bytes of a line before the cursor
_LEAST_SHOWN = 5  # facts, however small the terminal is
_NARROWEST = 20  # columns
_LONGEST_ANSWER = 4096  # bytes of a line that is typed
_PROMPT = "number, or other words (nothing leaves): "


class Options(Filters):
    """The options of a call."""

    limit = count(
        "Facts of one answer at most [default: 100].", short="-n", default=100, least=1, most=10_000
    )
    print = choice(("text", "id"))(
        "What of the fact is printed: its text, or its id [default: text].", default="text"
    )
    quote = choice(init.SHELLS)(
        "Print it as a word of this shell: bash, zsh or fish. Standard input is the line before "
        "the cursor."
    )
    own = flag("The numbered list, also where fzf is installed.")


def run(session: Session, words: list[str], options: Options) -> int:
    """Let the reader choose, and print the fact."""
    handle = _terminal(session)
    text, before = _given(session, words, options)
    try:
        return _run(session, text, before, options, handle)
    finally:
        os.close(handle)


def _run(session: Session, text: str, before: str, options: Options, handle: int) -> int:
    db = session.reading()
    wanted = filters.wanted(session, db, options)
    offered = Offer(session, wanted, options.limit)
    if db is None or not offered.answer(""):
        is_narrow = db is not None and filters.is_given(options)
        session.note("nothing to pick from" if is_narrow else "nothing is remembered yet")
        return 1
    fact_id = _chosen(session, offered, text, options, handle)
    for note in offered.notes:
        session.note(note)
    if fact_id is None:
        return _LEFT
    fact = offered.fact(fact_id)
    _print(session, fact, options, before)
    session.keep_hits([fact.id])
    output.deliver()
    offered.used(fact)
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
    session: Session, offered: Offer, text: str, options: Options, handle: int
) -> str | None:
    """Return the id of the fact that the reader chooses, None for none."""
    if options.own:
        return _by_number(offered, text, handle, now=session.now)
    path, why = by_fzf.program()
    try:
        if path is not None:
            fact_id, notes = by_fzf.chosen(
                path, offered.answer(text), text, handle, options, session.options,
                is_styled=session.color != "never", now=session.now,
            )  # fmt: skip
            offered.notes += notes
            return fact_id
    except by_fzf.FzfFailed as error:
        why = str(error)
    if why:
        offered.notes.append(f"{why}: this was the numbered list")
    return _by_number(offered, text, handle, now=session.now)


def _by_number(offered: Offer, text: str, handle: int, *, now: int) -> str | None:
    """Let a reader choose by a number at the terminal `handle`; other words ask anew. Return the id
    of the fact, None for an empty line or none at all."""
    found = offered.answer(text)
    with _reading_lines(handle) as ask:
        while True:
            size = os.get_terminal_size(handle)
            shown = found[: max(_LEAST_SHOWN, size.lines - 3)]
            room = max(_NARROWEST, size.columns - 5)
            rows = [
                f"{place:>3} {output.clipped(offer.line_of(fact, now=now), room)}"
                for place, fact in enumerate(shown, 1)
            ]
            typed = ask("\n".join([*(rows or ["nothing matches"]), _PROMPT])).strip()
            if not typed:
                return None
            if typed.isascii() and typed.isdigit() and 0 < int(typed) <= len(shown):
                return shown[int(typed) - 1].id
            found = offered.answer(_typed(typed))


@contextmanager
def _reading_lines(handle: int) -> Iterator[Callable[[str], str]]:
    """Give what prints a text at the terminal `handle` and returns the line that is typed behind
    it, empty for the end of input. The key of a shell calls while the shell reads letter by letter:
    until the end lines are read whole, and seen."""

    def ask(text: str) -> str:
        os.write(handle, text.encode("utf-8", "replace"))
        return os.read(handle, _LONGEST_ANSWER).decode("utf-8", "replace")

    kept = _stty(handle, "-g")
    _stty(handle, "sane")
    try:
        yield ask
    finally:
        if kept:
            _stty(handle, kept)


def _stty(handle: int, words: str) -> str:
    """Return what `stty` prints of a terminal, nothing where there is no such program."""
    try:
        done = subprocess.run(  # noqa: S603  a program of the system, without a shell
            ["stty", words], stdin=handle, capture_output=True, text=True, check=False  # noqa: S607
        )
    except OSError:
        return ""
    return done.stdout.strip()


def _print(session: Session, fact: Fact, options: Options, before: str) -> None:
    told = fact.id if options.print == "id" else fact.content
    if session.json:
        output.emit_json({"fact": codec.fact_form(fact)})
    elif options.quote is not None:
        sys.stdout.write(init.as_word(told, options.quote, before=before))
    else:
        output.emit_raw(told if told.endswith("\n") or sys.stdout.isatty() else told + "\n")


_USAGE = 2


def answer_fzf(words: Sequence[str]) -> int:
    """Do what fzf asks of a call: `tideline __pick rows|show|forget|pin|copy WORD`. Return 0, or 1
    where it could not be done. It prints nothing on stderr but the question whether a fact is to be
    forgotten: fzf has the screen."""
    handed = os.environ.get(offer.HANDED)
    if handed is None or len(words) != 2:
        return _USAGE
    form = codec.loads(handed)
    session = Session(GlobalOptions(**form["global"] | {"quiet": True}))  # fzf has the screen
    try:
        offered = _offer_of(session, form["options"])
        _DEEDS[words[0]](session, offered, words[1])
        _leave_notes(form["told"], offered.notes, once=words[0] == "rows")
    except (TidelineError, DatabaseError) as error:
        _leave_notes(form["told"], [str(error)])
        sys.stdout.write(f"{error}\n" if words[0] == "show" else "")
        return 1
    finally:
        session.close()
    return 0


def _offer_of(session: Session, given: dict[str, Any]) -> Offer:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value
              for name, value in given.items()}  # fmt: skip
    options = Options(**values)
    wanted = filters.wanted(session, session.reading(), options)
    return Offer(session, wanted, options.limit)


def _rows(session: Session, offered: Offer, text: str) -> None:
    facts = offered.answer(text)
    sys.stdout.write("".join(offer.row_of(fact, now=session.now) for fact in facts))


def _print_shown(session: Session, offered: Offer, fact_id: str) -> None:
    lines = offer.shown_lines(offered.fact(fact_id), now=session.now)
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _forget(session: Session, offered: Offer, fact_id: str) -> None:
    question = f"Forget {fact_id}: {output.brief(offered.fact(fact_id))}?"
    if session.confirmed(question, yes=False):
        offered.forget(fact_id)


def _pin(_: Session, offered: Offer, fact_id: str) -> None:
    offered.turn_pin(fact_id)


def _copy(_: Session, __: Offer, fact_id: str) -> None:
    handle = os.open("/dev/tty", os.O_WRONLY)
    by_fzf.copy_to_clipboard(fact_id, handle)
    os.close(handle)


def _leave_notes(path: str, notes: Sequence[str], *, once: bool = False) -> None:
    """Leave what is to be said when the list is closed; `once`: what is said already is not said
    again, as with each letter."""
    if not notes:
        return
    with open(path, "a+", encoding="utf-8", newline="\n") as file:
        file.seek(0)
        said = set(file.read().splitlines()) if once else set()
        lines = (" ".join(note.split()) for note in notes)
        file.write("".join(f"{line}\n" for line in lines if line not in said))


_DEEDS = {"rows": _rows, "show": _print_shown, "forget": _forget, "pin": _pin, "copy": _copy}
