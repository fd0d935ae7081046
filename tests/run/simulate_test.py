#!/usr/bin/env python3
"""Tests of `lares simulate`, from outside.

Usage: simulate_test.py LARES [CLASS...]
"""

import csv
import io
import itertools
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

    def test_tells_what_opinions_were_worth(self):
        workload = "jacobi:init=static,ni=100,nj=100,nk=100,sweeps=3,limit=0,tells=nothing"
        words = [workload, "--machine", OPTERON, "--seeds", "2", "--policy", "auto", "--policy",
                 "auto,opinions=off"]
        text = call(*words).stdout
        self.assertRegex(text, r"(?m)^Opinions: auto on 16 cores .* 100\.0 % of the tasks")
        self.assertEqual(text.count("Opinions:"), 1)
        with_, without = json.loads(call(*words, "--format", "json").stdout)["rows"]
        self.assertEqual(with_["opinions"]["tasks"], sum(with_["tasks"].values()))
        self.assertGreater(with_["opinions"]["right"], 0.9 * with_["opinions"]["tasks"])
        self.assertEqual(without["opinions"], {"tasks": 0, "right": 0})
        self.assertLess(with_["remote_share"], without["remote_share"] / 2)
        first, second = csv.DictReader(io.StringIO(call(*words, "--format", "csv").stdout))
        self.assertEqual(int(first["right_opinions"]), with_["opinions"]["right"])
        self.assertEqual(second["opinions"], "0")

    def test_draws_a_chart(self):
        with tempfile.TemporaryDirectory() as folder:
            for sweep in (["--cores", "8"], ["--sweep", "cores=1,4"]):
                file = pathlib.Path(folder) / "chart.svg"
                self.run_small("--svg", str(file), *sweep)
                root = xml.etree.ElementTree.parse(file).getroot()
                self.assertTrue(root.tag.endswith("svg"))


class Loops(unittest.TestCase):
    def test_of_a_recorded_program_are_scheduled_as_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            graph = pathlib.Path(folder) / "app.graph"
            pieces = ["piece 0.003\n" if i < 40 else "piece 0.001\n" for i in range(160)]
            graph.write_text("lares-graph 2\nloop 8\n" + "".join(pieces))
            done = call(f"file:{graph}", "--machine", OPTERON, "--seeds", "3", "--format", "json",
                        "--policy", "static", "--policy", "dynamic", "--policy", "numa")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rows = {row["policy"]: row for row in json.loads(done.stdout)["rows"]}
            seconds = {name: row["seconds"] for name, row in rows.items()}
            self.assertGreater(seconds["static"], 1.5 * seconds["numa"])
            self.assertLess(abs(seconds["numa"] / seconds["dynamic"] - 1), 0.2)
            local = {name: row["tasks"]["local"] for name, row in rows.items()}
            self.assertEqual(local["static"], 160)
            self.assertGreater(local["numa"], 3 * local["dynamic"])


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
        self.assertIn("--first-seed", self.refusal(SMALL, *machine, "--first-seed", "0"))
        self.assertIn("cannot write", self.refusal(SMALL, *machine, "--svg", "/no/such/folder/x"))
        self.assertIn("depend on each other",
                      self.refusal("qr:n=1024", *machine, "--policy", "static"))
        self.assertIn("GiB", self.refusal("stream:gb=1000", *machine, "--policy", "static"))
        self.assertIn("is for loops",
                      self.refusal(SMALL, *machine, "--policy", "static,opinions=off"))
        self.assertIn("opinions=on", self.refusal(SMALL, *machine, "--policy", "auto,opinions=on"))
        self.assertIn('tells "pointers" is unknown; accepted: data, names',
                      self.refusal("qr:tells=pointers", *machine))

    def test_loops_are_those_of_a_recorded_program(self):
        machine = ["--machine", OPTERON]
        with tempfile.TemporaryDirectory() as folder:
            graph = pathlib.Path(folder) / "app.graph"
            graph.write_text("lares-graph 2\nloop 8\n" + "piece 0.001\n" * 48)
            file = f"file:{graph}"
            self.assertIn("--loops is for the loops of a recorded program",
                          self.refusal(SMALL, *machine, "--loops", "numa"))
            self.assertIn("--loops cannot stand beside --policy dynamic, which is for loops itself",
                          self.refusal(file, *machine, "--policy", "dynamic", "--loops", "numa"))
            self.assertIn('--loops: "guided" is none of static, dynamic, numa',
                          self.refusal(file, *machine, "--loops", "guided"))
            self.assertIn("steal", self.refusal(file, *machine, "--loops", "numa,steal=never"))
            self.assertIn("--loops cannot stand beside --report",
                          self.refusal("--report", "/no/such/folder/b.md", "--loops", "numa"))
            graph.write_text(graph.read_text() + "task 1 -\n")
            self.assertIn("depend on each other", self.refusal(file, *machine, "--policy", "numa"))

    # Which options contradict each other: every pair of those that are given with a value.
    VALUES = {"WORKLOAD": [SMALL], "--machine": ["--machine", OPTERON], "--domain": ["--domain", "numa"],
              "--policy": ["--policy", "central"], "--cores": ["--cores", "4"],
              "--sweep": ["--sweep", "cores=2,4"], "--seeds": ["--seeds", "1"],
              "--no-ranges": ["--no-ranges"], "--first-seed": ["--first-seed", "6"],
              "--svg": ["--svg", "/no/such/folder/a.svg"],
              "--report": ["--report", "/no/such/folder/b.md"], "--format": ["--format", "csv"]}
    CONTRADICT = {frozenset(("--report", other)) for other in VALUES if other not in ("--report", "--seeds")
                  } | {frozenset(("--cores", "--sweep"))}

    def test_knows_each_pair_of_options_that_contradict_each_other(self):
        for first, second in itertools.combinations(self.VALUES, 2):
            pair = frozenset((first, second))
            if "--report" in pair and pair not in self.CONTRADICT:
                continue  # it takes minutes
            with self.subTest(first=first, second=second):
                needed = [] if "--report" in pair else ["WORKLOAD", "--machine"]
                words = [word for name in dict.fromkeys([*needed, first, second])
                         for word in self.VALUES[name]]
                done = call(*words)
                if pair in self.CONTRADICT:
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertRegex(done.stderr, rf"^lares: ({first}|{second}) cannot stand beside ")
                elif "--svg" in pair:
                    self.assertIn("--svg: cannot write", done.stderr)
                else:
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_numbers_the_seeds(self):
        def least_and_most(*words):
            done = call(SMALL, "--machine", OPTERON, "--no-ranges", "--policy", "auto", "--cores", "4",
                        "--format", "csv", *words)
            return next(csv.DictReader(io.StringIO(done.stdout)))
        alone = [least_and_most("--seeds", "1", "--first-seed", str(seed))["seconds"] for seed in (1, 2, 3)]
        together = least_and_most("--seeds", "2", "--first-seed", "2")
        self.assertEqual(len(set(alone)), 3, "each seed is another run")
        self.assertEqual(sorted(alone[1:], key=float),
                         [together["seconds_least"], together["seconds_most"]])

    def test_a_team_has_a_core_for_each(self):
        self.assertIn('--cores: 17 is more than the 16 cores of machine',
                      self.refusal(SMALL, "--machine", OPTERON, "--cores", "17"))

    def test_what_lies_on_a_node_fits_there(self):
        machine = str(MACHINES / "nehalem-ep-2s.json")
        self.assertIn('puts 19 GiB on "numa 0" of machine "two Nehalem EP", which has 12 GiB',
                      self.refusal("stream:init=serial,gb=20", "--machine", machine))
        self.assertEqual(call("stream:gb=20,times=1", "--machine", machine, "--seeds", "1").returncode, 0)

    def test_three_values_of_three_domains_are_no_range(self):
        machine = {"format": "lares-machine", "version": 1, "name": "three", "domain_level": "numa",
                   "domains": [{"name": f"numa {d}", "node": d, "memory_bytes": 2**36} for d in range(3)],
                   "cores": [{"domain": d, "cpus": [d]} for d in range(3)],
                   "simulation": {"core_mb_s": 1000, "controller_mb_s": [4000, 1000, 2000]}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "three.json"
            for values, ranges in (([4000, 1000, 2000], 0), ([[1, 2, 3], 1000, 2000], 1), (500, 0)):
                machine["simulation"]["controller_mb_s"] = values
                file.write_text(json.dumps(machine))
                done = call("stream:times=1", "--machine", str(file), "--seeds", "1", "--format", "json")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(len(json.loads(done.stdout)["uncertain"]), ranges, values)

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
