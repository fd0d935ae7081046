#!/usr/bin/env python3
"""Tests of the checks in this folder: each rule accepts what it should and refuses what it must."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import count  # noqa: E402  (the path must be set first)
import floors  # noqa: E402
import locks  # noqa: E402


def findings(path: str, text: str) -> list[str]:
    """What floors.py says about a tree that holds one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True)
        file.write_text(text)
        return floors.check(pathlib.Path(folder))[0]


class Floors(unittest.TestCase):
    def test_lower_floor_is_allowed(self):
        self.assertEqual(findings("runtime/a.cpp", '#include "policy/policy.hpp"\n'), [])

    def test_own_floor_is_allowed(self):
        self.assertEqual(findings("policy/a.cpp", '#include "policy/places.hpp"\n'), [])

    def test_higher_floor_is_refused_with_its_line(self):
        found = findings("memory/a.cpp", '// why\n#include "runtime/task.hpp"\n')
        self.assertEqual(
            found, ["memory/a.cpp:2: memory/ may not include runtime/, which is a higher floor"]
        )

    def test_neighbours_on_one_floor_are_refused(self):
        self.assertEqual(len(findings("analysis/a.cpp", '#include "simulate/a.hpp"\n')), 1)

    def test_the_lab_stands_on_base_and_machine_alone(self):
        self.assertEqual(findings("lab/a.cpp", '#include "machine/machine.hpp"\n'), [])
        self.assertEqual(findings("lab/a.cpp", '#include "lab/image/cpio.hpp"\n'), [])
        self.assertEqual(len(findings("lab/a.cpp", '#include "runtime/task.hpp"\n')), 1)

    def test_policy_may_not_touch_the_world(self):
        for header in ["thread", "chrono", "mutex", "sys/mman.h", "unistd.h", "pthread.h", "sched.h"]:
            with self.subTest(header=header):
                self.assertEqual(len(findings("policy/a.cpp", f"#include <{header}>\n")), 1)

    def test_policy_may_not_read_our_clock(self):
        self.assertEqual(len(findings("policy/a.cpp", '#include "base/clock.hpp"\n')), 1)

    def test_policy_may_not_keep_thread_local(self):
        self.assertEqual(len(findings("policy/a.cpp", "thread_local int x;\n")), 1)
        self.assertEqual(findings("policy/a.cpp", "// no thread_local here\n"), [])

    def test_preloaded_floors_refuse_hwloc_and_streams(self):
        self.assertEqual(len(findings("runtime/a.cpp", "#include <iostream>\n")), 1)
        self.assertEqual(len(findings("machine/compact.cpp", "#include <hwloc.h>\n")), 1)
        self.assertEqual(len(findings("host/openmp/a.cpp", '#include "machine/discover.hpp"\n')), 1)
        self.assertEqual(findings("machine/discover.cpp", "#include <hwloc.h>\n"), [])

    def test_front_ends_stay_outside_of_the_engine(self):
        self.assertEqual(len(findings("host/openmp/a.cpp", '#include "runtime/completion.hpp"\n')), 1)
        self.assertEqual(findings("host/openmp/a.cpp", '#include "runtime/engine.hpp"\n'), [])
        self.assertEqual(findings("runtime/a.cpp", '#include "runtime/completion.hpp"\n'), [])

    def test_unknown_folder_is_refused(self):
        self.assertEqual(len(findings("attic/a.cpp", "int x;\n")), 1)


class Exports(unittest.TestCase):
    def check(self, source: str, *patterns: str) -> int:
        compiler = next(c for c in ["cc", "gcc-12", "clang-19"] if shutil.which(c))
        with tempfile.TemporaryDirectory() as folder:
            library = f"{folder}/lib.so"
            command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library]
            subprocess.run(command, input=source, text=True, check=True)
            done = subprocess.run([HERE / "exports.py", library, *patterns], capture_output=True)
            return done.returncode

    def test_entry_points_are_accepted(self):
        self.assertEqual(self.check("int lares_a; int GOMP_b;", "lares_.*", "GOMP_.*"), 0)

    def test_a_stranger_is_refused(self):
        self.assertEqual(self.check("int lares_a; int other;", "lares_.*"), 1)

    def test_the_whole_name_counts(self):
        self.assertEqual(self.check("int not_lares_a;", "lares_.*"), 1)

    def test_a_library_without_exports_is_refused(self):
        self.assertEqual(self.check("static int lares_a;", "lares_.*"), 1)


class Locks(unittest.TestCase):
    def complaints(self, source: str) -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.cpp"
            path.write_text(source)
            return len(locks.strangers(path))

    def test_shared_locks_are_found(self):
        for line in ("Spinlock g_lock;", "runtime::Spinlock g_a_lock;  // of it",
                     "std::mutex g_lock;", "  static std::mutex lock;", "ProcessLock g_lock;",
                     "static inline constinit Spinlock g_lock;"):
            self.assertEqual(self.complaints(line + "\n"), 1, line)

    def test_others_are_left_alone(self):
        for line in ("LARES_PROCESS_LOCK(g_lock);", "  Spinlock lock_;", "void f(Spinlock& lock);",
                     "const std::lock_guard lock(g_lock);"):
            self.assertEqual(self.complaints(line + "\n"), 0, line)


class Count(unittest.TestCase):
    def lines(self, cases: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "tests.xml"
            report.write_text(f"<testsuite>{cases}</testsuite>")
            return count.count(report)

    def test_passed_and_failed(self):
        cases = '<testcase name="a" status="run"/><testcase name="b" status="fail"/>'
        self.assertEqual(self.lines(cases), ["passed 1", "failed 1 b"])

    def test_a_skipped_test_has_not_passed(self):
        cases = """<testcase name="a" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
                   </testcase><testcase name="b" status="disabled"/>"""
        self.assertEqual(self.lines(cases), ["passed 0", "skipped 1 a", "skipped 1 b"])

    def python(self, output: str) -> str:
        return f"""<testcase name="lab" status="run"><system-out>{output}</system-out></testcase>"""

    def test_a_script_counts_as_what_it_ran(self):
        self.assertEqual(self.lines(self.python("Ran 7 tests in 0.1s\n\nOK\n")), ["passed 7"])

    def test_a_method_that_skipped_has_not_passed_and_is_named(self):
        output = ("test_a (__main__.Lab.test_a) ... ok\n"
                  "test_b (__main__.Lab.test_b) ... skipped 'not built'\n"
                  "test_c (__main__.Lab.test_c)\nWhat it is. ... skipped 'no guest'\n"
                  "\nRan 3 tests in 0.1s\n\nOK (skipped=2)\n")
        self.assertEqual(self.lines(self.python(output)),
                         ["passed 1", "skipped 1 lab test_b: 'not built'",
                          "skipped 1 lab test_c: 'no guest'"])

    def test_a_method_that_skipped_without_its_name_has_not_passed_either(self):
        output = "Ran 3 tests in 0.1s\n\nOK (skipped=1)\n"
        self.assertEqual(self.lines(self.python(output)),
                         ["passed 2", "skipped 1 lab a case that is not named"])

    def test_cases_have_the_same_name_in_every_build(self):
        case = '<testcase name="A.b/{}-byte object &lt;{}&gt;" status="{}"/>'
        with tempfile.TemporaryDirectory() as folder:
            report, cases = pathlib.Path(folder) / "tests.xml", pathlib.Path(folder) / "cases"
            for padding in ("00", "7F"):
                report.write_text("<testsuite>" + case.format(2, "01-" + padding, "run") +
                                  case.format(2, "02-" + padding, "run") +
                                  case.format(1, "03", "disabled") + "</testsuite>")
                self.assertEqual(count.count(report, cases)[0], "passed 2")
            self.assertEqual(sorted(set(cases.read_text().splitlines())), ["A.b/ #1", "A.b/ #2"])

    def test_a_test_that_could_not_start_has_failed(self):
        cases = """<testcase name="a" status="notrun">
                   <skipped message="Unable to find executable"/></testcase>"""
        self.assertEqual(self.lines(cases), ["passed 0", "failed 1 a"])

    def test_nothing_to_count_is_a_failure(self):
        self.assertEqual(self.lines(""), ["passed 0", "failed 1 no test was found"])
        self.assertIn("failed 1 no report", count.count(pathlib.Path("/nowhere/tests.xml"))[1])


class Documentation(unittest.TestCase):
    ROOT = pathlib.Path(__file__).resolve().parents[2]
    PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

    @staticmethod
    def anchors(page: pathlib.Path) -> set[str]:
        """The names that a page's headings have, as GitHub makes them."""
        headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}

    def test_links_lead_somewhere(self):
        for page in self.PAGES:
            text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"),
                          flags=re.DOTALL)
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", link):
                    continue
                name, _, anchor = link.partition("#")
                target = (page.parent / name) if name else page
                self.assertTrue(target.exists(), f"{page.name}: {link}")
                if anchor:
                    self.assertIn(anchor, self.anchors(target), f"{page.name}: {link}")

    def test_variables_that_are_read_are_known_and_documented(self):
        read = set()
        for file in (self.ROOT / "src").rglob("*.[ch]pp"):
            text = file.read_text(encoding="utf-8")
            read |= set(re.findall(r'(?:getenv|\bget)\("(LARES_\w+)"\)', text))
            read |= set(re.findall(r'environment, "(LARES_\w+)"\)', text))
        settings = (self.ROOT / "src/cli/launch/settings.cpp").read_text(encoding="utf-8")
        known = re.search(r"known_here = \{(.*?)\}", settings, re.DOTALL)[1]
        # `lares run` warns of any other, so who sets one as the documentation says must not be told.
        # LARES_DISORDER is known where it is built in only.
        self.assertEqual(sorted(read - {"LARES_DISORDER"}),
                         sorted(set(re.findall(r"LARES_\w+", known))))
        documentation = self.documentation()
        for name in read - {"LARES_BOUND"}:  # set for the library
            self.assertIn(name, documentation)

    def texts(self, *patterns: str) -> str:
        files = [file for pattern in patterns for file in self.ROOT.glob(pattern) if file.is_file()]
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)

    def test_names_that_are_documented_exist(self):
        """LARES_ names: variables, macros, settings of CMake and of tests."""
        named = set(re.findall(r"\bLARES_\w+", self.documentation()))
        code = self.texts("src/**/*", "include/**/*", "cmake/*", "CMake*", "tests/unit/**/*.hpp")
        self.assertEqual(named - set(re.findall(r"\bLARES_\w+", code)), set())

    def test_options_are_documented_and_documented_options_exist(self):
        option = r"(?<![\w-])(--[a-z][a-z-]+)"
        documented = set(re.findall(option, self.documentation()))
        of_lares = set(re.findall(r'"(--[a-z][a-z-]+)"', self.texts("src/cli/**/*.cpp")))
        self.assertEqual(of_lares - documented - {"--version"}, set())
        of_scripts = set(re.findall(option, self.texts("bench/*.py", "scripts/*", "tests/**/*.py",
                                                       "tests/torture/run")))
        self.assertEqual(documented - of_lares - of_scripts, set())

    def documentation(self) -> str:
        return "".join(page.read_text(encoding="utf-8") for page in self.PAGES)


if __name__ == "__main__":
    unittest.main()
