"""tideline embed."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.cli.options import Argument, OptionSet, text
from tideline_cli.cli.session import Session
from tideline_cli.config.settings import DEFAULT_EMBEDDER

HELP = """Print the vector of a text.

The built-in embedder hrr-256 needs no model: it hashes words and their trigrams to phases, so the
same text gives the same 256 numbers everywhere."""
EXAMPLES = (("deploy", "--json"),)
ARGUMENTS = (Argument("words", "TEXT", "What to embed; `-` reads standard input."),)


class Options(OptionSet):
    """The options of a call."""

    embedder = text(
        f"Which one [default: {DEFAULT_EMBEDDER}].", default=DEFAULT_EMBEDDER, metavar="NAME"
    )


def run(session: Session, words: list[str], options: Options) -> int:
    """Embed one text."""
    text = session.text(words)
    from tideline_cli.memory import choice  # noqa: PLC0415  numpy, 60-90 ms
    from tideline_cli.vector.embedders.names import split_name  # noqa: PLC0415  as above

    chosen = choice.chosen(session, options.embedder)
    vector = [float(value) for value in chosen.embed([text])[0]]
    if session.json:
        name = split_name(chosen.name).spec
        output.emit_json({"embedder": name, "dims": len(vector), "vector": vector})
    else:
        output.emit_lines([" ".join(map(repr, vector))])
    return 0
