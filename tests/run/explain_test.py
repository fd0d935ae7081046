#!/usr/bin/env python3
"""Tests of `lares run --explain`: what it says of constructs whose data is told in different ways.

Usage: explain_test.py LARES PROGRAM...
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LARES = sys.argv[1]
PROGRAMS = sys.argv[2:]
SOURCE = pathlib.Path(__file__).with_name("explain_program.c")
# As in the program: how often each construct makes so many tasks.
TASKS = 64 * 8


def environment(**more):
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("OMP_", "GOMP_", "KMP_", "LARES_"))}
    return kept | {"OMP_NUM_THREADS": "2"} | more


def run(program, *options, **more):
    return subprocess.run([LARES, "run", *options, "--", program], env=environment(**more),
                          capture_output=True, text=True, timeout=120, check=True)


def line_of(comment):
    """The program's line with that comment."""
    lines = SOURCE.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith("// " + comment))


def several_domains():
    done = subprocess.run([LARES, "topo", "--domain", "l2", "--format", "json"], env=environment(),
                          capture_output=True, text=True, timeout=60, check=True)
    return len(json.loads(done.stdout)["domains"]) > 1


class Explanation(unittest.TestCase):
    def constructs(self, program):
        """Line of the source -> the construct there."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "summary.json"
            run(program, "--domain", "l2", "--explain", "--summary", "json", str(file))
            data = json.loads(file.read_text())
        return {int(re.match(r"explain_program\.c:(\d+)", each["place"])[1]): each
                for each in data["constructs"]}

    def at(self, constructs, comment):
        """The construct at that line, or in the one behind it: GCC names the body's first call."""
        line = line_of(comment)
        found = [constructs[each] for each in (line, line + 1) if each in constructs]
        self.assertEqual(len(found), 1, (comment, line, sorted(constructs)))
        return found[0]

    def test_each_construct_has_its_line_and_its_tasks(self):
        for program in PROGRAMS:
            with self.subTest(program):
                constructs = self.constructs(program)
                self.assertEqual(len(constructs), 3)
                for comment in ("with depend", "by index", "taskloop"):
                    each = self.at(constructs, comment)
                    self.assertEqual(sum(each["located_by"].values()), each["tasks"])
                    # What a creator ran at once is not among them.
                    self.assertLessEqual(each["tasks"], TASKS)
                    self.assertGreater(each["tasks"], TASKS / 4)

    def test_each_construct_says_how_its_data_was_located(self):
        if not several_domains():
            self.skipTest("this machine has one L2 cache: no data is anywhere else")
        for program in PROGRAMS:
            with self.subTest(program):
                constructs = self.constructs(program)
                for comment, how in (("with depend", "data"), ("by index", "series"),
                                     ("taskloop", "taskloop")):
                    each = self.at(constructs, comment)
                    self.assertGreater(each["located_by"][how], 0.5 * each["tasks"], each)
                    self.assertGreater(each["at_home_later"], 0.3, each)

    def test_the_table_stands_behind_the_summary(self):
        done = run(PROGRAMS[0], "--domain", "l2", "--explain")
        lines = done.stderr.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("lares: construct "))
        self.assertEqual(len(lines) - head, 4, done.stderr)
        self.assertEqual(len({len(line) for line in lines[head:]}), 1, done.stderr)

    def test_nothing_is_said_unasked(self):
        done = run(PROGRAMS[0])
        self.assertNotIn("construct", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "summary.json"
            run(PROGRAMS[0], "--summary", "json", str(file))
            self.assertIsNone(json.loads(file.read_text())["constructs"])

    def test_a_program_without_names_has_addresses(self):
        with tempfile.TemporaryDirectory() as folder:
            bare = pathlib.Path(folder) / "bare"
            subprocess.run(["strip", "-o", str(bare), PROGRAMS[0]], check=True)
            done = run(str(bare), "--domain", "l2", "--explain")
            self.assertEqual(len(re.findall(r"^lares: bare\+0x[0-9a-f]+ ", done.stderr, re.M)), 3,
                             done.stderr)


if __name__ == "__main__":
    if not PROGRAMS:
        print("skipped: neither GCC nor Clang was found to build the programs")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
