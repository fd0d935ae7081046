#!/usr/bin/env python3
"""Tests of `lares run --placement follow` on a machine of two nodes that is only described: pages wait,
are touched and fetched as on a real one, and stay on the only node there is.

Usage: follow_test.py LARES HEAP_STORM... -- REPEATED_WORK... -- CLASS...
"""

import os
import pathlib
import subprocess
import sys
import unittest

LARES, *REST = sys.argv[1:]
STORMS = REST[:REST.index("--")]
REST = REST[REST.index("--") + 1:]
SWEEPS = REST[:REST.index("--")]
CLASSES = REST[REST.index("--") + 1:]
MACHINE = "synthetic:numa:2 core:1 pu:1"
ANY_WAY = {"LARES_PLACEMENT": "follow:100000"}
REFUSE = pathlib.Path(__file__).with_name("refuse.py")


class Follow(unittest.TestCase):
    def run_program(self, *words, threads=2, before=()):
        environment = {**os.environ, **ANY_WAY, "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run([*before, LARES, "run", "--machine", MACHINE, "--", *words],
                              env=environment, capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("result=ok", done.stdout)
        return done.stderr

    def need_userfaultfd(self):
        """With faults inside system calls."""
        said = self.run_program(SWEEPS[0], "serial", "4", "8")
        if "refused userfaultfd" in said:
            self.skipTest("the kernel refuses userfaultfd")


class Results(Follow):
    """Whatever waits for its touch, the program computes what it would have computed."""

    def test_repeated_work_in_every_shape(self):
        self.need_userfaultfd()
        for sweeps in SWEEPS:
            for shape in ("serial", "tasks", "pieces", "changing"):
                with self.subTest(program=sweeps, shape=shape):
                    said = self.run_program(sweeps, shape, "4", "40")
                    self.assertIn("waited for their next touch", said)
                    self.assertRegex(said, r"follow: touches of [1-9]\d* pages were looked at, "
                                           r"and \d+ pages went to the threads")

    def test_a_heap_in_motion(self):
        self.need_userfaultfd()
        for storm in STORMS:
            for threads in (2, 5):
                with self.subTest(program=storm, threads=threads):
                    self.run_program(storm, "40", threads=threads)


class Refusals(Follow):
    """Without userfaultfd, or with one node, nothing is done and one note says why."""

    def test_one_node(self):
        environment = {**os.environ, **ANY_WAY, "OMP_NUM_THREADS": "2"}
        done = subprocess.run([LARES, "run", "--machine", "synthetic:numa:1 core:2 pu:1", "--",
                               SWEEPS[0], "serial", "4", "8"],
                              env=environment, capture_output=True, text=True, timeout=250)
        self.assertIn("result=ok", done.stdout)
        self.assertEqual(done.stderr.count("follow:"), 1, done.stderr)
        self.assertIn("one memory node", done.stderr)

    def test_a_program_with_a_sanitizer(self):
        """A sanitizer reads its own memory in the thread that lets others go on, which would wait for itself."""
        found = subprocess.run(["gcc-12", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
        sanitizer = pathlib.Path(found.stdout.strip())
        if not sanitizer.is_absolute():
            self.skipTest("there is no AddressSanitizer")
        options = "verify_asan_link_order=0:detect_leaks=0"
        said = self.run_program(SWEEPS[0], "serial", "4", "8",
                                before=("env", f"LD_PRELOAD={sanitizer.resolve()}", f"ASAN_OPTIONS={options}"))
        self.assertEqual(said.count("follow:"), 1, said)
        self.assertIn("has a sanitizer", said)

    def test_no_userfaultfd(self):
        said = self.run_program(SWEEPS[0], "serial", "4", "8",
                                before=(sys.executable, str(REFUSE), "userfaultfd"))
        self.assertEqual(said.count("follow:"), 1, said)
        self.assertIn("vm.unprivileged_userfaultfd", said)


if __name__ == "__main__":
    if not SWEEPS or not STORMS:
        print("skipped: the programs were not built")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *CLASSES], verbosity=2)
