"""The source text of a program: what each statement becomes, and what it tells the shadow.

What a statement may not do where it stands is left out here, so every tree makes a valid program.
"""

import dataclasses
import itertools

import model
from writers import CWriter, FortranWriter

OPERATION_NUMBERS = {"+": 0, "^": 1, "|": 2, "max": 3}  # SH_ADD and so on in shadow.h
KIND_NUMBERS = {"in": 0, "out": 1, "inout": 1, "mutexinoutset": 2, "inoutset": 3}
MAX_ITEMS = 8  # accesses of one task, as in shadow.c
MAX_SLOTS = 60  # worksharing constructs and barriers of one region

C_HEAD = """#include <omp.h>
#include "shadow.h"
"""
CPP_HEAD = C_HEAD + """
namespace {
struct Object {
  int site;
  explicit Object(int given) : site(given) { sh_object(1); }
  Object(const Object& other) : site(other.site) { sh_object(1); }
  ~Object() { sh_object(-1); }
};
[[noreturn]] __attribute__((noinline)) void throw_from_here(int value) { throw value; }
}  // namespace
"""


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a statement stands."""

    unit: "Unit"
    task: str  # the variable that holds the current task
    region: bool = False  # every thread of a team is here, with its implicit task
    team: bool = False  # somewhere inside of a parallel region
    cancellable_region: bool = False
    domain: tuple = ()  # (handle, array, cells)
    domain_is_deferred: bool = True  # none of its tasks has if(0), no taskwait has depend clauses
    reductions: tuple = ()  # (variable, operation, handle) of in_reduction clauses
    in_group: bool = False  # of a cancellable taskgroup, at any depth
    inexact: bool = False  # what is created here may be discarded
    may_cancel: bool = False  # a cancel taskgroup may stand here
    final: bool = False
    slots: object = None
    shared: dict = dataclasses.field(default_factory=dict)  # variables of loop reductions
    small: bool = True  # few tasks in the whole case
    alone: bool = False  # the team may have one thread only

    @property
    def out(self):
        return self.unit.writer

    @property
    def own_runtime(self):
        """Calls of omp_* reach the runtime of this file: not in a library of the other compiler."""
        return self.unit.name != "other"

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def in_task(self, name, **changes):
        """Inside of a new task (or what acts as one) that the variable names."""
        return self.but(task=name, region=False, domain=(), **changes)


class Unit:
    """One source file."""

    def __init__(self, name, language, compiler):
        self.name = name
        self.language = language
        self.compiler = compiler
        self.writer = None
        self.functions = []
        self.prototypes = []

    def fresh_writer(self):
        return FortranWriter() if self.language == "fortran" else CWriter(self.language)


class Emitter:
    """Emits one program as files: {name: text} by `files()`."""

    def __init__(self, program):
        self._program = program
        other = "clang" if program.compiler == "gcc" else "gcc"
        library = "c" if program.language == "fortran" else program.language
        self._units = {"main": Unit("main", program.language, program.compiler),
                       "same": Unit("same", library, program.compiler),
                       "other": Unit("other", library, other)}
        self._numbers = itertools.count(1)

    # Files

    def files(self):
        main = self._units["main"]
        for case in self._program.cases:
            root = Place(main, "self", small=_instances(case.body) < 60)
            self._function(main, f"case_{case.number}", case.body, root, shown=main.language == "fortran")
        made = {"main" + self._suffix(main): self._text(main)}
        if main.language == "fortran":
            made["table.c"] = self._table()
        for name in ("same", "other"):
            if self._units[name].functions:
                made[name + self._suffix(self._units[name])] = self._text(self._units[name])
        return made

    @staticmethod
    def _suffix(unit):
        return {"c": ".c", "cpp": ".cpp", "fortran": ".f90"}[unit.language]

    def _text(self, unit):
        if unit.language == "fortran":
            return self._fortran_text(unit)
        head = CPP_HEAD if unit.language == "cpp" else C_HEAD
        parts = [head, *unit.prototypes, *unit.functions]
        if unit.name == "main":
            parts.append(self._table_of_cases())
        return "\n".join(parts) + "\n"

    @staticmethod
    def _fortran_text(unit):
        lines = ["module program_parts", "  use omp_lib", "  use shadow", "  implicit none"]
        if unit.prototypes:
            lines += ["  interface", *unit.prototypes, "  end interface"]
        return "\n".join([*lines, "contains", *unit.functions, "end module", ""])

    def _table_of_cases(self):
        rows = [f"  {{{c.number}, case_{c.number}, {c.stack_kib}, {c.copies}}}," for c in self._program.cases]
        return "\n".join(["static const struct sh_case cases[] = {", *rows, "};", "",
                          "int main(int argc, char** argv) {",
                          "  return sh_main(argc, argv, cases, sizeof cases / sizeof cases[0]);", "}"])

    def _table(self):
        """The main function of a Fortran program."""
        prototypes = [f"void case_{c.number}(handle self);" for c in self._program.cases]
        return "\n".join(['#include "shadow.h"', *prototypes, self._table_of_cases(), ""])

    def _function(self, unit, name, statements, place, parameters=(), shown=False, write=None):
        """One function (self, parameters...); callees are finished first, so they stand before."""
        outer, unit.writer = unit.writer, unit.fresh_writer()
        if write:
            write(place)
        else:
            self._all(statements, place)
        lines = unit.writer.lines
        if unit.language == "fortran":
            unit.writer.end_blocks()
            names = ", ".join(["self", *parameters])
            bound = f' bind(C, name="{name}")' if shown else ""
            text = [f"recursive subroutine {name}({names}){bound}", "  integer(8), value :: self",
                    *(f"  integer(8), value :: {p}" for p in parameters), *lines, "end subroutine"]
        else:
            given = ", ".join(["handle self", *(f"long {p}" for p in parameters)])
            language = 'extern "C" ' if unit.language == "cpp" else ""
            head = f"{language}void" if shown else "static void"
            prototype = [f"{language}void {name}({given});"] if shown else []
            text = [*prototype, f"{head} {name}({given}) {{", "  (void)self;", *lines, "}"]
        unit.functions.append("\n".join(text))
        unit.writer = outer

    # Statements

    def _number(self):
        return next(self._numbers)

    def _all(self, statements, place):
        for statement in statements:
            getattr(self, "_" + type(statement).__name__.lower())(statement, place)

    def _work(self, work, place):
        place.out.call("sh_work", work.units)

    def _taskyield(self, _, place):
        place.out.standalone("taskyield")

    def _taskwait(self, _, place):
        place.out.standalone("taskwait")
        place.out.call("sh_taskwait", place.task)

    def _repeat(self, repeat, place):
        with place.out.loop(f"k{self._number()}", repeat.count):
            self._all(repeat.body, place.but(region=False))

    def _try(self, attempt, place):
        below = place.but(region=False, may_cancel=False)
        if place.unit.language != "cpp":
            return self._all(attempt.body, below)
        number = self._number()
        with place.out.block("try"):
            place.out.line(f"Object o{number}({number});")
            self._all(attempt.body, below)
            place.out.line(f"throw_from_here({number});" if attempt.through_call else
                           f"if (o{number}.site) throw {number};")
        with place.out.block("catch (int thrown)"):
            place.out.line(f'sh_expect(thrown, {number}, "what was caught");')

    def _call(self, call, place):
        number = self._number()
        target = self._units[call.where] if call.where != "own" and place.unit.name == "main" else place.unit
        inside = Place(target, "self", team=place.team, in_group=place.in_group,
                       inexact=place.inexact, final=place.final, slots=place.slots,
                       small=place.small, alone=place.alone,
                       region=place.region and target.name != "other" and not place.cancellable_region)
        name = f"part_{number}"
        shown = target is not place.unit
        if shown and not inside.own_runtime:  # that runtime does not know the tasks of this one
            with place.out.block():
                place.out.let(f"c{number}", f"sh_guest({place.task})")
                place.out.call(name, f"c{number}")
        else:
            place.out.call(name, place.task)
        self._function(target, name, call.body, inside, shown=shown)
        if shown:
            place.unit.prototypes.append(self._prototype(place.unit, name))

    @staticmethod
    def _prototype(unit, name):
        if unit.language == "fortran":
            return (f"    subroutine {name}(self) bind(C)\n      use iso_c_binding, only: c_long\n"
                    f"      integer(c_long), value :: self\n    end subroutine")
        language = 'extern "C" ' if unit.language == "cpp" else ""
        return f"{language}void {name}(handle self);"

    # Tasks

    def _task(self, task, place):
        out, number = place.out, self._number()
        child = f"c{number}"
        with out.block():
            out.let(child, f"sh_task({place.task}, {number})")
            depend = self._depends(task.depends, child, number, place)
            detach = self._detach_mode(task, place)
            clauses = depend.clauses + self._task_clauses(task, child, number, detach, place)
            with out.construct("task", " ".join(clauses)):
                self._task_body(task, child, number, detach, place)
            for name in depend.objects:
                out.standalone(f"depobj({name}) destroy")
            self._after_detach(detach, child, number, place)

    def _task_clauses(self, task, child, number, detach, place):
        out = place.out
        clauses = [f"firstprivate({child})"]
        undeferred = self._undeferred(task, place)
        if undeferred:
            clauses.append(f"if({out.truth(False)})")
        if task.untied and not (undeferred and place.unit.compiler == "clang"):
            clauses.append("untied")  # libomp 19 asserts on untied tasks that are not deferred
        if task.mergeable and not detach:
            clauses.append("mergeable")
        if task.final:
            clauses.append(f"final({out.truth(task.final == '1')})")
        if task.priority:
            clauses.append(f"priority({task.priority})")
        if detach:
            out.event(f"e{number}")
            out.call("sh_detach", child)
            clauses.append(f"detach(e{number})")
        clauses += self._in_reductions(task, place)
        if task.payload:
            out.integers(f"p{number}", task.payload)
            out.call("sh_fill", f"p{number}", task.payload, number)
            clauses.append(f"firstprivate(p{number})")
        if self._has_object(task, place):
            out.line(f"Object o{number}({number});")
            clauses.append(f"firstprivate(o{number})")
        return clauses

    def _undeferred(self, task, place):
        """libomp's entry points for code by GCC give such a task wrong data."""
        return task.undeferred and not (place.unit.name == "other" and place.unit.compiler == "gcc")

    @staticmethod
    def _has_object(task, place):
        untied_by_clang = task.untied and place.unit.compiler == "clang"  # it destroys them twice
        return task.objects and place.unit.language == "cpp" and not place.inexact and not untied_by_clang

    @staticmethod
    def _in_reductions(statement, place):
        """What the statement folds into; what only passes through must be shared."""
        word = "in_reduction({}: {})" if statement.reduces else "shared({1})"
        return [word.format(place.out.operator(operation), name)
                for name, operation, _ in place.reductions]

    def _task_body(self, task, child, number, detach, place):
        out = place.out
        out.call("sh_begin", child, 0 if task.untied else 1)
        final = place.final or task.final == "1"
        if place.team and place.own_runtime and not out.fortran:
            out.line(f'sh_expect(omp_in_final(), {int(final)}, "omp_in_final");')
        if task.payload:
            out.call("sh_filled", f"p{number}", task.payload, number)
        if self._has_object(task, place):
            out.line(f'sh_expect(o{number}.site, {number}, "a private object");')
        self._fold(task, number, place)
        self._all(task.body, place.in_task(
            child, final=final, may_cancel=place.in_group and not task.undeferred))
        out.call("sh_end", child)
        if detach == "body":
            out.call("sh_drop", child)
            out.call("omp_fulfill_event", f"e{number}")
        elif detach == "thread":
            out.line(f"sh_drop_elsewhere({child}, (unsigned long)e{number}, "
                     "(void (*)(unsigned long))omp_fulfill_event);")

    @staticmethod
    def _fold(statement, site, place):
        if statement.reduces:
            for name, operation, handle in place.reductions:
                place.out.fold(operation, name, f"sh_amount({handle}, {site})")

    def _detach_mode(self, task, place):
        """Another task or the creator may fulfil an event only where no wait comes before."""
        included = place.final or task.final == "1" or task.undeferred
        if included and "detach-included" in self._program.without:
            return ""
        holds_lock = any(d.kind == "mutexinoutset" for d in task.depends)
        if not task.detach or not place.own_runtime or place.inexact or not place.team or holds_lock:
            return ""
        if place.domain and place.unit.compiler == "gcc" and not place.domain_is_deferred:
            return "body"  # libgomp 12: an undeferred task does not wait for a detached one
        if task.detach == "thread" and not (place.out.fortran or task.undeferred or place.alone):
            return "thread"
        waits = place.alone or included or not place.small
        return "body" if waits or task.detach == "thread" else task.detach

    def _after_detach(self, mode, child, number, place):
        out = place.out
        if mode == "sibling":
            with out.construct("task", f"firstprivate({child}, e{number})"):
                out.call("sh_drop", child)
                out.call("omp_fulfill_event", f"e{number}")
        elif mode == "creator":
            out.call("sh_drop", child)
            out.call("omp_fulfill_event", f"e{number}")
        elif mode == "thread" and place.unit.compiler == "gcc":
            out.standalone("taskwait")  # libgomp 12: no barrier wakes up for another thread's event

    # Dependences

    def _depends(self, depends, child, number, place, waiting=False):
        made = _Depends()
        if not place.domain:
            return made
        domain, cells, count = place.domain
        seen = set()
        for at, depend in enumerate(depends[:MAX_ITEMS]):
            kind = self._kind(depend.kind, place.unit)
            if waiting and kind in ("mutexinoutset", "inoutset", "all"):
                kind = "inout"
            if kind == "all":
                if seen or len(depends) > 1:
                    kind = "inout"
                else:
                    for cell in range(min(count, MAX_ITEMS)):
                        place.out.call("sh_access", child, domain, cell, KIND_NUMBERS["inout"])
                    made.clauses.append("depend(inout: omp_all_memory)")
                    break
            cell = depend.cell % count
            if cell in seen:
                continue
            seen.add(cell)
            place.out.call("sh_access", child, domain, cell, KIND_NUMBERS[kind])
            made.add(depend.via, kind, place.out.cell(cells, cell), cells, cell, f"{number}_{at}", place.out,
                     waiting)
        return made

    @staticmethod
    def _kind(kind, unit):
        return "inout" if kind in ("inoutset", "all") and unit.compiler == "gcc" else kind

    def _domain(self, domain, place):
        number = self._number()
        count = max(1, min(domain.cells, MAX_ITEMS))
        with place.out.block():
            place.out.let(f"d{number}", f"sh_domain({place.task}, {count})")
            place.out.cells(f"a{number}", f"d{number}", count)
            deferred = not any(isinstance(s, model.DependWait) or getattr(s, "undeferred", False)
                               for s in model.walk(domain))
            self._all(domain.body, place.but(domain=(f"d{number}", f"a{number}", count), region=False,
                                             domain_is_deferred=deferred))

    def _dependwait(self, wait, place):
        if not place.domain or not wait.depends:
            return
        out, number = place.out, self._number()
        with out.block():
            out.let(f"c{number}", f"sh_task({place.task}, {number})")
            depend = self._depends(wait.depends, f"c{number}", number, place, waiting=True)
            out.standalone(" ".join(["taskwait", *depend.clauses]))
            out.call("sh_begin", f"c{number}", 1)
            out.call("sh_end", f"c{number}")

    # Groups, loops, recursion

    def _reduction_variable(self, operation, number, place):
        place.out.let(f"h{number}", f"sh_reduction({place.task}, {OPERATION_NUMBERS[operation]}, "
                                    f"{place.out.long(number)})")
        place.out.number(f"r{number}", place.out.long(number))
        return (f"r{number}", operation, f"h{number}")

    def _taskgroup(self, group, place):
        out, number = place.out, self._number()
        below = place.but(region=False, may_cancel=False)
        with out.block():
            clause = ""
            cancels = group.cancellable and place.own_runtime
            reduces = group.reduction and not cancels and self._may_reduce(place)
            if reduces:
                item = self._reduction_variable(group.reduction, number, place)
                clause = f"task_reduction({out.operator(group.reduction)}: {item[0]})"
                below = below.but(reductions=(item,))
            if cancels:
                below = below.but(in_group=True, inexact=True, reductions=())
            out.call("sh_group", place.task, self._cancellation(out) if cancels else 0)
            with out.construct("taskgroup", clause):
                self._all(group.body, below)
            out.call("sh_group_end", place.task)
            if reduces:
                out.call("sh_reduced", item[2], item[0])

    @staticmethod
    def _cancellation(out):
        """Whether cancel constructs have an effect in this run."""
        return "merge(1, 0, omp_get_cancellation())" if out.fortran else "omp_get_cancellation()"

    @staticmethod
    def _may_reduce(place):
        """Outside of every region libgomp 12 frees what it never had."""
        return (place.team and place.own_runtime) or place.unit.compiler != "gcc"

    def _cancel(self, cancel, place):
        what = "cancellation point" if cancel.point else "cancel"
        if not place.own_runtime:
            return
        if place.may_cancel:
            place.out.call("sh_leave", place.task)
            place.out.standalone(f"{what} taskgroup")
            place.out.call("sh_return", place.task)
        elif place.region and place.cancellable_region:
            place.out.standalone(f"{what} parallel")

    def _taskloop(self, loop, place):
        out, number = place.out, self._number()
        name, variable, iteration = f"l{number}", f"i{number}", f"c{number}"
        grouped = not loop.nogroup or bool(loop.reduction)
        reduces = loop.reduction and self._may_reduce(place)
        below = place.in_task(iteration, may_cancel=False)
        with out.block():
            clauses = [loop.grain] if loop.grain else []
            if reduces:
                item = self._reduction_variable(loop.reduction, number, place)
                clauses.append(f"reduction({out.operator(loop.reduction)}: {item[0]})")
                below = below.but(reductions=(item,))
            else:
                clauses += self._in_reductions(loop, place)
            clauses += ["nogroup"] if not grouped else []
            clauses += ["untied"] if loop.untied else []
            clauses += [f"priority({loop.priority})"] if loop.priority else []
            clauses += [f"if({out.truth(False)})"] if loop.undeferred else []
            out.let(name, f"sh_loop({place.task}, {out.long(loop.count)}, {int(grouped)})")
            clauses.append(f"firstprivate({name})")
            with out.loop(variable, out.long(loop.count), " ".join(["taskloop", *clauses])):
                with out.block():
                    out.let(iteration, f"sh_iteration({name}, {variable})")
                    if reduces:
                        out.fold(loop.reduction, item[0], f"sh_amount({item[2]}, {number})")
                    else:
                        self._fold(loop, number, place)
                    self._all(loop.body, below)
                    out.call("sh_iteration_end", iteration)
            out.call("sh_loop_end", name)
            if reduces:
                out.call("sh_reduced", item[2], item[0])

    def _recursion(self, recursion, place):
        number = self._number()
        name = f"walk_{number}"

        def write(inner):
            out = inner.out
            with out.loop("k", out.long(recursion.width)), out.block():
                out.let("c", f"sh_task(self, {number})")
                clauses = ["firstprivate(c, depth)"] + ["untied"] * recursion.untied
                if recursion.final_at:
                    clauses.append(f"final(depth <= {recursion.final_at})")
                with out.construct("task", " ".join(clauses)):
                    out.call("sh_begin", "c", int(not recursion.untied))
                    with out.when("depth > 1"):
                        self._walk(name, recursion, out)
                    out.call("sh_end", "c")

        self._function(place.unit, name, [], Place(place.unit, "self"), ("depth",), write=write)
        first = place.out.long(recursion.depth)
        if recursion.grouped:
            place.out.call("sh_group", place.task, 0)
            with place.out.construct("taskgroup"):
                place.out.call(name, place.task, first)
            place.out.call("sh_group_end", place.task)
        else:
            place.out.call(name, place.task, first)

    @staticmethod
    def _walk(name, recursion, out):
        if recursion.wait == "taskgroup":
            out.call("sh_group", "c", 0)
            with out.construct("taskgroup"):
                out.call(name, "c", "depth - 1")
            out.call("sh_group_end", "c")
            return
        out.call(name, "c", "depth - 1")
        if recursion.wait == "taskwait":
            out.standalone("taskwait")
            out.call("sh_taskwait", "c")

    def _successors(self, chain, place):
        number = self._number()
        name = f"next_{number}"

        def write(inner):
            with inner.out.construct("task", "firstprivate(self, left)"):
                inner.out.call("sh_count", "self")
                with inner.out.when("left > 1"):
                    inner.out.call(name, "self", "left - 1")

        self._function(place.unit, name, [], Place(place.unit, "self"), ("left",), write=write)
        with place.out.block():
            place.out.let(f"n{number}", f"sh_counter({place.task})")
            with place.out.construct("taskgroup"):
                place.out.call(name, f"n{number}", place.out.long(chain.length))
            place.out.call("sh_counted", f"n{number}", place.out.long(chain.length))

    def _flood(self, flood, place):
        out, number = place.out, self._number()
        clauses = f"firstprivate(n{number})"
        with out.block():
            out.let(f"n{number}", f"sh_counter({place.task})")
            if flood.depend:
                out.let(f"d{number}", f"sh_domain({place.task}, 1)")
                out.cells(f"a{number}", f"d{number}", 1)
                clauses += f" depend(inout: {out.cell(f'a{number}', 0)})"
            with out.construct("taskgroup"):
                with out.loop(f"k{number}", out.long(flood.length)):
                    with out.construct("task", clauses):
                        out.call("sh_count", f"n{number}")
            out.call("sh_counted", f"n{number}", out.long(flood.length))

    # Regions

    def _parallel(self, parallel, place):
        out, number = place.out, self._number()
        team, member = f"t{number}", f"m{number}"
        cancels = parallel.cancellable and place.own_runtime
        below = place.in_task(
            member, team=True, cancellable_region=cancels, reductions=(), may_cancel=False,
            alone=place.team or parallel.threads == 1, in_group=False, final=False,
            inexact=place.inexact or cancels, slots=itertools.count(), shared={})
        below = below.but(region=True)
        with out.block():
            clauses = [f"num_threads({parallel.threads})"] if parallel.threads else []
            items = []
            reduces = parallel.reduction and not cancels
            if reduces:
                item = self._reduction_variable(parallel.reduction, number, place)
                items.append(item)
                modifier = "task, " if parallel.task_modifier else ""
                clauses.append(f"reduction({modifier}{out.operator(parallel.reduction)}: {item[0]})")
                if modifier:
                    below = below.but(reductions=(item,))
            for loop in parallel.body:
                if isinstance(loop, model.For) and loop.reduction and not cancels:
                    below.shared[id(loop)] = self._reduction_variable(loop.reduction, self._number(), place)
            may = self._cancellation(out) if cancels else 0
            out.let(team, f"sh_team({place.task}, {may})")
            with out.construct("parallel", " ".join([*clauses, f"firstprivate({team})"])):
                out.let(member, f"sh_member({team})")
                if reduces:
                    out.fold(parallel.reduction, item[0], f"sh_amount({item[2]}, {number})")
                self._all(parallel.body, below)
                out.call("sh_member_end", member)
            out.call("sh_team_end", team)
            for variable, _, handle in [*items, *below.shared.values()]:
                out.call("sh_reduced", handle, variable)

    @staticmethod
    def _slot(place):
        """The number of the next construct of the region; none where none may stand."""
        if not place.region:
            return None
        slot = next(place.slots)
        return slot if slot < MAX_SLOTS else None

    def _barrier(self, _, place):
        if self._slot(place) is not None:
            place.out.standalone("barrier")
            place.out.call("sh_barrier", place.task)

    def _once(self, body, slot, index, count, place):
        """A block that exactly one thread runs; its tasks are children of the implicit task."""
        out, number = place.out, self._number()
        with out.block():
            out.let(f"c{number}", f"sh_hit({place.task}, {slot}, {out.long(index)}, {out.long(count)})")
            self._all(body, place.but(region=False, cancellable_region=False))
            out.call("sh_hit_end", f"c{number}")

    def _end_sharing(self, slot, nowait, place, count=1):
        if not nowait:
            place.out.call("sh_barrier", place.task)
        if not nowait and count:
            place.out.call("sh_all_hit", place.task, slot)

    def _single(self, single, place):
        slot = self._slot(place)
        if slot is None:
            return self._all(single.body, place.but(region=False))
        out = place.out
        with out.block():
            end = "nowait" if single.nowait and not single.copyprivate else ""
            if single.copyprivate:
                out.number(f"v{slot}", out.long(0))
                end = f"copyprivate(v{slot})"
            with out.construct("single", end):
                self._once(single.body, slot, 0, 1, place)
                if single.copyprivate:
                    out.line(f"v{slot} = {slot + 7}{'' if out.fortran else ';'}")
            if single.copyprivate and not out.fortran:
                out.line(f'sh_expect(v{slot}, {slot + 7}, "what copyprivate gives");')
            self._end_sharing(slot, end == "nowait", place)

    def _masked(self, masked, place):
        slot = self._slot(place)
        if slot is None:
            return self._all(masked.body, place.but(region=False))
        with place.out.construct("masked"):
            self._once(masked.body, slot, 0, 1, place)

    def _sections(self, sections, place):
        slot = self._slot(place)
        if slot is None or not sections.bodies:
            for body in sections.bodies:
                self._all(body, place.but(region=False))
            return
        out = place.out
        with out.construct("sections", "nowait" if sections.nowait else ""):
            for index, body in enumerate(sections.bodies):
                out.standalone("section")
                self._once(body, slot, index, len(sections.bodies), place)
        self._end_sharing(slot, sections.nowait, place)

    def _critical(self, critical, place):
        if not place.region or not place.own_runtime:
            return place.out.call("sh_work", critical.units)
        with place.out.construct("critical"):
            place.out.call("sh_critical", place.task, 1)
            place.out.call("sh_work", critical.units)
            place.out.call("sh_critical", place.task, 0)

    def _for(self, loop, place):
        slot = self._slot(place)
        if slot is None:
            return self._repeat(model.Repeat(min(loop.count, 4), loop.body), place)
        out, number = place.out, self._number()
        variable, iteration = f"i{number}", f"c{number}"
        item = place.shared.get(id(loop))
        if out.fortran:  # what is declared for the second loop would stand between the two
            loop = dataclasses.replace(loop, inner=0)
        loop = dataclasses.replace(loop, step=loop.step or 1)  # the shrinker comes by 0
        if loop.kind == "unsigned" and loop.step < 0 and place.unit.compiler == "gcc":
            loop = dataclasses.replace(loop, kind="long")  # GCC 12 takes -7 for 4294967289
        if not loop.count and loop.step > 0:  # no compiler takes a comparison that is always false
            loop = dataclasses.replace(loop, low=max(loop.low, 1))
        cancels = (loop.cancels and place.own_runtime and not (item or loop.nowait or loop.ordered)
                   and not (place.unit.compiler == "clang" and loop.schedule not in ("", "static")))
        loop = dataclasses.replace(loop, cancels=cancels)  # libomp hangs if others are cancelled often
        total = loop.count * max(loop.inner, 1)
        with out.block():
            if cancels:
                out.call("sh_may_miss", place.task, slot, self._cancellation(out))
            with out.typed_loop(self._for_directive(loop, number, item, out), variable, loop,
                                end="end do nowait" if loop.nowait else "end do"):
                index = out.index_of(variable, loop)
                if loop.inner:
                    with out.loop(f"j{number}", out.long(loop.inner)):
                        index = f"{index} * {out.long(loop.inner)} + j{number}"
                        self._iteration(loop, index, total, iteration, slot, number, item, place)
                else:
                    self._iteration(loop, index, total, iteration, slot, number, item, place)
            self._end_sharing(slot, loop.nowait, place, total)

    @staticmethod
    def _for_directive(loop, number, item, out):
        words = ["do" if out.fortran else "for"]
        words += [f"schedule({loop.schedule})"] if loop.schedule else []
        words += ["collapse(2)"] if loop.inner else []
        words += ["ordered"] if loop.ordered else []
        words += [f"reduction({out.operator(item[1])}: {item[0]})"] if item else []
        words += ["nowait"] if loop.nowait and not out.fortran else []
        return " ".join(words)

    def _iteration(self, loop, index, total, iteration, slot, number, item, place):
        out = place.out
        with out.block():
            out.let(iteration, f"sh_hit({place.task}, {slot}, {index}, {out.long(total)})")
            if item:
                out.fold(item[1], item[0], f"sh_amount({item[2]}, {number})")
            self._all(loop.body, place.in_task(iteration, cancellable_region=False, may_cancel=False,
                                               reductions=()))
            if loop.ordered:
                with out.construct("ordered"):
                    out.call("sh_ordered", place.task, slot, index)
            out.call("sh_hit_end", iteration)
            if loop.cancels:
                with out.when(f"{index} == {out.long(total // 2)}"):
                    out.standalone(f"cancel {'do' if out.fortran else 'for'}")


class _Depends:
    """The depend clauses of one directive, and the depobjs to be destroyed behind it."""

    def __init__(self):
        self.clauses = []
        self.objects = []

    def add(self, via, kind, item, cells, cell, name, out, waiting):
        if via == "depobj" and not out.fortran and not waiting:
            first = "inout" if kind != "inout" else "in"
            out.line(f"omp_depend_t q{name};")
            out.standalone(f"depobj(q{name}) depend({first}: {item})")
            out.standalone(f"depobj(q{name}) update({kind})")
            self.objects.append(f"q{name}")
            self.clauses.append(f"depend(depobj: q{name})")
        elif via == "iterator" and not out.fortran and not waiting:
            self.clauses.append(f"depend(iterator(z = {cell} : {cell + 1}), {kind}: {cells}[z])")
        else:
            self.clauses.append(f"depend({kind}: {item})")


def _instances(statements, times=1):
    """About how many tasks the statements create."""
    total = 0
    for statement in statements:
        factor = times
        if isinstance(statement, (model.Repeat, model.Taskloop, model.For)):
            factor = times * statement.count * max(getattr(statement, "inner", 1), 1)
        elif isinstance(statement, model.Parallel):
            factor = times * 4
        if isinstance(statement, model.Task):
            total += times
        elif isinstance(statement, model.Recursion):
            total += times * sum(statement.width**level for level in range(1, min(statement.depth, 12) + 1))
        elif isinstance(statement, (model.Flood, model.Successors)):
            total += times * statement.length
        elif isinstance(statement, model.Taskloop):
            total += factor
        for below in model.bodies(statement):
            total += _instances(below, factor)
    return total


def source_files(program):
    """The files of the program, by name; always the same for the same tree."""
    return Emitter(program).files()
