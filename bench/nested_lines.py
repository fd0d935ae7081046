#!/usr/bin/env python3
"""Counts, in a guest of several nodes, which cache lines cross between nodes in ForestGOMP's nested STREAMs
(Broquedis et al. 2010, 5.3 to 5.5) and in independent solves (Schmidl 2016, 6.3.1): the same binaries
alone, and under `lares run --bubbles`. There is a team for each node.

    bench/nested_lines.py                       five runs each (an hour on two cores)
    bench/nested_lines.py --benchmarks solves   only these
    bench/nested_lines.py --nodes 8             8 nodes with 2 cpus each
    bench/nested_lines.py --write               also writes the tables into docs/bubbles.md

A row of a table is what the program tells Lares, and who places its threads. Bytes that moved are those
of pages that are in another domain afterwards; the solves do not tell. Flat solves are one team with all
cpus, which does one solve after another.
"""

import json
import statistics

import harness
import lab_compare
import lab_guests

UNBOUND = {}
BOUND = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "spread,close"}
BOUND_FLAT = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}
STREAMS = ("nested", "remote", "mixed", "imbalanced")
DOCS = harness.ROOT / "docs" / "bubbles.md"
# The tables by the names of their places in docs/bubbles.md.
TABLES = {"nested-lines": STREAMS, "nested-solves": ("solves",)}
BENCHMARKS = [benchmark for benchmarks in TABLES.values() for benchmark in benchmarks]
SOLVES_OF_A_TEAM, SIDE = 2, 24


class Row:
    """One way to run one of the benchmarks. `bubbles` None: the program alone; `flat`: by one team."""

    def __init__(self, benchmark, told, bubbles=None, environment=None, flat=False):
        self.benchmark, self.told, self.bubbles, self.flat = benchmark, told, bubbles, flat
        self.environment = environment or UNBOUND

    def name(self):
        benchmark = self.benchmark
        if benchmark == "solves":
            benchmark += " flat" if self.flat else " nested"
        how = f"--bubbles {self.bubbles}" if self.bubbles else \
            "alone, bound" if self.environment else "alone"
        told = "" if self.told == "none" else f", told {self.told}"
        return f"{benchmark}, {how}{told}"


def rows_of_solves():
    """One solve at a time by all, and several at a time by teams."""
    flat = [Row("solves", "none", bubbles, environment, flat=True)
            for bubbles, environment in ((None, UNBOUND), (None, BOUND_FLAT), ("off", UNBOUND))]
    nested = [Row("solves", "none", bubbles, environment)
              for bubbles, environment in ((None, UNBOUND), (None, BOUND), ("off", UNBOUND),
                                           ("cache", UNBOUND))]
    return [*flat, *nested, Row("solves", "threads", "memory")]


def plan(benchmarks):
    """The rows, in the order of the tables."""
    rows = []
    for benchmark in STREAMS:
        if benchmark not in benchmarks:
            continue
        rows += [Row(benchmark, "none"), Row(benchmark, "none", environment=BOUND),
                 Row(benchmark, "none", "off"), Row(benchmark, "none", "cache")]
        if benchmark in ("remote", "mixed"):
            rows.append(Row(benchmark, "next-touch", "cache"))
        if benchmark == "mixed":
            rows.append(Row(benchmark, "mixed", "memory"))
        else:
            rows.append(Row(benchmark, "threads" if benchmark != "nested" else "none", "memory"))
    return rows + (rows_of_solves() if "solves" in benchmarks else [])


def arguments_of_solves(row, options):
    teams, inner = (1, options.nodes * options.cpus) if row.flat else (options.nodes, options.cpus)
    return [f"teams={teams}", f"inner={inner}", f"solves={SOLVES_OF_A_TEAM * options.nodes}",
            f"side={SIDE}"], "solves"


def arguments(row, options):
    """The program's settings, and the region to look at."""
    benchmark = row.benchmark
    if benchmark == "solves":
        return arguments_of_solves(row, options)
    common = [f"teams={options.nodes}", f"mb={options.mb}"]
    if benchmark == "nested":
        return [*common, "kind=nested", f"inner={options.cpus}", "times=2"], "nested"
    if benchmark == "imbalanced":
        return [*common, "kind=imbalanced", f"inner={2 * options.cpus}", "loads=15,15,30,1"], \
            "imbalanced"
    return [*common, "kind=twisted", f"data={benchmark}", f"inner={options.cpus}", "passes=4"], "phase2"


def one_run(options, compiler, row):
    """The lines of one run, and what moved."""
    settings, region = arguments(row, options)
    program = "nested_solves" if row.benchmark == "solves" else "nested_stream"
    words = [harness.program(options.build / "bench", f"{program}-{compiler}"), *settings,
             f"tell={row.told}"]
    if row.bubbles:
        words = harness.under_lares(lab_compare.lares_of(options), "--quiet", "--bubbles",
                                    row.bubbles) + words
    run = lab_guests.run_guest(lab_compare.lares_of(options), lab_compare.guest_words(options), words,
                               count=True, environment=harness.clean_environment(**row.environment),
                               timeout=options.timeout)
    told = json.loads(run.output)
    if told["wrong"] != 0:
        raise harness.ProgramFailed(f"{row.name()}: {told['wrong']} numbers are wrong")
    matrix = lab_guests.met(run.region(region))
    return {"crossing": lab_guests.remote(matrix), "all": sum(map(sum, matrix)),
            "moved": told.get("moved_bytes")}


def moved_text(some):
    if some[0]["moved"] is None:
        return "-"
    return f"{statistics.median(run['moved'] for run in some) / 1e6:.1f}"


def table_of(runs):
    """Medians, with their spread."""
    table = harness.Table(["benchmark, who places threads", "lines that cross, thousands", "of all",
                           "MB moved"])
    for (compiler, row), some in runs.items():
        crossing = harness.Spread([r["crossing"] / 1000 for r in some])
        share = harness.Spread([100 * r["crossing"] / r["all"] for r in some])
        table.add(f"{lab_compare.COMPILERS[compiler]}: {row.name()}", crossing.text("{:.0f}".format),
                  share.text("{:.1f}".format) + " %", moved_text(some))
    return table


def tables_of(runs):
    """Pairs of a table's name and the table, of those that were counted."""
    for name, benchmarks in TABLES.items():
        some = {(compiler, row): counts for (compiler, row), counts in runs.items()
                if row.benchmark in benchmarks}
        if some:
            yield name, table_of(some)


def place_of(name, options):
    return f"{name}-{options.nodes}"


def check_writing(benchmarks, options):
    """Before anything is counted: a part of a table would take the place of all of it, and a place may lack."""
    docs = DOCS.read_text()
    for name, parts in TABLES.items():
        missing = [part for part in parts if part not in benchmarks]
        if len(missing) == len(parts):
            continue
        if missing:
            raise harness.Mistake(f"--write: the table wants {', '.join(missing)}, too")
        if f"<!-- {place_of(name, options)} -->" not in docs:
            raise harness.Mistake(f"--write: {DOCS} has no line '<!-- {place_of(name, options)} -->'")


def as_json(runs):
    return [{"compiler": compiler, "row": row.name(), "runs": some}
            for (compiler, row), some in runs.items()]


def body():
    parser = harness.Parser(prog="nested_lines.py", description=__doc__.splitlines()[0],
                            epilog="Example: bench/nested_lines.py --rounds 1 --compilers gcc")
    lab_compare.guest_options(parser, rounds=5)
    parser.add_argument("--mb", type=harness.positive, default=2, metavar="N",
                        help="megabytes of each of a team's three vectors (default: 2)")
    parser.add_argument("--benchmarks", default=",".join(BENCHMARKS), metavar="LIST",
                        help=f"which of {','.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/bubbles.md")
    options = parser.parse_args()
    compilers = lab_compare.chosen("--compilers", options.compilers, lab_compare.COMPILERS)
    benchmarks = lab_compare.chosen("--benchmarks", options.benchmarks, BENCHMARKS)
    if options.write:
        check_writing(benchmarks, options)
    rows = [(compiler, row) for compiler in compilers for row in plan(benchmarks)]
    runs = {each: [] for each in rows}
    progress = harness.Progress(len(rows) * options.rounds)
    for _, each in harness.interleaved(rows, options.rounds, 1):
        compiler, row = each
        progress.step(f"{compiler}: {row.name()}")
        runs[each].append(one_run(options, compiler, row))
        if options.json:  # whatever was counted is kept, if a later run should fail
            harness.write_json(options.json, as_json(runs))
    progress.end()
    for name, table in tables_of(runs):
        print(table.text())
        if options.write:
            harness.replace_marked(DOCS, place_of(name, options),
                                   f"{table.markdown()}\n\n{lab_compare.guest_sentence(options)}")
    return 0


if __name__ == "__main__":
    harness.main("nested_lines", body)
