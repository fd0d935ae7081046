#!/usr/bin/env python3
"""What `lares run --trace` costs: time of a program with and without it, interleaved, and bytes and nanoseconds a task.

Usage: trace_overhead.py [--lares LARES] [--programs FOLDER] [--rounds N]
Example: bench/trace_overhead.py --rounds 7

Three sides take turns: `lares run`, `lares run --trace`, and the stock runtime. The program makes tasks of a given
length, all of them by one thread and without data, and independent chains with `depend`; each thread's grains are
those of tests/trace/grains.c. A ratio is of medians; in brackets are the least and the most of the rounds' ratios.
"ns a task" is by how much the whole takes longer, "of threads" that times the threads.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

LENGTHS_NS = [0, 1000, 10000, 100000]
WINDOW = 1 << 18  # RecordStream::window_bytes
SHAPES = ["plain", "depend"]


def seconds(command, threads):
    """What the program says that its tasks took, and how many there were."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "spread", "OMP_PLACES": "cores"}
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    found = re.search(r"tasks=(\d+) seconds=([\d.]+)", text)
    return float(found[2]), int(found[1])


def measure(arguments, program, shape, length, threads):
    """Per round: plain, traced, stock; and tasks and bytes."""
    rows = []
    tasks = size = 0
    for _ in range(arguments.rounds):
        words = [program, shape, str(length)]
        plain, tasks = seconds([arguments.lares, "run", "--quiet", "--domain", "l2", "--", *words], threads)
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            trace = os.path.join(folder, "trace")
            traced, _ = seconds(
                [arguments.lares, "run", "--quiet", "--domain", "l2", "--record-limit", "2G", "--trace", trace, "--", *words],
                threads,
            )
            size = used_bytes(trace)
        stock, _ = seconds(words, threads)
        rows.append((plain, traced, stock))
    return rows, tasks, size


def used_bytes(folder):
    """Of the files, as if the window that each thread wrote into last were half full."""
    sizes = [os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if name.startswith("record.")]
    return sum(size - WINDOW // 2 for size in sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lares", default="build/release/lares")
    parser.add_argument("--programs", default="build/release/tests/trace")
    parser.add_argument("--folder", default="/tmp", help="where traces go")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print("compiler  tasks   threads  length      traced/plain           ns a task  of threads  bytes a task  plain/stock")
    for family in ("gcc", "clang"):
        program = os.path.join(arguments.programs, f"grains-{family}")
        for shape in SHAPES:
            for threads in (1, 2):
                for length in LENGTHS_NS:
                    rows, tasks, size = measure(arguments, program, shape, length, threads)
                    plain, traced, stock = (statistics.median(column) for column in zip(*rows))
                    ratios = [row[1] / row[0] for row in rows]
                    cost = (traced - plain) * 1e9 / tasks
                    print(
                        f"{family:8}  {shape:6}  {threads:7}  {length:6} ns   {traced / plain:5.3f} "
                        f"[{min(ratios):.3f}..{max(ratios):.3f}]  {cost:9.0f}  {cost * threads:10.0f}  {size / tasks:12.1f}  {plain / stock:11.2f}",
                        flush=True,
                    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
