#!/usr/bin/env python3
"""Checks that `lares report` says of programs with one fault each what that is, and not of their mended twins.

Usage: diagnoses.py LARES FAULTS [DIAGNOSIS...]
Example: tests/trace/diagnoses.py build/release/lares build/release/tests/trace/faults-gcc serial saturated

Runs go before all other processes where this user may do that, for on a busy machine a run may have another run's fault,
too: threads that are kept from running wait. Where it may not, runs count that were not disturbed.

Exit status 77, skipped, if none was.
"""

import contextlib
import functools
import json
import os
import subprocess
import sys
import tempfile

KEEP = ["--policy", "push=local,steal=domains-only"]  # each thread runs the tasks that it makes
# What is looked for, the program, and how the faulty and the mended one are run besides: options of
# lares run, variables.
CASES = [
    ("too-fine", "too-fine", [], {}, [], {}),
    ("too-coarse", "too-coarse", [], {}, [], {}),
    ("one-creator", "one-creator", ["--policy", "central"], {}, ["--policy", "central"], {}),
    ("kept-back", "one-creator", KEEP, {}, ["--policy", "central"], {}),
    ("serial", "serial", [], {}, [], {}),
    ("imbalance", "imbalance", [], {}, [], {}),
    ("taskwaits", "taskwaits", [], {}, [], {}),
    ("far-from-data", "far-from-data", ["--policy", "central"], {}, ["--policy", "auto"], {}),
    ("data-in-one-domain", "data-in-one-domain", KEEP, {}, KEEP, {}),
    ("false-homes", "false-homes", KEEP, {}, KEEP, {}),
    ("saturated", "saturated", KEEP, {}, KEEP, {}),
    ("unbound", "plain", ["--bind", "none"], {}, [], {}),
    ("oversubscribed", "plain", [], {"OMP_NUM_THREADS": "4"}, [], {}),
    ("several-runtimes", "several-runtimes", [], {}, [], {}),
]
# What has nothing to do with time is said on a busy machine, too.
TIMELESS = {"data-in-one-domain", "unbound", "oversubscribed", "several-runtimes"}
TRIES = 4
SKIPPED = 77


class Skip(Exception):
    """Why nothing can be said."""


def parts(faults):
    """The variables that name the libraries of `faults several-runtimes`."""
    folder, name = os.path.split(os.path.abspath(faults))
    same = name.rpartition("-")[2]
    other = {"gcc": "clang", "clang": "gcc"}[same]
    return {"FAULTS_SAME_PART": os.path.join(folder, f"faults_part-{same}"),
            "FAULTS_OTHER_PART": os.path.join(folder, f"faults_part-{other}")}


def go_before_others():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


@functools.cache
def may_go_before_others():
    """Only where there is a processor for each of two threads: one that spins would not let the other run."""
    if len(os.sched_getaffinity(0)) < 2:
        return False
    child = os.fork()
    if child == 0:
        with contextlib.suppress(OSError):
            go_before_others()
            os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def report(lares, faults, name, mended=False, options=(), variables=None, goes_first=False):
    """What is said of a run."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        command = [lares, "run", "--quiet", "--domain", "l2", "--trace", trace, *options, "--", faults, name]
        environment = {**os.environ, "OMP_NUM_THREADS": "2", **parts(faults), **(variables or {})}
        first = go_before_others if goes_first and may_go_before_others() else None
        subprocess.run(command + (["mended"] if mended else []), check=True, env=environment, timeout=60,
                       preexec_fn=first)
        text = subprocess.run(
            [lares, "report", trace, "--format", "json"], check=True, capture_output=True, text=True
        ).stdout
        return json.loads(text)["runs"][0]


def ids(run):
    return [each["id"] for each in run["diagnoses"]]


def what_is_missing(run, wanted):
    """A sentence on what the diagnosis does not say, or nothing."""
    found = next(each for each in run["diagnoses"] if each["id"] == wanted)
    missing = [key for key in ("title", "evidence", "threshold", "remedy") if not found[key]]
    return f"{wanted}: no {missing[0]}" if missing else None


def check(lares, faults, case):
    """A sentence that says what is wrong, or nothing."""
    wanted, name, options, variables, mended_options, mended_variables = case
    if wanted == "several-runtimes" and not all(map(os.path.exists, parts(faults).values())):
        raise Skip("it takes programs of both compilers")
    is_timed = wanted not in TIMELESS
    said = []
    counted = 0
    for _ in range(TRIES):
        faulty = report(lares, faults, name, False, options, variables, goes_first=is_timed)
        ours = [each["place"] for each in faulty["constructs"] if "lares::" in each["place"]]
        if ours:
            return f"{wanted}: a function of Lares stands for a construct of the program: {ours[0]}"
        mended = report(lares, faults, name, True, mended_options, mended_variables, goes_first=is_timed)
        said.append(f"faulty: {ids(faulty)}, mended: {ids(mended)}")
        if is_timed and "disturbed" in ids(faulty) + ids(mended):
            continue
        counted += 1
        if wanted in ids(faulty) and wanted not in ids(mended):
            return what_is_missing(faulty, wanted)
    if counted == 0:
        raise Skip(f"others had the processors in each run: {'; '.join(said)}")
    return f"{wanted}: not told apart in {TRIES} tries: " + "; ".join(said)


def run_tests(tests):
    """Calls each function of (name, function); the exit status. One that is skipped has not passed."""
    wrong, skipped = [], []
    for name, test in tests:
        try:
            sentence = test()
        except Skip as reason:
            skipped.append(f"skipped: {name}: {reason}")
        else:
            wrong += [sentence] if sentence else []
    for sentence in wrong + skipped:
        print(sentence)
    told = len(tests) - len(wrong) - len(skipped)
    print(f"{told} of {len(tests)} diagnoses told the fault from its mended twin")
    return 1 if wrong else SKIPPED if skipped else 0


def main():
    known = [case[0] for case in CASES]
    names = sys.argv[3:] or known
    if len(sys.argv) < 3 or not set(names) <= set(known):
        print(__doc__, file=sys.stderr)
        return 2
    lares, faults = sys.argv[1:3]
    return run_tests([(case[0], lambda case=case: check(lares, faults, case)) for case in CASES if case[0] in names])


if __name__ == "__main__":
    sys.exit(main())
