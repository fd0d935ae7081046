#!/usr/bin/env python3
"""What the sparse LU of bench/shapes (slots) has crossing between nodes, by how its blocks are dealt and how
many of its tasks run elsewhere than at home: a model of the caches alone.

    bench/slots_model.py                    the table of docs/lab.md
    bench/slots_model.py --nodes 8 --seeds 5

Tasks run one after another, in the program's order. Each runs on one of the two cores of the node where the
block that it writes is at home, or else, a share of them, on a core of any other node. Each core's cache holds
whole blocks, the least recently used leaves first. A block that a cache lacks comes from the core that wrote it
last, if that still has it, or else from its home. What runtimes write is not in it.
"""

import random
from collections import OrderedDict

import harness
import shapes
import shapes_bound

CORES = 2            # of a node
KEPT, WARM = 3, 2    # sweeps that count, and sweeps before them
LINES = 64           # of a block
SHARES = [0, 0.1, 0.2, 0.28]
BLOCKS = shapes.SHAPES["slots"][1]  # in a row


class Machine:
    """The cores of some nodes with caches of `room` blocks each; `home` answers the node of a block."""

    def __init__(self, nodes, room, home):
        self.nodes, self.room, self.home = nodes, room, home
        self.caches = [OrderedDict() for _ in range(nodes * CORES)]
        self.writer = {}
        self.crossing = 0

    def use(self, core, block, writes):
        cache = self.caches[core]
        if block not in cache:
            writer = self.writer.get(block)
            has_it = writer is not None and block in self.caches[writer]
            self.crossing += (writer // CORES if has_it else self.home(block)) != core // CORES
        cache[block] = True
        cache.move_to_end(block)
        if len(cache) > self.room:
            cache.popitem(last=False)
        if writes:
            for other, copies in enumerate(self.caches):
                if other != core:
                    copies.pop(block, None)
            self.writer[block] = core


def tasks_of_sweep():
    """What each task reads, and what it writes."""
    factorisation = list(shapes_bound.factorisation(BLOCKS))
    blocks = sorted({written for _, written in factorisation})
    return [([], block) for block in blocks] + factorisation, blocks


def crossing(tasks, machine, share, seed):
    """Thousands of lines in the sweeps that count."""
    dice, home, nodes = random.Random(seed), machine.home, machine.nodes
    for sweep in range(WARM + KEPT):
        if sweep == WARM:
            machine.crossing = 0
        for reads, written in tasks:
            node = home(written)
            if dice.random() < share:
                node = dice.choice([other for other in range(nodes) if other != node])
            core = node * CORES + dice.randrange(CORES)
            for block in reads:
                machine.use(core, block, False)
            machine.use(core, written, True)
    return machine.crossing * LINES / 1000


def dealings(blocks, nodes):
    """Ways to deal blocks to nodes."""
    number = {block: index for index, block in enumerate(blocks)}

    def in_order(runs):
        return lambda block: number[block] * nodes * runs // len(blocks) % nodes

    columns = nodes // 2
    return {"in order, one run each (as Lares does)": in_order(1),
            "in order, four runs each": in_order(4),
            "rows in pairs, in turn": lambda block: block[0] // 2 % nodes,
            f"by rows and columns, 2 by {columns}":
                lambda block: block[0] * 2 // BLOCKS * columns + block[1] * columns // BLOCKS}


def body():
    parser = harness.Parser(description=__doc__.split("\n\n", 1)[0],
                            epilog="Example: bench/slots_model.py --seeds 5")
    parser.add_argument("--nodes", type=harness.positive, default=4, metavar="N", help="an even number (default: 4)")
    parser.add_argument("--cache", type=harness.positive, default=16, metavar="N",
                        help="blocks that a core's cache holds (default: 16)")
    parser.add_argument("--seeds", type=harness.positive, default=5, metavar="N",
                        help="runs with different chance, of which the median is shown (default: 5)")
    options = parser.parse_args()
    tasks, blocks = tasks_of_sweep()
    table = harness.Table(["blocks dealt to nodes", *(f"{100 * share:.0f} %" for share in SHARES)])
    for name, home in dealings(blocks, options.nodes).items():
        cells = [harness.Spread([crossing(tasks, Machine(options.nodes, options.cache, home), share, seed)
                                 for seed in range(1, options.seeds + 1)]) for share in SHARES]
        table.add(name, *(f"{cell.median:.0f}" for cell in cells))
    print(table.text())
    return 0


if __name__ == "__main__":
    harness.main("slots_model", body)
