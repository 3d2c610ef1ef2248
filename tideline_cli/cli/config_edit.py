"""`config edit`: the settings in the user's editor, checked before they count."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import terminal
from tideline_cli.config import replacing, saving
from tideline_cli.config.settings import SETTINGS
from tideline_cli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.cli.session import Session

_DRAFT = ".draft"
_HINT = "set VISUAL or EDITOR, or use `tideline config set NAME VALUE`"


def run(session: Session, folder: str) -> None:
    """Have the settings edited. What is not allowed is kept beside the file as a draft, which the
    next edit begins with; the settings stay as they are."""
    if session.no_input:
        raise UsageError("an editor needs somebody to type", hint=_HINT)
    path = config.config_file(os.environ)
    draft = os.path.join(folder, os.path.basename(path) + _DRAFT)
    before = saving.current(path)
    text = terminal.edited(_begun(draft) or before or _template(), name="config.toml", hint=_HINT)
    changed = text != before and text != _template()
    if changed:
        _save(path, text, before, draft)
    if os.path.lexists(draft):
        os.unlink(draft)
    if not changed:
        session.note("nothing changed")
    session.detail(f"the settings are in {path}")


def _save(path: str, text: str, before: str, draft: str) -> None:
    try:
        saving.save_text(path, text, before=before)
    except UsageError as error:
        with replacing.FolderLock(draft):
            replacing.replace_file(draft, text)
        raise UsageError(
            f"not saved: {error.message}",
            hint=f"{error.hint}; `tideline config edit` goes on with your text, kept in {draft}",
        ) from error


def _begun(draft: str) -> str:
    """Return the text that the last edit left and that was not allowed."""
    return saving.current(draft)


def _template() -> str:
    """Return the text to begin with where there is no file: each setting, as a comment."""
    return "".join(f"# {name}: {setting.help}\n" for name, setting in SETTINGS.items())
