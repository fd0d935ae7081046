#!/usr/bin/env python3
"""docs/papers.md is what `lares simulate --report` writes, byte for byte: all of it is seeded.

Usage: papers_test.py LARES
"""

import difflib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


class Page(unittest.TestCase):
    maxDiff = None

    def test_is_up_to_date(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "papers.md"
            shutil.copy(DOCS / "lab-policies.json", folder)
            subprocess.run([sys.argv[1], "simulate", "--report", str(page)], check=True)
            written, kept = page.read_text(), (DOCS / "papers.md").read_text()
        if written != kept:
            lines = difflib.unified_diff(kept.splitlines(), written.splitlines(), "docs/papers.md",
                                         "what it would be now", lineterm="", n=0)
            self.fail("run `lares simulate --report docs/papers.md` and look at what changed:\n" +
                      "\n".join(lines))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
