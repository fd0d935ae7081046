#!/usr/bin/env python3
"""The versions of Jacobi in Wittmann & Hager 2010, Figure 3: simulated on the paper's machines,
counted in a guest of several nodes, and measured on this machine.

    bench/jacobi.py                   three runs each (half an hour on two cores)
    bench/jacobi.py --write           also writes the table into docs/benchmarks.md
    bench/jacobi.py --no-guest        counts nothing (a few minutes)

The figure prints no numbers, so the simulated rates and the measured ones are shown relative to the
static loop over data that a static loop wrote, as its bars stand beside each other. What is counted
are the lines that the sweeps fetch from another node's memory or caches. Stock runs are bound.
"""

import json

import harness
import lab_guests

BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
MACHINES = ("istanbul-4s", "nehalem-ep-2s", "nehalem-ex-4s")
SIMULATED = "jacobi:init={},order={}"
HALF = ",ni=1200"  # of the paper's size, where one node must hold all of it
# 40 blocks of 10 x 10 x 600 sites, against eight caches of half a megabyte.
GUEST_SIZE = ["ni=40", "nj=100", "nk=600", "sweeps=3"]
HERE_SIZE = ["ni=60", "nj=600", "nk=600", "sweeps=20"]


class Version:
    """One bar: how the blocks are swept, who wrote them, and in which order they are submitted."""

    def __init__(self, method, init, order=None, loops=None, schedule=None):
        self.method, self.init, self.order, self.loops = method, init, order, loops
        self.schedule = schedule  # of the simulator

    def __str__(self):
        submitted = f", {self.order}" if self.order else ""
        name = f"{self.method} under `--loops {self.loops}`" if self.loops else self.method
        return f"{name}: {self.init.replace('static1', 'static,1')}{submitted}"

    def words(self, program):
        order = [f"order={self.order}"] if self.order else []
        return [program, f"method={self.method}", f"init={self.init}", *order]


VERSIONS = [
    Version("static", "static", schedule="static"),
    Version("static", "serial", schedule="static"),
    Version("dynamic", "static", schedule="dynamic"),
    Version("dynamic", "static", loops="numa", schedule="numa"),
    *(Version(method, init, order, schedule=schedule)
      for method, schedule in (("tasks", "central"), ("queues", "locality-queues"))
      for init in ("static", "static1") for order in ("ijk", "kji")),
]


def simulate(lares, machine):
    """Version -> its rate relative to the first one, on one machine."""
    rates = {}
    for version in VERSIONS:
        workload = SIMULATED.format(version.init, version.order or "ijk")
        if version.init == "serial":
            workload += HALF
        output = harness.run([lares, "simulate", workload, "--machine", machine, "--policy",
                              version.schedule, "--no-ranges", "--format", "json"],
                             harness.clean_environment(), 600)
        rates[version] = json.loads(output)["rows"][0]["rate"]
    return {version: rate / rates[VERSIONS[0]] for version, rate in rates.items()}


def command(options, lares, version):
    """The words of a run, and its environment."""
    words = version.words(harness.program(options.build / "bench", "jacobi_blocks-gcc"))
    if not version.loops:
        return words, harness.clean_environment(**BOUND)
    return (harness.under_lares(lares, "--quiet", "--loops", version.loops) + words,
            harness.clean_environment())


def checked(output, version):
    found = json.loads(output.strip().splitlines()[-1])
    if found["wrong"] != 0:
        raise harness.ProgramFailed(f"{version} computed something wrong")
    return found


def count(options, lares, version):
    """Share of the lines that crossed, in percent."""
    words, environment = command(options, lares, version)
    guest = ["--nodes", options.nodes, "--cpus-per-node", 2]
    run = lab_guests.run_guest(lares, guest, words + GUEST_SIZE, count=True,
                               environment=environment, timeout=options.timeout)
    checked(run.output, version)
    met = lab_guests.met(run.region("sweeps"))
    return 100 * lab_guests.remote(met) / sum(map(sum, met))


def measure(options, lares, version):
    """Million site updates a second on this machine: the median of the sweeps."""
    words, environment = command(options, lares, version)
    if version.loops:
        words[2:2] = ["--domain", "l2"]
    else:
        words = [*words, "domains=" + ",".join(map(str, range(options.threads)))]
    environment["OMP_NUM_THREADS"] = str(options.threads)
    output = harness.run(words + HERE_SIZE, environment, options.timeout)
    return checked(output, version)["mlups"]["50"]


def run_all(options, lares):
    """Version -> the samples of both kinds, by round."""
    samples = {version: {"counted": [], "measured": []} for version in VERSIONS}
    progress = harness.Progress(len(VERSIONS) * options.rounds)
    for _, version in harness.interleaved(VERSIONS, options.rounds, 1):
        progress.step(str(version))
        if not options.no_guest:
            samples[version]["counted"].append(count(options, lares, version))
        samples[version]["measured"].append(measure(options, lares, version))
    progress.end()
    return samples


def table_of(simulated, samples):
    table = harness.Table(["version: written by, order of submission", *MACHINES,
                           "counted: lines that cross, %", "measured at level l2"])
    base = samples[VERSIONS[0]]["measured"]
    for version in VERSIONS:
        some = samples[version]
        relative = harness.Spread([mine / first for mine, first in zip(some["measured"], base)])
        table.add(str(version),
                  *(harness.two_decimals(simulated[machine][version]) for machine in MACHINES),
                  harness.Spread(some["counted"]).text("{:.0f}".format) if some["counted"] else "-",
                  relative.text(harness.two_decimals))
    return table


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/jacobi.py --rounds 1")
    lab_guests.lab_options(parser, nodes=4)
    parser.add_argument("--rounds", type=harness.positive, default=3, metavar="N",
                        help="how often each version runs (default: 3)")
    parser.add_argument("--threads", type=harness.positive, default=2, metavar="N",
                        help="threads on this machine, one for each L2 cache (default: 2)")
    parser.add_argument("--timeout", type=harness.positive, default=600, metavar="S",
                        help="seconds after which a run counts as hung (default: 600)")
    parser.add_argument("--no-guest", action="store_true", help="count nothing")
    parser.add_argument("--write", action="store_true",
                        help="write the table into docs/benchmarks.md")
    options = parser.parse_args()
    lares = harness.program(options.build, "lares")
    simulated = {machine: simulate(lares, machine) for machine in MACHINES}
    samples = run_all(options, lares)
    table = table_of(simulated, samples)
    print(table.text())
    if options.json:
        harness.write_json(options.json, [
            {"version": str(version), **some,
             "simulated": {machine: simulated[machine][version] for machine in MACHINES}}
            for version, some in samples.items()])
    if options.write:
        guest = (f" A guest of {options.nodes} nodes with 2 cpus each, 512 KiB of cache per cpu."
                 if not options.no_guest else "")
        text = (f"{table.markdown()}\n\n{harness.provenance_line(harness.provenance())}. Rates, simulated and "
                f"measured, are relative to the first row; medians [least..most] of {options.rounds} "
                f"interleaved rounds.{guest}")
        harness.replace_marked(harness.ROOT / "docs" / "benchmarks.md", "jacobi", text)
    return 0


if __name__ == "__main__":
    harness.main("jacobi", body)
