#!/usr/bin/env python3
"""A tiled Cholesky by OpenMP tasks, built by GCC and by Clang: stock and under Lares.

Runs are interleaved; each factorises the matrix several times and checks it. Beside the times
stands where the tasks met their data, and, where QEMU is installed, what the lab counts on four nodes.
"""

import json
import os
import shutil
import sys

import harness
import lab_guests
import locality
import picture

STOCK, LARES = "stock", "Lares"
COMPILERS = ("gcc", "clang")
NODES = 4
# Small enough for two guests within a minute on two cores.
GUEST_MATRIX = (768, 64, 1, "interleaved")


def read_options():
    parser = harness.Parser(prog="demo.py", description=__doc__,
                            epilog="Example: bench/demo.py --rounds 5 --size 2048 --tile 128")
    harness.common_options(parser, rounds=5)
    parser.add_argument("--size", type=harness.positive, default=2048, metavar="N",
                        help="order of the matrix (default: 2048)")
    parser.add_argument("--tile", type=harness.positive, default=128, metavar="N",
                        help="order of a tile, divides the size (default: 128)")
    parser.add_argument("--repeats", type=harness.positive, default=5, metavar="N",
                        help="factorisations in a run; its time is their median (default: 5)")
    parser.add_argument("--threads", type=harness.positive, metavar="N",
                        help="OpenMP threads (default: as many as cores)")
    parser.add_argument("--policy", metavar="SPEC", help="policy for the runs under Lares")
    parser.add_argument("--domain", metavar="LEVEL", help="domain level for the runs under Lares")
    parser.add_argument("--no-lab", action="store_true",
                        help="leave out what is counted on four nodes that QEMU emulates")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text",
                        help="what is printed (default: text)")
    options = parser.parse_args()
    if options.size % options.tile:
        parser.error(f"--tile {options.tile} does not divide --size {options.size}")
    return options


def factorise(path, words, options, environment):
    """One run: median seconds and the residual of its check."""
    command = [*words, path, options.size, options.tile, options.repeats]
    lines = harness.run(command, environment, options.timeout).splitlines()
    found = [harness.fields(line) for line in lines]
    seconds = [float(each["seconds"]) for each in found if "seconds" in each]
    checks = [each for each in found if "result" in each]
    if not seconds or [each["result"] for each in checks] != ["ok"]:
        raise harness.ProgramFailed(f"did not report a right result: {harness.shown(command)}")
    return {"seconds": harness.Spread(seconds).median,
            "residual": float(checks[0]["residual"])}


def lares_options(options, policy):
    words = ["--policy", policy] if policy else []
    return words + (["--domain", options.domain] if options.domain else [])


def run_under_lares(path, lares, options, policy):
    """One sample, with the summary."""
    threads = {"OMP_NUM_THREADS": options.threads} if options.threads else {}
    environment = harness.clean_environment(OPENBLAS_NUM_THREADS=1, **threads)
    with harness.SummaryFile() as summary:
        words = harness.under_lares(lares, *summary.arguments, *lares_options(options, policy))
        sample = factorise(path, words, options, environment)
        return sample | {"summary": summary.read()}


def run_once(path, runtime, lares, options):
    """One sample; under Lares with the shares of its summary."""
    if runtime == LARES:
        return run_under_lares(path, lares, options, options.policy)
    threads = {"OMP_NUM_THREADS": options.threads} if options.threads else {}
    environment = harness.clean_environment(OPENBLAS_NUM_THREADS=1, **threads,
                                            **harness.stock_binding(options))
    return factorise(path, [], options, environment)


def built_programs(options):
    """Compiler -> program, for the compilers that built one."""
    folder = options.build / "examples"
    found = {name: folder / f"cholesky-{name}" for name in COMPILERS
             if os.access(folder / f"cholesky-{name}", os.X_OK)}
    # Names the first one that is missing, and what to do.
    return found or {COMPILERS[0]: harness.program(folder, f"cholesky-{COMPILERS[0]}")}


def measure(options, lares, programs):
    """(compiler, runtime) -> round -> sample."""
    pairs = [(compiler, runtime) for compiler in programs
             for runtime in ([STOCK, LARES] if lares else [STOCK])]
    samples = {pair: {} for pair in pairs}
    progress = harness.Progress(len(pairs) * options.rounds)
    for number, pair in harness.interleaved(pairs, options.rounds, options.seed):
        compiler, runtime = pair
        progress.step(f"round {number + 1}: cholesky-{compiler}, {runtime}")
        samples[pair][number] = run_once(programs[compiler], runtime, lares, options)
    progress.end()
    return samples


def guest_run(path, lares, runtime, options):
    """The lines that each node's cpus fetched while they factorised: [from their own node, from others]."""
    bound = {} if runtime == LARES else {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
    environment = harness.clean_environment(OPENBLAS_NUM_THREADS=1, **bound)
    words = [path, *GUEST_MATRIX]
    if runtime == LARES:
        words = harness.under_lares(lares, "--quiet", *lares_options(options, options.policy)) + words
    run = lab_guests.run_guest(lares, ["--nodes", NODES], words, count=True, environment=environment,
                               timeout=options.timeout)
    # From memory and from other cpus' caches: both come over the link if they are another node's.
    lines = lab_guests.lines_of(run.region("factorise"), ["read", "written", "transfer"])
    return [[row[node], sum(row) - row[node]] for node, row in enumerate(lines)]


def count_on_nodes(options, lares, programs):
    """Runtime -> the lines of each node, or nothing and why."""
    if options.no_lab or not lares:
        return {}, "was left out as asked"
    if not shutil.which("qemu-system-x86_64"):
        return {}, "needs QEMU: the package qemu-system-x86"
    compiler = next(iter(programs))
    counted = {}
    progress = harness.Progress(2)
    try:
        for runtime in (STOCK, LARES):
            progress.step(f"a guest of {NODES} nodes counts: cholesky-{compiler}, {runtime}")
            counted[runtime] = guest_run(programs[compiler], lares, runtime, options)
    except harness.ProgramFailed as failure:
        return {}, f"failed: {failure}"
    finally:
        progress.end()
    return counted, None


def times(samples, pair):
    return {number: sample["seconds"] for number, sample in samples.get(pair, {}).items()}


def median_share(samples, what, *kinds):
    """The median share over the runs that told one, or None."""
    found = [locality.share(each.get("summary"), what, *kinds) for each in samples.values()]
    found = [share for share in found if share is not None]
    return harness.Spread(found).median if found else None


def one_row(samples, pair):
    """What the table says about one compiler and runtime."""
    compiler, runtime = pair
    mine = samples[pair]
    ratio = None
    if runtime == LARES:
        ratio = harness.paired_ratio(times(samples, pair), times(samples, (compiler, STOCK)))
    return {
        "compiler": compiler, "runtime": runtime,
        "seconds": harness.Spread(times(samples, pair).values()).as_json(),
        "ratio_to_stock": ratio.as_json() if ratio else None,
        "tasks": {kind: median_share(mine, "tasks", kind) for kind in locality.KINDS},
        "bytes": {kind: median_share(mine, "bytes", kind) for kind in locality.KINDS},
        "residual": max(each["residual"] for each in mine.values()),
    }


def spread_text(spread, scale, form):
    return (f"{form(scale * spread['median'])} "
            f"[{form(scale * spread['min'])}..{form(scale * spread['max'])}]")


def share_text(shares):
    if all(share is None for share in shares.values()):
        return "-"
    return " / ".join(harness.percent(shares[kind]) for kind in locality.KINDS)


def text_table(rows):
    table = harness.Table(["built by, run", "time (ms)", "Lares / stock",
                           "tasks: local/same/remote", "bytes: local/same/remote", "residual"])
    for row in rows:
        ratio = row["ratio_to_stock"]
        table.add(f"{row['compiler']}, {row['runtime']}",
                  spread_text(row["seconds"], 1e3, harness.three_digits),
                  spread_text(ratio, 1, harness.two_decimals) if ratio else "-",
                  share_text(row["tasks"]), share_text(row["bytes"]),
                  f"{row['residual']:.1e}")
    return table.text()


def print_csv(rows):
    print("compiler,runtime,median_s,min_s,max_s,tasks_local,tasks_same_domain,tasks_remote,"
          "residual")
    for row in rows:
        cells = [row["compiler"], row["runtime"],
                 *(f"{row['seconds'][key]:.6f}" for key in ("median", "min", "max")),
                 *("" if row["tasks"][kind] is None else f"{row['tasks'][kind]:.4f}"
                   for kind in locality.KINDS),
                 f"{row['residual']:.3e}"]
        print(",".join(cells))


def met_here(rows, canvas):
    """Where the tasks under Lares met their data on this machine, as bars."""
    kinds = (picture.HOME, picture.NEAR, picture.AWAY)
    lines = [(f"{row['compiler']}, {row['runtime']}",
              [row["tasks"][kind] for kind in locality.KINDS])
             for row in rows if row["tasks"]["local"] is not None]
    return picture.bars(lines, kinds, canvas) if lines else None


def met_on_nodes(counted, canvas):
    """Whose lines the cpus of each node fetched, as bars."""
    rows = []
    for runtime, nodes in counted.items():
        every = [[sum(column) for column in zip(*nodes)], *nodes]
        names = [f"{runtime}, all nodes", *(f"  node {node}" for node in range(len(nodes)))]
        rows += [(name, [part / max(1, sum(lines)) for part in lines])
                 for name, lines in zip(names, every)]
    return picture.bars(rows, (picture.HOME, picture.AWAY), canvas)


def across(nodes):
    """Lines that came from other nodes."""
    return sum(lines[1] for lines in nodes)


def print_nodes(counted, compiler):
    size, tile = GUEST_MATRIX[:2]
    print(f"\nThe same program on {NODES} nodes that QEMU emulates ({size} x {size} in tiles of {tile}, "
          f"built by {compiler}, stock bound):\nwhere the cache lines came from that each node's cpus "
          "fetched, from memory or other caches.\n")
    print(met_on_nodes(counted, picture.Canvas()))
    stock, ours = across(counted[STOCK]), across(counted[LARES])
    print(f"\nLines from other nodes: {stock:,} stock, {ours:,} under Lares"
          + (f" ({ours / stock:.2f} of stock's)." if stock else "."))


def print_text(rows, options, where):
    print(f"Tiled Cholesky, {options.size} x {options.size} in tiles of {options.tile}, "
          f"{options.rounds} interleaved runs: median [least..most]")
    print(harness.provenance_line(where))
    print("Stock runs are " + ("bound to cores" if options.bind_stock else "not bound")
          + "; Lares binds by itself.\n")
    print(text_table(rows))
    print("\nEvery run's factor was checked against the matrix: all results are right.")
    bars = met_here(rows, picture.Canvas())
    if bars:
        print("\nWhere the tasks met their data, on this machine:\n")
        print(bars)


def body():
    options = read_options()
    where = harness.provenance()
    lares, programs = harness.lares_command(options), built_programs(options)
    samples = measure(options, lares, programs)
    rows = [one_row(samples, pair) for pair in samples]
    if options.format == "text":
        print_text(rows, options, where)
        sys.stdout.flush()
    counted, why_not = count_on_nodes(options, lares, programs)
    document = {"format": "lares-demo", "version": 1, "provenance": where, "rows": rows,
                "lines_by_node": counted,
                "samples": [{"compiler": pair[0], "runtime": pair[1], "round": number} | sample
                            for pair, rounds in samples.items()
                            for number, sample in rounds.items()]}
    if options.json:
        harness.write_json(options.json, document)
    if options.format == "json":
        print(json.dumps(document, indent=1))
    elif options.format == "csv":
        print_csv(rows)
    elif counted:
        print_nodes(counted, next(iter(programs)))
    if why_not and not options.no_lab and lares:
        print(f"demo.py: what `lares lab` counts on {NODES} nodes {why_not}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    harness.main("demo.py", body)
