#!/usr/bin/env python3
"""What a task, a loop, a barrier and a parallel region cost: stock OpenMP, Lares and oneTBB.

Runs the same programs on libgomp, libgomp under Lares, libomp, libomp under Lares and oneTBB,
interleaved, one row a run, and prints nanoseconds per operation: medians over the rounds.
"""

import argparse
import csv
import json
import pathlib
import sys

import harness

ROWS = {
    "producer": "one producer, empty tasks",
    "fib": "recursive fib, two tasks and a taskwait each",
    "chain": "chain of depend inout",
    "fan": "fan: one writer, 16 readers",
    "independent": "independent tasks with depend",
    "stencil": "stencil of depends",
    "taskloop": "taskloop, default grain, per iteration",
    "taskloop-1": "taskloop grainsize(1), per task",
    "spawn-wait": "spawn 20 and taskwait, per task",
    "taskgroup": "taskgroup of one task",
    "dynamic": "schedule(dynamic,1), per chunk",
    "dynamic-16": "schedule(dynamic,16), per iteration",
    "dynamic-128": "schedule(dynamic,128), per iteration",
    "dynamic-ull": "schedule(dynamic,1) over unsigned long long, per chunk",
    "dynamic-collapse": "collapse(2) schedule(dynamic,1), per chunk",
    "guided": "schedule(guided), loop of 64 iterations",
    "static": "schedule(static), loop of 64 iterations",
    "barrier": "barrier",
    "parallel": "empty parallel region",
}
TBB_ROWS = ("producer", "fib", "chain", "fan", "stencil", "taskloop", "taskloop-1", "spawn-wait",
            "taskgroup")
STOCK = {"libgomp": "overhead-gcc", "libomp": "overhead-clang"}
TBB = "oneTBB"
UNDER_LARES = " + Lares"
GOAL_THREADS = 2
THIRD_ROWS = ("chain", "fan", "independent")
LOOPS_OF_LARES = ("dynamic", 0.75)  # with --loops numa: of the better stock runtime
OVERSUBSCRIBED = (4, 2, 1.1)  # with 4 threads at most 1.1 times what 2 threads need


def read_options():
    parser = harness.Parser(
        prog="overhead.py", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="rows:\n" + "\n".join(f"  {row:<12} {what}" for row, what in ROWS.items())
        + "\n\nExample: bench/overhead.py --rows fib,chain --threads 2 --rounds 7")
    harness.common_options(parser, rounds=7)
    parser.add_argument("--rows", default=",".join(ROWS), metavar="LIST",
                        help=f"comma list of rows: {', '.join(ROWS)} (default: all)")
    parser.add_argument("--threads", type=harness.whole_numbers, default=[1, 2, 4], metavar="LIST",
                        help="comma list of thread counts (default: 1,2,4)")
    parser.add_argument("--min-ms", type=harness.positive, default=50, metavar="MS",
                        help="how long each run measures (default: 50)")
    parser.add_argument("--policy", metavar="SPEC", help="policy for the runs under Lares")
    parser.add_argument("--loops", metavar="HOW", help="who hands out loops under Lares")
    parser.add_argument("--domain", metavar="LEVEL", help="what makes a domain under Lares")
    parser.add_argument("--from", dest="source", type=pathlib.Path, metavar="FILE",
                        help="measure nothing, show what --json wrote to FILE earlier")
    parser.add_argument("--format", choices=("text", "json", "csv", "markdown"), default="text",
                        help="what is printed (default: text)")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE",
                        help="also put the table between the lines '<!-- overhead -->' and "
                             "'<!-- /overhead -->' of FILE")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is not met")
    options = parser.parse_args()
    options.rows = options.rows.split(",")
    for row in options.rows:
        if row not in ROWS:
            parser.error(f"unknown row '{row}' in --rows, accepted are {', '.join(ROWS)}")
    return options


def configurations(options):
    """Column name -> (words before the program, program, environment)."""
    lares = harness.lares_command(options)
    policy = [word for name in ("policy", "loops", "domain") if getattr(options, name)
              for word in (f"--{name}", getattr(options, name))]
    found = {}
    for name, binary in STOCK.items():
        path = harness.program(options.build / "bench", binary)
        found[name] = ([], path, harness.stock_binding(options))
        if lares:
            found[name + UNDER_LARES] = (harness.under_lares(lares, "--quiet", *policy), path, {})
    found[TBB] = ([], harness.program(options.build / "bench", "overhead-tbb"), {})
    return found


def measure_once(configuration, row, threads, options):
    """One run of one row."""
    prefix, path, settings = configuration
    command = [*prefix, path, "--min-ms", options.min_ms, row]
    environment = harness.clean_environment(OMP_NUM_THREADS=threads, **settings)
    found = harness.fields(harness.run(command, environment, options.timeout))
    try:
        return {key: float(found[key]) for key in ("ns", "min", "mean")}
    except (KeyError, ValueError):
        raise harness.ProgramFailed(f"printed no result: {harness.shown(command)}") from None


def plan(options, columns):
    """Every (row, threads, column) once."""
    return [(row, threads, column) for threads in options.threads for row in options.rows
            for column in columns if column != TBB or row in TBB_ROWS]


def measure_all(options):
    """All samples of all rounds, and sentences about runs that failed."""
    columns = configurations(options)
    work = plan(options, columns)
    samples, failures = [], []
    progress = harness.Progress(len(work) * options.rounds)
    for number in range(options.rounds):
        # Interleaved within each row, so that what is compared ran within the same second.
        for row, threads in dict.fromkeys((row, threads) for row, threads, _ in work):
            together = [column for r, t, column in work if (r, t) == (row, threads)]
            seed = f"{options.seed}/{number}/{row}/{threads}"
            for _, column in harness.interleaved(together, 1, seed):
                progress.step(f"round {number + 1}: {row}, {threads} threads, {column}")
                try:
                    result = measure_once(columns[column], row, threads, options)
                except harness.ProgramFailed as failure:
                    failures.append(str(failure))
                    continue
                samples.append({"round": number, "row": row, "threads": threads, "column": column,
                                **result})
    progress.end()
    return samples, failures


def describe_options(options):
    return {"rounds": options.rounds, "min_ms": options.min_ms, "policy": options.policy,
            "loops": options.loops, "domain": options.domain, "stock_bound": options.bind_stock, "rows": options.rows, "threads": options.threads}


class Results:
    """The samples of a document, by row, threads and column."""

    def __init__(self, document):
        self.document = document
        self.rows = document["options"]["rows"]
        self.threads = document["options"]["threads"]
        self.hands_out_loops = (document["options"].get("loops") or "").startswith("numa")
        self._by = {}
        for sample in document["samples"]:
            key = sample["row"], sample["threads"], sample["column"]
            self._by.setdefault(key, {})[sample["round"]] = sample["ns"]
        self.columns = [name for stock in STOCK for name in (stock, stock + UNDER_LARES)
                        if any(key[2] == name for key in self._by)]
        self.columns += [TBB] if any(key[2] == TBB for key in self._by) else []

    def rounds(self, row, threads, column):
        """Round -> ns."""
        return self._by.get((row, threads, column), {})

    def spread(self, row, threads, column):
        samples = self.rounds(row, threads, column)
        return harness.Spread(samples.values()) if samples else None

    def median(self, row, threads, column):
        spread = self.spread(row, threads, column)
        return spread.median if spread else None

    def ratio(self, row, threads, stock):
        """Lares over stock, pairs of one round."""
        return harness.paired_ratio(self.rounds(row, threads, stock + UNDER_LARES),
                                    self.rounds(row, threads, stock))


def goal(text, row, ratio, limit):
    """One goal: the median of a ratio within rounds is at most `limit`."""
    return {"goal": text, "row": row, "ratio": ratio.as_json(), "limit": limit,
            "met": ratio.median <= limit}


def better_stock(results, row, threads):
    """The column of the stock runtime with the smaller median, or None."""
    medians = {stock: results.median(row, threads, stock) for stock in STOCK}
    known = [stock for stock, value in medians.items() if value is not None]
    return min(known, key=medians.get, default=None)


def row_goals(results, row):
    """The goals at two threads for one row."""
    threads = GOAL_THREADS
    best = better_stock(results, row, threads)
    for stock in STOCK:
        ours = results.rounds(row, threads, stock + UNDER_LARES)
        against = [(stock, stock, 1.0)]
        if row == "fib":
            against.append((TBB, TBB, 1.0))
        if row in THIRD_ROWS and best:
            against.append((f"better stock ({best})", best, 1.0 / 3.0))
        if row == LOOPS_OF_LARES[0] and best and results.hands_out_loops:
            against.append((f"better stock ({best})", best, LOOPS_OF_LARES[1]))
        for name, column, limit in against:
            ratio = harness.paired_ratio(ours, results.rounds(row, threads, column))
            if ratio:
                yield goal(f"{stock} + Lares / {name}, {threads} threads", row, ratio, limit)


def oversubscription_goals(results, row):
    many, few, limit = OVERSUBSCRIBED
    for stock in STOCK:
        ratio = harness.paired_ratio(results.rounds(row, many, stock + UNDER_LARES),
                                     results.rounds(row, few, stock + UNDER_LARES))
        if ratio:
            yield goal(f"{stock} + Lares, {many} / {few} threads", row, ratio, limit)


def all_goals(results):
    for row in results.rows:
        if GOAL_THREADS in results.threads:
            yield from row_goals(results, row)
        yield from oversubscription_goals(results, row)


def ratio_cells(results, row, threads, stock):
    ratio = results.ratio(row, threads, stock)
    return ratio.text(harness.two_decimals) if ratio else "-"


def timing_table(results, threads, labels):
    """One row a benchmark: medians, spreads, ratios. `labels` names the rows."""
    header = ["row"]
    for column in results.columns:
        header.append(column)
        if column.endswith(UNDER_LARES):
            header.append("ratio")
    table = harness.Table(header)
    for row in results.rows:
        cells = [labels[row]]
        for column in results.columns:
            spread = results.spread(row, threads, column)
            cells.append(spread.text(harness.three_digits) if spread else "-")
            if column.endswith(UNDER_LARES):
                cells.append(ratio_cells(results, row, threads, column[:-len(UNDER_LARES)]))
        table.add(*cells)
    return table


def goal_table(goals):
    table = harness.Table(["goal not met", "row", "ratio", "at most", "above by"])
    for each in goals:
        ratio, limit = each["ratio"], each["limit"]
        spread = (f"{ratio['median']:.2f} [{ratio['min']:.2f}..{ratio['max']:.2f}]")
        table.add(each["goal"], each["row"], spread, harness.two_decimals(limit),
                  f"{100 * (ratio['median'] / limit - 1):.0f}%")
    return table


def setup_lines(document):
    options = document["options"]
    bound = ("bound to cores (OMP_PLACES=cores, OMP_PROC_BIND=close)" if options["stock_bound"]
             else "not bound (no OMP_ variable but OMP_NUM_THREADS)")
    policy = f" with policy {options['policy']}" if options["policy"] else ""
    return [harness.provenance_line(document["provenance"]),
            f"Nanoseconds per operation: median [least..most] of {options['rounds']} interleaved "
            f"rounds of {options['min_ms']} ms; ratios are taken within a round.",
            f"Stock runs are {bound}; Lares binds by itself{policy}."]


def report(results, render, heading, labels):
    """The whole result, with tables as `render` makes them."""
    parts = ["\n".join(setup_lines(results.document))]
    for threads in results.threads:
        parts.append(heading(f"{threads} thread{'s' if threads > 1 else ''}"))
        parts.append(render(timing_table(results, threads, labels)))
    goals = list(all_goals(results))
    missed = [each for each in goals if not each["met"]]
    if goals:
        parts.append(heading(f"Goals: {len(goals) - len(missed)} of {len(goals)} met"))
    if missed:
        parts.append(render(goal_table(missed)))
    parts += [f"Failed: {failure}" for failure in results.document["failures"]]
    return "\n\n".join(parts)


def markdown(results):
    return report(results, harness.Table.markdown, lambda text: f"**{text}**", ROWS)


def print_csv(results):
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["row", "threads", "column", "median_ns", "min_ns", "max_ns", "runs"])
    for threads in results.threads:
        for row in results.rows:
            for column in results.columns:
                spread = results.spread(row, threads, column)
                if spread:
                    writer.writerow([row, threads, column, f"{spread.median:.3f}",
                                     f"{spread.least:.3f}", f"{spread.most:.3f}", spread.count])


def print_results(results, form):
    if form == "json":
        print(json.dumps(results.document, indent=1))
    elif form == "csv":
        print_csv(results)
    elif form == "markdown":
        print(markdown(results))
    else:
        names = {row: row for row in ROWS}  # a terminal is narrow; --help explains them
        print(report(results, harness.Table.text, lambda text: text, names))


def load(path):
    try:
        document = json.loads(path.read_text())
        Results(document)
        return document
    except OSError as error:
        raise harness.Mistake(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise harness.Mistake(f"{path} is no file that overhead.py --json wrote") from None


def body():
    options = read_options()
    if options.source:
        document = load(options.source)
    else:
        where = harness.provenance()
        samples, failures = measure_all(options)
        document = {"format": "lares-overhead", "version": 1, "provenance": where,
                    "options": describe_options(options), "failures": failures, "samples": samples}
        document["goals"] = list(all_goals(Results(document)))
    if options.json:
        harness.write_json(options.json, document)
    results = Results(document)
    print_results(results, options.format)
    if options.markdown:
        harness.replace_marked(options.markdown, "overhead", markdown(results))
    missed = options.check and not all(each["met"] for each in all_goals(results))
    return 1 if document["failures"] or missed else 0


if __name__ == "__main__":
    harness.main("overhead.py", body)
