#!/usr/bin/env python3
"""Runs random task programs under Lares for minutes; a hang, a crash or a wrong result fails.

Programs, policies, domain levels, thread counts, wait policies and the load beside them are drawn
at random from a seed. Every program checks its own result.
"""

import json
import os
import random
import subprocess
import sys
import time

import harness

FAMILIES = ("gcc", "clang")
OVERHEAD_ROWS = ("producer", "fib", "chain", "fan", "independent", "stencil", "taskloop-1",
                 "spawn-wait", "taskgroup", "dynamic", "guided", "barrier", "parallel")
MOST_FAILURES = 10


def read_options():
    parser = harness.Parser(prog="soak.py", description=__doc__,
                            epilog="Example: bench/soak.py --minutes 10 --seed 7")
    parser.add_argument("--build", type=harness.pathlib.Path, default=harness.DEFAULT_BUILD,
                        metavar="DIR", help="build folder (default: build/release)")
    parser.add_argument("--lares", type=harness.pathlib.Path, metavar="FILE",
                        help="the command lares (default: in the build folder)")
    parser.add_argument("--minutes", type=float, default=10, metavar="N",
                        help="how long (default: 10; fractions are accepted)")
    parser.add_argument("--seed", type=harness.positive, metavar="N",
                        help="seed of the programs (default: from the clock; it is printed)")
    parser.add_argument("--timeout", type=harness.positive, default=120, metavar="S",
                        help="seconds after which a run counts as hung (default: 120)")
    parser.add_argument("--most-threads", type=harness.positive, default=8, metavar="N",
                        help="largest number of threads (default: 8)")
    parser.add_argument("--disorder", action="store_true",
                        help="each run with a seed of LARES_DISORDER of its own; for builds with that "
                             "option (preset disorder)")
    parser.add_argument("--program", action="append", default=[], metavar="FILE",
                        help="also run this program, which must exit with 0; may be repeated")
    options = parser.parse_args()
    options.stock_only = False
    options.seed = options.seed or time.time_ns() % 1_000_000 + 1
    if not options.minutes > 0:
        parser.error(f"--minutes {options.minutes} is not above 0")
    return options


def accepted_policies(lares):
    """Every preset, and every pair of push and steal that is not excluded."""
    try:
        listed = subprocess.run([lares, "policies", "--format", "json"], capture_output=True,
                                text=True, check=True, timeout=30).stdout
        table = json.loads(listed)
        presets = [entry["name"] for entry in table["preset"]]
        pairs = [f"push={pair['push']},steal={pair['steal']}" for pair in table["pairs"]
                 if pair["fit"] != "excluded"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as error:
        raise harness.Mistake(f"{lares} policies --format json does not work: {error}") from None
    return presets, pairs


class Programs:
    """Makes random command lines of programs that check themselves."""

    def __init__(self, options):
        self._bench = options.build / "bench"
        self._examples = options.build / "examples"
        self._extra = options.program

    def draw(self, rng):
        makers = [self._soak, self._soak, self._soak, self._overhead, self._sweep, self._cholesky]
        if self._extra:
            makers += [self._extra_program] * 2
        return rng.choice(makers)(rng, rng.choice(FAMILIES))

    def _soak(self, rng, family):
        return [harness.program(self._bench, f"soak-{family}"), rng.randrange(1 << 32),
                rng.randint(1, 60)]

    def _overhead(self, rng, family):
        rows = rng.sample(OVERHEAD_ROWS, rng.randint(1, 4))
        return [harness.program(self._bench, f"overhead-{family}"), "--min-ms", 5, *rows]

    def _sweep(self, rng, family):
        return [harness.program(self._bench, f"l2sweep-{family}"), "--sweeps", rng.randint(1, 200),
                "--block", 1024 << rng.randrange(8), "--seed", rng.randrange(1000),
                "--start", rng.choice(("serial", "parallel"))]

    def _cholesky(self, rng, family):
        tile = rng.choice((16, 32, 64))
        return [harness.program(self._examples, f"cholesky-{family}"), tile * rng.randint(1, 12),
                tile, rng.randint(1, 3), rng.choice(("serial", "parallel"))]

    def _extra_program(self, rng, _):
        return [harness.pathlib.Path(rng.choice(self._extra)).resolve()]


def draw_settings(rng, options):
    """Environment of one run: threads and what users set beside them."""
    threads = rng.choice([1, 2, 2, 3, 4, options.most_threads,
                          rng.randint(1, options.most_threads)])
    settings = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": 1}
    choices = {"OMP_WAIT_POLICY": ("active", "passive"), "OMP_PROC_BIND": ("false", "close"),
               "OMP_CANCELLATION": ("true",), "OMP_DYNAMIC": ("true",)}
    for name, values in choices.items():
        if rng.random() < 0.25:
            settings[name] = rng.choice(values)
    if options.disorder:
        settings["LARES_DISORDER"] = rng.randrange(1 << 32)
    return settings


def draw_lares(rng, lares, policies):
    """The words before a program."""
    presets, pairs = policies
    words = []
    if rng.random() < 0.8:
        words += ["--policy", rng.choice(presets if rng.random() < 0.4 else pairs)]
    if rng.random() < 0.5:
        words += ["--domain", rng.choice(("numa", "package", "l3", "l2"))]
    if rng.random() < 0.5:
        steal = rng.choice(("nearest", "most-loaded", "random"))
        words += ["--loops", "numa,steal=" + steal + rng.choice(("", "", ",chunk=2"))]
    return harness.under_lares(lares, "--quiet", *words)


class Load:
    """Some processes of low priority that use up processor time while a run goes on."""

    def __init__(self, count):
        self._count = count
        self._processes = []

    def __enter__(self):
        for _ in range(self._count):
            self._processes.append(subprocess.Popen(
                [sys.executable, "-c", "import os\nos.nice(10)\nwhile os.getppid() != 1: pass"],
                stdin=subprocess.DEVNULL))

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
            process.wait()


def reproduce(settings, command):
    """A failing run as a line for a shell."""
    assignments = " ".join(f"{name}={value}" for name, value in settings.items())
    return f"{assignments} {harness.shown(command)}"


def run_one(rng, options, lares, policies, programs):
    """One random run; a sentence if it failed."""
    settings = draw_settings(rng, options)
    command = [*draw_lares(rng, lares, policies), *programs.draw(rng)]
    try:
        with Load(rng.choice((0, 0, 1, 2, os.cpu_count() + 1))):
            harness.run(command, harness.clean_environment(**settings), options.timeout)
    except harness.ProgramFailed as failure:
        return f"{failure}\n  repeat with: {reproduce(settings, command)}"
    return None


def say(text):
    print(text, file=sys.stderr, flush=True)


def soak(options, lares):
    """Runs until the time is over. Answers the number of runs and of failures."""
    policies = accepted_policies(lares)
    programs = Programs(options)
    rng = random.Random(options.seed)
    end = time.monotonic() + 60 * options.minutes
    runs = failures = 0
    shown = sys.stderr.isatty()
    while time.monotonic() < end and failures < MOST_FAILURES:
        failure = run_one(rng, options, lares, policies, programs)
        runs += 1
        if failure:
            failures += 1
            say(f"{chr(13) if shown else ''}soak.py: run {runs}: {failure}")
        if shown:
            left = max(0.0, end - time.monotonic())
            sys.stderr.write(f"\r{runs} runs, {failures} failed, {left:.0f} s left ")
            sys.stderr.flush()
    if shown:
        sys.stderr.write("\r" + " " * 60 + "\r")
    return runs, failures


def body():
    options = read_options()
    lares = harness.lares_command(options)
    started = time.monotonic()
    runs, failures = soak(options, lares)
    print(f"soak: seed {options.seed}, {(time.monotonic() - started) / 60:.1f} minutes, "
          f"{runs - failures} runs passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    harness.main("soak.py", body)
