#!/usr/bin/env python3
"""Counts, in a guest of several nodes, which cache lines cross between nodes in Cholesky and Jacobi:
the same binaries under the stock runtimes and under Lares' policies.

    bench/lab_policies.py                   five runs each (25 minutes on two cores)
    bench/lab_policies.py --write           also writes the table into docs/lab.md, and its shares into
                                            docs/lab-policies.json, which `lares simulate --report` reads

Stock runs are bound (OMP_PROC_BIND=close, OMP_PLACES=cores). *Remote* lines come from the memory of
another node, *crossing* ones from there or from a cache of another node, within the region of the
computation. The bound beside each program counts the lines that have to cross once, caches being as
large as they like, if each task runs on the node that holds what it writes.
"""

import datetime
import json

import harness
import lab_guests

POLICIES = ("auto", "locality-queues", "virouleau", "stock-like")
COMPILERS = {"gcc": "libgomp", "clang": "libomp"}
JACOBI = {"n": 192, "block": 16, "sweeps": 16}
CHOLESKY = {"n": 2048, "tile": 64}
# The lab's own. The matrix has 34 MB and each grid 57 MB, against eight caches of this size.
CACHE = "l2=512K"
LINE = 64
DOUBLE = 8
BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}


class Case:
    """One program with its arguments, the region that is looked at, and the least lines that cross."""

    def __init__(self, name, arguments, region, bound):
        self.name, self.arguments, self.region, self.bound = name, arguments, region, bound


def jacobi_bound(nodes, cpus):
    """The halo of all sweeps: faces between columns whose owners are on different nodes
    (examples/jacobi.c)."""
    inner, threads = JACOBI["n"] // JACOBI["block"], nodes * cpus
    node = [[(z * inner + y) * threads // inner**2 // cpus for y in range(inner)]
            for z in range(inner)]
    faces = sum(node[z][y] != node[z + dz][y + dy]
                for z in range(inner) for y in range(inner)
                for dy, dz in ((1, 0), (-1, 0), (0, 1), (0, -1))
                if 0 <= z + dz < inner and 0 <= y + dy < inner)
    line_bytes = (JACOBI["n"] + 2) * DOUBLE
    return round(faces * JACOBI["block"] * line_bytes / LINE) * JACOBI["sweeps"]


def cholesky_bound(nodes, cpus):
    """Each tile goes once to each other node that holds a tile which is computed from it: in its row,
    in the column of its row, and for a diagonal tile below it (examples/cholesky.c)."""
    tiles, threads = CHOLESKY["n"] // CHOLESKY["tile"], nodes * cpus
    there_and_back = [*range(threads), *reversed(range(threads))]
    node = [there_and_back[row % (2 * threads)] // cpus for row in range(tiles)]
    copies = 0
    for row in range(tiles):
        below = {node[other] for other in range(row, tiles)}
        copies += (row + 1) * len(below - {node[row]})
    return copies * CHOLESKY["tile"] ** 2 * DOUBLE // LINE


def all_cases(options):
    jacobi = [JACOBI["n"], JACOBI["block"], JACOBI["sweeps"], "parallel"]
    cholesky = [CHOLESKY["n"], CHOLESKY["tile"], 1, "balanced"]
    shape = options.nodes, options.cpus
    return {
        "cholesky": Case("cholesky", cholesky, "factorise", cholesky_bound(*shape)),
        "jacobi": Case("jacobi", jacobi, "sweeps", jacobi_bound(*shape)),
    }


def cases(options):
    known = all_cases(options)
    return [known[name] for name in options.cases.split(",")]


def configurations(options):
    """(compiler, policy or None for stock)"""
    for compiler in COMPILERS:
        yield compiler, None
        for policy in options.policies.split(";"):
            yield compiler, policy


def one_run(options, lares, case, compiler, policy):
    program = harness.program(options.build / "examples", f"{case.name}-{compiler}")
    words = [program, *case.arguments]
    environment = harness.clean_environment(**({} if policy else BOUND))
    if policy:
        words = harness.under_lares(lares, "--quiet", "--policy", policy) + words
    guest = ["--nodes", options.nodes, "--cpus-per-node", options.cpus, "--cache", options.cache,
             *options.guest.split()]
    run = lab_guests.run_guest(lares, guest, words, count=True, environment=environment,
                               timeout=options.timeout)
    if "result=ok" not in run.output:
        raise harness.ProgramFailed(f"{case.name} computed something wrong under {policy}")
    region = run.region(case.region)
    fetched, met = lab_guests.fetched(region), lab_guests.met(region)
    return {"remote": lab_guests.remote(fetched), "crossing": lab_guests.remote(met),
            "all": sum(map(sum, fetched)), "seconds": run.seconds, "again": lab_guests.retries(run), "region": region}


def measure(options, lares):
    plan = [(case, *configuration) for case in cases(options)
            for configuration in configurations(options)]
    runs = {}
    progress = harness.Progress(len(plan) * options.rounds)
    for _, (case, compiler, policy) in harness.interleaved(plan, options.rounds, 1):
        progress.step(f"{case.name} {compiler} {policy or 'stock'}")
        runs.setdefault((case.name, compiler, policy), []).append(
            one_run(options, lares, case, compiler, policy))
    progress.end()
    return runs


def rows_of(runs):
    """What docs/lab-policies.json keeps of each configuration."""
    def three(values):
        spread = harness.Spread(values)
        return [round(spread.least), round(spread.median), round(spread.most)]
    today = datetime.date.today().isoformat()
    return [{"program": case, "compiler": compiler,
             "configuration": policy or f"stock {COMPILERS[compiler]}", "counted": today,
             "remote_lines_thousands": three([r["remote"] / 1000 for r in some]),
             "crossing_lines_thousands": three([r["crossing"] / 1000 for r in some]),
             "remote_percent": three([100 * r["remote"] / r["all"] for r in some])}
            for (case, compiler, policy), some in runs.items()]


def key_of(row):
    return row["program"], row["compiler"], row["configuration"]


def with_kept(rows, path, guest, rounds):
    """These rows, and of the document at `path` those of the same guest and as many rounds that were not
    counted again."""
    before = json.loads(path.read_text())
    if (before["guest"], before["rounds"]) != (guest, rounds):
        return rows
    again = {key_of(row) for row in rows}
    return rows + [row for row in before["rows"] if key_of(row) not in again]


def order_of(row):
    """As the options list them: programs, compilers, stock before policies."""
    configuration = row["configuration"]
    policies = [f"stock {COMPILERS[row['compiler']]}", *POLICIES]
    place = policies.index(configuration) if configuration in policies else len(policies)
    return row["program"], list(COMPILERS).index(row["compiler"]), place, configuration


def better_stock(rows, program, what):
    """The median of the stock runtime that has fewer of these lines."""
    return min(row[what][1] for row in rows
               if row["program"] == program and row["configuration"].startswith("stock "))


def spread_text(three):
    return f"{three[1]} [{three[0]}..{three[2]}]"


def table_of(options, rows):
    table = harness.Table(["program, policy", "remote, thousands", "of the better stock",
                           "of lines from memory", "crossing, thousands", "of the better stock",
                           "of the bound", "counted"])
    bounds = {name: case.bound for name, case in all_cases(options).items()}
    for row in sorted(rows, key=order_of):
        program, remote, crossing = row["program"], row["remote_lines_thousands"], row["crossing_lines_thousands"]
        table.add(f"{program}-{row['compiler']}, {row['configuration']}", spread_text(remote),
                  harness.two_decimals(remote[1] / better_stock(rows, program, "remote_lines_thousands")),
                  spread_text(row["remote_percent"]) + " %", spread_text(crossing),
                  harness.two_decimals(crossing[1] / better_stock(rows, program, "crossing_lines_thousands")),
                  harness.two_decimals(1000 * crossing[1] / bounds[program]), row["counted"])
    return table


def guest_of(options):
    more = f", {options.guest}" if options.guest else ""
    return f"{options.nodes} nodes with {options.cpus} cpus each, {options.cache} per cpu{more}"


def write_pages(options, rows):
    """docs/lab-policies.json and the table of docs/lab.md. What was not counted again stays, with its date."""
    path = harness.ROOT / "docs" / "lab-policies.json"
    rows = with_kept(rows, path, guest_of(options), options.rounds)
    harness.write_json(path, {"written_by": "bench/lab_policies.py --write", "guest": guest_of(options),
                              "rounds": options.rounds, "columns": "least, median, most",
                              "rows": sorted(rows, key=order_of)})
    text = (f"{table_of(options, rows).markdown()}\n\nA guest of {guest_of(options)}; medians [least..most] of "
            f"{options.rounds} interleaved runs on the day in the last column. *Stock* is the one in the table.")
    harness.replace_marked(harness.ROOT / "docs" / "lab.md", "policies", text)


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/lab_policies.py --rounds 1 --cases jacobi")
    lab_guests.lab_options(parser, nodes=4)
    parser.add_argument("--cpus", type=harness.positive, default=2, metavar="N",
                        help="cpus of a node (default: 2)")
    parser.add_argument("--cache", default=CACHE, metavar="SIZES",
                        help=f"caches, as `lares lab run --cache` (default: {CACHE})")
    parser.add_argument("--guest", default="", metavar="OPTIONS",
                        help="more options of `lares lab run`, as one word")
    parser.add_argument("--rounds", type=harness.positive, default=5, metavar="N",
                        help="how often each configuration runs (default: 5)")
    parser.add_argument("--cases", default="cholesky,jacobi", metavar="LIST",
                        help="which programs (default: cholesky,jacobi)")
    parser.add_argument("--policies", default=";".join(POLICIES), metavar="LIST",
                        help=f"policies, with ; between (default: {';'.join(POLICIES)})")
    parser.add_argument("--timeout", type=harness.positive, default=600, metavar="S",
                        help="seconds after which a run counts as hung (default: 600)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/lab.md")
    options = parser.parse_args()
    lares = harness.program(options.build, "lares")
    runs = measure(options, lares)
    rows = rows_of(runs)
    print(table_of(options, rows).text())
    again = sum(r["again"] for some in runs.values() for r in some)
    print(f"guests started again: {again}")
    if options.json:
        harness.write_json(options.json, [
            {"case": case, "compiler": compiler, "policy": policy, "runs": some}
            for (case, compiler, policy), some in runs.items()])
    if options.write:
        write_pages(options, rows)
    return 0


if __name__ == "__main__":
    harness.main("lab_policies", body)
