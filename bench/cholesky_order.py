#!/usr/bin/env python3
"""What the order of a domain's tasks costs: a model of examples/cholesky.c as the lab counts it.

    bench/cholesky_order.py            a table of orders (half a minute)
    bench/cholesky_order.py --write    also writes it into docs/lab.md

Four domains with two workers each, a private cache of some tiles for each worker, least recently
used tiles going first; what is changed in a cache is fetched from there. One worker creates the
tasks within the window of the runtime, all run at home, and an idle one waits for two tasks before
it takes one from another domain. No line but those of tiles is counted: what the runtime itself and
the BLAS touch comes on top, in a guest.
"""

import collections
import heapq
import pathlib
import random

import harness
import lab_policies

DOMAINS, WORKERS = 4, 2  # of each domain
TEAM = DOMAINS * WORKERS
TILES = lab_policies.CHOLESKY["n"] // lab_policies.CHOLESKY["tile"]
LINES = lab_policies.CHOLESKY["tile"] ** 2 * lab_policies.DOUBLE // lab_policies.LINE
CACHE = 15  # tiles: 16 fit, and the stack, the BLAS' buffers and the runtime need some room
WINDOW = 64 * TEAM
LOOK = 8
CREATION, PATIENCE, POLL = 0.003, 2.0, 0.05  # in tasks; only their order of magnitude matters

Task = collections.namedtuple("Task", "step column reads writes home cost")


def home(tile):
    """The domain of a row: dealt to the threads there and back."""
    place = tile[0] % (2 * TEAM)
    return min(place, 2 * TEAM - 1 - place) // WORKERS


def tasks():
    """In the order of creation."""
    for k in range(TILES):
        yield Task(k, k, [], (k, k), home((k, k)), 0.5)
        for i in range(k + 1, TILES):
            yield Task(k, k, [(k, k)], (i, k), home((i, k)), 0.6)
        for i in range(k + 1, TILES):
            for j in range(k + 1, i):
                yield Task(k, j, [(i, k), (j, k)], (i, j), home((i, j)), 1.0)
            yield Task(k, i, [(i, k)], (i, i), home((i, i)), 0.55)


def dealt(task):
    """Which worker of its domain a task is meant for, by the datum that it reads from another; or None."""
    for row, column in task.reads:
        if home((row, column)) != task.home:
            return (row * 40503 + column * 2654435761 >> 15) % WORKERS
    return None


class Caches:
    """Who has which tile, and what crossed."""

    def __init__(self):
        self.tiles = [collections.OrderedDict() for _ in range(TEAM)]
        self.changed = {}  # tile -> who has it changed
        self.remote = self.crossing = 0

    def use(self, worker, tile, writes):
        mine = self.tiles[worker]
        if tile not in mine:
            owner = self.changed.get(tile)
            far = (home(tile) if owner is None else owner // WORKERS) != worker // WORKERS
            self.crossing += far
            self.remote += far and owner is None
        mine[tile] = True
        mine.move_to_end(tile)
        if len(mine) > CACHE:
            old, _ = mine.popitem(last=False)
            if self.changed.get(old) == worker:
                del self.changed[old]
        if writes:
            for other, tiles in enumerate(self.tiles):
                if other != worker:
                    tiles.pop(tile, None)
            self.changed[tile] = worker


class Order:
    """Where ready tasks go, and which one a worker takes of its domain's. Lists are oldest first."""

    def __init__(self, name, pick=None, own=False, window=WINDOW, steals=True):
        self.name, self.pick, self.own, self.window, self.steals = name, pick, own, window, steals


def oldest(_, queue):
    return 0


def newest(_, queue):
    return len(queue) - 1


def sharing(worker, queue):
    """Of the first few the one that shares most with what the worker ran last."""
    last = set(worker.last.reads + [worker.last.writes]) if worker.last else set()
    return max(range(min(LOOK, len(queue))),
               key=lambda i: (len(last.intersection(queue[i].reads + [queue[i].writes])), -i))


def dealing(look):
    def pick(worker, queue):
        for i in range(min(look, len(queue))):
            if dealt(queue[i]) in (None, worker.number % WORKERS):
                return i
        return 0
    return pick


def by_column(worker, queue):
    """Step by step, column by column, each worker its columns: what a program would do by hand."""
    return min(range(len(queue)), key=lambda i: (dealt(queue[i]) not in (None, worker.number % WORKERS),
                                                 queue[i].step, queue[i].column))


ORDERS = [
    Order("own place newest first, domain's oldest first (writer-domain-or-local)", oldest, own=True),
    Order("domain's, newest first", newest),
    Order("domain's, oldest first (writer-domain)", oldest),
    Order("oldest first, a window four times as large", oldest, window=4 * WINDOW),
    Order(f"of {LOOK} the one that shares most with the last", sharing),
    Order("of 64 those dealt to the worker", dealing(64)),
    Order(f"of {LOOK} those dealt to the worker (writer-domain-dealt)", dealing(LOOK)),
    Order("the same, nothing taken from other domains", dealing(LOOK), steals=False),
    Order("dealt, by step and column, all created before, nothing taken", by_column, window=10**6, steals=False),
]


class Worker:
    def __init__(self, number):
        self.number, self.own, self.last, self.idle_since = number, [], None, None


class Run:
    def __init__(self, order, seed):
        self.order, self.random, self.caches = order, random.Random(seed), Caches()
        self.workers = [Worker(w) for w in range(TEAM)]
        self.queues = [[] for _ in range(DOMAINS)]
        self.all = list(tasks())
        self.waits, self.after, self.writer = [0] * len(self.all), [[] for _ in self.all], {}
        self.done, self.created, self.ended, self.stolen = [False] * len(self.all), 0, 0, 0
        self.index = {id(task): i for i, task in enumerate(self.all)}

    def ready(self, worker, i):
        task = self.all[i]
        here = self.order.own and task.home == worker.number // WORKERS
        (worker.own if here else self.queues[task.home]).append(task)

    def create(self):
        i, task = self.created, self.all[self.created]
        self.created += 1
        for tile in task.reads + [task.writes]:
            before = self.writer.get(tile)
            if before is not None and not self.done[before]:
                self.after[before].append(i)
                self.waits[i] += 1
        self.writer[task.writes] = i
        if self.waits[i] == 0:
            self.ready(self.workers[0], i)

    def near(self, worker):
        domain = worker.number // WORKERS
        if worker.own:
            return worker.own.pop()
        if self.queues[domain]:
            return self.queues[domain].pop(self.order.pick(worker, self.queues[domain]))
        mates = self.workers[domain * WORKERS:(domain + 1) * WORKERS]
        return next((mate.own.pop(0) for mate in mates if mate.own), None)

    def far(self, worker, now):
        if worker.idle_since is None:
            worker.idle_since = now
        if not self.order.steals or now - worker.idle_since < PATIENCE:
            return None
        domain = worker.number // WORKERS
        others = [self.queues[(domain + step) % DOMAINS] for step in range(1, DOMAINS)]
        longest = max((w.own for w in self.workers if w.number // WORKERS != domain), key=len)
        found = next((queue for queue in [*others, longest] if queue), None)
        return found.pop(0) if found else None

    def start(self, worker, task):
        self.stolen += task.home != worker.number // WORKERS
        for tile in task.reads:
            self.caches.use(worker.number, tile, False)
        self.caches.use(worker.number, task.writes, True)
        worker.last, worker.idle_since = task, None
        return task.cost * self.random.uniform(0.8, 1.2)

    def end(self, worker, task):
        i = self.index[id(task)]
        self.done[i] = True
        self.ended += 1
        for next_one in reversed(self.after[i]):  # as the runtime does: the latest first
            self.waits[next_one] -= 1
            if self.waits[next_one] == 0:
                self.ready(worker, next_one)

    def fill(self):
        for row in range(TILES):
            for column in range(row + 1):
                place = row % (2 * TEAM)
                self.caches.use(min(place, 2 * TEAM - 1 - place), (row, column), True)
        self.caches.remote = self.caches.crossing = 0

    def run(self):
        self.fill()
        events = [(0.0, w, None) for w in range(TEAM)]
        while self.ended < len(self.all):
            now, number, task = heapq.heappop(events)
            worker = self.workers[number]
            if task is not None:
                self.end(worker, self.all[task])
            creates = number == 0 and self.created < len(self.all)
            found = None
            if not creates:
                found = self.near(worker) or self.far(worker, now)
            elif task is None and self.created - self.ended > self.order.window:
                found = self.near(worker)
            if found is not None:
                heapq.heappush(events, (now + self.start(worker, found), number, self.index[id(found)]))
            elif creates:
                self.create()
                heapq.heappush(events, (now + CREATION, number, None))
            else:
                heapq.heappush(events, (now + POLL, number, None))
        return {"crossing": self.caches.crossing * LINES / 1000, "remote": self.caches.remote * LINES / 1000,
                "stolen": self.stolen, "time": now}


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0], epilog="Example: bench/cholesky_order.py --seeds 1")
    parser.add_argument("--seeds", type=harness.positive, default=5, metavar="N", help="runs of each (default: 5)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write every run to FILE")
    parser.add_argument("--write", action="store_true", help="write the table into docs/lab.md")
    options = parser.parse_args()
    runs = {order.name: [Run(order, seed).run() for seed in range(options.seeds)] for order in ORDERS}
    table = harness.Table(["order", "crossing, thousands", "of them from memory", "tasks away from home", "time"])
    for name, some in runs.items():
        cells = [harness.Spread([run[what] for run in some]).text("{:.0f}".format)
                 for what in ("crossing", "remote", "stolen", "time")]
        table.add(name, *cells)
    bound = lab_policies.cholesky_bound(DOMAINS, WORKERS) / 1000
    text = f"{table.markdown()}\n\nThe bound is {bound:.0f}. Medians [least..most] of {options.seeds} seeds."
    print(text)
    if options.write:
        harness.replace_marked(harness.ROOT / "docs" / "lab.md", "order", text)
    if options.json:
        harness.write_json(options.json, runs)
    return 0


if __name__ == "__main__":
    harness.main("cholesky_order", body)
