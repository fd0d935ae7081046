#!/usr/bin/env python3
"""Tests that `lares run` keeps the threads of libgomp's inner teams, and that the program sees what it
would see of new ones.

Usage: kept_threads_test.py LARES PROGRAM-BY-GCC [PROGRAM-BY-CLANG]
"""

import os
import subprocess
import sys
import unittest

LARES, PROGRAM, *OTHERS = sys.argv[1:]
MACHINE = "synthetic:numa:2 core:1 pu:1"
UNDER = {"off": ["--bubbles", "off"], "cache": ["--bubbles", "cache"], "unbound": ["--bind", "none"],
         "domains": ["--machine", MACHINE]}
PROCESSORS = sorted(os.sched_getaffinity(0))


def said(words, before=(), status=0, program=PROGRAM, **variables):
    own = ("OMP_", "GOMP_", "KMP_", "LARES_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    done = subprocess.run([*before, program, *words], capture_output=True, text=True, timeout=100, check=False,
                          env={**env, **variables})
    assert done.returncode == status, (words, before, done.returncode, done.stdout, done.stderr)
    return done.stdout


def under(name):
    return [LARES, "run", "--quiet", *UNDER[name], "--"]


class KeptThreads(unittest.TestCase):
    def test_libgomp_makes_them_anew(self):
        """Or there is nothing to keep."""
        self.assertGreater(int(said(["count", "1", "3", "50"])), 50)  # 100, unless numbers come again

    def test_teams_have_the_same_threads(self):
        for name in UNDER:
            for outer, inner in ((1, 2), (1, 4), (2, 2), (2, 3)):
                with self.subTest(name=name, outer=outer, inner=inner):
                    count = int(said(["count", str(outer), str(inner), "50"], under(name)))
                    least = outer * (inner - 1)
                    # One that was not back in time has been replaced.
                    self.assertIn(count, range(least, 4 * least + 1))

    def test_masters_keep_their_own(self):
        # libomp is told to on machines of eight cores: by us, or here.
        for program in (PROGRAM, *OTHERS):
            variables = {} if program == PROGRAM else {"KMP_HOT_TEAMS_MAX_LEVEL": "4"}
            for name in ("off", "cache"):
                for outer, inner in ((2, 2), (3, 3)):
                    with self.subTest(program=program, name=name, outer=outer, inner=inner):
                        least = outer * (inner - 1)
                        words = ["pairs", str(outer), str(inner), "100"]
                        pairs = int(said(words, under(name), program=program, **variables))
                        self.assertIn(pairs, range(least, 4 * least + 1))

    def test_libomp_deals_them_out_anew(self):
        """Or there is nothing to keep. It does if it is told to, and where threads are limited."""
        for program in OTHERS:
            for variables in ({"KMP_HOT_TEAMS_MAX_LEVEL": "1"}, {"OMP_THREAD_LIMIT": "64"}):
                words = ["pairs", "4", "4", "200"]
                found = (int(said(words, under("off"), program=program, **variables)) for _ in range(20))
                self.assertTrue(any(pairs > 12 for pairs in found), variables)  # mostly the first

    def test_they_are_as_new(self):
        alone = said(["inherit"])
        self.assertEqual(len(set(alone.splitlines())), 3 if len(PROCESSORS) == 1 else 6)
        for name in UNDER:
            self.assertEqual(said(["inherit"], under(name)), alone, name)

    def test_teams_of_all_sizes(self):
        for name in UNDER:
            for stack in ("64k", "8M"):
                said(["sizes"], under(name), OMP_STACKSIZE=stack)

    def test_where_the_program_binds_them(self):
        for variables in ({"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"},
                          {"OMP_PLACES": "cores", "OMP_PROC_BIND": "spread,master"},
                          {"GOMP_CPU_AFFINITY": " ".join(map(str, PROCESSORS))}):
            self.assertIn(int(said(["count", "1", "3", "50"], under("off"), **variables)), range(2, 9))
            self.assertEqual(said(["places"], under("off"), **variables), said(["places"], **variables), variables)
            said(["sizes"], under("off"), **variables)

    def test_they_end_with_their_master(self):
        for name in UNDER:
            # libgomp ends those of outermost teams in its own time.
            self.assertLessEqual(int(said(["masters"], under(name))), int(said(["masters"])) + 1, name)

    def test_processes(self):
        for name in UNDER:
            said(["fork"], under(name))

    def test_an_end_in_the_middle(self):
        for name in UNDER:
            said(["end"], under(name), status=3)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
