"""tideline serve."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import webbrowser
from contextlib import contextmanager
from threading import Lock

from tideline_cli import config
from tideline_cli.cli import output
from tideline_cli.cli.commands import options_of
from tideline_cli.cli.options import SHOW_SECRETS, Argument, OptionSet, count, flag
from tideline_cli.cli.perform import perform
from tideline_cli.cli.session import Session
from tideline_cli.errors import UsageError
from tideline_cli.model import codec, instant, time_words
from tideline_cli.serve.http.answers import Printed
from tideline_cli.serve.http.server import HttpServer, KeyFile
from tideline_cli.serve.page.site import Site
from tideline_cli.serve.unforeseen import ErrorTeller
from tideline_cli.system import processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from tideline_cli.cli.options import Option

_PORT = 7474
_IN_USE = (98, 48)  # EADDRINUSE of Linux and of macOS
_BITS = 32  # bytes of a token
HELP = """Serve the memory to a browser and to programs, on this machine alone.

Prints the address that lets a browser in, and answers until Ctrl-C. Pages and the API only read,
and count no use. Only 127.0.0.1 is listened on; a request needs the token of this server, and no
page of another site gets an answer. Programs find address and token in a private file of the state
folder, `serve-PORT.json`, and send `Authorization: Bearer TOKEN`.

A password, key or card number in a fact stands on the page; programs get `[secret]` in its place,
unless the server is started with --show-secrets.

The settings of the folder that you stand in do not count here."""
EXAMPLES = (("", "--open"), ("", "--port 0"))
ARGUMENTS: tuple[Argument, ...] = ()


class Options(OptionSet):
    """The options of a call."""

    port = count(
        f"The port; 0 takes any that is free [default: {_PORT}].", default=_PORT, most=65_535
    )
    open = flag("Open the page in a browser.")
    show_secrets = SHOW_SECRETS


def run(session: Session, _: list[str], options: Options) -> int:
    """Serve until the user stops it."""
    path, origin = session.database, session.viewer.key
    keys = KeyFile(os.path.abspath(config.state_folder(os.environ)))
    if home := os.environ.get("TIDELINE_HOME"):
        os.environ["TIDELINE_HOME"] = os.path.abspath(home)
    os.chdir("/")  # no project's settings count
    ask = InProcess(db=path, origin=origin)
    site = Site(ask, origin=origin, ago=time_words.ago, local=instant.local, now=instant.now_ms)
    token, cookie = os.urandom(_BITS).hex(), os.urandom(_BITS).hex()
    try:
        server = HttpServer(options.port, ask, site, token=token, session=cookie,
                            tell=ErrorTeller(sys.stderr), show_secrets=options.show_secrets,
        )  # fmt: skip
    except OSError as error:
        if error.errno in _IN_USE:
            raise UsageError(
                f"port {options.port} is taken", hint="name another with --port; 0 takes any"
            ) from error
        raise
    session.close()
    for number in processes.ENDINGS:
        signal.signal(number, signal.default_int_handler)  # as Ctrl-C: the key file goes
    with server:
        keys.put(server.server_port, codec.dumps(
            {"url": server.url, "token": token, "database": path, "origin": origin,
             "pid": os.getpid()}
        ))  # fmt: skip
        try:
            _tell(session, server, keys.path)
            if options.open:
                webbrowser.open(server.door)
            server.serve_forever()
        except KeyboardInterrupt:
            session.note("stopped")
        finally:
            keys.remove()
    return 0


def _tell(session: Session, server: HttpServer, path: str | None) -> None:
    if session.json:
        output.emit_json({"url": server.door, "key_file": path})
    else:
        sys.stdout.write(server.door + "\n")
    output.deliver()
    session.note("open this address; Ctrl-C ends it")


_YES, _NO = ("", "1", "true", "yes", "on"), ("0", "false", "no", "off")
_USAGE = 2
_ONE_AT_A_TIME = Lock()


class InProcess:
    """Runs commands with the same global options. They print into memory: standard streams belong
    to the whole process, so one waits for the other."""

    def __init__(self, *, db: str, origin: str) -> None:
        self._beside = {"db": db, "origin": origin, "json": True, "no_input": True}

    def __call__(self, name: str, words: list[str], options: Mapping[str, Any]) -> Printed:
        given: dict[str, Any] = {}
        for option in options_of(name):
            if option.name in options:
                try:
                    given[option.name] = _given(option, options[option.name])
                except ValueError as error:
                    return _refused(str(error))
        if self._beside.keys() & given.keys():
            return _refused("not an option of a request")
        given = {key: value for key, value in given.items() if value is not None}
        with _ONE_AT_A_TIME, _captured() as (out, err):
            code = perform(name, {"words": words, **given, **self._beside}, lambda _: None)
        return Printed(code, _text(out), tuple(_objects(_text(err))))


def _given(option: Option, value: Any) -> Any:
    """Return what a parser would give for an option: a flag, or its texts."""
    if value is True:
        return True
    texts = list(value)
    if option.kind == "flag":
        if texts[-1].lower() not in (*_YES, *_NO):
            raise ValueError(f"{option.name} is true or false")
        return True if texts[-1].lower() in _YES else None
    if option.many:
        return texts
    if len(texts) > 1:
        raise ValueError(f"{option.name} stands there more than once")
    return texts[0]


def _refused(message: str) -> Printed:
    error = {"code": "usage", "message": message, "hint": ""}
    return Printed(_USAGE, "", ({"error": error},))


@contextmanager
def _captured() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Let the standard streams be memory, in UTF-8, and standard input empty."""
    kept = sys.stdin, sys.stdout, sys.stderr
    out, err = _stream(), _stream()
    sys.stdin, sys.stdout, sys.stderr = _stream(), out, err
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="\n")


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that a command has told on stderr, one a line."""
    for line in text.rstrip("\n").split("\n") if text else ():
        try:
            form = json.loads(line)
        except ValueError:
            form = None
        yield form if isinstance(form, dict) else {"note": {"message": line}}
