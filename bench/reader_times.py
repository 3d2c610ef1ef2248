"""Whether each reader of incoming files takes a time that grows with the file alone: processor time
of texts of 1, 2 and 4 parts, in ms.

    python -m bench.reader_times [CHARACTERS]
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections import Counter
from functools import partial
from time import process_time
from typing import TYPE_CHECKING

from tideline_cli.errors import UsageError
from tideline_cli.exchange import lists
from tideline_cli.exchange.ingest import html_text
from tideline_cli.exchange.ingest.blocks import markdown_blocks, plain_blocks, restructured_blocks
from tideline_cli.exchange.ingest.chunks import divided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

CHARACTERS = 100_000
UNITS = {
    "html": "<ul><li>alpha<ul><li>beta</ul></ul><table><tr><th>a<tr><td>b</table>",
    "html, open tags": "<a ", "html, open lists": "<ul><li>a",
    "rst": "T\n===\n\nNever::\n\n  * alpha\n\n", "text": "Never:\n\n- alpha beta\n\n",
    "markdown": "# T\n\nNever:\n\n- alpha ~~b~~\n\n",
    "vcard": "BEGIN:VCARD\nFN:A B\nTEL:1\nEND:VCARD\n",
    "ical": "BEGIN:VEVENT\nSUMMARY:S\nDTSTART:20260304\nEND:VEVENT\n",
    "todo": "(A) Pay the rent +home due:2026-03-04\n",
    "bookmarks": "<DT><A HREF='http://x.example'>x</A>",
    "bookmarks, open tags": "<a ",
    "bookmarks, nested": "<DT><H3>f</H3><DL><DT><A HREF='http://x.example'>x</A>",
    "history": "#1700000000\nmake a\nb\n", "anki": '"a\nb"\tc\n',
}
"""What each text repeats, by the reader and what is odd of it."""
_DOCUMENTS: dict[str, Callable[[str], Iterator[Any]]] = {
    "html": html_text.blocks, "rst": restructured_blocks, "text": plain_blocks,
    "markdown": markdown_blocks,
}  # fmt: skip


def _rows(kind: str, text: str) -> list[Any]:
    """Return what a reader makes of a text; of one that is cut off what stands before."""
    found: list[Any] = []
    with contextlib.suppress(UsageError):
        found += (divided(_DOCUMENTS[kind](text)) if kind in _DOCUMENTS
                  else lists.READERS[kind](text, Counter()))  # fmt: skip
    return found


def _milliseconds(read: Callable[[str], object], text: str) -> float:
    gc.collect()
    gc.disable()
    start = process_time()
    read(text)
    took = process_time() - start
    gc.enable()
    return took * 1000


def main(argv: list[str]) -> None:
    """Print a line for each reader: its times for a text, one twice and one four times as long."""
    size = int(argv[0]) if argv else CHARACTERS
    for name, unit in UNITS.items():
        read = partial(_rows, name.partition(",")[0])
        read(unit * 10)
        times = [_milliseconds(read, unit * (part * size // len(unit))) for part in (1, 2, 4)]
        sys.stdout.write(f"{name:22}" + "".join(f"{time:8.0f}" for time in times) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
