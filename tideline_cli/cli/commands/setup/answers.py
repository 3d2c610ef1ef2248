"""What setup asks beside the clients: what is kept, which model distils, what happens at night. An
answer that nobody gives changes nothing; what was changed goes with the last client."""

from __future__ import annotations

import os
import sys
from shutil import get_terminal_size
from textwrap import wrap

from tideline_cli import config
from tideline_cli.cli.commands import schedule
from tideline_cli.config import reading, saving
from tideline_cli.config.replacing import FolderLock
from tideline_cli.config.settings import SETTINGS, shown
from tideline_cli.errors import UnavailableError
from tideline_cli.llm import found_models, prompts
from tideline_cli.llm.found_models import COMMANDS, SERVERS, found_model
from tideline_cli.model.record import record, replace
from tideline_cli.serve import setup_files
from tideline_cli.serve.setup_files import ANSWERS, SetUpRow
from tideline_cli.store.private_files import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.llm.found_models import FoundModel
    from tideline_cli.serve.setup_plan import SetupPlace

NO_MODEL = "none"
MODELS = (NO_MODEL, *COMMANDS, *SERVERS)
_NIGHT = "schedule"
_OF_MODELS = ("llm", "base_url", "model")
_READ = "prompts, and the session file when a turn or a conversation ends: {}"
_TALKS, _LENGTH = 10, 20_000  # conversations of a day, and characters of each: a plain guess
_REPLY = 500  # tokens of one reply
_SIGNS = 4  # characters of a token


@record
class Answers:
    """What shall be set (None takes a setting out), the program of an agent that is the model, and
    whether every night tends the memory."""

    settings: Mapping[str, str | None] = {}
    program: str = ""
    nightly: bool = False

    def with_model(self, place: str, model: FoundModel) -> Answers:
        """Return them with a model."""
        settings = {**self.settings, **model.settings}
        return replace(self, settings=settings, program=place if place in COMMANDS else "")


def by_flags(session: Session, options: Any, place: SetupPlace) -> Answers:
    """Return the answers that flags give; raise UnavailableError for a model that is not there."""
    if options.schedule:
        session.needs_owner(schedule.OF_OWNER)
    given = Answers({"sessions": options.sessions} if options.sessions else {},
                    nightly=options.schedule)  # fmt: skip
    if options.model == NO_MODEL:
        return replace(given, settings={**given.settings, "llm": NO_MODEL})
    if options.model:
        return given.with_model(options.model, found_model(options.model, _folder(place)))
    return given


def may_ask(session: Session) -> bool:
    """Say whether a person is there to answer."""
    is_there = sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
    return is_there and not (session.no_input or session.json or session.quiet)


def asked(session: Session, given: Answers, place: SetupPlace) -> Answers:
    """Return the answers with those of the person to what is still open."""
    answers = given
    if _is_open(session, answers, "sessions") and _agreed(
        session, "Keep what you and the agents say, word for word, on this machine, for "
        f"{shown('sessions_keep', session.config.get('sessions_keep'))}? Searches that ask for it "
        "find it.",
    ):  # fmt: skip
        answers = replace(answers, settings={**answers.settings, "sessions": "turns"})
    if all(_is_open(session, answers, name) for name in _OF_MODELS):
        answers = _with_asked_model(session, answers, place)
    if not answers.nightly and session.viewer.is_owner and schedule.told_entry() is None:
        answers = replace(answers, nightly=_agreed(
            session, "Tend the memory every night at 03:30? It distils the conversations that "
            "wait, and tidies up.",
        ))  # fmt: skip
    return answers


def _agreed(session: Session, question: str) -> bool:
    width = max(40, get_terminal_size().columns) - len(" [y/N] ")
    return session.confirmed("\n".join(wrap(question, width)), yes=False)


def _with_asked_model(session: Session, answers: Answers, place: SetupPlace) -> Answers:
    for name in (*SERVERS, *COMMANDS):
        try:
            model = found_model(name, _folder(place))
        except UnavailableError:
            continue
        where = "on this machine" if model.is_here else "by its provider, which gets their text"
        if _agreed(session, f"Distil facts from conversations with {model.name}, {where}? "
                   f"{_cost(session, model.overhead)}."):  # fmt: skip
            return answers.with_model(name, model)
    return answers


def _is_open(session: Session, answers: Answers, name: str) -> bool:
    return name not in answers.settings and session.config.values[name].came_from == "default"


def _cost(session: Session, overhead: int) -> str:
    """Return what a day costs, as a plain guess that says so."""
    window = session.config.get("window") or 60_000
    requests = _TALKS * -(-_LENGTH // window)
    each = overhead + len(prompts.EXTRACTION) // _SIGNS + _REPLY
    tokens = requests * each + _TALKS * _LENGTH // _SIGNS
    return (f"{_TALKS} conversations a day would take about {requests} requests and "
            f"{round(tokens, -3):,} tokens, a guess")  # fmt: skip


def put(session: Session, answers: Answers, place: SetupPlace) -> None:
    """Put the answers in place. What was there before is kept first, so that it can be given back.
    The lock of setups is not held, since settings may lie in the same folder."""
    if not (answers.settings or answers.nightly):
        return
    path = config.config_file(os.environ)
    row = setup_files.answers_row(place.data)
    if row is None:
        folder = os.path.dirname(path)
        row = SetUpRow(before={path: setup_files.content(path)},
                       folders=() if os.path.isdir(folder) else (folder,))  # fmt: skip
    calls = {name: (value,) if value else () for name, value in answers.settings.items()}
    row = replace(row, calls={**row.calls, **calls})
    _record(place, row)
    make_folder(os.path.dirname(path))
    for name, value in answers.settings.items():
        _save(path, name, value)
    if answers.settings.get("sessions") == "turns":  # a hook keeps turns where there is a memory
        session.writing()
    if answers.program:
        setup_files.put_folder(_folder(place), found_models.own_files(answers.program))
        make_folder(_folder(place))
    if answers.nightly and schedule.told_entry() is None:
        kind = schedule.put_in_place(session)
        row = replace(row, calls={**row.calls, _NIGHT: (kind,)})
        _record(place, row)


def take_back(session: Session, place: SetupPlace) -> None:
    """Take the answers back where no client is set up any more: what was set otherwise since stays,
    and a settings file that says what it said gets its old bytes."""
    row = setup_files.answers_row(place.data)
    if row is None or setup_files.setup_rows(place.data):
        return
    for path, old in row.before.items():
        now, before = (
            {name: value for name, (value, _) in reading.parse_settings(raw or b"", path).items()}
            for raw in (setup_files.content(path), old)
        )
        for name, words in row.calls.items():
            if name in SETTINGS and now.get(name) == next(iter(words), None):
                _save(path, name, before.get(name))
        setup_files.give_back(path, old)
    for kind in row.calls.get(_NIGHT, ()):
        schedule.take_out(session, kind)
    setup_files.remove_folder(_folder(place))
    _record(place, None)
    for folder in row.folders:
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)


def _save(path: str, name: str, value: str | None) -> None:
    if value is not None:
        saving.save_setting(path, name, value)
    else:
        saving.remove_setting(path, name)


def _record(place: SetupPlace, row: SetUpRow | None) -> None:
    with FolderLock(place.doors):
        setup_files.put_setup_row(place.data, ANSWERS, row)


def _folder(place: SetupPlace) -> str:
    return os.path.join(place.doors, "model")


def held() -> dict[str, str | None]:
    """Return what is kept, which model distils, and what happens at night, as it is now."""
    now = config.load(os.environ, None)
    command, url, name = (now.get(setting) for setting in _OF_MODELS)
    model = command or (f"{name} at {url}" if name and url else None)
    return {"sessions": now.get("sessions"), "model": model, "schedule": schedule.told_entry()}


def lines(session: Session, hooked: Sequence[str]) -> list[str]:
    """Return the same as lines, with what is read: by the hooks of these clients."""
    kept, model, night = held().values()
    days = shown("sessions_keep", session.config.get("sessions_keep"))
    turns = f"and what is said in sessions, for {days}" if kept == "turns" else "not what is said"
    words = {os.path.basename(word) for word in (model or "").split()}
    cost = _cost(session, sum(more for program, more in COMMANDS.items() if program in words))
    return [
        f"read         {_READ.format(', '.join(hooked)) if hooked else 'what agents ask for'}",
        f"kept         facts, {turns} (setting sessions)",
        f"model        {model if model and model != NO_MODEL else 'none: identifiers alone'}",
        *([f"cost         {cost}"] if model and model != NO_MODEL else []),
        f"night        {night or 'nothing: tideline schedule --install'}",
    ]
