#!/usr/bin/env python3
"""Counts, in a guest of several nodes, which cache lines cross between nodes in loops of tasks whose
arrays such a loop has initialised: the same binaries under the stock runtimes and under Lares.

    bench/taskloops.py                      five runs each (a quarter of an hour on two cores)
    bench/taskloops.py --write              also writes the table into docs/lab.md

Stock runs are bound (OMP_PROC_BIND=close, OMP_PLACES=cores). The bound beside each shape is what has
to cross if each row is worked on where it is, and caches are as large as they like: nothing, the rows
beside another node's, or what is read of the others' columns.
"""

import harness
import lab_compare

SWEEPS = 4
# Each array has 3 to 12 MB, against eight caches of 64 KiB.
SHAPES = {"stream": (1500000, 16384), "stencil": (1200, 20), "transpose": (640, 20)}
LINE_DOUBLES = 8
GOAL = 0.25  # of the better stock runtime's crossing lines


def bound(shape, nodes):
    """Lines that cross in all sweeps."""
    n = SHAPES[shape][0]
    each = {"stream": 0,
            "stencil": 4 * (nodes - 1) * n // LINE_DOUBLES,  # two rows from either side
            "transpose": n * n // LINE_DOUBLES * (nodes - 1) // nodes}
    return SWEEPS * each[shape]


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/taskloops.py --rounds 1 --shapes stencil")
    lab_compare.options_of(parser, SHAPES, rounds=5)
    parser.add_argument("--policies", default="auto", metavar="LIST",
                        help="policies, with ; between (default: auto)")
    options = parser.parse_args()
    cases = [lab_compare.Case(shape, "taskloops", [shape, SWEEPS, *SHAPES[shape]], "sweeps",
                              bound(shape, options.nodes))
             for shape in lab_compare.chosen("--shapes", options.shapes, SHAPES)]
    policies = [lab_compare.Configuration(policy, ["--policy", policy])
                for policy in options.policies.split(";")]
    table = lab_compare.table_of(lab_compare.measure(options, cases, policies))
    print(table.text())
    if options.write:
        text = (f"{table.markdown()}\n\n{lab_compare.guest_sentence(options)} The goal is {GOAL} "
                "of the better stock runtime's crossing lines.")
        harness.replace_marked(harness.ROOT / "docs" / "lab.md", "taskloops", text)
    return 0


if __name__ == "__main__":
    harness.main("taskloops", body)
