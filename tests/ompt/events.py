"""The lines that lines_tool.c writes, and the rules that hold of them whatever the program.

What a rule says follows from OpenMP 5.2, chapter 19, and from what lines_tool.c does with the data
that it is given; nothing here knows how Lares schedules.
"""

import collections
import dataclasses

BEGIN, END = 1, 2
COMPLETE, YIELD, CANCEL, DETACH, EARLY, LATE, SWITCH, TASKWAIT = range(1, 9)
INITIAL, IMPLICIT, EXPLICIT, TASKWAIT_FLAG = 1, 2, 4, 0x10
UNDEFERRED, UNTIED, FINAL, MERGEABLE = 0x08000000, 0x10000000, 0x20000000, 0x40000000
LOCK, TEST_LOCK, NEST_LOCK, TEST_NEST_LOCK, CRITICAL, ATOMIC, ORDERED = range(1, 8)
BARRIER, WAIT, GROUP, BARRIER_OF_WORK, BARRIER_OF_REGION = 3, 5, 6, 8, 9


@dataclasses.dataclass
class Event:
    """One line: its thread, its name, and its words by key; whole numbers as such."""

    thread: int
    name: str
    words: dict

    def __getattr__(self, key):
        words = self.__dict__.get("words", {})
        if key not in words:
            raise AttributeError(key)
        return words[key]


def number(text):
    """A whole number, or the text."""
    return int(text) if text.lstrip("-").isdigit() else text


def parse(text):
    """All events, in the order in which the tool was told."""
    found = []
    for line in text.splitlines():
        thread, name, *words = line.split()
        pairs = (word.partition("=") for word in words)
        found.append(Event(int(thread), name, {key: number(value) for key, _, value in pairs}))
    return found


class Checker:
    """Goes through the events once; `wrong` has a sentence for each broken rule."""

    def __init__(self, events, terminated=True, of_libomp=False):
        # libomp's workers end their implicit tasks when they are needed again, or never.
        self.of_libomp = of_libomp
        self.wrong = []
        self.tasks = {}  # id: what is known of it
        self.running = collections.defaultdict(list)  # thread: tasks on its stack, as told
        self.syncs = collections.defaultdict(list)
        self.regions = {}
        self.locks = {}  # wait id: its kind, LOCK or NEST_LOCK
        self.asked = {}  # thread: the mutex that it has asked for last, with its kind
        self.held = collections.Counter()  # (task, mutex, kind): how often
        self.ids = set()
        self.counts = collections.Counter()
        for at, event in enumerate(events):
            self.counts[event.name] += 1
            handler = getattr(self, "on_" + event.name, None)
            if handler is None:
                continue
            try:
                handler(at, event)
            except KeyError as unknown:
                self.say(at, f"{event.name} names {unknown}, which nobody made")
        if terminated:
            self.check_end()

    def say(self, at, sentence):
        """Notes a broken rule."""
        self.wrong.append(f"event {at}: {sentence}")

    def new_id(self, at, ident):
        """Each number is given once."""
        if ident == 0 or ident in self.ids:
            self.say(at, f"number {ident} is given twice, or none")
        self.ids.add(ident)

    def current(self, thread):
        """The task that the thread is in by what was told."""
        return self.running[thread][-1] if self.running[thread] else 0

    def expect_current(self, at, event, task, what):
        """The runtime's idea of the current task is that of the events before."""
        if task != self.current(event.thread):
            self.say(at, f"{what} names task {task}, thread {event.thread} is in "
                         f"{self.current(event.thread)}")

    def on_thread_begin(self, at, event):
        """Threads."""
        self.new_id(at, event.id)
        if event.thread != event.id:
            self.say(at, "a thread's data is not what the tool has made it")

    def on_parallel_begin(self, at, event):
        """Regions are opened by the task that the thread is in."""
        self.new_id(at, event.id)
        self.expect_current(at, event, event.task, "parallel_begin")
        if not event.enter or not event.code:
            self.say(at, "parallel_begin without a frame or an address")
        self.regions[event.id] = {"open": True, "indices": [], "left": 0, "size": None}

    def on_parallel_end(self, at, event):
        """After all of their implicit tasks have ended."""
        region = self.regions.get(event.id)
        if region is None or not region["open"]:
            return self.say(at, f"region {event.id} ends without being open")
        self.expect_current(at, event, event.task, "parallel_end")
        region["open"] = False
        size = region["size"]
        if sorted(region["indices"]) != list(range(size or -1)):
            self.say(at, f"region {event.id}: implicit tasks {region['indices']}, size {size}")
        if region["left"] != size and not self.of_libomp:
            self.say(at, f"region {event.id}: {region['left']} of {size} have ended")
        for task, known in self.tasks.items():
            if known["parallel"] == event.id and known["state"] != "done":
                self.say(at, f"region {event.id} has ended, its task {task} is {known['state']}")

    def on_implicit_task(self, at, event):
        """Begins and ends on its thread, inside of its region."""
        stack = self.running[event.thread]
        if event.endpoint == END:
            self.expect_current(at, event, event.id, "implicit_task end")
            if stack:
                stack.pop()
            region = self.regions.get(self.tasks.get(event.id, {}).get("parallel"))
            if region is not None:
                region["left"] += 1
            return
        self.new_id(at, event.id)
        self.tasks[event.id] = {"parallel": event.parallel, "state": "done", "children": []}
        stack.append(event.id)
        if event.flags & INITIAL:
            if (event.size, event.index) != (1, 1):
                self.say(at, "an initial task that is not the first of one")
            return
        region = self.regions.get(event.parallel)
        if region is None or not region["open"]:
            return self.say(at, f"an implicit task of region {event.parallel}, which is not open")
        region["indices"].append(event.index)
        if region["size"] not in (None, event.size):
            self.say(at, "two sizes of one region")
        region["size"] = event.size

    def on_task_create(self, at, event):
        """Made by the task that the thread is in."""
        self.new_id(at, event.id)
        self.expect_current(at, event, event.task, "task_create")
        if not event.enter or event.code in ("(nil)", 0):
            self.say(at, "task_create without a frame or an address")
        parallel = self.tasks.get(event.task, {}).get("parallel", 0)
        self.tasks[event.id] = {"parallel": parallel, "state": "created", "children": [],
                                "flags": event.flags, "before": [], "depends": event.depends,
                                "maker": event.thread, "fulfilled": False}
        self.tasks[event.task]["children"].append(event.id)

    def on_task_dependence(self, at, event):
        """Between tasks that are known, to one that has not begun."""
        if self.tasks.get(event.after, {}).get("state") != "created" or event.before not in self.tasks:
            return self.say(at, f"a dependence of {event.after} on {event.before}")
        self.tasks[event.after]["before"].append(event.before)

    def on_dependences(self, at, event):
        """Of a task that said so."""
        if not self.tasks.get(event.id, {}).get("depends"):
            self.say(at, f"dependences of {event.id}, which has none")

    def on_task_schedule(self, at, event):
        """Each thread goes from the task that it is in to another one."""
        known = self.tasks.get(event.prior)
        if known is None:
            return self.say(at, f"schedule from {event.prior}, which nobody made")
        if event.status == TASKWAIT:
            known["state"] = "done"
            return None
        if event.status in (EARLY, LATE):
            wanted = ("detached",) if event.status == LATE else ("created", "running")
            if known["state"] not in wanted or known["fulfilled"]:
                self.say(at, f"fulfilled {event.status}: task {event.prior} is {known['state']}")
            known["fulfilled"] = True
            if event.status == LATE:
                known["state"] = "done"
            return None
        self.expect_current(at, event, event.prior, "task_schedule")
        stack = self.running[event.thread]
        if event.status in (SWITCH, YIELD):
            return self.begin(at, event, stack)
        if known["state"] != "running":
            self.say(at, f"task {event.prior} ends, but is {known['state']}")
        known["state"] = "detached" if event.status == DETACH else "done"
        if stack:
            stack.pop()
        self.expect_current(at, event, event.next, "the end of a task")
        return None

    def begin(self, at, event, stack):
        """A task begins, after all that it depends on."""
        known = self.tasks.get(event.next)
        if known is None or known["state"] != "created":
            return self.say(at, f"task {event.next} begins, but is {known and known['state']}")
        known["state"] = "running"
        stack.append(event.next)
        for before in known["before"]:
            if self.tasks[before]["state"] != "done":
                self.say(at, f"task {event.next} begins before {before} is complete")
        if known["flags"] & UNDEFERRED and known["maker"] != event.thread:
            self.say(at, f"undeferred task {event.next} runs on another thread than its maker")
        return None

    def on_sync_region(self, at, event):
        """Nested, by the current task; a taskwait ends when the children are complete."""
        self.expect_current(at, event, event.id, "sync_region")
        stack = self.syncs[(event.thread, event.id)]
        if event.endpoint == BEGIN:
            stack.append((event.kind, len(self.tasks[event.id]["children"])))
            return
        if not stack or stack[-1][0] != event.kind:
            return self.say(at, f"a region of kind {event.kind} ends that has not begun")
        _, before = stack.pop()
        children = self.tasks[event.id]["children"]
        # A group waits for what was made in it, a taskwait for all; one with dependences is told
        # apart by the task that stands for it.
        waited = {GROUP: children[before:], WAIT: children}.get(event.kind, [])
        if any(self.tasks[child]["flags"] & TASKWAIT_FLAG and self.tasks[child]["state"] != "done"
               for child in children):
            waited = []
        for child in waited:
            if self.tasks[child]["state"] != "done":
                self.say(at, f"kind {event.kind} of {event.id} has ended before its child {child}")

    def kind_of_lock(self, at, event):
        """The kind of a lock, whether it is tested or set, which has been told of."""
        kind = {TEST_LOCK: LOCK, TEST_NEST_LOCK: NEST_LOCK}.get(event.kind, event.kind)
        if kind in (LOCK, NEST_LOCK) and self.locks.get(event.wait) != kind:
            self.say(at, f"{event.name} of {event.wait}, which is no lock of kind {kind}")
        return kind

    def on_lock_init(self, _, event):
        """Locks, of whose initialisation a tool is told; they may be initialised again."""
        self.locks[event.wait] = event.kind

    def on_lock_destroy(self, at, event):
        """Nobody holds it."""
        if self.locks.pop(event.wait, None) != event.kind:
            self.say(at, f"lock {event.wait} is destroyed, but was not made as {event.kind}")
        if any(held[1] == event.wait for held, count in self.held.items() if count):
            self.say(at, f"lock {event.wait} is destroyed, but held")

    def on_mutex_acquire(self, at, event):
        """A thread waits for one mutex at a time."""
        kind = self.kind_of_lock(at, event)
        self.check_waits_for_none(f"event {at}: ", event.thread)
        self.asked[event.thread] = (event.wait, kind, event.kind)

    def check_waits_for_none(self, begin, thread):
        """What was asked for last has come, or was tested only."""
        asked = self.asked.pop(thread, None)
        if asked is not None and asked[2] not in (TEST_LOCK, TEST_NEST_LOCK):
            self.wrong.append(f"{begin}thread {thread} waits for {asked}")

    def on_mutex_acquired(self, at, event):
        """By whom has asked, and nobody of the same task holds it."""
        kind = self.kind_of_lock(at, event)
        if self.asked.pop(event.thread, None) != (event.wait, kind, event.kind):
            self.say(at, f"mutex {event.wait} of kind {event.kind} is acquired, but not asked for")
        held = (self.current(event.thread), event.wait, kind)
        if self.held[held]:
            self.say(at, f"mutex {held} is acquired twice")
        self.held[held] = 1

    def on_mutex_released(self, at, event):
        """By whom it was acquired, after as many ends as begins of nesting."""
        held = (self.current(event.thread), event.wait, self.kind_of_lock(at, event))
        if self.held[held] != 1:
            self.say(at, f"mutex {held} is released, and was held {self.held[held]} times")
        self.held[held] = 0

    def on_nest_lock(self, at, event):
        """A nestable lock of the current task is set again, or unset without being released."""
        held = (self.current(event.thread), event.wait, NEST_LOCK)
        if self.held[held] < (1 if event.endpoint == BEGIN else 2):
            self.say(at, f"nest_lock {event.endpoint} of {held}, held {self.held[held]} times")
        if event.endpoint == BEGIN and self.asked.pop(event.thread, (0, 0))[:2] != held[1:]:
            self.say(at, f"{held} is set again, but not asked for")
        self.held[held] += 1 if event.endpoint == BEGIN else -1

    def on_here(self, at, event):
        """What a body is told of itself."""
        self.expect_current(at, event, event.id, "ompt_get_task_info")
        if event.found != 2 or event.parallel != event.of_task or not event.thread_num >= 0:
            self.say(at, f"a body is told {event.words}")
        wanted = self.tasks.get(event.id, {}).get("parallel", 0)
        if event.parallel != wanted:
            self.say(at, f"a body is in region {event.parallel}, not {wanted}")
        above = [number(word) for word in str(event.above).split(",") if word]
        below = [task for task in reversed(self.running[event.thread][:-1])]
        # What its own thread has suspended comes first; beyond that, who opened the region.
        if above[:len(below)] != below:
            self.say(at, f"above {event.id} there is {above}, not {below}")

    def check_end(self):
        """All is complete, and nothing is open."""
        for task, known in self.tasks.items():
            if known["state"] != "done":
                self.wrong.append(f"at the end task {task} is {known['state']}")
        for region, known in self.regions.items():
            if known["open"]:
                self.wrong.append(f"at the end region {region} is open")
        for thread in list(self.asked):
            self.check_waits_for_none("at the end ", thread)
        for held, count in self.held.items():
            if count:
                self.wrong.append(f"at the end mutex {held} is held")
        for key, stack in self.syncs.items():
            if stack:
                self.wrong.append(f"at the end {key} is in {stack}")
