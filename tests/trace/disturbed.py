#!/usr/bin/env python3
"""Checks that `lares report` says of a run beside spinning processes that it was disturbed, and not of its twin
without them. The twin goes before all other processes, whose work is none of this test's. Where this user may not do
that, it runs as it is, and counts if others are quiet.

Usage: disturbed.py LARES FAULTS    Example: tests/trace/disturbed.py build/release/lares build/release/tests/trace/faults-gcc

Exit status 77, skipped, if they were not.
"""

import contextlib
import os
import subprocess
import sys
import time

import diagnoses

WANTED = "disturbed"
SPINNING_PER_CPU = 2
BUSY = 0.05  # share of the processors' time: half of what is said to disturb


@contextlib.contextmanager
def spinning():
    """Processes that spin on each processor that a run may use."""
    spinners = []
    try:
        for cpu in sorted(os.sched_getaffinity(0)) * SPINNING_PER_CPU:
            code = f"import os; os.sched_setaffinity(0, [{cpu}]); print(flush=True)\nwhile True: pass"
            # pylint: disable-next=consider-using-with
            spinners.append(subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE))
        for each in spinners:
            each.stdout.readline()  # it spins from now on
        yield
    finally:
        for each in spinners:
            each.kill()
            each.wait()
            each.stdout.close()


def times():
    """Of the processors that a run may use: clock ticks in all, and idle ones."""
    everything = idle = 0
    cpus = {f"cpu{cpu}" for cpu in os.sched_getaffinity(0)}
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *ticks = line.split()
            if name in cpus:
                everything += sum(map(int, ticks[:8]))
                idle += int(ticks[3]) + int(ticks[4])
    return everything, idle


def is_busy():
    """Whether others have the processors while this process sleeps."""
    before = times()
    time.sleep(0.5)
    everything, idle = (after - then for after, then in zip(times(), before))
    return everything == 0 or 1 - idle / everything > BUSY


def wrong_of_twin(lares, faults):
    """A sentence, if it is said of the run without spinning processes."""
    precedes = diagnoses.may_go_before_others()
    quiet = 0
    for _ in range(diagnoses.TRIES):
        was_busy = not precedes and is_busy()
        run = diagnoses.report(lares, faults, "plain", goes_first=True)
        if WANTED not in diagnoses.ids(run):
            return None
        quiet += precedes or not (was_busy or is_busy())
    wrong = f"{WANTED}: said of each of {diagnoses.TRIES} runs without spinning processes"
    if quiet < 2:  # a moment between two looks may be another one's
        raise diagnoses.Skip("others kept the processors busy")
    return wrong


def check(lares, faults):
    """A sentence that says what is wrong, or nothing."""
    with spinning():
        run = diagnoses.report(lares, faults, "plain")
    if WANTED not in diagnoses.ids(run):
        return f"{WANTED}: not said beside {SPINNING_PER_CPU} spinning processes a processor: {diagnoses.ids(run)}"
    return diagnoses.what_is_missing(run, WANTED) or wrong_of_twin(lares, faults)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    return diagnoses.run_tests([(WANTED, lambda: check(*sys.argv[1:3]))])


if __name__ == "__main__":
    sys.exit(main())
