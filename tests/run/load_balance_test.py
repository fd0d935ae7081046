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
            (line["method"], line["threads"], line["packages"], line["times"], line["wrong"]),
            (method, 3, 50, 2, 0),
        )
        self.assertEqual((len(line["busy"]), len(line["elapsed"])), (3, 3))
        self.assertTrue(1 <= line["imbalance"] <= 3.0001, line)
        self.assertTrue(0 <= line["local"] <= 1, line)

    def words(self, program, method):
        return [program, "packages=50", "gb=0.001", "times=2", f"method={method}", "domains=0,1"]

    def test_each_method(self):
        for program in PROGRAMS:
            for method in ("static", "dynamic", "tasks"):
                with self.subTest(program=program, method=method):
                    self.check(self.words(program, method), method)

    def test_each_victim(self):
        for program in PROGRAMS:
            for victim in ("nearest", "most-loaded", "random"):
                with self.subTest(program=program, victim=victim):
                    loops = f"numa,steal={victim}"
                    command = [LARES, "run", "--quiet", "--loops", loops]
                    self.check(command + self.words(program, "dynamic"), "dynamic")

    def test_work_by_home_is_that_of_the_packages(self):
        """Of linearly growing packages, all in one domain or told apart by their writers."""
        for program in PROGRAMS:
            done = run([program, "packages=50", "gb=0.001", "times=2", "method=static",
                        "domains=" + ",".join(["5"] * (os.cpu_count() or 1))])
            line = json.loads(done.stdout)
            self.assertEqual((line["domains"], line["local"]), ([5, 5, 5], 1))
            self.assertEqual([list(own) for own in line["busy"]], [["5"], ["5"], ["5"]])


class BadInput(unittest.TestCase):
    def test_one_sentence(self):
        for program in PROGRAMS:
            for word in ("packages=0", "packages=", "gb=nan", "gb=-1", "times=1x", "method=guided",
                         "domains=", "domains=0,,1", "domains=0,1024", "50", "pack=1"):
                with self.subTest(word=word):
                    done = run([program, word])
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertTrue(done.stderr.startswith("load_balance: "))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[BAR + 1 :]])
