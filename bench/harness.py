"""What the benchmark scripts share: running programs side by side, statistics, tables, progress.

Every script compares interleaved runs of the same programs, because machines drift: a round runs
each configuration once, in a random order, and ratios are taken within a round.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT_BUILD = ROOT / "build" / "release"
RUNTIME_PREFIXES = ("OMP_", "GOMP_", "KMP_", "LARES_", "OPENBLAS_", "GOTO_", "TBB_", "LD_PRELOAD")
MISTAKE = 2


class Mistake(Exception):
    """A mistake of the user, as one sentence."""


class ProgramFailed(Exception):
    """A program that crashed, hung or computed something wrong, as one sentence."""

    def __init__(self, sentence, output=""):
        super().__init__(sentence)
        self.output = output


class Parser(argparse.ArgumentParser):
    """Says a mistake in one sentence, as the command `lares` does."""

    def error(self, message):
        self.exit(MISTAKE, f"{self.prog}: {message}\n")


def whole_numbers(text):
    """The value of an option that takes a comma list of positive whole numbers."""
    try:
        values = [int(word) for word in text.split(",")]
    except ValueError:
        values = []
    if not values or min(values) < 1:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a comma list of whole numbers from 1 up, such as 1,2,4")
    return values


def positive(text):
    """The value of an option that takes one positive whole number."""
    values = whole_numbers(text)
    if len(values) != 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not one whole number from 1 up")
    return values[0]


def common_options(parser, rounds):
    """The options that every comparison has."""
    parser.add_argument("--build", type=pathlib.Path, default=DEFAULT_BUILD, metavar="DIR",
                        help="build folder with lares and the programs (default: build/release)")
    parser.add_argument("--lares", type=pathlib.Path, metavar="FILE",
                        help="the command lares (default: in the build folder)")
    parser.add_argument("--stock-only", action="store_true", help="leave Lares out")
    parser.add_argument("--rounds", type=positive, default=rounds, metavar="N",
                        help=f"how often each configuration runs (default: {rounds})")
    parser.add_argument("--bind-stock", action="store_true",
                        help="bind stock runs to cores, as Lares does; "
                             "default: not bound, as users have it who say nothing")
    parser.add_argument("--timeout", type=positive, default=120, metavar="S",
                        help="seconds after which a run counts as hung (default: 120)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="also write every single measurement to FILE")
    parser.add_argument("--seed", type=positive, default=1, metavar="N",
                        help="seed of the order of runs (default: 1)")


def lares_command(options):
    """The command lares as the options name it, or None if it is left out."""
    if options.stock_only:
        return None
    path = options.lares or options.build / "lares"
    if not os.access(path, os.X_OK) or path.is_dir():
        raise Mistake(f"no command lares at {path}: build it with scripts/build release, "
                      "name it with --lares FILE, or leave it out with --stock-only")
    return path.resolve()


def program(folder, name):
    """The path of a built program."""
    path = folder / name
    if not os.access(path, os.X_OK):
        raise Mistake(f"no program {path}: build it with scripts/build release or name its build folder "
                      "with --build DIR")
    return path.resolve()


def clean_environment(**settings):
    """The user's environment without settings of parallel runtimes, and with `settings`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(RUNTIME_PREFIXES)}
    return kept | {k: str(v) for k, v in settings.items()}


def stock_binding(options):
    """The environment that binds stock runs, if that is asked for."""
    return {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"} if options.bind_stock else {}


def under_lares(lares, *arguments):
    """The words that go before a program to run it under Lares."""
    return [str(lares), "run", *map(str, arguments), "--"]


def shown(command):
    """A command as a user would type it."""
    return " ".join(str(word) for word in command)


def run(command, environment, timeout, folder=None):
    """Standard output of a command that must end well within `timeout` seconds, in this folder or the
    script's own."""
    words = [str(word) for word in command]
    process = subprocess.Popen(words, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace", start_new_session=True)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        output, errors = end_group(process)
        raise ProgramFailed(f"did not end within {timeout} s: {shown(words)}",
                            output + errors) from None
    except BaseException:
        end_group(process)
        raise
    if process.returncode != 0:
        last = (errors.strip() or output.strip()).splitlines()[-1:]
        raise ProgramFailed(f"ended with status {process.returncode}: {shown(words)}"
                            + (f" ({last[0]})" if last else ""), output + errors)
    return output


def end_group(process):
    """Ends a program and what it started, which has a session of its own. Answers its output."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    return process.communicate()


def fields(line):
    """The key=value words of a line, as text."""
    return dict(word.split("=", 1) for word in line.split() if "=" in word)


class SummaryFile:
    """A temporary file for the summary of one run: `with SummaryFile() as f: ... f.read()`."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lares-bench-")
        self.path = pathlib.Path(self._folder.name) / "summary.json"
        self.arguments = ["--quiet", "--summary", "json", self.path]
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def read(self):
        """The summary, or None if the run left none."""
        try:
            return json.loads(self.path.read_text())
        except (OSError, ValueError):
            return None


class Spread:
    """The median of some samples, and how far they lie apart."""

    def __init__(self, samples):
        ordered = sorted(samples)
        self.median = statistics.median(ordered)
        self.least, self.most = ordered[0], ordered[-1]
        self.count = len(ordered)

    def as_json(self):
        return {"median": self.median, "min": self.least, "max": self.most, "runs": self.count}

    def text(self, form):
        """'median [min..max]' with numbers written by `form`."""
        return f"{form(self.median)} [{form(self.least)}..{form(self.most)}]"


def paired_ratio(over, under):
    """The spread of over/under, round by round. Both map rounds to values; None without pairs."""
    ratios = [over[r] / under[r] for r in over if r in under and under[r] > 0]
    return Spread(ratios) if ratios else None


def three_digits(value):
    """A number with about three digits that mean something."""
    if value == 0 or not math.isfinite(value):
        return str(value)
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(decimals, 3)}f}"


def two_decimals(value):
    return f"{value:.2f}"


def percent(share):
    return "-" if share is None else f"{100 * share:.0f}%"


class Table:
    """Rows of text cells; the first column is aligned left, the others right."""

    def __init__(self, header):
        self.header = list(header)
        self.rows = []

    def add(self, *cells):
        self.rows.append([str(cell) for cell in cells])

    def text(self, indent=""):
        everything = [self.header, *self.rows]
        widths = [max(len(row[k]) for row in everything) for k in range(len(self.header))]
        return "\n".join(indent + "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in everything)

    def markdown(self):
        rule = ["---"] + ["--:"] * (len(self.header) - 1)
        return "\n".join("| " + " | ".join(row) + " |" for row in [self.header, rule, *self.rows])


class Progress:
    """One line on a terminal that says how far a comparison is; nothing anywhere else."""

    def __init__(self, total):
        self._total, self._done = total, 0
        self._start = time.monotonic()
        self._shown = sys.stderr.isatty()

    def step(self, what):
        """`what` is about to run."""
        if self._shown:
            left = ""
            if self._done:
                seconds = (time.monotonic() - self._start) / self._done * (self._total - self._done)
                left = f", {seconds:.0f} s left"
            line = f"[{self._done + 1}/{self._total}{left}] {what}"
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r" + line[:width].ljust(width))
            sys.stderr.flush()
        self._done += 1

    def end(self):
        if self._shown:
            sys.stderr.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            sys.stderr.flush()


def interleaved(configurations, rounds, seed):
    """Pairs (round, configuration): every round has each once, in an order of its own."""
    order = random.Random(seed)
    for number in range(rounds):
        yield from ((number, each) for each in order.sample(configurations, len(configurations)))


def first_line(path, key=""):
    """The first line of a file that starts with `key`, without it; empty if there is none."""
    try:
        for line in pathlib.Path(path).read_text().splitlines():
            if line.startswith(key):
                return line[len(key):].strip(" \t:")
    except OSError:
        pass
    return ""


def l2_bytes():
    """Bytes of the L2 cache of the first core; 1 MiB if the kernel does not tell."""
    for index in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        if first_line(index / "level") == "2":
            size = first_line(index / "size")
            if size.endswith("K") and size[:-1].isdigit():
                return int(size[:-1]) * 1024
    return 1 << 20


def first_output_line(*command):
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return output.splitlines()[0] if output else "unknown"


def provenance():
    """Where and when figures were measured."""
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": first_line("/proc/cpuinfo", "model name") or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "l2_bytes": l2_bytes(),
        "kernel": platform.release(),
        "load": os.getloadavg()[0],
        "commit": first_output_line("git", "-C", str(ROOT), "describe", "--always", "--dirty"),
    }


def provenance_line(where):
    return (f"{where['date']}, {where['cpu']}, {where['cores']} cores, "
            f"L2 {where['l2_bytes'] // 1024} KiB, Linux {where['kernel']}, "
            f"load at the start {where['load']:.1f}, commit {where['commit']}")


def write_json(path, document):
    try:
        path.write_text(json.dumps(document, indent=1) + "\n")
    except OSError as error:
        raise Mistake(f"cannot write {path}: {error.strerror}") from None


def replace_marked(path, name, text):
    """Puts `text` between the lines '<!-- name -->' and '<!-- /name -->' of a file."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    try:
        old = path.read_text()
    except OSError as error:
        raise Mistake(f"cannot read {path}: {error.strerror}") from None
    if begin not in old or end not in old.split(begin, 1)[1]:
        raise Mistake(f"{path} has no lines '{begin}' and '{end}' to write between")
    head, rest = old.split(begin, 1)
    tail = rest.split(end, 1)[1]
    path.write_text(f"{head}{begin}\n{text}\n{end}{tail}")


def main(name, body):
    """Runs a script's body and turns what ends it early into one sentence and a status."""
    try:
        status = body()
        sys.stdout.flush()
    except Mistake as mistake:
        print(f"{name}: {mistake}", file=sys.stderr)
        status = MISTAKE
    except ProgramFailed as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 1
    sys.exit(status)
