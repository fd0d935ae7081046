#!/usr/bin/env python3
"""How many tasks a second `lares simulate` gets through.

Usage: simulate_speed.py [LARES]    Example: bench/simulate_speed.py build/release/lares

Prints, for each case, tasks a second of processor time: median [least..most] of five runs.
"""

import csv
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

RUNS = 5
STEALING = "push=local,steal=random"


def large_machine(folder):
    """64 nodes of 32 cores."""
    nodes, cores = 64, 32
    machine = {
        "format": "lares-machine", "version": 1, "name": "2048 cores", "domain_level": "numa",
        "domains": [{"name": f"numa {d}", "node": d, "memory_bytes": 2**38} for d in range(nodes)],
        "cores": [{"domain": c // cores, "cpus": [c]} for c in range(nodes * cores)],
        "simulation": {"core_mb_s": 6000, "controller_mb_s": 100000, "noise": 0.05},
    }
    path = pathlib.Path(folder) / "large.json"
    path.write_text(json.dumps(machine))
    return str(path)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tasks_a_second(lares, workload, machine, policy, seeds):
    before = processor_seconds()
    done = subprocess.run([lares, "simulate", workload, "--machine", machine, "--policy", policy,
                           "--seeds", str(seeds), "--format", "json"],
                          capture_output=True, text=True, check=True)
    spent = processor_seconds() - before
    found = json.loads(done.stdout)
    return found["tasks"] * (seeds + 2 * len(found["uncertain"])) / spent


def main():
    default = pathlib.Path(__file__).resolve().parents[1] / "build/release/lares"
    lares = sys.argv[1] if len(sys.argv) > 1 else str(default)
    with tempfile.TemporaryDirectory() as folder:
        cases = [
            ("load balancing, 128 cores", "balance", "bull-bcs-16s", STEALING, 50),
            ("one queue for all, 128 cores", "balance", "bull-bcs-16s", "central", 20),
            ("cholesky, 192 cores", "cholesky:n=32768", "sgi-uv2000-24s", "virouleau", 1),
            ("a million tasks, 2048 cores", "balance:packages=1000000,gb=4000",
             large_machine(folder), STEALING, 1),
        ]
        out = csv.writer(sys.stdout)
        out.writerow(["case", "median", "least", "most"])
        for name, *case in cases:
            rates = [tasks_a_second(lares, *case) for _ in range(RUNS)]
            out.writerow([name, round(statistics.median(rates)), round(min(rates)),
                          round(max(rates))])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
