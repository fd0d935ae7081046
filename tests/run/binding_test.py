#!/usr/bin/env python3
"""Tests of `lares run` with small programs: where threads run, and whose the runtime is.

Usage: binding_test.py LARES PROGRAM... -- [CLASS...]

PROGRAM is binding.c for one compiler.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LARES = sys.argv[1]
PROGRAMS = sys.argv[2:sys.argv.index("--")]
REFUSE = [sys.executable, str(pathlib.Path(__file__).parent / "refuse.py")]


def cpus_of(text):
    """The processors of a list like 0-3,7."""
    cpus = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return frozenset(cpus)


class Binding(unittest.TestCase):
    """Under `lares run` without any option, as far as this machine has cores."""

    def setUp(self):
        self.all = frozenset(os.sched_getaffinity(0))
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith(("OMP_", "GOMP_", "KMP_", "LARES_"))}

    def threads(self, program, teams, outer, inner, env=None, before=()):
        """The processors of each thread, by team."""
        words = [*before, LARES, "run", "--quiet", program, str(teams), str(outer), str(inner)]
        done = subprocess.run(words, env={**self.env, **(env or {})}, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = collections.defaultdict(list)
        for line in done.stdout.splitlines():
            team, cpus = line.split()
            found[int(team)].append(cpus_of(cpus))
        self.assertEqual(sum(map(len, found.values())), teams * outer * inner)
        return found

    def assert_no_core_is_shared(self, found):
        """Among the threads that are bound. Hardware threads of one core are one place."""
        bound = [cpus for team in found.values() for cpus in team if cpus != self.all]
        for i, one in enumerate(bound):
            for other in bound[i + 1:]:
                self.assertFalse(one & other, found)

    def test_one_team_is_bound_to_distinct_cores(self):
        if len(self.all) < 2:
            self.skipTest("needs two processors")
        for program in PROGRAMS:
            found = self.threads(program, 1, 2, 1)
            self.assertNotIn(self.all, found[0])
            self.assert_no_core_is_shared(found)

    def test_teams_of_several_threads_of_the_program_do_not_share_cores(self):
        for program in PROGRAMS:
            for teams, outer in ((2, 2), (3, 2), (2, len(self.all))):
                self.assert_no_core_is_shared(self.threads(program, teams, outer, 1))

    def test_nested_teams_do_not_share_cores(self):
        for program in PROGRAMS:
            for outer, inner in ((2, 2), (2, len(self.all))):
                self.assert_no_core_is_shared(self.threads(program, 1, outer, inner))

    def test_a_master_stays_bound_where_its_regions_follow_each_other(self):
        if len(self.all) < 2:
            self.skipTest("needs two processors")
        for program in PROGRAMS:
            done = subprocess.run([LARES, "run", "--quiet", program, "20"], env=self.env, capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            # After the first nothing is known of what follows; others may be late on a busy machine.
            self.assertLess(int(done.stdout), 8)

    def free_inner_masters(self, program, outer, inner, levels):
        words = [LARES, "run", "--quiet", program, "within", str(outer), str(inner), str(levels)]
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return int(done.stdout)

    def test_a_master_is_free_where_its_inner_team_has_no_cores(self):
        """Threads that are bound nowhere have waited milliseconds for a master that may not give way."""
        for program in PROGRAMS:
            # Some regions still are ours, to see whether they make tasks by now.
            self.assertGreater(self.free_inner_masters(program, 2, len(self.all), 2), 160, program)

    def test_a_master_stays_bound_where_its_inner_team_is(self):
        if len(self.all) != 2:
            self.skipTest("needs two processors, so that the team has one other thread")
        for program in PROGRAMS:
            self.assertEqual(self.free_inner_masters(program, 1, 2, 2), 0, program)

    def test_a_master_stays_bound_where_its_region_has_one_thread(self):
        """It goes on with data of its own, with nobody to wait for."""
        if len(self.all) < 2:
            self.skipTest("needs two processors")
        for program in PROGRAMS:
            for inner, levels in ((1, 2), (2, 1)):
                self.assertEqual(self.free_inner_masters(program, 2, inner, levels), 0, (program, inner, levels))

    def test_thread_0_stays_in_the_domain_where_the_program_was_before(self):
        if len(self.all) < 2:
            self.skipTest("needs two processors")
        for program in PROGRAMS:
            for cpu in (min(self.all), max(self.all)):
                text = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/cache/index2/shared_cpu_list").read_text()
                for placement, first in (("repair", cpus_of(text.strip())), ("interleave", None)):
                    words = [LARES, "run", "--quiet", "--domain", "l2", "--placement", placement, program, "from", str(cpu)]
                    done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found = cpus_of(done.stdout.split()[1])
                    # Who deals data out by number wants threads by number.
                    self.assertTrue(found <= (first or frozenset([min(self.all)])), (words, done.stdout))

    def test_more_threads_than_cores_are_not_bound(self):
        for program in PROGRAMS:
            many = 2 * len(self.all) + 1
            self.assertEqual(self.threads(program, 1, many, 1)[0], [self.all] * many)
            # Whatever the program asks for: the environment may say less.
            found = self.threads(program, 1, many, 1, env={"OMP_NUM_THREADS": "1"})
            self.assertEqual(found[0], [self.all] * many)

    def test_a_sandbox_that_refuses_to_bind(self):
        for program in PROGRAMS:
            words = [*REFUSE, "sched_setaffinity", program, "1", "2", "1"]
            if subprocess.run(words, env=self.env, capture_output=True, check=False).returncode:
                continue  # libomp itself ends the program
            found = self.threads(program, 1, 2, 1, before=words[:3])
            self.assertEqual(found[0], [self.all] * 2)


class Names(unittest.TestCase):
    def test_libomp_under_the_name_of_libgomp_is_no_tool(self):
        # As conda installs it. libomp defines a weak ompt_start_tool.
        libraries = {}
        for program in PROGRAMS:
            listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
            for line in listed.stdout.splitlines():
                words = line.split()
                if words[0].startswith(("libgomp", "libomp")):
                    libraries[words[0].split(".")[0]] = (program, words[2])
        if len(libraries) < 2:
            self.skipTest("needs both compilers")
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(libraries["libomp"][1], f"{folder}/libgomp.so.1")
            done = subprocess.run([LARES, "run", libraries["libgomp"][0], "1", "2", "1"],
                                  env={**os.environ, "LD_LIBRARY_PATH": folder}, timeout=60,
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("libgomp.so.1", done.stderr)
        self.assertNotIn("OMPT tool", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[sys.argv.index("--") + 1:], verbosity=2)
