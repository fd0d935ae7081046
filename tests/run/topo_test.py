#!/usr/bin/env python3
"""Tests of `lares topo`, `doctor` and `policies`, and of what every command has in common.

Usage: topo_test.py LARES FAKE_LIBRARY [CLASS...]
"""

import csv
import io
import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

MACHINES = pathlib.Path(__file__).resolve().parents[2] / "machines"
TWO_NODES = "synthetic:pack:2 [numa(memory=1GB)] l3:2 core:2 pu:2"


class CommandTest(unittest.TestCase):
    """Each test has a folder with the command and a library beside it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lares-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.lares = str(self.folder / "lares")
        shutil.copy(sys.argv[1], self.lares)
        shutil.copy(f"{sys.argv[1]}-study", self.folder)
        self.library = self.folder / "liblares-openmp.so"
        shutil.copy(sys.argv[2], self.library)
        self.env = {**os.environ, "TERM": "xterm"}
        self.env.pop("NO_COLOR", None)

    def call(self, *words, **options):
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([self.lares, *words], env=self.env, cwd=self.folder, timeout=120,
                              check=False, stderr=subprocess.PIPE, **options)

    def output(self, *words):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def refused(self, *words):
        """The one sentence on standard error of a call that must end with 2."""
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        text = done.stderr.decode()
        self.assertTrue(text.startswith("lares: ") and text.count("\n") == 1, text)
        return text[len("lares: "):-1]

    def on_terminal(self, *words):
        """What the command prints where standard output is a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([self.lares, *words], env=self.env, stdout=theirs)
        os.close(theirs)
        text = b""
        try:
            while block := os.read(ours, 65536):
                text += block
        except OSError:  # the terminal's other side is closed: the end
            pass
        os.close(ours)
        self.assertEqual(process.wait(timeout=120), 0)
        return text.decode()


class Common(CommandTest):
    def test_alone_it_prints_a_short_help(self):
        text = self.output()
        for name in ("run", "topo", "places", "distances", "measure", "bench", "policies", "doctor",
                     "lab", "report", "simulate", "stall", "export", "model"):
            self.assertRegex(text, rf"(?m)^  {name} ")
        self.assertLess(text.count("\n"), 27)

    def test_version(self):
        self.assertRegex(self.output("--version"), r"^lares \d+\.\d+\.\d+\n$")

    def test_every_command_has_help_with_an_example(self):
        for name in ("run", "topo", "places", "distances", "measure", "bench", "policies", "doctor",
                     "lab", "report", "simulate", "stall", "export", "model"):
            self.assertRegex(self.output(name, "--help"), r"(?s)Example.*lares ")

    def test_an_unknown_word_is_named_with_the_accepted_ones(self):
        self.assertEqual(self.refused("rnu"), 'unknown command "rnu", accepted are run, stall, '
                                              'topo, places, distances, measure, bench, policies, '
                                              'doctor, lab, report, export, model, '
                                              'simulate')
        self.assertEqual(self.refused("--frob"),
                         'unknown option "--frob", accepted are --help, --version')
        self.assertEqual(self.refused("topo", "--frob"),
                         'topo: unknown option "--frob", accepted options are --help, --machine, '
                         '--domain, --format')
        self.assertIn('unexpected argument "more"', self.refused("topo", "more"))
        self.assertIn("--format", self.refused("topo", "--format"))

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = self.call("topo", "--machine", TWO_NODES, stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write to standard output", done.stderr)


class Topo(CommandTest):
    def test_draws_tree_distances_and_memory(self):
        self.assertEqual(self.output("topo", "--machine", TWO_NODES, "--domain", "l3"), """\
synthetic:pack:2 [numa(memory=1GB)] l3:2 core:2 pu:2: 8 cores, 16 hardware threads, 2 memory \
nodes, 4 domains at level l3

machine
├─ package: cores 0-3 (cpus 0-7)
│  ├─ domain 0 l3 0: cores 0,1 (cpus 0-3), node 0, 953.7 MiB
│  └─ domain 1 l3 1: cores 2,3 (cpus 4-7), node 0, 953.7 MiB
└─ package: cores 4-7 (cpus 8-15)
   ├─ domain 2 l3 2: cores 4,5 (cpus 8-11), node 1, 953.7 MiB
   └─ domain 3 l3 3: cores 6,7 (cpus 12-15), node 1, 953.7 MiB

Distances between domains (10 = local, source: levels)
  from \\ to   0   1   2   3
          0  10  12  20  20
          1  12  10  20  20
          2  20  20  10  12
          3  20  20  12  10

Memory
  node      total     free  kind  cores  domain
     0  953.7 MiB  unknown  DRAM  yes         0
     1  953.7 MiB  unknown  DRAM  yes         2
""")

    def test_memory_without_cores_is_drawn_last(self):
        text = self.output("topo", "--machine", str(MACHINES / "cxl.json"))
        self.assertIn("└─ domain 2 numa 2: memory only, node 2, 128.0 GiB\n", text)

    def test_json_is_a_machine_file(self):
        for source in (TWO_NODES, str(MACHINES / "bull-bcs-16s.json")):
            first = self.output("topo", "--machine", source, "--format", "json")
            file = self.folder / "machine.json"
            file.write_text(first)
            self.assertEqual(self.output("topo", "--machine", str(file), "--format", "json"), first)
            self.assertEqual(json.loads(first)["format"], "lares-machine")

    def test_this_machine_has_the_cpus_of_this_process(self):
        machine = json.loads(self.output("topo", "--format", "json"))
        cpus = {cpu for core in machine["cores"] for cpu in core["cpus"]}
        self.assertEqual(cpus, os.sched_getaffinity(0))

    def test_taskset_is_respected(self):
        cpu = max(os.sched_getaffinity(0))
        done = self.call("topo", "--format", "csv",
                         preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        self.assertEqual([row["cpu"] for row in rows if row["cpu"]], [str(cpu)])

    def test_csv_has_a_line_for_each_cpu_and_for_memory_without_cores(self):
        text = self.output("topo", "--machine", str(MACHINES / "cxl.json"), "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(len(rows), 9)
        self.assertEqual(rows[0], {"domain": "0", "name": "numa 0", "node": "0", "core": "0",
                                   "memory_bytes": str(64 << 30), "cpu": "0"})
        self.assertEqual((rows[8]["domain"], rows[8]["core"]), ("2", ""))

    def test_figures_are_drawn_where_the_machine_has_some(self):
        text = self.output("topo", "--machine", str(MACHINES / "cxl.json"))
        self.assertIn("""
Latency between domains in ns
  from \\ to    0    1    2
          0   95  190  250
          1  190   95  345
          2    -    -    -

Bandwidth between domains in MB/s
""", text)
        self.assertNotIn("Latency", self.output("topo", "--machine", TWO_NODES))

    def test_every_example_can_be_drawn(self):
        examples = sorted(MACHINES.glob("*.json"))
        self.assertGreaterEqual(len(examples), 4)
        for example in examples:
            self.assertIn("Distances", self.output("topo", "--machine", str(example)))

    def test_colours_on_a_terminal_only(self):
        self.assertNotIn("\033", self.output("topo", "--machine", TWO_NODES))
        self.assertIn("\033[", self.on_terminal("topo", "--machine", TWO_NODES))
        self.env["NO_COLOR"] = "1"
        self.assertNotIn("\033", self.on_terminal("topo", "--machine", TWO_NODES))

    def test_bad_input_is_refused_in_one_sentence(self):
        self.assertEqual(self.refused("topo", "--domain", "l9"),
                         '--domain: unknown domain level "l9", accepted are numa, package, l3, l2, '
                         'group')
        self.assertEqual(self.refused("topo", "--format", "xml"),
                         '--format: unknown format "xml", accepted are text, json, csv')
        self.assertIn("has no level group, it has numa, package, l3",
                      self.refused("topo", "--machine", TWO_NODES, "--domain", "group"))
        self.assertIn("No such file", self.refused("topo", "--machine", "absent.json"))
        self.assertIn("not a description that hwloc understands",
                      self.refused("topo", "--machine", "synthetic:frob"))
        cxl = str(MACHINES / "cxl.json")
        self.assertEqual(self.refused("topo", "--machine", cxl, "--domain", "l3"),
                         f'machine file "{cxl}" has no level l3, it has numa')

    def test_broken_files_are_refused_by_name_and_field(self):
        file = self.folder / "machine.json"
        for text, part in (("", "neither a Lares machine file"),
                           ("{", "no valid JSON at line 1"),
                           ("{}", 'field "format" is missing'),
                           ("<topology", "not an XML file that hwloc understands"),
                           ('{"format": "lares-machine", "version": 7}', 'field "version"')):
            file.write_text(text)
            sentence = self.refused("topo", "--machine", str(file))
            self.assertIn(part, sentence)
            self.assertIn(str(file), sentence)


class Presets(CommandTest):
    """Machines that come with Lares, in the folder of an installation."""

    def setUp(self):
        super().setUp()
        self.installed = self.folder / "share" / "lares" / "machines"
        self.installed.mkdir(parents=True)
        for name in ("cxl.json", "sgi-uv2000-24s.json", "README.md"):
            shutil.copy(MACHINES / name, self.installed)

    def list(self):
        return json.loads(self.output("lab", "list", "--format", "json"))["presets"]

    def test_are_found_by_their_bare_name(self):
        by_name = self.output("topo", "--machine", "cxl", "--format", "csv")
        by_path = self.output("topo", "--machine", str(MACHINES / "cxl.json"), "--format", "csv")
        self.assertEqual(by_name, by_path)
        self.assertEqual(self.call("run", "--quiet", "--machine", "cxl", "--", "true").returncode, 0)

    def test_are_found_in_the_installation_of_the_command(self):
        (self.folder / "bin").mkdir()
        pathlib.Path(self.lares).rename(self.folder / "bin" / "lares")
        self.lares = str(self.folder / "bin" / "lares")
        self.assertEqual([row["preset"] for row in self.list()], ["cxl", "sgi-uv2000-24s"])

    def test_a_file_of_that_name_goes_first(self):
        shutil.copy(MACHINES / "opteron-4s-square.json", self.folder / "cxl")
        self.assertIn("quad Opteron", self.output("topo", "--machine", "cxl"))

    def test_an_unknown_name_is_answered_with_all_names(self):
        self.assertEqual(self.refused("topo", "--machine", "uv2000"),
                         '--machine: there is no file and no preset "uv2000", presets are cxl, '
                         'sgi-uv2000-24s')

    def test_are_listed_with_their_sources(self):
        cxl, uv2000 = self.list()
        self.assertEqual({**uv2000, "source": ""}, {
            "preset": "sgi-uv2000-24s", "machine": "SGI UV 2000, 24 sockets", "nodes": 24,
            "cpus": 192, "packages": 24, "memory_kinds": ["DRAM"], "grade": "published",
            "source": ""})
        self.assertIn("Virouleau", uv2000["source"])
        self.assertEqual(cxl["memory_kinds"], ["DRAM", "CXL"])

    def test_the_forms_of_the_list_hold_the_same(self):
        rows = list(csv.DictReader(io.StringIO(self.output("lab", "list", "--format", "csv"))))
        self.assertEqual([row["source"] for row in rows], [row["source"] for row in self.list()])
        text = self.output("lab", "list")
        for row in self.list():
            self.assertRegex(text, rf"(?m)^{row['preset']} +{row['nodes']} +{row['cpus']} ")
            self.assertIn(row["source"], " ".join(text.split()))

    def test_nothing_installed_is_told(self):
        shutil.rmtree(self.installed)
        self.assertIn("nothing is installed in", self.refused("lab", "list"))
        self.assertIn("presets are not installed", self.refused("topo", "--machine", "uv2000"))

    def test_a_broken_preset_is_named(self):
        (self.installed / "odd.json").write_text("{}")
        self.assertIn("odd.json", self.refused("lab", "list"))

    def test_the_lab_names_its_commands(self):
        self.assertRegex(self.output("lab"), r"(?m)^  list ")
        self.assertRegex(self.refused("lab", "lits"),
                         r'^lab: unknown command "lits", accepted are .*\blist\b')
        self.assertEqual(self.refused("lab", "list", "--frob"),
                         'lab list: unknown option "--frob", accepted options are --help, --format')


class Doctor(CommandTest):
    def report(self):
        done = self.call("doctor", "--format", "json")
        self.assertEqual(done.stderr, b"")
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if report["usable"] else 1)
        return report

    def test_looks_at_everything_that_matters(self):
        report = self.report()
        self.assertTrue(report["usable"])
        names = {check["name"] for check in report["checks"]}
        self.assertLessEqual({
            "hwloc", "topology", "domains", "sched_setaffinity", "set_mempolicy", "mbind",
            "move_pages", "membarrier", "next-touch", "cpus", "memory-nodes", "numa-balancing", "huge-pages",
            "memory-limits", "preload-library", "session-folder", "openmp-runtime"}, names)

    def test_what_does_not_work_comes_with_a_remedy(self):
        for check in self.report()["checks"]:
            self.assertIn(check["verdict"], ("ok", "note", "warning", "broken"))
            if check["verdict"] in ("warning", "broken"):
                self.assertTrue(check["remedy"], check)

    def test_a_missing_library_is_essential(self):
        self.library.unlink()
        report = self.report()
        self.assertFalse(report["usable"])
        broken = [check["name"] for check in report["checks"] if check["verdict"] == "broken"]
        self.assertEqual(broken, ["preload-library"])
        done = self.call("doctor")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"lares run cannot work here", done.stdout)

    def test_a_library_for_another_processor_is_essential(self):
        bytes_ = bytearray(self.library.read_bytes())
        bytes_[18] ^= 0x40  # e_machine in the ELF header
        self.library.write_bytes(bytes_)
        self.assertFalse(self.report()["usable"])

    def test_a_narrow_affinity_is_told(self):
        cpu = min(os.sched_getaffinity(0))
        done = self.call("doctor", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        online = pathlib.Path("/sys/devices/system/cpu/online").read_text().strip()
        expected = "ok +cpus +all cpus" if online == str(cpu) else f"note +cpus +only cpus {cpu} of"
        self.assertRegex(done.stdout.decode(), expected)


class Policies(CommandTest):
    def table(self):
        return json.loads(self.output("policies", "--format", "json"))

    def test_every_policy_of_the_papers_is_listed_with_its_source(self):
        table = self.table()
        papers = {entry["paper"] for group in ("distribution", "push", "steal")
                  for entry in table[group]}
        self.assertLessEqual({"cyclicnuma", "randnuma", "pLoc", "pLocNuma", "pNumaW", "pNumaWLoc",
                              "sRand", "sRandNuma", "sProcNuma", "sNumaProc", "sProc", "sNuma"},
                             papers)
        for group in ("distribution", "push", "steal", "preset", "bubbles"):
            for entry in table[group]:
                self.assertTrue(entry["source"] and entry["summary"], entry)

    def test_every_bubble_scheduler_is_listed(self):
        names = {entry["name"] for entry in self.table()["bubbles"]}
        self.assertEqual(names, {"cache", "memory", "spread", "gang"})

    def test_what_is_listed_is_accepted_and_what_is_excluded_is_refused(self):
        table = self.table()
        words = [entry["name"] for entry in table["preset"]]
        words += [f"distribution={entry['name']}" for entry in table["distribution"]]
        for word in words:
            self.output("run", "--quiet", "--policy", word, "--", "true")
        self.assertEqual(len(table["pairs"]), len(table["push"]) * len(table["steal"]))
        for pair in table["pairs"]:
            words = ("run", "--quiet", "--policy", f"push={pair['push']},steal={pair['steal']}",
                     "--", "true")
            if pair["fit"] == "excluded":
                self.assertIn(pair["push"], self.refused(*words))
            else:
                self.assertEqual(self.call(*words).returncode, 0)

    def test_text_has_one_line_each_that_line_up(self):
        table = self.table()
        lines = self.output("policies").splitlines()
        for group in ("distribution", "push", "steal", "preset", "bubbles"):
            columns = set()
            for entry in table[group]:
                found = [line for line in lines if line.startswith(f"  {entry['name']} ")
                         and entry["summary"] in line]
                self.assertEqual(len(found), 1, entry)
                columns.add(found[0].index(entry["summary"]))
            self.assertEqual(len(columns), 1, group)

    def test_csv_holds_the_same(self):
        table = self.table()
        rows = list(csv.DictReader(io.StringIO(self.output("policies", "--format", "csv"))))
        listed = {(row["group"], row["name"], row["summary"]) for row in rows}
        for group in ("distribution", "push", "steal", "preset", "bubbles"):
            for entry in table[group]:
                self.assertIn((group, entry["name"], entry["summary"]), listed)

    def test_an_unknown_format_is_named(self):
        self.assertRegex(self.refused("policies", "--format", "xml"), r'xml.*text.*json.*csv')


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)


if __name__ == "__main__":
    main()
