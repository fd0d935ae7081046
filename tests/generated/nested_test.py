#!/usr/bin/env python3
"""Walked programs with regions in regions, whose teams `lares run --bubbles` places. In a build with
LARES_DISORDER each run is disturbed by a number of its own.

nested_test.py LARES [TEST...]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import walk  # noqa: E402  (the path must be set first)
from build import WalkerBuilder  # noqa: E402
from execute import Setting, run  # noqa: E402

LARES = sys.argv[1]
# So small that two cores have to be shared, and that there is another domain to go to.
MACHINE = ("--machine", "synthetic:pack:1 l2:2 core:1 pu:1", "--domain", "l2")
PROGRAMS = 30
DISORDERS = range(1, 4)
LIMIT = 60


class Nested(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not {0, 1} <= os.sched_getaffinity(0):
            raise unittest.SkipTest("needs processors 0 and 1")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="lares-nested-test-"))
        cls.builder = WalkerBuilder(cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def seeds(self, walker):
        """The first programs that have a region in a region."""
        found = []
        for seed in range(1, 10000):
            shown = subprocess.run([walker, "--print", str(seed)], check=True, capture_output=True, text=True)
            if nests(shown.stdout.splitlines()[1:]):
                found.append(seed)
            if len(found) == PROGRAMS:
                return found
        self.fail("the walker draws no nested regions")

    def placed(self, walker, seeds, bubbles, disorder):
        """How many teams were placed; every program must pass."""
        summary = self.folder / "summary.json"
        launcher = (LARES, "run", *MACHINE, "--bubbles", bubbles, "--summary", "json", summary, "--")
        setting = Setting(launcher, (("OMP_NUM_THREADS", "3"), ("OMP_MAX_ACTIVE_LEVELS", "3"), ("MALLOC_PERTURB_", "165"),
                                     ("LARES_DISORDER", str(disorder))))
        outcome = run(walker, setting, seeds, LIMIT)
        self.assertEqual(outcome.fault, "", f"case {outcome.case}: {outcome}\n{setting}")
        return json.loads(summary.read_text())["bubbles"]["teams"]

    def check(self, bubbles):
        for compiler in ("gcc", "clang"):
            walker = self.builder.build(walk.Batch(0, compiler, False, ()))
            seeds = self.seeds(walker)
            for disorder in DISORDERS:
                with self.subTest(compiler=compiler, disorder=disorder):
                    # Regions that have had one thread before are not placed the first times.
                    placed = self.placed(walker, seeds, bubbles, disorder)
                    self.assertGreaterEqual(placed, PROGRAMS // 2)

    def test_programs_pass_while_cache_places_their_teams(self):
        self.check("cache")

    def test_programs_pass_while_memory_places_their_teams(self):
        self.check("memory")


def nests(tree):
    """Whether a region stands in another one, in the lines of a tree."""
    above = []  # the indents of the regions around
    for line in tree:
        indent = len(line) - len(line.lstrip())
        above = [each for each in above if each < indent]
        if line.split()[1] in ("parallel", "combined"):
            if above:
                return True
            above.append(indent)
    return False


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
