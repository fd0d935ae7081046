#!/usr/bin/env python3
"""Tests of `lares run --bubbles`: where threads of nested teams run, and what moves them.

Usage: bubbles_test.py LARES PROGRAM... -- [CLASS...]

PROGRAM is bubbles.c for one compiler. Each core is a domain of its own here, so what needs two
domains needs two cores.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LARES = sys.argv[1]
PROGRAMS = sys.argv[2:sys.argv.index("--")]
# Two domains whatever this machine has, each of one core.
MACHINE = "synthetic:pack:1 l2:2 core:1 pu:1"


def clean_environment():
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("OMP_", "GOMP_", "KMP_", "LARES_"))}


class BubbleTest(unittest.TestCase):
    def setUp(self):
        if not {0, 1} <= os.sched_getaffinity(0):
            self.skipTest("needs processors 0 and 1")

    def run_under(self, bubbles, program, *words, options=(), status=0, more=None):
        """Its lines as lists of words, and what the summary counts of bubbles. `more`: of its environment."""
        with tempfile.TemporaryDirectory() as folder:
            summary = pathlib.Path(folder) / "summary.json"
            done = subprocess.run(
                ["taskset", "-c", "0,1", LARES, "run", "--machine", MACHINE, "--domain", "l2",
                 "--bubbles", bubbles, "--summary", "json", str(summary), *options, program,
                 *words],
                env={**clean_environment(), **(more or {})}, capture_output=True, text=True, timeout=120,
                check=False)
            self.assertEqual(done.returncode, status, done.stderr)
            counts = json.loads(summary.read_text())["bubbles"]
            if "--trace" in options:
                counts["traced"] = self.traced_moves(options[options.index("--trace") + 1])
        return [line.split() for line in done.stdout.splitlines()], counts

    def traced_moves(self, trace):
        """How often threads went to each domain inside of a region, by the report of a trace."""
        report = subprocess.run([LARES, "report", str(trace), "--format", "json"], check=True, capture_output=True,
                                text=True, timeout=120).stdout
        return {each["to_domain"]: each["times"] for each in json.loads(report)["runs"][0]["thread_moves"] or []}


class Places(BubbleTest):
    def test_an_inner_team_stays_with_its_master(self):
        for program in PROGRAMS:
            for bubbles in ("cache", "memory"):
                lines, counts = self.run_under(bubbles, program, "places", "2", "4")
                self.assertEqual(len(lines), 8)
                by_team = {team: {mask for t, _, mask in lines if t == team} for team in "01"}
                self.assertEqual([len(masks) for masks in by_team.values()], [1, 1], lines)
                self.assertNotEqual(by_team["0"], by_team["1"], (bubbles, lines))
                self.assertEqual(counts["teams"], 3)

    def test_spread_gives_each_team_all_domains(self):
        for program in PROGRAMS:
            lines, _ = self.run_under("spread", program, "places", "1", "4")
            self.assertEqual(sorted(mask for _, _, mask in lines), ["1", "1", "2", "2"])

    def test_off_places_nothing(self):
        for program in PROGRAMS:
            _, counts = self.run_under("off", program, "places", "2", "4")
            self.assertEqual(counts["teams"], 0)

    def test_more_teams_than_cores_lose_nobody(self):
        for program in PROGRAMS:
            for bubbles in ("cache", "memory", "spread", "gang"):
                lines, _ = self.run_under(bubbles, program, "places", "5", "3")
                self.assertEqual(sorted((int(t), int(i)) for t, i, _ in lines),
                                 [(t, i) for t in range(5) for i in range(3)])

    def test_a_region_of_one_thread_that_becomes_a_team_is_placed(self):
        for program in PROGRAMS:
            for bubbles in ("cache", "memory"):
                lines, counts = self.run_under(bubbles, program, "grows")
                self.assertEqual(lines[0], [str(50 * (2 + 400) + 20 * (4 + 800))])
                self.assertEqual(lines[1], ["4", "4"], bubbles)
                # The outermost each time, two inner ones at first. It is noticed within thirteen
                # rounds that there are six.
                self.assertGreaterEqual(counts["teams"], 63 * 3 + 7 * 7)

    def test_regions_without_tasks_stay_placed(self):
        threads = 12 * (9 * 2 + 3)
        for program in PROGRAMS:
            for bubbles in ("cache", "memory", "spread", "gang", "off"):
                for outer in (1, 2, 5):
                    lines, counts = self.run_under(bubbles, program, "trusted", str(outer))
                    ran = [int(ran) for ran, _ in lines]
                    self.assertEqual(ran, [outer * (120 if kind == 3 else threads) for kind in range(5)],
                                     (bubbles, outer))
                    if bubbles == "off":
                        continue
                    self.assertGreaterEqual(counts["teams"], outer * 5 * 120)
                    if bubbles in ("cache", "memory") and outer == 2:
                        # Each team has a domain of one core.
                        self.assertEqual([int(away) for _, away in lines], [0] * 5, (bubbles, outer))

    def test_new_threads_of_a_larger_team_run_where_it_shall(self):
        for program in PROGRAMS:
            for bubbles in ("cache", "memory", "spread"):
                # A core each; `gang` would leave the whole team all of them.
                lines, _ = self.run_under(bubbles, program, "larger")
                self.assertEqual(lines, [["220", "0"]], (program, bubbles))

    def test_a_team_that_was_taken_up_for_one_thread_is_not_lost(self):
        for program in PROGRAMS:
            for bubbles in ("cache", "memory", "spread", "gang"):
                # What is freed is overwritten: who still reads it does not go far.
                lines, _ = self.run_under(bubbles, program, "varies", more={"MALLOC_PERTURB_": "165"})
                self.assertEqual(lines, [[str(100 * (5 + 250))]], (program, bubbles))

    def test_deep_nesting(self):
        for program in PROGRAMS:
            # 2 x 1 x 2 x 2 x 1 x 2 in each of twenty rounds, and a team of 64.
            for bubbles in ("cache", "memory", "spread", "gang"):
                lines, _ = self.run_under(bubbles, program, "deep")
                self.assertEqual(lines, [[str(20 * (16 + 64))]], bubbles)


class Moves(BubbleTest):
    def test_threads_go_to_their_data(self):
        for program in PROGRAMS:
            for when in ("now", "next", "together"):
                lines, counts = self.run_under("memory", program, "data", when)
                for me, _, after, inner in lines:
                    self.assertEqual(int(inner), 1 - int(me), lines)
                    if when != "next":
                        self.assertEqual(after, inner, lines)
                self.assertGreater(counts["threads_moved_to_data"], 0)

    def test_the_next_team_starts_at_its_data(self):
        for program in PROGRAMS:
            lines, _ = self.run_under("memory", program, "data", "team")
            self.assertEqual(sorted(line[:2] for line in lines), [["0", "1"], ["1", "0"]])

    def test_cache_does_not_look_at_data(self):
        for program in PROGRAMS:
            lines, counts = self.run_under("cache", program, "data", "now")
            for _, before, after, inner in lines:
                self.assertEqual((before, before), (after, inner), lines)
            self.assertEqual(counts["threads_moved_to_data"], 0)

    def test_an_idle_domain_takes_half_of_the_team_with_most_to_do(self):
        for program in PROGRAMS:
            lines, counts = self.run_under("memory", program, "steal")
            self.assertEqual(len({before for before, _ in lines}), 1, lines)
            moved = [line for line in lines if line[0] != line[1]]
            self.assertEqual(len(moved), 2, lines)
            self.assertGreaterEqual(counts["threads_moved_to_idle_cores"], 2)

    def test_a_trace_has_the_moves(self):
        for program in PROGRAMS:
            with tempfile.TemporaryDirectory() as folder:
                trace = pathlib.Path(folder) / "trace"
                lines, counts = self.run_under("memory", program, "steal", options=("--trace", str(trace)))
                # Where the two thieves' former core is, is the other domain.
                went = [int(then) for before, then in lines if before != then]
                for domain in set(went):
                    self.assertGreaterEqual(counts["traced"].get(domain, 0), went.count(domain), lines)
                self.assertGreaterEqual(sum(counts["traced"].values()), 2)
                self.assertLessEqual(sum(counts["traced"].values()), counts["threads_moved_to_idle_cores"])
                text = subprocess.run([LARES, "report", str(trace)], check=True, capture_output=True, text=True,
                                      timeout=120).stdout
                self.assertIn("Threads that moved inside of regions", text)
                trace = pathlib.Path(folder) / "quiet"
                _, counts = self.run_under("cache", program, "places", "2", "4", options=("--trace", str(trace)))
                self.assertEqual(counts["traced"], {})

    def test_cache_steals_within_a_domain_only(self):
        for program in PROGRAMS:
            lines, counts = self.run_under("cache", program, "steal")
            self.assertEqual([line for line in lines if line[0] != line[1]], [])
            self.assertEqual(counts["threads_moved_to_idle_cores"], 0)

    def test_nobody_moves_what_the_program_binds(self):
        for program in PROGRAMS:
            lines, _ = self.run_under("memory", program, "own")
            self.assertEqual(lines, [["1"]] * 4)

    def test_children_have_all_processors(self):
        for program in PROGRAMS:
            lines, _ = self.run_under("memory", program, "fork")
            self.assertEqual(len([line for line in lines if line == ["1"]]), 4, lines)
            lists = [line[1] for line in lines if line[0].startswith("Cpus")]
            self.assertEqual(len(lists), 4)
            self.assertEqual(len(set(lists)), 1, lists)
            self.assertEqual(lists[0], "0-1")


class BadInput(BubbleTest):
    def refusal(self, *words, env=None):
        done = subprocess.run([LARES, "run", *words, "true"], capture_output=True, text=True,
                              env={**clean_environment(), **(env or {})}, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def test_unknown_names(self):
        told = self.refusal("--bubbles", "foam")
        for word in ("--bubbles", "foam", "cache", "memory", "spread", "gang", "off"):
            self.assertIn(word, told)
        self.assertIn("LARES_BUBBLES", self.refusal(env={"LARES_BUBBLES": "foam"}))

    def test_libgomp_spins_shortly_unless_somebody_says_otherwise(self):
        def count(*words, **env):
            return subprocess.run([LARES, "run", *words, "sh", "-c", "echo $GOMP_SPINCOUNT"],
                                  capture_output=True, text=True, timeout=60, check=True,
                                  env={**clean_environment(), **env}).stdout.strip()
        self.assertEqual(count("--bubbles", "cache"), "3000")
        self.assertEqual(count(), "")
        self.assertEqual(count("--bubbles", "cache", GOMP_SPINCOUNT="7"), "7")
        self.assertEqual(count("--bubbles", "cache", OMP_WAIT_POLICY="active"), "")
        self.assertEqual(count("--bubbles", "cache", OMP_PROC_BIND="close"), "")

    def test_contradictions(self):
        for bind in ("none", "as-is"):
            self.assertIn(f"--bind {bind}", self.refusal("--bubbles", "cache", "--bind", bind))

    def test_a_user_that_binds_is_told(self):
        for program in PROGRAMS:
            done = subprocess.run([LARES, "run", "--bubbles", "cache", program, "places", "2", "2"],
                                  capture_output=True, text=True, timeout=60, check=False,
                                  env={**clean_environment(), "OMP_PROC_BIND": "close"})
            self.assertEqual(done.returncode, 0)
            self.assertIn("--bubbles places no team", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[sys.argv.index("--") + 1:]])
