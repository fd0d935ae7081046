#!/usr/bin/env python3
"""Measures how soon a report's page opens in a headless Chromium, and how long a redraw takes.

Usage: report_page.py MAKE_PAGE [GRAINS [THREADS [REPEATS]]]
Example: bench/report_page.py build/release/tests/trace/trace_make_page 5000000

MAKE_PAGE is the program that writes pages of made-up runs (tests/trace/make_page.cpp). Prints medians
with the least and the greatest value of REPEATS (5) openings, each in a new browser: until the timeline
is drawn and can be worked with ("ready"), until every grain's details are there too ("complete"), both
from the navigation on; the longest of several redraws; and how long highlighting a construct takes.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "trace"))
import browser  # noqa: E402
from page import READY  # noqa: E402

ZOOMS = [1, 2, 5, 10, 30, 100, 300, 1_000, 10_000, 100_000]
ZOOM = """(({{view, setRange, drawNow}}) => (setRange(view.longest / 3,
  view.longest / 3 + view.longest / {part}), drawNow()))(laresReport)"""
HIGHLIGHT = """(() => { const began = performance.now(); laresReport.fitRange();
  laresReport.highlight("x", [1, -2]); laresReport.drawNow(); return performance.now() - began; })()"""


def measure(path: str, page: pathlib.Path) -> dict[str, float]:
    """One opening: milliseconds by what they are of."""
    with browser.Browser(path) as window:
        window.window(1440, 900)
        window.theme("light")
        window.open(page)
        timings = window.value(READY)
        redraws = [window.value(ZOOM.format(part=part)) for part in ZOOMS]
        return {"ready": timings["ready"], "complete": timings["complete"],
                "longest redraw": max(redraws), "median redraw": statistics.median(redraws),
                "first highlight": window.value(HIGHLIGHT)}


def main() -> int:
    path = browser.find()
    if len(sys.argv) < 2 or path is None:
        print(__doc__ if path else "report_page: no browser is installed", file=sys.stderr)
        return 2
    grains, threads, repeats = [int(sys.argv[i]) if i < len(sys.argv) else usual
                                for i, usual in ((2, 5_000_000), (3, 8), (4, 5))]
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        began = time.monotonic()
        subprocess.run([sys.argv[1], page, str(threads), str(grains // threads), "2"], check=True)
        print(f"{grains} grains of {threads} threads: {page.stat().st_size / 1e6:.1f} MB, "
              f"made and written in {time.monotonic() - began:.1f} s; "
              f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores")
        runs = [measure(path, page) for _ in range(repeats)]
    for what in runs[0]:
        values = [run[what] for run in runs]
        print(f"{what}: {statistics.median(values):.0f} ms ({min(values):.0f} to {max(values):.0f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
