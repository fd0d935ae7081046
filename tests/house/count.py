#!/usr/bin/env python3
"""Counts what ctest did, from the report that `ctest --output-junit` wrote.

Usage: count.py REPORT [--cases FILE]    Example: tests/house/count.py build/release/tests.xml

Prints "passed N" and then one line per other test: "failed 1 NAME" or "skipped 1 NAME". A test that
said itself that it skips, or that is disabled, is skipped; one that could not be started has failed.
No report, or one without a test, is a failure too.

A test that is a script of Python's unittest counts as the methods that it ran, and those of them that
said that they skip are skipped. This is read from its output, so ctest must not cut that off
(--test-output-size-passed).

With --cases the names of what passed or failed are added to FILE, one a line: the same case has the same
name in every build, so that those who add up several builds can count each once.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def verdict(case: ElementTree.Element) -> str:
    """What became of one test of ctest's."""
    status = case.get("status")
    if status == "run":
        return "passed"
    if status == "disabled":
        return "skipped"
    reason = case.find("skipped")
    if status == "notrun" and reason is not None and "SKIP_" in reason.get("message", ""):
        return "skipped"
    return "failed"


def skipped_methods(output: str, how_many: int) -> list[str]:
    """The names of the methods that skipped, as far as unittest told them (verbosity 2)."""
    named = re.findall(r"^(\w+) \(\S+\)(?:\n[^\n]*)? \.\.\. skipped (.*)$", output, re.MULTILINE)
    lines = [f"{name}: {reason}" for name, reason in named][:how_many]
    return lines + ["a case that is not named"] * (how_many - len(lines))


def methods(case: ElementTree.Element) -> tuple[int, list[str]] | None:
    """How many methods a test of unittest ran, and which of them skipped; None for other tests."""
    output = case.findtext("system-out") or ""
    ran = re.findall(r"^Ran (\d+) tests? in ", output, re.MULTILINE)
    if not ran:
        return None
    skips = re.findall(r"^(?:OK|FAILED) \(.*?skipped=(\d+).*\)$", output, re.MULTILINE)
    return int(ran[-1]), skipped_methods(output, int(skips[-1]) if skips else 0)


def common_name(name: str) -> str:
    """The same in every build: GoogleTest shows parameters byte by byte, with what lies between."""
    return re.sub(r"\d+-byte object <.*>", "", name)


def read(report: pathlib.Path) -> list[tuple[str, str]]:
    """Verdicts and names of all cases in a report."""
    found = []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        what, name = verdict(case), case.get("name")
        inside = methods(case) if what == "passed" else None
        if inside is None:
            found.append((what, name))
            continue
        ran, skipped = inside
        found += [("passed", f"{name} {i}") for i in range(1, ran - len(skipped) + 1)]
        found += [("skipped", f"{name} {text}") for text in skipped]
    return found


def count(report: pathlib.Path, cases: pathlib.Path | None = None) -> list[str]:
    """The lines to print for a report."""
    try:
        found = read(report)
    except (OSError, ElementTree.ParseError) as error:
        return ["passed 0", f"failed 1 no report of the tests ({error})"]
    if not found:
        return ["passed 0", "failed 1 no test was found"]
    if cases is not None:
        # Parameters that are shown alike are numbered, in the order in which they come.
        seen: dict[str, int] = {}
        with cases.open("a", encoding="utf-8") as file:
            for what, name in found:
                common = common_name(name)
                seen[common] = seen.get(common, 0) + 1
                if what != "skipped":
                    file.write(f"{common} #{seen[common]}\n")
    lines = [f"passed {sum(what == 'passed' for what, _ in found)}"]
    return lines + [f"{what} 1 {name}" for what, name in found if what != "passed"]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--cases"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    NAMES = pathlib.Path(sys.argv[3]) if len(sys.argv) == 4 else None
    print("\n".join(count(pathlib.Path(sys.argv[1]), NAMES)))
