"""Own entries in the settings of a client: put in behind the others, found again by their words,
taken out. Only their own bytes change. Pure."""

from __future__ import annotations

import json
from collections import Counter
from posixpath import basename
from shlex import split

from tideline_cli.errors import UsageError
from tideline_cli.model.record import record
from tideline_cli.serve import json_edit
from tideline_cli.serve.clients import CLIENTS
from tideline_cli.serve.json_edit import JsonText, JsonTextError, Node, double_name, scanned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from tideline_cli.serve.setup_plan import MergedFile

    Form = dict[str, Any]
    Words = tuple[str, ...]

_PROGRAMS = ("tideline", "tideline.exe", "tideline_cli")


@record
class Handler:
    """A handler that calls our hook: its words, its node, the list of its event, its place there,
    and the list of its group where it is in one."""

    words: Words
    node: Node
    listed: Node
    place: int
    group: Node | None


def handlers(file: JsonText, event: str, client: str) -> list[Handler]:
    """Return the handlers of an event that call our hook for a client, in order."""
    listed = file.at("hooks", event)
    if listed is None or listed.kind != "array":
        return []
    found = []
    for place, item in enumerate(listed.items):
        inner = item.value.item("hooks")
        group = inner.value if inner is not None and inner.value.kind == "array" else None
        nodes = [item.value] if group is None else [one.value for one in group.items]
        found += [Handler(words, node, listed, place, group) for node in nodes
                  if _calls(words := called_words(file.form(node)), client)]  # fmt: skip
    return found


def ours(
    file: JsonText, old: JsonText | None, event: str, client: str, known: Collection[Words]
) -> list[Handler]:
    """Return the handlers that setup has put in: by their words, or, where somebody has changed
    those, what was not there before."""
    found = handlers(file, event, client)
    written = [one for one in found if one.words in known] or found
    before = Counter(one.words for one in (handlers(old, event, client) if old is not None else ()))
    kept = []
    for one in written:
        if before[one.words] > 0:
            before[one.words] -= 1
        else:
            kept.append(one)
    return kept


def called_words(entry: Any) -> Words:
    """Return the words that a handler or a server calls, none where it calls nothing."""
    if not isinstance(entry, dict):
        return ()
    command, more = entry.get("command"), entry.get("args")
    if isinstance(command, str) and not isinstance(more, list):
        try:
            return tuple(split(command))
        except ValueError:
            return ()
    words = [command, *(more or ())] if isinstance(command, str) else command
    listed = words if isinstance(words, list) else ()
    return tuple(one if isinstance(one, str) else "" for one in listed)


def first_handler(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the handler of an entry as we write it: of a group the first."""
    inner = entry.get("hooks")
    return inner[0] if isinstance(inner, list) else entry


def is_own_server(words: Sequence[str]) -> bool:
    """Say whether the words of a server start ours."""
    return _after_program(words)[:1] == ("mcp",)


def _calls(words: Sequence[str], client: str) -> bool:
    return _after_program(words)[:2] == ("hook", client)


def _after_program(words: Sequence[str]) -> Words:
    """Return what follows the name of this program, nothing where it is not called."""
    place = next((n for n, word in enumerate(words) if basename(word) in _PROGRAMS), len(words))
    return tuple(words[place + 1 :])


_HOOKS = "hooks"
_NAME = "tideline"


def put_in(text: str, merge: MergedFile, known: Collection[Words] = ()) -> str:
    """Return the settings with our entries. What stands there already stays; an older one of ours,
    whose words are `known`, gets new words where it stands, since trust may go by the place; a new
    one comes last. Raise UsageError where there is no place, or where somebody has made an entry of
    this program by hand."""
    if not text.strip(" \t\r\n\ufeff"):
        return json.dumps(_fresh(merge), indent=2, ensure_ascii=False) + "\n"
    file = _plain(text, merge)
    for event, entry in merge.entries:
        file = _plain(_with_entry(file, merge, event, entry, known), merge)
    return file.text if merge.server is None else _with_server(file, merge, known)


def taken_out(text: str, merge: MergedFile, known: Collection[Words], before: str | None) -> str:
    """Return the settings without our entries, and without what only they have filled. What stood
    there `before` stays, also where it calls this program."""
    old = None if before is None else _lenient(before)
    file = _read(text, merge)
    for event, _ in merge.entries:
        for _ in ours(file, old, event, merge.client, known):
            found = ours(file, old, event, merge.client, known)
            file = _read(_without_handler(file, found[0]), merge)
        file = _read(_without_empty(file, old, _HOOKS, event), merge)
    if merge.entries:
        return _without_empty(file, old, _HOOKS)
    return _without_server(file, old, merge, known)


def says(text: str, old: str | None, merge: MergedFile) -> bool:
    """Say whether settings say what they said before, with no comment that is new; where there
    were none, whether only what we begin a file with is in them."""
    file, before = _lenient(text), _lenient(old or "")
    if file is None or (before is None and (old or "").strip()):
        return False
    if before is None:
        return not file.comments and file.form() in ({}, _marked(merge.base))
    is_new = Counter(file.remarks) - Counter(before.remarks)
    return not is_new and bool(file.form() == before.form())


def _marked(base: Mapping[str, Any]) -> Any:
    return scanned(json.dumps({**base}), with_comments=False).form()


def form_of(text: str | None) -> Any:
    """Return what settings hold; an empty object for none, and for what cannot be read."""
    file = _lenient(text or "")
    return {} if file is None else file.form()


def own_places(text: str, merge: MergedFile) -> dict[str, int]:
    """Return at which place of each event our entry stands, of those that have one."""
    file = _lenient(text)
    if file is None:
        return {}
    places = {event: handlers(file, event, merge.client) for event, _ in merge.entries}
    return {event: found[0].place for event, found in places.items() if found}


def has_own_server(form: object, servers_key: str) -> bool:
    """Say whether settings name, below a key, a server that leads to this program."""
    servers = form.get(servers_key) if isinstance(form, dict) else None
    server = servers.get(_NAME) if isinstance(servers, dict) else None
    return is_own_server(called_words(server))


def _fresh(merge: MergedFile) -> Form:
    form: Form = {**merge.base}
    if merge.server is not None:
        form[merge.servers] = {_NAME: merge.server}
    if merge.entries:
        form[_HOOKS] = {event: [entry] for event, entry in merge.entries}
    return form


def _with_entry(
    file: JsonText, merge: MergedFile, event: str, entry: Form, known: Collection[Words]
) -> str:
    wanted = called_words(first_handler(entry))
    found = handlers(file, event, merge.client)
    if any(one.words == wanted for one in found):
        return file.text
    for one in found:
        if one.words in known:
            return _with_words(file, one.node, first_handler(entry))
    if found:
        raise _refused(
            merge.path,
            f"its {event} calls tideline already, by `{' '.join(found[0].words)}`, which setup did "
            "not write",
            "take that out by hand, or set up the tools alone: "
            f"`tideline setup {merge.client} --mcp`",
        )
    hooks = _container(file, merge, "object", _HOOKS)
    if hooks is None:
        return json_edit.added(file, file.root, _HOOKS, {event: [entry]})
    listed = _container(file, merge, "array", _HOOKS, event)
    if listed is None:
        return json_edit.added(file, hooks, event, [entry])
    return json_edit.added(file, listed, None, entry)


def _with_server(file: JsonText, merge: MergedFile, known: Collection[Words]) -> str:
    servers = _container(file, merge, "object", merge.servers)
    if servers is None:
        return json_edit.added(file, file.root, merge.servers, {_NAME: merge.server})
    item = servers.item(_NAME)
    if item is None:
        return json_edit.added(file, servers, _NAME, merge.server)
    words = called_words(file.form(item.value))
    if words == called_words(merge.server):
        return file.text
    if words not in known:
        raise foreign_server(merge.path, merge.client)
    return _with_words(file, item.value, merge.server or {})


def _with_words(file: JsonText, node: Node, form: Form) -> str:
    """Return the text with the words of an entry of ours anew; what else was added to it stays."""
    start, end = node.start, node.end
    for name in ("command", "args"):
        item = node.item(name)
        if item is not None and name in form:
            text = json_edit.replaced(file, item.value, form[name])
        elif item is not None:
            text = json_edit.removed(file, node, item)
        elif name in form:
            text = json_edit.added(file, node, name, form[name])
        else:
            continue
        end += len(text) - len(file.text)
        file = scanned(text, with_comments=True)
        node = _node_at(file.root, start, end)
    return file.text


def _node_at(node: Node, start: int, end: int) -> Node:
    while (node.start, node.end) != (start, end):
        node = next(one.value for one in node.items
                    if one.value.start <= start and end <= one.value.end)  # fmt: skip
    return node


def _without_handler(file: JsonText, one: Handler) -> str:
    """Return the text without a handler, and without its group where it was alone there."""
    if one.group is not None and len(one.group.items) > 1:
        item = next(each for each in one.group.items if each.value == one.node)
        return json_edit.removed(file, one.group, item)
    return json_edit.removed(file, one.listed, one.listed.items[one.place])


def _without_server(
    file: JsonText, old: JsonText | None, merge: MergedFile, known: Collection[Words]
) -> str:
    servers = file.at(merge.servers)
    item = servers.item(_NAME) if servers is not None else None
    if servers is not None and item is not None:
        words = called_words(file.form(item.value))
        held = old.at(merge.servers, _NAME) if old is not None else None
        is_ours = words in known or is_own_server(words)
        if not is_ours or (held is not None and old is not None
                           and called_words(old.form(held)) == words):  # fmt: skip
            return file.text
        filled = json_edit.inner(old, old.at(merge.servers) if old is not None else None)
        file = _read(json_edit.removed(file, servers, item, filled), merge)
    return _without_empty(file, old, merge.servers)


def _without_empty(file: JsonText, old: JsonText | None, *path: str) -> str:
    """Return the text without a container of ours that is empty; one that was there before gets
    back what stood between its brackets."""
    node = file.at(*path)
    if node is None or node.items or node.kind not in ("object", "array"):
        return file.text
    before = old.at(*path) if old is not None else None
    if before is not None:
        kept = json_edit.inner(old, before)
        has_remark = any(node.start < start < node.end for start, _ in file.comments)
        if before.items or has_remark:
            return file.text
        return file.text[: node.start + 1] + kept + file.text[node.end - 1 :]
    holder = file.at(*path[:-1])
    item = holder.item(path[-1]) if holder is not None else None
    if holder is None or item is None:
        return file.text
    above = old.at(*path[:-1]) if old is not None else None
    return json_edit.removed(file, holder, item, json_edit.inner(old, above))


def _container(file: JsonText, merge: MergedFile, kind: str, *path: str) -> Node | None:
    node = file.at(*path)
    if node is not None and node.kind != kind:
        what = "no object" if kind == "object" else "no list"
        raise _refused(merge.path, f"{path[-1]} is {what} there")
    return node


def _plain(text: str, merge: MergedFile) -> JsonText:
    file = _read(text, merge, with_comments=merge.with_comments)
    if (name := double_name(file.root)) is not None:
        raise _refused(merge.path, f"the name {name} stands twice there")
    return file


def _read(text: str, merge: MergedFile, *, with_comments: bool = True) -> JsonText:
    try:
        file = scanned(text, with_comments=with_comments)
    except JsonTextError as error:
        raise _refused(merge.path, f"it is no plain JSON ({error})") from error
    if file.root.kind != "object":
        raise _refused(merge.path, "it holds no object")
    return file


def _lenient(text: str) -> JsonText | None:
    try:
        file = scanned(text, with_comments=True)
    except JsonTextError:
        return None
    return file if file.root.kind == "object" else None


def foreign_server(path: str, client: str) -> UsageError:
    """Return what is said where a server of our name stands that we did not write."""
    other = f", or set up the hooks alone: `tideline setup {client} --hooks`"
    return _refused(
        path,
        "it names a server `tideline` that setup did not write",
        "rename that one" + other * (client in CLIENTS),
    )


def _refused(path: str, why: str, hint: str = "") -> UsageError:
    return UsageError(
        f"{path} is left as it is: {why}",
        hint=hint or "`tideline setup CLIENT --dry-run` shows what to add by hand",
    )
