#!/usr/bin/env python3
"""What tasks and barriers cost under two builds of Lares: whether a change made the runtime slower.

    bench/overhead_between.py ../before/build/release/lares build/release/lares
    bench/overhead_between.py OLD NEW --rows fib,chain --threads 2 --rounds 15

Both run the same programs (bench/overhead), interleaved. A ratio is the median over the rounds of what the
second took to what the first took within the same second. With --at-most the exit status is 1 if a ratio is
above it. To see the noise, name the same build twice.
"""

import argparse
import pathlib

import harness
import overhead

# Loops stay with the stock runtime unless asked for.
ROWS = [row for row in overhead.ROWS if not row.startswith(("dynamic", "guided", "static"))]
BUILDS = ("before", "after")


def read_options():
    parser = harness.Parser(prog="overhead_between.py", description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path, metavar="BEFORE", help="a command lares")
    parser.add_argument("after", type=pathlib.Path, metavar="AFTER", help="the other")
    parser.add_argument("--build", type=pathlib.Path, default=harness.ROOT / "build" / "release", metavar="DIR",
                        help="build folder with the programs (default: build/release)")
    parser.add_argument("--rows", default=",".join(ROWS), metavar="LIST",
                        help="comma list of rows of bench/overhead.py (default: all but loops)")
    parser.add_argument("--threads", type=harness.whole_numbers, default=[1, 2, 4], metavar="LIST",
                        help="comma list of thread counts (default: 1,2,4)")
    parser.add_argument("--rounds", type=harness.positive, default=9, metavar="N",
                        help="how often each is measured (default: 9)")
    parser.add_argument("--min-ms", type=harness.positive, default=20, metavar="MS",
                        help="how long each run measures (default: 20)")
    parser.add_argument("--timeout", type=harness.positive, default=120, metavar="S",
                        help="seconds after which a run counts as hung (default: 120)")
    parser.add_argument("--at-most", type=float, metavar="RATIO", help="exit 1 if a ratio is above it")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE",
                        help="also put the ratios between the marks 'overhead-between' of FILE")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write every measurement to FILE")
    options = parser.parse_args()
    options.rows = options.rows.split(",")
    for row in options.rows:
        if row not in overhead.ROWS:
            parser.error(f"unknown row '{row}' in --rows, accepted are {', '.join(overhead.ROWS)}")
    for lares in (options.before, options.after):
        if not lares.is_file():
            parser.error(f"no file {lares}")
    return options


def measure(options):
    """{(row, threads, stock): {build: {round: ns}}}"""
    commands = dict(zip(BUILDS, (options.before.resolve(), options.after.resolve())))
    cells = [(row, threads, stock) for threads in options.threads for row in options.rows
             for stock in overhead.STOCK]
    samples = {cell: {build: {} for build in BUILDS} for cell in cells}
    progress = harness.Progress(len(cells) * len(BUILDS) * options.rounds)
    for number in range(options.rounds):
        for cell in cells:
            row, threads, stock = cell
            program = harness.program(options.build / "bench", overhead.STOCK[stock])
            for _, build in harness.interleaved(list(BUILDS), 1, f"{number}/{cell}"):
                progress.step(f"round {number + 1}: {row}, {threads} threads, {stock}, {build}")
                configuration = (harness.under_lares(commands[build], "--quiet"), program, {})
                samples[cell][build][number] = overhead.measure_once(configuration, row, threads, options)["ns"]
    progress.end()
    return samples


def ratio_of(found):
    return harness.paired_ratio(found["after"], found["before"])


def ratios_table(options, samples):
    """One row a benchmark, one column a runtime and number of threads."""
    columns = [(threads, stock) for threads in options.threads for stock in overhead.STOCK]
    names = [f"{stock}, {threads} thread{'s' * (threads > 1)}" for threads, stock in columns]
    table = harness.Table(["after / before", *names])
    for row in options.rows:
        table.add(overhead.ROWS[row], *(ratio_of(samples[row, threads, stock]).text(harness.two_decimals)
                                        for threads, stock in columns))
    return table


def body():
    options = read_options()
    samples = measure(options)
    table = harness.Table(["row", "threads", "runtime", "before, ns", "after, ns", "after / before"])
    worst = 0.0
    for (row, threads, stock), found in samples.items():
        ratio = ratio_of(found)
        worst = max(worst, ratio.median)
        table.add(overhead.ROWS[row], str(threads), stock,
                  *(harness.Spread(found[build].values()).text(harness.three_digits) for build in BUILDS),
                  ratio.text(harness.two_decimals))
    print(table.text())
    print(f"the worst ratio: {worst:.3f}")
    if options.markdown:
        harness.replace_marked(options.markdown, "overhead-between", ratios_table(options, samples).markdown())
    if options.json:
        harness.write_json(options.json, [{"row": row, "threads": threads, "runtime": stock, **found}
                                          for (row, threads, stock), found in samples.items()])
    return 1 if options.at_most is not None and worst > options.at_most else 0


if __name__ == "__main__":
    harness.main("overhead_between", body)
