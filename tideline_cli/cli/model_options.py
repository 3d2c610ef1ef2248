"""Which language model a command asks: its options, and the model they and the settings name."""

from __future__ import annotations

import os

from tideline_cli.cli import model_costs
from tideline_cli.cli.options import OptionSet, count, file, text
from tideline_cli.config.settings import NO_MODEL
from tideline_cli.errors import UsageError
from tideline_cli.llm.client import complete
from tideline_cli.llm.model_settings import (
    KEY_VARIABLE,
    LONGEST_TIMEOUT,
    REPLY_TOKENS,
    Model,
    model_from,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tideline_cli.cli.session import Session


class ModelOptions(OptionSet):
    """Which language model a command asks."""

    llm = text(
        "Command to ask: prompt on its stdin, reply on its stdout; `none` asks no model [setting: "
        "llm].",
        metavar="COMMAND", excludes=("model", "base_url"),
    )  # fmt: skip
    model = text("Model to ask at the base URL [setting: model].", metavar="NAME")
    base_url = text(
        "OpenAI-compatible endpoint, such as http://localhost:11434/v1 [setting: base_url].",
        metavar="URL",
    )
    key_file = file(
        "File with the API key, mode 0600 [env: TIDELINE_API_KEY; setting: key_file].",
        excludes=("llm",),
    )
    timeout = count(
        "Seconds to wait for a reply [default: 60].",
        default=60, least=5, most=int(LONGEST_TIMEOUT), metavar="SECONDS",
    )  # fmt: skip


def chosen(session: Session, options: ModelOptions) -> Model | None:
    """Return the model to ask, None when there is none.

    A flag wins over every setting: `--llm` over a configured endpoint, `--base-url` or `--model`
    over a configured command. Raises UsageError for a model that cannot be asked.
    """
    llm, model, base_url = options.llm, options.model, options.base_url
    if llm is None and model is None and base_url is None:
        llm = _setting(session, "llm")
        if llm is not None and options.key_file is not None:
            raise UsageError(
                "--key-file: the setting llm names a command, and a command takes no key",
                hint="name the endpoint with --base-url and --model, or leave it out",
            )
    if is_declined(llm):
        return None
    if llm is None:
        model = model or _setting(session, "model")
        base_url = base_url or _setting(session, "base_url")
        if model is None and base_url is None:
            return None
    return model_from(
        os.environ,
        command=llm,
        base_url=None if llm is not None else base_url,
        name=model,
        key_file=options.key_file or _configured_key_file(session),
        timeout=float(options.timeout),
        reply_tokens=int(_setting(session, "reply_tokens") or REPLY_TOKENS),
    )


def asker(session: Session, model: Model) -> Callable[[str, str], str]:
    """Return a function that takes a system prompt and a prompt, and returns the reply; it notes
    what that costs."""

    def ask(system: str, prompt: str) -> str:
        reply = complete(model, prompt, system=system)
        model_costs.note(session, system + prompt, reply)
        return reply

    return ask


def is_declined(llm: str | None) -> bool:
    """Say whether the user wants no model, which is no reason for a note."""
    return llm is not None and llm.strip().lower() == NO_MODEL


def wants_none(session: Session, llm: str | None) -> bool:
    """Say whether the flag, or without one the setting, declines every model."""
    return is_declined(llm if llm is not None else _setting(session, "llm"))


def _configured_key_file(session: Session) -> str | None:
    """Return the key file of the settings, unless the environment holds a key itself."""
    return None if os.environ.get(KEY_VARIABLE) else _setting(session, "key_file")


def _setting(session: Session, name: str) -> str | None:
    value: Any = session.setting(name, None)
    return str(value) if value else None
