#!/usr/bin/env python3
"""Checks what `lares run --trace DIR --pages` and `lares report` say of who touches an array first: a program in
which one thread fills it, and its mended twin, in which each thread fills what it uses.

Usage: pages.py LARES PAGES    Example: tests/trace/pages.py build/release/lares build/release/tests/trace/pages-gcc

Exit status 77 where the system refuses to tell of page faults: skipped.
"""

import contextlib
import csv
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

LARES, PAGES = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
ARRAY = 32 * 256 * 1024
# Each thread has a domain for itself and runs its own tasks.
OPTIONS = ["--domain", "l2", "--policy", "push=local,steal=domains-only"]
SKIPPED = 77
REFUSE = pathlib.Path(__file__).resolve().parent.parent / "run" / "refuse.py"


def call(*words, **more):
    """Runs a command that must succeed."""
    done = subprocess.run([str(word) for word in words], env={**os.environ, "OMP_NUM_THREADS": "2"},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}: {words}\n{done.stdout}{done.stderr}")
    return done


class PagesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = pathlib.Path(self.folder.name) / "trace"

    def run_traced(self, kind, *options, **more):
        """Runs the program; the array's address."""
        done = call(LARES, "run", *OPTIONS, "--trace", self.trace, "--pages", *options, "--", PAGES, kind, **more)
        self.stderr = done.stderr
        return int(done.stdout.split()[0], 16)

    def report(self):
        text = call(LARES, "report", self.trace, "--format", "json").stdout
        return json.loads(text)["runs"][0]

    def of_array(self, run, address):
        """Bytes of the array by the thread that touched them first: local, shared, remote, not named."""
        found = {}
        for area in run["pages"]["areas"]:
            if area["end"] <= address or area["begin"] >= address + ARRAY:
                continue
            by = found.setdefault(area["touched_by"]["thread"], dict.fromkeys(area["bytes"], 0))
            for use, count in area["bytes"].items():
                by[use] += count
        return found


class Pages(PagesTest):
    def test_one_thread_touches_all_and_others_use_it(self):
        address = self.run_traced("serial")
        run = self.report()
        found = self.of_array(run, address)
        self.assertEqual(len(found), 1, found)
        by = next(iter(found.values()))
        self.assertAlmostEqual(sum(by.values()) / ARRAY, 1, delta=0.05)
        # The half that its own thread uses, and the other's.
        self.assertAlmostEqual(by["local"] / ARRAY, 0.5, delta=0.05)
        self.assertAlmostEqual(by["remote"] / ARRAY, 0.5, delta=0.05)
        self.assertEqual((run["pages"]["lost_touches"], run["pages"]["pages_over_limit"]), (0, 0))

    def test_its_mended_twin_is_at_home(self):
        address = self.run_traced("parallel")
        found = self.of_array(self.report(), address)
        self.assertEqual(len(found), 2, found)
        for by in found.values():
            self.assertAlmostEqual(by["local"] / ARRAY, 0.5, delta=0.05)
            self.assertLess(by["remote"] / ARRAY, 0.05)

    def unbound_share(self, run, address):
        """Of the array's pages: what threads came to while they were not bound."""
        areas = [area for area in run["pages"]["areas"]
                 if area["begin"] < address + ARRAY and address < area["end"]]
        return sum(area["unbound_bytes"] for area in areas) / ARRAY

    def test_threads_that_are_not_bound_are_marked(self):
        address = self.run_traced("parallel", "--bind", "none")
        run = self.report()
        self.assertAlmostEqual(self.unbound_share(run, address), 1, delta=0.05)
        pages = run["pages"]
        self.assertEqual(pages["unbound_bytes"], sum(pages["bytes"].values()))
        self.assertEqual(pages["unbound_bytes"], sum(each["unbound_bytes"] for each in pages["threads"]))

    def test_their_bound_twins_are_not(self):
        address = self.run_traced("parallel", "--bind", "spread")
        run = self.report()
        self.assertLess(self.unbound_share(run, address), 0.05)
        # What came before the region: code, libraries, stacks.
        self.assertGreater(run["pages"]["unbound_bytes"], 0)

    def test_pages_that_came_before_the_first_region_are_marked(self):
        address = self.run_traced("before", "--bind", "spread")
        self.assertAlmostEqual(self.unbound_share(self.report(), address), 1, delta=0.05)

    def test_people_are_shown_both(self):
        address = self.run_traced("serial", "--quiet")
        self.assertEqual(self.stderr, "")
        text = call(LARES, "report", self.trace).stdout
        self.assertIn("Pages, by the thread", text)
        line = next(line for line in text.splitlines() if re.match(rf"  {address & ~4095:#x} ", line))
        self.assertRegex(line, r"8\.0 MiB +4\.0 MiB +- +4\.0 MiB")
        mended = self.trace.with_name("mended")
        call(LARES, "run", *OPTIONS, "--trace", mended, "--pages", "--quiet", "--", PAGES, "parallel")
        line = next(line for line in call(LARES, "report", self.trace, "--compare", mended).stdout.splitlines()
                    if "remote, of pages' bytes" in line)
        before, after = (float(share) for share in re.findall(r"([\d.]+) %", line))
        self.assertGreater(before, 45)
        self.assertLess(after, 5)

    def test_an_unprivileged_user_sees_as_much(self):
        if os.geteuid() != 0:
            self.skipTest("this is no privileged user in the first place")
        os.chmod(self.folder.name, 0o777)
        address = self.run_traced("serial", user=65534, group=65534, extra_groups=[])
        run = self.report()
        self.assertAlmostEqual(sum(sum(by.values()) for by in self.of_array(run, address).values()) / ARRAY, 1,
                               delta=0.05)

    def test_a_trace_without_them_has_none(self):
        call(LARES, "run", *OPTIONS, "--trace", self.trace, "--", PAGES, "serial")
        self.assertIsNone(self.report()["pages"])
        self.assertFalse((self.trace / "touches").exists())
        self.assertNotIn("Pages, by", call(LARES, "report", self.trace).stdout)

    def test_its_limit_is_told(self):
        self.run_traced("serial", "--record-limit", "8K")
        self.assertEqual((self.trace / "touches").stat().st_size, 64)
        run = self.report()
        self.assertGreaterEqual(run["pages"]["pages_over_limit"], ARRAY // 4096)
        self.assertIn("--record-limit raises it", " ".join(run["notes"]))

    def test_a_database_has_every_touch(self):
        address = self.run_traced("serial")
        file = self.trace.with_name("touches.sqlite")
        call(LARES, "export", self.trace, "--to", "sqlite", "-o", file)
        with contextlib.closing(sqlite3.connect(file)) as database:
            rows = database.execute("SELECT DISTINCT thread FROM touches WHERE address + bytes > ? AND address < ?",
                                    (address, address + ARRAY)).fetchall()
            size, = database.execute("SELECT sum(bytes) FROM touches WHERE address + bytes > ? AND address < ?",
                                     (address, address + ARRAY)).fetchone()
        self.assertEqual(len(rows), 1)
        self.assertIsNotNone(rows[0][0])
        self.assertAlmostEqual(size / ARRAY, 1, delta=0.05)

    def test_areas_are_exported(self):
        address = self.run_traced("serial")
        text = call(LARES, "export", self.trace, "--to", "pages", "-o", "-").stdout
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        row = next(row for row in rows if int(row["begin"]) <= address < int(row["end"]))
        self.assertAlmostEqual(int(row["remote_bytes"]) / ARRAY, 0.5, delta=0.05)
        self.assertEqual(sum(int(row[f"{use}_bytes"]) for use in ("local", "shared", "remote", "not_named")),
                         int(row["bytes"]))
        areas = self.report()["pages"]["areas"]
        self.assertEqual([int(row["begin"]) for row in rows], [area["begin"] for area in areas])

    def test_a_damaged_file_is_told(self):
        self.run_traced("serial")
        file = self.trace / "touches"
        file.write_bytes(b"TOUCHES9" + file.read_bytes()[8:])
        run = self.report()
        self.assertIsNone(run["pages"])
        self.assertIn("another version of Lares", " ".join(run["notes"]))


class Refusals(PagesTest):
    """What happens where nothing can be noted."""

    def test_is_told_once_and_the_run_goes_on(self):
        done = call(sys.executable, REFUSE, "perf_event_open", LARES, "run", *OPTIONS, "--trace", self.trace, "--pages",
                    "--", PAGES, "serial")
        self.assertEqual(done.stderr.count("perf_event_open"), 1, done.stderr)
        self.assertIn("this trace has no pages", done.stderr)
        self.assertRegex(done.stdout, r"0x[0-9a-f]+ ")
        run = self.report()
        self.assertIsNone(run["pages"])
        self.assertEqual(run["all"]["grains"], 96)
        self.assertIn("perf_event_open", " ".join(run["notes"]))

    def test_without_a_trace_are_a_mistake(self):
        done = subprocess.run([LARES, "run", "--pages", "--", PAGES, "serial"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--trace", done.stderr)
        self.assertEqual(done.stdout, "")


def why_not():
    """The sentence by which the system refuses; "" if it does not."""
    with tempfile.TemporaryDirectory() as folder:
        done = call(LARES, "run", "--trace", f"{folder}/trace", "--pages", "--", "/bin/true")
        return done.stderr.strip()


def main():
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    refused = why_not()
    classes = [Refusals] if refused else [Refusals, Pages]
    done = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(unittest.TestSuite(map(load, classes)))
    if not done.wasSuccessful():
        return 1
    if refused:
        print(f"skipped: {refused}")
    return SKIPPED if refused else 0


if __name__ == "__main__":
    sys.exit(main())
