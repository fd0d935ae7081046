"""Programs from seeds: the same seed, language, compiler and features always give the same tree."""

import random

import model

# What can be switched off. Each says what a program then does not contain.
FEATURES = {
    "all-memory": "depend(inout: omp_all_memory)",
    "cancel": "cancellation of taskgroups, regions and loops",
    "deep-chain": "chains and recursions of more than 500 levels",
    "depobj": "depobj, its update and destroy",
    "detach": "tasks whose end is an event",
    "detach-included": "tasks whose end is an event inside of final tasks, or with if(0)",
    "exceptions": "exceptions inside of tasks",
    "final": "final tasks",
    "flood": "one producer of tens of thousands of tasks",
    "inoutset": "depend(inoutset: ...)",
    "iterator": "iterators in depend clauses",
    "mutex-undeferred": "mutexinoutset together with if(0)",
    "nested": "regions inside of regions",
    "other-compiler": "functions in a library built by the other compiler",
    "other-library": "functions in a second library",
    "pthreads": "regions of threads that are not OpenMP's",
    "reduction": "reductions of loops and regions",
    "small-stack": "threads with stacks of 256 KiB or less",
    "successors": "tasks that create the next one and end, tens of thousands in a row",
    "task-reduction": "task_reduction, in_reduction, and reductions of taskloops",
    "taskloop": "taskloops",
    "undeferred": "if(0)",
    "untied": "untied tasks",
    "worksharing": "loops, sections, single and masked other than around a case's tasks",
}
# Those whose programs Lares does not pass. Whoever mends one takes its name out: `--without known` then
# makes programs with it.
KNOWN_TO_FAIL = ()
LANGUAGES = ("c", "cpp", "fortran")
OPERATIONS = ("+", "^", "|", "max")
MANY = 1500  # tasks of one case, about


class Generator:
    """One program."""

    def __init__(self, seed, language, compiler, without=()):
        self._random = random.Random(f"{seed} {language} {compiler}")
        self._seed = seed
        self._language = language
        self._compiler = compiler
        self._without = frozenset(without)
        self._left = 0  # tasks
        self._text = 0  # statements

    def program(self, cases):
        made = [self._case(number) for number in range(1, cases + 1)]
        return model.Program(self._seed, self._language, self._compiler, made,
                             tuple(sorted(self._without)))

    # Choices. Every draw is made whether or not a feature is on, so that switching one off changes
    # little else.

    def _on(self, feature):
        return feature not in self._without

    def _chance(self, percent, feature=None):
        drawn = self._random.random() * 100 < percent
        return drawn and (feature is None or self._on(feature))

    def _pick(self, *weighted):
        """One of the pairs (weight, value)."""
        return self._random.choices([v for _, v in weighted], [w for w, _ in weighted])[0]

    def _number(self, low, high):
        return self._random.randint(low, high)

    # Cases

    def _case(self, number):
        self._left = self._pick((5, 15), (4, 60), (2, MANY))
        self._text = self._pick((3, 12), (3, 25), (1, 45))
        case = model.Case(number)
        shape = self._pick((12, self._team_case), (3, self._sharing_case), (2, self._deep_case),
                           (1, self._serial_case), (1, self._volume_case))
        case.body = shape()
        if self._chance(12, "pthreads"):
            case.copies = self._pick((3, 1), (2, 2), (1, 4))
            case.stack_kib = self._pick((2, 0), (2, 1024), (1, 512), (1, 256), (1, 128))
            if case.stack_kib and case.stack_kib <= 256 and not self._on("small-stack"):
                case.stack_kib = 512
            if _is_deep(case):  # whoever recurses needs a stack for it
                case.stack_kib = 0
            if case.copies == 1 and not case.stack_kib:
                case.stack_kib = 1024
        return case

    def _threads(self, nested=False):
        if nested:
            return self._pick((3, 2), (2, 3), (1, 1), (1, 0))
        return self._pick((10, 0), (4, 2), (3, 3), (3, 4), (1, 1), (1, 8), (1, 17), (1, 33))

    def _region(self, body, nested=False):
        region = model.Parallel(self._threads(nested), body)
        if self._chance(12, "reduction"):
            region.reduction = self._random.choice(OPERATIONS)
            region.task_modifier = self._chance(50, "task-reduction")
        return region

    def _team_case(self):
        """The usual program: one thread of a team creates tasks."""
        body = [model.Single(self._tasks(3, 8), nowait=self._chance(40), copyprivate=self._chance(10))]
        while self._chance(35):
            body.insert(self._number(0, len(body)), self._region_statement(2))
        return [self._region(body)]

    def _sharing_case(self):
        """Every thread takes part: loops, sections, barriers, tasks of all."""
        if not self._on("worksharing"):
            return self._team_case()
        body = [self._region_statement(2) for _ in range(self._number(2, 7))]
        if self._chance(15, "cancel"):
            return [model.Parallel(self._threads(), self._cancelled(body), cancellable=True)]
        return [self._region(body)]

    def _cancelled(self, body):
        kept = [s for s in body if isinstance(s, (model.Task, model.Barrier, model.Taskwait, model.Work,
                                                  model.Single, model.Taskgroup, model.Repeat))]
        kept = [s for s in kept if not any(isinstance(b, model.Parallel) for b in model.walk(s))]
        kept.insert(self._number(0, len(kept)), model.Cancel())
        return kept + [model.Barrier(), model.Cancel(point=True)]

    def _serial_case(self):
        """Tasks outside of any region."""
        return self._tasks(2, 5)

    def _deep_case(self):
        deepest = 3000 if self._on("deep-chain") else 400
        wait = self._pick((4, ""), (2, "taskwait"), (1, "taskgroup"))
        depth, width = self._pick(
            (3, (self._number(30, deepest), 1)), (2, (self._number(3, 8), 2)), (1, (self._number(2, 4), 4)))
        if wait:
            depth = min(depth, 300)
        walk = model.Recursion(depth, width, wait, self._chance(20, "untied"),
                               self._pick((3, 0), (1, 2)) if self._on("final") else 0,
                               self._chance(60))
        return [self._region([walk] if self._chance(30) else [model.Single([walk])])]

    def _volume_case(self):
        length = self._pick((3, self._number(2000, 20000)), (1, self._number(300000, 600000)))
        depend, of_all = self._chance(30), self._chance(25)
        if self._chance(50, "successors"):
            # libomp 19 itself takes seconds for long chains.
            volume = model.Successors(min(length, 10000) if self._compiler == "clang" else length)
        elif self._on("flood"):
            volume = model.Flood(min(length, 50000) if depend else length, depend)
        else:
            volume = model.Flood(500, depend)
        if of_all:
            volume.length = min(volume.length, 3000)
            return [self._region([volume])]
        return [self._region([model.Single([volume])])]

    # Statements of one task

    def _tasks(self, least, most, depth=0, times=1):
        return [self._statement(depth, times) for _ in range(self._number(least, most))]

    def _statement(self, depth, times):
        self._text -= 1
        if self._left < times or depth > 5 or self._text < 0:
            return self._leaf()
        choices = [(30, self._task), (12, self._domain), (8, self._group), (7, self._repeat), (7, self._call),
                   (6, self._leaf), (4, self._recursion)]
        if self._on("taskloop"):
            choices.append((8, self._taskloop))
        if self._on("exceptions") and self._language == "cpp":
            choices.append((5, self._try))
        if self._on("nested") and depth < 4 and times <= 4:
            choices.append((3, self._nested))
        chosen = self._pick(*choices)
        return chosen() if chosen == self._leaf else chosen(depth, times)

    def _leaf(self):
        return self._pick((3, model.Taskwait()), (2, model.Work(self._number(1, 20))), (1, model.Taskyield()),
                          (1, model.Cancel(point=self._chance(60))) if self._on("cancel") else (1, model.Work(2)))

    def _clauses(self, task, depth):
        task.undeferred = self._chance(8, "undeferred")
        task.untied = self._chance(15, "untied")
        task.mergeable = self._chance(10)
        task.final = self._pick((20, ""), (1, "0"), (2, "1")) if self._on("final") else ""
        task.priority = self._pick((8, 0), (1, 1), (1, 9))
        task.detach = self._pick((20, ""), (2, "body"), (2, "thread"), (1, "creator"), (1, "sibling"))
        if not self._on("detach"):
            task.detach = ""
        task.reduces = self._chance(60, "task-reduction")
        task.payload = self._pick((8, 0), (1, 3), (1, 40), (1, 400))
        task.objects = self._chance(15)
        return task

    def _task(self, depth, times):
        self._left -= times
        task = self._clauses(model.Task(), depth)
        if self._chance(55 - 8 * depth):
            task.body = self._tasks(1, 4, depth + 1, times)
        elif self._chance(50):
            task.body = [model.Work(self._number(1, 30))]
        return task

    def _group(self, depth, times):
        cancellable = self._chance(20, "cancel")
        reduction = self._random.choice(OPERATIONS) if self._chance(40, "task-reduction") else ""
        body = self._tasks(1, 5, depth + 1, times)
        if cancellable:
            for _ in range(self._number(1, 3)):
                body.insert(self._number(0, len(body)), model.Task([
                    model.Work(self._number(1, 9)), model.Cancel(point=self._chance(40))]))
        return model.Taskgroup(body, reduction, cancellable)

    def _repeat(self, depth, times):
        count = self._number(2, 6)
        return model.Repeat(count, self._tasks(1, 3, depth + 1, times * count))

    def _call(self, depth, times):
        where = self._pick((3, "own"), (3, "same"), (3, "other"))
        if (where == "other" and not self._on("other-compiler")) or (
                where == "same" and not self._on("other-library")):
            where = "own"
        return model.Call(where, self._tasks(1, 4, depth + 1, times))

    def _try(self, depth, times):
        return model.Try(self._tasks(1, 3, depth + 1, times), self._chance(50))

    def _recursion(self, depth, times):
        wait = self._pick((2, ""), (2, "taskwait"), (1, "taskgroup"))
        width = self._number(1, 3)
        levels = self._number(1, 4)
        self._left -= times * width**levels
        return model.Recursion(levels, width, wait, self._chance(20, "untied"), 0, self._chance(30))

    def _taskloop(self, depth, times):
        count = self._pick((1, 0), (3, self._number(1, 9)), (2, self._number(10, 60)))
        self._left -= times * count // 4
        grain = self._pick((3, ""), (2, f"grainsize({self._number(1, 9)})"),
                           (2, f"num_tasks({self._number(1, 9)})"),
                           (1, f"grainsize(strict: {self._number(1, 9)})"),
                           (1, f"num_tasks(strict: {self._number(1, 9)})"))
        loop = model.Taskloop(count, [], grain, self._chance(25))
        loop.reduction = self._random.choice(OPERATIONS) if self._chance(30, "task-reduction") else ""
        loop.reduces = self._chance(60, "task-reduction")
        loop.untied = self._chance(15, "untied")
        loop.priority = self._pick((8, 0), (1, 3))
        loop.undeferred = self._chance(5, "undeferred")
        if self._chance(40):
            loop.body = self._tasks(1, 2, depth + 2, times * max(count, 1))
        return loop

    def _nested(self, depth, times):
        body = [model.Single(self._tasks(1, 4, depth + 2, times))]
        while self._chance(30):
            body.append(self._region_statement(depth + 2, times * 3))
        return self._region(body, nested=True)

    # Dependences

    def _domain(self, depth, times):
        cells = self._number(1, 5)
        count = self._pick((4, self._number(2, 6)), (3, self._number(7, 16)), (1, 40))
        body = []
        for _ in range(count):
            self._text -= 1
            if self._left < times or self._text < -12:
                break
            body.append(self._dependent(depth, times, cells))
        domain = model.Domain(cells, body)
        if self._chance(20):
            times_more = self._number(2, 5)
            return model.Repeat(times_more, [domain]) if self._chance(50) else model.Domain(
                cells, [model.Repeat(times_more, body)])
        return domain

    def _dependent(self, depth, times, cells):
        if self._chance(8):
            return model.DependWait(self._items(cells, waiting=True))
        if self._chance(4):
            return self._leaf()
        self._left -= times
        task = self._clauses(model.Task(), depth)
        task.depends = self._items(cells)
        kinds = {item.kind for item in task.depends}
        if "mutexinoutset" in kinds and not self._on("mutex-undeferred"):
            task.undeferred = False
        if self._chance(25 - 5 * depth):
            task.body = self._tasks(1, 3, depth + 1, times)
        elif self._chance(60):
            task.body = [model.Work(self._number(1, 30))]
        return task

    def _items(self, cells, waiting=False):
        if self._chance(3, "all-memory") and not waiting:
            return [model.Depend("all", 0)]
        items = []
        for cell in self._random.sample(range(cells), min(cells, self._pick((6, 1), (3, 2), (1, 4)))):
            kind = self._pick((4, "in"), (2, "out"), (4, "inout"), (3, "mutexinoutset"), (2, "inoutset"))
            via = self._pick((8, "plain"), (1, "depobj"), (1, "iterator"))
            if waiting and kind in ("mutexinoutset", "inoutset"):
                kind = "inout"
            if kind == "inoutset" and not self._on("inoutset"):
                kind = "inout"
            items.append(model.Depend(kind, cell, via if via == "plain" or self._on(via) else "plain"))
        return items

    # Statements of all threads

    def _region_statement(self, depth, times=4):
        if not self._on("worksharing"):
            return self._pick((1, model.Barrier()), (1, model.Work(3)))
        chosen = self._pick(
            (4, self._for), (3, self._each_thread), (2, self._sections), (2, self._one), (2, self._critical),
            (3, self._barrier), (1, self._orphan))
        return chosen(depth, times)

    def _barrier(self, _, __):
        return model.Barrier()

    def _critical(self, _, __):
        return model.Critical(self._number(1, 5))

    def _each_thread(self, depth, times):
        return self._statement(depth, times)

    def _one(self, depth, times):
        body = self._tasks(1, 3, depth + 1)
        if self._chance(40):
            return model.Masked(body)
        return model.Single(body, self._chance(40), self._chance(20))

    def _sections(self, depth, _):
        return model.Sections([self._tasks(1, 2, depth + 1) for _ in range(self._number(1, 5))], self._chance(30))

    def _orphan(self, depth, times):
        body = [self._region_statement(depth + 1, times) for _ in range(self._number(1, 2))]
        return model.Call("same" if self._on("other-library") and self._chance(60) else "own", body)

    def _for(self, depth, _):
        count = self._pick((4, self._number(1, 20)), (2, self._number(21, 120)), (1, 0))
        loop = model.For(count)
        chunk = self._pick((2, ""), (1, ",1"), (1, f",{self._number(2, 9)}"))
        modifier = self._pick((3, ""), (1, "nonmonotonic:"), (1, "monotonic:"))
        schedule = self._pick((2, ""), (2, "static"), (4, "dynamic"), (3, "guided"), (1, "auto"), (2, "runtime"))
        loop.ordered = self._chance(15)
        if loop.ordered and modifier.startswith("non"):
            modifier = ""
        if schedule in ("dynamic", "guided"):
            schedule = modifier + schedule
        loop.schedule = schedule + chunk if schedule and schedule not in ("auto", "runtime") else schedule
        loop.kind = self._pick((4, "int"), (1, "unsigned"), (2, "long"), (1, "unsigned long"))
        loop.low = self._pick((4, 0), (1, self._number(1, 50)), (1, "far"))
        loop.step = self._pick((4, 1), (1, 3), (1, -1), (1, -7))
        loop.low = self._bound(loop)
        loop.inner = self._pick((5, 0), (1, 3))
        loop.nowait = self._chance(30)
        loop.reduction = self._random.choice(OPERATIONS) if self._chance(20, "reduction") else ""
        loop.cancels = self._chance(10, "cancel")
        if self._chance(40):
            loop.body = self._tasks(1, 2, depth + 2, max(count, 1))
        return loop

    def _bound(self, loop):
        """Where the variable begins: it stays inside of its type, and of a signed one in Fortran."""
        wide, signed = "long" in loop.kind, "unsigned" not in loop.kind or self._language == "fortran"
        if loop.low == "far":
            top = 2 ** ((63 if signed else 64) if wide else (31 if signed else 32)) - 1
            return top if loop.step < 0 else top - 1000
        if loop.step < 0:
            return 2000 + loop.low
        return loop.low


def _is_deep(case):
    return any(isinstance(s, model.Recursion) and s.depth > 20 for s in model.walk(case))


def generate(seed, language, compiler, cases, without=()):
    return Generator(seed, language, compiler, without).program(cases)
