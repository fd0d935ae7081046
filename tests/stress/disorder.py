#!/usr/bin/env python3
"""Runs GoogleTest programs with one seed of LARES_DISORDER after the other; a failure or a hang fails.

The programs must come from a build with the option LARES_DISORDER, such as the presets disorder and
tsan. A run that fails is printed as a line for a shell.
"""

import argparse
import os
import subprocess
import sys


def seeds_of(text):
    """"7" or "1-20"."""
    first, _, last = text.partition("-")
    try:
        return range(int(first), int(last or first) + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number or FIRST-LAST') from None


def read_options():
    parser = argparse.ArgumentParser(prog="disorder.py", description=__doc__)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--seeds", type=seeds_of, default=range(1, 4), metavar="FIRST-LAST",
                        help="which seeds (default: 1-3)")
    parser.add_argument("--kinds", default="", metavar="KIND,...",
                        help="some of delay,late,fail,wake,tiny,sleepy (default: all but sleepy)")
    parser.add_argument("--filter", default="*", metavar="TESTS", help="as --gtest_filter")
    parser.add_argument("--timeout", type=float, default=300, metavar="S",
                        help="seconds after which a run counts as hung (default: 300)")
    return parser.parse_args()


def run(program, value, options):
    """A sentence if the run failed."""
    command = [program, f"--gtest_filter={options.filter}", "--gtest_brief=1"]
    shown = f"LARES_DISORDER={value} {' '.join(command)}"
    try:
        done = subprocess.run(command, env={**os.environ, "LARES_DISORDER": value}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=options.timeout, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
        text = output if isinstance(output, str) else output.decode(errors="replace")
        return f"{text}\nhung for {options.timeout:g} seconds: {shown}"
    if done.returncode == 0:
        return None
    return f"{done.stdout}\nexit status {done.returncode}: {shown}"


def main():
    options = read_options()
    failures = runs = 0
    for seed in options.seeds:
        value = f"{seed}:{options.kinds}" if options.kinds else str(seed)
        for program in options.programs:
            runs += 1
            failure = run(program, value, options)
            if failure:
                failures += 1
                print(failure, flush=True)
    print(f"{runs - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
