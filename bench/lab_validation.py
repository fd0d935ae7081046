#!/usr/bin/env python3
"""Holds the lab's counts against arithmetic, and writes the table of docs/lab.md.

    bench/lab_validation.py                 prints the table
    bench/lab_validation.py --write         also writes it into docs/lab.md

Each program knows what it must fetch from where and says so; the table shows how far the counts are
from that. Exit status 1 if a count is further off than the table's limits: 1 % of the lines in a
wrong cell, or 5 % of the expected lines.
"""

import datetime
import sys

import harness
import lab_guests

WRONG_CELL = 0.01
WRONG_COUNT = 0.05


def placements(nodes):
    """Rows of the table: what it shows, the program and its arguments, region, kind."""
    for k in range(nodes):
        yield (f"triad on node 0, memory on node {k}", "triad", ["0", str(k)], "triad")
    yield ("array written by one thread, read by all nodes", "placement", ["serial"], "sum")
    yield ("each thread writes the part that it reads", "placement", ["parallel"], "sum")
    yield ("pages interleaved", "placement", ["interleave"], "sum")
    yield ("tiled product, tiles used again", "multiply", [], "multiply")
    yield ("one line between two nodes, 1000 rounds", "ping_pong", ["1000", "0", str(nodes - 1)],
           "ping-pong")


def validate(options):
    lares = harness.program(options.build, "lares")
    rows = list(placements(options.nodes))
    progress = harness.Progress(len(rows))
    table = harness.Table(["what", "cells expected", "lines expected", "lines counted",
                           "worst error", "lines elsewhere"])
    good, document = True, []
    for title, name, arguments, region in rows:
        progress.step(title)
        program = harness.program(options.build / "tests" / "lab", f"lab_{name}")
        run = lab_guests.run_guest(lares, ["--nodes", options.nodes], [program, *arguments],
                                   count=True)
        expected = lab_guests.expectations(run)
        worst = max((e.error(run) for e in expected), key=abs)
        stray = lab_guests.elsewhere(run, region, expected)
        good = good and bool(expected) and abs(worst) <= WRONG_COUNT and stray <= WRONG_CELL
        table.add(title, len(expected), sum(e.lines for e in expected),
                  sum(e.counted(run) for e in expected), f"{100 * worst:+.2f} %",
                  f"{100 * stray:.3f} %")
        document.append({"what": title, "region": run.region(region), "worst_error": worst,
                         "elsewhere": stray})
    progress.end()
    return table, good, document


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/lab_validation.py --nodes 4 --write")
    lab_guests.lab_options(parser, nodes=4)
    parser.add_argument("--write", action="store_true", help="write the table into docs/lab.md")
    options = parser.parse_args()
    table, good, document = validate(options)
    print(table.text())
    if options.json:
        harness.write_json(options.json, document)
    if options.write:
        date = datetime.date.today().isoformat()
        text = (f"{table.markdown()}\n\nA guest of {options.nodes} nodes with 2 cpus each, "
                f"512 KiB of L2 per cpu; one run each, {date}.")
        harness.replace_marked(harness.ROOT / "docs" / "lab.md", "validation", text)
    if not good:
        lab_guests.say("lab_validation: a count is off by more than the limits")
    return 0 if good else 1


if __name__ == "__main__":
    harness.main("lab_validation", body)
