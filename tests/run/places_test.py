#!/usr/bin/env python3
"""Tests of `lares places`, `distances`, `measure` and `bench`.

Usage: places_test.py LARES FAKE_LIBRARY [CLASS...]
"""

import csv
import io
import json
import os
import re
import xml.etree.ElementTree

from topo_test import MACHINES, TWO_NODES, CommandTest, main


class Places(CommandTest):
    def places(self, *words):
        text = self.output("places", *words)
        self.assertRegex(text, r"^\{[\d,{}]+\}\n$")
        return text.strip()

    def test_a_place_for_every_core_of_this_machine(self):
        listed = [int(cpu) for cpu in re.findall(r"\d+", self.places())]
        self.assertEqual(sorted(listed), sorted(os.sched_getaffinity(0)))

    def test_taskset_is_respected(self):
        cpu = max(os.sched_getaffinity(0))
        done = self.call("places", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertEqual(done.stdout.decode(), f"{{{cpu}}}\n")

    def test_hardware_threads_as_asked(self):
        machine = ("--machine", "synthetic:pack:2 [numa] core:2 pu:2")
        self.assertEqual(self.places(*machine), "{0,1},{2,3},{4,5},{6,7}")
        self.assertEqual(self.places(*machine, "--smt", "first"), "{0},{2},{4},{6}")
        self.assertEqual(self.places(*machine, "--smt", "thread"),
                         "{0},{1},{2},{3},{4},{5},{6},{7}")
        self.assertEqual(self.places(*machine, "--smt", "last"),
                         "{0},{2},{4},{6},{1},{3},{5},{7}")

    def test_begins_where_asked(self):
        text = self.places("--machine", TWO_NODES, "--start", "1", "--smt", "first")
        self.assertEqual(text, "{8},{10},{12},{14},{0},{2},{4},{6}")

    def result(self, name):
        text = self.output("places", "--machine", str(MACHINES / name), "--compare", "--format",
                           "json")
        return json.loads(text)

    def test_tours_of_the_thesis_are_proved_and_fast(self):
        for name, length in (("hp-dl980-8s.json", 108.5), ("bull-bcs-16s.json", 377.5)):
            result = self.result(name)
            self.assertEqual((result["length"], result["optimal"]), (length, True))
            exact = result["methods"][0]
            self.assertEqual((exact["method"], exact["length"]), ("exact", length))
            self.assertLess(exact["seconds"], 1)
            self.assertEqual(result["lower_bound"], length)

    def test_beyond_twenty_domains_a_bound_is_given(self):
        result = self.result("sgi-altix-uv-32s.json")
        self.assertEqual(sorted(result["tour"]), list(range(32)))
        self.assertEqual((result["length"], result["lower_bound"], result["optimal"]),
                         (848, 848, True))
        methods = {row["method"]: row["length"] for row in result["methods"]}
        self.assertEqual(set(methods), {"greedy", "christofides", "local-search", "lower bound"})
        self.assertEqual(result["length"], min(methods[name] for name in methods
                                               if name != "lower bound"))

    def test_forms_of_the_comparison_hold_the_same(self):
        words = ("places", "--machine", str(MACHINES / "hp-dl980-8s.json"), "--compare")
        rows = list(csv.DictReader(io.StringIO(self.output(*words, "--format", "csv"))))
        self.assertEqual([row["method"] for row in rows],
                         ["exact", "greedy", "christofides", "local-search", "lower bound"])
        text = self.output(*words)
        for row in rows:
            self.assertRegex(text, rf"(?m)^{row['method']} +{row['length']} .*{row['tour']}$")

    def test_forms_of_the_list_hold_the_same(self):
        words = ("places", "--machine", str(MACHINES / "hp-dl980-8s.json"))
        listed = json.loads(self.output(*words, "--format", "json"))
        self.assertEqual(listed["omp_places"], self.output(*words).strip())
        rows = list(csv.DictReader(io.StringIO(self.output(*words, "--format", "csv"))))
        self.assertEqual([int(row["domain"]) for row in rows], listed["tour"])
        self.assertEqual(",".join(row["places"] for row in rows), listed["omp_places"])

    def test_allowed_leaves_out_what_this_process_may_not_use(self):
        cpu = max(os.sched_getaffinity(0))
        words = ("places", "--machine", f"synthetic:numa:2 core:{cpu + 2} pu:1", "--allowed")
        done = self.call(*words, preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertEqual(done.stdout.decode(), f"{{{cpu}}}\n")

    def test_bad_input_is_refused_in_one_sentence(self):
        self.assertEqual(self.refused("places", "--smt", "both"),
                         '--smt: unknown way with hardware threads "both", accepted are core, '
                         'thread, first, last')
        self.assertEqual(self.refused("places", "--machine", str(MACHINES / "cxl.json"), "--start",
                                      "2"),
                         '--start: domain 2 does not exist or has no cores, accepted are 0,1')
        self.assertIn("--start", self.refused("places", "--start", "-1"))


class Distances(CommandTest):
    def test_what_the_firmware_hides_is_told(self):
        text = self.output("distances", "--machine", str(MACHINES / "fujitsu-8s.json"))
        self.assertIn("the SLIT says 12 for 56 pairs that measure 15 (0 to 1) to 26 (0 to 5): 1.73 "
                      "times\n", text)
        self.assertIn("groups {0-3} {4-7}: joined by steps up to 15, 19 at least between them; the "
                      "SLIT does not show them\n", text)
        self.assertRegex(text, r"(?m)^ +4  19  25  25  26  10  15  15  17$")
        self.assertRegex(text, r"(?m)^ +4  12  12  12  12  10  12  12  12$")

    def test_forms_hold_the_same(self):
        words = ("distances", "--machine", str(MACHINES / "fujitsu-8s.json"), "--format")
        data = json.loads(self.output(*words, "json"))
        rows = list(csv.DictReader(io.StringIO(self.output(*words, "csv"))))
        self.assertEqual(len(rows), 64)
        for row in rows:
            i, j = int(row["from"]), int(row["to"])
            self.assertEqual(int(row["slit"]), data["slit"][i][j])
            self.assertEqual(int(row["measured"]), data["measured"][i][j])
        self.assertEqual(data["findings"]["groups"], [[0, 1, 2, 3], [4, 5, 6, 7]])

    def test_bandwidths_become_distances(self):
        data = json.loads(self.output("distances", "--machine", str(MACHINES / "cxl.json"),
                                      "--format", "json"))
        bandwidth = json.loads((MACHINES / "cxl.json").read_text())["performance"]["bandwidth_mb_s"]
        for row, measured in zip(bandwidth, data["measured"]):
            for value, distance in zip(row, measured):
                if value is None:
                    self.assertIsNone(distance)
                else:
                    self.assertAlmostEqual(distance, 10 * bandwidth[0][0] / value, delta=0.5)

    def test_without_measurements_a_way_to_get_some_is_told(self):
        self.assertIn("lares measure", self.output("distances", "--machine", TWO_NODES))

    def test_hwloc_reads_them_back(self):
        file = self.folder / "two.xml"
        self.output("distances", "--machine", "synthetic:pack:2 [numa] core:2 pu:1", "--hwloc",
                    str(file))
        self.assertIn('name="LaresMeasured"', file.read_text())
        self.assertIn("Distances", self.output("topo", "--machine", str(file)))

    def test_bad_input_is_refused_in_one_sentence(self):
        self.assertIn("cannot write", self.refused("distances", "--machine", TWO_NODES, "--hwloc",
                                                   "/no/such/folder/two.xml"))
        self.assertIn("shares its NUMA node", self.refused(
            "distances", "--machine", TWO_NODES, "--domain", "l3", "--hwloc", "two.xml"))


class Measure(CommandTest):
    """The machine that runs the tests may be busy, and `measure` then says so."""

    UNSTEADY = re.compile(rb"lares: \d+ of \d+ figures vary more than twofold, so something else was "
                          rb"probably running; measure again while nothing is, or with a larger "
                          rb"--repeat\n")

    def call(self, *words, **options):
        done = super().call(*words, **options)
        done.stderr = self.UNSTEADY.sub(b"", done.stderr, count=1)
        return done

    def test_writes_a_machine_file_that_other_commands_read(self):
        file = self.folder / "here.json"
        text = self.output("measure", "--quick", "--footprint", "1", "--output", str(file))
        self.assertRegex(text, r"(?m)^ +0 +0 +read ")
        machine = json.loads(file.read_text())
        self.assertEqual((machine["grade"], machine["distances"]["source"]),
                         ("measured", "measured"))
        self.assertEqual(machine["distances"]["matrix"][0][0], 10)
        kinds = {pair["kernel"] for pair in machine["measurements"]["pairs"]}
        self.assertEqual(kinds, {"read", "triad", "latency"})
        for pair in machine["measurements"]["pairs"]:
            median, least, most = pair.get("mb_s") or pair["ns"]
            self.assertTrue(0 < least <= median <= most)
        ways = {move["way"] for move in machine["measurements"]["migration"]
                if move["method"] == "next-touch"}
        self.assertIn("protect", ways)
        self.assertEqual({each["kind"] for each in machine["measurements"]["compute"]},
                         {"fma", "add", "scalar-fma", "scalar-add", "chain"})
        self.assertIn("next-touch by protect, 64 pages", text)
        for command in ("topo", "places", "distances"):
            self.output(command, "--machine", str(file))

    def test_the_l2_caches_are_domains_as_well(self):
        machine = json.loads(self.output("measure", "--quick", "--footprint", "1", "--repeat", "1",
                                         "--cores", "1", "--domain", "l2", "--format", "json"))
        self.assertEqual(machine["domain_level"], "l2")
        self.assertEqual(len(machine["performance"]["bandwidth_mb_s"]), len(machine["domains"]))

    def test_csv_has_a_line_per_measurement(self):
        text = self.output("measure", "--quick", "--footprint", "1", "--repeat", "1", "--format",
                           "csv")
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertLessEqual({"pair", "barrier", "parallel"}, {row["what"] for row in rows})
        self.assertIn("next-touch protect",
                      {row["how"] for row in rows if row["what"] == "migration"})
        for row in rows:
            self.assertGreater(float(row["median"]), 0)

    def test_progress_is_for_terminals_only(self):
        self.assertEqual(self.call("measure", "--quick", "--footprint", "1").stderr, b"")

    def test_bad_input_is_refused_before_anything_is_measured(self):
        self.assertIn("cannot write", self.refused("measure", "--output", "/no/such/folder/x"))
        self.assertIn("domain 900 does not exist", self.refused("measure", "--domains", "900"))
        self.assertIn("--repeat", self.refused("measure", "--repeat", "0"))


class Bench(CommandTest):
    def small(self, name, *words):
        return ("bench", name, "--quick", "--repeat", "2", *words)

    def test_every_benchmark_gives_table_csv_json_and_picture(self):
        for name in ("serial", "parallel", "go-around", "malloc", "first-touch"):
            svg = self.folder / f"{name}.svg"
            size = () if name in ("serial", "malloc") else ("--size", "1")
            words = self.small(name, *size, "--svg", str(svg))
            chart = json.loads(self.output(*words, "--format", "json"))
            points = sum(len(series["points"]) for series in chart["series"])
            self.assertGreater(points, 0)
            root = xml.etree.ElementTree.parse(svg).getroot()
            lines = root.findall("{http://www.w3.org/2000/svg}polyline")
            self.assertEqual(len(lines), len(chart["series"]))
            rows = list(csv.DictReader(io.StringIO(self.output(*words, "--format", "csv"))))
            self.assertEqual(len(rows), points)
            self.assertIn(chart["title"], self.output(*words))

    def test_other_allocators_are_a_series_each(self):
        chart = json.loads(self.output(*self.small("malloc", "--preload", str(self.library),
                                                   "--format", "json")))
        self.assertEqual([series["name"] for series in chart["series"]],
                         ["malloc", self.library.name])

    def test_bad_input_is_refused_in_one_sentence(self):
        self.assertIn("there is no library", self.refused("bench", "malloc", "--preload", "absent"))
        self.assertIn("cannot write", self.refused(*self.small("malloc", "--svg", "/no/such/x")))
        self.assertIn("bench", self.refused("bench", "speed"))


if __name__ == "__main__":
    main()
