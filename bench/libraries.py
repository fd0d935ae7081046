#!/usr/bin/env python3
"""Libraries that Debian builds with libgomp, unmodified: GraphBLAS and XGBoost, stock and with
`lares run --loops numa`.

    bench/libraries.py                      times on this machine, with its L2 caches as domains
    bench/libraries.py --nodes 4 --rounds 5 counts lines that cross nodes in a guest of the lab

The packages libgraphblas-dev and libxgboost-dev are needed; nothing else of Lares needs them. The
programs are small users of the libraries' C interfaces that check their results (bench/libraries/).
libomp is put in libgomp's place by LD_PRELOAD: it has libgomp's entry points, too.
"""

import os
import re
import subprocess

import harness
import lab_guests

BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
# libgomp is in the process, too, and obeys OpenMP's variables first: it would bind the initial thread
# to one core, and libomp would find a machine of that core alone. This one it does not know.
BOUND_LIBOMP = {"KMP_AFFINITY": "granularity=core,compact"}
LOOPS = ("stock", "numa", "numa,steal=most-loaded")
# Program: the package that it needs, and the variable of CMake that says whether it was found.
PACKAGES = {"graphblas": ("libgraphblas-dev", "LARES_GRAPHBLAS"),
            "xgboost": ("libxgboost-dev", "LARES_XGBOOST")}
# Against eight caches of this size in the guest.
CACHE = "l2=64K"


class Case:
    """A program with its arguments, here and in the lab (where all is fifty times slower), and its
    parts: lines that it prints, mapped to regions that it counts."""

    def __init__(self, program, here, lab, parts):
        self.program, self.here, self.lab, self.parts = program, here, lab, parts
        self.threads = None

    def met_threads(self, threads, words):
        """Runs with other numbers of threads are not compared."""
        self.threads = self.threads or threads
        if self.threads != threads:
            raise harness.ProgramFailed(f"ran with {threads} threads, and before with {self.threads}: "
                                        f"{harness.shown(words)}")


CASES = {
    # One after the other in one run they would share the memory that the first one has freed: then
    # triangles fetch 1.9 or 2.7 million lines, as it comes.
    "pagerank": Case("graphblas", [17, 16, 20, 0, 0], [16, 16, 5, 0, 16384],
                     {"pagerank": "pagerank"}),
    "triangles": Case("graphblas", [1, 16, 0, 14, 0], [1, 16, 0, 13, 16384],
                      {name: name for name in ("triangles-dot", "triangles-row")}),
    **{method: Case("xgboost", [20000, 20, 10, method], [6000, 16, 3, method], {method: "train"})
       for method in ("hist", "approx", "exact")},
}


class Configuration:
    """How a program is run: under Lares with `loops`, or stock with some variables."""

    def __init__(self, name, loops=None, **environment):
        self.name, self.loops = name, loops
        self.environment = harness.clean_environment(**environment)

    def words(self, lares, words, *more):
        if self.loops is None:
            return words
        return harness.under_lares(lares, "--quiet", *more, "--loops", self.loops) + words


def libomp():
    """The path of LLVM's OpenMP runtime, or None."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False)
    found = re.search(r"libomp\.so\.5 .*=> (\S+)", known.stdout)
    return found[1] if found else None


def configurations(options):
    some = [Configuration("libgomp"), Configuration("libgomp, bound", **BOUND)]
    runtime = libomp()
    if runtime is None:
        lab_guests.say("libraries: no libomp.so.5 is installed, so its column is left out")
    else:
        if not options.nodes:  # in a guest, whose runs take long, libgomp stands for the unbound ones
            some.append(Configuration("libomp", LD_PRELOAD=runtime))
        some.append(Configuration("libomp, bound", LD_PRELOAD=runtime, **BOUND_LIBOMP))
    if not options.stock_only:
        some += [Configuration(f"lares, loops {loops}", loops=loops) for loops in LOOPS]
    return some


def built(options, name):
    """The path of a program, built if that is not done."""
    package, variable = PACKAGES[name]
    if not (options.build / "CMakeCache.txt").exists():
        raise harness.Mistake(f"no build folder {options.build}: make it with scripts/build release "
                              "or name it with --build DIR")
    subprocess.run(["cmake", options.build], check=True, capture_output=True)
    cache = (options.build / "CMakeCache.txt").read_text()
    if re.search(rf"^{variable}_(INCLUDE|LIBRARY):\w+=\S*-NOTFOUND$", cache, re.MULTILINE):
        raise harness.Mistake(f"the package {package} is not installed: install it, or leave its program "
                              "out with --cases")
    done = subprocess.run(["cmake", "--build", options.build, "--target", f"library-{name}"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise harness.ProgramFailed(f"library-{name} does not build", done.stdout)
    return harness.program(options.build / "bench", f"library-{name}")


def parts_of(case, output, words):
    """Seconds by part, of a run whose results were right."""
    if "result=ok" not in output:
        raise harness.ProgramFailed(f"computed something wrong: {harness.shown(words)}")
    lines = [harness.fields(line) for line in output.splitlines()]
    case.met_threads(lines[-1]["threads"], words)
    seconds = {line["part"]: float(line["seconds"]) for line in lines if "part" in line}
    return {part: {"seconds": seconds[part]} for part in case.parts}


def run_here(options, lares, programs, case, how):
    words = how.words(lares, [programs[case.program], *case.here], "--domain", options.domain)
    return parts_of(case, harness.run(words, how.environment, options.timeout), words)


def run_in_guest(options, lares, programs, case, how):
    guest = ["--nodes", options.nodes, "--cpus-per-node", 2, "--cache", options.cache]
    words = how.words(lares, [programs[case.program], *case.lab])
    run = lab_guests.run_guest(lares, guest, words, count=True, environment=how.environment,
                               timeout=options.timeout)
    found = parts_of(case, run.output, words)
    for part, region in case.parts.items():
        fetched, met = (kind(run.region(region)) for kind in (lab_guests.fetched, lab_guests.met))
        found[part] |= {"remote": lab_guests.remote(fetched), "all": sum(map(sum, fetched)),
                        "crossing": lab_guests.remote(met)}
    return found


def measure(options, lares):
    """(part, configuration's name) -> round -> sample."""
    cases = [CASES[name] for name in options.cases.split(",")]
    programs = {name: built(options, name) for name in sorted({case.program for case in cases})}
    run = run_in_guest if options.nodes else run_here
    plan = [(case, how) for case in cases for how in configurations(options)]
    samples = {}
    progress = harness.Progress(len(plan) * options.rounds)
    for number, (case, how) in harness.interleaved(plan, options.rounds, options.seed):
        progress.step(f"round {number + 1}: {case.program}, {how.name}")
        for part, sample in run(options, lares, programs, case, how).items():
            samples.setdefault((part, how.name), {})[number] = sample
    progress.end()
    in_order = {(part, how.name): None for case, how in plan for part in case.parts}
    return {key: samples[key] for key in sorted(samples, key=list(in_order).index)}


def column(samples, key, name, scale=1.0):
    """A part's values by round."""
    return {number: sample[name] / scale for number, sample in samples[key].items()}


def best_stock(samples, part, name):
    """The median of the stock configuration that has least."""
    return min(harness.Spread(column(samples, key, name).values()).median
               for key in samples if key[0] == part and not key[1].startswith("lares"))


def times(samples):
    table = harness.Table(["part, configuration", "milliseconds", "of libgomp in the same round"])
    for (part, name) in samples:
        mine = column(samples, (part, name), "seconds", 1e-3)
        ratio = harness.paired_ratio(mine, column(samples, (part, "libgomp"), "seconds", 1e-3))
        table.add(f"{part}, {name}", harness.Spread(mine.values()).text(harness.three_digits),
                  ratio.text(harness.two_decimals))
    return table


def counts(samples):
    table = harness.Table(["part, configuration", "remote, thousands", "of the better stock",
                           "of lines from memory", "crossing, thousands", "of the better stock"])
    for (part, name), rounds in samples.items():
        cells = [f"{part}, {name}"]
        for what in ("remote", "crossing"):
            lines = harness.Spread(column(samples, (part, name), what).values())
            thousands = harness.Spread(column(samples, (part, name), what, 1000).values())
            cells += [thousands.text("{:.0f}".format),
                      harness.two_decimals(lines.median / best_stock(samples, part, what))]
            if what == "remote":
                shares = [sample["remote"] / sample["all"] for sample in rounds.values()]
                cells.append(harness.Spread(shares).text(harness.percent))
        table.add(*cells)
    return table


def read_options():
    parser = harness.Parser(prog="libraries.py", description=__doc__.splitlines()[0],
                            epilog="Example: bench/libraries.py --cases pagerank --nodes 4 --rounds 1")
    harness.common_options(parser, rounds=7)
    parser.add_argument("--domain", default="l2", metavar="LEVEL",
                        help="domain level on this machine (default: l2)")
    parser.add_argument("--nodes", type=harness.positive, metavar="N",
                        help="count in a guest with N nodes of two cpus instead")
    parser.add_argument("--cache", default=CACHE, metavar="SIZES",
                        help=f"the guest's caches, as `lares lab run --cache` (default: {CACHE})")
    parser.add_argument("--cases", default=",".join(CASES), metavar="LIST",
                        help=f"which programs (default: {','.join(CASES)})")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args()
    for name in options.cases.split(","):
        if name not in CASES:
            parser.error(f"--cases: '{name}' is not one of {', '.join(CASES)}")
    if options.bind_stock:
        parser.error("--bind-stock: stock runs are made with and without binding")
    return options


def body():
    options = read_options()
    lares = harness.lares_command(options)
    if options.nodes and lares is None:
        raise harness.Mistake("--nodes needs the command lares: leave --stock-only out")
    where = harness.provenance()
    samples = measure(options, lares)
    print(harness.provenance_line(where) + f", at the end {os.getloadavg()[0]:.1f}")
    print(f"a guest of {options.nodes} nodes with 2 cpus each, {options.cache} per cpu" if options.nodes
          else f"domains: {options.domain}")
    print(f"medians [least..most] of {options.rounds} interleaved rounds")
    table = counts(samples) if options.nodes else times(samples)
    print(table.markdown() if options.markdown else table.text())
    if options.json:
        harness.write_json(options.json, {"where": where, "samples": [
            {"part": part, "configuration": name, "rounds": rounds}
            for (part, name), rounds in samples.items()]})
    return 0


if __name__ == "__main__":
    harness.main("libraries.py", body)
