#!/usr/bin/env python3
"""Tests of `lares model`, and of `lares report --machine`, from outside.

Usage: model_test.py LARES [GRAINS [CLASS...]]

GRAINS is a program of tests/trace, for what the command says of traced runs; - if there is none.
"""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

LARES = str(pathlib.Path(sys.argv[1]).resolve())
GRAINS = sys.argv[2] if len(sys.argv) > 2 else "-"
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "model" / "cg.json"
SVG = "{http://www.w3.org/2000/svg}"
KERNELS = ("read", "write", "update", "copy", "triad")


def exactly(value):
    return [value, value, value]


def machine_file(**changes):
    """Two domains of one core; its own memory gives 10 GB/s, the other's 5, both together 16; caches 100."""
    pairs = [{"from": a, "to": b, "kernel": kernel, "footprint_bytes": footprint, "threads": 1,
              "mb_s": exactly(100_000 if footprint == 16384 else 10_000 if a == b else 5_000)}
             for a in (0, 1) for b in (0, 1) for kernel in KERNELS for footprint in (16384, 1 << 28)]
    measurements = {
        "pairs": pairs,
        "aggregate": [{"pattern": pattern, "kernel": kernel, "threads": 2, "mb_s": exactly(16_000)}
                      for pattern in ("local", "all-to-all", "interleaved") for kernel in KERNELS],
        "synchronisation": [{"construct": construct, "by": by, "threads": threads, "ns": exactly(1000)}
                            for construct in ("barrier", "parallel") for by in ("libgomp", "libomp")
                            for threads in (1, 2)],
        "compute": [{"kind": kind, "threads": threads, "gflops": exactly(2 * threads)}
                    for kind in ("fma", "add", "scalar-fma", "scalar-add", "chain")
                    for threads in (1, 2)],
    } | changes
    return {"format": "lares-machine", "version": 1, "name": "made up", "domain_level": "l2",
            "domains": [{"name": "l2 0"}, {"name": "l2 1"}],
            "cores": [{"domain": 0, "cpus": [0]}, {"domain": 1, "cpus": [1]}],
            "distances": {"matrix": [[10, 20], [20, 10]]},
            "measurements": {key: value for key, value in measurements.items() if value}}


def description(*regions):
    return {"format": "lares-model", "version": 1, "name": "made up", "regions": list(regions)}


READS = {"name": "reads", "repeat": 2, "flops": {"fma": 1e9},
         "arrays": [{"name": "a", "bytes": 8e9, "access": "read"}], "constructs": {"parallel": 1}}
COMPUTES = {"name": "computes", "flops": {"fma": 4e9}}


class ModelTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.machine = self.write("machine.json", machine_file())

    def write(self, name, document):
        path = self.folder / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return str(path)

    command = "model"

    def call(self, *words):
        return subprocess.run([LARES, self.command, *map(str, words)], capture_output=True, text=True,
                              timeout=120, check=False)

    def output(self, *words):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, *words):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.startswith("lares: ") and done.stderr.count("\n") == 1, done.stderr)
        return done.stderr

    def predictions(self, document, *words):
        file = self.write("d.json", document)
        found = json.loads(self.output(file, "--machine", self.machine, "--format", "json", *words))
        self.assertEqual(found["version"], 1)
        return {each["threads"]: each for each in found["predictions"]}


class Descriptions(ModelTest):
    def test_times_are_those_reckoned_by_hand(self):
        found = self.predictions(description(READS, COMPUTES))
        self.assertEqual(sorted(found), [1, 2])
        reads, computes = found[1]["regions"]
        self.assertAlmostEqual(reads["memory_s"], 0.8)
        self.assertAlmostEqual(reads["computing_s"], 0.5)
        self.assertAlmostEqual(reads["waiting_s"], 1e-6)
        self.assertAlmostEqual(reads["total_s"], 2 * (0.8 + 1e-6))
        self.assertEqual((reads["bound"], reads["slowest"]), ("memory", {"what": "pair", "from": 0, "to": 0}))
        self.assertAlmostEqual(computes["once_s"], 2)
        self.assertEqual((computes["bound"], computes["intensity"]), ("computation", None))
        self.assertAlmostEqual(found[1]["total_s"], 2 * (0.8 + 1e-6) + 2)
        self.assertAlmostEqual(found[1]["without_overlap_s"], 2 * (0.8 + 0.5 + 1e-6) + 2)
        reads = found[2]["regions"][0]
        self.assertAlmostEqual(reads["memory_s"], 8e9 / 16e9)
        self.assertEqual(reads["slowest"]["what"], "machine")
        self.assertEqual(found[2]["threads_of_domain"], [1, 1])

    def test_placement_matters(self):
        def total(placement):
            array = {"name": "a", "bytes": 8e9, "access": "read", "placement": placement}
            return self.predictions(description({"name": "r", "arrays": [array]}))[2]["total_s"]
        self.assertAlmostEqual(total("local"), 0.5)
        # Each half of a domain's bytes: 2e9 at 10 GB/s and 2e9 at 5.
        self.assertAlmostEqual(total("interleaved"), 0.6)
        self.assertAlmostEqual(total("domain 1"), 4e9 / 5e9)

    def test_the_error_is_of_what_was_measured(self):
        file = self.write("d.json", description(COMPUTES))
        text = self.output(file, "--machine", self.machine, "--threads", "1,2", "--measured", "1.6,1")
        self.assertIn("1.6 s (+25.0 %)", text)
        self.assertIn("1 s (+0.0 %)", text)
        document = description({**COMPUTES, "measured": {"2": 2}}) | {"measured": {"1": 4}}
        found = self.predictions(document)
        self.assertAlmostEqual(found[1]["error"], -0.5)
        self.assertAlmostEqual(found[2]["regions"][0]["error"], -0.5)
        self.assertIsNone(found[2]["error"])

    def test_text_names_what_bounds_a_region(self):
        file = self.write("d.json", description(READS, COMPUTES,
                                                {"name": "waits", "constructs": {"barrier": 5}}))
        text = self.output(file, "--machine", self.machine)
        self.assertRegex(text, r"(?m)^  reads .* domain 0 with its own memory$")
        self.assertRegex(text, r"(?m)^  reads .* memory that all cores share$")
        self.assertRegex(text, r"(?m)^  computes .* computation$")
        self.assertRegex(text, r"(?m)^  waits .* synchronisation$")
        self.assertIn("synchronisation of libgomp", text)

    def test_csv_has_the_regions_and_the_total(self):
        file = self.write("d.json", description(READS, {**COMPUTES, "name": 'a "b", c'}))
        rows = list(csv.DictReader(io.StringIO(self.output(file, "--machine", self.machine, "--format",
                                                           "csv"))))
        self.assertEqual([row["region"] for row in rows], 2 * ["reads", 'a "b", c', "total"])
        self.assertAlmostEqual(float(rows[0]["memory_s"]), 0.8)
        self.assertAlmostEqual(float(rows[2]["total_s"]), 2 * (0.8 + 1e-6) + 2)

    def test_the_peak_may_be_given(self):
        self.machine = self.write("machine.json", machine_file(compute=[]))
        file = self.write("d.json", description(COMPUTES))
        self.assertIn("give --peak GFLOPS", self.refused(file, "--machine", self.machine))
        self.assertAlmostEqual(self.predictions(description(COMPUTES), "--peak", "4")[1]["total_s"], 1)

    def test_the_runtime_may_be_chosen(self):
        old = [{"construct": construct, "by": "libomp", "threads": 1, "ns": exactly(5000)}
               for construct in ("barrier", "parallel")]
        self.machine = self.write("machine.json", machine_file(synchronisation=old))
        document = description({"name": "waits", "constructs": {"single": 1}})
        self.assertAlmostEqual(self.predictions(document)[1]["total_s"], 5e-6)
        self.assertIn("what single costs with libgomp",
                      self.refused(self.write("d.json", document), "--machine", self.machine,
                                   "--runtime", "libgomp"))

    def test_a_preset_with_published_figures_can_be_asked(self):
        array = {"name": "a", "bytes": 1e9, "access": "triad"}
        file = self.write("d.json", description({"name": "r", "arrays": [array]}))
        text = self.output(file, "--machine", "granite-rapids-2s-snc3", "--threads", "8")
        self.assertIn("note: the machine's figures are of reading", text)

    def test_the_example_is_read(self):
        found = json.loads(self.output(EXAMPLE, "--machine", self.machine, "--format", "json"))
        self.assertEqual(len(found["predictions"][0]["regions"]), 6)


class Charts(ModelTest):
    def test_it_has_a_roof_for_each_class_and_a_spot_for_each_region(self):
        file = self.write("d.json", description({**READS, "measured": {"2": 2}}, COMPUTES,
                                                {**READS, "name": "a<b & c>d"}))
        chart = self.folder / "chart.svg"
        self.output(file, "--machine", self.machine, "-o", chart)
        root = xml.etree.ElementTree.parse(chart).getroot()
        texts = [text.text for text in root.iter(f"{SVG}text")]
        self.assertIn("own memory: 16 GB/s", texts)
        self.assertIn("distance 20: 10 GB/s", texts)
        self.assertIn("fma: 4 GFLOPS", texts)
        self.assertTrue(any(text.startswith("a<b & c>d: ") for text in texts), texts)
        self.assertFalse(any(text.startswith("computes") for text in texts), "it moves no bytes")
        spots = [circle for circle in root.iter(f"{SVG}circle") if circle.get("class") == "spot"]
        self.assertEqual(len(spots), 2)
        self.assertIn("measured", texts)
        self.assertIn("prefers-color-scheme:dark", chart.read_text())


class BadInput(ModelTest):
    def test_each_mistake_has_a_sentence(self):
        file = self.write("d.json", description(COMPUTES))
        with_machine = ("--machine", self.machine)
        self.assertIn("cannot read", self.refused(self.folder / "absent.json", *with_machine))
        self.assertIn("no valid JSON at line 1",
                      self.refused(self.write("broken.json", "{"), *with_machine))
        self.assertIn('must be "lares-model"', self.refused(self.machine, *with_machine))
        self.assertIn("lares measure --output FILE", self.refused(file))
        self.assertIn("has 2 cores", self.refused(file, *with_machine, "--threads", "3"))
        self.assertIn("--threads", self.refused(file, *with_machine, "--threads", "0"))
        self.assertIn("--measured has 1 values, but --threads has 2",
                      self.refused(file, *with_machine, "--measured", "1"))
        self.assertIn("--runtime", self.refused(file, *with_machine, "--runtime", "tbb"))
        self.assertIn("--peak", self.refused(file, *with_machine, "--peak", "0"))
        self.assertIn("cannot write", self.refused(file, *with_machine, "-o", "/no/such/x.svg"))
        self.assertIn("INPUT", self.refused(*with_machine))

    def test_a_folder_without_a_trace(self):
        self.refused(self.folder, "--machine", self.machine)


class TracesTest(ModelTest):
    def setUp(self):
        super().setUp()
        if GRAINS == "-":
            self.skipTest("no program to trace")

    def trace(self, *program, name="run.trace"):
        folder = self.folder / name
        subprocess.run([LARES, "run", "--quiet", "--domain", "l2", "--trace", folder, "--", *program],
                       env={**os.environ, "OMP_NUM_THREADS": "2"}, check=True, capture_output=True,
                       timeout=120)
        return folder

    def domains(self):
        topo = subprocess.run([LARES, "topo", "--domain", "l2", "--format", "json"], check=True,
                              capture_output=True, text=True)
        return len(json.loads(topo.stdout)["domains"])

    def measured_here(self):
        if self.domains() > 2:
            self.skipTest("the made-up machine has two domains")
        return self.machine

    def on_one_domain(self):
        """The made-up machine without its second domain."""
        one = machine_file()
        one["domains"] = one["domains"][:1]
        one["cores"] = [{"domain": 0, "cpus": [0]}]
        one["distances"] = {"matrix": [[10]]}
        one["measurements"]["pairs"] = [pair for pair in one["measurements"]["pairs"]
                                        if pair["from"] == pair["to"] == 0]
        return self.write("one.json", one)

    def on_another_level(self):
        return self.write("numa.json", machine_file() | {"domain_level": "numa"})


class Traces(TracesTest):
    def compiled(self, clause):
        compiler = next(filter(None, map(shutil.which, ("clang-19", "clang"))), None)
        if compiler is None:
            self.skipTest("only Clang's programs tell the lengths of array sections")
        source = self.folder / "tasks.c"
        source.write_text(
            "static double a[64][65536];\nint main(void) {\n#pragma omp parallel\n#pragma omp single\n"
            "  for (int k = 0; k < 3; ++k) for (int i = 0; i < 64; ++i) {\n    double* row = a[i];\n"
            f"#pragma omp task {clause}\n"
            "    for (int j = 0; j < 65536; ++j) row[j] += 1;\n  }\n  return a[3][3] != 3;\n}\n")
        program = self.folder / "tasks"
        subprocess.run([compiler, "-O1", "-g", "-fopenmp", source, "-o", program], check=True)
        return program

    def test_bytes_give_a_least_time(self):
        machine = self.measured_here()
        folder = self.trace(self.compiled("depend(inout : row[0:65536])"))
        found = json.loads(self.output(folder, "--machine", machine, "--format", "json"))
        row = found["constructs"][0]
        self.assertRegex(row["place"], r"tasks\.c:\d+")
        self.assertEqual(row["bytes"], 3 * 64 * 65536 * 8)
        self.assertGreater(row["measured_s"], 0)
        self.assertAlmostEqual(row["efficiency"], row["least_s"] / row["measured_s"])
        # 100 MB: with both domains at least 16 GB/s' time, with one and another's memory 5 GB/s'.
        self.assertGreater(row["least_s"], 3 * 64 * 65536 * 8 / 100e9 / 2)
        self.assertLess(row["least_s"], 3 * 64 * 65536 * 8 / 5e9 * 1.01)
        self.assertLessEqual(row["all_local_s"], row["measured_s"])
        self.assertIn(row["verdict"], ("memory-bound", "partly", "not-memory-bound"))
        rows = list(csv.DictReader(io.StringIO(self.output(folder, "--machine", machine, "--format",
                                                           "csv"))))
        self.assertEqual(float(rows[0]["bytes"]), row["bytes"])
        self.assertIn("memory-bound", self.output(folder, "--machine", machine))

    def test_a_trace_without_bytes_is_said_to_be_one(self):
        folder = self.trace(self.compiled("firstprivate(row)"))
        text = self.output(folder, "--machine", self.measured_here())
        self.assertIn("The trace has no bytes, so the model cannot say anything", text)
        self.assertIn("names no bytes", text)

    def test_options_of_descriptions_are_refused(self):
        folder = self.trace(GRAINS, "plain", "0", "10")
        self.assertIn("are for descriptions",
                      self.refused(folder, "--machine", self.measured_here(), "--threads", "2"))

    def test_another_machine_is_refused(self):
        folder = self.trace(GRAINS, "plain", "0", "10")
        self.assertIn("at level l2, but the machine", self.refused(folder, "--machine", self.on_another_level()))
        if self.domains() > 1:
            self.assertIn("with the same --domain", self.refused(folder, "--machine", self.on_one_domain()))


class Reports(TracesTest):
    command = "report"

    def traced_with_data(self, tasks="500", name="run.trace"):
        return self.trace(GRAINS, "depend", "5000", tasks, name=name)

    def judged(self, *words):
        """The model of each run, from JSON."""
        text = self.output(*words, "--machine", self.measured_here(), "--format", "json")
        return [run["model"] for run in json.loads(text)["runs"]]

    def rows(self, *words):
        return list(csv.DictReader(io.StringIO(self.output(*words, "--format", "csv"))))

    def test_json_has_what_lares_model_says(self):
        folder = self.traced_with_data()
        model = self.judged(folder)[0]
        self.assertEqual(model["machine"], "made up")
        self.assertEqual(model["notes"], [])
        self.command = "model"
        alone = json.loads(self.output(folder, "--machine", self.machine, "--format", "json"))
        self.assertEqual(model["constructs"], alone["constructs"])
        self.assertRegex(model["constructs"][0]["place"], r"grains\.c:\d+")
        self.assertGreater(model["constructs"][0]["least_s"], 0)

    def test_text_has_the_table_after_the_constructs(self):
        folder = self.traced_with_data()
        text = self.output(folder, "--machine", self.measured_here())
        head = "Model, on made up (least time of the bytes that constructs name)\n"
        self.assertRegex(text, rf"(?s)Constructs, .*\n\n{re.escape(head)}.*\n\nDomains")
        self.command = "model"
        alone = self.output(folder, "--machine", self.machine)
        table = [line for line in alone.splitlines() if line.startswith("  ")]
        self.assertGreaterEqual(len(table), 2)
        self.assertIn(head + "\n".join(table) + "\n", text)

    def test_csv_has_four_more_columns(self):
        folder = self.traced_with_data()
        row = self.rows(folder, "--machine", self.measured_here())[0]
        construct = self.judged(folder)[0]["constructs"][0]
        self.assertEqual(list(row)[-5:], ["critical_ns", "least_s", "efficiency", "all_local_s", "verdict"])
        for name in ("least_s", "efficiency", "all_local_s"):
            self.assertAlmostEqual(float(row[name]) / construct[name], 1)
        self.assertEqual(row["verdict"], construct["verdict"])

    def test_without_a_machine_nothing_is_said(self):
        folder = self.traced_with_data()
        other = self.traced_with_data(name="other")
        for more in ((), ("--compare", other)):
            self.assertNotIn("Model, on", self.output(folder, *more))
            self.assertEqual(list(self.rows(folder, *more)[0])[-1], "critical_ns")
            runs = json.loads(self.output(folder, *more, "--format", "json"))["runs"]
            self.assertEqual([run["model"] for run in runs], [None] * len(runs))

    def test_two_runs_are_compared(self):
        before = self.traced_with_data()
        after = self.traced_with_data("1500", name="after")
        text = self.output(before, "--compare", after, "--machine", self.measured_here())
        head = r"construct +measured before +after +least before +after +of it before +after +verdict"
        self.assertRegex(text, rf"(?s)\n\nModel, on made up .*\n  {head}\n  grains\.c:\d+ main ")
        models = [model["constructs"][0] for model in self.judged(before, "--compare", after)]
        self.assertAlmostEqual(models[1]["bytes"] / models[0]["bytes"], 3, places=2)
        least = [model["least_s"] for model in models]
        for model in models:
            # Which domain ran how many of the grains is chance: the slowest pair and twice the caches bound it.
            self.assertGreater(model["least_s"], model["bytes"] / 100e9 / 2)
            self.assertLess(model["least_s"], model["bytes"] / 5e9 * 1.01)
        self.assertEqual([float(row["least_s"]) for row in
                          self.rows(before, "--compare", after, "--machine", self.machine)],
                         [float(f"{each:.9g}") for each in least])

    def test_a_run_without_data_says_so(self):
        with_data, plain = self.traced_with_data(), self.trace(GRAINS, "plain", "0", "200", name="plain")
        machine = self.measured_here()
        nothing = "The trace has no bytes, so the model cannot say anything"
        text = self.output(plain, "--machine", machine)
        self.assertIn(nothing, text)
        self.assertIn("names no bytes", text)
        row = self.rows(plain, "--machine", machine)[0]
        self.assertEqual([row[name] for name in ("least_s", "efficiency", "all_local_s", "verdict")],
                         ["", "", "", "no-bytes"])
        text = self.output(with_data, "--compare", plain, "--machine", machine)
        self.assertIn("after: " + nothing, text)
        self.assertNotIn("before: " + nothing, text)

    def test_the_page_has_the_model(self):
        folder = self.traced_with_data()
        page = self.folder / "page.html"
        done = self.call(folder, "--machine", self.measured_here(), "-o", page)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        facts = json.loads(re.search(r'id="facts">(.*?)</script>', page.read_text()).group(1))
        model = facts["runs"][0]["model"]
        self.assertEqual(model["machine"], "made up")
        construct = self.judged(folder)[0]["constructs"][0]
        self.assertAlmostEqual(model["rows"][0]["least"] / construct["least_s"] / 1e9, 1)
        self.call(folder, "-o", page)
        facts = json.loads(re.search(r'id="facts">(.*?)</script>', page.read_text()).group(1))
        self.assertIsNone(facts["runs"][0]["model"])

    def test_names_of_machines_stay_text(self):
        evil = "</script><img src=x onerror=alert(1)>"
        machine = self.write("evil.json", machine_file() | {"name": evil})
        self.measured_here()
        folder = self.traced_with_data()
        self.assertIn(f"Model, on {evil} (", self.output(folder, "--machine", machine))
        page = self.folder / "page.html"
        self.call(folder, "--machine", machine, "-o", page)
        self.assertIn("\\u003c/script>\\u003cimg src=x", page.read_text())
        self.assertNotIn("<img", page.read_text())

    def test_a_machine_that_does_not_fit_is_refused(self):
        folder = self.traced_with_data()
        page = self.folder / "page.html"
        unmeasured = machine_file()
        del unmeasured["measurements"]
        for machine, sentence in ((self.write("bare.json", unmeasured), "nobody has measured"),
                                  (self.folder / "absent.json", "cannot read machine file"),
                                  (self.on_another_level(), f'"{folder}": the traced run had')):
            for words in ((), ("-o", page), ("--format", "json"), ("--compare", folder)):
                self.assertIn(sentence, self.refused(folder, "--machine", machine, *words))
        self.assertFalse(page.exists())
        if self.domains() > 1:
            self.assertIn("with the same --domain", self.refused(folder, "--machine", self.on_one_domain()))


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main()
