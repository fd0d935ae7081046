#!/usr/bin/env python3
"""Counts what ctest did, from the report that `ctest --output-junit` wrote.

Usage: count.py REPORT    Example: tests/house/count.py build/release/tests.xml

Prints "passed N" and then one line per other test: "failed 1 NAME" or "skipped 1 NAME". A test that
said itself that it skips, or that is disabled, is skipped; one that could not be started has failed.
No report, or one without a test, is a failure too.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def verdict(case: ElementTree.Element) -> str:
    """What became of one test case."""
    status = case.get("status")
    if status == "run":
        return "passed"
    if status == "disabled":
        return "skipped"
    reason = case.find("skipped")
    if status == "notrun" and reason is not None and "SKIP_" in reason.get("message", ""):
        return "skipped"
    return "failed"


def count(report: pathlib.Path) -> list[str]:
    """The lines to print for a report."""
    try:
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        return ["passed 0", f"failed 1 no report of the tests ({error})"]
    if not cases:
        return ["passed 0", "failed 1 no test was found"]
    verdicts = [(verdict(case), case.get("name")) for case in cases]
    lines = [f"passed {sum(what == 'passed' for what, _ in verdicts)}"]
    return lines + [f"{what} 1 {name}" for what, name in verdicts if what != "passed"]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    print("\n".join(count(pathlib.Path(sys.argv[1]))))
