"""Builds generated programs: the text of emit.py, by GCC 12 and Clang 19."""

import concurrent.futures
import pathlib
import re
import subprocess
import tempfile

from emit import source_files

HERE = pathlib.Path(__file__).resolve().parent
DRIVERS = {
    ("gcc", "c"): "gcc-12", ("gcc", "cpp"): "g++-12", ("gcc", "fortran"): "gfortran-12",
    ("clang", "c"): "clang-19", ("clang", "cpp"): "clang++-19",
}
FLAGS = ["-O1", "-g", "-fopenmp", "-w", "-pthread"]


class BuildError(Exception):
    """A compiler refuses a program: a fault of the generator. Its text is the compiler's."""


def drivers_of(language):
    return [compiler for compiler, spoken in DRIVERS if spoken == language]


def other_than(compiler):
    return "clang" if compiler == "gcc" else "gcc"


def wrong_runtime(folder):
    """What the tests of the tests preload: a runtime that does wrong what its variable WRONG names."""
    made = pathlib.Path(folder) / "wrong_runtime.so"
    subprocess.run(["gcc-12", "-O1", "-Wall", "-Wextra", "-shared", "-fPIC", HERE / "wrong_runtime.c", "-o", made],
                   check=True)
    return made


def fortran_interface():
    """The functions of shadow.h for Fortran, so that they stand in one place only."""
    types = {"int": "integer(c_int), value", "int*": "integer(c_int)", "const int*": "integer(c_int)",
             "handle": "integer(c_long), value", "long": "integer(c_long), value"}
    lines = ["module shadow", "  interface"]
    header = (HERE / "shadow.h").read_text(encoding="utf-8")
    for kind, name, given in re.findall(r"^(handle|long|void) (sh_\w+)\(([^()]*)\);", header, re.M):
        arguments = [argument.strip().rpartition(" ") for argument in given.split(",")]
        if any(of not in types for of, _, _ in arguments):
            continue
        names = ", ".join(argument for _, _, argument in arguments)
        what = "subroutine" if kind == "void" else "function"
        lines += [f"    {'' if kind == 'void' else 'integer(c_long) '}{what} {name}({names}) bind(C)",
                  "      use iso_c_binding, only: c_int, c_long"]
        lines += [f"      {types[of]} :: {argument}{'(*)' if of.endswith('*') else ''}"
                  for of, _, argument in arguments]
        lines.append(f"    end {what}")
    return "\n".join([*lines, "  end interface", "end module", ""])


class Builder:
    """Builds into folders below one; the shadow is built once."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder).resolve()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._shadow(HERE / "shadow.c")
        interface = self._folder / "shadow.f90"
        interface.write_text(fortran_interface(), encoding="utf-8")
        self._fortran_ready = False

    def _shadow(self, *sources):
        self._call("gcc-12", "-O2", "-shared", "-fPIC", "-pthread", *sources, "-o", self._folder / "libshadow.so")

    def build(self, program, name=None):
        """The path of the executable."""
        place = pathlib.Path(tempfile.mkdtemp(prefix=(name or program.name) + "-", dir=self._folder))
        files = source_files(program)
        for file, text in files.items():
            (place / file).write_text(text, encoding="utf-8")
        other = other_than(program.compiler)
        libraries = [self._library(place, file, other if file.startswith("other") else program.compiler)
                     for file in files if file.startswith(("same", "other"))]
        sources = [place / file for file in files if file.startswith(("main", "table"))]
        driver = DRIVERS[(program.compiler, program.language)]
        flags = [*FLAGS, f"-I{HERE}"]
        if program.language == "fortran":
            self._fortran_module()
            objects = [self._object(place / "table.c")] if "table.c" in files else []
            sources = [place / "main.f90", *objects]
            flags += [f"-I{self._folder}", "-J", place, "-ffree-line-length-none"]
        self._call(driver, *flags, *sources, *libraries, f"-L{self._folder}", "-lshadow",
                   f"-Wl,-rpath,{self._folder}", f"-Wl,-rpath,{place}", "-o", place / "program")
        return place / "program"

    def _library(self, place, file, compiler):
        language = "cpp" if file.endswith(".cpp") else "c"
        made = place / f"lib{file.partition('.')[0]}.so"
        self._call(DRIVERS[(compiler, language)], *FLAGS, f"-I{HERE}", "-shared", "-fPIC", place / file,
                   f"-L{self._folder}", "-lshadow", "-o", made)
        return made

    def _object(self, source):
        made = source.with_suffix(".o")
        self._call("gcc-12", "-O1", "-w", f"-I{HERE}", "-c", source, "-o", made)
        return made

    def _fortran_module(self):
        if not self._fortran_ready:
            self._call("gfortran-12", "-c", self._folder / "shadow.f90", "-J", self._folder,
                       "-o", self._folder / "shadow.o")
            self._fortran_ready = True

    @staticmethod
    def _call(*command):
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if run.returncode:
            raise BuildError(run.stderr.strip())


class WalkerBuilder(Builder):
    """Builds the walkers of tree.h: one for each compiler, alone or mixed with libraries of both."""

    def _shadow(self, *sources):
        super()._shadow(*sources, HERE / "tree.c")

    def build(self, program, name=None):
        """The path of the walker for (compiler, mixed)."""
        compiler, mixed = program.compiler, program.mixed
        made = self._folder / f"walker-{compiler}-{'mixed' if mixed else 'alone'}"
        if made.exists():
            return made
        libraries = [self._library_of(compiler, 1), self._library_of(other_than(compiler), 2)] if mixed else []
        self._call(DRIVERS[(compiler, "c")], *FLAGS, f"-I{HERE}", *self._compiled(compiler, 0), HERE / "walker.c",
                   "-Wl,--no-as-needed", *libraries, *self._linked(), "-o", made)
        return made

    def _compiled(self, compiler, unit):
        """The objects of walk/, two compilers at a time."""
        def compiled(source):
            made = self._folder / f"unit{unit}-{compiler}-{source.stem}.o"
            if not made.exists():
                self._call(DRIVERS[(compiler, "c")], "-std=gnu11", *FLAGS, "-fPIC", f"-DUNIT={unit}", f"-I{HERE}",
                           "-c", source, "-o", made)
            return made

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(compiled, sorted((HERE / "walk").glob("*.c"))))

    def _library_of(self, compiler, unit):
        made = self._folder / f"libunit{unit}-{compiler}.so"
        self._call(DRIVERS[(compiler, "c")], *FLAGS, "-shared", *self._compiled(compiler, unit), *self._linked(),
                   "-o", made)
        return made

    def _linked(self):
        return [f"-L{self._folder}", "-lshadow", f"-Wl,-rpath,{self._folder}"]
