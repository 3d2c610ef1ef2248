"""Own entries in the settings of a client: put in behind the others, found again by their command,
taken out. The rest keeps its order. Pure."""

from __future__ import annotations

import json
from posixpath import basename
from shlex import split

from tideline_cli.errors import UsageError
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.serve.setup_plan import MergedFile

    Form = dict[str, Any]

_OURS = ("tideline", "tideline_cli")
_SERVERS = "mcpServers"


@record
class Parsed:
    """A file of settings: its object, how it is indented, and whether it ends with a line end."""

    form: Form
    indent: str | int
    has_end: bool


def parsed(text: str, path: str) -> Parsed:
    """Return a file of settings; raise UsageError for one that cannot be written back as it is."""
    try:
        form = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise _refused(path, f"it is no plain JSON ({error})") from error
    if not isinstance(form, dict):
        raise _refused(path, "it holds no object")
    lines = text.splitlines()
    blanks = [line[: len(line) - len(line.lstrip())] for line in lines[1:] if line.strip()]
    indent = next((one for one in blanks if one), "  ")
    return Parsed(form, indent, text.endswith("\n") or not text)


def written(file: Parsed, form: Form) -> str:
    """Return an object as the text of its file."""
    text = json.dumps(form, indent=file.indent, ensure_ascii=False)
    return text + "\n" * file.has_end


def put_in(form: Form, merge: MergedFile, client: str) -> Form:
    """Return the settings with our entries: an older one of ours is replaced where it stands, since
    trust may go by the place; a new one comes last. Raise UsageError where there is no place."""
    out: Form = json.loads(json.dumps(form or {**merge.base}))
    if merge.server is not None:
        _inner(out, _SERVERS, merge.path)["tideline"] = merge.server
    for event, entry in merge.entries:
        listed = _inner(out, "hooks", merge.path).setdefault(event, [])
        if not isinstance(listed, list):
            raise _refused(merge.path, f"{event} is no list there")
        places = [place for place, one in enumerate(listed) if is_own(one, client)]
        if places:
            listed[places[0]] = entry
        else:
            listed.append(entry)
    return out


def taken_out(form: Form, merge: MergedFile, client: str) -> Form:
    """Return the settings without our entries, and without what is empty then."""
    out: Form = json.loads(json.dumps(form))
    if merge.server is not None and isinstance(out.get(_SERVERS), dict):
        out[_SERVERS].pop("tideline", None)
        if not out[_SERVERS]:
            del out[_SERVERS]
    held = out.get("hooks")
    hooks: Form = held if isinstance(held, dict) else {}
    for event, _ in merge.entries:
        listed = hooks.get(event)
        if isinstance(listed, list) and any(is_own(one, client) for one in listed):
            hooks[event] = [rest for one in listed if (rest := _without_own(one, client))]
            if not hooks[event]:
                del hooks[event]
    if merge.entries and held == {}:
        del out["hooks"]
    return out


def own_places(form: Mapping[str, Any], merge: MergedFile, client: str) -> dict[str, int]:
    """Return at which place of each event our entry stands, of those that have one."""
    hooks = form.get("hooks")
    if not isinstance(hooks, dict):
        return {}
    return {
        event: place
        for event, _ in merge.entries if isinstance(hooks.get(event), list)
        for place, one in enumerate(hooks[event]) if is_own(one, client)
    }  # fmt: skip


def is_own(entry: object, client: str) -> bool:
    """Say whether an entry, or one of its handlers, calls our hook for this client."""
    if not isinstance(entry, dict):
        return False
    inner = entry.get("hooks")
    if isinstance(inner, list):
        return any(is_own(one, client) for one in inner)
    words = _words(entry)
    place = next((n for n, word in enumerate(words) if basename(word) in _OURS), len(words))
    return words[place + 1 : place + 3] == ["hook", client]


def same(one: object, other: object) -> bool:
    """Say whether two settings say the same: what is empty says nothing."""
    return _said(one) == _said(other)


def _said(form: object) -> object:
    if isinstance(form, dict):
        kept = {name: _said(value) for name, value in form.items()}
        return {name: value for name, value in kept.items() if value not in ({}, [])}
    return form


def _without_own(entry: Form, client: str) -> Form | None:
    """Return an entry without our handlers, None where nothing else is in it."""
    inner = entry.get("hooks") if isinstance(entry, dict) else None
    if not isinstance(inner, list):
        return None if is_own(entry, client) else entry
    rest = [one for one in inner if not is_own(one, client)]
    return {**entry, "hooks": rest} if rest else None


def _words(entry: Form) -> list[str]:
    command, more = entry.get("command"), entry.get("args")
    if not isinstance(command, str):
        return []
    if isinstance(more, list):
        return [command, *map(str, more)]
    try:
        return split(command)
    except ValueError:
        return []


def _inner(form: Form, name: str, path: str) -> Form:
    inner = form.setdefault(name, {})
    if not isinstance(inner, dict):
        raise _refused(path, f"{name} is no object there")
    return inner


def _object(pairs: list[tuple[str, Any]]) -> Form:
    form = dict(pairs)
    if len(form) < len(pairs):
        raise ValueError("a name stands twice")
    return form


def _refused(path: str, why: str) -> UsageError:
    return UsageError(
        f"{path} is left as it is: {why}",
        hint="`tideline setup CLIENT --dry-run` shows what to add by hand",
    )
