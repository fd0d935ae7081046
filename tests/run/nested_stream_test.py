#!/usr/bin/env python3
"""bench/nested_stream, alone and under `lares run`, and the four commands that start it.

nested_stream_test.py LARES PROGRAM... -- [TEST...]
"""

import re
import csv
import io
import json
import os
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

from bench_command import ARGUMENTS, LARES, PROGRAMS, BenchCommand, run

UNDER_LARES = [LARES, "run", "--quiet", "--machine", "synthetic:pack:1 l2:2 core:1 pu:1",
               "--domain", "l2", "--"]
HAS_BUBBLES = "--bubbles" in run([LARES, "run", "--help"]).stdout
SVG = "{http://www.w3.org/2000/svg}"
NEEDS_BUBBLES = unittest.skipUnless(HAS_BUBBLES, "lares run has no --bubbles")
SMALL = ["teams=3", "inner=2", "mb=0.05", "times=3", "domains=0,1"]


class Results(unittest.TestCase):
    def told(self, *words):
        """What each program tells, alone and under Lares."""
        for program in PROGRAMS:
            for before in ([], UNDER_LARES):
                with self.subTest(program=program, words=words, under=bool(before)):
                    done = run([*before, program, *words])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    line = json.loads(done.stdout)
                    self.assertEqual(line["wrong"], 0)
                    yield line

    def passes_of(self, line, phase=0):
        return [sum(team["ran_in"].values()) for team in line["phases"][phase]]

    def test_stream_is_one_team_with_all_kernels(self):
        for line in self.told(*SMALL, "kind=stream"):
            self.assertEqual((line["teams"], line["threads"]), (1, [2]))
            self.assertEqual(list(line["phases"][0][0]["rates"]), ["copy", "scale", "add", "triad"])
            self.assertEqual(self.passes_of(line), [2 * 3 * 4])

    def test_each_team_of_nested_works(self):
        for tell in ("none", "threads"):
            for line in self.told(*SMALL, "kind=nested", f"tell={tell}"):
                self.assertEqual((line["teams"], line["threads"]), (3, [2, 2, 2]))
                self.assertEqual(self.passes_of(line), [2 * 3 * 4] * 3)
                for team in line["phases"][0]:
                    for rate in team["rates"].values():
                        self.assertTrue(0 < rate["least"] <= rate["mean"] <= rate["most"], rate)

    def test_each_way_to_tell_keeps_the_values(self):
        ways = {"remote": ("none", "threads", "next-touch", "migrate"),
                "mixed": ("none", "threads", "next-touch", "migrate", "mixed")}
        for data, tells in ways.items():
            for tell in tells:
                for line in self.told(*SMALL, "kind=twisted", "passes=5", f"data={data}",
                                      f"tell={tell}"):
                    self.assertEqual((line["data"], line["tell"]), (data, tell))
                    self.assertEqual(self.passes_of(line, 0), [2 * 3] * 3)
                    self.assertEqual(self.passes_of(line, 1), [2 * 5] * 3)

    @unittest.skipUnless((os.cpu_count() or 1) >= 2, "two domains need two processors")
    def test_what_moves_is_what_is_remote(self):
        page = 4096
        vector = 25 * page  # 0.1024 * 10^6 bytes; two teams
        moved = {("remote", "none"): 0, ("remote", "migrate"): 6 * vector, ("mixed", "none"): 0,
                 ("mixed", "migrate"): 4 * vector}
        for program in PROGRAMS:
            for (data, tell), right in moved.items():
                with self.subTest(program=program, data=data, tell=tell):
                    done = run([*UNDER_LARES, program, "kind=twisted", "teams=2", "inner=1",
                                "mb=0.1024", "domains=0,1", f"data={data}", f"tell={tell}"])
                    self.assertEqual(json.loads(done.stdout)["moved_bytes"], right, done.stderr)

    def test_a_single_team_twists_onto_itself(self):
        for line in self.told("kind=twisted", "teams=1", "inner=1", "mb=0.01"):
            self.assertEqual(len(line["phases"]), 2)

    def test_each_thread_of_imbalanced_has_the_load_of_its_team(self):
        for loads, own in (("15,15,30,1", [15, 30, 1]), ("2,5", [2, 5, 2])):
            for tell in ("none", "threads"):
                for line in self.told(*SMALL, "kind=imbalanced", f"loads={loads}", f"tell={tell}"):
                    self.assertEqual(line["loads"], own)
                    self.assertEqual(self.passes_of(line), [2 * load for load in own])

    def test_sizes_come_from_the_domains(self):
        cpus = os.cpu_count() or 1
        domains = "domains=" + ",".join(["0", "1", "2"] * cpus)
        for kind, threads in (("nested", 1), ("imbalanced", 2)):
            for line in self.told(f"kind={kind}", "mb=0.01", domains):
                each = max(1, cpus // 3) * threads
                self.assertEqual((line["teams"], line["inner"]), (3, each))

    def test_vectors_smaller_than_a_page_for_each_thread(self):
        for line in self.told("kind=nested", "teams=2", "inner=3", "mb=0.001"):
            self.assertEqual(line["threads"], [3, 3])

    def test_a_wrong_value_makes_it_fail(self):
        for program in PROGRAMS:
            for kind in ("stream", "nested", "twisted", "imbalanced"):
                with self.subTest(program=program, kind=kind):
                    done = run([program, *SMALL, f"kind={kind}", "spoil=1"])
                    self.assertEqual(done.returncode, 1)
                    self.assertGreaterEqual(json.loads(done.stdout)["wrong"], 1)


class BadInput(unittest.TestCase):
    def test_one_sentence(self):
        for program in PROGRAMS:
            for words in (["kind=flat"], ["teams=0"], ["teams=1025"], ["inner="], ["inner=8193"],
                          ["times=0"], ["times=1001"], ["passes=x"], ["mb=nan"], ["mb=0"],
                          ["loads="], ["loads=1,"], ["loads=0"], ["loads=1,1001"], ["spoil=2"],
                          ["data=local"], ["tell=all"], ["domains=0,,1"], ["nested"], ["team=1"],
                          ["kind=nested", "tell=next-touch"], ["kind=twisted", "tell=mixed"]):
                with self.subTest(words=words):
                    done = run([program, *words])
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertTrue(done.stderr.startswith("nested_stream: "))

    def test_too_few_threads_for_the_teams(self):
        for program in PROGRAMS:
            done = run(["env", "OMP_THREAD_LIMIT=2", program, "kind=nested", "teams=3", "inner=1"])
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("nested_stream: the runtime gave 2 of 3 teams\n", done.stderr)


class Command(BenchCommand):
    PROGRAM = "nested_stream"
    SMALL = ["--sizes", "0.02,0.05", "--repeat", "2"]
    ONE_RUN = ["--methods", "alone", "--sizes", "1", "--repeat", "1"]
    SETTINGS = []
    DATA = []
    DRAWN = []
    STOCK = ["alone", "bound"]
    LARES = ["none", "cache", "memory"]

    def told(self, *words):
        # The user's variables would make the methods unlike, or change the number of threads.
        return json.loads(self.output("--format", "json", *self.SETTINGS, *words,
                                      OMP_NUM_THREADS="7", OMP_THREAD_LIMIT="1",
                                      OMP_MAX_ACTIVE_LEVELS="1", OMP_PROC_BIND="false",
                                      LARES_LOOPS="numa"))

    def check_rows(self, told, methods):
        self.assertEqual([(row["mb"], row["method"]) for row in told["results"]],
                         [(mb, method) for mb in (0.02, 0.05) for method in methods])
        for row in told["results"]:
            self.assertEqual(len(row["runs"]), 2)
            seconds = row["seconds"]
            self.assertTrue(0 < seconds["least"] <= seconds["median"] <= seconds["most"])
            for one in row["runs"]:
                for phase in one["phases"]:
                    self.assertEqual(len(phase["teams"]), told["teams"])

    def test_stock_methods_and_sizes(self):
        self.check_rows(self.told(*self.DATA, "--methods", ",".join(self.STOCK)), self.STOCK)

    @NEEDS_BUBBLES
    def test_all_methods(self):
        self.check_rows(self.told(*self.DATA), self.STOCK + self.LARES)

    def csv_rows(self, *words):
        text = self.output("--methods", "alone", "--format", "csv", *self.SETTINGS, *words)
        return list(csv.DictReader(io.StringIO(text)))

    def drawn(self):
        """What is told, and the texts and the numbers of bars of its picture."""
        with tempfile.TemporaryDirectory() as folder:
            svg = pathlib.Path(folder, "bars.svg")
            told = self.told(*self.DATA, *self.DRAWN, "--methods", "alone,bound", "--svg", str(svg))
            root = xml.etree.ElementTree.parse(svg).getroot()
        bars = [rect for rect in root.iter(SVG + "rect") if rect.get("class") != "paper"]
        return told, [text.text for text in root.iter(SVG + "text")], len(bars)

    def test_a_picture_has_a_bar_for_each_method_and_size(self):
        told, texts, bars = self.drawn()
        for mb in ("0.02", "0.05"):
            for group in self.groups(told):
                self.assertIn(f"{mb} MB, {group}", texts)
        self.assertEqual(bars, 2 * 2 * len(self.groups(told)))
        self.assertEqual(texts.count("bound"), bars / 2)
        self.assertIn("cannot write", self.refused("--methods", "alone", "--svg", "/no/such/x"))

    def groups(self, told):
        """The names of what is compared, in the picture."""
        return ("copy", "scale", "add", "triad")

    def test_mistakes_are_refused_in_one_sentence(self):
        for option, value in (("--sizes", "0"), ("--repeat", "0"), ("--compiler", "icc"),
                              ("--domain", "rack")):
            self.refuses_value(option, value, value)
        self.refuses_value("--methods", "libgomp", "is none of alone, bound")
        self.refuses_value("--sizes", "900000000", "more than the")


class Stream(Command, unittest.TestCase):
    NAME = "stream"

    def test_forms_hold_the_same(self):
        rows = self.csv_rows()
        self.assertEqual([(row["mb"], row["run"], row["kernel"]) for row in rows],
                         [(mb, one, kernel) for mb in ("0.02", "0.05") for one in "01"
                          for kernel in ("copy", "scale", "add", "triad")])
        text = self.output("--methods", "alone")
        self.assertRegex(text, r"(?m)^ *0\.02  alone +copy +\d+-\d+ +\d+ ")
        self.assertIn("2 runs each: MB/s\n", text)


class Nested(Command, unittest.TestCase):
    NAME = "nested-stream"
    SETTINGS = ["--teams", "3", "--inner", "2"]

    def test_teams_as_asked_for(self):
        told = self.told("--methods", "alone")
        self.assertEqual((told["teams"], told["threads"]), (3, 2))
        self.assertEqual({row["team"] for row in self.csv_rows()}, {"0", "1", "2"})

    def test_default_is_a_team_for_each_domain(self):
        told = json.loads(self.output("--methods", "alone", "--format", "json"))
        self.assertEqual(told["teams"], told["domains"])

    def test_bound_teams_stay_where_they_wrote(self):
        told = json.loads(self.output("--methods", "bound", "--format", "json"))
        for row in told["results"]:
            for one in row["runs"]:
                for team in one["phases"][0]["teams"]:
                    self.assertEqual((team["together"], team["local"]), (1, 1))


class Twisted(Command, unittest.TestCase):
    NAME = "twisted-stream"
    SETTINGS = ["--teams", "2", "--inner", "1"]
    DATA = ["--data", "remote"]
    DRAWN = ["--passes", "1,3"]
    LARES = ["none", "cache", "memory", "next-touch", "threads", "migrate"]

    def test_both_data_and_all_passes(self):
        told = json.loads(self.output("--methods", "bound", "--passes", "1,3",
                                      "--format", "json"))
        self.assertEqual([(row["data"], row["passes"]) for row in told["results"]],
                         [(data, passes) for _ in (0.02, 0.05) for data in ("remote", "mixed")
                          for passes in (1, 3)])
        self.assertEqual({len(one["phases"]) for row in told["results"] for one in row["runs"]},
                         {2})

    @NEEDS_BUBBLES
    def test_methods_by_data(self):
        told = self.told("--data", "mixed", "--methods", "next-touch,mixed,threads")
        self.check_rows(told, ["next-touch", "threads", "mixed"])
        self.assertIn("none of these", self.refused("--data", "mixed", "--methods", "migrate"))

    def groups(self, told):
        return ["remote, 1 pass", "remote, 3 passes"]

    def test_the_picture_has_the_rate_of_phase_2(self):
        told, texts, _ = self.drawn()
        row = told["results"][0]
        seconds = [one["phases"][1]["seconds"] for one in row["runs"]]
        gb = 3e-3 * row["mb"] * row["passes"]
        rate = f"[{gb / max(seconds):.3g}..{gb / min(seconds):.3g}]"
        self.assertTrue([text for text in texts if text.endswith(rate)], (rate, texts))

    def test_a_table_of_phases(self):
        text = self.output("--methods", "alone", "--passes", "4")
        self.assertRegex(text, r"(?m)^ *0\.05  mixed +4  alone +\d+ +\d+ ")
        self.refuses_value("--data", "local", "none of remote, mixed")
        self.refuses_value("--passes", "0", "0")


class Imbalanced(Command, unittest.TestCase):
    NAME = "imbalanced-stream"
    SETTINGS = ["--teams", "3", "--loads", "4,2,8,1"]

    def test_the_last_loads_and_two_threads_a_core(self):
        told = self.told("--methods", "alone")
        self.assertEqual({tuple(row["loads"]) for row in told["results"]}, {(2, 8, 1)})
        self.assertEqual(told["threads"] % 2, 0)

    def groups(self, told):
        return ["all", "team 0, load 2", "team 1, load 8", "team 2, load 1"]

    def test_the_picture_has_the_times(self):
        told, texts, _ = self.drawn()
        seconds = told["results"][0]["seconds"]
        spreads = [re.search(r"\[([\d.e-]+)\.\.([\d.e-]+)\]$", text) for text in texts]

        def is_near(text, value):  # both are rounded, the one to three digits
            return abs(float(text) - value) <= 0.006 * value

        self.assertTrue([spread for spread in spreads if spread and
                         is_near(spread[1], seconds["least"]) and
                         is_near(spread[2], seconds["most"])], (seconds, texts))

    def test_a_table_of_teams(self):
        text = self.output("--methods", "alone", *self.SETTINGS)
        self.assertRegex(text, r"(?m)^ *0\.05  alone +1 +8 ")
        self.assertRegex(text, r"(?m)^ *0\.05  alone +all ")
        self.refuses_value("--loads", "0", "0")


if __name__ == "__main__":
    unittest.main(argv=ARGUMENTS)
