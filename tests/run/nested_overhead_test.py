#!/usr/bin/env python3
"""bench/nested_overhead, alone and under `lares run`, and `lares bench nested-overheads`.

nested_overhead_test.py LARES PROGRAM... -- [TEST...]
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
SVG = "{http://www.w3.org/2000/svg}"
CONSTRUCTS = ["parallel", "parallel-for", "for", "barrier", "single", "reduction"]


class Results(unittest.TestCase):
    def test_each_construct_alone_and_under_lares(self):
        for program in PROGRAMS:
            for before in ([], [LARES, "run", "--quiet"]):
                for outer, inner in ((1, 1), (2, 2), (3, 1)):
                    with self.subTest(program=program, before=before, outer=outer, inner=inner):
                        done = run([*before, program, f"outer={outer}", f"inner={inner}",
                                    "samples=3"])
                        self.assertEqual(done.returncode, 0, done.stderr)
                        told = json.loads(done.stdout)
                        self.assertEqual((told["outer"], told["inner"], told["wrong"]),
                                         (outer, inner, 0))
                        self.assertEqual([row["name"] for row in told["rows"]], CONSTRUCTS)
                        for row in told["rows"]:
                            own = row["overhead"]
                            self.assertTrue(own["least"] <= own["median"] <= own["most"], row)
                            self.assertAlmostEqual(row["us"] - told["reference"], own["median"],
                                                   delta=1e-5)

    def test_a_body_that_ran_too_often_makes_it_fail(self):
        for program in PROGRAMS:
            done = run([program, "outer=2", "inner=1", "samples=1", "spoil=1"])
            self.assertEqual(done.returncode, 1)
            self.assertEqual(json.loads(done.stdout)["wrong"], 2 * len(CONSTRUCTS))


class BadInput(unittest.TestCase):
    def test_one_sentence(self):
        for program in PROGRAMS:
            for word in ("outer=0", "outer=1025", "inner=", "inner=8193", "samples=1x", "ms=0",
                         "spoil=2", "2", "threads=2"):
                with self.subTest(word=word):
                    done = run([program, word])
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertTrue(done.stderr.startswith("nested_overhead: "))

    def test_too_few_threads(self):
        for program in PROGRAMS:
            done = run(["env", "OMP_THREAD_LIMIT=2", program, "outer=2", "inner=2"])
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("nested_overhead: the runtime gave 2 x 1 of 2 x 2 threads\n",
                          done.stderr)


class Command(BenchCommand, unittest.TestCase):
    NAME = "nested-overheads"
    PROGRAM = "nested_overhead"
    SMALL = ["--outer", "2", "--inner", "1", "--repeat", "2"]
    ONE_RUN = ["--methods", "alone", "--repeat", "1"]

    def check_rows(self, told, methods):
        self.assertEqual([(row["method"], row["construct"]) for row in told["results"]],
                         [(method, construct) for method in methods for construct in CONSTRUCTS])
        for row in told["results"]:
            self.assertEqual((row["outer"], row["inner"], len(row["runs"])), (2, 1, 2))
            if row["method"] == "alone":
                self.assertEqual(row["ratio"], {"median": 1, "least": 1, "most": 1})

    def test_stock_methods(self):
        # The user's variables would make the methods unlike, or change the number of threads.
        text = self.output("--methods", "alone,bound", "--format", "json", OMP_THREAD_LIMIT="1",
                           OMP_MAX_ACTIVE_LEVELS="1", OMP_PROC_BIND="false")
        self.check_rows(json.loads(text), ["alone", "bound"])

    @unittest.skipUnless(HAS_BUBBLES, "lares run has no --bubbles")
    def test_all_methods(self):
        self.check_rows(json.loads(self.output("--format", "json")),
                        ["alone", "again", "bound", "none", "cache"])

    def test_the_end_counts_what_is_above_the_goal(self):
        chosen = ("--methods", "alone,again")
        told = json.loads(self.output(*chosen, "--format", "json"))
        self.assertEqual({row["method"] for row in told["results"]}, {"alone", "again"})
        # A run of its own, so only what holds of any: as many as there are constructs.
        self.assertRegex(self.output(*chosen),
                         rf"\nMedians above 1\.05: again [0-{len(CONSTRUCTS)}] of {len(CONSTRUCTS)}\n$")
        self.assertNotIn("Medians above", self.output("--methods", "again,bound"))

    def test_shapes_and_forms(self):
        chosen = ("--methods", "bound", "--inner", "2")  # beside the 1
        rows = list(csv.DictReader(io.StringIO(self.output(*chosen, "--format", "csv"))))
        self.assertEqual([(row["outer"], row["inner"], row["run"], row["construct"])
                          for row in rows],
                         [("2", inner, one, construct) for inner in "12" for one in "01"
                          for construct in CONSTRUCTS])
        self.assertRegex(self.output(*chosen),
                         r"(?m)^  2 x 2 +barrier +bound +[\d.e+-]+ \[[\d.e+-]+\.\.[\d.e+-]+\]$")

    def test_a_picture_of_the_ratios(self):
        with tempfile.TemporaryDirectory() as folder:
            svg = pathlib.Path(folder, "ratios.svg")
            told = json.loads(self.output("--methods", "alone,bound", "--format", "json", "--svg",
                                          str(svg)))
            root = xml.etree.ElementTree.parse(svg).getroot()
        texts = [text.text for text in root.iter(SVG + "text")]
        for row in told["results"]:
            ratio = "{median:.3g} [{least:.3g}..{most:.3g}]".format(**row.get("ratio"))
            if row["method"] == "bound":
                self.assertIn(ratio, texts)
            self.assertIn(f"2 x 1, {row['construct']}", texts)
        self.assertIn("1.05", texts)
        self.assertEqual(texts.count("bound"), len(CONSTRUCTS))

    def test_without_ratios_there_is_no_picture(self):
        for methods in ("alone", "alone,alone", "bound,none"):
            said = self.refused("--svg", "/no/such/folder/x", "--methods", methods)
            self.assertIn("--svg: the picture is of ratios", said)

    def test_mistakes_are_refused_in_one_sentence(self):
        for option, value in (("--outer", "0"), ("--inner", "no"), ("--repeat", "0"),
                              ("--compiler", "icc"), ("--domain", "rack")):
            self.refuses_value(option, value, value)
        self.refuses_value("--methods", "libgomp", "is none of alone, again")


if __name__ == "__main__":
    unittest.main(argv=ARGUMENTS)
