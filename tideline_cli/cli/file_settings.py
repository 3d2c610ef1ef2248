"""The settings that belong to the memory file: what they may be, and how they are read and changed.
"""

from __future__ import annotations

from tideline_cli.errors import BusyError, CannotWriteError, StoreError, UsageError
from tideline_cli.memory.repair import analyse_anew
from tideline_cli.model.closed_set import one_of
from tideline_cli.model.forms.stems import LANGUAGES
from tideline_cli.model.text import ANALYZERS, WITH_FORMS, languages_of
from tideline_cli.policy.sameness import SAMENESS
from tideline_cli.store.connection import put_setting, setting
from tideline_cli.store.transactions import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tideline_cli.cli.session import Session

NO_LANGUAGE = "none"
OF_FILE: dict[str, tuple[str, ...]] = {
    "analyzer": ANALYZERS, "language": (NO_LANGUAGE, *LANGUAGES), "sameness": SAMENESS
}  # fmt: skip

_OF_ANALYZER: dict[str, Callable[[str], str]] = {
    "analyzer": lambda held: held.partition("/")[0],
    "language": lambda held: ",".join(languages_of(held)) or NO_LANGUAGE,
}
"""The settings that the analyser of a file says."""


def value_of(session: Session, name: str) -> str:
    """Return the value of a setting of the file, the usual one where there is no file yet."""
    db = session.reading()
    if name in _OF_ANALYZER:
        held = WITH_FORMS if db is None else setting(db, "analyzer", "standard")
        return _OF_ANALYZER[name](held)
    default = OF_FILE[name][0]
    return default if db is None else setting(db, name, default)


def values(session: Session) -> dict[str, str | None]:
    """Return the settings of the memory by their names, None for each where the memory cannot be
    opened: then somebody looks what the settings name. That is told."""
    try:
        return {name: value_of(session, name) for name in OF_FILE}
    except (StoreError, CannotWriteError, BusyError, UsageError) as error:
        session.caution(error.code, error.message, hint=error.hint)
        return dict.fromkeys(OF_FILE)


def change(session: Session, name: str, value: str) -> str:
    """Set a setting of the file, and return its value as it is kept."""
    session.needs_owner("only the owner may change the memory file")
    checked = _languages(value) if name == "language" else one_of(value, OF_FILE[name], name)
    db = session.writing()
    if name in _OF_ANALYZER:
        count = analyse_anew(db, _analyzer(setting(db, "analyzer", "standard"), name, checked))
        session.note(f"{count:,} facts analysed anew")
    else:
        with writing(db):
            put_setting(db, name, checked)
    return checked


def _languages(value: str) -> str:
    """Return codes of languages with commas, each once, as the analyser has them."""
    codes = [code.strip().lower() for code in value.split(",") if code.strip()]
    if codes in ([], [NO_LANGUAGE]):
        return NO_LANGUAGE
    return ",".join(sorted({one_of(code, tuple(LANGUAGES), "language") for code in codes}))


def _analyzer(held: str, name: str, value: str) -> str:
    """Return the analyser that a setting makes of the one that a file has."""
    if name == "analyzer" and value == "reference":
        return value
    if name == "language" and held == "reference":
        raise UsageError(
            "the reference analyser knows no language", hint="tideline config set analyzer standard"
        )
    named = value if name == "language" else ",".join(languages_of(held)) or NO_LANGUAGE
    return WITH_FORMS if named == NO_LANGUAGE else f"{WITH_FORMS}:{named}"
