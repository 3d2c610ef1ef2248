"""Asking a language model: one prompt, and one answer or one error."""

from __future__ import annotations

from tideline_cli.llm.model_settings import checked_model
from tideline_cli.llm.wording import scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tideline_cli.llm.model_settings import Model


def complete(model: Model, prompt: str, *, system: str | None = None) -> str:
    """Return the model's reply to a prompt.

    Raises UnavailableError when there is none within `model.timeout` seconds, and UsageError for
    a model that `checked` refuses. Lone surrogates are replaced on the way out and in.
    """
    model = checked_model(model)
    prompt, system = scalar(prompt), None if system is None else scalar(system)
    if model.command is not None:
        from tideline_cli.llm import command  # noqa: PLC0415  subprocess costs 10 ms

        return scalar(command.ask(model, prompt, system=system))
    from tideline_cli.llm import endpoint  # noqa: PLC0415  ssl and http.client cost 60 ms

    return scalar(endpoint.ask(model, prompt, system=system))
