#!/usr/bin/env python3
"""Checks that every folder of src/ uses only the floors below it.

Usage: floors.py [SOURCE_ROOT]    Example: tests/house/floors.py src

Prints one line per broken rule, "FILE:LINE: sentence"; exit status 1 if there was any.
The rules are those of docs/architecture.md.
"""

import pathlib
import re
import sys

# Lowest first. A file may include its own floor and those on earlier lines; floors that share a
# line do not know each other.
FLOORS = [
    ["base"],
    ["machine"],
    ["policy"],
    ["decide"],
    ["memory"],
    ["runtime"],
    ["measure"],
    ["analysis", "simulate", "model"],
    ["trace"],
    ["host"],
    ["api"],
    ["bench", "lab"],
    ["cli"],
]
RANK = {name: rank for rank, names in enumerate(FLOORS) for name in names}

# What is built into the preloaded library: no hwloc, no streams, no command-line libraries.
PRELOADED = (
    "base/",
    "machine/machine.",
    "machine/compact.",
    "policy/",
    "decide/",
    "memory/",
    "runtime/",
    "host/openmp/",
)
# The lab boots guests and counts their accesses; it schedules nothing.
LAB_USES = {"base", "machine", "lab"}

NOT_PRELOADED = re.compile(r"hwloc|iostream|fstream|sstream|iomanip|regex|fmt/|nlohmann/|CLI/")
NOT_PRELOADED_OWN = re.compile(r"analysis/|machine/(?!machine\.hpp|compact\.hpp)")

# A policy, and what surrounds it, only decides: no clock, no thread, no system.
NOT_IN_POLICY = re.compile(
    r"^(thread|chrono|mutex|shared_mutex|condition_variable|future|ctime|time\.h|sys/.*|unistd\.h"
    r"|pthread\.h|sched\.h|linux/.*|base/clock\.hpp|random)$"
)

# What is inside the engine. A front end that could reach it would repeat the engine's protocols.
INSIDE_RUNTIME = re.compile(
    r"^runtime/(completion|deep_stack|dependences|deque|exclusion|execution|finding|placing"
    r"|priority_queue|shared_queue|task_pool|waiting|waking)\.hpp$"
)

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SUFFIXES = {".c", ".cpp", ".h", ".hpp"}


def findings_of_line(path: str, line: str) -> list[str]:
    """What is wrong with one line of the file `path` (relative to src/)."""
    floor = path.split("/")[0]
    found = []
    if floor == "policy" and re.search(r"\bthread_local\b", line.split("//")[0]):
        found.append("a policy keeps no thread_local state")
    match = INCLUDE.match(line)
    if not match:
        return found
    target = match.group(1)
    other = target.split("/")[0]
    if "/" in target and other in RANK and other != floor:
        if RANK[other] == RANK[floor]:
            found.append(f"{floor}/ and {other}/ share a floor and may not include each other")
        elif RANK[other] > RANK[floor]:
            found.append(f"{floor}/ may not include {other}/, which is a higher floor")
    if floor == "lab" and other in RANK and "/" in target and other not in LAB_USES:
        found.append(f"lab/ uses base/ and machine/ only, not {other}/")
    if RANK.get(floor, 0) > RANK["runtime"] and INSIDE_RUNTIME.match(target):
        found.append(f"'{target}' is inside the engine; use runtime/engine.hpp")
    if floor in ("policy", "decide") and NOT_IN_POLICY.match(target):
        found.append(f"{floor}/ only decides; it may not include <{target}>")
    if path.startswith(PRELOADED):
        if NOT_PRELOADED.search(target) or NOT_PRELOADED_OWN.match(target):
            found.append(f"'{target}' may not enter the preloaded library")
    return found


def check(root: pathlib.Path) -> tuple[list[str], int]:
    """All findings below `root`, and the number of files that were read."""
    findings, files = [], 0
    for path in sorted(p for p in root.rglob("*") if p.suffix in SUFFIXES):
        files += 1
        relative = path.relative_to(root).as_posix()
        if "/" in relative and relative.split("/")[0] not in RANK:
            findings.append(f"{relative}:1: folder '{relative.split('/')[0]}' is on no floor")
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            findings += [f"{relative}:{number}: {what}" for what in findings_of_line(relative, line)]
    return findings, files


def main() -> int:
    default = pathlib.Path(__file__).resolve().parents[2] / "src"
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    findings, files = check(root)
    for finding in findings:
        print(finding)
    if files == 0:
        print(f"{root}: no sources found")
    return 1 if findings or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
