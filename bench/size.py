"""Where the bytes of a memory file are: per table and index, after import and checkpoint.

python bench/size.py [100k]
"""

from __future__ import annotations

import argparse
import os

import corpus
import stores


def tables(path: str) -> dict[str, tuple[int, int]]:
    """Return pages' bytes and unused bytes in them for each table and index of a file."""
    import apsw

    db = apsw.Connection(path)
    rows = db.execute("SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name").fetchall()
    free = db.pragma("freelist_count") * db.pragma("page_size")
    db.close()
    found = {str(name): (int(size), int(unused)) for name, size, unused in rows}
    return found | ({"(free pages)": (free, free)} if free else {})


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=["10k"])
    args = parser.parse_args()
    for n in stores.sizes_from(args.sizes):
        path = stores.copy(n, "size")
        whole = os.path.getsize(path)
        text = sum(len(fact.encode()) for fact in corpus.facts(n))
        print(f"{stores.name_of(n)} facts of {text / n:.1f} bytes: {whole / n:.1f} bytes a fact")
        for name, (size, unused) in sorted(tables(path).items(), key=lambda item: -item[1][0]):
            if size >= n:  # a byte a fact
                print(f"  {size / n:7.1f}  {name}  ({unused / n:.1f} unused)")
        stores.remove(path)


if __name__ == "__main__":
    main()
