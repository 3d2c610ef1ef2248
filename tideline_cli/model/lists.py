"""Lists as people write them in one text: of tags, of ids."""

from __future__ import annotations


def parted(text: str) -> list[str]:
    """Return the parts of a text that lists some: "home, bike", or "home;bike"."""
    parts = text.split(";" if ";" in text else ",")
    return [part.strip() for part in parts if part.strip()]
