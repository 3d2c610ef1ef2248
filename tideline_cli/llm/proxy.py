"""A connection to an endpoint: to the host, or through the proxy that the environment names."""

from __future__ import annotations

import base64
import http.client
import ssl
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from tideline_cli.errors import UnavailableError
from tideline_cli.llm.model_settings import is_loopback


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
