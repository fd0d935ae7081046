"""The settings under which one program runs: every preset, and free combinations."""

import pathlib
import random
import sys

from execute import Setting

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import matrix  # noqa: E402  (the path must be set first)

# Each variable with its values; None: not set.
VARIABLES = {
    "OMP_WAIT_POLICY": (None, None, "passive", "active"),
    "OMP_PROC_BIND": (None, None, None, "true", "spread", "false"),
    "OMP_CANCELLATION": (None, "true", "true", "false"),
    "OMP_MAX_ACTIVE_LEVELS": (None, None, "1", "2", "4"),
    "OMP_SCHEDULE": (None, "static,3", "dynamic", "dynamic,4", "guided", "nonmonotonic:dynamic,2"),
    "OMP_DYNAMIC": (None, None, None, "true"),
    "OMP_STACKSIZE": (None, None, None, "1M", "512K", "256K"),
    "OMP_THREAD_LIMIT": (None, None, None, None, "6"),
    "KMP_BLOCKTIME": (None, None, None, "0", "infinite"),
    "KMP_ENABLE_TASK_THROTTLING": (None, None, None, None, "0"),
    "MALLOC_PERTURB_": (None, "165"),  # what is freed is overwritten
}
# Who hands out loops, as `lares run --loops` takes it.
LOOPS = ("", "", "numa", "numa", "numa,steal=most-loaded", "numa,steal=random", "numa,chunk=3",
         "numa,steal=random,chunk=2", "numa,moldable")
# Two nodes that are only described, so that there is something to learn; told to move soon, or not.
LEARNING = (("--learn",), ("--learn", "--placement", "follow:100000"), ("--bind", "by-data"))
TWO_NODES = ("--machine", "synthetic:numa:2 core:1 pu:1")
# Who places nested teams.
BUBBLES = ("", "", "", "cache", "cache", "memory", "memory", "spread", "gang")
THREADS = (1, 2, 2, 3, 4, 4, 5, 8, 16, 33)


class Settings:
    """Draws settings. Without the path of `lares` they are all stock."""

    def __init__(self, lares=None, launcher=(), without=(), disorder=False):
        self._lares = lares
        self._launcher = tuple(launcher)
        self._without = without
        self._disorder = disorder
        self._policies = matrix.Policies(lares) if lares else None
        self._levels = matrix.domain_levels(lares) if lares else [""]

    def draw(self, seed, count):
        """The settings for the program of this seed; the presets come first, beginning anywhere."""
        chance = random.Random(f"settings {seed}")
        presets = list(self._policies.presets) if self._policies else [""]
        at = chance.randrange(len(presets))
        names = presets[at:] + presets[:at]
        return [self._one(chance, names[i] if i < len(names) else "") for i in range(count)]

    def one(self, seed):
        """One setting: a preset or a pair, each in every second case."""
        chance = random.Random(f"setting {seed}")
        presets = self._policies.presets if self._policies else [""]
        return self._one(chance, chance.choice(["", chance.choice(presets)]))

    def _one(self, chance, preset):
        variables = {"OMP_NUM_THREADS": str(chance.choice(THREADS))}
        plain = chance.random() < 0.3
        for name, values in VARIABLES.items():
            value = chance.choice(values)
            if name == "OMP_STACKSIZE" and value == "256K" and "small-stack" in self._without:
                value = None
            if value and not plain:
                variables[name] = value
        if variables.get("OMP_WAIT_POLICY") == "active" and int(variables["OMP_NUM_THREADS"]) > 4:
            del variables["OMP_WAIT_POLICY"]  # threads that spin in turn show nothing but patience
        return Setting(self._launch(chance, preset, variables), tuple(variables.items()))

    def _launch(self, chance, preset, variables):
        if not self._lares:
            return self._launcher
        policy = preset or chance.choice(self._policies.pairs)
        level = chance.choice(self._levels)
        domain = ("--domain", level) if level else ()
        if chance.random() < 0.2:
            domain = (*TWO_NODES, *chance.choice(LEARNING))
        loops = chance.choice(LOOPS)
        loops = ("--loops", loops) if loops else ()
        disorder = str(chance.randrange(1, 2**31))
        if self._disorder:
            variables["LARES_DISORDER"] = disorder
        bubbles = chance.choice(BUBBLES) if "--bind" not in domain else ""
        if bubbles:
            bubbles = ("--bubbles", bubbles)
            variables.pop("OMP_PROC_BIND", None)  # with it no team is placed
            variables["OMP_MAX_ACTIVE_LEVELS"] = chance.choice(("2", "3", "5"))
        return (self._lares, "run", "--quiet", "--policy", policy, *domain, *loops, *bubbles, "--")

    def stock(self):
        """What every program must pass before it counts."""
        return [Setting((), (("OMP_NUM_THREADS", "4"), ("OMP_CANCELLATION", "true"))),
                Setting((), (("OMP_NUM_THREADS", "2"),))]
