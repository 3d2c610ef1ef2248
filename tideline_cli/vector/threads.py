"""Work of numpy in several threads: products and comparisons of arrays run beside each other."""

from __future__ import annotations

from collections import deque

from tideline_cli.vector.arrays import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from typing import TypeVar

    T = TypeVar("T")


def in_order(tasks: Iterable[Callable[[], T]], *, few: bool = False) -> Iterator[T]:
    """Yield what the tasks return, in their order; where they are `few`, without threads. No more
    of them wait than there are threads, so that what they hold stays small."""
    count = thread_count()
    if few or count == 1:
        yield from (task() for task in tasks)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  10 ms, for many rows alone

    under_way: deque[Future[T]] = deque()
    with ThreadPoolExecutor(count) as pool:
        for task in tasks:
            under_way.append(pool.submit(task))
            if len(under_way) > 2 * count:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
