#!/usr/bin/env python3
"""Tests that `lares run` leaves the regions of programs that cannot make tasks to the program's own
runtime after their first run, and takes them back once something can.

Usage: task_makers_test.py LARES PROGRAM LIBRARY
"""

import re
import subprocess
import sys
import unittest

LARES, PROGRAM, LIBRARY = sys.argv[1:]
MACHINE = "synthetic:numa:2 core:1 pu:1"
REGIONS = 20


class TaskMakers(unittest.TestCase):
    def regions(self, mode, *words):
        """Of the first twenty and of the next ones, how many were ours, and what was said."""
        done = subprocess.run([*words, PROGRAM, mode, LIBRARY], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = re.fullmatch(r"before=(\d+) after=(\d+) result=ok\n", done.stdout)
        self.assertIsNotNone(found, done.stdout)
        return int(found[1]), int(found[2]), done.stderr

    def under_lares(self, mode):
        return self.regions(mode, LARES, "run", "--machine", MACHINE, "--")

    def test_alone_none_is_ours(self):
        self.assertEqual(self.regions("later")[:2], (0, 0))

    def test_without_makers_only_the_first_is_ours(self):
        before, after, said = self.under_lares("never")
        self.assertEqual((before, after), (1, 0), said)

    def test_where_tasks_may_come_sixteen_are(self):
        before, after, said = self.under_lares("first")
        self.assertEqual((before, after), (16, 0), said)

    def test_makers_that_come_later_get_them_back(self):
        before, after, said = self.under_lares("later")
        self.assertEqual(before, 1, said)
        # The first one told.
        self.assertEqual(after, REGIONS - 1, said)
        tasks = re.search(r"lares: tasks +([\d,]+)", said)
        self.assertIsNotNone(tasks, said)
        self.assertEqual(int(tasks[1].replace(",", "")), 64 * (REGIONS - 1), said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
