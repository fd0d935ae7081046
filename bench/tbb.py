#!/usr/bin/env python3
"""oneTBB's partitioners and the locality queues of lares/tbb.hpp, on STREAM's triad.

Times are of this machine, with the domains that --domain names; with --nodes a guest of the lab
counts lines that cross nodes instead. An even and an uneven load: pieces of the uneven one's first
half take four times as long, which no static division foresees.
"""

import lab_guests
import harness

SCHEDULES = ["static", "affinity", "simple", "auto", "lares", "lares-unbound", "lares-group"]
LOADS = {"even": 1, "uneven": 4}


def read_options():
    parser = harness.Parser(prog="tbb.py", description=__doc__,
                            epilog="Example: bench/tbb.py --rounds 5    bench/tbb.py --nodes 4 --rounds 1")
    harness.common_options(parser, rounds=7)
    parser.add_argument("--domain", default="l2", metavar="LEVEL",
                        help="domain level on this machine (default: l2)")
    parser.add_argument("--nodes", type=harness.positive, metavar="N",
                        help="count in a guest with N nodes of two processors instead")
    parser.add_argument("--elements", type=harness.positive, default=1 << 19, metavar="N",
                        help="elements of each of the three arrays (default: 524288)")
    parser.add_argument("--sweeps", type=harness.positive, default=50, metavar="N",
                        help="sweeps in a run; its time is their median (default: 50)")
    return parser.parse_args()


def parse(output, words):
    found = harness.fields(output)
    try:
        return {"us": float(found["us_per_sweep"]), "at_home": float(found["at_home"])}
    except (KeyError, ValueError):
        raise harness.ProgramFailed(f"printed no result: {harness.shown(words)}") from None


def run_here(options, lares, words):
    command = [*harness.under_lares(lares, "--quiet", "--domain", options.domain), *words]
    return parse(harness.run(command, harness.clean_environment(), options.timeout), command)


def run_in_guest(options, lares, words):
    guest = ["--nodes", options.nodes, "--cpus-per-node", 2]
    run = lab_guests.run_guest(lares, guest, words, count=True, timeout=options.timeout)
    lines = lab_guests.met(run.region("sweeps"))
    everything = sum(map(sum, lines))
    share = lab_guests.remote(lines) / everything if everything else 0.0
    return parse(run.output, words) | {"crossing": share}


def measure(options):
    """(load, schedule) -> samples."""
    lares = harness.lares_command(options)
    if lares is None:
        raise harness.Mistake("tbb.py compares with lares/tbb.hpp: --stock-only leaves nothing")
    program = harness.program(options.build / "bench", "tbb-triad")
    pairs = [(load, schedule) for load in LOADS for schedule in SCHEDULES]
    samples = {pair: [] for pair in pairs}
    progress = harness.Progress(len(pairs) * options.rounds)
    run = run_in_guest if options.nodes else run_here
    for number, (load, schedule) in harness.interleaved(pairs, options.rounds, options.seed):
        progress.step(f"round {number + 1}: {load}, {schedule}")
        words = [program, schedule, options.elements, options.sweeps, LOADS[load]]
        samples[load, schedule].append(run(options, lares, words))
    progress.end()
    return samples


def body():
    options = read_options()
    samples = measure(options)
    table = harness.Table(["load", "schedule", "us a sweep", "pieces at home"]
                          + (["lines that cross nodes"] if options.nodes else []))
    for (load, schedule), runs in samples.items():
        spread = {key: harness.Spread([run[key] for run in runs]) for key in runs[0]}
        cells = [load, schedule, spread["us"].text(harness.three_digits),
                 spread["at_home"].text(harness.percent)]
        if options.nodes:
            cells.append(spread["crossing"].text(harness.percent))
        table.add(*cells)
    where = harness.provenance()
    print(harness.provenance_line(where))
    print(f"guest of {options.nodes} nodes" if options.nodes else f"domains: {options.domain}")
    print(table.text())
    if options.json:
        runs = [{"load": load, "schedule": schedule, "runs": found}
                for (load, schedule), found in samples.items()]
        harness.write_json(options.json, {"where": where, "samples": runs})
    return 0


if __name__ == "__main__":
    harness.main("tbb.py", body)
