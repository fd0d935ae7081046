#!/usr/bin/env python3
"""A repeated sweep over blocks that fit the L2 caches: stock OpenMP and Lares with L2 domains.

Blocks that return to the core that holds them are fast; the program counts how many do, and the
summary of Lares says how many tasks ran where their data is.
"""

import json

import harness
import locality

POLICIES = ["auto", "locality-queues", "virouleau", "push=most-bytes,steal=nearest", "stock-like"]
COMPILERS = {"gcc": "libgomp", "clang": "libomp"}
STOCK = "stock"


def read_options():
    parser = harness.Parser(prog="l2sweep.py", description=__doc__,
                            epilog="Example: bench/l2sweep.py --policy auto --policy stock-like")
    harness.common_options(parser, rounds=7)
    parser.add_argument("--policy", action="append", metavar="SPEC",
                        help=f"policy to compare, may be repeated (default: {'; '.join(POLICIES)})")
    parser.add_argument("--domain", default="l2", metavar="LEVEL",
                        help="domain level for Lares (default: l2)")
    parser.add_argument("--threads", type=harness.positive, metavar="N",
                        help="OpenMP threads (default: as many as cores)")
    parser.add_argument("--fill", type=harness.positive, default=65, metavar="PERCENT",
                        help="part of each L2 cache that the blocks take (default: 65)")
    parser.add_argument("--block", type=harness.positive, default=64, metavar="KIB",
                        help="KiB of a block (default: 64)")
    parser.add_argument("--sweeps", type=harness.positive, default=1000, metavar="N",
                        help="sweeps in a run; its time is their median (default: 1000)")
    parser.add_argument("--start", choices=("serial", "parallel"), default="parallel",
                        help="who writes the blocks first: one thread or all (default: parallel)")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text",
                        help="what is printed (default: text)")
    options = parser.parse_args()
    options.policy = options.policy or POLICIES
    options.threads = options.threads or harness.provenance()["cores"]
    return options


def sweep_arguments(options, seed):
    per_thread = harness.l2_bytes() * options.fill // 100
    return ["--bytes-per-thread", per_thread, "--block", options.block * 1024,
            "--sweeps", options.sweeps, "--start", options.start, "--seed", seed]


def parse(output, command):
    found = harness.fields(output)
    try:
        return {"us": float(found["us_per_sweep"]), "same_core": float(found["same_core"]),
                "same_thread": float(found["same_thread"]), "away": float(found["away"])}
    except (KeyError, ValueError):
        raise harness.ProgramFailed(f"printed no result: {harness.shown(command)}") from None


def run_once(path, policy, lares, options, seed):
    arguments = sweep_arguments(options, seed)
    if policy == STOCK:
        environment = harness.clean_environment(OMP_NUM_THREADS=options.threads,
                                                **harness.stock_binding(options))
        command = [path, *arguments]
        return parse(harness.run(command, environment, options.timeout), command)
    environment = harness.clean_environment(OMP_NUM_THREADS=options.threads)
    with harness.SummaryFile() as summary:
        command = [*harness.under_lares(lares, *summary.arguments, "--domain", options.domain,
                                        "--policy", policy), path, *arguments]
        sample = parse(harness.run(command, environment, options.timeout), command)
        return sample | {"summary": summary.read()}


def measure(options):
    """(compiler, policy or stock) -> round -> sample."""
    lares = harness.lares_command(options)
    programs = {name: harness.program(options.build / "bench", f"l2sweep-{name}")
                for name in COMPILERS}
    setups = [STOCK] + (options.policy if lares else [])
    pairs = [(compiler, setup) for compiler in programs for setup in setups]
    samples = {pair: {} for pair in pairs}
    progress = harness.Progress(len(pairs) * options.rounds)
    for number, (compiler, setup) in harness.interleaved(pairs, options.rounds, options.seed):
        progress.step(f"round {number + 1}: {compiler}, {setup}")
        # The same seed for all of one round: they sweep in the same orders.
        sample = run_once(programs[compiler], setup, lares, options, number + 1)
        samples[compiler, setup][number] = sample
    progress.end()
    return samples


def column(samples, pair, key):
    return {number: sample[key] for number, sample in samples[pair].items()}


def local_share(rounds, what):
    """Median share of the summaries that is local to a core or to its domain."""
    found = [locality.share(each.get("summary"), what, "local", "same_domain")
             for each in rounds.values()]
    found = [share for share in found if share is not None]
    return harness.Spread(found).median if found else None


def one_row(samples, pair):
    compiler, setup = pair
    times = column(samples, pair, "us")
    row = {"compiler": compiler, "setup": setup,
           "us_per_sweep": harness.Spread(times.values()).as_json(),
           "same_core": harness.Spread(column(samples, pair, "same_core").values()).as_json(),
           "away": harness.Spread(column(samples, pair, "away").values()).as_json(),
           "in_domain_tasks": local_share(samples[pair], "tasks"),
           "in_domain_bytes": local_share(samples[pair], "bytes"), "speedup": {}}
    for other, runtime in COMPILERS.items():
        if setup != STOCK:
            speedup = harness.paired_ratio(column(samples, (other, STOCK), "us"), times)
            row["speedup"][runtime] = speedup.as_json()
    return row


def spread_text(spread, form):
    return f"{form(spread['median'])} [{form(spread['min'])}..{form(spread['max'])}]"


def text_table(rows):
    table = harness.Table(["program, run", "us per sweep",
                           *(f"stock {name} / this" for name in COMPILERS.values()),
                           "same core as before", "not by creator", "tasks in domain",
                           "bytes in domain"])
    for row in rows:
        speedups = [spread_text(row["speedup"][name], harness.two_decimals)
                    if name in row["speedup"] else "-" for name in COMPILERS.values()]
        table.add(f"{row['compiler']}, {row['setup']}",
                  spread_text(row["us_per_sweep"], harness.three_digits), *speedups,
                  spread_text(row["same_core"], harness.percent),
                  harness.percent(row["away"]["median"]),
                  harness.percent(row["in_domain_tasks"]), harness.percent(row["in_domain_bytes"]))
    return table.text()


def print_text(rows, options, where):
    print(f"Sweeps over blocks of {options.block} KiB that fill {options.fill}% of the L2 caches "
          f"of {options.threads} cores, in random order; {options.rounds} interleaved runs: "
          "median [least..most]")
    print(harness.provenance_line(where))
    print("Stock runs are " + ("bound to cores" if options.bind_stock else "not bound")
          + f"; Lares binds by itself, domains at level {options.domain}.\n")
    print(text_table(rows))


def print_csv(rows):
    print("compiler,setup,median_us,min_us,max_us,same_core,away,in_domain_tasks,in_domain_bytes")
    for row in rows:
        optional = ("" if row[key] is None else f"{row[key]:.4f}"
                    for key in ("in_domain_tasks", "in_domain_bytes"))
        times = (f"{row['us_per_sweep'][key]:.3f}" for key in ("median", "min", "max"))
        print(",".join([row["compiler"], f'"{row["setup"]}"', *times,
                        f"{row['same_core']['median']:.4f}",
                        f"{row['away']['median']:.4f}", *optional]))


def body():
    options = read_options()
    where = harness.provenance()
    samples = measure(options)
    rows = [one_row(samples, pair) for pair in samples]
    document = {"format": "lares-l2sweep", "version": 1, "provenance": where,
                "options": {"threads": options.threads, "block_kib": options.block,
                            "fill_percent": options.fill, "sweeps": options.sweeps,
                            "start": options.start, "domain": options.domain,
                            "stock_bound": options.bind_stock},
                "rows": rows,
                "samples": [{"compiler": pair[0], "setup": pair[1], "round": number} | sample
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
    harness.main("l2sweep.py", body)
