#!/usr/bin/env python3
"""The steps of docs/tuning.md: what each takes, stock and under Lares, and what crosses between nodes.

    bench/tuning.py                    times on this machine, threads in domains of level l2
    bench/tuning.py --count            lines in a guest of four nodes (about ten minutes)
    bench/tuning.py --programs cg      one program's steps

Times are what the programs say of their own work, a ratio is taken within a round. Stock runs of the
guest are bound (OMP_PROC_BIND=close); on this machine they are not, unless --bind-stock says so.
"""

import re

import harness
import lab_compare

# What docs/tuning.md does to each program, in order: the words that the program takes. The second
# list is what follows them in a guest, which is some 50 times slower.
STEPS = {
    "sudoku": ([["81"], ["20"], ["10"], ["3"]], None),
    "records": ([["-"], ["t"]], ["150"]),
    "tiles": ([["-"], ["f"], ["fp"]], ["384", "8"]),
    "cg": ([["-"], ["p"], ["pb"], ["pbt"]], ["16000", "6"]),
}
RIGHT = {"sudoku": "solutions=1 ", "records": "matches=", "tiles": "sum=", "cg": "result=ok"}
COMPILERS = {"gcc": "libgomp", "clang": "libomp"}


def program_of(options, name, compiler):
    return harness.program(options.build / "examples", f"{name}-{compiler}")


def seconds(options, name, compiler, words, lares):
    """What the program says."""
    command = [program_of(options, name, compiler), *words]
    environment = harness.clean_environment(OMP_NUM_THREADS=str(options.threads))
    if lares:
        command = harness.under_lares(lab_compare.lares_of(options), "--quiet", "--domain", "l2") + command
    elif options.bind_stock:
        environment.update(lab_compare.BOUND)
    output = harness.run(command, environment, options.timeout)
    if not re.search(RIGHT[name], output):
        raise harness.ProgramFailed(f"{name}-{compiler} computed something wrong: {output}")
    return float(re.search(r"seconds=([\d.]+)", output)[1])


def time_steps(options, names):
    plan = [(name, tuple(step), compiler, lares) for name in names for step in STEPS[name][0]
            for compiler in COMPILERS for lares in (False, True)]
    times = {each: [] for each in plan}
    progress = harness.Progress(len(plan) * options.rounds)
    for _, each in harness.interleaved(plan, options.rounds, 1):
        name, step, compiler, lares = each
        progress.step(f"{name} {' '.join(step)} {compiler}")
        times[each].append(seconds(options, name, compiler, step, lares))
    progress.end()
    table = harness.Table(["program, step", "stock, ms", "Lares, ms", "Lares / stock"])
    for name in names:
        for compiler in COMPILERS:
            for step in STEPS[name][0]:
                stock = times[(name, tuple(step), compiler, False)]
                ours = times[(name, tuple(step), compiler, True)]
                milliseconds = [harness.Spread([1000 * s for s in side]).text("{:.1f}".format) for side in (stock, ours)]
                table.add(f"{name} {' '.join(step)}, {COMPILERS[compiler]}", *milliseconds,
                          harness.Spread([a / b for a, b in zip(ours, stock)]).text("{:.2f}".format))
    return table


def count_steps(options, names):
    cases = [lab_compare.Case(f"{name} {' '.join(step)}", name, [*step, *STEPS[name][1]], "program", None,
                              RIGHT[name], options.build / "examples")
             for name in names if STEPS[name][1] is not None for step in STEPS[name][0]]
    runs = lab_compare.measure(options, cases, [lab_compare.Configuration("auto", [])])
    table = harness.Table(["program, step", "crossing, thousands", "of lines"])
    for (case, compiler, how), some in runs.items():
        name = f"stock {COMPILERS[compiler]}" if how.is_stock else "Lares"
        table.add(f"{case.name}, {name}", harness.Spread([r["crossing"] / 1000 for r in some]).text("{:.0f}".format),
                  harness.Spread([100 * r["crossing"] / r["all"] for r in some]).text("{:.0f}".format) + " %")
    return table


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0], epilog="Example: bench/tuning.py --programs cg,tiles")
    lab_compare.guest_options(parser, rounds=5)
    parser.add_argument("--programs", default=",".join(STEPS), metavar="LIST", help=f"which (default: {','.join(STEPS)})")
    parser.add_argument("--threads", type=harness.positive, default=2, metavar="N", help="outside of a guest (default: 2)")
    parser.add_argument("--bind-stock", action="store_true",
                        help="bind stock runs to cores, as Lares does")
    parser.add_argument("--count", action="store_true", help="count lines in a guest, rather than time")
    options = parser.parse_args()
    names = lab_compare.chosen("--programs", options.programs, STEPS)
    print((count_steps if options.count else time_steps)(options, names).text())
    return 0


if __name__ == "__main__":
    harness.main("tuning", body)
