"""What is not the same on all systems: how the program is started. The rest is in pyproject.toml.

A script of our own and not an entry point: the wrapper that older pips write for one imports `re`,
which costs a third of a cold start. On Windows a script cannot be started, and pip makes
tideline.exe of an entry point. So there are wheels for Windows besides the one for all others; they
are built with `--plat-name=win_amd64` and `--plat-name=win_arm64`.
"""

import sys

from setuptools import setup

if sys.platform == "win32" or any(word.startswith("--plat-name=win") for word in sys.argv):
    setup(entry_points={"console_scripts": ["tideline = tideline_cli.__main__:enter"]})
else:
    setup(scripts=["bin/tideline"])
