#!/usr/bin/env python3
"""Checks that `lares report` says of a run whose kernel moves pages by itself that it does, and not of one whose kernel
does not: both in a guest of two nodes, where the test may switch that.

Usage: numa_balancing.py LARES FAULTS

Exit status 77, skipped, where there is no QEMU or its kernel cannot do it.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import diagnoses

WANTED = "numa-balancing"
SWITCH = "/proc/sys/kernel/numa_balancing"
REFUSED = 33


def runs_in_guest(lares, faults):
    """What is said of a run with page moving switched on, and of one with it switched off."""
    study = lares.parent / "lares-study"
    libraries = [word for name in ("openmp", "openmp-loops", "placement")
                 for word in ("--file", lares.parent / f"liblares-{name}.so")]
    script = (f"for value in 1 0; do echo $value > {SWITCH} || exit {REFUSED}; "
              f"{lares} run --quiet --trace /tmp/trace$value -- {faults} plain && "
              f"{lares} report /tmp/trace$value --format json || exit 1; done")
    command = [lares, "lab", "run", "--nodes", "2", "--cpus-per-node", "1", "--with", lares, "--with", study,
               "--with", faults, *libraries, "--", "/bin/sh", "-c", script]
    done = subprocess.run([str(word) for word in command], env={**os.environ, "OMP_NUM_THREADS": "2"},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=280, check=False)
    if done.returncode == REFUSED:
        raise diagnoses.Skip(f"the guest's kernel does not let {SWITCH} be written")
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    first, end = json.JSONDecoder().raw_decode(done.stdout)
    second, _ = json.JSONDecoder().raw_decode(done.stdout[end:].lstrip())
    return first["runs"][0], second["runs"][0]


def check(lares, faults):
    """A sentence that says what is wrong, or nothing."""
    if shutil.which("qemu-system-x86_64") is None:
        raise diagnoses.Skip("no qemu-system-x86_64 (package qemu-system-x86)")
    faulty, mended = runs_in_guest(lares, faults)
    if WANTED in diagnoses.ids(faulty) and WANTED not in diagnoses.ids(mended):
        return diagnoses.what_is_missing(faulty, WANTED)
    return f"{WANTED}: faulty: {diagnoses.ids(faulty)}, mended: {diagnoses.ids(mended)}"


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    lares, faults = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    return diagnoses.run_tests([(WANTED, lambda: check(lares, faults))])


if __name__ == "__main__":
    sys.exit(main())
