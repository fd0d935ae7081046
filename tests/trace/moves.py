#!/usr/bin/env python3
"""Checks what `lares run --trace DIR` notes of memory that moves, and what `lares report` and `lares export` say of it.

Usage: moves.py LARES MOVES    Example: tests/trace/moves.py build/release/lares build/release/tests/trace/moves-gcc

Exit status 77 where the system lets nobody mark memory: skipped.
"""

import contextlib
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

LARES, MOVES = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
HALF = 1 << 20
CHUNK = 256 * 1024
OPTIONS = ["--domain", "l2", "--policy", "push=local,steal=domains-only"]
SKIPPED = 77


def call(*words, may_fail=()):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode != 0 and done.returncode not in may_fail:
        raise AssertionError(f"status {done.returncode}: {words}\n{done.stdout}{done.stderr}")
    return done


class Moves(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.trace = pathlib.Path(self.folder.name) / "trace"

    def run_traced(self, kind, *options):
        """Runs the program; the array's address."""
        done = call(LARES, "run", *OPTIONS, "--quiet", "--trace", self.trace, *options, "--", MOVES, kind,
                    may_fail=[SKIPPED])
        if done.returncode == SKIPPED:
            print(done.stderr, file=sys.stderr)
            sys.exit(SKIPPED)
        self.assertEqual(done.stderr, "")
        return int(done.stdout.split()[0], 16)

    def report(self):
        return json.loads(call(LARES, "report", self.trace, "--format", "json").stdout)["runs"][0]

    def test_a_mark_and_its_touches(self):
        address = self.run_traced("touch")
        run = self.report()
        moves = run["moves"]
        self.assertEqual((moves["marks"]["times"], moves["marks"]["bytes"]), (1, 2 * HALF))
        self.assertEqual((moves["fetches"]["times"], moves["fetches"]["bytes"]), (2 * HALF // CHUNK, 2 * HALF))
        self.assertGreater(moves["fetches"]["time_ns"], 0)
        self.assertEqual(moves["calls"]["times"], 0)
        domains = len(run["domains"])
        if domains == 2:
            self.assertEqual([each["bytes"] for each in moves["fetches_into_domain"]], [HALF, HALF])
        text = call(LARES, "report", self.trace).stdout
        self.assertIn("Memory that moved", text)
        self.assertRegex(text, r"marked for the next touch +1 +2\.0 MiB")
        self.assertRegex(text, rf"fetched at a touch +{2 * HALF // CHUNK} +2\.0 MiB")
        # Each half by the thread that uses it.
        file = self.trace.with_name("moves.sqlite")
        call(LARES, "export", self.trace, "--to", "sqlite", "-o", file)
        with contextlib.closing(sqlite3.connect(file)) as database:
            rows = database.execute("SELECT thread, min(address), sum(bytes) FROM moves WHERE kind = 'fetch' "
                                    "GROUP BY thread ORDER BY 2").fetchall()
            inside, = database.execute(
                "SELECT count(*) FROM moves JOIN grains USING (thread) WHERE kind = 'fetch' AND at_ns >= begin_ns "
                "AND at_ns + took_ns <= end_ns").fetchone()
        self.assertEqual([row[1:] for row in rows], [(address, HALF), (address + HALF, HALF)])
        self.assertEqual(len({row[0] for row in rows} - {None}), 2)
        self.assertGreaterEqual(inside, 2 * HALF // CHUNK - 2)

    def test_calls(self):
        self.run_traced("call")
        moves = self.report()["moves"]
        self.assertEqual((moves["calls"]["times"], moves["calls"]["bytes"]), (2, 2 * HALF))
        self.assertEqual((moves["marks"]["times"], moves["fetches"]["times"]), (0, 0))
        self.assertRegex(call(LARES, "report", self.trace).stdout, r"moved by a call +2 +2\.0 MiB")

    def test_where_nothing_moves_nothing_is_said(self):
        self.run_traced("none")
        self.assertFalse((self.trace / "moves").exists())
        self.assertIsNone(self.report()["moves"])
        self.assertNotIn("Memory that moved", call(LARES, "report", self.trace).stdout)

    def test_the_file_is_as_long_as_what_it_has(self):
        self.run_traced("touch")
        self.assertEqual((self.trace / "moves").stat().st_size, 64 * (2 + 2 * HALF // CHUNK))

    def test_its_limit_is_told(self):
        self.run_traced("touch", "--record-limit", "4K")
        run = self.report()
        self.assertEqual(run["moves"]["over_limit"], 2 * HALF // CHUNK + 1 - 3)
        self.assertIn("6 marks and moves of memory are missing", " ".join(run["notes"]))

    def test_a_damaged_file_is_told(self):
        self.run_traced("touch")
        (self.trace / "moves").write_bytes(b"nothing of this kind" * 10)
        run = self.report()
        self.assertIsNone(run["moves"])
        self.assertRegex(" ".join(run["notes"]), re.escape("which memory moved is not known: of the file moves, "))

    def test_a_file_that_nobody_shortened_is_read(self):
        self.run_traced("touch")
        with (self.trace / "moves").open("ab") as file:
            file.write(bytes(1 << 16))
        self.assertEqual(self.report()["moves"]["fetches"]["bytes"], 2 * HALF)


if __name__ == "__main__":
    unittest.main(argv=["moves.py"])
