#!/usr/bin/env python3
"""bench/load_balance, alone and under `lares run --loops`, and `lares bench load-balance`.

load_balance_test.py LARES PROGRAM... -- [TEST...]
"""

import csv
import io
import json
import os
import unittest

from bench_command import ARGUMENTS, LARES, PROGRAMS, BenchCommand, run


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
            for method in ("static", "dynamic", "tasks", "depend"):
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


METHODS = ["static", "dynamic", "tasks", "nearest", "most-loaded", "random"]


class Command(BenchCommand, unittest.TestCase):
    NAME = "load-balance"
    PROGRAM = "load_balance"
    SMALL = ["--packages", "60", "--times", "2", "--repeat", "2", "--sizes", "0.001,0.002"]
    ONE_RUN = ["--methods", "static", "--sizes", "1"]

    def test_all_methods_and_sizes(self):
        # The user's variables would make the methods unlike, or change the number of threads.
        told = json.loads(self.output("--format", "json", OMP_NUM_THREADS="7", OMP_THREAD_LIMIT="1",
                                      LARES_LOOPS="numa", OMP_PROC_BIND="false"))
        self.assertEqual([(row["gb"], row["method"]) for row in told["results"]],
                         [(gb, method) for gb in (0.001, 0.002) for method in METHODS])
        self.assertEqual((told["packages"], told["times"]), (60, 2))
        for row in told["results"]:
            self.assertEqual(len(row["runs"]), 2)
            for one in row["runs"]:
                self.assertEqual(len(one["busy"]), told["threads"])
                self.assertEqual({len(own) for own in one["busy"]}, {told["domains"]})
            least, most = row["seconds"]["least"], row["seconds"]["most"]
            self.assertTrue(0 < least <= row["seconds"]["median"] <= most)

    def test_static_is_local_and_nothing_is_remote_in_one_domain(self):
        for words in (("--methods", "static"), ("--threads", "1")):
            told = json.loads(self.output("--format", "json", *words))
            for row in told["results"]:
                self.assertEqual(row["local"]["least"], 1, words)

    def test_forms_hold_the_same(self):
        chosen = ("--methods", "random,tasks")
        rows = list(csv.DictReader(io.StringIO(self.output(*chosen, "--format", "csv"))))
        self.assertEqual([(row["gb"], row["method"], row["run"]) for row in rows],
                         [(gb, method, run) for gb in ("0.001", "0.002")
                          for method in ("random", "tasks") for run in ("0", "1")])
        text = self.output(*chosen)
        self.assertRegex(text, r"(?m)^ *0.001  random +[\d.e-]+ \[[\d.e-]+\.\.[\d.e-]+\]")
        self.assertRegex(text, r"(?m)^  thread 0 in 0 +\|0+")

    def test_mistakes_are_refused_in_one_sentence(self):
        self.assertIn('"guided" is none of static, dynamic', self.refused("--methods", "guided"))
        self.assertIn("more than the", self.refused("--sizes", "900000"))
        self.assertIn("--sizes", self.refused("--sizes", "0"))
        self.assertIn("--repeat", self.refused("--repeat", "0"))
        self.assertIn("--packages", self.refused("--packages", "no"))
        self.assertIn("--compiler", self.refused("--compiler", "icc"))
        self.assertIn("--domain", self.refused("--domain", "rack"))


if __name__ == "__main__":
    unittest.main(argv=ARGUMENTS)
