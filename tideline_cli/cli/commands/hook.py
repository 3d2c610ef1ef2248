"""tideline hook."""

from __future__ import annotations

import os

from tideline_cli import config
from tideline_cli.cli import hook_door, output
from tideline_cli.cli.options import SHOW_SECRETS, Argument, Scopes, duration, flag
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model.instant import iso
from tideline_cli.serve import clients, hook_state, queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HELP = """Answer the hooks of agents, or pause them.

CLIENT calls this by itself, once `tideline setup` has told it to: with JSON on standard input. When
a conversation starts it gets the pinned and the strongest facts, with each prompt the facts that
have to do with it, each once in a conversation; most prompts get nothing. At the end of a turn the
conversation is noted for `tideline extract --pending`; by the setting sessions it is kept too.

A call of a client always ends with 0 within a second, prints nothing on stderr and writes nothing
else to the memory; what went wrong is a line in hook.log. Without CLIENT this says how hooks are.

TIDELINE_HOOKS=0 switches hooks off, --pause those of one origin for a while. The setting
auto_recall off keeps facts from being said unasked, here and by `context --auto`. A password, key
or card number in a fact is printed as `[secret]`, unless the client calls with --show-secrets."""
EXAMPLES = (("", ""), ("", "--pause 2h"), ("claude-code prompt", "< call.json"))
ARGUMENTS = (
    Argument("words", "CLIENT", "claude-code, codex, gemini or cursor; then its event, if the call "
             "does not name it: start, prompt, end.", "word", True, 0, (),
             ("one of " + " ".join(clients.CLIENTS), "one of start prompt end", "")),
)  # fmt: skip


class Options(Scopes):
    """The options of a call."""

    pause = duration(
        "Let the origin's hooks do nothing for so long, such as 2h or 1d.",
        excludes=("resume", "words"),
    )
    resume = flag("End a pause.", excludes=("words",))
    show_secrets = SHOW_SECRETS


def run(session: Session, words: list[str], options: Options) -> int:
    """Pause the hooks, or say how they are."""
    if words:
        raise UsageError(
            "a client's call has no other options", hint="tideline hook CLIENT [EVENT]"
        )
    state = config.state_folder(os.environ)
    if options.pause is not None:
        hook_state.begin_pause(state, session.viewer.key, session.now + options.pause)
    elif options.resume and not hook_state.end_pause(state, session.viewer.key):
        session.note("hooks were not paused")
    form = _form(session, state)
    if session.json:
        output.emit_json(form)
    else:
        output.emit_lines(_lines(form, session.call("extract", "--pending")))
    return 0


def _form(session: Session, state: str) -> dict[str, Any]:
    origin = session.viewer.key
    until = hook_state.pause_end(state, origin, now=session.now)
    log = hook_state.log_path(state, origin)
    failure = hook_state.last_failure(log)
    is_off = config.is_off(os.environ, hook_door.SWITCH)
    return {
        "hooks": "off" if is_off else "on" if until is None else "paused",
        "paused_until": None if until is None else iso(until),
        "auto_recall": session.config.get("auto_recall"),
        "pending": queue.length(state, queue.Whose(session.real_database, origin)),
        "last_failure": None if failure is None else {
            "at": iso(failure.at), "client": failure.client, "message": failure.message,
        },
        "log": log,
    }  # fmt: skip


def _lines(form: dict[str, Any], work_off: str) -> list[str]:
    why = {"off": f"off by {hook_door.SWITCH}", "on": "on",
           "paused": f"paused until {form['paused_until']}"}  # fmt: skip
    lines = [f"hooks      {why[form['hooks']]}"]
    if form["auto_recall"] == "off":
        lines.append("recall     off by the setting auto_recall")
    if form["pending"]:
        lines.append(f"pending    {form['pending']:,}: {work_off}")
    failure = form["last_failure"]
    if failure:
        when = failure["at"][:16].replace("T", " ")
        lines.append(f"failure    {when} {failure['client']}: {failure['message']}")
        lines.append(f"log        {form['log']}")
    return lines
