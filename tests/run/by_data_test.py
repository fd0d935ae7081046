#!/usr/bin/env python3
"""Tests of `lares run --bind by-data` and `--learn` on a machine of two nodes that is only described: all
data lies on the one node there is, so that a thread which uses most of it has a reason to change places.

Usage: by_data_test.py LARES BY_DATA... -- CLASS...
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LARES, *REST = sys.argv[1:]
PROGRAMS = REST[:REST.index("--")]
CLASSES = REST[REST.index("--") + 1:]
MACHINE = "synthetic:numa:2 core:1 pu:1"
CHANGED = "by-data: threads change places"
MOST_DISTURBED = 10


class ByData(unittest.TestCase):
    def run_program(self, program, *words, options=("--bind", "by-data"), threads=2, environment=()):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("OMP_", "GOMP_", "KMP_", "LARES_"))}
        done = subprocess.run([LARES, "run", "--machine", MACHINE, *options, "--", program, *words],
                              env={**clean, "OMP_NUM_THREADS": str(threads), **dict(environment)},
                              capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("result=ok", done.stdout)
        if "refused userfaultfd" in done.stderr:
            self.skipTest("the kernel refuses userfaultfd")
        where = {when: (int(busy), int(other)) for when, busy, other in
                 re.findall(r"^(before|after): (\d+) (\d+)$", done.stdout, re.M)}
        return where, done.stderr


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one processor")
class Exchange(ByData):
    """The thread with most to do goes to where the data is, the other one to where that was."""

    def assert_exchanged(self, program, *words, trace=None, **how):
        """Of a run that others have disturbed nothing need be learnt: it is repeated."""
        for _ in range(MOST_DISTURBED):
            if trace is not None:
                shutil.rmtree(trace, ignore_errors=True)
            where, said = self.run_program(program, *words, **how)
            if CHANGED in said or "disturbed" not in said:
                break
        else:
            self.skipTest(f"{MOST_DISTURBED} runs were disturbed by other work")
        self.assertEqual(said.count(CHANGED), 1, said)
        self.assertEqual(where["after"], where["before"][::-1], said)

    def test_with_the_next_region(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.assert_exchanged(program, "regions")

    def test_behind_a_barrier(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.assert_exchanged(program, "inside")

    def test_by_learn_alone(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.assert_exchanged(program, "regions", options=("--learn",))
                self.assert_exchanged(program, "inside", options=(),
                                      environment={"LARES_LEARN": "1"}.items())

    def test_a_trace_has_what_was_looked_at_and_who_went(self):
        for program in PROGRAMS:
            for shape, moves in (("inside", 2), ("regions", 0)):
                with self.subTest(program=program, shape=shape), tempfile.TemporaryDirectory() as folder:
                    trace = os.path.join(folder, "trace")
                    self.assert_exchanged(program, shape, trace=trace,
                                          options=("--bind", "by-data", "--trace", trace))
                    report = subprocess.run([LARES, "report", trace, "--format", "json"], check=True,
                                            capture_output=True, text=True, timeout=120).stdout
                    run = json.loads(report)["runs"][0]
                    self.assertEqual(sum(each["times"] for each in run["thread_moves"] or []), moves)
                    sampled = run["sampled_pages"]
                    # All data is on the first node: only who runs there finds some at home.
                    self.assertEqual(len(sampled["threads"]), 2, sampled)
                    self.assertGreater(sampled["bytes"]["local"] + sampled["bytes"]["remote"], 1 << 16)
                    self.assertEqual(run["moves"]["fetches"]["times"], 0)
                    self.assertGreater(run["moves"]["samples"]["times"], 16)
                    self.assertTrue(sampled["runs"])

    def assert_stays(self, program, *words, **how):
        where, said = self.run_program(program, *words, **how)
        self.assertNotIn(CHANGED, said)
        self.assertEqual(where["after"], where["before"], said)

    def test_not_without_being_asked(self):
        self.assert_stays(PROGRAMS[0], "regions", options=())
        self.assert_stays(PROGRAMS[0], "inside", options=("--bind", "spread"))

    def test_not_where_the_user_or_the_program_binds(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.assert_stays(program, "pinned")
                where, said = self.run_program(program, "regions",
                                               environment={"OMP_PROC_BIND": "close"}.items())
                self.assertEqual(where["after"], where["before"])
                self.assertIn("--bind by-data moves none of those", said)

    def test_not_for_work_by_tasks(self):
        for program in PROGRAMS:
            _, said = self.run_program(program, "tasks")
            self.assertNotIn(CHANGED, said)

    def test_more_threads_than_cores_stay_unbound(self):
        for program in PROGRAMS:
            _, said = self.run_program(program, "regions", "2", "10", threads=5)
            self.assertNotIn(CHANGED, said)


class Refusals(ByData):
    def test_one_node(self):
        done = subprocess.run([LARES, "run", "--machine", "synthetic:numa:1 core:2 pu:1", "--bind",
                               "by-data", "--", PROGRAMS[0], "regions", "2", "10"],
                              env={**os.environ, "OMP_NUM_THREADS": "2"}, capture_output=True,
                              text=True, timeout=250)
        self.assertIn("result=ok", done.stdout)
        self.assertEqual(done.stderr.count("by-data: there is one memory node"), 1, done.stderr)

    def test_nothing_to_learn_on_one_node(self):
        done = subprocess.run([LARES, "run", "--machine", "synthetic:numa:1 core:2 pu:1", "--learn",
                               "--", PROGRAMS[0], "regions", "2", "10"],
                              env={**os.environ, "OMP_NUM_THREADS": "2"}, capture_output=True,
                              text=True, timeout=250)
        self.assertIn("result=ok", done.stdout)
        self.assertEqual(done.stderr.count("--learn: there is one memory node"), 1, done.stderr)
        self.assertNotIn("by-data", done.stderr)

    def test_bubbles_place_threads_already(self):
        done = subprocess.run([LARES, "run", "--bubbles", "cache", "--bind", "by-data", "true"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--bind by-data does as well", done.stderr)
        _, said = self.run_program(PROGRAMS[0], "regions", options=("--bubbles", "cache", "--learn"))
        self.assertNotIn(CHANGED, said)

    def test_a_variable_that_makes_no_sense(self):
        done = subprocess.run([LARES, "run", "true"], env={**os.environ, "LARES_LEARN": "perhaps"},
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("LARES_LEARN", done.stderr)
        self.assertIn("perhaps", done.stderr)


if __name__ == "__main__":
    if not PROGRAMS:
        print("skipped: the programs were not built")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *CLASSES], verbosity=2)
