#!/usr/bin/env python3
"""Tests of `lares simulate`, from outside.

Usage: simulate_test.py LARES [CLASS...]
"""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

MACHINES = pathlib.Path(__file__).resolve().parents[2] / "machines"
OPTERON = str(MACHINES / "opteron-4s-square.json")
SMALL = "jacobi:init=static1,ni=100,nj=100,nk=100"


def call(*words):
    return subprocess.run([sys.argv[1], "simulate", *words], capture_output=True, text=True,
                          timeout=120, check=False)


class Output(unittest.TestCase):
    def run_small(self, *words):
        done = call(SMALL, "--machine", OPTERON, "--seeds", "2", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_text_has_a_line_for_each_policy(self):
        text = self.run_small("--policy", "central", "--policy", "push=writer-domain,steal=cyclic")
        self.assertRegex(text, r"(?m)^  central +16 ")
        self.assertRegex(text, r"(?m)^  push=writer-domain,steal=cyclic +16 ")

    def test_is_the_same_each_time(self):
        self.assertEqual(self.run_small(), self.run_small())

    def test_csv_has_a_row_for_each_size(self):
        text = self.run_small("--format", "csv", "--sweep", "domains=1,2,4", "--policy", "central")
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["cores"] for row in rows], ["4", "8", "16"])
        self.assertGreater(float(rows[0]["seconds"]), 0)

    def test_json_says_that_it_is_simulated(self):
        found = json.loads(self.run_small("--format", "json", "--policy", "locality-queues"))
        self.assertEqual(found["provenance"], "simulated")
        tasks = found["rows"][0]["tasks"]
        self.assertEqual(sum(tasks.values()), found["tasks"])

    def test_draws_a_chart(self):
        with tempfile.TemporaryDirectory() as folder:
            for sweep in (["--cores", "8"], ["--sweep", "cores=1,4"]):
                file = pathlib.Path(folder) / "chart.svg"
                self.run_small("--svg", str(file), *sweep)
                root = xml.etree.ElementTree.parse(file).getroot()
                self.assertTrue(root.tag.endswith("svg"))


class BadInput(unittest.TestCase):
    def refusal(self, *words):
        done = call(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_names_what_is_wrong(self):
        machine = ["--machine", OPTERON]
        self.assertIn('workload "lu" is unknown; accepted: stream', self.refusal("lu", *machine))
        self.assertIn("a workload is missing", self.refusal(*machine))
        self.assertIn('unknown preset "fast"', self.refusal(SMALL, *machine, "--policy", "fast"))
        self.assertIn("--sweep", self.refusal(SMALL, *machine, "--sweep", "domains=9"))
        self.assertIn("--sweep", self.refusal(SMALL, *machine, "--sweep", "cores=1,,2"))
        self.assertIn("--seeds", self.refusal(SMALL, *machine, "--seeds", "0"))
        self.assertIn("cannot write", self.refusal(SMALL, *machine, "--svg", "/no/such/folder/x"))
        self.assertIn("depend on each other",
                      self.refusal("qr:n=1024", *machine, "--policy", "static"))
        self.assertIn("GiB", self.refusal("stream:gb=1000", *machine, "--policy", "static"))

    def test_names_the_field_of_a_machine(self):
        machine = json.loads(pathlib.Path(OPTERON).read_text())
        machine["simulation"]["controller_mb_s"] = -5
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "m.json"
            file.write_text(json.dumps(machine))
            self.assertIn('field "simulation.controller_mb_s" must be a number above 0',
                          self.refusal(SMALL, "--machine", str(file)))


if __name__ == "__main__":
    unittest.main(argv=["simulate_test.py", *sys.argv[2:]])
