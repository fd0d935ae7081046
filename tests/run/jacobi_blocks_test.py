#!/usr/bin/env python3
"""bench/jacobi_blocks, alone and under `lares run --loops`, and `lares bench jacobi`.

jacobi_blocks_test.py LARES PROGRAM... -- [TEST...]
"""

import csv
import io
import json
import unittest

from bench_command import ARGUMENTS, LARES, PROGRAMS, BenchCommand, run

# No extent is a multiple of its block, and k is odd: two sites at a time do not fit.
SIZE = ["ni=23", "nj=34", "nk=33", "bi=5", "bj=10", "sweeps=3", "domains=0,1"]


class Results(unittest.TestCase):
    def check(self, words, **wanted):
        done = run(words)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = json.loads(done.stdout)
        wanted |= {"wrong": 0, "threads": 3, "sweeps": 3}
        self.assertEqual({key: line[key] for key in wanted}, wanted)
        rates = list(line["mlups"].values())
        self.assertEqual(rates, sorted(rates))
        self.assertGreater(rates[0], 0)

    def test_each_method_initialisation_and_order(self):
        for program in PROGRAMS:
            for method in ("static", "dynamic", "tasks", "queues"):
                for init in ("static", "static1", "serial", "submitted"):
                    for order in ("ijk", "kji"):
                        with self.subTest(program=program, method=method, init=init, order=order):
                            self.check([program, f"method={method}", f"init={init}",
                                        f"order={order}", *SIZE],
                                       method=method, init=init, order=order)

    def test_under_lares(self):
        for program in PROGRAMS:
            for method in ("dynamic", "tasks", "queues"):
                with self.subTest(program=program, method=method):
                    self.check([LARES, "run", "--quiet", "--loops", "numa", program,
                                f"method={method}", *SIZE], method=method)

    def test_a_block_of_all_and_one_site(self):
        for program in PROGRAMS:
            for size in (["ni=1", "nj=1", "nk=1"], ["bi=100", "bj=100", "ni=9", "nj=9", "nk=9"]):
                for method in ("static", "queues"):
                    self.check([program, *size, "sweeps=3", f"method={method}"])


class BadInput(unittest.TestCase):
    def test_one_sentence(self):
        for program in PROGRAMS:
            for word in ("ni=0", "nk=", "sweeps=1x", "method=guided", "init=x", "order=jik",
                         "domains=", "domains=0,-1", "50", "n=1"):
                with self.subTest(word=word):
                    done = run([program, word])
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertTrue(done.stderr.startswith("jacobi_blocks: "))


METHODS = ["static", "dynamic", "tasks", "queues", "lares-dynamic", "lares-tasks"]


class Command(BenchCommand, unittest.TestCase):
    NAME = "jacobi"
    PROGRAM = "jacobi_blocks"
    SMALL = ["--sizes", "12x20x33", "--block-i", "3", "--sweeps", "4"]
    ONE_RUN = ["--methods", "static", "--init", "static"]

    def test_all_methods_initialisations_and_orders(self):
        # The user's variables would make the runs unlike, or change the number of threads.
        told = json.loads(self.output("--format", "json", OMP_NUM_THREADS="7", OMP_THREAD_LIMIT="1",
                                      LARES_LOOPS="numa"))
        wanted = [("12x20x33", method, init, order) for method in METHODS
                  for init in ("static", "static1")
                  for order in (("ijk", "kji") if method in ("tasks", "queues", "lares-tasks")
                                else ("-",))]
        self.assertEqual([(row["sites"], row["method"], row["init"], row["order"])
                          for row in told["results"]], wanted)
        for row in told["results"]:
            rates = [row["mlups"][quantile] for quantile in ("5", "25", "50", "75", "95")]
            self.assertEqual(rates, sorted(rates))
            self.assertTrue(rates[0] > 0 and 0 <= row["local"] <= 1, row)

    def test_static_after_static_is_local(self):
        told = json.loads(self.output("--format", "json", "--methods", "static", "--init", "static"))
        self.assertEqual([row["local"] for row in told["results"]], [1])

    def test_forms_hold_the_same(self):
        chosen = ("--methods", "queues,dynamic", "--init", "submitted", "--order", "kji")
        rows = list(csv.DictReader(io.StringIO(self.output(*chosen, "--format", "csv"))))
        self.assertEqual([(row["method"], row["init"], row["order"]) for row in rows],
                         [("dynamic", "submitted", "kji"), ("queues", "submitted", "kji")])
        text = self.output(*chosen)
        self.assertRegex(text, r"(?m)^  12x20x33  queues +submitted  kji +[\d.e+]+ \[")
        self.assertRegex(text, r"(?m)^  dynamic +submitted +kji +\|[ =#-]{60}\|$")

    def test_mistakes_are_refused_in_one_sentence(self):
        for size in ("0x1x1", "10x10", "10x10x10x10", "10x10x10 ", "-1x2x3", "100001x1x1"):
            self.assertIn("sizes are NIxNJxNK", self.refused("--sizes=" + size))
        self.assertIn("more than the", self.refused("--sizes", "100000x100000x1000"))
        self.assertIn('"guided" is none of static, ', self.refused("--methods", "guided"))
        self.assertIn("static, static1, serial", self.refused("--init", "parallel"))
        self.assertIn("ijk, kji", self.refused("--order", "jik"))
        self.assertIn("--sweeps", self.refused("--sweeps", "0"))
        self.assertIn("--compiler", self.refused("--compiler", "icc"))


if __name__ == "__main__":
    unittest.main(argv=ARGUMENTS)
