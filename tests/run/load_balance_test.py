#!/usr/bin/env python3
"""bench/load_balance: what it prints, alone and under `lares run --loops`, and its mistakes.

load_balance_test.py LARES PROGRAM... -- [TEST...]
"""

import json
import os
import subprocess
import sys
import unittest

BAR = sys.argv.index("--")
LARES, PROGRAMS = sys.argv[1], sys.argv[2:BAR]


def run(words):
    environment = dict(os.environ, OMP_NUM_THREADS="3")
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)


class Results(unittest.TestCase):
    def check(self, words, method):
        done = run(words)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = json.loads(done.stdout)
        self.assertEqual(
            (line["method"], line["threads"], line["packages"], line["rounds"], line["wrong"]),
            (method, 3, 50, 2, 0),
        )
        self.assertEqual(len(line["busy"]), 3)
        self.assertTrue(1 <= line["imbalance"] <= 3.0001, line)

    def test_each_method(self):
        for program in PROGRAMS:
            for method in ("static", "dynamic", "tasks"):
                with self.subTest(program=program, method=method):
                    self.check([program, "50", "1", "2", method, "l2"], method)

    def test_each_victim(self):
        for program in PROGRAMS:
            for victim in ("nearest", "most-loaded", "random"):
                with self.subTest(program=program, victim=victim):
                    loops = f"numa,steal={victim}"
                    command = [LARES, "run", "--quiet", "--loops", loops, program]
                    self.check([*command, "50", "1", "2", "dynamic", "l2"], "dynamic")


class BadInput(unittest.TestCase):
    def test_one_sentence(self):
        for program in PROGRAMS:
            for words in (["0"], ["x"], ["5", "0"], ["5", "1", "1", "guided"],
                          ["5", "1", "1", "tasks", "l9"], ["5", "1", "1", "tasks", "l2", "more"]):
                with self.subTest(words=words):
                    done = run([program, *words])
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertTrue(done.stderr.startswith("load_balance: "))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[BAR + 1 :]])
