"""Asking a model: one prompt, and one answer or one error; or vectors of texts, from an endpoint or
a program, every number checked."""

from __future__ import annotations

import json
from functools import partial
from math import isfinite

from tideline_cli.errors import UnavailableError
from tideline_cli.llm.model_settings import checked_model, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tideline_cli.llm.model_settings import Model

    Vectors = list[list[float]]


def complete(model: Model, prompt: str, *, system: str | None = None) -> str:
    """Return the model's reply to a prompt.

    Raises UnavailableError when there is none within `model.timeout` seconds, and UsageError for
    a model that `checked` refuses. Lone surrogates are replaced on the way out and in.
    """
    model = checked_model(model)
    prompt, system = scalar(prompt), None if system is None else scalar(system)
    return scalar(_way(model).ask(model, prompt, system=system))


def _way(model: Model) -> Any:
    """Return the module by which a model is reached."""
    if model.command:
        from tideline_cli.llm import command  # noqa: PLC0415  subprocess costs 10 ms

        return command
    from tideline_cli.llm import endpoint  # noqa: PLC0415  ssl and http.client cost 60 ms

    return endpoint


AT_ONCE = 64  # texts of one request
_LARGEST = 16 << 20  # bytes of one answer: 64 vectors of 4,096 numbers in words


def vectors_of(model: Model, texts: Sequence[str], *, dims: int | None) -> Vectors:
    """Return a vector for each text, all of one size; raises UnavailableError.

    `dims`: how many values the endpoint is asked for, None for as many as it has. A program reads
    one JSON string a line, and writes one JSON list a line.
    """
    found: Vectors = []
    for start in range(0, len(texts), AT_ONCE):
        part = [scalar(text) for text in texts[start : start + AT_ONCE]]
        found += _of_program(model, part) if model.command else _of_endpoint(model, part, dims)
    sizes = {len(row) for row in found}
    if len(sizes) > 1 or (dims is not None and sizes - {dims}):
        wanted = "different sizes" if dims is None else f"another size than {dims}"
        raise UnavailableError(f"{_source(model)} gave vectors of {wanted}")
    return found


def _of_endpoint(model: Model, texts: list[str], dims: int | None) -> Vectors:
    endpoint = _way(model)
    form: dict[str, Any] = {"model": model.name, "input": texts, "encoding_format": "float"}
    if dims is not None:
        form["dimensions"] = dims
    read = partial(_rows, count=len(texts))
    request = endpoint.EndpointRequest(
        "/embeddings", json.dumps(form).encode(), read, f"{len(texts)} vectors", _LARGEST
    )
    found: Vectors = endpoint.asked(model, request)
    return found


def _of_program(model: Model, texts: list[str]) -> Vectors:
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    reply = _way(model).ask(model, lines, system=None, largest=_LARGEST)
    try:
        rows = [json.loads(line) for line in reply.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise UnavailableError(f"the program of the embedder wrote no JSON: {error}") from error
    checked = [_row(one) for one in rows]
    if len(rows) != len(texts) or None in checked:
        raise UnavailableError(
            f"the program of the embedder wrote {len(rows)} lines for {len(texts)} texts, or some "
            "that are no lists of numbers",
            hint="one JSON list of numbers for each line that it reads",
        )
    return [row for row in checked if row is not None]


def _rows(form: Any, *, count: int) -> Vectors | None:
    """Return data[i].embedding in the order of `index`, None where the form has them not."""
    try:
        listed = form["data"]
        by_place = {one.get("index", place): one["embedding"] for place, one in enumerate(listed)}
        rows = [_row(by_place[place]) for place in range(count)]
    except (LookupError, TypeError, AttributeError):
        return None
    return None if None in rows else [row for row in rows if row is not None]


def _row(raw: Any) -> list[float] | None:
    """Return a list of finite numbers as they are, None for anything else."""
    if not isinstance(raw, list) or not raw:
        return None
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in raw):
        return None
    try:
        row = [float(one) for one in raw]
    except OverflowError:
        return None
    return row if all(map(isfinite, row)) else None


def _source(model: Model) -> str:
    return "the program of the embedder" if model.command else str(model.base_url)
