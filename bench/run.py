"""All figures of speed and size in one table, beside what is demanded: `make bench`.

    python bench/run.py [--quick] [--million] [--rounds 9] [--json FILE]

--quick stops at 10,000 facts, --million goes on to 1,000,000. Ends with 1 under --strict when a
demand is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import chats
import cold
import documents
import embedders
import hooks
import import_
import lanes
import long_texts
import passes
import recall
import remember
import seldom
import shell
import starts
import store_reads
import stores
import syncs
import timing
import ways

RECALL = {1000: 2.7, 10_000: 3.0, 100_000: 3.2, 1_000_000: 4.0}
NINE_COMMON = {100_000: 7.0, 1_000_000: 8.0}
FIFTY_COMMON = {1_000_000: 20.0}
PASTED = {100_000: 5.0, 1_000_000: 15.0}
NO_MATCH = {100_000: 4.5, 1_000_000: 8.0}
NO_MATCH_RSS = 60.0  # MiB
LONG_TEXTS = 4.0
REMEMBER = 3.0
COLD = {"--version": 2.0, "--help": 8.0}
INIT = 3.0
HOOK_CPU, HOOK_WAIT = 5.0, 250.0
IMPORT_RATE = 20_000
IMPORT_MILLION_S = 90
IMPORT_RSS = 300.0  # MB
RECALL_RSS = 40.0  # MiB
BYTES_PER_FACT = 600


@dataclass
class Row:
    """One figure."""

    figure: str
    measured: str
    ratio: float | None
    demand: str
    verdict: str  # ok, MISS, nothing where no demand is, or what went wrong

    def line(self) -> str:
        """One line of the table."""
        ratio = f"{self.ratio:.2f}" if self.ratio is not None else ""
        cells = f"{self.figure:<30} {self.measured:>14} {ratio:>7}"
        return f"{cells}  {self.demand:<16} {self.verdict}"


def timed(figure: str, sample: timing.Sample, most: float | None) -> Row:
    """Return the row of a ratio to `python -c pass`."""
    demand = f"<= {most:g} x" if most else ""
    if sample.failure:
        return Row(figure, "-", None, demand, f"FAILED: {sample.failure}")
    verdict = ("ok" if sample.ratio <= most else "MISS") if most else ""
    return Row(figure, f"{sample.ms:.1f} ms", sample.ratio, demand, verdict)


def bounded(figure: str, value: float, unit: str, least: float = 0, most: float = 0) -> Row:
    """Return the row of a figure that has a bound of its own."""
    demand = f">= {least:,.0f} {unit}" if least else f"<= {most:g} {unit}" if most else ""
    verdict = ""
    if demand:
        verdict = "ok" if (value >= least if least else value <= most) else "MISS"
    digits = 0 if value >= 1000 else 1
    return Row(figure, f"{value:,.{digits}f} {unit}", None, demand, verdict)


def of_starts() -> Iterator[Row]:
    """Count what the common commands execute and load."""
    for start in starts.measure():
        if start.instructions is not None:
            yield bounded(f"{start.name}: instructions", start.instructions, "M")
        yield bounded(f"{start.name}: code loaded", start.kib, "KiB")
        yield bounded(f"{start.name}: of it unused", start.unused_kib, "KiB")


def of_import(n: int) -> Iterator[Row]:
    """Import n facts; the store is kept for what follows."""
    name = stores.name_of(n)
    stores.rows(n)
    made = stores.make(n)
    yield bounded(f"import {name}", made.seconds, "s", most=IMPORT_MILLION_S * (n >= 10**6))
    yield bounded(f"import {name}: rate", made.rate, "facts/s", IMPORT_RATE * (n == 100_000))
    yield bounded(f"import {name}: RSS", made.rss * 2**20 / 1e6, "MB", most=IMPORT_RSS)
    # A small store has not filled its pages; the demand is for those that matter.
    most = BYTES_PER_FACT * (n >= 10_000)
    yield bounded(f"size {name}", made.bytes_per_fact, "B/fact", most=most)


def of_recall(n: int, rounds: int) -> Iterator[Row]:
    """Measure recall and context in a store of n facts."""
    demands = {
        "recall": RECALL, "nine common": NINE_COMMON, "fifty common": FIFTY_COMMON,
        "200 pasted": PASTED, "no match": NO_MATCH, "context": RECALL,
    }  # fmt: skip
    for figure in recall.at_size(n, rounds):
        name = f"{figure.kind} {stores.name_of(n)}"
        most = demands[figure.kind].get(n)
        yield timed(name, figure.sample, most)
        if figure.sample.failure:
            continue
        note = "above it" if most and figure.worst > most else ""
        yield Row(f"{name}: slowest query", "", figure.worst, "", note)
        if figure.kind == "no match":
            yield bounded(f"{name}: RSS", figure.rss, "MiB", most=NO_MATCH_RSS)
        elif figure.kind != "context":
            yield bounded(f"{name}: RSS", figure.rss, "MiB", most=RECALL_RSS * (n <= 100_000))


def of_reads(n: int, rounds: int) -> Iterator[Row]:
    """Measure what looks at a whole memory of n facts."""
    for sample, rss in store_reads.figures(n, rounds):
        yield timed(sample.name, sample, None)
        if rss and sample.name.startswith(("history ", "gc ")):
            yield bounded(f"{sample.name}: RSS", rss, "MiB", most=100.0)


def of_lanes(n: int, rounds: int) -> Iterator[Row]:
    """Measure recall where facts have ended or have labels, beside the same store without."""
    samples = lanes.measure(n, rounds)
    plain = samples[lanes.PLAIN]
    for name, sample in samples.items():
        row = timed(f"{name} {stores.name_of(n)}", sample, None)
        most = lanes.TIMES_PLAIN.get(name)
        if most and not (sample.failure or plain.failure):
            row.demand = f"<= {most:g} x plain"
            row.verdict = "ok" if sample.ratio <= most * plain.ratio else "MISS"
        yield row


def of_documents(count: int, rounds: int) -> Iterator[Row]:
    """Take in documents of 50 pages, and ask them."""
    found = documents.measure(count, 50, rounds)
    name = f"ingest {count} documents"
    yield bounded(f"{name}: rate", found.chunks / found.seconds, "chunks/s")
    yield bounded(f"{name}: room", found.bytes / found.characters, "B/char")
    yield bounded(f"{name}: RSS", found.rss, "MiB")
    yield bounded(f"{name}: no news", found.again, "s")
    for figure, sample in found.recalls.items():
        yield timed(figure, sample, None)
    first = sum(rank == 1 for rank in found.ranks)
    yield bounded("planted sentences at rank 1", first, "of 10", least=documents.PLANTED)


def of_syncs(n: int) -> Iterator[Row]:
    """Sync two machines, of which one has n facts."""
    found, name = syncs.costs(n), f"sync {stores.name_of(n)}"
    for what, cost in (
        ("first, sends", found.sent), ("first, takes", found.taken),
        ("100 new, sends", found.news), ("100 new, takes", found.heard),
        ("nothing new", found.idle),
    ):  # fmt: skip
        yield bounded(f"{name}: {what}", cost.seconds, "s")
        if cost.octets:
            yield bounded(f"{name}: {what}", cost.octets / 1024, "KiB")
    yield bounded(f"{name}: registers", found.more, "B/fact")


def rows(sizes: list[int], rounds: int) -> Iterator[Row]:
    """Measure everything."""
    for n in sizes:
        yield from of_import(n)
    samples = timing.measure(cold.jobs(), max(rounds, 15))
    for name, sample in samples.items():
        yield timed(name, sample, COLD.get(name))
    yield from of_starts()
    hook, context = hooks.beside_context(max(rounds, 15))
    yield bounded("hook: CPU over context --auto", max(0.0, hook - context), "ms", most=HOOK_CPU)
    yield bounded("hook beside a dream: p99", hooks.beside_a_dream(), "ms", most=HOOK_WAIT)
    for name, sample in shell.starts(max(rounds, 15)).items():
        if name != timing.PASS:
            yield timed(name, sample, INIT)
    for figure in shell.figures(max(size for size in sizes if size <= 100_000)):
        yield bounded(figure.name, figure.ms, "ms", most=figure.most)
    for n, sample in remember.measure(sizes, max(rounds, 15)).items():
        yield timed(f"remember {stores.name_of(n)}", sample, REMEMBER)
    for n in [100, *sizes]:
        yield from of_recall(n, rounds)
    for name, sample in timing.measure(long_texts.jobs(), rounds).items():
        if name != timing.PASS:
            yield timed(f"recall of {name}", sample, LONG_TEXTS)
    yield from of_reads(max(sizes), rounds)
    yield from of_syncs(min(max(sizes), 100_000))
    yield bounded("a supersede", store_reads.bytes_of_supersede(), "B", most=800)
    if max(sizes) >= 10_000:
        yield from of_lanes(min(max(sizes), 100_000), rounds)
        for name, sample in seldom.measure(min(max(sizes), 100_000), rounds).items():
            if name != timing.PASS:
                yield timed(name, sample, None)
        for name, sample in ways.measure(min(max(sizes), 100_000), rounds).items():
            if name != timing.PASS:
                yield timed(name, sample, None)
    for name, sample in embedders.measure(min(sizes), rounds).items():
        yield timed(name, sample, None)
    for n in sizes:
        for figure in passes.measure(n, 5):
            if figure.failure:
                yield Row(figure.name, "-", None, "", f"FAILED: {figure.failure}")
            else:
                yield bounded(figure.name, figure.value, figure.unit, most=figure.most)
    yield from of_documents(20 if max(sizes) <= 10_000 else 100, rounds)
    export = chats.measure(30)
    yield bounded("extract of an export", 1000 * export.seconds, "ms/MB")
    yield bounded("extract of an export: RSS", export.rss, "MB", most=chats.MOST_RSS)
    text = import_.kill_and_resume(5000 if max(sizes) <= 10_000 else 20_000)
    yield Row("killed import", "", None, "each fact once", "ok" if text.endswith("ok") else text)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="1k and 10k facts only")
    parser.add_argument("--million", action="store_true", help="1M facts as well")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS)
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    parser.add_argument("--strict", action="store_true", help="end with 1 on a missed demand")
    args = parser.parse_args()
    sizes = [1000, 10_000] + [100_000] * (not args.quick) + [1_000_000] * args.million
    begin = time.perf_counter()
    load = os.getloadavg()[0]
    print(f"Python {platform.python_version()}, {os.cpu_count()} CPUs, load {load:.1f}")
    print(f"{'figure':<30} {'measured':>14} {'ratio':>7}  {'demand':<16}")
    table = []
    for row in rows(sizes, args.rounds):
        table.append(row)
        print(row.line(), flush=True)
    missed = [row for row in table if row.verdict.startswith(("MISS", "FAILED", "killed"))]
    print(f"{len(missed)} missed or failed; {time.perf_counter() - begin:.0f} s")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump([asdict(row) for row in table], file, indent=1)
    return int(bool(missed) and args.strict)


if __name__ == "__main__":
    raise SystemExit(main())
