"""What the scripts about the lab share: running a program in a guest, and reading its counts."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import harness


class GuestRun:
    """One `lares lab run`: what the program printed, how long it took, and the counts by region."""

    def __init__(self, output, seconds, counts, errors):
        self.output, self.seconds, self.counts, self.errors = output, seconds, counts, errors

    def region(self, name):
        """The counts of one region."""
        for region in (self.counts or {}).get("regions", []):
            if region["name"] == name:
                return region
        raise harness.ProgramFailed(f"the counts have no region '{name}'")


def run_guest(lares, guest, words, count=False, environment=None, timeout=600):
    """Runs `words` in a guest that the options `guest` describe."""
    with tempfile.TemporaryDirectory(prefix="lares-bench-") as folder:
        file = pathlib.Path(folder) / "counts.json"
        command = [str(lares), "lab", "run", *map(str, guest)]
        if count:
            command += ["--count", "--json", str(file)]
        command += ["--", *map(str, words)]
        start = time.monotonic()
        try:
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", timeout=timeout)
        except subprocess.TimeoutExpired:
            raise harness.ProgramFailed(
                f"did not end within {timeout} s: {harness.shown(command)}") from None
        seconds = time.monotonic() - start
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise harness.ProgramFailed(
                f"ended with status {done.returncode}: {harness.shown(command)} "
                f"({last[0] if last else 'no output'})", done.stdout + done.stderr)
        counts = json.loads(file.read_text()) if count else None
        return GuestRun(done.stdout, seconds, counts, done.stderr)


class Expectation:
    """A cell that a validation program says its counts must have (tests/lab/programs/numa.h)."""

    def __init__(self, words):
        self.region, self.kind = words[0], words[1]
        self.row, self.column, self.lines = int(words[2]), int(words[3]), int(words[4])

    def counted(self, run):
        return run.region(self.region)[self.kind][self.row][self.column]

    def error(self, run):
        """How far the count is from what was to be, as a share of that."""
        return self.counted(run) / self.lines - 1


def expectations(run):
    return [Expectation(line.split()[1:]) for line in run.output.splitlines()
            if line.startswith("expect ")]


def elsewhere(run, region, expected):
    """The share of the region's lines that no expectation is about, of the kinds expected."""
    named = {(e.kind, e.row, e.column) for e in expected}
    other = total = 0
    for kind in {e.kind for e in expected}:
        for i, row in enumerate(run.region(region)[kind]):
            for j, cell in enumerate(row):
                total += cell
                other += 0 if (kind, i, j) in named else cell
    return other / total if total else 1.0


def lines_of(region, kinds):
    """The sum of some kinds' matrices."""
    return [[sum(cells) for cells in zip(*rows)] for rows in zip(*(region[kind] for kind in kinds))]


def fetched(region):
    """The matrix of lines fetched, for loads and for stores."""
    return lines_of(region, ["read", "written"])


def met(region):
    """The matrix of lines fetched from memory or from another cache."""
    return lines_of(region, ["read", "written", "transfer"])


def remote(matrix):
    return sum(cell for i, row in enumerate(matrix) for j, cell in enumerate(row) if i != j)


def retries(run):
    """How often the lab said that it started the guest again."""
    return len(re.findall(r"again", run.errors))


def lab_options(parser, nodes):
    parser.add_argument("--build", type=pathlib.Path, default=harness.DEFAULT_BUILD, metavar="DIR",
                        help="build folder with lares and the programs (default: build/release)")
    parser.add_argument("--nodes", type=harness.positive, default=nodes, metavar="N",
                        help=f"nodes of the guest (default: {nodes})")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="also write every single count to FILE")


def say(text):
    print(text, file=sys.stderr)
