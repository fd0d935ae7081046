"""Text of one source file, in C, C++ or Fortran: the few forms of statement that emit.py needs."""

import contextlib

FORTRAN_OPERATORS = {"+": "+", "^": "ieor", "|": "ior", "max": "max"}


class CWriter:
    """C and C++."""

    fortran = False

    def __init__(self, language):
        self.language = language
        self.lines = []
        self._depth = 1

    def line(self, text):
        self.lines.append("  " * self._depth + text)

    @contextlib.contextmanager
    def block(self, head=""):
        self.line(f"{head} {{".lstrip())
        self._depth += 1
        yield
        self._depth -= 1
        self.line("}")

    def let(self, name, value):
        self.line(f"handle {name} = {value};")

    def number(self, name, value):
        self.line(f"long {name} = {value};")

    def call(self, name, *arguments):
        self.line(f"{name}({', '.join(map(str, arguments))});")

    @staticmethod
    def long(value):
        return str(value)

    def text(self, value):
        return f'"{value}"'

    def standalone(self, text):
        self.lines.append(f"#pragma omp {text}")

    @contextlib.contextmanager
    def construct(self, name, clauses=""):
        self.standalone(f"{name} {clauses}".rstrip())
        with self.block():
            yield

    @contextlib.contextmanager
    def loop(self, variable, count, directive=""):
        if directive:
            self.standalone(directive)
        with self.block(f"for (long {variable} = 0; {variable} < {count}; {variable}++)"):
            yield

    @contextlib.contextmanager
    def typed_loop(self, directive, variable, loop, end=""):
        """`loop`: a For. The writer declares the variable of its type."""
        kind = {"int": "int", "unsigned": "unsigned", "long": "long long",
                "unsigned long": "unsigned long long"}[loop.kind]
        suffix = {"int": "", "unsigned": "u", "long": "ll", "unsigned long": "ull"}[loop.kind]
        last = loop.low + loop.count * loop.step
        compare = "<" if loop.step > 0 else ">"
        change = f"+= {loop.step}" if loop.step > 0 else f"-= {-loop.step}"
        self.standalone(directive)
        with self.block(f"for ({kind} {variable} = {loop.low}{suffix}; {variable} {compare} "
                        f"{last}{suffix}; {variable} {change})"):
            yield

    def index_of(self, variable, loop):
        """The number of the iteration, from 0."""
        if loop.step > 0:
            return f"(long)(({variable} - {loop.low}) / {loop.step})"
        return f"(long)(({loop.low} - {variable}) / {-loop.step})"

    @contextlib.contextmanager
    def when(self, condition):
        with self.block(f"if ({condition})"):
            yield

    def fold(self, operation, name, value):
        if operation == "max":
            self.line(f"{{ long amount = {value}; if (amount > {name}) {name} = amount; }}")
        else:
            self.line(f"{name} {operation}= {value};")

    def integers(self, name, count):
        self.line(f"int {name}[{count}];")

    def cells(self, name, domain, count):
        self.line(f"char* {name} = sh_cells({domain});")

    def event(self, name):
        self.line(f"omp_event_handle_t {name};")

    @staticmethod
    def cell(name, index):
        return f"{name}[{index}]"

    @staticmethod
    def operator(operation):
        return operation

    @staticmethod
    def truth(value):
        return "1" if value else "0"


class FortranWriter(CWriter):
    """Free form. Declarations open a BLOCK that ends with the block they stand in."""

    fortran = True

    def __init__(self):
        super().__init__("fortran")
        self._open = [0]  # BLOCKs to be ended, for each block that is open

    @contextlib.contextmanager
    def _scope(self):
        self._open.append(0)
        self._depth += 1
        yield
        self.end_blocks()
        self._open.pop()
        self._depth -= 1

    def end_blocks(self):
        for _ in range(self._open[-1]):
            self.line("end block")
        self._open[-1] = 0

    def _declare(self, declaration):
        self.line("block")
        self.line(declaration)
        self._open[-1] += 1

    @contextlib.contextmanager
    def block(self, head=""):
        self.line("block")
        with self._scope():
            yield
        self.line("end block")

    def let(self, name, value):
        self._declare(f"integer(8) :: {name}")
        self.line(f"{name} = {value}")

    number = let

    def call(self, name, *arguments):
        self.line(f"call {name}({', '.join(map(str, arguments))})")

    @staticmethod
    def long(value):
        return f"{value}_8" if isinstance(value, int) else f"int({value}, 8)"

    def standalone(self, text):
        self.line(f"!$omp {text}")

    @contextlib.contextmanager
    def construct(self, name, clauses=""):
        at_end = [word for word in clauses.split() if word.startswith(("nowait", "copyprivate"))]
        kept = " ".join(word for word in clauses.split() if word not in at_end)
        self.standalone(f"{name} {kept}".rstrip())
        # A directive before a BLOCK ends with it, so whatever is inside stands in one.
        with self.block():
            yield
        self.standalone(f"end {name} {' '.join(at_end)}".rstrip())

    @contextlib.contextmanager
    def loop(self, variable, count, directive=""):
        self._declare(f"integer(8) :: {variable}")
        if directive:
            self.standalone(directive)
        self.line(f"do {variable} = 0_8, {count} - 1")
        with self._scope():
            yield
        self.line("end do")

    @contextlib.contextmanager
    def typed_loop(self, directive, variable, loop, end=""):
        kind = 8 if "long" in loop.kind else 4
        first, last = loop.low, loop.low + (loop.count - 1) * loop.step
        if loop.count == 0:  # the bound before the first may lie outside of the type
            first, last = (loop.low - 1, loop.low) if loop.step < 0 else (loop.low + 1, loop.low)
        self._declare(f"integer({kind}) :: {variable}")
        self.standalone(directive)
        self.line(f"do {variable} = {first}_{kind}, {last}_{kind}, {loop.step}_{kind}")
        with self._scope():
            yield
        self.line("end do")
        if end:
            self.standalone(end)

    def index_of(self, variable, loop):
        kind = 8 if "long" in loop.kind else 4
        return f"int(({variable} - ({loop.low}_{kind})) / ({loop.step}_{kind}), 8)"

    @contextlib.contextmanager
    def when(self, condition):
        self.line(f"if ({condition}) then")
        with self._scope():
            yield
        self.line("end if")

    def fold(self, operation, name, value):
        if operation == "+":
            self.line(f"{name} = {name} + {value}")
        else:
            self.line(f"{name} = {FORTRAN_OPERATORS[operation]}({name}, {value})")

    def integers(self, name, count):
        self._declare(f"integer(4) :: {name}({count})")

    def cells(self, name, domain, count):
        self._declare(f"integer(1) :: {name}(0:{count})")

    def event(self, name):
        self._declare(f"integer(omp_event_handle_kind) :: {name}")

    @staticmethod
    def cell(name, index):
        return f"{name}({index})"

    @staticmethod
    def operator(operation):
        return FORTRAN_OPERATORS[operation]

    @staticmethod
    def truth(value):
        return ".true." if value else ".false."
