#!/usr/bin/env python3
"""Counts, in a guest of several nodes, which cache lines cross between nodes in ForestGOMP's nested STREAMs
(Broquedis et al. 2010, 5.3 to 5.5): the same binaries alone, and under `lares run --bubbles`.

    bench/nested_lines.py                 five runs each (half an hour on two cores)
    bench/nested_lines.py --nodes 8 --cpus 1
    bench/nested_lines.py --write         also writes the table into docs/bubbles.md

A row of the table is what the program tells Lares, and who places its threads. Bytes that moved are those
of pages that are in another domain afterwards.
"""

import json
import statistics

import harness
import lab_compare
import lab_guests

UNBOUND = {}
BOUND = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "spread,close"}


class Row:
    """One way to run one of the benchmarks. `bubbles` None: the program alone."""

    def __init__(self, benchmark, told, bubbles=None, environment=None):
        self.benchmark, self.told, self.bubbles = benchmark, told, bubbles
        self.environment = environment or UNBOUND

    def name(self):
        how = f"--bubbles {self.bubbles}" if self.bubbles else \
            "alone, bound" if self.environment else "alone"
        told = "" if self.told == "none" else f", told {self.told}"
        return f"{self.benchmark}, {how}{told}"


def plan():
    """The rows, in the order of the table."""
    rows = []
    for benchmark in ("nested", "remote", "mixed", "imbalanced"):
        rows += [Row(benchmark, "none"), Row(benchmark, "none", environment=BOUND),
                 Row(benchmark, "none", "off"), Row(benchmark, "none", "cache")]
        if benchmark in ("remote", "mixed"):
            rows.append(Row(benchmark, "next-touch", "cache"))
        if benchmark == "mixed":
            rows.append(Row(benchmark, "mixed", "memory"))
        else:
            rows.append(Row(benchmark, "threads" if benchmark != "nested" else "none", "memory"))
    return rows


def arguments(benchmark, options):
    """The program's settings, and the region to look at."""
    common = [f"teams={options.nodes}", f"mb={options.mb}"]
    if benchmark == "nested":
        return [*common, "kind=nested", f"inner={options.cpus}", "times=2"], "nested"
    if benchmark == "imbalanced":
        return [*common, "kind=imbalanced", f"inner={2 * options.cpus}", "loads=15,15,30,1"], \
            "imbalanced"
    return [*common, "kind=twisted", f"data={benchmark}", f"inner={options.cpus}", "passes=4"], "phase2"


def one_run(options, compiler, row):
    """The lines of one run, and what moved."""
    settings, region = arguments(row.benchmark, options)
    words = [harness.program(options.build / "bench", f"nested_stream-{compiler}"), *settings,
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
            "moved": told["moved_bytes"]}


def table_of(runs):
    """Medians, with their spread."""
    table = harness.Table(["benchmark, who places threads", "lines that cross, thousands", "of all",
                           "MB moved"])
    for (compiler, row), some in runs.items():
        crossing = harness.Spread([r["crossing"] / 1000 for r in some])
        share = harness.Spread([100 * r["crossing"] / r["all"] for r in some])
        table.add(f"{lab_compare.COMPILERS[compiler]}: {row.name()}", crossing.text("{:.0f}".format),
                  share.text("{:.1f}".format) + " %",
                  f"{statistics.median(r['moved'] for r in some) / 1e6:.1f}")
    return table


def body():
    parser = harness.Parser(prog="nested_lines.py", description=__doc__.splitlines()[0],
                            epilog="Example: bench/nested_lines.py --rounds 1 --compilers gcc")
    lab_compare.guest_options(parser, rounds=5)
    parser.add_argument("--mb", type=harness.positive, default=2, metavar="N",
                        help="megabytes of each of a team's three vectors (default: 2)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/bubbles.md")
    options = parser.parse_args()
    compilers = lab_compare.chosen("--compilers", options.compilers, lab_compare.COMPILERS)
    rows = [(compiler, row) for compiler in compilers for row in plan()]
    runs = {each: [] for each in rows}
    progress = harness.Progress(len(rows) * options.rounds)
    for _, each in harness.interleaved(rows, options.rounds, 1):
        compiler, row = each
        progress.step(f"{compiler}: {row.name()}")
        runs[each].append(one_run(options, compiler, row))
    progress.end()
    table = table_of(runs)
    print(table.text())
    if options.json:
        harness.write_json(options.json, [{"compiler": c, "row": r.name(), "runs": some}
                                          for (c, r), some in runs.items()])
    if options.write:
        harness.replace_marked(harness.ROOT / "docs" / "bubbles.md", f"nested-lines-{options.nodes}",
                               f"{table.markdown()}\n\n{lab_compare.guest_sentence(options)}")
    return 0


if __name__ == "__main__":
    harness.main("nested_lines", body)
