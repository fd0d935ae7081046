#!/usr/bin/env python3
"""The rows of docs/simulate.md on what opinions are worth are what bench/opinions.py finds: all of it is
seeded. One machine of four, as the others take minutes.

    opinions_test.py BUILD
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench" / "opinions.py"
BUILD = pathlib.Path(sys.argv.pop(1))
MACHINE = "opteron-4s-square"


def run(script, *words):
    return subprocess.run([sys.executable, script, "--build", BUILD, *words], capture_output=True,
                          text=True, check=False)


class Opinions(unittest.TestCase):
    def test_the_page_has_what_is_found(self):
        done = run(SCRIPT, "--machines", MACHINE, "--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(done.stdout.count(MACHINE), 8)

    def test_another_page_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("bench", "docs"):
                (root / name).mkdir()
            for name in ("harness.py", "opinions.py"):
                (root / "bench" / name).write_text((ROOT / "bench" / name).read_text())
            page = (ROOT / "docs" / "simulate.md").read_text()
            changed = re.sub(rf"(\| QR, names \| {MACHINE} \| )\d+", r"\g<1>77", page)
            self.assertNotEqual(changed, page)
            (root / "docs" / "simulate.md").write_text(changed)
            done = run(root / "bench" / "opinions.py", "--machines", MACHINE, "--check")
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("QR, names", done.stderr)


if __name__ == "__main__":
    unittest.main()
