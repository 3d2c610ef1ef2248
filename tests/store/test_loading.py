"""Loading apsw without the package `collections`."""

from __future__ import annotations

import subprocess
import sys

PATHS = f"import sys; sys.path[:] = {sys.path!r}\n"


def printed(script):
    """Return what a script prints in a fresh interpreter that runs no hooks of site."""
    argv = [sys.executable, "-S", "-c", PATHS + script]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def test_apsw_is_loaded_without_the_package_collections():
    """It gets the abstract classes, and the package is whole for whoever imports it later."""
    script = """
import tideline_cli.store
print("apsw" in sys.modules, "collections" in sys.modules, "collections.abc" in sys.modules)
import apsw, collections.abc
print(collections.OrderedDict(a=1)["a"], collections.abc.Mapping.__name__)
db = apsw.Connection(":memory:")
print(db.execute("SELECT :a", collections.ChainMap({"a": 5})).get)
"""
    assert printed(script) == "True False False\n1 Mapping\n5\n"


def test_a_package_that_is_loaded_stays():
    """What a program has imported before is not taken away."""
    script = """
import collections.abc
import tideline_cli.store
print(sys.modules["collections"].__name__, collections.abc.Mapping.__name__)
"""
    assert printed(script) == "collections Mapping\n"


def test_where_apsw_is_missing_the_import_of_the_store_says_so():
    """The first try says nothing and keeps nothing; the import that follows is told as ever."""
    script = """
sys.modules["apsw"] = None
import tideline_cli.store
print("collections" in sys.modules)
try:
    import tideline_cli.store.connection
except ImportError as error:
    print(error.name)
"""
    assert printed(script) == "False\napsw\n"
