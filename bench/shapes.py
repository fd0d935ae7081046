#!/usr/bin/env python3
"""Counts, in a guest of several nodes, which cache lines cross between nodes in task programs of ten
shapes (bench/shapes), after their second sweep: stock and under Lares.

    bench/shapes.py --rounds 1              about twelve minutes on two cores
    bench/shapes.py --nodes 8 --write       also writes the table into docs/lab.md
    bench/shapes.py --shapes flags,slots --lares-args now= --lares-args learn="--policy auto --bind close"

Stock runs are bound (OMP_PROC_BIND=close, OMP_PLACES=cores). The bound beside each shape is what a
perfect schedule has crossing: bench/shapes_bound.py derives it.
"""

import harness
import lab_compare
import shapes_bound

COLD = 2
# Sweeps, and what the program calls N and GRAIN. Each array is several times all caches.
SHAPES = {
    "flags": (10, 1536, 192),
    "slots": (5, 20, 32),
    "sections": (8, 1536, 192),
    "indices": (10, 500000, 4096),
    "pointers": (10, 500000, 4096),
    "recursion": (4, 1 << 19, 8192),
    "taskloop": (10, 1024, 16),
    "serial": (10, 1024, 16),
    "pieces": (10, 1024, 16),
    "numbers": (10, 1024, 1),
}


def bound(shape, nodes):
    """Lines that cross in all counted sweeps."""
    sweeps, *sizes = SHAPES[shape]
    return (sweeps - COLD) * shapes_bound.OF_SWEEP[shape](sizes, nodes)


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/shapes.py --rounds 1 --shapes flags,slots")
    lab_compare.options_of(parser, SHAPES, rounds=5)
    lab_compare.add_lares_args(parser)
    options = parser.parse_args()
    cases = [lab_compare.Case(shape, "shapes", [shape, *SHAPES[shape]], "warm",
                              bound(shape, options.nodes))
             for shape in lab_compare.chosen("--shapes", options.shapes, SHAPES)]
    how = lab_compare.lares_args(options)
    table = lab_compare.table_of(lab_compare.measure(options, cases, how))
    print(table.text())
    if options.write:
        harness.replace_marked(harness.ROOT / "docs" / "lab.md", f"shapes-{options.nodes}",
                               f"{table.markdown()}\n\n{lab_compare.guest_sentence(options)}")
    return 0


if __name__ == "__main__":
    harness.main("shapes", body)
