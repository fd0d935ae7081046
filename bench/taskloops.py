#!/usr/bin/env python3
"""Counts, in a guest of several nodes, which cache lines cross between nodes in loops of tasks whose
arrays such a loop has initialised: the same binaries under the stock runtimes and under Lares.

    bench/taskloops.py                      five runs each (a quarter of an hour on two cores)
    bench/taskloops.py --write              also writes the table into docs/lab.md

Stock runs are bound (OMP_PROC_BIND=close, OMP_PLACES=cores). The bound beside each shape is what has
to cross if each row is worked on where it is, and caches are as large as they like: nothing, the rows
beside another node's, or what is read of the others' columns.
"""

import datetime

import harness
import lab_guests

COMPILERS = {"gcc": "libgomp", "clang": "libomp"}
BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
SWEEPS = 4
SHAPES = {"stream": (1500000, 16384), "stencil": (1200, 20), "transpose": (640, 20)}
# Each array has 3 to 12 MB, against eight caches of this size.
CACHE = "l2=64K"
LINE_DOUBLES = 8
GOAL = 0.25  # of the better stock runtime's crossing lines


def bound(shape, nodes):
    """Lines that cross in all sweeps."""
    n = SHAPES[shape][0]
    each = {"stream": 0,
            "stencil": 4 * (nodes - 1) * n // LINE_DOUBLES,  # two rows from either side
            "transpose": n * n // LINE_DOUBLES * (nodes - 1) // nodes}
    return SWEEPS * each[shape]


def one_run(options, lares, shape, compiler, policy):
    program = harness.program(options.build / "bench", f"taskloops-{compiler}")
    words = [program, shape, SWEEPS, *SHAPES[shape]]
    environment = harness.clean_environment(**({} if policy else BOUND))
    if policy:
        words = harness.under_lares(lares, "--quiet", "--policy", policy) + words
    guest = ["--nodes", options.nodes, "--cpus-per-node", options.cpus, "--cache", CACHE]
    run = lab_guests.run_guest(lares, guest, words, count=True, environment=environment,
                               timeout=options.timeout)
    if "result=ok" not in run.output:
        raise harness.ProgramFailed(f"{shape} computed something wrong under {policy}")
    region = run.region("sweeps")
    met = lab_guests.met(region)
    return {"remote": lab_guests.remote(lab_guests.fetched(region)),
            "crossing": lab_guests.remote(met), "all": sum(map(sum, met))}


def measure(options, lares):
    policies = [None, *options.policies.split(";")]
    plan = [(shape, compiler, policy) for shape in options.shapes.split(",")
            for compiler in COMPILERS for policy in policies]
    runs = {configuration: [] for configuration in plan}
    progress = harness.Progress(len(plan) * options.rounds)
    for _, configuration in harness.interleaved(plan, options.rounds, 1):
        progress.step(" ".join(str(word or "stock") for word in configuration))
        runs[configuration].append(one_run(options, lares, *configuration))
    progress.end()
    return runs


def median(runs, what):
    return harness.Spread([run[what] for run in runs]).median


def table_of(options, runs):
    table = harness.Table(["shape, policy", "remote, thousands", "of lines",
                           "crossing, thousands", "of the better stock", "bound"])
    for (shape, compiler, policy), some in runs.items():
        best = min(median(runs[shape, c, None], "crossing") for c in COMPILERS)
        remote = harness.Spread([r["remote"] / 1000 for r in some])
        crossing = harness.Spread([r["crossing"] / 1000 for r in some])
        share = harness.Spread([100 * r["crossing"] / r["all"] for r in some])
        table.add(f"{shape}-{compiler}, {policy or f'stock {COMPILERS[compiler]}'}",
                  remote.text("{:.0f}".format), share.text("{:.0f}".format) + " %",
                  crossing.text("{:.0f}".format),
                  harness.two_decimals(1000 * crossing.median / best),
                  f"{bound(shape, options.nodes) / 1000:.0f}")
    return table


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/taskloops.py --rounds 1 --shapes stencil")
    lab_guests.lab_options(parser, nodes=4)
    parser.add_argument("--cpus", type=harness.positive, default=2, metavar="N",
                        help="cpus of a node (default: 2)")
    parser.add_argument("--rounds", type=harness.positive, default=5, metavar="N",
                        help="how often each configuration runs (default: 5)")
    parser.add_argument("--shapes", default=",".join(SHAPES), metavar="LIST",
                        help=f"which shapes (default: {','.join(SHAPES)})")
    parser.add_argument("--policies", default="auto", metavar="LIST",
                        help="policies, with ; between (default: auto)")
    parser.add_argument("--timeout", type=harness.positive, default=600, metavar="S",
                        help="seconds after which a run counts as hung (default: 600)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/lab.md")
    options = parser.parse_args()
    for shape in options.shapes.split(","):
        if shape not in SHAPES:
            raise harness.Mistake(f"--shapes: '{shape}' is none of {', '.join(SHAPES)}")
    runs = measure(options, harness.program(options.build, "lares"))
    table = table_of(options, runs)
    print(table.text())
    if options.json:
        harness.write_json(options.json, [
            {"shape": shape, "compiler": compiler, "policy": policy, "runs": some}
            for (shape, compiler, policy), some in runs.items()])
    if options.write:
        date = datetime.date.today().isoformat()
        text = (f"{table.markdown()}\n\nA guest of {options.nodes} nodes with {options.cpus} cpus "
                f"each, {CACHE} per cpu; medians [least..most] of {options.rounds} interleaved "
                f"runs, {date}. The goal is {GOAL} of the better stock runtime's crossing lines.")
        harness.replace_marked(harness.ROOT / "docs" / "lab.md", "taskloops", text)
    return 0


if __name__ == "__main__":
    harness.main("taskloops", body)
