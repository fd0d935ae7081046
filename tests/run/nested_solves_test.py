#!/usr/bin/env python3
"""bench/nested_solves, alone and under `lares run`, and `lares bench nested-solves`.

nested_solves_test.py LARES PROGRAM... -- [TEST...]
"""

import csv
import io
import json
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

from bench_command import ARGUMENTS, LARES, PROGRAMS, BenchCommand, run

HAS_BUBBLES = "--bubbles" in run([LARES, "run", "--help"]).stdout
STOCK = ["flat", "outer", "alone", "bound"]


class Results(unittest.TestCase):
    def test_each_shape_alone_and_under_lares(self):
        for program in PROGRAMS:
            iterations = set()
            for before in ([], [LARES, "run", "--quiet"]):
                for teams, inner, tell in ((1, 1, "none"), (1, 2, "none"), (2, 1, "threads"),
                                           (2, 2, "none")):
                    with self.subTest(program=program, before=before, teams=teams, inner=inner):
                        done = run([*before, program, f"teams={teams}", f"inner={inner}",
                                    f"tell={tell}", "solves=5", "side=6", "domains=0,1"])
                        self.assertEqual(done.returncode, 0, done.stderr)
                        told = json.loads(done.stdout)
                        self.assertEqual((told["teams"], told["inner"], told["wrong"]),
                                         (teams, inner, 0))
                        self.assertLess(told["error"], 1e-7)
                        self.assertEqual(sum(team["solved"] for team in told["by_team"]), 5)
                        iterations.add(told["iterations"])
            # Sums in another order may take one more here or there.
            self.assertLessEqual(max(iterations) - min(iterations), 5)

    def test_a_wrong_value_makes_it_fail(self):
        for program in PROGRAMS:
            done = run([program, "solves=5", "side=6", "spoil=1"])
            self.assertEqual(done.returncode, 1)
            self.assertEqual(json.loads(done.stdout)["wrong"], 5)


class BadInput(unittest.TestCase):
    def test_one_sentence(self):
        for program in PROGRAMS:
            for word in ("teams=0", "teams=1025", "inner=", "inner=8193", "solves=1x", "side=1",
                         "tell=all", "spoil=2", "domains=0,,1", "2", "threads=2"):
                with self.subTest(word=word):
                    done = run([program, word])
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertTrue(done.stderr.startswith("nested_solves: "))


class Command(BenchCommand, unittest.TestCase):
    NAME = "nested-solves"
    PROGRAM = "nested_solves"
    SMALL = ["--teams", "2", "--inner", "1", "--solves", "3", "--side", "6", "--repeat", "2"]
    ONE_RUN = ["--methods", "alone", "--repeat", "1"]

    def check_rows(self, told, methods):
        self.assertEqual([row["method"] for row in told["results"]], methods)
        for row in told["results"]:
            shape = (1, 2) if row["method"] == "flat" else (2, 1)
            self.assertEqual((row["teams"], row["threads"]), shape)
            self.assertEqual(len(row["runs"]), 2)
            seconds = row["seconds"]
            self.assertTrue(0 < seconds["least"] <= seconds["median"] <= seconds["most"])
        self.assertEqual(told["results"][0]["ratio"], {"median": 1, "least": 1, "most": 1})

    def test_stock_methods(self):
        # The user's variables would make the methods unlike, or change the number of threads.
        text = self.output("--methods", ",".join(STOCK), "--format", "json", OMP_THREAD_LIMIT="1",
                           OMP_MAX_ACTIVE_LEVELS="1", OMP_PROC_BIND="false")
        self.check_rows(json.loads(text), STOCK)

    @unittest.skipUnless(HAS_BUBBLES, "lares run has no --bubbles")
    def test_all_methods(self):
        self.check_rows(json.loads(self.output("--format", "json")),
                        [*STOCK, "none", "cache", "memory"])

    def test_forms_hold_the_same(self):
        chosen = ("--methods", "outer,bound")
        rows = list(csv.DictReader(io.StringIO(self.output(*chosen, "--format", "csv"))))
        self.assertEqual([(row["method"], row["run"]) for row in rows],
                         [(method, one) for method in ("outer", "bound") for one in "01"])
        self.assertRegex(self.output(*chosen),
                         r"(?m)^  bound +2 x 1 +[\d.e-]+ \[[\d.e-]+\.\.[\d.e-]+\] +[\d.]+$")

    def test_a_picture_of_the_times(self):
        with tempfile.TemporaryDirectory() as folder:
            svg = pathlib.Path(folder, "times.svg")
            told = json.loads(self.output("--methods", "flat,bound", "--format", "json", "--svg",
                                          str(svg)))
            root = xml.etree.ElementTree.parse(svg).getroot()
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertTrue({"flat, 1 x 2", "bound, 2 x 1"} <= set(texts), texts)
        for row in told["results"]:
            self.assertIn("{median:.3g} [{least:.3g}..{most:.3g}]".format(**row["seconds"]), texts)
        self.assertIn("cannot write", self.refused("--methods", "flat", "--svg", "/no/such/x"))

    def test_mistakes_are_refused_in_one_sentence(self):
        for option, value in (("--teams", "0"), ("--inner", "8193"), ("--solves", "no"),
                              ("--side", "1"), ("--repeat", "0"), ("--compiler", "icc"),
                              ("--domain", "rack")):
            self.refuses_value(option, value, value)
        self.refuses_value("--methods", "libgomp", "is none of flat, outer")
        self.refuses_value("--side", "2000", "more than the")


if __name__ == "__main__":
    unittest.main(argv=ARGUMENTS)
