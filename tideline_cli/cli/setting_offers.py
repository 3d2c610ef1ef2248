"""What completes the words of `config`: names of settings, and the values that some may have."""

from __future__ import annotations

from tideline_cli.cli.file_settings import OF_FILE
from tideline_cli.cli.model_options import NO_MODEL
from tideline_cli.cli.scopes import AUTO
from tideline_cli.config.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Offer = tuple[str, str]


def of(
    start: str, words: Sequence[str], scopes: Callable[[], Iterable[Offer]]
) -> list[Offer]:
    """Return what begins so and may follow the words of a line; `scopes` are those there are."""
    said = [word for word in words if not word.startswith("-")]
    match said[said.index("config") + 1 :]:
        case ["get" | "set" as action] | ["unset" as action]:
            found = _names(of_file=action != "unset")
        case ["set", "scope"]:
            found = [(AUTO, "the name of the git repository"), *scopes()]
        case ["set", name]:
            found = [(value, "") for value in _VALUES.get(name, ())]
        case _:
            found = []
    return [offer for offer in found if offer[0].startswith(start)]


_VALUES = {
    "llm": (NO_MODEL,), **OF_FILE,
    **{name: setting.words for name, setting in SETTINGS.items() if setting.words},
}  # fmt: skip


def _names(*, of_file: bool) -> list[Offer]:
    names = [(name, setting.help) for name, setting in SETTINGS.items()]
    return names + [(name, "of the memory file") for name in OF_FILE if of_file]
