"""Programs as trees of statements. Every subtree of a program is a valid program again.

A field made by `knob` is a choice that the shrinker may set back to its simplest value. What cannot
stand where it is (a barrier inside a task, a dependence without a domain) is left out by emit.py,
so statements may be deleted, hoisted and simplified freely.
"""

import copy
import dataclasses


def knob(simplest):
    """A field whose simplest value is its default; a number may also take values between."""
    return dataclasses.field(default=simplest, metadata={"knob": True})


def amount(least):
    """A number that the shrinker lowers towards `least`."""
    return dataclasses.field(default=least, metadata={"knob": True})


def body():
    return dataclasses.field(default_factory=list, metadata={"body": True})


@dataclasses.dataclass
class Statement:
    pass


@dataclasses.dataclass
class Depend:
    """One item of a depend clause. kind: in, out, inout, mutexinoutset, inoutset, all."""

    kind: str
    cell: int
    via: str = knob("plain")  # plain, depobj, iterator


@dataclasses.dataclass
class Task(Statement):
    body: list = body()
    depends: list = dataclasses.field(default_factory=list, metadata={"items": True})
    undeferred: bool = knob(False)
    untied: bool = knob(False)
    mergeable: bool = knob(False)
    final: str = knob("")  # "", "0" or "1"
    priority: int = knob(0)
    detach: str = knob("")  # "", body, thread, creator, sibling
    reduces: bool = knob(False)
    payload: int = knob(0)  # that many integers are private copies
    objects: bool = knob(False)  # C++: an object is copied along


@dataclasses.dataclass
class DependWait(Statement):
    depends: list = dataclasses.field(default_factory=list, metadata={"items": True})


@dataclasses.dataclass
class Domain(Statement):
    """Cells that the tasks created in its body (by one task) may depend on."""

    cells: int = 1
    body: list = body()


@dataclasses.dataclass
class Taskwait(Statement):
    pass


@dataclasses.dataclass
class Taskyield(Statement):
    pass


@dataclasses.dataclass
class Taskgroup(Statement):
    body: list = body()
    reduction: str = knob("")  # "", +, ^, |, max
    cancellable: bool = knob(False)


@dataclasses.dataclass
class Cancel(Statement):
    """Cancels the innermost cancellable taskgroup, or the region where no task is around it."""

    point: bool = knob(False)  # only a cancellation point


@dataclasses.dataclass
class Taskloop(Statement):
    count: int = amount(1)
    body: list = body()
    grain: str = knob("")  # "", "grainsize(N)", "num_tasks(N)", "grainsize(strict: N)"
    nogroup: bool = knob(False)
    reduction: str = knob("")
    reduces: bool = knob(False)  # in_reduction of what is around it
    untied: bool = knob(False)
    priority: int = knob(0)
    undeferred: bool = knob(False)


@dataclasses.dataclass
class Repeat(Statement):
    count: int = amount(1)
    body: list = body()


@dataclasses.dataclass
class Work(Statement):
    units: int = amount(1)


@dataclasses.dataclass
class Call(Statement):
    """The body in a function: own (same file), same or other (a library by that compiler)."""

    where: str = knob("own")
    body: list = body()


@dataclasses.dataclass
class Try(Statement):
    """C++: an exception thrown at its end and caught outside; in other languages only the body."""

    body: list = body()
    through_call: bool = knob(False)


@dataclasses.dataclass
class Recursion(Statement):
    """Tasks that create `width` tasks each, `depth` levels deep."""

    depth: int = amount(1)
    width: int = amount(1)
    wait: str = knob("")  # "", taskwait, taskgroup
    untied: bool = knob(False)
    final_at: int = knob(0)  # tasks are final below that many levels above the leaves
    grouped: bool = knob(False)  # a taskgroup around it all


@dataclasses.dataclass
class Successors(Statement):
    """A chain in which each task creates the next one and ends."""

    length: int = amount(1)


@dataclasses.dataclass
class Flood(Statement):
    """One producer of many tasks that only count."""

    length: int = amount(1)
    depend: bool = knob(False)  # all in one chain


@dataclasses.dataclass
class Parallel(Statement):
    threads: int = knob(0)  # 0: no num_threads clause
    body: list = body()
    reduction: str = knob("")
    task_modifier: bool = knob(False)
    cancellable: bool = knob(False)


@dataclasses.dataclass
class Barrier(Statement):
    pass


@dataclasses.dataclass
class Single(Statement):
    body: list = body()
    nowait: bool = knob(False)
    copyprivate: bool = knob(False)


@dataclasses.dataclass
class Masked(Statement):
    body: list = body()


@dataclasses.dataclass
class Sections(Statement):
    bodies: list = dataclasses.field(default_factory=list, metadata={"bodies": True})
    nowait: bool = knob(False)


@dataclasses.dataclass
class Critical(Statement):
    units: int = amount(1)


@dataclasses.dataclass
class For(Statement):
    count: int = amount(1)
    body: list = body()
    schedule: str = knob("")
    kind: str = knob("int")  # the type of the variable
    low: int = knob(0)
    step: int = knob(1)
    inner: int = knob(0)  # collapse(2) with that many iterations of the second loop
    ordered: bool = knob(False)
    nowait: bool = knob(False)
    reduction: str = knob("")
    cancels: bool = knob(False)  # one of its iterations cancels it


@dataclasses.dataclass
class Case:
    number: int
    body: list = body()
    stack_kib: int = knob(0)
    copies: int = knob(1)


@dataclasses.dataclass
class Program:
    seed: int
    language: str  # c, cpp, fortran
    compiler: str  # gcc, clang
    cases: list
    without: tuple = ()  # features that are off; generate.py names them

    @property
    def name(self):
        return f"{self.seed}-{self.language}-{self.compiler}"

    def only(self, number):
        """A program of this one case."""
        found = [case for case in self.cases if case.number == number]
        return dataclasses.replace(self, cases=copy.deepcopy(found))


def bodies(statement):
    """The lists of statements directly below a statement or case, each changeable in place."""
    found = []
    for field in dataclasses.fields(statement):
        value = getattr(statement, field.name)
        if field.metadata.get("body"):
            found.append(value)
        elif field.metadata.get("bodies"):
            found.extend(value)
    return found


def walk(statement):
    """The statement and everything below it."""
    yield statement
    for below in bodies(statement):
        for child in below:
            yield from walk(child)


def size(statement):
    return sum(1 for _ in walk(statement))
