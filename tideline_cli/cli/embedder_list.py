"""`embedder list`: what there is, whether it is here, and what a question costs with it."""

from __future__ import annotations

from tideline_cli.cli import output
from tideline_cli.errors import UnavailableError
from tideline_cli.model.record import record
from tideline_cli.vector.embedders.kinds import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tideline_cli.cli.session import Session

_FEATURES = (
    ("hrr-256", "words and trigrams, hashed: no model, knows spelling, not meaning"),
    ("hash-256", "the same, hashed in another way; loads numpy"),
)


@record
class _Row:
    """One line. `here` is None where only asking could tell."""

    name: str
    here: bool | None
    cold_ms: int
    summary: str
    hint: str = ""
    chosen: bool = False


def show(session: Session, chosen: str) -> None:
    """Print the list; `chosen` is the embedder of the file."""
    rows = [_Row(name, True, 0 if name == "hrr-256" else 80, text, "", name == chosen)
            for name, text in _FEATURES]  # fmt: skip
    from tideline_cli.vector.embedder import plugin_names  # noqa: PLC0415  numpy

    rows += [_learned(name, chosen) for name in KINDS]
    rows += [_Row(name, True, 0, "an entry point of another package", "", name == chosen)
             for name in plugin_names()]  # fmt: skip
    if session.json:
        output.emit_json({"embedders": [_form(row) for row in rows]})
    elif output.is_terminal(session):
        from tideline_cli.cli import tables  # noqa: PLC0415  rich, 20 ms

        cells = [(_mark(row), _here(row), f"{row.cold_ms} ms", _said(row)) for row in rows]
        tables.listing(session, ("embedder", "here", "cold", "what it is"), cells,
                       wide="what it is")  # fmt: skip
    else:
        output.emit_lines(
            [f"{row.name}\t{_here(row)}\t{row.cold_ms} ms\t{_said(row)}" for row in rows]
        )


def _learned(name: str, chosen: str) -> _Row:
    kind = KINDS[name]
    hint = ""
    here: bool | None = None
    if name in ("static", "minilm"):
        here, hint = _is_installed(name)
    is_chosen = chosen == name or (name.endswith(":") and chosen.startswith(name))
    return _Row(name + kind.argument, here, kind.cold_ms, kind.summary, hint, is_chosen)


def _is_installed(name: str) -> tuple[bool, str]:
    """Say whether the files of an embedder are here, without loading them."""
    from importlib.util import find_spec  # noqa: PLC0415  this list alone

    from tideline_cli.vector.embedders import onnx_folder, static  # noqa: PLC0415  as above

    try:
        if name == "static":
            static.installed()
            return True, ""
        onnx_folder.minilm()
        return find_spec("onnxruntime") is not None, "pip install 'tideline-cli[minilm]'"
    except UnavailableError as error:
        return False, error.hint.partition(", or")[0]


def _mark(row: _Row) -> str:
    return f"{row.name} *" if row.chosen else row.name


def _here(row: _Row) -> str:
    return {True: "yes", False: "no", None: "-"}[row.here]


def _said(row: _Row) -> str:
    return f"{row.summary} ({row.hint})" if row.hint and not row.here else row.summary


def _form(row: _Row) -> dict[str, Any]:
    return {
        "name": row.name, "here": row.here, "cold_ms": row.cold_ms, "summary": row.summary,
        "hint": row.hint if row.here is False else "", "chosen": row.chosen,
    }  # fmt: skip
