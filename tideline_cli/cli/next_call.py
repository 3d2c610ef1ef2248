"""A command line that a report offers, to be copied and called."""

from __future__ import annotations

from shlex import join

from tideline_cli.model.origin import is_in_form, spelled_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tideline_cli.model.origin import Origin


def line(words: Sequence[str], *, origin: Origin | None) -> str:
    """Return a call of these words, quoted for a shell; `origin` None is that of a plain call."""
    more = () if origin is None else ("--origin", _typed(origin.key))
    return join(["tideline", *words, *more])


def _typed(key: str) -> str:
    """Return the name of an origin as it can be typed and copied."""
    return key if is_in_form(key) else spelled_out(key)
