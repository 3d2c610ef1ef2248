"""place.json: what a place says of itself, its id and whether its segments are sealed."""

from __future__ import annotations

import json
import os

from tideline_cli.errors import StoreError, UsageError
from tideline_cli.model.record import Record
from tideline_cli.sync import layout
from tideline_cli.sync.segment import FORMAT, is_id

_LARGEST = 1 << 16
_FORMS = ("sealed", "plain")
_STEM, _END = layout.PLACE_FILE.split(".")


class PlaceFile(Record):
    """The id of a place, and whether its segments are sealed.

    Who can write in the place can write this file. So a machine remembers the form of the places
    that it has joined, and takes no sealed one for a plain one later.
    """

    id: str
    is_sealed: bool


def find(folder: str) -> PlaceFile | None:
    """Return what a place says of itself, None where there is no place yet.

    Two machines may make a place at once, and a program that keeps folders equal then keeps both
    files (`place (conflicted copy).json`): of those a sealed one wins, then the smaller id, on each
    machine alike. Raises StoreError for a place.json that cannot be read or is newer.
    """
    copies = [name for name in layout.names(folder)
              if name.startswith(_STEM) and name.endswith("." + _END)]  # fmt: skip
    found = [one for name in copies if (one := _parsed(folder, name)) is not None]
    return min(found, key=lambda one: (not one.is_sealed, one.id), default=None)


def create(folder: str, *, is_sealed: bool) -> PlaceFile:
    """Make a folder a place, and return what the place says of itself: what another machine has
    written, where that was first. Raises UsageError for a folder that holds other files."""
    found = find(folder)
    if found is not None:
        return found
    others = [name for name in layout.names(folder)
              if not name.startswith(".") and name != layout.KEYS and not is_id(name)]  # fmt: skip
    if others:
        raise UsageError(f"{folder} is no place of tideline, and holds other files ({others[0]})",
                         hint="name an empty folder, or one that is not there yet")  # fmt: skip
    made = PlaceFile(os.urandom(16).hex(), is_sealed)
    layout.put(folder, "", layout.PLACE_FILE, written(made))
    return find(folder) or made


def written(place: PlaceFile) -> bytes:
    """Return the content of place.json."""
    form = {"format": FORMAT, "id": place.id, "form": _FORMS[not place.is_sealed]}
    return json.dumps(form).encode("ascii") + b"\n"


def _parsed(folder: str, name: str) -> PlaceFile | None:
    """Return what a file says; None for a copy that cannot be read, and for one that is gone."""
    try:
        form = json.loads(layout.read(folder, "", name, most=_LARGEST))
        if form["format"] > FORMAT:
            raise StoreError(f"{folder} was made by a newer version", hint="pip install --upgrade "
                             "tideline-cli", code="place_newer")  # fmt: skip
        if is_id(form["id"]) and form["form"] in _FORMS:
            return PlaceFile(form["id"], form["form"] == _FORMS[0])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    if name != layout.PLACE_FILE:
        return None
    raise StoreError(
        f"{os.path.join(folder, name)} cannot be read: it is damaged, or not whole yet",
        hint="sync again when it has arrived; else take it back from a backup of the place",
        code="place_damaged",
    )
