"""The programs of the suite: what their sources say about themselves, and how they are built."""

import concurrent.futures
import dataclasses
import hashlib
import pathlib
import re
import shlex
import signal
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = {"c": "*.c", "cpp": "*.cpp", "fortran": "*.f90"}
WARNINGS = [
    "-Wall", "-Wextra", "-Werror",
    # Variables that only clauses name count as unused for both compilers.
    "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-but-set-parameter",
    "-Wno-unused-parameter", "-Wno-sign-compare",
]


class SuiteError(Exception):
    """A mistake in the suite itself or in how it was called: one sentence."""


@dataclasses.dataclass(frozen=True)
class Compiler:
    """One vendor: the names of its drivers, by language; none where it has no such compiler."""

    name: str
    runtime: str
    drivers: dict

    def driver(self, language):
        return self.drivers.get(language)


COMPILERS = {
    "gcc": Compiler("gcc", "libgomp", {"c": "gcc-12", "cpp": "g++-12", "fortran": "gfortran-12"}),
    "clang": Compiler("clang", "libomp", {"c": "clang-19", "cpp": "clang++-19"}),
}
NO_DRIVER = {("clang", "fortran"): "Debian 12 has no flang"}


@dataclasses.dataclass
class Program:
    """One source file and its "conformance:" lines."""

    language: str
    path: pathlib.Path
    environment: dict = dataclasses.field(default_factory=dict)
    only: str = ""
    only_reason: str = ""
    stock_fails: list = dataclasses.field(default_factory=list)  # (compiler, case, reason)
    status: int = 0
    library: str = ""
    library_by_other: bool = False
    link: list = dataclasses.field(default_factory=list)
    openmp: bool = True

    @property
    def name(self):
        return f"{self.language}/{self.path.stem}"

    def cases(self):
        """The names of the cases in order; none for programs that are one case themselves."""
        text = self.path.read_text(encoding="utf-8")
        if self.language == "fortran":
            return re.findall(r"call run_case\('(\w+)'", text)
        start = text.find("CASES(")
        return re.findall(r"CASE\((\w+)\)", text[start:]) if start >= 0 else []

    def skipped(self, compiler):
        return [case for name, case, _ in self.stock_fails if name == compiler.name]

    def left_out(self, compiler):
        """Why this compiler does not build the program; an empty text if it does."""
        if compiler.driver(self.language) is None:
            return NO_DRIVER[(compiler.name, self.language)]
        if self.only and self.only != compiler.name:
            return self.only_reason
        return ""


def _status(word):
    if word.startswith("SIG"):
        return -int(getattr(signal, word))
    return int(word)


def _apply(program, line):
    word, _, rest = line.partition(" ")
    if word == "env":
        program.environment.update(pair.split("=", 1) for pair in rest.split())
    elif word == "only":
        program.only, _, program.only_reason = (part.strip() for part in rest.partition(":"))
    elif word == "stock-fails":
        where, _, reason = rest.partition(":")
        compiler, case = where.split()
        program.stock_fails.append((compiler, case, reason.strip()))
    elif word == "status":
        program.status = _status(rest)
    elif word == "library":
        program.library, _, other = rest.partition(" ")
        program.library_by_other = bool(other)
    elif word == "link":
        program.link = shlex.split(rest)
    elif word == "no-openmp":
        program.openmp = False
    else:
        raise SuiteError(f"{program.path}: unknown line 'conformance: {line}'")


def _check(program):
    cases = program.cases()
    for compiler, case, reason in program.stock_fails:
        if case not in cases:
            raise SuiteError(f"{program.path}: stock-fails names no case of it: '{case}'")
        if compiler not in COMPILERS or not reason:
            raise SuiteError(f"{program.path}: stock-fails needs a compiler and a reason")
    if program.only and (program.only not in COMPILERS or not program.only_reason):
        raise SuiteError(f"{program.path}: only needs a compiler and a reason")


def read_programs(pattern=""):
    """All programs whose name contains a match of the pattern, in a fixed order."""
    programs = []
    for language, glob in FOLDERS.items():
        for path in sorted((HERE / language).glob(glob)):
            if path.stem == "check":
                continue
            program = Program(language, path)
            for line in path.read_text(encoding="utf-8").splitlines():
                match = re.match(r"\s*(?://|!)\s*conformance:\s*(.+?)\s*$", line)
                if match:
                    _apply(program, match.group(1))
            _check(program)
            if re.search(pattern, program.name):
                programs.append(program)
    return programs


@dataclasses.dataclass(frozen=True)
class Binary:
    """A program as one compiler built it."""

    program: Program
    compiler: Compiler
    path: pathlib.Path
    library: pathlib.Path | None

    @property
    def name(self):
        return f"{self.program.name} {self.compiler.name}"

    def command(self):
        return [str(self.path)] + [f"--skip={case}" for case in self.program.skipped(self.compiler)]

    def __hash__(self):
        return hash(self.path)


class Builder:
    """Builds programs into a folder and keeps what has not changed since."""

    def __init__(self, folder, jobs):
        self._folder = folder
        self._jobs = jobs
        self._versions = {}

    def build(self, programs, compilers):
        """The binaries, and the pairs (name, text) of what did not build."""
        self._folder.mkdir(parents=True, exist_ok=True)
        wanted = [(p, c) for p in programs for c in compilers if not p.left_out(c)]
        binaries, errors = [], []
        with concurrent.futures.ThreadPoolExecutor(self._jobs) as pool:
            for (program, compiler), result in zip(wanted, pool.map(self._build_one, wanted)):
                if isinstance(result, Binary):
                    binaries.append(result)
                else:
                    errors.append((f"{program.name} {compiler.name}", result))
        return binaries, errors

    def _build_one(self, pair):
        program, compiler = pair
        try:
            library = self._library(program, compiler) if program.library else None
            sources, flags = self._recipe(program)
            path = self._compile(compiler.driver(program.language), sources, flags,
                                 f"{program.path.stem}-{compiler.name}")
            return Binary(program, compiler, path, library)
        except subprocess.CalledProcessError as error:
            return error.stderr.strip()

    @staticmethod
    def _recipe(program):
        flags = ["-O2", "-g"] + (["-fopenmp"] if program.openmp else [])
        if program.language == "fortran":
            return [HERE / "fortran/check.f90", program.path], flags + ["-Wall", "-Werror"]
        standard = "-std=gnu17" if program.language == "c" else "-std=c++20"
        flags += [standard, f"-I{HERE}", "-pthread"] + WARNINGS
        return [program.path], flags + program.link

    def _library(self, program, compiler):
        if program.library_by_other:
            compiler = next(c for c in COMPILERS.values() if c.name != compiler.name)
        return self._compile(compiler.driver("c"), [HERE / "c/library" / program.library],
                             ["-O2", "-g", "-fopenmp", "-shared", "-fPIC"],
                             f"library-{program.library}-{compiler.name}")

    def _version(self, driver):
        if driver not in self._versions:
            try:
                run = subprocess.run([driver, "--version"], capture_output=True, text=True,
                                     check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                raise SuiteError(f"the compiler {driver} cannot be run: {error}") from None
            self._versions[driver] = run.stdout
        return self._versions[driver]

    def _compile(self, driver, sources, flags, name):
        digest = hashlib.sha256()
        for text in [self._version(driver), repr(flags), *map(str, sources)]:
            digest.update(text.encode())
        for source in [*sources, HERE / "check.h"]:
            digest.update(source.read_bytes())
        target = self._folder / f"{name}-{digest.hexdigest()[:16]}"
        if target.exists():
            return target
        # A folder of its own keeps module files of concurrent Fortran builds apart; the rename
        # makes the cache safe against interrupted builds.
        work = self._folder / f"{target.name}.work"
        work.mkdir(exist_ok=True)
        modules = ["-J", str(work)] if "gfortran" in driver else []
        # Libraries stand after the sources that need them.
        options = [flag for flag in flags if not flag.startswith("-l")]
        libraries = [flag for flag in flags if flag.startswith("-l")]
        subprocess.run([driver, *options, *modules, *map(str, sources), "-o", str(work / "out"),
                        *libraries], capture_output=True, text=True, check=True)
        (work / "out").rename(target)
        for leftover in work.iterdir():
            leftover.unlink()
        work.rmdir()
        return target
