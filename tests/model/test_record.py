"""Records: frozen values with slots, and the parts that they share."""

import pytest

from tideline_cli.model.record import Record, as_dict, record, replace


class Named(Record, part=True):
    """A part with a default and a method."""

    name: str
    size: int = 3

    def shown(self):
        """Return the name in capitals."""
        return self.name.upper()


class Placed(Named, part=True):
    """A part of a part."""

    place: str


class Dated(Record, part=True):
    """Another part."""

    at: int


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


@record
class Decorated:
    """What `@record` makes a record of."""

    name: str
    size: int = 3

    def shown(self):
        """Return the name in capitals."""
        return self.name.upper()


class Based(Record):
    """What is a record by its base."""

    name: str
    size: int = 3

    def shown(self):
        """Return the name in capitals."""
        return self.name.upper()


@pytest.mark.parametrize("made", [Decorated, Based])
def test_both_ways_make_the_same(made):
    """The decorator and the base make classes that do the same."""
    thing = made("a")
    assert (thing.name, thing.size, thing.shown()) == ("a", 3, "A")
    assert thing == made("a", 3) == replace(made("b", size=3), name="a") != made("a", 4)
    assert hash(thing) == hash(made("a", 3))
    assert repr(thing) == f"{made.__name__}(name='a', size=3)"
    assert made.__slots__ == made.__match_args__ == ("name", "size")
    assert not hasattr(thing, "__dict__")
    for name in ("name", "other"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(thing, name, "x")
        with pytest.raises(AttributeError, match="frozen"):
            delattr(thing, name)
    for values, named in ((("a", 1, 2), {}), ((), {}), (("a",), {"x": 1}), (("a",), {"name": 1})):
        with pytest.raises(TypeError):
            made(*values, **named)


def test_equal_fields_of_two_kinds_are_not_equal():
    """Records of two classes differ, whatever they hold."""
    assert Decorated("a") != Based("a")
    assert len({Decorated("a"), Based("a"), Based("a", 3)}) == 2


def test_a_record_is_made_once():
    """The decorator on a class whose base is a record would lose the fields of the base."""
    with pytest.raises(TypeError, match="already"):
        record(type("Beside", (Record,), {"__annotations__": {"name": "str"}}))
