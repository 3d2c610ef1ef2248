"""Frozen, slotted value classes, declared like dataclasses.

The standard library's `dataclasses` imports `inspect` and `re`: 12 ms of every cold start.
These classes are made from the annotations alone; type checkers see frozen dataclasses.

A record is a class with `Record` as its base, or one that `@record` decorates. The base makes one
class; the decorator makes a second of the first, 85,000 instructions (a recall has 30 records), so
modules that a cold start loads have the base. What is made has the methods of `Record` as its own
and no base, which would take another 14,000.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_: object):
        return lambda decorator: decorator


@dataclass_transform(frozen_default=True, kw_only_default=False)
class Kind(type):
    """The kind of all records: it gives a class its slots and its `__init__`, over its annotated
    fields and those of the parts that it names as bases.

    A `part` is a base of records, which have its fields before their own. It has no values of its
    own: of classes with slots only one can be a base.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], body: dict[str, Any], *, part: bool = False
    ) -> Any:
        if part:
            return type.__new__(cls, name, bases, _METHODS | body | {"__slots__": ()})
        if bases == (Record,):
            declared, bases = body, ()
        else:
            declared = _with_parts(bases, body)
        fields = tuple(declared.get("__annotations__") or _late(declared))
        defaults = {field: declared[field] for field in fields if field in declared}
        for field in defaults:
            body.pop(field, None)
        setters: list[Any] = []
        body["__slots__"] = body["__match_args__"] = body["__fields__"] = fields
        body["__init__"] = _initialiser(name, fields, defaults, setters)
        made = type.__new__(cls, name, bases, _METHODS | body)
        slots = made.__dict__
        setters += [slots[field].__set__ for field in fields]
        return made


def _late(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return the annotations of a class that Python 3.14 keeps as a function: of a module that does
    not ask for them as texts."""
    function = namespace.get("__annotate_func__")
    if function is None:
        return {}
    from annotationlib import Format, call_annotate_function  # type: ignore[import-not-found]  # noqa: PLC0415  none of ours needs it

    return dict(call_annotate_function(function, Format.STRING))


def _with_parts(bases: tuple[type, ...], body: dict[str, Any]) -> dict[str, Any]:
    """Return the annotations of a class and of its parts, and the defaults of both."""
    annotations: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    parts = [one.__dict__ for base in reversed(bases) for one in reversed(base.__mro__)]
    for namespace in (*parts, body):
        own = namespace.get("__annotations__") or _late(namespace)
        annotations |= own
        defaults |= {name: namespace[name] for name in own if name in namespace}
    return defaults | {"__annotations__": annotations}


def _initialiser(
    name: str, fields: tuple[str, ...], defaults: dict[str, Any], setters: list[Any]
) -> Any:
    """Return `__init__`; `setters`, one a field, are there once the class is made."""
    count = len(fields)
    rests: dict[int, list[tuple[Any, Any]]] = {}  # of the fields after so many, the defaults

    def __init__(self: object, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        given = len(args)
        if given > count:
            raise TypeError(f"{name} takes {count} values, {given} given")
        for setter, value in zip(setters, args, strict=False):
            setter(self, value)
        if not kwargs:
            if given == count:
                return
            if given in rests:
                for setter, value in rests[given]:
                    setter(self, value)
                return
            if all(field in defaults for field in fields[given:]):
                rests[given] = [
                    (setter, defaults[field])
                    for field, setter in zip(fields[given:], setters[given:], strict=True)
                ]
        for field, setter in zip(fields[given:], setters[given:], strict=True):
            if field in kwargs:
                setter(self, kwargs.pop(field))
            elif field in defaults:
                setter(self, defaults[field])
            else:
                raise TypeError(f"{name} needs a value for {field!r}")
        if kwargs:
            raise TypeError(f"{name} has no field {next(iter(kwargs))!r}")

    return __init__


def _refuse(self: object, name: str, *_: object) -> None:
    raise AttributeError(f"{type(self).__name__} is frozen; {name!r} cannot change")


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, name) for name in value.__fields__)


def _equal(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash((type(self), _values(self)))


def _repr(self: Any) -> str:
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__fields__)
    return f"{type(self).__name__}({inside})"


_METHODS = {
    "__setattr__": _refuse, "__delattr__": _refuse, "__eq__": _equal, "__hash__": _hash,
    "__repr__": _repr,
}  # fmt: skip


class Record(metaclass=Kind, part=True):
    """The base of records: frozen, equal by their fields, told by them."""


@dataclass_transform(frozen_default=True, kw_only_default=False)
def record(cls: type[T]) -> type[T]:
    """Return `cls` made again as a record; raise TypeError where its bases have made it one."""
    if isinstance(cls, Kind):
        raise TypeError(f"{cls.__name__} is a record already, by its base")
    body = {
        key: value
        for key, value in cls.__dict__.items()
        if key not in ("__dict__", "__weakref__")
    }  # fmt: skip
    made: Any = Kind(cls.__name__, (Record,), body)
    return made  # type: ignore[no-any-return]


def replace(value: T, **changes: Any) -> T:
    """Return a copy of the record `value` with the named fields changed."""
    fields: tuple[str, ...] = value.__fields__  # type: ignore[attr-defined]
    state = {name: getattr(value, name) for name in fields}
    return type(value)(**(state | changes))


def as_dict(value: object) -> dict[str, Any]:
    """Return the fields of a record in their declared order."""
    fields: tuple[str, ...] = value.__fields__  # type: ignore[attr-defined]
    return {name: getattr(value, name) for name in fields}
