#!/usr/bin/env python3
"""Runs OpenMP programs that a built walker draws from seeds, on stock runtimes and under `lares run`.

A seed is one program, a tree of constructs that checks itself; none is compiled for it, so many
thousands run in a minute. What fails is shrunk by dropping parts of its tree.

Examples:
  walk.py --lares build/release/lares --programs 20000
  walk.py --lares build/release/lares --seconds 600 --keep build/failures
  walk.py --lares build/release/lares --seed 7117    # program 7117 again, with the same setting
  walk.py --seed 7117 --print                # only its tree
"""

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import run as generated  # noqa: E402  (the path must be set first)
from build import WalkerBuilder  # noqa: E402
from execute import Setting, run  # noqa: E402
from shrink import Shrinker  # noqa: E402

from suite import SuiteError  # noqa: E402  (of the conformance suite; settings.py knows where it is)

BATCH = 100  # programs of one process
STOCK_LIMIT = 60  # seconds for them together
STOCK_STALL = 4  # seconds for one
WALKERS = [(compiler, mixed) for mixed in (False, True) for compiler in ("gcc", "clang")]


@dataclasses.dataclass(frozen=True)
class Case:
    number: int


@dataclasses.dataclass(frozen=True)
class Batch:
    """Programs with consecutive seeds by one walker."""

    seed: int
    compiler: str
    mixed: bool
    cases: tuple

    @property
    def name(self):
        return f"walked-{self.compiler}{'-mixed' if self.mixed else ''}"

    def only(self, case):
        return dataclasses.replace(self, cases=(Case(case),))


class Dropper(Shrinker):
    """Drops nodes of a tree, and sets their fields to 0, as long as it fails; the setting has what is dropped."""

    def __init__(self, fails, tree, seconds):
        super().__init__(fails, seconds)
        self._tree = tree

    def shrink(self, program, setting):
        before = None
        while before != setting and not self._late():
            before = setting
            for parts in (self._nodes, self._fields):
                setting = self._drop(program, setting, parts)
            program, setting = self._settings(program, setting)
        return program, setting

    def _drop(self, program, setting, parts):
        tried = set()
        while not self._late():
            part = next((part for part in parts(program, setting) if part not in tried), None)
            if part is None:
                break
            tried.add(part)
            if self._still(program, with_drop(setting, part)):
                setting = with_drop(setting, part)
        return setting

    def _nodes(self, program, setting):
        return [line.split()[0] for line in self._tree(program, setting)[1:]]

    def _fields(self, program, setting):
        return [f"{line.split()[0]}.{name}" for line in self._tree(program, setting)[1:]
                for name in re.findall(r"(\w+)=", line)]


def with_drop(setting, part):
    variables = dict(setting.variables)
    variables["WALK_DROP"] = ",".join(filter(None, [variables.get("WALK_DROP"), part]))
    return Setting(setting.launcher, tuple(variables.items()))


class WalkSuite(generated.Suite):
    """A seed of the suite is a batch; the number of a case is the seed of a program."""

    builder = WalkerBuilder
    repeats = 25
    stall = 15

    def __init__(self, options, report):
        super().__init__(options, report)
        self.stride = 1 if options.single else BATCH
        for compiler, mixed in WALKERS:  # now, since several threads want them at once
            if not options.compiler or (compiler, mixed) == (options.compiler, options.mixed):
                self._builder.build(Batch(0, compiler, mixed, ()))

    def program(self, seed):
        """The batch that begins with this seed; the walker and the setting are the same for each of its seeds."""
        compiler, mixed = WALKERS[seed // BATCH % len(WALKERS)]
        if self._options.compiler:
            compiler, mixed = self._options.compiler, self._options.mixed
        return Batch(seed, compiler, mixed, tuple(Case(number) for number in range(seed, seed + self.stride)))

    def setting(self, seed):
        return self._settings.one(seed // BATCH)

    def try_seed(self, seed):
        batch = self.program(seed)
        self._try(batch, self._builder.build(batch))

    def _try(self, program, built):
        setting = self.setting(program.seed)
        cases = [case.number for case in program.cases]
        cases, seconds, kib = self._passing(program, built, cases, [setting.stock()], STOCK_LIMIT,
                                             STOCK_STALL)
        self._report.program(0, len(program.cases))
        if self._options.lares or self._options.launcher:
            self._under(program, built, setting, cases, seconds, kib)

    def tree(self, program, setting):
        shown = subprocess.run([self._builder.build(program), "--print", str(program.cases[0].number)], check=True,
                               capture_output=True, text=True, env={**os.environ, **dict(setting.variables)})
        return shown.stdout.splitlines()

    def _replay(self, program, case):
        seeds = f"{case}" if case else f"{program.seed} --programs {len(program.cases)}"
        return (f"tests/generated/walk.py --lares {self._options.lares} --seed {seeds} --compiler {program.compiler}"
                + " --mixed" * program.mixed + " --disorder" * self._options.disorder)

    def _shown(self, program, setting):
        return self.tree(program, setting)

    @staticmethod
    def _size(_, shown):
        return len(shown) - 1

    def _shrink(self, program, setting, limits, rate):
        built = self._builder.build(program)
        seed = program.cases[0].number
        limits = (min(limits[0], 8), limits[1])
        often = max(1, min(6, round(1 / rate)))

        def fails(_, with_setting):
            return (any(run(built, with_setting, [seed] * self.repeats, *limits).fault for _ in range(often))
                    and not run(built, with_setting.stock(), [seed] * self.repeats, *limits).fault)

        return Dropper(fails, self.tree, self._options.shrink_seconds).shrink(program, setting)

    def _keep(self, program, setting, case, lines):
        self._options.keep.mkdir(parents=True, exist_ok=True)
        place = self._options.keep / f"{program.name}-{case}.txt"
        place.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return place


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    generated.add_common_options(parser)
    parser.add_argument("--mixed", action="store_true",
                        help="with --compiler: the walker that has libraries of both compilers")
    options = parser.parse_args(words)
    options.case, options.without = None, ()
    options.single = options.seed is not None and not options.programs and not options.seconds
    if options.programs:
        options.programs = -(-options.programs // BATCH)
    if options.lares:
        options.lares = str(pathlib.Path(options.lares).resolve())
    return options


def show_tree(suite, seed):
    program = suite.program(seed)
    print("\n".join(suite.tree(program.only(seed), Setting())))


def main():
    options = parse_arguments()
    return generated.run_suite(WalkSuite, options, show_tree)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SuiteError as mistake:
        print(f"walk.py: {mistake}", file=sys.stderr)
        sys.exit(2)
