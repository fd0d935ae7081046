#!/usr/bin/env python3
"""bench/jacobi_blocks, alone and under `lares run --loops`.

jacobi_blocks_test.py LARES PROGRAM... -- [TEST...]
"""

import json
import os
import subprocess
import sys
import unittest

BAR = sys.argv.index("--")
LARES, PROGRAMS = sys.argv[1], sys.argv[2:BAR]
# No extent is a multiple of its block, and k is odd: two sites at a time do not fit.
SIZE = ["ni=23", "nj=34", "nk=33", "bi=5", "bj=10", "sweeps=3", "domains=0,1"]


def run(words):
    environment = dict(os.environ, OMP_NUM_THREADS="3")
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)


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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[BAR + 1 :]])
