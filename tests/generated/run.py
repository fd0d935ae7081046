#!/usr/bin/env python3
"""Makes OpenMP programs at random and runs them on their stock runtimes and under `lares run`.

Each seed is one program of several cases that check themselves. A case that its stock runtime fails
is set aside; every other one must pass under Lares, too, in a time and with memory like stock's. Of
what fails, the smallest program that still does is printed.

Examples:
  run.py --lares build/release/lares --programs 20
  run.py --lares build/release/lares --seconds 600 --keep build/failures
  run.py --lares build/release/lares --seed 7 --language c --compiler clang
  run.py --seed 7 --print                    # only its text
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import generate  # noqa: E402  (the path must be set first)
import model  # noqa: E402
from build import HERE, BuildError, Builder, drivers_of  # noqa: E402
from emit import source_files  # noqa: E402
from execute import run, run_each  # noqa: E402
from settings import Settings  # noqa: E402
from shrink import Shrinker  # noqa: E402

from suite import SuiteError  # noqa: E402  (of the conformance suite; settings.py knows where it is)

ROOT = HERE.parents[1]
COMBINATIONS = [(language, compiler) for language in generate.LANGUAGES for compiler in drivers_of(language)]
STOCK_LIMIT = 8  # seconds for the cases of one program together
PATIENCE = 10  # times as long as stock
SLACK_SECONDS = 12
GROWTH = 4  # times the memory of stock
SLACK_KIB = 96 * 1024
SANITIZED = "lares-sanitized"
SANITIZER_GROWTH = 4  # times that: redzones, and a quarantine for each of dozens of threads
COMPILER_CRASHES = ("internal compiler error", "clang frontend command failed due to signal")
CONFIRMATIONS = 12  # runs of a case that failed, alone, under Lares and stock


class Report:
    """Counts and prints; safe to call from several threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._terminal = sys.stdout.isatty()
        self._begin = time.monotonic()
        self.programs = self.cases = self.passed = self.failed = 0
        self.aside = []
        self.broken = 0

    def count(self, passed):
        with self._lock:
            self.passed += passed
            self._progress()

    def program(self, cases, programs=1):
        with self._lock:
            self.programs += programs
            self.cases += cases
            self._progress()

    def set_aside(self, text):
        with self._lock:
            self.aside.append(text)

    def failure(self, runs, text):
        with self._lock:
            self.failed += runs
            self._print(text)

    def breakage(self, text):
        """The generator's own fault."""
        with self._lock:
            self.broken += 1
            self.failed += 1
            self._print(text)

    def _progress(self):
        if self._terminal:
            seconds = time.monotonic() - self._begin
            print(f"\r\033[K{self.programs} programs, {self.passed} passed, {self.failed} failed, "
                  f"{seconds:.0f} s", end="", flush=True)

    def _print(self, text):
        print(("\r\033[K" if self._terminal else "") + text, flush=True)

    def end(self):
        self._print("")
        if self.aside:
            print("Set aside, since the stock runtime fails them:")
            for line in sorted(self.aside):
                print(f"  {line}")
        cases = f" of {self.cases} cases" if self.cases else ""
        print(f"{self.programs} programs{cases}, {time.monotonic() - self._begin:.0f} s")
        print(f"{self.passed} passed, {self.failed} failed")


class Suite:
    """Takes programs from seed to verdict."""

    builder = Builder
    stride = 1  # from one seed to the next
    stall = 0  # the seconds that one case may take under Lares; 0: as many as all
    repeats = 1  # of a case in one process that confirms a failure

    def __init__(self, options, report):
        self._options = options
        self._report = report
        self._builder = self.builder(options.build)
        self._check_lares()
        self._settings = Settings(options.lares, options.launcher, options.without, options.disorder)

    def _check_lares(self):
        if not self._options.lares:
            return
        try:
            tried = subprocess.run([self._options.lares, "run", "--quiet", "--", "true"],
                                   capture_output=True, text=True, check=False)
        except OSError as error:
            raise SuiteError(f"{self._options.lares} cannot be run: {error.strerror}") from None
        if tried.returncode:
            raise SuiteError(f"'{self._options.lares} run true' fails: {tried.stderr.strip()}")

    def program(self, seed):
        fitting = [(language, compiler) for language, compiler in COMBINATIONS
                   if self._options.language in (None, language)
                   and self._options.compiler in (None, compiler)]
        language, compiler = fitting[seed % len(fitting)]
        return generate.generate(seed, language, compiler, self._options.cases, self._options.without)

    def try_seed(self, seed):
        program = self.program(seed)
        built = None
        try:
            built = self._builder.build(program)
            self._try(program, built)
        except BuildError as error:
            if any(mark in str(error) for mark in COMPILER_CRASHES):
                self._report.set_aside(f"{program.name}: the compiler fails with an internal error")
                return
            self._report.breakage(f"FAIL {program.name} does not build:\n{error}")
        finally:
            if built:
                shutil.rmtree(built.parent, ignore_errors=True)

    def _try(self, program, built):
        wanted = self._options.case
        cases = [case.number for case in program.cases if not wanted or case.number == wanted]
        cases, seconds, kib = self._passing(program, built, cases, self._settings.stock(), STOCK_LIMIT)
        self._report.program(len(cases))
        if not self._options.lares and not self._options.launcher:
            return
        for setting in self._settings.draw(program.seed, self._options.settings):
            cases = self._under(program, built, setting, cases, seconds, kib)
            if not cases:
                return

    def _under(self, program, built, setting, cases, seconds, kib):
        """The cases that pass with this setting; the others are reported."""
        outcomes = run_each(built, setting, cases, seconds * PATIENCE + SLACK_SECONDS, kib_limit(setting, kib),
                            stall=self.stall)
        self._report.count(sum(not outcome.fault for outcome in outcomes.values()))
        for case, outcome in outcomes.items():
            if outcome.fault:
                before = cases[:cases.index(case)]
                self._failed(program, built, setting, case, outcome, seconds, kib, before)
        return [case for case in cases if not outcomes[case].fault]

    def _passing(self, program, built, cases, settings, limit, stall=0):
        """The cases that the stock runtime passes, and the most seconds and memory that they took."""
        seconds = kib = 0
        for setting in settings:
            outcomes = run_each(built, setting, cases, limit, stall=stall)
            for case, outcome in outcomes.items():
                if outcome.fault:
                    self._aside(program, case, setting, outcome)
                else:
                    seconds, kib = max(seconds, outcome.seconds), max(kib, outcome.kib)
            cases = [case for case in cases if not outcomes[case].fault]
            if not self._options.lares and not self._options.launcher:
                self._report.count(len(cases))
        return cases, seconds, kib

    def _aside(self, program, case, setting, outcome):
        self._report.set_aside(f"{program.name} case {case}: {outcome} ({setting})")

    def _failed(self, program, built, setting, case, outcome, seconds, kib, before):
        """Confirms a failure against stock under the same setting, and shrinks it. `before`: the cases that ran
        before it in the same process."""
        limits = (min(seconds * PATIENCE + SLACK_SECONDS, 15), kib_limit(setting, kib))
        if self._fails_stock(program, built, setting, [case] * self.repeats, limits, CONFIRMATIONS):
            return
        again, tried = _fails_again(built, setting, [case] * self.repeats, limits, outcome)
        count, replay = f"{again} of {tried} runs", self._replay(program, case)
        if not again and before:  # something that they have left behind, perhaps
            if self._fails_stock(program, built, setting, [*before, case], limits, 3):
                return
            together, runs = _fails_again(built, setting, [*before, case], limits, outcome)
            count += f", {together} of {runs} with all before it"
            replay = self._replay(program, None)
        lines = [f"FAIL {program.name} case {case}: {outcome}",
                 f"     setting: {setting}",
                 f"     again:   {count}",
                 f"     replay:  {replay}"]
        small, plain = program.only(case), setting
        if again and self._options.shrink_seconds:
            small, plain = self._shrink(small, setting, limits, again / tried)
            shown = list(self._shown(small, plain))
            lines.append(f"     smallest ({self._size(small, shown)} statements): {plain}")
            lines += ["     | " + line for line in shown]
        if self._options.keep:
            lines.append(f"     kept:    {self._keep(small, plain, case, lines)}")
        self._report.failure(1, "\n".join(lines))

    def _fails_stock(self, program, built, setting, cases, limits, times):
        """Whether the stock runtime fails them with this setting; then they are set aside."""
        for _ in range(times):
            stock = run(built, setting.stock(), cases, *limits)
            if stock.fault:
                self._aside(program, cases[-1], setting.stock(), stock)
                return True
        return False

    def _replay(self, program, case):
        """`case`: None for all of them."""
        chosen = f"--case {case} " if case else ""
        return (f"tests/generated/run.py --lares {self._options.lares} --seed {program.seed} "
                f"--language {program.language} --compiler {program.compiler} {chosen}"
                f"--cases {self._options.cases}" + "".join(f" --without {name}" for name in self._options.without))

    @staticmethod
    def _shown(program, _):
        return shown(program)

    @staticmethod
    def _size(program, _):
        return sum(map(model.size, program.cases))

    def _shrink(self, program, setting, limits, rate):
        """What fails at this rate is run often enough that a failure hardly escapes."""
        often = max(3, min(20, round(3 / rate)))
        limits = (min(limits[0], 6), limits[1])

        def fails(candidate, with_setting):
            try:
                built = self._builder.build(candidate, "shrink")
            except BuildError:
                return False
            try:
                failed = any(run(built, with_setting, [], *limits).fault for _ in range(often))
                return failed and not any(
                    run(built, with_setting.stock(), [], *limits).fault for _ in range(min(often, 5)))
            finally:
                shutil.rmtree(built.parent, ignore_errors=True)

        return Shrinker(fails, self._options.shrink_seconds).shrink(program, setting)

    def _keep(self, program, setting, case, lines):
        """A folder with the sources, the shadow, and a script that builds and runs them."""
        place = self._options.keep / f"{program.name}-{case}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "why.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (place / "tree.txt").write_text(repr(program) + "\n", encoding="utf-8")
        kept = Builder(place / "built")
        built = kept.build(program)
        for source in built.parent.glob("*.[cf]*"):
            shutil.copy(source, place)
        script = place / "repeat"
        script.write_text("#!/bin/sh\n# Runs the program until it fails.\n"
                          f"while {setting.command(built)}; do :; done\n", encoding="utf-8")
        script.chmod(0o755)
        return place


def _fails_again(built, setting, cases, limits, outcome):
    """How often, of how many runs."""
    again = 0
    for tried in range(1, CONFIRMATIONS + 1):
        again += bool(run(built, setting, cases, *limits).fault)
        if again >= 3 or (again and outcome.fault == "hang"):
            break
    return again, tried


def kib_limit(setting, stock_kib):
    """How much a process may take. 0: who switches throttling off, asks for the memory of all tasks."""
    if dict(setting.variables).get("KMP_ENABLE_TASK_THROTTLING") == "0":
        return 0
    watched = any(pathlib.Path(word).name == SANITIZED for word in setting.launcher)
    return (stock_kib * GROWTH + SLACK_KIB) * (SANITIZER_GROWTH if watched else 1)


def shown(program):
    """The functions of a program, without what is the same in all."""
    for name, text in source_files(program).items():
        if name == "table.c":
            continue
        yield f"-- {name}"
        begin = text.find("}  // namespace\n") + len("}  // namespace\n") if "}  // namespace" in text else 0
        for line in text[begin:].splitlines():
            if line.startswith("static const struct sh_case"):
                break
            if line.strip() and not line.startswith("#include"):
                yield line


def run_all(suite, options):
    """Seed after seed, in several threads, until the programs or the time are over."""
    end = time.monotonic() + options.seconds if options.seconds else None
    first = options.seed if options.seed is not None else random.randrange(10**6)
    count = 1 if options.seed is not None and not options.programs and not end else options.programs or 20
    first -= first % suite.stride
    some = range(first, first + count * suite.stride, suite.stride)
    seeds = itertools.count(first, suite.stride) if end else iter(some)
    print(f"seeds from {first} on", flush=True)
    lock = threading.Lock()

    def work():
        while end is None or time.monotonic() < end:
            with lock:
                seed = next(seeds, None)
            if seed is None:
                return
            suite.try_seed(seed)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(work) for _ in range(options.jobs)]:
            done.result()


def add_common_options(parser):
    parser.add_argument("--lares", metavar="PATH", help="the command to run the programs under")
    parser.add_argument("--seed", type=int, help="the first program; alone: only this one")
    parser.add_argument("--programs", type=int, help="how many (default: 20)")
    parser.add_argument("--seconds", type=float, help="for so long, however many programs that are")
    parser.add_argument("--compiler", choices=("gcc", "clang"))
    parser.add_argument("--disorder", action="store_true",
                        help="sets LARES_DISORDER to a number of its own in each run")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4))
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="where what fails is kept")
    parser.add_argument("--shrink-seconds", type=float, default=90, metavar="SECONDS",
                        help="limit for one failure (default: 90; 0: not at all)")
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER",
                        help="where programs are built (default: build/generated)")
    parser.add_argument("--launcher", nargs="+", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--print", action="store_true", help="the text of the program, and run nothing")


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common_options(parser)
    parser.add_argument("--cases", type=int, default=8, help="of each program (default: 8)")
    parser.add_argument("--case", type=int, help="only this one")
    parser.add_argument("--settings", type=int, default=8, help="runs of each program (default: 8)")
    parser.add_argument("--language", choices=generate.LANGUAGES)
    parser.add_argument("--without", action="append", default=[], metavar="NAME",
                        help="a feature that programs shall not have; --list-features names them; "
                             "known: all that Lares is known to fail")
    parser.add_argument("--list-features", action="store_true")
    options = parser.parse_args(words)
    options.without = sorted({name for word in options.without for name in word.split(",") if name})
    if "known" in options.without:
        options.without = sorted({*options.without, *generate.KNOWN_TO_FAIL} - {"known"})
    for name in options.without:
        if name not in generate.FEATURES:
            raise SuiteError(f"there is no feature '{name}'; --list-features names all")
    if (options.language, options.compiler) == ("fortran", "clang"):
        raise SuiteError("there is no Fortran compiler of clang here; gcc has one")
    if options.lares:
        options.lares = str(pathlib.Path(options.lares).resolve())
    return options


def main():
    options = parse_arguments()
    if options.list_features:
        for name, text in generate.FEATURES.items():
            known = " (known to fail)" if name in generate.KNOWN_TO_FAIL else ""
            print(f"{name:<17} {text}{known}")
        return 0
    return run_suite(Suite, options, show_source)


def show_source(suite, seed):
    for name, text in source_files(suite.program(seed)).items():
        print(f"// {name}\n{text}")


def run_suite(kind, options, show):
    """The exit status."""
    parent = options.build or ROOT / "build/generated"
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=parent) as folder:
        options.build = pathlib.Path(folder)
        report = Report()
        suite = kind(options, report)
        if options.print:
            show(suite, options.seed or 0)
            return 0
        try:
            run_all(suite, options)
        except KeyboardInterrupt:
            print()
        report.end()
    return 1 if report.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SuiteError as mistake:
        print(f"run.py: {mistake}", file=sys.stderr)
        sys.exit(2)
