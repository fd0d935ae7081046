#!/usr/bin/env python3
"""Checks that `lares report` says of programs with one fault each what that is, and not of their mended twins.

Usage: diagnoses.py LARES FAULTS    Example: tests/trace/diagnoses.py build/release/lares build/release/tests/trace/faults-gcc
"""

import json
import os
import subprocess
import sys
import tempfile

# What is looked for, the program, and how the faulty and the mended one are run besides: options of
# lares run, variables.
CASES = [
    ("too-fine", "too-fine", [], {}, [], {}),
    ("too-coarse", "too-coarse", [], {}, [], {}),
    ("one-creator", "one-creator", ["--policy", "central"], {}, ["--policy", "central"], {}),
    ("kept-back", "one-creator", ["--policy", "push=local,steal=domains-only"], {},
     ["--policy", "central"], {}),
    ("serial", "serial", [], {}, [], {}),
    ("imbalance", "imbalance", [], {}, [], {}),
    ("taskwaits", "taskwaits", [], {}, [], {}),
    ("far-from-data", "far-from-data", ["--policy", "central"], {}, ["--policy", "auto"], {}),
    ("unbound", "plain", ["--bind", "none"], {}, [], {}),
    ("oversubscribed", "plain", [], {"OMP_NUM_THREADS": "4"}, [], {}),
]
# A run on a busy machine may have another run's fault, too: threads that are kept from running wait.
TRIES = 4


def diagnoses(lares, faults, name, mended, options, variables):
    """The ids of what is said, and the report."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        command = [lares, "run", "--quiet", "--domain", "l2", "--trace", trace, *options, "--", faults, name]
        environment = {**os.environ, "OMP_NUM_THREADS": "2", **variables}
        subprocess.run(command + (["mended"] if mended else []), check=True, env=environment)
        text = subprocess.run(
            [lares, "report", trace, "--format", "json"], check=True, capture_output=True, text=True
        ).stdout
        run = json.loads(text)["runs"][0]
        return [each["id"] for each in run["diagnoses"]], run


def check(lares, faults, case):
    """A sentence that says what is wrong, or nothing."""
    wanted, name, options, variables, mended_options, mended_variables = case
    said = []
    for _ in range(TRIES):
        faulty, run = diagnoses(lares, faults, name, False, options, variables)
        ours = [each["place"] for each in run["constructs"] if "lares::" in each["place"]]
        if ours:
            return f"{wanted}: a function of Lares stands for a construct of the program: {ours[0]}"
        mended, _ = diagnoses(lares, faults, name, True, mended_options, mended_variables)
        if wanted in faulty and wanted not in mended:
            found = next(each for each in run["diagnoses"] if each["id"] == wanted)
            for key in ("title", "evidence", "threshold", "remedy"):
                if not found[key]:
                    return f"{wanted}: no {key}"
            return None
        said.append(f"faulty: {faulty}, mended: {mended}")
    return f"{wanted}: not told apart in {TRIES} tries: " + "; ".join(said)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = [sentence for case in CASES if (sentence := check(sys.argv[1], sys.argv[2], case))]
    for sentence in wrong:
        print(sentence)
    print(f"{len(CASES) - len(wrong)} of {len(CASES)} diagnoses told the fault from its mended twin")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
