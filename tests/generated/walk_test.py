#!/usr/bin/env python3
"""Tests of the walker: its trees, that it finds a wrong runtime, and that what fails gets small."""

import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import run as generated  # noqa: E402  (the path must be set first)
import walk  # noqa: E402
from build import WalkerBuilder, wrong_runtime  # noqa: E402
from execute import Setting, run  # noqa: E402

FOUR = (("OMP_NUM_THREADS", "4"), ("OMP_WAIT_POLICY", "passive"))
LIMIT = 60
SEEDS = list(range(1, 61))


class Walked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="lares-walk-test-"))
        cls.walker = WalkerBuilder(cls.folder).build(walk.Batch(0, "gcc", False, ()))
        cls.wrong = wrong_runtime(cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def tree(self, seed, drop=""):
        shown = subprocess.run([self.walker, "--print", str(seed)], check=True, capture_output=True, text=True,
                               env={**os.environ, "WALK_DROP": drop})
        return shown.stdout.splitlines()

    def launcher(self, fault):
        return ("env", f"LD_PRELOAD={self.wrong}", f"WRONG={fault}")

    def finds(self, fault, *words, kind="wrong", seeds=SEEDS, kib=0):
        """Some program fails with the fault; on a busy machine it needs luck to show."""
        outcomes = (run(self.walker, Setting(self.launcher(fault), FOUR), seeds, LIMIT, kib) for _ in range(20))
        self.assertTrue(any(outcome.fault == kind and all(word in outcome.text for word in words)
                            for outcome in outcomes))

    def test_the_same_seed_gives_the_same_tree(self):
        for seed in SEEDS:
            self.assertEqual(self.tree(seed), self.tree(seed))

    def test_another_seed_gives_another_tree(self):
        self.assertEqual(len({"\n".join(self.tree(seed)[1:]) for seed in SEEDS}), len(SEEDS))

    def test_every_kind_of_node_is_drawn(self):
        drawn = {line.split()[1] for seed in range(1, 400) for line in self.tree(seed)[1:]}
        kinds = "".join((HERE / "tree.h").read_text().partition("#define KINDS(X)")[2].partition("\n\n")[0])
        self.assertEqual(drawn, {word[2:-1] for word in kinds.split() if word.startswith("X(")})

    def test_programs_pass_on_a_right_runtime(self):
        self.assertEqual(str(run(self.walker, Setting((), FOUR), SEEDS, LIMIT)), "passed")

    def test_dropped_nodes_and_fields_are_gone(self):
        tree = self.tree(5)
        numbers = [line.split()[0] for line in tree[1:]]
        last = numbers[-1]
        self.assertEqual(self.tree(5, last), tree[:-1])
        self.assertEqual(self.tree(5, ",".join(numbers)), tree[:1])
        field = next(word for line in tree[1:] for word in line.split()[2:] if "=" in word)
        number = next(line.split()[0] for line in tree[1:] if field in line.split())
        self.assertNotIn(field, next(line for line in self.tree(5, f"{number}.{field.split('=')[0]}")
                                     if line.split()[0] == number).split())

    def test_dropped_dependences_are_found(self):
        self.finds("dropped-dependences", "began before what it depends on")

    def test_members_of_a_mutexinoutset_that_overlap_are_found(self):
        self.finds("shared-mutexinoutset")

    def test_a_task_that_runs_twice_is_found(self):
        self.finds("task-twice")

    def test_a_task_that_is_lost_is_found(self):
        self.finds("lost-task")

    def test_a_taskwait_that_does_not_wait_is_found(self):
        self.finds("skipped-taskwait", "children left")

    def test_a_barrier_that_does_not_wait_is_found(self):
        self.finds("skipped-barrier")

    def test_a_crash_is_found(self):
        self.finds("crash", kind="crash")

    def test_growth_is_found(self):
        self.finds("growth", kind="growth", seeds=SEEDS[:2], kib=100 * 1024)

    def test_a_hang_names_the_program(self):
        hanging = Setting(self.launcher("hang"), FOUR)
        outcome = run(self.walker, hanging, SEEDS, 5)
        self.assertEqual(outcome.fault, "hang")
        self.assertEqual(run(self.walker, hanging, [outcome.case], 5).fault, "hang")

    def test_a_wrong_runtime_ends_as_a_small_tree(self):
        options = walk.parse_arguments(["--seed", "1", "--programs", "100", "--compiler", "gcc", "--jobs", "1",
                                        "--shrink-seconds", "20", "--keep", str(self.folder / "kept")])
        options.launcher = self.launcher("crash")
        options.build = self.folder / "suite"
        report = generated.Report()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            suite = walk.WalkSuite(options, report)
            batch = suite.program(1)
            suite._try(walk.Batch(1, "gcc", False, batch.cases[:12]), suite._builder.build(batch))
        self.assertGreater(report.failed, 0)
        self.assertRegex(printed.getvalue(), r"FAIL walked-gcc case \d+: crash")
        self.assertRegex(printed.getvalue(), r"smallest \([1-4] statements\)")
        self.assertTrue(list((self.folder / "kept").iterdir()))


class Seeds(unittest.TestCase):
    def suite(self, *words):
        folder = tempfile.mkdtemp(prefix="lares-walk-test-")
        self.addCleanup(shutil.rmtree, folder)
        options = walk.parse_arguments([*words])
        options.build = folder
        with unittest.mock.patch.object(walk.WalkSuite, "builder"):
            return walk.WalkSuite(options, generated.Report())

    def test_one_program_runs_as_in_its_batch(self):
        many, one = self.suite("--seconds", "1"), self.suite("--seed", "1234")
        batch, alone = many.program(1200), one.program(1234)
        self.assertIn(walk.Case(1234), batch.cases)
        self.assertEqual(alone.cases, (walk.Case(1234),))
        self.assertEqual((alone.compiler, alone.mixed), (batch.compiler, batch.mixed))
        self.assertEqual(many.setting(1200), one.setting(1234))

    def test_all_walkers_have_their_turn(self):
        suite = self.suite("--seconds", "1")
        batches = [suite.program(seed) for seed in range(0, 4 * walk.BATCH, walk.BATCH)]
        self.assertEqual({(batch.compiler, batch.mixed) for batch in batches}, set(walk.WALKERS))


class Dropping(unittest.TestCase):
    """With a failure that is known without a run."""

    LINES = ["seed 1", "  1 parallel threads=4", "    2 single nowait=1", "      3 task untied=1", "        4 taskwait",
             "      5 work count=7"]

    def tree(self, _, setting):
        gone = dict(setting.variables).get("WALK_DROP", "").split(",")
        kept, hidden = self.LINES[:1], 99
        for line in self.LINES[1:]:
            depth, number = len(line) - len(line.lstrip()), line.split()[0]
            if depth > hidden:
                continue
            hidden = depth if number in gone else 99
            if number not in gone:
                kept.append(" ".join(word for word in line.split() if f"{number}.{word.split('=')[0]}" not in gone))
        return kept

    def test_nothing_is_left_but_what_fails(self):
        def fails(_, setting):
            text = "\n".join(self.tree(None, setting))
            return "taskwait" in text and "nowait" in text.replace("taskwait", "")

        start = Setting(("lares", "run", "--policy", "central", "--"), (("OMP_NUM_THREADS", "8"),))
        _, setting = walk.Dropper(fails, self.tree, 60).shrink(None, start)
        self.assertEqual(self.tree(None, setting),
                         ["seed 1", "1 parallel", "2 single nowait=1", "3 task", "4 taskwait"])
        self.assertEqual(setting.launcher, ("lares", "run", "--policy", "auto", "--"))


if __name__ == "__main__":
    unittest.main()
