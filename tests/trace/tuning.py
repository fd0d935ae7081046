#!/usr/bin/env python3
"""Checks that `lares report` says of the steps of docs/tuning.md what that page says.

Usage: tuning.py LARES FOLDER COMPILER    Example: tests/trace/tuning.py build/release/lares build/release/examples gcc
"""

import json
import os
import subprocess
import sys
import tempfile

# A program, what a step is told, and what is said of it and what is not.
STEPS = [
    ("sudoku", "81", {"too-fine"}, set()),
    ("sudoku", "10", set(), {"too-fine"}),
    ("records", "-", {"one-creator"}, set()),
    ("records", "t", set(), {"one-creator"}),
    ("tiles", "-", {"too-coarse"}, set()),
    ("tiles", "f", set(), {"too-coarse"}),
    ("cg", "-", {"imbalance"}, set()),
    ("cg", "p", {"imbalance"}, set()),
]
# A program, a step, and the next one, in which threads wait for less of their time: cores of a virtual
# machine differ, so that some waiting is always there.
LESS_WAITING = ("cg", "p", "pb")
LESS = 0.7
# Threads that are kept from running wait, and others seem to have more work. A run that says so is
# done again, if there are not too many.
TRIES = 5
MOST_DISTURBED = 15


def report_of(lares, program, step):
    """Of a traced run."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        subprocess.run([lares, "run", "--quiet", "--domain", "l2", "--trace", trace, "--", program, step], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "2"})
        text = subprocess.run([lares, "report", trace, "--format", "json"], check=True, capture_output=True, text=True)
        return json.loads(text.stdout)["runs"][0]


def said_of(lares, program, step):
    """The ids of the diagnoses."""
    return {each["id"] for each in report_of(lares, program, step)["diagnoses"]}


def waiting_of(lares, program, step):
    """The share of the threads' time in regions."""
    run = report_of(lares, program, step)
    return run["idle_ns"] / (run["in_regions_ns"] * len(run["threads"]))


def check_waiting(lares, program, before, after):
    """A sentence that says what is wrong, or nothing."""
    seen = []
    for _ in range(TRIES):
        seen.append((waiting_of(lares, program, before), waiting_of(lares, program, after)))
        if seen[-1][1] < LESS * seen[-1][0]:
            return None
    return f"{program} {after}: threads do not wait for less than {LESS} of what they do in {before}: {seen}"


def check(lares, program, step, wanted, unwanted):
    """A sentence that says what is wrong, or nothing."""
    seen = []
    disturbed = 0
    while len(seen) < TRIES:
        said = said_of(lares, program, step)
        if wanted <= said and not unwanted & said:
            return None
        disturbed += "disturbed" in said
        if "disturbed" not in said or disturbed > MOST_DISTURBED:
            seen.append(sorted(said))
    return f"{program} {step}: wanted {sorted(wanted)} and not {sorted(unwanted)}, but {seen} was said"


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    lares, folder, compiler = sys.argv[1:]
    wrong = [sentence for name, *step in STEPS
             if (sentence := check(lares, os.path.join(folder, f"{name}-{compiler}"), *step))]
    name, *steps = LESS_WAITING
    if sentence := check_waiting(lares, os.path.join(folder, f"{name}-{compiler}"), *steps):
        wrong.append(sentence)
    for sentence in wrong:
        print(sentence)
    print(f"{len(STEPS) + 1 - len(wrong)} of {len(STEPS) + 1} are as the page says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
