"""Frozen, slotted value classes, declared like dataclasses.

The standard library's `dataclasses` imports `inspect` and `re`: 12 ms of every cold start.
This decorator makes the same kind of class from the annotations alone; type checkers see a
frozen dataclass.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_: object):
        return lambda decorator: decorator


_MISSING = object()


@dataclass_transform(frozen_default=True, kw_only_default=False)
def record(cls: type[T]) -> type[T]:
    """Return `cls` rebuilt with slots, `__init__`, equality and repr over its annotated fields, and
    over those of the parts that it names as bases."""
    declared: dict[str, Any] = dict(cls.__dict__)
    if cls.__bases__ != (object,):
        declared |= _with_parts(cls)
    fields = tuple(declared.get("__annotations__", {}))
    defaults = {name: declared[name] for name in fields if name in declared}
    body: dict[str, Any] = {
        key: value
        for key, value in cls.__dict__.items()
        if key not in defaults and key not in ("__dict__", "__weakref__")
    }
    body |= {
        "__slots__": fields,
        "__match_args__": fields,
        "__fields__": fields,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__eq__": _equal,
        "__hash__": _hash,
        "__repr__": _repr,
    }
    kind: Any = type(cls)
    made: type[T] = kind(cls.__name__, cls.__bases__, body)
    made.__init__ = _initialiser(made, fields, defaults)  # type: ignore[method-assign]
    return made


@dataclass_transform(frozen_default=True, kw_only_default=False)
def record_part(cls: type[T]) -> type[T]:
    """Return `cls` as a base of records, which have its fields before their own. It has no values
    of its own: of classes with slots only one can be a base."""
    body = {key: value for key, value in cls.__dict__.items() if not key.endswith("dict__")}
    kind: Any = type(cls)
    made: type[T] = kind(cls.__name__, cls.__bases__, body | {"__slots__": ()})
    return made


def _with_parts(cls: type) -> dict[str, Any]:
    """Return the annotations of a class and of its parts, and the defaults of both."""
    annotations: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for one in cls.__mro__[-2::-1]:
        own = one.__dict__.get("__annotations__", {})
        annotations |= own
        defaults |= {name: one.__dict__[name] for name in own if name in one.__dict__}
    return defaults | {"__annotations__": annotations}


def replace(value: T, **changes: Any) -> T:
    """Return a copy of the record `value` with the named fields changed."""
    fields: tuple[str, ...] = value.__fields__  # type: ignore[attr-defined]
    state = {name: getattr(value, name) for name in fields}
    return type(value)(**(state | changes))


def as_dict(value: object) -> dict[str, Any]:
    """Return the fields of a record in their declared order."""
    fields: tuple[str, ...] = value.__fields__  # type: ignore[attr-defined]
    return {name: getattr(value, name) for name in fields}


def _initialiser(made: type, fields: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    name = made.__name__
    setters = [made.__dict__[field].__set__ for field in fields]  # a third faster than by name
    slots = tuple(zip(fields, setters, strict=True))
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
                rests[given] = [(setter, defaults[field]) for field, setter in slots[given:]]
        for field, setter in slots[given:]:
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
