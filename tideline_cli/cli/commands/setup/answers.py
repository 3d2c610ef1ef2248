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
from tideline_cli.config.settings import NO_MODEL, SETTINGS, shown
from tideline_cli.errors import UnavailableError
from tideline_cli.llm import prompts
from tideline_cli.llm.found_models import COMMANDS, OWN_FILES, SERVERS, overhead, settings_of
from tideline_cli.model.record import replace
from tideline_cli.serve import setup_files
from tideline_cli.serve.setup_files import ANSWERS, SetUpRow
from tideline_cli.store.private_files import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.cli.session import Session
    from tideline_cli.serve.setup_plan import SetupPlace

    Wanted = dict[str, str | None]

MODELS = (NO_MODEL, *COMMANDS, *SERVERS)
_NIGHT = "schedule"  # beside the settings: an entry for every night
NONE = "none: identifiers alone, and what you ask to remember"
_OF_MODELS = ("llm", "base_url", "model")
_READ = "prompts, and the session file when a turn or a conversation ends: {}"
_TALKS, _LENGTH = 10, 20_000  # conversations of a day, and characters of each: a plain guess
_REPLY = 500  # tokens of one reply
_SIGNS = 4  # characters of a token


def by_flags(session: Session, options: Any, place: SetupPlace) -> Wanted:
    """Return what flags want, None for a setting that goes; raise UnavailableError for a model that
    is not there."""
    wanted: Wanted = {"sessions": options.sessions} if options.sessions else {}
    wanted |= {"extract_soon": "on"} if options.soon else {}
    if options.schedule:
        session.needs_owner(schedule.OF_OWNER)
        wanted[_NIGHT] = "on"
    if options.model == NO_MODEL:
        return wanted | {"llm": NO_MODEL}
    return wanted | (settings_of(options.model, _folder(place)) if options.model else {})


def may_ask(session: Session) -> bool:
    """Say whether a person is there to answer."""
    is_there = sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
    return is_there and not (session.no_input or session.json or session.quiet)


def asked(session: Session, given: Wanted, place: SetupPlace) -> Wanted:
    """Return what is given, and what the person wants of what is still open."""
    wanted, held = dict(given), session.config.values
    is_open = {name for name in SETTINGS
               if name not in given and held[name].came_from == "default"}  # fmt: skip
    if "sessions" in is_open and _agreed(
        session, "Keep what you and the agents say, word for word, on this machine, for "
        f"{_days(session)}? Searches that ask for it find it.",
    ):  # fmt: skip
        wanted["sessions"] = "turns"
    if is_open.issuperset(_OF_MODELS):
        wanted |= _asked_model(session, place)
    if "extract_soon" in is_open and _agreed(
        session, "Distil a conversation within minutes of its end, not at night alone?"
    ):
        wanted["extract_soon"] = "on"
    if _NIGHT not in given and session.viewer.is_owner and schedule.told_entry() is None and (
        _agreed(session, "Tend the memory every night at 03:30? It distils the conversations that "
                "wait, and tidies up.")
    ):  # fmt: skip
        wanted[_NIGHT] = "on"
    return wanted


def _asked_model(session: Session, place: SetupPlace) -> Wanted:
    for name in (*SERVERS, *COMMANDS):
        try:
            found = settings_of(name, _folder(place))
        except UnavailableError:
            continue
        what = f"{found['model']} of {name}, on this machine" if name in SERVERS else (
            f"{name}, by its provider, which gets their text")  # fmt: skip
        cost = _cost(session, found["llm"] or "")
        if _agreed(session, f"Distil facts from conversations with {what}? {cost}."):
            return found
    return {}


def _agreed(session: Session, question: str) -> bool:
    width = max(40, get_terminal_size().columns) - len(" [y/N] ")
    return session.confirmed("\n".join(wrap(question, width)), yes=False)


def _cost(session: Session, command: str) -> str:
    """Return what a day costs, as a plain guess that says so."""
    requests = _TALKS * -(-_LENGTH // (session.config.get("window") or 60_000))
    each = overhead(command) + len(prompts.EXTRACTION) // _SIGNS + _REPLY
    tokens = requests * each + _TALKS * _LENGTH // _SIGNS
    return (f"{_TALKS} conversations a day would take about {requests} requests and "
            f"{round(tokens, -3):,} tokens, a guess")  # fmt: skip


def _days(session: Session) -> Any:
    return shown("sessions_keep", session.config.get("sessions_keep"))


def put(session: Session, wanted: Wanted, place: SetupPlace) -> None:
    """Put in place what is wanted. What was there before is kept first, so that it can be given
    back. The lock of setups is not held, since settings may lie in the same folder."""
    if schedule.told_entry() is not None:
        wanted = {name: value for name, value in wanted.items() if name != _NIGHT}
    if not wanted:
        return
    path = config.config_file(os.environ)
    folder = os.path.dirname(path)
    row = setup_files.answers_row(place.data) or SetUpRow(
        before={path: setup_files.content(path)},
        folders=() if os.path.isdir(folder) else (folder,),
    )
    calls = {name: (value,) if value else () for name, value in wanted.items()}
    _record(place, replace(row, calls={**row.calls, **calls}))
    make_folder(folder)
    for name, value in wanted.items():
        if name in SETTINGS:
            _save(path, name, value)
    if wanted.get("sessions") == "turns":  # a hook keeps turns where there is a memory
        session.writing()
    if wanted.get("llm"):
        setup_files.put_folder(_folder(place), OWN_FILES)
    if _NIGHT in wanted:
        schedule.put_in_place(session)


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
    if _NIGHT in row.calls:
        schedule.take_out(session)
    setup_files.remove_folder(_folder(place))
    _record(place, None)
    setup_files.drop_folders(row.folders)


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


def held() -> Wanted:
    """Return what is kept, which model distils, and what happens at night, as it is now."""
    now = config.load(os.environ, None)
    command, url, name = (now.get(setting) for setting in _OF_MODELS)
    model = command or (f"{name} at {url}" if name and url else None)
    return {"sessions": now.get("sessions"), "model": model, "soon": now.get("extract_soon"),
            _NIGHT: schedule.told_entry()}  # fmt: skip


def lines(session: Session, hooked: Sequence[str]) -> list[str]:
    """Return the same as lines, with what is read: by the hooks of these clients."""
    kept, model, soon, night = held().values()
    has_model = model not in (None, NO_MODEL)
    turns = f"and what is said in sessions, for {_days(session)}"
    return [
        f"read         {_READ.format(', '.join(hooked)) if hooked else 'what agents ask for'}",
        f"kept         facts, {turns if kept == 'turns' else 'not what is said'} "
        "(setting sessions)",
        f"model        {model if has_model else NONE}",
        *([f"cost         {_cost(session, model or '')}"] if has_model else []),
        f"soon         {'what has settled is distilled' if soon == 'on' else 'nothing'} "
        "(setting extract_soon)",
        f"night        {night or 'nothing: tideline schedule --install'}",
    ]
