#!/usr/bin/env python3
"""Counts, in a guest of several nodes, which cache lines cross between nodes in Schmidl's load balancing:
a dynamic loop over packages that a static loop wrote, under the stock runtimes and `--loops numa`.

    bench/load_balance_lines.py             five runs each on 4 nodes of 2 cpus (six minutes on two cores)
    bench/load_balance_lines.py --nodes 8 --cpus 1
    bench/load_balance_lines.py --write     also writes the table into docs/benchmarks.md

Stock runs are bound (OMP_PROC_BIND=close, OMP_PLACES=cores). The bound beside each row is what has to cross
if all cpus are equally fast and each is to work as long as the others: the domains that wrote less than
their share have to fetch the rest.
"""

import harness
import lab_compare

PACKAGES, GB, TIMES = 960, 0.1, 2
LINE_BYTES = 64
STEALS = ("nearest", "most-loaded", "random")


def bound(nodes):
    """Lines that cross in all additions. Of equal parts of packages that grow linearly, node d has
    2 d + 1 of nodes * nodes parts of the bytes, and works on as much as any other."""
    share = 1 / nodes
    missing = sum(max(0, share - (2 * d + 1) / nodes**2) for d in range(nodes))
    return int(missing * TIMES * GB * 1e9 / LINE_BYTES)


def body():
    parser = harness.Parser(prog="load_balance_lines.py", description=__doc__.splitlines()[0],
                            epilog="Example: bench/load_balance_lines.py --rounds 1 --nodes 8 --cpus 1")
    lab_compare.guest_options(parser, rounds=5)
    parser.add_argument("--write", action="store_true", help="write the table into docs/benchmarks.md")
    parser.set_defaults(cache="l2=512K")
    options = parser.parse_args()
    case = lab_compare.Case("dynamic", "load_balance",
                            [f"packages={PACKAGES}", f"gb={GB}", f"times={TIMES}", "method=dynamic"],
                            "additions", bound(options.nodes), right='"wrong":0')
    configurations = [lab_compare.Configuration(f"numa,steal={steal}", ["--loops", f"numa,steal={steal}"])
                      for steal in STEALS]
    table = lab_compare.table_of(lab_compare.measure(options, [case], configurations))
    print(table.text())
    if options.write:
        harness.replace_marked(harness.ROOT / "docs" / "benchmarks.md",
                               f"load-balance-{options.nodes}",
                               f"{table.markdown()}\n\n{lab_compare.guest_sentence(options)}")
    return 0


if __name__ == "__main__":
    harness.main("load_balance_lines", body)
