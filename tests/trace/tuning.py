#!/usr/bin/env python3
"""Checks that `lares report` says of the steps of docs/tuning.md what that page says.

Usage: tuning.py LARES FOLDER COMPILER    Example: tests/trace/tuning.py build/release/lares build/release/examples gcc
"""

import json
import os
import statistics
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
# A program, a step in which one of two threads has more work, and the next one, in which it is shared evenly.
EVENED = ("cg", "p", "pb")
EVENED_TO = 0.5
TRIES = 5
LEADS_A_TRY = 3
# Threads that are kept from running wait, and others seem to have more work. A run that says so is done again; where
# so many say so, nothing can be said of the page.
MOST_DISTURBED = 30
SKIPPED = 77


class Disturbed(Exception):
    """Other work on the machine is all that can be seen."""


class Runs:
    """Traced runs of programs, done again while other work disturbs them."""

    def __init__(self, lares):
        self.lares = lares
        self.disturbed = 0

    def report(self, program, step, binding=None):
        """The report's run, as JSON has it."""
        while self.disturbed <= MOST_DISTURBED:
            run = self.once(program, step, binding or {})
            if "disturbed" not in said_of(run):
                return run
            self.disturbed += 1
        raise Disturbed

    def once(self, program, step, binding):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace")
            subprocess.run([self.lares, "run", "--quiet", "--domain", "l2", "--trace", trace, "--", program, step],
                           check=True, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "2", **binding})
            text = subprocess.run([self.lares, "report", trace, "--format", "json"], check=True, capture_output=True,
                                  text=True)
            return json.loads(text.stdout)["runs"][0]


def said_of(run):
    """The ids of the diagnoses."""
    return {each["id"] for each in run["diagnoses"]}


def lead_of(runs, program, step):
    """How much longer one thread works than the other, in parts of the regions' time.

    Cores of a virtual machine differ by more than the program's loads at times: each thread has each core once.
    """
    leads = []
    for places in ("{0},{1}", "{1},{0}"):
        run = runs.report(program, step, {"OMP_PLACES": places, "OMP_PROC_BIND": "true"})
        first, second = run["threads"]
        leads.append((second["idle_ns"] - first["idle_ns"]) / run["in_regions_ns"])
    return statistics.mean(leads)


def check_evened(runs, program, before, after):
    """A sentence that says what is wrong, or nothing."""
    seen = []
    for _ in range(TRIES):
        leads = [statistics.median(lead_of(runs, program, step) for _ in range(LEADS_A_TRY)) for step in (before, after)]
        if abs(leads[1]) < EVENED_TO * abs(leads[0]):
            return None
        seen.append(leads)
    return f"{program} {after}: work is not twice as even as in {before}; one thread's leads: {seen}"


def check(runs, program, step, wanted, unwanted):
    """A sentence that says what is wrong, or nothing."""
    seen = []
    for _ in range(TRIES):
        said = said_of(runs.report(program, step))
        if wanted <= said and not unwanted & said:
            return None
        seen.append(sorted(said))
    return f"{program} {step}: wanted {sorted(wanted)} and not {sorted(unwanted)}, but {seen} was said"


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    lares, folder, compiler = sys.argv[1:]
    runs = Runs(lares)

    def program(name):
        return os.path.join(folder, f"{name}-{compiler}")

    try:
        wrong = [sentence for name, *step in STEPS if (sentence := check(runs, program(name), *step))]
        name, *steps = EVENED
        if sentence := check_evened(runs, program(name), *steps):
            wrong.append(sentence)
    except Disturbed:
        print(f"skipped: {runs.disturbed} runs were disturbed by other work")
        return SKIPPED
    for sentence in wrong:
        print(sentence)
    print(f"{len(STEPS) + 1 - len(wrong)} of {len(STEPS) + 1} are as the page says ({runs.disturbed} runs disturbed)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
