#!/usr/bin/env python3
"""Programs recorded here, simulated on this machine's own model, and measured: how far apart are they?

Each round runs every program on 1 thread and on 2 (and more, with --threads), and records it once on
one thread; that one recording predicts all of them. The model is what `lares measure` finds: the
bandwidth of one core and of all, and the caches.

    bench/recorded.py                       five rounds
    bench/recorded.py --machine here.json   with a model measured before
"""

import json
import pathlib
import tempfile

import harness

CASES = {"cholesky": [1536, 128, 1], "jacobi": [192, 16, 10]}
COMPILERS = ("gcc", "clang")


def read_options():
    parser = harness.Parser(prog="recorded.py", description=__doc__.splitlines()[0],
                            epilog="Example: bench/recorded.py --rounds 3 --cases cholesky")
    harness.common_options(parser, rounds=5)
    parser.add_argument("--cases", default=",".join(CASES), metavar="LIST",
                        help=f"which programs (default: {','.join(CASES)})")
    parser.add_argument("--threads", type=harness.whole_numbers, default=[1, 2], metavar="LIST",
                        help="OpenMP threads (default: 1,2)")
    parser.add_argument("--policy", default="auto", metavar="SPEC",
                        help="of the runs and of the simulation (default: auto)")
    parser.add_argument("--machine", type=pathlib.Path, metavar="FILE",
                        help="this machine's model (default: it is measured first)")
    return parser.parse_args()


def bandwidth(lares, folder, cores):
    """The machine file that `lares measure` writes with so many cores of each domain."""
    file = folder / f"measured-{cores}.json"
    words = [lares, "measure", "--quick", "--domain", "numa", "--output", file]
    if cores:
        words += ["--cores", cores]
    harness.run(words, harness.clean_environment(), 300)
    return json.loads(file.read_text())


def last_level_bytes():
    """Bytes of the largest cache of the first core."""
    sizes = [0]
    for index in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        size = harness.first_line(index / "size")
        if size.endswith("K") and size[:-1].isdigit():
            sizes.append(int(size[:-1]) * 1024)
    return max(sizes)


def own_model(lares, folder):
    """A machine file with what the simulation wants to know of this machine."""
    one = bandwidth(lares, folder, 1)
    machine = bandwidth(lares, folder, 0)
    domains = len(machine["domains"]) if "domains" in machine else 1
    local = [machine["performance"]["bandwidth_mb_s"][d][d] for d in range(domains)]
    machine["simulation"] = {
        "source": "lares measure --quick, by bench/recorded.py",
        "core_mb_s": one["performance"]["bandwidth_mb_s"][0][0],
        "controller_mb_s": max(min(local), one["performance"]["bandwidth_mb_s"][0][0]),
        "cache_bytes": last_level_bytes(),
    }
    file = folder / "machine.json"
    file.write_text(json.dumps(machine))
    return file


def seconds_of(output, command):
    for line in output.splitlines():
        if "seconds" in harness.fields(line):
            return float(harness.fields(line)["seconds"])
    raise harness.ProgramFailed(f"printed no time: {harness.shown(command)}")


def run_program(lares, options, program, arguments, threads, *more):
    environment = harness.clean_environment(OMP_NUM_THREADS=threads)
    command = [*harness.under_lares(lares, "--quiet", "--domain", "numa", "--policy",
                                    options.policy, *more), program, *arguments]
    return seconds_of(harness.run(command, environment, options.timeout), command)


def predict(lares, options, graph, machine, threads):
    command = [lares, "simulate", f"file:{graph}", "--machine", machine, "--policy",
               options.policy, "--cores", threads, "--seeds", 3, "--format", "json"]
    found = json.loads(harness.run(command, harness.clean_environment(), options.timeout))
    return found["rows"][0]["seconds"]


def one_round(lares, options, case, compiler, machine, folder):
    program = harness.program(options.build / "examples", f"{case}-{compiler}")
    arguments = CASES[case]
    graph = folder / f"{case}-{compiler}.graph"
    sample = {"measured": {}, "predicted": {}}
    for threads in options.threads:
        sample["measured"][threads] = run_program(lares, options, program, arguments, threads)
    sample["recorded"] = run_program(lares, options, program, arguments, 1, "--record", graph)
    for threads in options.threads:
        sample["predicted"][threads] = predict(lares, options, graph, machine, threads)
    return sample


def measure(options, lares, folder):
    machine = options.machine or own_model(lares, folder)
    plan = [(case, compiler) for case in options.cases.split(",") for compiler in COMPILERS]
    samples = {}
    progress = harness.Progress(len(plan) * options.rounds)
    for number, (case, compiler) in harness.interleaved(plan, options.rounds, options.seed):
        progress.step(f"round {number + 1}: {case}-{compiler}")
        samples.setdefault((case, compiler), []).append(
            one_round(lares, options, case, compiler, machine, folder))
    progress.end()
    return samples


def row_of(some, threads):
    milliseconds = lambda key: harness.Spread([1000 * s[key][threads] for s in some])
    errors = [100 * (s["predicted"][threads] / s["measured"][threads] - 1) for s in some]
    return milliseconds("measured"), milliseconds("predicted"), harness.Spread(errors)


def table_of(options, samples):
    """The last column is what one gets without a simulator: the time of one thread, divided."""
    table = harness.Table(["program", "threads", "measured, ms", "predicted, ms", "of medians, %",
                           "of rounds, %", "one thread's part, %"])
    off = lambda value, true: f"{100 * (value / true - 1):+.1f}"
    for (case, compiler), some in samples.items():
        alone = row_of(some, 1)[0].median if 1 in options.threads else None
        for threads in options.threads:
            measured, predicted, error = row_of(some, threads)
            part = off(alone / threads, measured.median) if alone and threads > 1 else ""
            table.add(f"{case}-{compiler}", threads, measured.text("{:.1f}".format),
                      predicted.text("{:.1f}".format), off(predicted.median, measured.median),
                      error.text("{:+.1f}".format), part)
    return table


def body():
    options = read_options()
    lares = harness.lares_command(options)
    if lares is None:
        raise harness.Mistake("--stock-only leaves nothing to compare")
    with tempfile.TemporaryDirectory(prefix="lares-recorded-") as folder:
        samples = measure(options, lares, pathlib.Path(folder))
    print(harness.provenance_line(harness.provenance()))
    print(table_of(options, samples).text())
    if options.json:
        harness.write_json(options.json, [{"case": case, "compiler": compiler, "rounds": some}
                                          for (case, compiler), some in samples.items()])
    return 0


if __name__ == "__main__":
    harness.main("recorded.py", body)
