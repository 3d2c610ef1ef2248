"""One request to an OpenAI-compatible endpoint, for words or vectors, within one deadline."""

from __future__ import annotations

import base64
import http.client
import json
import re
import ssl
from email.utils import parsedate_to_datetime
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, sleep, time
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from tideline_cli.errors import TooLongError, UnavailableError
from tideline_cli.llm import prompts
from tideline_cli.llm.model_settings import LARGEST_REPLY, excerpt, is_loopback
from tideline_cli.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from email.message import Message
    from socket import socket
    from typing import Any

    from tideline_cli.llm.model_settings import Model

PAUSES = (0.5, 2.0)  # seconds before the second and the third try
LONGEST_PAUSE = 10.0  # seconds; a server that asks for more is asked again after these
_SECONDS = re.compile(r"[0-9]{1,8}(?:\.[0-9]{0,9})?")
_TEXTS = (None, "text", "output_text")  # parts of a content that are the answer, not its reasons
_BOTH_WAYS = 2  # socket.SHUT_RDWR
_ROOM = "let the server hold more (num_ctx, --ctx-size), or set the setting window lower"
_SIZES = re.compile(r"token|length|size|window", re.I)
_AUTHORITY = "set TIDELINE_API_KEY, or name a file with the key"
_ADDRESS = "is the model server running, and is the base URL its address?"


@record
class _Outcome:
    """What came of one try: a value, or the trouble and whether it may pass."""

    value: Any = None
    trouble: str = ""
    hint: str = ""
    may_pass: bool = False
    pause: float | None = None  # what the server asks for
    error: type[UnavailableError] = UnavailableError


class RefusedError(UnavailableError):
    """A server that does not take the form of a request."""


@record
class EndpointRequest:
    """What is asked: where below the base URL, with which body, and how the answer is read: `read`
    returns None for a form that holds no `wanted`. `largest`: bytes of the answer at most."""

    path: str
    body: bytes
    read: Callable[[Any], Any]
    wanted: str
    largest: int = LARGEST_REPLY


def ask(model: Model, prompt: str, *, system: str | None) -> str:
    """Return the reply of a checked model; raises UnavailableError."""
    wished = _limits(model, prompts.SCHEMAS.get(system or ""))
    try:
        said, why = asked(model, _chat(model, prompt, system, wished))
    except RefusedError:  # it does not know these wishes
        said, why = asked(model, _chat(model, prompt, system, {}))
    if why == "length":
        raise UnavailableError(
            f"the reply of {model.base_url} was cut off",
            hint=f"it may have {model.reply_tokens:,} tokens (reply_tokens), and the server's own "
            "limit holds too; a model that repeats itself is too small",
            code="cut_off",
        )
    return str(said)


def _chat(
    model: Model, prompt: str, system: str | None, wished: dict[str, Any]
) -> EndpointRequest:
    body = _body(model, prompt, system, wished)
    return EndpointRequest("/chat/completions", body, _first_choice, "a text")


def _limits(model: Model, schema: dict[str, Any] | None) -> dict[str, Any]:
    """Return what is wished of a reply beside what every server knows."""
    wished: dict[str, Any] = {"max_tokens": model.reply_tokens}
    if schema is not None:
        named = {"name": "reply", "schema": schema}
        wished["response_format"] = {"type": "json_schema", "json_schema": named}
    return wished


def asked(model: Model, request: EndpointRequest) -> Any:
    """Return what a checked model answers to a request; raises UnavailableError."""
    deadline = monotonic() + model.timeout
    for pause in (*PAUSES, None):
        outcome = _bounded(model, request, deadline)
        if outcome.value is not None:
            return outcome.value
        if pause is None or not outcome.may_pass:
            break
        wait = pause if outcome.pause is None else min(outcome.pause, LONGEST_PAUSE)
        if monotonic() + wait >= deadline:
            break
        sleep(wait)
    raise outcome.error(f"{model.base_url} {outcome.trouble}", hint=outcome.hint)


def _body(model: Model, prompt: str, system: str | None, wished: dict[str, Any]) -> bytes:
    messages = [{"role": "user", "content": prompt}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": system})
    form = {"model": model.name, "messages": messages, "temperature": 0, "stream": False}
    return json.dumps(form | wished).encode()


def _bounded(model: Model, request: EndpointRequest, deadline: float) -> _Outcome:
    """Return the outcome of one try, or at the deadline that there is none.

    The try runs in a thread, because name resolution knows no timeout and a server that sends
    a byte now and then outlasts that of a socket. No exception leaves the thread: its frames
    hold the key.
    """
    call = _Call(model, request, deadline)
    call.start()
    try:
        return call.outcome.get(timeout=max(0.0, deadline - monotonic()))
    except Empty:
        return _late(model)
    finally:
        call.abandon()


def _late(model: Model) -> _Outcome:
    trouble = f"gave no answer within {model.timeout:g} s"
    return _Outcome(trouble=trouble, hint="allow a longer timeout, or ask a faster model")


class _Call(Thread):
    """One request under way; `abandon` ends it whatever it waits for."""

    def __init__(self, model: Model, request: EndpointRequest, deadline: float) -> None:
        super().__init__(daemon=True)
        self.outcome: SimpleQueue[_Outcome] = SimpleQueue()
        self._model = model
        self._request = request
        self._connection = connection_to(urlsplit(model.base_url or ""), deadline - monotonic())
        self._socket: socket | None = None

    def run(self) -> None:
        outcome = _Outcome(trouble="could not be asked")
        try:
            outcome = self._answer()
        except ConnectionRefusedError:
            outcome = _Outcome(trouble="refuses the connection", hint=_ADDRESS)
        except ConnectionError:
            outcome = _Outcome(trouble="closed the connection", hint=_ADDRESS, may_pass=True)
        except TimeoutError:
            outcome = _late(self._model)
        except ssl.SSLError as error:
            trouble = f"offers no safe connection: {self._line(error.reason or str(error))}"
            outcome = _Outcome(trouble=trouble, hint="its certificate must be valid for its name")
        except http.client.IncompleteRead:
            outcome = _Outcome(trouble="cut its reply short")
        except (http.client.HTTPException, UnicodeError) as error:
            outcome = _Outcome(trouble=f"does not speak HTTP ({type(error).__name__})")
        except OSError as error:
            reason = self._line(error.strerror or str(error))
            outcome = _Outcome(trouble=f"cannot be reached: {reason}", hint=_ADDRESS)
        finally:
            self._connection.close()
            self.outcome.put(outcome)

    def abandon(self) -> None:
        """Wake the thread from whatever it reads or writes."""
        under_way: socket | None = self._socket or self._connection.sock
        if self.is_alive() and under_way is not None:
            try:
                under_way.shutdown(_BOTH_WAYS)
            except OSError:
                return

    def _answer(self) -> _Outcome:
        self._connection.connect()
        self._socket = self._connection.sock
        path = urlsplit(f"{self._model.base_url}{self._request.path}").path
        self._connection.request("POST", path, self._request.body, _headers(self._model))
        largest = self._request.largest
        with self._connection.getresponse() as response:
            raw = response.read(largest + 1)
            if len(raw) > largest:
                return _Outcome(trouble=f"replied more than {largest >> 10} KiB")
            if response.length:
                return _Outcome(trouble="cut its reply short")
            if 200 <= response.status < 300:
                return self._content(raw)
            pause = _asked_pause(response.headers)
            return self._refusal(response.status, raw, pause)

    def _content(self, raw: bytes) -> _Outcome:
        if not raw.strip():
            return _Outcome(trouble="replied with nothing")
        try:
            form = json.loads(raw.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return _Outcome(trouble="replied something other than UTF-8")
        except (ValueError, RecursionError):
            return _Outcome(trouble=f"replied something other than JSON: {self._said(raw)}")
        content = self._request.read(form)
        if content is None:
            return _Outcome(trouble=f"replied without {self._request.wanted}: {self._said(raw)}")
        return _Outcome(value=content)

    def _refusal(self, status: int, raw: bytes, pause: float | None) -> _Outcome:
        if 300 <= status < 400:
            trouble = f"redirects elsewhere ({status}), which is not followed"
            return _Outcome(trouble=trouble, hint="give the final address as the base URL")
        trouble = f"answered {status}: {self._said(raw)}".removesuffix(": ")
        if status < 500 and "context" in trouble and _SIZES.search(trouble):
            return _Outcome(trouble=trouble, hint=_ROOM, error=TooLongError)
        return _Outcome(
            trouble=trouble, hint=_advice(status), may_pass=_may_pass(status), pause=pause,
            error=RefusedError if status in (400, 415, 422, 501) else UnavailableError,
        )  # fmt: skip

    def _said(self, raw: bytes) -> str:
        """Return the server's own message, or the beginning of what it sent."""
        try:
            form = json.loads(raw.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            form = None
        error = form.get("error") if isinstance(form, dict) else None
        message = error.get("message") if isinstance(error, dict) else error
        return self._line(message if isinstance(message, str) else raw.decode("utf-8", "replace"))

    def _line(self, text: str) -> str:
        return excerpt(text, self._model.key)


def _asked_pause(headers: Message) -> float | None:
    """Return the seconds that a server asks to wait: a number, or a time by its own clock."""
    asked = headers.get("Retry-After", "").strip()
    if _SECONDS.fullmatch(asked):
        return float(asked)
    until = _stamp(asked)
    now = _stamp(headers.get("Date", "")) or time()
    return None if until is None else max(0.0, until - now)


def _stamp(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() if date else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _may_pass(status: int) -> bool:
    """Say whether an answer is worth asking again: late, too many, or trouble of the server's."""
    return status in (408, 425, 429) or status >= 500


def _first_choice(form: Any) -> tuple[str, Any] | None:
    """Return what choices[0].message says, and why it ends there."""
    try:
        choice = form["choices"][0]
        content = _content(choice["message"]["content"])
        return None if content is None else (content, choice.get("finish_reason"))
    except (LookupError, TypeError, AttributeError):
        return None


def _content(content: Any) -> str | None:
    """Return a content: a text, or the texts of its parts."""
    if isinstance(content, list):
        parts = [
            part.get("text") if isinstance(part, dict) else part
            for part in content
            if not isinstance(part, dict) or part.get("type") in _TEXTS
        ]
        texts = [part for part in parts if isinstance(part, str)]
        return "".join(texts) if texts else None
    return content if isinstance(content, str) else None


def _headers(model: Model) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Connection": "close"}
    return headers if model.key is None else headers | {"Authorization": f"Bearer {model.key}"}


def _advice(status: int) -> str:
    if status in (401, 403):
        return _AUTHORITY
    if status == 404:
        return "is the model's name right, and does the base URL end in /v1?"
    return "try again later" if _may_pass(status) else ""


def connection_to(url: SplitResult, timeout: float) -> http.client.HTTPConnection:
    """Return a connection not yet opened: to the host, or through the environment's proxy.

    This machine is never asked through a proxy; plain HTTP is for this machine alone.
    """
    host = url.hostname or ""
    timeout = max(0.001, timeout)
    if url.scheme == "http":
        return http.client.HTTPConnection(host, url.port, timeout=timeout)
    context = ssl.create_default_context()
    proxy = None if is_loopback(host) else _proxy(url.netloc)
    if proxy is None:
        return http.client.HTTPSConnection(host, url.port, timeout=timeout, context=context)
    connection = http.client.HTTPSConnection(
        proxy.hostname or "", proxy.port or 80, timeout=timeout, context=context
    )
    connection.set_tunnel(host, url.port or 443, _credentials(proxy))
    return connection


def _proxy(netloc: str) -> SplitResult | None:
    named = getproxies().get("https", "")
    if not named or proxy_bypass(netloc):
        return None
    try:
        proxy = urlsplit(named if "://" in named else f"http://{named}")
        if proxy.scheme == "http" and proxy.hostname and proxy.port != 0:
            return proxy
    except ValueError:
        pass
    raise UnavailableError("the proxy in HTTPS_PROXY is not http://HOST:PORT")


def _credentials(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair).decode()}
