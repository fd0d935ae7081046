#!/usr/bin/env python3
"""Tests of `lares run --trace` and of what reads its folders, from outside.

Usage: trace_test.py LARES GRAINS FAULTS [CLASS...]

GRAINS and FAULTS are programs of this folder, built by one compiler.
"""

import csv
import io
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

LARES, GRAINS, FAULTS = (pathlib.Path(word).resolve() for word in sys.argv[1:4])


def call(*words, environment=None, check=True):
    """Runs a command; its output as text."""
    done = subprocess.run(
        [str(word) for word in words],
        env={**os.environ, "OMP_NUM_THREADS": "2", **(environment or {})},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"status {done.returncode}: {words}\n{done.stdout}{done.stderr}")
    return done


class TraceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = pathlib.Path(self.folder.name) / "trace"

    def run_traced(self, *program, options=(), check=True, environment=None):
        return call(LARES, "run", "--domain", "l2", "--trace", self.trace, *options, "--", *program,
                    check=check, environment=environment)

    def report(self, *options):
        text = call(LARES, "report", self.trace, "--format", "json", *options).stdout
        return json.loads(text)["runs"]

    def refused(self, *words):
        done = call(LARES, *words, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr


class Recording(TraceTest):
    def test_has_every_task_with_its_line(self):
        self.run_traced(GRAINS, "plain", "1000", "3000")
        run = self.report()[0]
        self.assertEqual(run["all"]["grains"], 3000)
        self.assertTrue(run["finished"])
        self.assertEqual(run["notes"], [])
        place = max(run["constructs"], key=lambda row: row["grains"])["place"]
        self.assertRegex(place, r"grains\.c:\d+")

    def test_dependences_release_each_other(self):
        self.run_traced(GRAINS, "depend", "2000", "800")
        rows = list(csv.DictReader(io.StringIO(
            call(LARES, "export", self.trace, "--to", "csv", "-o", "-").stdout)))
        self.assertEqual(len(rows), 800)
        self.assertGreater(sum(row["released_by"] != "" for row in rows), 200)

    def test_lengths_that_the_compiler_drops_are_estimated(self):
        """Chains of 512 bytes lie one behind the other. The last ends with its mapping, perhaps."""
        self.run_traced(GRAINS, "depend", "1000", "800")
        run = self.report()[0]
        self.assertEqual(run["estimates_lengths"], "gcc" in GRAINS.name)
        self.assertAlmostEqual(sum(run["all"]["bytes_by"].values()) / (800 * 512), 1, delta=0.06)
        self.assertEqual("estimated: up to" in call(LARES, "report", self.trace).stdout, "gcc" in GRAINS.name)

    def test_times_are_those_of_the_program(self):
        """Tasks of 200 us, and their sum, as the program's own clock has them."""
        self.run_traced(FAULTS, "plain")
        run = self.report()[0]
        self.assertEqual(run["all"]["grains"], 100)
        self.assertGreater(run["constructs"][0]["shortest_ns"], 199_000)
        self.assertLess(run["constructs"][0]["shortest_ns"], 260_000)

    def test_chunks_of_loops_are_grains(self):
        source = pathlib.Path(self.folder.name) / "loop.c"
        source.write_text(
            "int main(void) {\n  static double a[4096];\n"
            "#pragma omp parallel for schedule(dynamic, 16)\n"
            "  for (int i = 0; i < 4096; ++i) for (int k = 0; k < 2000; ++k) a[i] += k;\n"
            "  return a[7] < 0;\n}\n")
        program = source.with_suffix("")
        call("cc", "-O1", "-g", "-fopenmp", source, "-o", program)
        self.run_traced(program, options=("--loops", "numa"))
        run = self.report()[0]
        self.assertEqual(run["all"]["grains"], 256)
        self.assertRegex(run["constructs"][0]["place"], r"loop\.c:\d+")

    def test_the_program_is_told_nothing(self):
        plain = call(GRAINS, "plain", "0", "10").stdout.split()[0]
        done = self.run_traced(GRAINS, "plain", "0", "10", options=("--quiet",))
        self.assertEqual((done.stdout.split()[0], done.stderr), (plain, ""))

    def test_a_limit_is_told(self):
        done = self.run_traced(GRAINS, "plain", "0", "200000", options=("--record-limit", "1M"))
        self.assertIn("met its limit", done.stderr)
        size = sum(file.stat().st_size for file in self.trace.glob("record.*"))
        self.assertLessEqual(size, 1 << 20)
        run = self.report()[0]
        self.assertLess(run["all"]["grains"], 200000)
        self.assertGreater(run["all"]["grains"], 10000)
        self.assertIn("--record-limit", " ".join(run["notes"]))

    def test_the_graph_may_be_asked_for_besides(self):
        graph = pathlib.Path(self.folder.name) / "graph"
        self.run_traced(GRAINS, "depend", "1000", "500", options=("--record", str(graph)))
        self.assertEqual(sum(line.startswith("task") for line in graph.read_text().splitlines()), 500)
        self.assertEqual(self.report()[0]["all"]["grains"], 500)

    def test_the_simulator_reads_it(self):
        self.run_traced(GRAINS, "depend", "1000", "500")
        text = call(LARES, "simulate", f"file:{self.trace}", "--machine", "sgi-uv2000-24s", "--cores", "8",
                    "--seeds", "1", "--no-ranges", "--format", "json").stdout
        self.assertEqual(json.loads(text)["tasks"], 500)


class Sharing(TraceTest):
    def test_a_task_that_makes_all_others_shares_them(self):
        """A region's only task is no series of tasks whose data others had better leave alone."""
        self.check(FAULTS, "nested")

    def test_a_long_series_of_short_tasks_is_shared_to_its_end(self):
        """Who has none left waits for a moment, not for as long as long tasks would be worth."""
        self.check(GRAINS, "plain", "10000", "18000")

    def test_tasks_that_take_long_to_make_are_not_waited_for(self):
        """How many there are is nothing to wait for where making them takes as long as running them."""
        idle = []
        for attempt in range(4):
            self.trace = self.trace.with_name(f"trace{attempt}")
            self.run_traced(FAULTS, "one-creator")
            rows = list(csv.DictReader(io.StringIO(call(LARES, "export", self.trace, "--to", "csv", "-o", "-").stdout)))
            made = sorted(int(row["created_ns"]) for row in rows)
            first = min(int(row["begin_ns"]) for row in rows if row["thread"] != row["created_by_thread"])
            idle.append((first - made[0]) / (made[-1] - made[0]))
            if idle[-1] < 0.25:
                return
        self.fail(f"nobody else ran a task in so much of the time in which they were made: {idle}")

    def check(self, *program):
        shares = []
        for attempt in range(4):  # a thread may be kept from its core
            self.trace = self.trace.with_name(f"trace{attempt}")
            self.run_traced(*program)
            work = [row["work_ns"] for row in self.report()[0]["threads"]]
            shares.append(min(work) / sum(work))
            if shares[-1] > 0.3:
                return
        self.fail(f"of the work one thread had {shares}")


class Endings(TraceTest):
    def start(self):
        process = subprocess.Popen(
            [LARES, "run", "--quiet", "--domain", "l2", "--trace", self.trace, "--", GRAINS, "plain", "100000", "300000"],
            env={**os.environ, "OMP_NUM_THREADS": "2"}, stdout=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            records = list(self.trace.glob("record.*"))
            if len(records) == 2:
                time.sleep(0.3)
                return process
            time.sleep(0.05)
        process.kill()
        raise AssertionError("the program has not begun")

    def test_a_killed_run_is_readable_and_says_so(self):
        process = self.start()
        os.killpg(process.pid, signal.SIGKILL)  # the launcher and the program
        process.wait()
        run = self.report()[0]
        self.assertFalse(run["finished"])
        self.assertIn("did not finish", " ".join(run["notes"]))
        self.assertGreater(run["all"]["grains"], 100)

    def test_a_run_is_readable_while_it_goes_on(self):
        process = self.start()
        self.assertGreater(self.report()[0]["all"]["grains"], 100)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def test_a_program_that_dies_of_a_signal_leaves_a_finished_trace(self):
        process = self.start()
        program = next(self.trace.glob("record.*")).name.split(".")[1]
        os.kill(int(program), signal.SIGSEGV)
        self.assertNotEqual(process.wait(60), 0)
        about = json.loads((self.trace / "trace.json").read_text())
        self.assertTrue(about["finished"])
        self.assertEqual(about["signal"], signal.SIGSEGV)


class BadInput(TraceTest):
    def test_a_folder_that_is_there_and_not_empty_is_refused(self):
        self.trace.mkdir()
        (self.trace / "mine").write_text("x")
        self.assertIn("is there and not empty", self.refused("run", "--trace", self.trace, "--", GRAINS, "plain", "0"))
        self.assertEqual([file.name for file in self.trace.iterdir()], ["mine"])

    def test_a_folder_that_cannot_be_made_is_refused(self):
        self.assertIn("cannot make the folder", self.refused("run", "--trace", "/proc/none/trace", "--", GRAINS))

    def test_what_is_no_trace_is_refused(self):
        for command in (["report"], ["export", "--to", "csv", "-o", "-"]):
            self.assertIn("is no folder", self.refused(*command, self.trace))
        self.trace.mkdir()
        self.assertIn("is no trace of Lares", self.refused("report", self.trace))
        self.assertIn("has no records", self.refused("simulate", f"file:{self.trace}"))

    def test_a_damaged_trace_is_read_as_far_as_it_goes(self):
        self.run_traced(GRAINS, "plain", "0", "30000")
        record = max(self.trace.glob("record.*"), key=lambda file: file.stat().st_size)
        bytes_ = bytearray(record.read_bytes())
        bytes_[100_000:100_100] = b"\xff" * 100
        record.write_bytes(bytes_[: len(bytes_) - 70_000])
        (self.trace / "trace.json").write_text("{")
        run = self.report()[0]
        self.assertGreater(run["all"]["grains"], 1000)
        self.assertIn("trace.json", " ".join(run["notes"]))

    def test_names_cannot_speak_to_the_terminal(self):
        self.run_traced(GRAINS, "plain", "0", "10")
        about = json.loads((self.trace / "trace.json").read_text())
        about["command"] = ["\x1b[31mred", "<script>alert(1)</script>"]
        for place in about["places"]:
            place["place"] = "\x1b]0;title\x07 <b>"
        (self.trace / "trace.json").write_text(json.dumps(about))
        text = call(LARES, "report", self.trace).stdout
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\x07", text)


class Reports(TraceTest):
    def test_text_is_plain_in_a_pipe_and_ends_with_a_line(self):
        self.run_traced(GRAINS, "depend", "5000", "500")
        text = call(LARES, "report", self.trace).stdout
        self.assertNotIn("\x1b", text)
        self.assertTrue(text.endswith("\n") and not text.endswith("\n\n"))
        self.assertIn("Constructs", text)

    def test_csv_has_the_constructs(self):
        self.run_traced(GRAINS, "plain", "0", "500")
        rows = list(csv.DictReader(io.StringIO(call(LARES, "report", self.trace, "--format", "csv").stdout)))
        self.assertEqual(sum(int(row["grains"]) for row in rows), 500)

    def test_two_runs_are_compared(self):
        self.run_traced(FAULTS, "too-fine", options=("--bind", "none"))
        before, self.trace = self.trace, self.trace.with_name("after")
        self.run_traced(FAULTS, "too-fine", "mended")
        text = call(LARES, "report", before, "--compare", self.trace).stdout
        self.assertRegex(text, r"gone +Threads are not bound to cores")
        runs = json.loads(call(LARES, "report", before, "--compare", self.trace, "--format", "json").stdout)["runs"]
        self.assertGreater(runs[0]["all"]["grains"], 100 * runs[1]["all"]["grains"])

    def test_a_page_is_written(self):
        self.run_traced(GRAINS, "plain", "0", "500")
        page = pathlib.Path(self.folder.name) / "page.html"
        done = call(LARES, "report", self.trace, "-o", page)
        self.assertEqual(done.stdout, "")
        self.assertIn("<!DOCTYPE html>", page.read_text()[:200])
        self.assertIn("cannot write", self.refused("report", self.trace, "-o", "/proc/none/page.html"))

    def test_exports_have_the_grains(self):
        self.run_traced(GRAINS, "depend", "1000", "500")
        path = pathlib.Path(self.folder.name) / "run.sqlite"
        call(LARES, "export", self.trace, "--to", "sqlite", "-o", path)
        with sqlite3.connect(path) as file:
            self.assertEqual(file.execute("select count(*) from grains").fetchone(), (500,))
        self.assertIn("exists", self.refused("export", self.trace, "--to", "sqlite", "-o", path))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
