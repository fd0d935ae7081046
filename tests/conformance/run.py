#!/usr/bin/env python3
"""Builds the conformance programs and runs them on their stock runtimes and under `lares run`.

Without --lares: every program on its stock runtime at 1, 2, 3, 4 and 8 threads.
With --lares PATH: also under Lares; exit status, standard output and standard error must be those
of the stock run. A run that takes longer than the limit is a failure.

Example: run.py --lares build/release/lares --fast
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

import matrix
from suite import COMPILERS, Builder, SuiteError, read_programs

STOCK_TRIES = 20  # a stock runtime that fails now and then is named, but is not Lares' failure


@dataclasses.dataclass
class Outcome:
    """How a process ended; status None means that it had to be killed."""

    status: int | None
    out: str
    err: str
    seconds: float

    def ending(self):
        if self.status is None:
            return f"killed after {self.seconds:.0f} s"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        return f"exit {self.status}"


def environment(binary, threads):
    """The caller's environment without settings of OpenMP and Lares, and what the program asks."""
    kept = {name: value for name, value in os.environ.items()
            if not re.match(r"(OMP|GOMP|KMP|LIBOMP|LARES|CONFORMANCE)_|LD_PRELOAD$", name)}
    kept["OMP_NUM_THREADS"] = str(threads)
    kept.update(binary.program.environment)
    if binary.library:
        kept["CONFORMANCE_LIBRARY"] = str(binary.library)
    return kept


def run_process(command, variables, limit):
    """Runs a command in a process group of its own, so that nothing of it outlives the limit."""
    begin = time.monotonic()
    process = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace", start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        status = None
    return Outcome(status, out, err, time.monotonic() - begin)


def stock_fault(binary, outcome):
    """What is wrong with a stock run; an empty text if nothing is."""
    if outcome.status != binary.program.status:
        return outcome.ending()
    if "FAILED" in outcome.out:
        return "a case failed"
    skipped = binary.program.skipped(binary.compiler)
    for case in binary.program.cases():
        if case not in skipped and f"ok {case}\n" not in outcome.out:
            return f"case {case} did not report"
    return ""


def lares_fault(outcome, stock):
    """How a run under Lares differs from the stock run; an empty text if it does not."""
    if outcome.status != stock.status:
        return f"{outcome.ending()}, stock: {stock.ending()}"
    if outcome.out != stock.out:
        return "another standard output than stock"
    if outcome.err != stock.err:
        return "another standard error than stock"
    return ""


class Report:
    """Counts and prints; safe to call from several threads."""

    def __init__(self, verbose):
        self._lock = threading.Lock()
        self._verbose = verbose
        self._counts = collections.defaultdict(lambda: [0, 0])
        self.failures = []
        self.slowest = []
        self.notes = []

    def add(self, row, column, title, fault, command="", outcome=None):
        with self._lock:
            self._counts[(row, column)][1 if fault else 0] += 1
            if outcome:
                self.slowest = sorted(self.slowest + [(outcome.seconds, title)])[-5:]
            if fault:
                self.failures.append({"run": title, "fault": fault, "command": command})
                print(f"FAIL {title}: {fault}")
                for line in (outcome.out + outcome.err).splitlines()[-4:] if outcome else []:
                    print(f"     | {line}")
                print(f"     repeat: {command}", flush=True)
            elif self._verbose:
                print(f"pass {title}", flush=True)

    def note(self, text):
        with self._lock:
            self.notes.append(text)
            print(f"note {text}", flush=True)

    def totals(self):
        """Runs that passed under Lares, those that passed on a stock runtime alone, and failures."""
        stock = sum(c[0] for (row, _), c in self._counts.items() if row == "stock")
        counts = list(self._counts.values())
        return sum(c[0] for c in counts) - stock, stock, sum(c[1] for c in counts)

    def table(self):
        columns = sorted({column for _, column in self._counts})
        width = max((len(row) for row, _ in self._counts), default=0)
        print(f"\n{'passed/failed':<{width}}  " + "  ".join(f"{c:>11}" for c in columns))
        for row in dict.fromkeys(row for row, _ in self._counts):
            cells = (self._counts.get((row, column)) for column in columns)
            print(f"{row:<{width}}  " + "  ".join(
                f"{f'{c[0]}/{c[1]}' if c else '-':>11}" for c in cells))


class Runner:
    """Makes the runs."""

    def __init__(self, options, report):
        self._options = options
        self._report = report
        self._stock = {}

    def stock(self, binaries, threads):
        """Runs all on their stock runtimes; returns those that can be compared with."""
        self._each(self._stock_run, [(b, t) for b in binaries for t in threads])

    def lares(self, runs):
        self._each(self._lares_run, [(b, s) for b, s in runs if (b, s.threads) in self._stock])

    def refusals(self, excluded):
        """A pair that is excluded by definition is refused with one sentence, nothing started."""
        for policy in excluded:
            command = [self._options.lares, "run", "--policy", policy, "--", "true"]
            outcome = run_process(command, dict(os.environ), self._options.timeout)
            one_sentence = outcome.err.startswith("lares: ") and outcome.err.count("\n") == 1
            fault = "" if outcome.status == 2 and one_sentence else (
                f"an excluded policy was not refused in one sentence: {outcome.ending()}")
            self._report.add("refused policies", "all", policy, fault, shlex.join(command), outcome)

    def _each(self, function, items):
        with concurrent.futures.ThreadPoolExecutor(self._options.jobs) as pool:
            for done in [pool.submit(function, *item) for item in items]:
                done.result()

    def _stock_run(self, binary, threads):
        title = f"{binary.name} stock threads={threads}"
        for attempt in range(STOCK_TRIES):
            outcome = run_process(binary.command(), environment(binary, threads),
                                  self._options.timeout)
            fault = stock_fault(binary, outcome)
            if not fault:
                self._stock[(binary, threads)] = outcome
                if attempt:
                    self._report.note(f"{title} passed only at try {attempt + 1}: {fault_before}")
                break
            fault_before = fault
        self._report.add("stock", binary.compiler.name, title, fault,
                         self._repeat(binary, threads, binary.command()), outcome)

    def _lares_run(self, binary, setting):
        command = [self._options.lares, "run", "--quiet", *setting.options(),
                   *self._options.lares_option, "--", *binary.command()]
        outcome = run_process(command, environment(binary, setting.threads), self._options.timeout)
        fault = lares_fault(outcome, self._stock[(binary, setting.threads)])
        self._report.add(setting.policy, binary.compiler.name, f"{binary.name} {setting}", fault,
                         self._repeat(binary, setting.threads, command), outcome)

    @staticmethod
    def _repeat(binary, threads, command):
        variables = dict(binary.program.environment, OMP_NUM_THREADS=threads)
        if binary.library:
            variables["CONFORMANCE_LIBRARY"] = binary.library
        return " ".join(f"{k}={v}" for k, v in variables.items()) + " " + shlex.join(command)


def print_left_out(programs, compilers):
    """What does not run and why: nothing is skipped silently."""
    rows = []
    for program in programs:
        for compiler in compilers:
            reason = program.left_out(compiler)
            if reason:
                rows.append((compiler.name, program.name, reason))
            rows += [(name, f"{program.name} {case}", why)
                     for name, case, why in program.stock_fails
                     if name == compiler.name and not reason]
    if not rows:
        return
    print("\nLeft out (the compiler or its stock runtime fails):")
    for row in sorted(rows):
        print("  {:<6} {}: {}".format(*row))


def case_names(binaries):
    """What the binaries test, each once: a program without cases is one itself."""
    names = set()
    for binary in binaries:
        skipped = binary.program.skipped(binary.compiler)
        for case in binary.program.cases() or ["whole"]:
            if case not in skipped:
                names.add(f"conformance {binary.program.name} {case}")
    return sorted(names)


def print_list(programs, compilers):
    for program in programs:
        builders = [c.name for c in compilers if not program.left_out(c)]
        print(f"{program.name} ({', '.join(builders)})")
        for case in program.cases():
            print(f"    {case}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lares", metavar="PATH", help="the command to run the programs under")
    cover = parser.add_mutually_exclusive_group()
    cover.add_argument("--fast", action="store_true",
                       help="a cover of the policies that takes minutes (the default)")
    cover.add_argument("--full", action="store_true",
                       help="every policy at every number of threads")
    parser.add_argument("--policy", action="append", metavar="SPEC",
                        help="only this policy, at every number of threads")
    parser.add_argument("--threads", help="numbers of threads, separated by commas")
    parser.add_argument("--domain", help="only this level, for every run")
    parser.add_argument("--filter", default="", metavar="REGEX", help="programs by name")
    parser.add_argument("--compiler", action="append", choices=sorted(COMPILERS))
    parser.add_argument("--lares-option", action="append", default=[], metavar="OPTION",
                        help="one more option for `lares run`")
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER",
                        help="where binaries are kept (default: build/conformance)")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4))
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS",
                        help="limit of one run (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="where the fast cover begins")
    parser.add_argument("--repeat", type=int, default=1, help="how often each run is made")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="failures as JSON")
    parser.add_argument("--cases", type=pathlib.Path, metavar="FILE",
                        help="add the names of the cases that were run to FILE, one a line")
    parser.add_argument("--list", action="store_true", help="print programs and cases, run nothing")
    parser.add_argument("--verbose", action="store_true", help="one line for every run")
    return parser.parse_args()


def settings_for(options, policies, levels, index):
    if options.policy:
        chosen = [matrix.Setting(spec, t) for spec in options.policy for t in matrix.THREADS]
    elif options.full:
        chosen = matrix.all_settings(policies, levels)
    else:
        chosen = matrix.fast_settings(policies, levels, index, options.seed)
    if options.threads:
        wanted = [int(word) for word in options.threads.split(",")]
        chosen = [s for s in chosen if s.threads in wanted] if not options.policy else [
            matrix.Setting(spec, t) for spec in options.policy for t in wanted]
    if options.domain:
        chosen = [dataclasses.replace(s, domain=options.domain) for s in chosen]
    return chosen


def main():
    options = parse_arguments()
    programs = read_programs(options.filter)
    if not programs:
        raise SuiteError(f"no program matches '{options.filter}'")
    compilers = [COMPILERS[name] for name in options.compiler or sorted(COMPILERS)]
    if options.list:
        print_list(programs, compilers)
        print_left_out(programs, compilers)
        return 0
    begin = time.monotonic()
    folder = options.build or pathlib.Path(__file__).resolve().parents[2] / "build/conformance"
    binaries, errors = Builder(folder.resolve(), options.jobs).build(programs, compilers)
    report = Report(options.verbose)
    for name, text in errors:
        report.add("build", name.split()[-1], name, "does not build:\n" + text)
    print(f"{len(binaries)} binaries of {len(programs)} programs, "
          f"{time.monotonic() - begin:.0f} s", flush=True)

    runner = Runner(options, report)
    runs = []
    if options.lares:
        options.lares = str(pathlib.Path(options.lares).resolve())
        policies = matrix.Policies(options.lares)
        levels = matrix.domain_levels(options.lares)
        runs = [(binary, setting) for index, binary in enumerate(binaries)
                for setting in settings_for(options, policies, levels, index)]
        needed = sorted({setting.threads for _, setting in runs})
    elif options.threads:
        needed = [int(word) for word in options.threads.split(",")]
    else:
        needed = matrix.THREADS
    for _ in range(options.repeat):
        runner.stock(binaries, needed)
        if options.lares:
            runner.lares(runs)
    if options.lares and not options.policy:
        runner.refusals(policies.excluded)

    report.table()
    print_left_out(programs, compilers)
    print("\nSlowest: " + "; ".join(f"{name} {s:.1f} s" for s, name in reversed(report.slowest)))
    print(f"{time.monotonic() - begin:.0f} s in all")
    if options.json:
        options.json.write_text(json.dumps(report.failures, indent=2) + "\n", encoding="utf-8")
    names = case_names(binaries)
    if options.cases:
        with options.cases.open("a", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in names)
    passed, stock, failed = report.totals()
    if options.lares:
        print(f"{len(names)} cases; {stock} runs on the stock runtimes alone, to compare with: "
              "not counted")
    else:
        passed = stock
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SuiteError as mistake:
        print(f"run.py: {mistake}", file=sys.stderr)
        sys.exit(2)
