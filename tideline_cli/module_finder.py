"""Modules of ours found by their path alone: one look at the file, one read of its compiled code.

Python asks three finders for each module, lists folders, looks at a file four times and reads its
code through a stream: 270,000 instructions and fifteen system calls, where this takes half of
both. What is not plain (a zip file, a library of C, code of another version or older than its
source) is left to Python's own finders and loader.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib_external import (  # type: ignore[attr-defined]
    MAGIC_NUMBER,
    SourceFileLoader,
    _compile_bytecode,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

_Spec: type[ModuleSpec] = type(__spec__)  # of importlib, which would load warnings
_OURS = __name__.rpartition(".")[0] + "."
_HEAD = 16  # bytes: the magic number, flags, the time and the size of the source
_PLAIN = MAGIC_NUMBER + bytes(4)  # no flags: valid while time and size are those of the source
_MOST = 1 << 16  # bytes of compiled code that are read at once
_32_BITS = 0xFFFFFFFF
_Module = type(sys)


class _Loader(SourceFileLoader):
    """The usual loader, which reads current compiled code at once."""

    def __init__(self, name: str, path: str, cached: str, head: bytes) -> None:
        self.name, self.path = name, path  # as the loader above has them
        self._cached = cached
        self._head = head

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the empty module of a name. It says where its code is: Python would look for that
        in vain before it says so, and each time make the text of an error."""
        module = _Module(spec.name)
        module.__dict__.update(__file__=self.path, __cached__=self._cached)
        return module

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module; where the compiled one is not current, as Python does."""
        try:
            data = _beginning(self._cached)
        except OSError:
            return super().get_code(fullname)
        if len(data) == _MOST or data[:_HEAD] != self._head:
            return super().get_code(fullname)
        body = memoryview(data)[_HEAD:]
        code: CodeType = _compile_bytecode(body, fullname, self._cached, self.path)
        return code


def _beginning(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, _MOST)
    finally:
        os.close(file)


class _Finder:
    """A finder for `sys.meta_path`. Compiled code is in files that end with `ending`."""

    def __init__(self, ending: str) -> None:
        self._ending = ending

    def find_spec(self, name: str, path: Sequence[str] | None = None, *_: object) -> Any:
        """Return where a module or a package of ours is; None for those of others."""
        if not name.startswith(_OURS) or not path:
            return None
        folder, last = path[0], name.rpartition(".")[2]
        return self._spec(name, folder, last) or self._spec(
            name, f"{folder}/{last}", "__init__", is_package=True
        )

    def _spec(
        self, name: str, folder: str, last: str, *, is_package: bool = False
    ) -> ModuleSpec | None:
        source = f"{folder}/{last}.py"
        try:
            found = os.stat(source)
        except OSError:
            return None
        time, size = int(found.st_mtime) & _32_BITS, found.st_size & _32_BITS
        head = _PLAIN + time.to_bytes(4, "little") + size.to_bytes(4, "little")
        cached = f"{folder}/__pycache__/{last}{self._ending}"
        loader = _Loader(name, source, cached, head)
        spec = _Spec(name, loader, origin=source, is_package=is_package)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(folder)
        spec.has_location = True
        spec.cached = cached
        return spec


def install() -> None:
    """Let this process find our modules so, where Python keeps compiled code as usual."""
    tag = sys.implementation.cache_tag
    if tag and sys.platform == "linux" and not (sys.flags.optimize or sys.pycache_prefix):
        sys.meta_path.insert(0, _Finder(f".{tag}.pyc"))
