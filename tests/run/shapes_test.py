#!/usr/bin/env python3
"""bench/shapes, alone and under `lares run`: every shape computes what it has to.

shapes_test.py LARES PROGRAM... -- [TEST...]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench_command import ARGUMENTS, LARES, PROGRAMS, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

import shapes_bound  # noqa: E402  (the path must be set first)

# Shape, sweeps, n and grain: no grain divides its n, and most vectors are longer than a page.
SMALL = {"flags": (5, 100, 17), "slots": (3, 9, 7), "sections": (4, 100, 17),
         "indices": (4, 20001, 1000), "pointers": (4, 20001, 600), "recursion": (4, 30001, 500),
         "taskloop": (5, 100, 7), "serial": (5, 100, 7), "pieces": (5, 300, 33),
         "numbers": (5, 100, 1)}


class Results(unittest.TestCase):
    def check(self, words, threads):
        done = subprocess.run(words, env=dict(os.environ, OMP_NUM_THREADS=str(threads)),
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, (words, done.stdout, done.stderr))
        self.assertTrue(done.stdout.endswith("wrong=0 result=ok\n"), done.stdout)
        self.assertIn(f" threads={threads} ", done.stdout)

    def each(self):
        for program in PROGRAMS:
            for shape, sizes in SMALL.items():
                yield [program, shape, *map(str, sizes)]

    def test_alone(self):
        for words in self.each():
            self.check(words, 3)

    def test_under_lares(self):
        for words in self.each():
            self.check([LARES, "run", "--quiet", "--domain", "l2", *words], 2)

    def test_on_domains_that_share_cores(self):
        machine = "synthetic:pack:4 core:2 pu:1"
        for words in self.each():
            self.check([LARES, "run", "--quiet", "--machine", machine, *words], 8)

    def test_a_single_piece_and_few_sweeps(self):
        for program in PROGRAMS:
            for shape in SMALL:
                for sweeps in ("1", "2"):
                    self.check([program, shape, sweeps, "1", "5"], 2)

    def test_the_bound_is_of_the_factorisation_that_runs(self):
        blocks = 11
        wanted = len(shapes_bound.first_blocks(blocks)) + len(list(shapes_bound.factorisation(blocks)))
        for program in PROGRAMS:
            with tempfile.TemporaryDirectory() as folder:
                summary = pathlib.Path(folder, "summary.json")
                self.check([LARES, "run", "--quiet", "--summary", "json", str(summary), "--domain",
                            "l2", program, "slots", "1", str(blocks), "4"], 2)
                tasks = json.loads(summary.read_text())["tasks"]
            self.assertEqual(tasks["run"], wanted)


class BadInput(unittest.TestCase):
    def test_one_sentence(self):
        for program in PROGRAMS:
            for words in (["none"], ["flags", "0"], ["flags", "2x"], ["flags", ""],
                          ["flags", "3", "30001"], ["indices", "3", "100", "-1"]):
                with self.subTest(words=words):
                    done = run([program, *words])
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertTrue(done.stderr.startswith("shapes: "))
                    self.assertEqual(done.stderr.count("\n"), 1)

    def test_help(self):
        for program in PROGRAMS:
            done = run([program, "--help"])
            self.assertEqual(done.returncode, 0)
            for shape in SMALL:
                self.assertIn(shape, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=ARGUMENTS)
