#!/usr/bin/env python3
"""Tests of the demonstration, bench/demo.py, on a small matrix: it is what a new user runs first.

Usage: demo_test.py BUILD
"""

import csv
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
DEMO = pathlib.Path(__file__).resolve().parents[2] / "bench" / "demo.py"
SMALL = ["--rounds", "1", "--size", "512", "--tile", "64", "--repeats", "1", "--threads", "2"]


def demo(*options):
    return subprocess.run([sys.executable, DEMO, "--build", BUILD, *SMALL, *options],
                          capture_output=True, text=True, timeout=280, check=False)


class Demonstration(unittest.TestCase):
    def test_it_shows_each_program_stock_and_under_lares(self):
        done = demo("--no-lab")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in ("gcc, stock", "gcc, Lares", "clang, stock", "clang, Lares"):
            self.assertRegex(done.stdout, rf"(?m)^{row} ")
        self.assertIn("all results are right", done.stdout)
        self.assertIn("at home", done.stdout)

    def test_its_numbers_come_for_programs(self):
        done = demo("--no-lab", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertGreater(row["seconds"]["median"], 0)
            self.assertLess(row["residual"], 1e-12)
        done = demo("--no-lab", "--format", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = list(csv.reader(done.stdout.splitlines()))
        self.assertEqual({len(line) for line in lines}, {len(lines[0])}, done.stdout)

    @unittest.skipUnless(shutil.which("qemu-system-x86_64"), "no qemu-system-x86_64")
    def test_it_counts_on_four_nodes(self):
        done = demo()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"Lines from other nodes: [\d,]+ stock, [\d,]+ under Lares")


if __name__ == "__main__":
    missing = [name for name in ("cholesky-gcc", "cholesky-clang")
               if not (BUILD / "examples" / name).exists()]
    if missing:
        print(f"skipped: not built: {', '.join(missing)}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
