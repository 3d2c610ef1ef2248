"""Who may ask: the name in `Host`, the page that asks, and the token."""

from __future__ import annotations

from hmac import compare_digest

from tideline_cli.serve.http.answers import HttpReply, failed_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from email.message import Message

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
_OWN_SITES = ("same-origin", "none")
_BEARER = "bearer "


class Guard:
    """The checks of one server. `token` is what a program shows, `session` what a browser does
    after it has shown the token once."""

    def __init__(self, port: int, token: str, session: str) -> None:
        self._hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())
        self._sites = {f"http://{host}" for host in self._hosts}
        self._token = token
        self._session = session
        # Cookies know no ports: another server on this machine keeps its own name.
        self.cookie = f"tideline_{port}"

    def refusal(self, headers: Message) -> HttpReply | None:
        """Return why a request is not ours to answer, whoever asks; None where it is.

        A page of another site can make a browser ask, also by a name that it lets point here.
        """
        hosts = headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].strip().lower() not in self._hosts:
            return failed_reply(421, "misdirected", "no such host here", "ask 127.0.0.1")
        origins = headers.get_all("Origin") or []
        if any(origin.lower() not in self._sites for origin in origins):
            return failed_reply(403, "foreign_origin", "another site asks")
        sites = headers.get_all("Sec-Fetch-Site") or []
        if any(site.strip().lower() not in _OWN_SITES for site in sites):
            return failed_reply(403, "foreign_site", "another site asks")
        return None

    def is_token(self, text: str) -> bool:
        """Say whether a text is the token."""
        return compare_digest(text.encode("utf-8", "replace"), self._token.encode())

    def knows(self, headers: Message) -> bool:
        """Say whether a request shows the token, or the cookie that stands for it."""
        shown = headers.get("Authorization") or ""
        kind, text = shown[: len(_BEARER)], shown[len(_BEARER) :]
        if kind.lower() == _BEARER and self.is_token(text.strip()):
            return True
        return any(
            compare_digest(value.encode("utf-8", "replace"), self._session.encode())
            for name, value in _cookies(headers)
            if name == self.cookie
        )

    def welcome(self) -> str:
        """Return the header that gives a browser its cookie."""
        return f"{self.cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"


def _cookies(headers: Message) -> list[tuple[str, str]]:
    """Return the names and values of the cookies of a request."""
    parts = [part for line in headers.get_all("Cookie") or [] for part in line.split(";")]
    pairs = (part.strip().partition("=") for part in parts)
    return [(name, value) for name, _, value in pairs]
