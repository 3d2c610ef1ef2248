"""tideline mcp."""

from __future__ import annotations

import sys

from tideline_cli.cli import perform
from tideline_cli.cli.new_fact import Labels, new_id
from tideline_cli.cli.options import SHOW_SECRETS, Scopes, choice, flag
from tideline_cli.cli.scopes import AUTO
from tideline_cli.cli.session import Session
from tideline_cli.serve.mcp.protocol import Server, answer_lines
from tideline_cli.serve.mcp.tools import Service
from tideline_cli.serve.unforeseen import ErrorTeller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.errors import TidelineError

HELP = """Serve the memory to an agent, by MCP.

An agent starts it and talks with it by standard input and output, a line of JSON a message, until
one of them closes. It has the tools recall, show and timeline; with --write remember and forget
too. Whose memory it is stands in its own command line or in your settings: neither the agent nor
the .tideline.toml of a project can name another.

What an agent remembers counts as extraction: untrusted, confined to what such a source may say,
scanned, without secrets. It may forget what untrusted sources said; what you said it may not,
unless you start it with --forget-any. Both are undone by `tideline undo`. A password, key or card
number in a fact is given as `[secret]`, unless you start it with --show-secrets."""
EXAMPLES = (("", ""), ("--write", "--origin channel:wa/team/standup"))
ARGUMENTS = ()


class Options(Scopes):
    """The options of a call."""

    write = flag("Also remember and forget.")
    forget_any = flag("With --write: forget also what trusted sources said.")
    show_secrets = SHOW_SECRETS
    agent = Labels.agent.but(
        help="The name that stands on what is remembered [default: the setting agent]."
    )
    format = choice(("json", "text"))(
        "Results as json, in both halves, or as text alone, for clients that cannot read both "
        "[default: json]."
    )


def run(session: Session, _: list[str], options: Options) -> int:
    """Serve until standard input ends."""
    if options.forget_any and not options.write:
        session.note("--forget-any says nothing without --write")

    def opened() -> Session:
        door = Session(session.options, is_door=True)  # settings and clock of this moment
        door.usual_scope = AUTO
        return door

    service = Service(
        opened, _meaning, new_id, ErrorTeller(sys.stderr), options.write, options.forget_any,
        options.format == "text", options.agent, options.show_secrets, options.scope,
        options.all_scopes,
    )  # fmt: skip
    answer_lines(Server(service), sys.stdin.buffer, sys.stdout.buffer)
    return 0


def _meaning(error: Exception, door: Any) -> TidelineError:
    return perform.meaning(error, door)
