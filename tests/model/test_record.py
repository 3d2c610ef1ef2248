"""Records: frozen values with slots, and the parts that they share."""

import pytest

from tideline_cli.model.record import as_dict, record, record_part, replace


@record_part
class Named:
    """A part with a default and a method."""

    name: str
    size: int = 3

    def shown(self):
        """Return the name in capitals."""
        return self.name.upper()


@record_part
class Placed(Named):
    """A part of a part."""

    place: str


@record_part
class Dated:
    """Another part."""

    at: int


@record
class Thing(Placed, Dated):
    """A record of two parts with a field of its own."""

    own: str


def test_a_record_has_the_fields_of_its_parts():
    """Fields of the parts come first; defaults and methods of the parts count."""
    thing = Thing(name="a", place="b", at=1, own="c")
    assert as_dict(thing) == {"at": 1, "name": "a", "size": 3, "place": "b", "own": "c"}
    assert thing.shown() == "A"
    assert isinstance(thing, Named)
    assert replace(thing, at=2) == Thing(name="a", place="b", at=2, own="c") != thing


def test_a_record_with_parts_is_frozen_and_has_slots():
    """No field changes, no other is added, and there is no dict."""
    thing = Thing(name="a", place="b", at=1, own="c")
    for name in ("name", "own", "other"):
        with pytest.raises(AttributeError):
            setattr(thing, name, "x")
    assert not hasattr(thing, "__dict__")


def test_a_record_with_parts_needs_what_has_no_default():
    """What a part declares without a default has to be given."""
    with pytest.raises(TypeError, match="at"):
        Thing(name="a", place="b", own="c")
