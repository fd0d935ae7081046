#!/usr/bin/env python3
"""Tests of `lares run --record`: the graphs of small programs, and what the simulator makes of them.

Usage: record_test.py LARES PROGRAM... -- [CLASS...]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MACHINES = pathlib.Path(__file__).resolve().parents[2] / "machines"
LARES = sys.argv[1]
PROGRAMS = sys.argv[2:sys.argv.index("--")]


def environment(**more):
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("OMP_", "GOMP_", "KMP_", "LARES_"))}
    return kept | {k: str(v) for k, v in more.items()}


def record(program, case, threads=2, file=None, options=(), **variables):
    """The process, and the graph's lines."""
    with tempfile.TemporaryDirectory() as folder:
        graph = pathlib.Path(file or pathlib.Path(folder) / "graph.txt")
        done = subprocess.run([LARES, "run", "--record", str(graph), *options, "--", program, case],
                              env=environment(OMP_NUM_THREADS=threads, **variables),
                              capture_output=True, text=True, timeout=120, check=False)
        return done, graph.read_text().splitlines() if graph.exists() else None


def shape(lines):
    """The graph without durations, bytes, and what threads compute between and for tasks."""
    found = []
    for line in lines:
        words = line.split()
        if words[0] in ("spend", "create", "#", "lares-graph"):
            continue
        if words[0] == "block":
            found.append("block")
        elif words[0] in ("task", "now"):
            accesses = sorted(":".join(word.split(":")[:2]) for word in words[3:])
            found.append(" ".join([words[0], words[2], *accesses]))
        elif words[0] == "wait":
            found.append(" ".join(words[:2] + [":".join(w.split(":")[:2]) for w in words[2:]]))
        else:
            found.append(line)
    return found


class Graphs(unittest.TestCase):
    EXPECTED = {
        "chain": ["block", "task - rw:0", "block", "task - r:0 rw:1", "task -"],
        "waits": ["task -", "task -", "wait -", "task -"],
        "groups": ["task -", "group -", "task -", "task 1", "end -", "task -"],
        "regions": ["task -", "barrier", "task -"],
        "undeferred": ["block", "task - rw:0", "now - r:0", "now -", "wait - r:0", "task -"],
        "nested": ["task -", "task 0", "task 0", "wait 0", "task 0"],
        "exit": ["task -", "wait -"],
        "_exit": ["task -", "wait -"],
        "abort": ["task -", "task -", "wait -", "task -"],
        "exclusive": ["block", "task - x:0", "task - x:0", "task - r:0"],
        "inner": ["task -", "group 0", "task 0", "end 0"],
        "forks": ["task -", "wait -", "task -"],
    }

    def test_are_exact(self):
        for program in PROGRAMS:
            for threads in (1, 2):
                for case, expected in self.EXPECTED.items():
                    with self.subTest(program=program, case=case, threads=threads):
                        done, lines = record(program, case, threads)
                        self.assertEqual(done.returncode, -6 if case == "abort" else 0,
                                         done.stderr)
                        self.assertEqual(lines[0], "lares-graph 2")
                        self.assertEqual(self.in_one_order(shape(lines)),
                                         self.in_one_order(expected))

    def test_tell_what_creating_took(self):
        for program in PROGRAMS:
            _, lines = record(program, "waits")
            (line,) = [line for line in lines if line.startswith("create ")]
            self.assertTrue(0 < float(line.split()[1]) < 0.1, line)

    @staticmethod
    def in_one_order(lines):
        """A nested task may be created before or after later lines of others: sorted by creator."""
        return sorted(lines, key=lambda line: line.split()[1] if " " in line else "")

    def test_of_sets(self):
        for program in PROGRAMS:
            if program.endswith("clang"):
                self.assertEqual(shape(record(program, "sets")[1]),
                                 ["block", "task - s:0", "task - s:0"])

    def test_of_every_thread(self):
        for program in PROGRAMS:
            done, lines = record(program, "every_thread")
            self.assertEqual(done.returncode, 0, done.stderr)
            before, after = shape(lines)[:2], shape(lines)[2:]
            self.assertEqual((sorted(before), after), (["task -", "task @1"], ["barrier", "task -"]))

    def test_have_bytes(self):
        for program in PROGRAMS:
            _, lines = record(program, "chain")
            sizes = [int(line.split()[1]) for line in lines if line.startswith("block")]
            # Clang tells them; GCC's are as far as from one block to the next.
            self.assertEqual(sizes, [8000, 8000], program)

    def test_have_the_times_of_each_body(self):
        for program in PROGRAMS:
            _, lines = record(program, "times")
            seconds = {}
            for line in lines:
                words = line.split()
                if words[0] in ("task", "now", "spend"):
                    key = (words[0], words[2])
                    seconds[key] = seconds.get(key, 0) + float(words[1])
            for key in (("spend", "-"), ("task", "-"), ("now", "0")):
                # At least what the clock says; a busy machine may stretch it.
                self.assertGreater(seconds[key], 1.9e-3, lines)
                self.assertLess(seconds[key], 1, lines)

    def test_have_loops_of_lares(self):
        for program in PROGRAMS:
            with self.subTest(program=program), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "graph.txt"
                done, lines = record(program, "loops", file=file, options=["--loops", "numa"])
                self.assertEqual(done.returncode, 0, done.stderr)
                found = [line for line in lines if line.startswith(("loop", "piece", "task"))]
                kinds = [line.split()[0] for line in found]
                # Chunks of 3 of 14; a guided loop of 20, cut into single ones; one thread's.
                self.assertEqual(kinds, ["loop"] + ["piece"] * 5 + ["loop"] + ["piece"] * 20 +
                                 ["task", "loop"] + ["piece"] * 2, lines)
                self.assertEqual([line for line in found if line.startswith("loop")],
                                 ["loop 3", "loop 1", "loop 1"])
                seconds = [float(line.split()[1]) for line in found]
                for piece, burns in zip(seconds[1:6], (6, 6, 3, 3, 2)):
                    self.assertGreater(piece, 1.9e-3 * burns, lines)
                self.assertGreater(sum(seconds[7:27]), 20 * 1.9e-3, lines)
                self.assertGreater(min(seconds[-2:]), 1.9e-3, lines)
                simulated = self.simulate(file, "--policy", "auto", "--loops", "numa")
                self.assertEqual(sum(simulated["rows"][0]["tasks"].values()), 28)

    def test_leave_loops_of_the_stock_runtime_out(self):
        for program in PROGRAMS:
            _, lines = record(program, "loops", options=["--loops", "stock"])
            self.assertEqual(shape(lines), ["task -"])

    def simulate(self, file, *options):
        done = subprocess.run(
            [LARES, "simulate", f"file:{file}", "--machine",
             str(MACHINES / "opteron-4s-square.json"), "--seeds", "2", "--format", "json", *options],
            capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_can_be_simulated(self):
        for program in PROGRAMS:
            for case in [*self.EXPECTED, "every_thread", "times"]:
                with self.subTest(program=program, case=case), \
                        tempfile.TemporaryDirectory() as folder:
                    file = pathlib.Path(folder) / "graph.txt"
                    _, lines = record(program, case, file=file)
                    found = self.simulate(file, "--policy", "locality-queues")
                    tasks = sum(line.startswith(("task", "now")) for line in lines)
                    self.assertEqual(found["tasks"], tasks)
                    self.assertEqual(sum(found["rows"][0]["tasks"].values()), tasks)


class Use(unittest.TestCase):
    def test_variable_names_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "graph.txt"
            done = subprocess.run([LARES, "run", "--", PROGRAMS[0], "waits"], timeout=120,
                                  env=environment(LARES_RECORD=file, OMP_NUM_THREADS=2),
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sum(map(len, [re.findall(r"(?m)^task", file.read_text())])), 3)

    def test_program_without_tasks_is_said(self):
        done, lines = record("/bin/echo", "hello")
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"))
        self.assertEqual(lines[0], "lares-graph 2")

    def test_file_that_cannot_be_written_is_a_mistake(self):
        done, _ = record(PROGRAMS[0], "waits", file="/no/such/folder/graph")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('--record: cannot write "/no/such/folder/graph"', done.stderr)

    def test_never_writes_into_files_of_the_program(self):
        for program in PROGRAMS:
            done, lines = record(program, "closes")
            self.assertEqual(done.returncode, 0, done.stderr)
            # What came after is recorded all the same.
            self.assertEqual(sum(line.startswith("task") for line in lines), 20003)

    def test_has_a_bound(self):
        for program in PROGRAMS:
            done, lines = record(program, "many", options=["--record-limit", "1M"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("because it met its limit; --record-limit raises it", done.stderr)
            self.assertEqual(done.stderr.count("incomplete"), 1, done.stderr)
            self.assertTrue(lines[2].startswith("# incomplete"), lines[:3])
            # 24 bytes a task, in windows of a quarter of a mebibyte.
            found = sum(line.startswith("task") for line in lines)
            self.assertTrue(10000 < found <= (1 << 20) // 24, found)

    def test_a_limit_of_files_does_not_end_the_program(self):
        for program in PROGRAMS:
            with tempfile.TemporaryDirectory() as folder:
                for kibibytes, found in ((200, False), (600, True)):
                    trace = f"{folder}/{kibibytes}"
                    done = subprocess.run(
                        ["bash", "-c", f"ulimit -f {kibibytes}; exec \"$@\"", "-", LARES, "run", "--trace", trace, "--",
                         program, "many"], capture_output=True, text=True, timeout=120, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(f"files may have {kibibytes}.0 KiB at most (ulimit -f)", done.stderr)
                    report = subprocess.run([LARES, "report", trace, "--format", "json"], capture_output=True, text=True,
                                            timeout=120, check=False)
                    grains = json.loads(report.stdout)["runs"][0]["all"]["grains"] if report.returncode == 0 else 0
                    self.assertEqual(grains > 0, found, report.stdout[:300] + report.stderr)

    def test_bound_that_makes_no_sense_is_a_mistake(self):
        done, _ = record(PROGRAMS[0], "waits", options=["--record-limit", "much"])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('--record-limit: "much" is not a size', done.stderr)

    def test_policies_and_many_threads(self):
        for policy in ("locality-queues", "stock-like", "virouleau"):
            done, lines = record(PROGRAMS[-1], "nested", threads=8, LARES_POLICY=policy)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sum(line.startswith("task") for line in lines), 4)


if __name__ == "__main__":
    unittest.main(argv=["record_test.py", *sys.argv[sys.argv.index("--") + 1:]])
