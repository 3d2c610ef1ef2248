"""The page of changes: commands in order, with what each did and its undo."""

from __future__ import annotations

from tideline_cli.serve.page.frame import (
    fact_path,
    how_many,
    no_items,
    start_of,
    with_parameters,
)
from tideline_cli.serve.page.markup import Markup, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tideline_cli.serve.page.frame import PageTimes
    from tideline_cli.serve.page.markup import Content

USUAL = 30


def body(answer: Mapping[str, Any], times: PageTimes, limit: int) -> list[Content]:
    """Return the commands that can be undone, newest first."""
    if not answer["batches"]:
        return [no_items("Nothing has been changed yet.", 'tideline remember "…"')]
    more: Content = None
    if answer["truncated"]:
        path = with_parameters("/changes", {"limit": limit * 2})
        more = element("p", element("a", "Further back", href=path), class_="pages")
    return [
        element("p", "What was refused or taken back stands in ",
                element("code", "tideline history"), ".", class_="summary"),
        element("ol", [_batch(one, times) for one in answer["batches"]], class_="changes"),
        more,
    ]  # fmt: skip


def said_of(change: Mapping[str, Any]) -> str:
    """Return in words what a change did to a fact, and to which of its labels."""
    what, act = change["entity"], change["act"] or "nothing"
    before, after = change["before"], change["after"]
    if what == "link":
        edge = after or before or {}
        return f"link {act}" + (f": {edge['kind'].replace('_', ' ')}" if edge.get("kind") else "")
    if what == "usage":
        return f"use {act}"
    if act == "changed" and before and after:
        names = [name for name in after if name in before and after[name] != before[name]]
        return "changed: " + ", ".join(name.replace("_", " ") for name in names)
    return str(act)


def _batch(one: Mapping[str, Any], times: PageTimes) -> Markup:
    counts = [
        f"{how_many(count, noun)} {act}"
        for noun, group in (("fact", one["facts"]), ("link", one["links"]))
        for act, count in group.items() if count
    ]  # fmt: skip
    undo = "cannot be undone" if one["final"] else f"tideline undo {one['batch']}"
    about = None
    if one["content"]:
        text = start_of(one["content"], 160)
        about = element("a", text, href=fact_path(one["id"]), class_="text")
    return element(
        "li",
        element("p", element("b", one["verb"]), " ", times.told(one["at"]), " ",
                element("span" if one["final"] else "code", undo), class_="under"),
        element("p", about) if about else None,
        element("p", ", ".join(counts), class_="summary"),
    )  # fmt: skip
