"""Which runs under Lares are made: every policy, or a fixed cover of them."""

import dataclasses
import itertools
import json
import math
import subprocess

from suite import SuiteError

THREADS = (1, 2, 3, 4, 8)
FAST_PRESETS = ("auto", "locality-queues", "virouleau", "central", "stock-like")
LOOPS = ("numa", "numa,steal=random", "numa,steal=most-loaded,moldable", "stock")
ROTATING_RUNS = 12  # of each binary, in the fast cover


@dataclasses.dataclass(frozen=True)
class Setting:
    """How one run under Lares is made."""

    policy: str
    threads: int
    domain: str = ""  # a level, or "" for the one that Lares chooses
    loops: str = ""  # who hands out loops, or "" for what Lares chooses

    def options(self):
        domain = ["--domain", self.domain] if self.domain else []
        loops = ["--loops", self.loops] if self.loops else []
        return ["--policy", self.policy, *domain, *loops]

    def __str__(self):
        domain = f" domain={self.domain}" if self.domain else ""
        loops = f" loops={self.loops}" if self.loops else ""
        return f"{self.policy} threads={self.threads}{domain}{loops}"


class Policies:
    """What `lares policies` says there is."""

    def __init__(self, lares):
        listed = _json(lares, "policies", "--format", "json")
        self.presets = [preset["name"] for preset in listed["preset"]]
        self.pairs = []
        self.excluded = []
        for pair in listed["pairs"]:
            text = f"push={pair['push']},steal={pair['steal']}"
            (self.excluded if pair["fit"] == "excluded" else self.pairs).append(text)


def _json(lares, *arguments):
    try:
        run = subprocess.run([lares, *arguments], capture_output=True, text=True, check=True,
                             timeout=60)
        return json.loads(run.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise SuiteError(f"'{lares} {' '.join(arguments)}' failed: {error}") from None


def domain_levels(lares):
    """The levels to vary: the chosen one, one with a single domain, and l2 where it has several."""
    levels = [""]
    for level in ("numa", "l2"):
        run = subprocess.run([lares, "topo", "--domain", level, "--format", "json"],
                             capture_output=True, text=True, check=False, timeout=60)
        if run.returncode == 0:
            levels.append(level)
    return levels


def all_settings(policies, levels):
    """Every preset and every pair that is not excluded, at every number of threads."""
    specs = policies.presets + policies.pairs
    varied = itertools.cycle(levels)
    loops = itertools.cycle(LOOPS)
    return [Setting(spec, threads, next(varied), next(loops))
            for spec in specs for threads in THREADS]


def fast_settings(policies, levels, index, seed):
    """For the binary with this index: the presets at two threads, and some of all the others.

    Successive binaries go on where the last one stopped in one fixed, well mixed order of all
    (pair, threads, level), so the whole suite covers each of them several times.
    """
    chosen = [Setting(name, 2) for name in policies.presets if name in FAST_PRESETS]
    product = list(itertools.product(policies.pairs, THREADS, levels))
    stride = _coprime_near(int(len(product) * 0.618), len(product))
    for k in range(ROTATING_RUNS):
        at = (index * ROTATING_RUNS + k + seed) * stride % len(product)
        chosen.append(Setting(*product[at]))
    chosen += [Setting("auto", threads, levels[-1], loops)
               for threads, loops in zip((2, 3, 4, 1), LOOPS)]
    return chosen


def _coprime_near(start, modulus):
    stride = max(start, 1)
    while math.gcd(stride, modulus) != 1:
        stride += 1
    return stride
