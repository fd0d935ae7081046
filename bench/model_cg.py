#!/usr/bin/env python3
"""How far `lares model` is from what examples/tuning/cg.c takes on this machine.

The solver is run in the steps p and b (docs/tuning.md): everything is initialised in parallel, and threads
have equally many entries. Its description is made here from its parameters, as docs/model.md says. The
machine is measured unless --machine names its file. Predicted and measured times are compared at each number
of threads; runs of all of them are interleaved.

Said before any result: the goal is an error of at most 10 % of the median. A run counts only if other
programs had at most 5 % of the cores' time during it; it is repeated until it does or --patience ends, and
then the quietest one counts and is marked.

Examples: bench/model_cg.py
          bench/model_cg.py --machine here.json --rows 400000 --threads 1,2
          bench/model_cg.py --fast
          bench/model_cg.py --describe examples/model/cg.json
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import harness

GOAL = 0.10
QUIET = 0.05
DOUBLE, INDEX, START = 8, 4, 8
NARROW, WIDE = 4, 48


# ---- the description ---------------------------------------------------------------------------------

def entries_of(rows):
    """Of the matrix that the program makes."""
    border = rows // 8
    wide = sum(1 + min(WIDE, i) + max(min(WIDE, border - 1 - i), min(NARROW, rows - 1 - i))
               for i in range(border))
    narrow = sum(1 + min(NARROW, i) + min(NARROW, rows - 1 - i) for i in range(border, rows))
    return wide + narrow


def array(name, access, footprint, traffic):
    return {"name": name, "access": access, "bytes": footprint, "traffic": traffic}


def describe(rows, iterations, sums="chain", others="scalar-add"):
    """Footprints are what passes through the caches between two uses of the array in an iteration:
    the matrix once, vectors as they follow each other."""
    entries = entries_of(rows)
    vector = DOUBLE * rows
    matrix = (DOUBLE + INDEX) * entries + START * rows
    iteration = matrix + 4 * vector

    def combine(name, source, source_footprint, target, target_footprint):
        """target = a source + b target"""
        return {"name": name, "repeat": iterations, "flops": {others: 3 * rows},
                "arrays": [array(source, "read", source_footprint, vector),
                           array(target, "update", target_footprint, 2 * vector)],
                "constructs": {"parallel-for": 1}}

    return {
        "format": "lares-model", "version": 1,
        "name": f"cg, {rows} rows, {iterations} iterations",
        "about": "examples/tuning/cg.c with the steps p and b; made by bench/model_cg.py --describe",
        "regions": [
            {"name": "q = A p", "repeat": iterations, "flops": {sums: 2 * entries},
             "arrays": [array("A", "read", iteration, matrix),
                        array("p", "read", 2 * vector, vector),
                        array("q", "write", 3 * vector, vector)],
             "constructs": {"parallel": 1}},
            {"name": "p q", "repeat": iterations, "flops": {sums: 2 * rows},
             "arrays": [array("p", "read", matrix + 2 * vector, vector),
                        array("q", "read", matrix + 2 * vector, vector)],
             "constructs": {"parallel-for": 1, "reduction": 1}},
            combine("x += a p", "p", 2 * vector, "x", iteration),
            combine("r -= a q", "q", 3 * vector, "r", iteration),
            {"name": "r r", "repeat": iterations + 1, "flops": {sums: 2 * rows},
             "arrays": [array("r", "read", 2 * vector, vector)],
             "constructs": {"parallel-for": 1, "reduction": 1}},
            combine("p = r + b p", "r", vector, "p", 4 * vector),
        ],
    }


# ---- measuring ---------------------------------------------------------------------------------------

def busy_seconds():
    """What all programs have used of all cores since the machine started."""
    words = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    ticks = [int(word) for word in words]
    return (sum(ticks[:3]) + sum(ticks[5:8])) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    return children.ru_utime + children.ru_stime + own.ru_utime + own.ru_stime


def with_noise(action):
    """What `action` answers, and the share of the cores' time that others had meanwhile."""
    start, busy, own = time.monotonic(), busy_seconds(), own_seconds()
    answer = action()
    elapsed = time.monotonic() - start
    foreign = max(0.0, (busy_seconds() - busy) - (own_seconds() - own))
    return answer, foreign / (elapsed * os.cpu_count())


def quietest(action, until):
    """Repeats `action` until nobody disturbed it, or until that time; the quietest answer and its noise."""
    best = None
    while best is None or (best[1] > QUIET and time.monotonic() < until):
        if best is not None:
            time.sleep(1)
        found = with_noise(action)
        if best is None or found[1] < best[1]:
            best = found
    return best


def measure_machine(lares, path, until):
    """Writes the machine file; the noise while it was made."""
    def action():
        subprocess.run([lares, "measure", "--domain", "l2", "--output", path], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return path.read_text()
    text, noise = quietest(action, until)
    path.write_text(text)
    return noise


def built_fast(options, folder):
    """The solver whose sums are no chains: vectors of this processor, in any order."""
    program = folder / "cg"
    compiler = {"gcc": "gcc-12", "clang": "clang-19"}[options.family]
    subprocess.run([compiler, "-O3", "-march=native", "-ffast-math", "-fopenmp",
                    harness.ROOT / "examples" / "tuning" / "cg.c", "-o", program], check=True)
    return program


def seconds_of(options, program, threads):
    environment = harness.clean_environment(OMP_NUM_THREADS=threads, OMP_PLACES="cores",
                                            OMP_PROC_BIND="close")
    output = harness.run([program, "pb", options.rows, options.iterations], environment, options.timeout)
    found = harness.fields(output)
    if int(found["entries"]) != entries_of(options.rows):
        raise harness.ProgramFailed("the program has another matrix than the description", output)
    return float(found["seconds"])


def predictions(lares, description, machine, threads):
    output = subprocess.run([lares, "model", description, "--machine", machine, "--format", "json",
                             "--threads", ",".join(map(str, threads))],
                            check=True, capture_output=True, text=True).stdout
    return {each["threads"]: each for each in json.loads(output)["predictions"]}


def compare(options, lares, folder):
    until = time.monotonic() + 60 * options.patience
    where = harness.provenance()
    machine = options.machine
    if machine is None:
        machine = folder / "here.json"
        noise = measure_machine(lares, machine, until)
        print(f"machine measured while others had {noise:.1%} of the cores"
              + (" (not quiet)" if noise > QUIET else ""))
    description = folder / "cg.json"
    kinds = ("fma", "fma") if options.fast else ("chain", "scalar-add")
    description.write_text(json.dumps(describe(options.rows, options.iterations, *kinds)))
    program = built_fast(options, folder) if options.fast else harness.program(
        options.build / "examples", f"cg-{options.family}")
    samples = {threads: [] for threads in options.threads}
    noises = {threads: [] for threads in options.threads}
    for _, threads in harness.interleaved(options.threads, options.rounds, options.seed):
        seconds, noise = quietest(lambda t=threads: seconds_of(options, program, t), until)
        samples[threads].append(seconds)
        noises[threads].append(noise)
    report(options, where, samples, noises, predictions(lares, description, machine, options.threads))
    return samples


def report(options, where, samples, noises, predicted):
    print(harness.provenance_line(where))
    print(f"{options.rows} rows, {options.iterations} iterations, {options.family}"
          + (", -ffast-math" if options.fast else ""))
    table = harness.Table(["threads", "measured s", "predicted s", "error", "without overlap", "error",
                           "others, most", "goal"])
    worst = 0
    for threads, values in samples.items():
        spread = harness.Spread(values)
        error = predicted[threads]["total_s"] / spread.median - 1
        worst = max(worst, abs(error))
        table.add(threads, spread.text(harness.three_digits),
                  harness.three_digits(predicted[threads]["total_s"]), f"{error:+.1%}",
                  harness.three_digits(predicted[threads]["without_overlap_s"]),
                  f"{predicted[threads]['without_overlap_s'] / spread.median - 1:+.1%}",
                  f"{max(noises[threads]):.1%}", "met" if abs(error) <= GOAL else "missed")
    print(table.text())
    if options.json:
        harness.write_json(options.json, {"where": where, "samples": samples, "noises": noises,
                                          "predictions": predicted})
    options.worst = worst


def parse():
    parser = harness.Parser(description=__doc__.splitlines()[0])
    harness.common_options(parser, 5)
    parser.add_argument("--rows", type=harness.positive, default=200_000, metavar="N",
                        help="of the matrix (default: 200000)")
    parser.add_argument("--iterations", type=harness.positive, default=40, metavar="N",
                        help="of the solver; beyond 60 it divides by 0 (default: 40)")
    parser.add_argument("--threads", type=harness.whole_numbers, default=[1, 2], metavar="LIST",
                        help="numbers of threads (default: 1,2)")
    parser.add_argument("--machine", type=pathlib.Path, metavar="FILE",
                        help="the machine file (default: measure now, at level l2)")
    parser.add_argument("--family", choices=["gcc", "clang"], default="gcc",
                        help="the program's compiler (default: gcc)")
    parser.add_argument("--fast", action="store_true",
                        help="build the solver with -O3 -march=native -ffast-math, and describe it so")
    parser.add_argument("--patience", type=harness.positive, default=5, metavar="MIN",
                        help="minutes to wait for quiet moments (default: 5)")
    parser.add_argument("--describe", type=pathlib.Path, metavar="FILE",
                        help="only write the description")
    return parser.parse_args()


def main():
    options = parse()
    if options.describe:
        harness.write_json(options.describe, describe(options.rows, options.iterations))
        return 0
    try:
        lares = harness.lares_command(options)
        if lares is None:
            raise harness.Mistake("there is nothing to compare without lares")
        with tempfile.TemporaryDirectory(prefix="lares-bench-") as folder:
            compare(options, lares, pathlib.Path(folder))
    except harness.Mistake as mistake:
        print(f"model_cg.py: {mistake}", file=sys.stderr)
        return harness.MISTAKE
    except harness.ProgramFailed as failure:
        print(f"model_cg.py: {failure}", file=sys.stderr)
        return 1
    return 0 if options.worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
