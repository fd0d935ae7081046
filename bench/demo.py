#!/usr/bin/env python3
"""A tiled Cholesky by OpenMP tasks, built by GCC and by Clang: stock and under Lares.

Runs are interleaved; each factorises the matrix several times and checks it against LAPACK.
"""

import json

import harness
import locality

STOCK, LARES = "stock", "Lares"


def read_options():
    parser = harness.Parser(prog="demo.py", description=__doc__,
                            epilog="Example: bench/demo.py --rounds 5 --size 2048 --tile 128")
    harness.common_options(parser, rounds=5)
    parser.add_argument("--size", type=harness.positive, default=3072, metavar="N",
                        help="order of the matrix (default: 3072)")
    parser.add_argument("--tile", type=harness.positive, default=128, metavar="N",
                        help="order of a tile, divides the size (default: 128)")
    parser.add_argument("--repeats", type=harness.positive, default=5, metavar="N",
                        help="factorisations in a run; its time is their median (default: 5)")
    parser.add_argument("--threads", type=harness.positive, metavar="N",
                        help="OpenMP threads (default: as many as cores)")
    parser.add_argument("--policy", metavar="SPEC", help="policy for the runs under Lares")
    parser.add_argument("--domain", metavar="LEVEL", help="domain level for the runs under Lares")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text",
                        help="what is printed (default: text)")
    options = parser.parse_args()
    if options.size % options.tile:
        parser.error(f"--tile {options.tile} does not divide --size {options.size}")
    return options


def factorise(path, words, options, environment):
    """One run: median seconds and the two residuals."""
    command = [*words, path, options.size, options.tile, options.repeats]
    lines = harness.run(command, environment, options.timeout).splitlines()
    found = [harness.fields(line) for line in lines]
    seconds = [float(each["seconds"]) for each in found if "seconds" in each]
    checks = [each for each in found if "result" in each]
    if not seconds or [each["result"] for each in checks] != ["ok"]:
        raise harness.ProgramFailed(f"did not report a right result: {harness.shown(command)}")
    return {"seconds": harness.Spread(seconds).median,
            "difference": float(checks[0]["difference"]),
            "backward": float(checks[0]["backward"])}


def run_once(path, runtime, lares, options):
    """One sample; under Lares with the shares of its summary."""
    threads = {"OMP_NUM_THREADS": options.threads} if options.threads else {}
    if runtime == STOCK:
        environment = harness.clean_environment(OPENBLAS_NUM_THREADS=1, **threads,
                                                **harness.stock_binding(options))
        return factorise(path, [], options, environment)
    environment = harness.clean_environment(OPENBLAS_NUM_THREADS=1, **threads)
    extra = ["--policy", options.policy] if options.policy else []
    extra += ["--domain", options.domain] if options.domain else []
    with harness.SummaryFile() as summary:
        words = harness.under_lares(lares, *summary.arguments, *extra)
        sample = factorise(path, words, options, environment)
        return sample | {"summary": summary.read()}


def measure(options):
    """(compiler, runtime) -> round -> sample."""
    lares = harness.lares_command(options)
    programs = {name: harness.program(options.build / "examples", f"cholesky-{name}")
                for name in ("gcc", "clang")}
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
        "difference": max(each["difference"] for each in mine.values()),
        "backward": max(each["backward"] for each in mine.values()),
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
                           "tasks: local/same/remote", "bytes: local/same/remote", "to LAPACK",
                           "residual"])
    for row in rows:
        ratio = row["ratio_to_stock"]
        table.add(f"{row['compiler']}, {row['runtime']}",
                  spread_text(row["seconds"], 1e3, harness.three_digits),
                  spread_text(ratio, 1, harness.two_decimals) if ratio else "-",
                  share_text(row["tasks"]), share_text(row["bytes"]),
                  f"{row['difference']:.1e}", f"{row['backward']:.1e}")
    return table.text()


def print_csv(rows):
    print("compiler,runtime,median_s,min_s,max_s,tasks_local,tasks_same_domain,tasks_remote,"
          "difference,backward")
    for row in rows:
        cells = [row["compiler"], row["runtime"],
                 *(f"{row['seconds'][key]:.6f}" for key in ("median", "min", "max")),
                 *("" if row["tasks"][kind] is None else f"{row['tasks'][kind]:.4f}"
                   for kind in locality.KINDS),
                 f"{row['difference']:.3e}", f"{row['backward']:.3e}"]
        print(",".join(cells))


def print_text(rows, options, where):
    print(f"Tiled Cholesky, {options.size} x {options.size} in tiles of {options.tile}, "
          f"{options.rounds} interleaved runs: median [least..most]")
    print(harness.provenance_line(where))
    print("Stock runs are " + ("bound to cores" if options.bind_stock else "not bound")
          + "; Lares binds by itself.\n")
    print(text_table(rows))
    print("\nEvery run was checked against LAPACK's dpotrf: all results are right.")


def body():
    options = read_options()
    where = harness.provenance()
    samples = measure(options)
    rows = [one_row(samples, pair) for pair in samples]
    document = {"format": "lares-demo", "version": 1, "provenance": where, "rows": rows,
                "samples": [{"compiler": pair[0], "runtime": pair[1], "round": number} | sample
                            for pair, rounds in samples.items()
                            for number, sample in rounds.items()]}
    if options.json:
        harness.write_json(options.json, document)
    if options.format == "json":
        print(json.dumps(document, indent=1))
    elif options.format == "csv":
        print_csv(rows)
    else:
        print_text(rows, options, where)
    return 0


if __name__ == "__main__":
    harness.main("demo.py", body)
