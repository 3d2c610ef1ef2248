"""HTML made of elements: text is escaped unless it is markup already."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    Content: TypeAlias = str | int | Iterable["Content"] | None

_VOID = frozenset(("input", "meta", "link", "br", "hr", "path", "line", "circle", "rect"))


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *content: Content, **attributes: str | float | bool | None) -> Markup:
    """Return an element. An attribute's trailing underscore falls off, other ones are dashes; one
    that is None or False is left out, one that is True has no value."""
    said = "".join(
        f" {_name(name)}" + ("" if value is True else f'="{_quoted(str(value))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    if tag in _VOID:
        return Markup(f"<{tag}{said}>" if tag in ("input", "meta", "link", "br", "hr")
                      else f"<{tag}{said}/>")  # fmt: skip
    return Markup(f"<{tag}{said}>{html_of(content)}</{tag}>")


def html_of(content: Content) -> Markup:
    """Return content as one piece of HTML."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, (str, int)):
        return Markup(escape(_visible(str(content)), quote=False))
    return Markup("".join(map(html_of, content)))


def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-") if name != "viewBox" else name


def _quoted(text: str) -> str:
    """Return the value of an attribute; what cannot be seen stands there as its number."""
    told = escape(text)
    if told.isprintable():
        return told
    return "".join(char if char.isprintable() else f"&#{ord(char)};" for char in told)


def _visible(text: str) -> str:
    """Return a text with what cannot be seen spelled out, as on a terminal."""
    if text.isprintable():
        return text
    from tideline_cli.policy.render import screen_text  # noqa: PLC0415  odd letters alone

    return "\n".join(map(screen_text, text.split("\n")))
