#!/usr/bin/env python3
"""bench/load_balance, alone and under `lares run --loops`, and `lares bench load-balance`.

load_balance_test.py LARES PROGRAM... -- [TEST...]
"""

import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
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


METHODS = ["static", "dynamic", "tasks", "nearest", "most-loaded", "random"]


class Command(unittest.TestCase):
    def words(self, *words):
        family = PROGRAMS[0].rsplit("-", 1)[1]
        return [LARES, "bench", "load-balance", "--packages", "60", "--times", "2", "--repeat", "2",
                "--sizes", "0.001,0.002", "--compiler", family, *words]

    def output(self, *words, **environment):
        done = subprocess.run(self.words(*words), capture_output=True, text=True, timeout=240,
                              env=dict(os.environ, **environment))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

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

    def refused(self, *words):
        done = subprocess.run(self.words(*words), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_mistakes_are_refused_in_one_sentence(self):
        self.assertIn('"guided" is none of static, dynamic', self.refused("--methods", "guided"))
        self.assertIn("more than the", self.refused("--sizes", "900000"))
        self.assertIn("--sizes", self.refused("--sizes", "0"))
        self.assertIn("--repeat", self.refused("--repeat", "0"))
        self.assertIn("--packages", self.refused("--packages", "no"))
        self.assertIn("--compiler", self.refused("--compiler", "icc"))
        self.assertIn("--domain", self.refused("--domain", "rack"))

    def test_a_program_that_fails_or_lies_is_not_believed(self):
        with tempfile.TemporaryDirectory() as folder:
            lares = shutil.copy(LARES, folder)
            program = pathlib.Path(folder, "bench", "load_balance-gcc")
            program.parent.mkdir()
            for script, said in (
                ("exit 3", "ended with status 3"),
                ("kill -9 $$", "ended by signal 9"),
                ("true", "ended with status 0"),
                ("echo no JSON", "something else than its results"),
                ("echo '{}'", "something else than its results"),
                ("echo '{\"wrong\": 3}'; exit 1", "3 "),
                ("echo '{\"wrong\": 0, \"method\": \"dynamic\"}'", "other work"),
            ):
                program.write_text("#!/bin/sh\n" + script + "\n")
                program.chmod(0o755)
                done = run([lares, "bench", "load-balance", *["--methods", "static", "--sizes", "1"]])
                self.assertEqual((done.returncode, done.stdout), (1, ""), script)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(said, done.stderr)
            program.unlink()
            done = run([lares, "bench", "load-balance"])
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("cannot find", done.stderr)

    def test_help_has_an_example(self):
        done = run([LARES, "bench", "load-balance", "--help"])
        self.assertEqual(done.returncode, 0)
        self.assertIn("Example: lares bench load-balance", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[BAR + 1 :]])
