#!/usr/bin/env python3
"""Runs LLVM's tests of OMPT, which were written for libomp, built by GCC or Clang and under `lares run`.

Usage: bench/ompt_llvm.py LARES TESTS INCLUDE [--family gcc|clang] [--stock] [--filecheck NAME] [--only WORD] [--show]

TESTS is openmp/runtime of a copy of llvm-project (or of its old mirror llvm-mirror/openmp, whose
runtime it is), INCLUDE the folder of omp-tools.h. Prints a line for each test, "pass", "FAIL" or
"skip" with the reason, and sums at the end.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Of C, of C++.
COMPILERS = {"gcc": ("gcc-12", "g++-12"), "clang": ("clang-19", "clang++-19")}
# Names of barriers that OpenMP 5.1 has added, for copies that are older. Older ones also take a
# test of a lock for a wait.
NEW_BARRIERS = ("implicit_workshare", "implicit_parallel")


def command_lines(source):
    """The test's RUN lines, as one command each."""
    text = "\n".join(re.findall(r"// RUN:(.*)", source))
    return re.sub(r"\\\n", " ", text).splitlines()


def prepare(tests, folder):
    """A copy of the tests whose callback.h knows the new names."""
    for part in ("test/ompt", "src/kmp_platform.h"):
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (tests / part).is_dir():
            shutil.copytree(tests / part, target)
        elif (tests / part).exists():
            shutil.copy(tests / part, target)
    header = folder / "test/ompt/callback.h"
    text = header.read_text()
    if NEW_BARRIERS[0] not in text:
        more = "".join(f" case ompt_sync_region_barrier_{name}:" for name in NEW_BARRIERS)
        text = text.replace("case ompt_sync_region_barrier_implicit:",
                            "case ompt_sync_region_barrier_implicit:" + more)
    if "ompt_mutex_test_lock" not in text:
        for kind in ("lock", "nest_lock"):
            text = text.replace(f"case ompt_mutex_{kind}:",
                                f"case ompt_mutex_{kind}: case ompt_mutex_test_{kind}:")
    header.write_text(text)
    # What Lares says that it never tells of. Tests that look for such an event fail nevertheless.
    unpromised = re.compile(
        r".*CHECK-NOT.*Could not register callback($| '(ompt_callback_(mutex_\w+|nest_lock|lock_\w+"
        r"|flush|master|masked|control_tool|reduction)).*)", re.MULTILINE)
    for file in (folder / "test/ompt").rglob("*.[ch]*"):
        text = unpromised.sub("", file.read_text(errors="replace"))
        # Some tests have callbacks of their own.
        text = text.replace("kind == ompt_sync_region_barrier_implicit)",
                            "kind == ompt_sync_region_barrier_implicit_parallel)")
        file.write_text(text)
    return folder / "test/ompt"


def outcome(file, tests, options):
    """What became of one test, and what it said."""
    source = file.read_text(errors="replace")
    lines = command_lines(source)
    if not lines:
        return "skip", "no command"
    is_gcc = options.family == "gcc"
    if re.search(rf"(UNSUPPORTED|XFAIL):.*\b{options.family}\b(?!-)", source):
        return "skip", f"the test says that it is not for {options.family}"
    if is_gcc and ("kmpc" in source or "kmp_" in source):
        return "skip", "calls functions of libomp"
    if "loadtool" in str(file):
        return "skip", "builds libraries of its own; tests/ompt has the same"
    binary = file.with_suffix(".out")
    # Clang's main begins with a call of libomp if it has constructs, at which the tool starts;
    # GCC's does not.
    first = tests / "first_call.c"
    first.write_text("#include <omp.h>\n__attribute__((constructor)) static void first_call(void)"
                     "{ omp_set_dynamic(omp_get_dynamic()); }\n")
    compiler = COMPILERS[options.family][file.suffix == ".cpp"]
    build = [compiler, "-w", "-g", "-fopenmp", "-rdynamic", f"-I{tests}", "-idirafter",
             options.include, str(file), "-o", str(binary), "-lm", "-pthread"]
    main_code = re.sub(r"//.*", "", source.partition("main(")[2])
    if is_gcc and "omp" in main_code:
        build.append(str(first))
    extra = re.findall(r"-D\S+", " ".join(lines))
    done = subprocess.run(build + extra, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return "skip", f"{compiler} does not compile it: " + (done.stderr.splitlines() or ["?"])[0][-90:]
    run = str(binary) if options.stock else f"{options.lares} run --quiet -- {binary}"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "LARES_"))}
    # The tool is in the program; that one is named has `lares run` look at more of GCC's constructs.
    if is_gcc:
        kept["OMP_TOOL_LIBRARIES"] = str(binary)
    for line in lines:
        line = re.sub(r"%libomp-cxx-compile-and-run|%libomp-compile-and-run", "%run", line)
        line = re.sub(r"%libomp-(cxx-)?compile(\s+-\S+)*\s*&&", "", line)
        line = line.replace("%libomp-run", "%run").replace("%run", run)
        line = line.replace("%sort-threads", "sort --numeric-sort --stable")
        line = line.replace("%S", str(file.parent)).replace("%s", str(file)).replace("%t", str(binary) + ".tmp")
        line = re.sub(r"\bFileCheck\b", options.filecheck, line)
        if "%" in line:
            return "skip", "a command that only LLVM's test driver knows"
        try:
            done = subprocess.run(["timeout", "20", "bash", "-o", "pipefail", "-c", line], env=kept,
                                  capture_output=True, text=True, check=False)
        except OSError as error:
            return "FAIL", str(error)
        if done.returncode != 0:
            return "FAIL", done.stderr if options.show else first_line(done)
    return "pass", ""


def first_line(done):
    """What FileCheck missed, or how the run ended."""
    wanted = re.findall(r"// (CHECK.*)|(CHECK.*)", done.stderr)
    return next((a or b for a, b in wanted), f"status {done.returncode}")[:150]


def main():
    """See the top."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lares")
    parser.add_argument("tests", type=pathlib.Path)
    parser.add_argument("include")
    parser.add_argument("--filecheck", default="FileCheck-14")
    parser.add_argument("--family", choices=COMPILERS, default="gcc")
    parser.add_argument("--stock", action="store_true", help="without Lares, to compare with")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    sums = {}
    with tempfile.TemporaryDirectory() as folder:
        tests = prepare(options.tests, pathlib.Path(folder))
        for file in sorted(tests.rglob("*.c*")):
            name = str(file.relative_to(tests))
            if options.only not in name:
                continue
            what, why = outcome(file, tests, options)
            part = name.split("/", maxsplit=1)[0]
            sums.setdefault(part, {"pass": 0, "FAIL": 0, "skip": 0})[what] += 1
            print(f"{what} {name} {why}", flush=True)
    for part, row in sorted(sums.items()):
        print(f"| {part} | {row['pass']} | {row['FAIL']} | {row['skip']} |")


if __name__ == "__main__":
    sys.exit(main())
