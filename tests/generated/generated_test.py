#!/usr/bin/env python3
"""Tests of the generator: its texts, that its programs find a wrong runtime, and that it shrinks."""

import contextlib
import io
import pathlib
import shutil
import sys
import tempfile
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402  (the path must be set first)
import model  # noqa: E402
import run as suite  # noqa: E402
from build import Builder, drivers_of, fortran_interface, wrong_runtime  # noqa: E402
from emit import source_files  # noqa: E402
from execute import Setting, run, run_each  # noqa: E402
from model import Case, Depend, Domain, Parallel, Program, Repeat, Single, Task, Taskgroup, Taskwait, Work  # noqa: E402
from settings import Settings  # noqa: E402
from shrink import Shrinker  # noqa: E402

LIMIT = 20
FOUR = (("OMP_NUM_THREADS", "4"),)


def everything(without=(), seeds=range(5)):
    """Programs of all languages and compilers."""
    for seed in seeds:
        for language in generate.LANGUAGES:
            for compiler in drivers_of(language):
                yield generate.generate(seed, language, compiler, 6, without)


def text_of(program):
    return "\n".join(source_files(program).values())


class Texts(unittest.TestCase):
    def test_the_same_seed_gives_the_same_text(self):
        for program in everything(seeds=range(3)):
            again = generate.generate(program.seed, program.language, program.compiler, 6)
            self.assertEqual(source_files(program), source_files(again))

    def test_another_seed_gives_another_text(self):
        texts = {text_of(program) for program in everything()}
        self.assertEqual(len(texts), 5 * 5)

    def test_a_feature_that_is_off_does_not_appear(self):
        marks = {"all-memory": "omp_all_memory", "cancel": "omp cancel", "depobj": "depobj", "detach": "detach(",
                 "exceptions": "try {", "inoutset": "(inoutset", "iterator": "iterator(", "taskloop": "taskloop",
                 "undeferred": " if(", "untied": "untied", "task-reduction": "in_reduction"}
        for feature, mark in marks.items():
            with self.subTest(feature=feature):
                self.assertTrue(any(mark in text_of(p) for p in everything(seeds=range(30))))
                self.assertFalse(any(mark in text_of(p) for p in everything([feature])))

    def test_what_is_known_to_fail_can_be_switched_off(self):
        self.assertLessEqual(set(generate.KNOWN_TO_FAIL), set(generate.FEATURES))

    def test_one_case_of_a_program_is_a_program(self):
        program = generate.generate(1, "c", "gcc", 6)
        only = program.only(4)
        self.assertEqual([case.number for case in only.cases], [4])
        self.assertEqual(repr(only.cases[0]), repr(program.cases[3]))

    def test_all_functions_of_the_shadow_are_known_to_fortran(self):
        interface = fortran_interface()
        for name in ("sh_task", "sh_access", "sh_iteration_end", "sh_may_miss", "sh_fill"):
            self.assertIn(f" {name}(", interface)

    def test_settings_come_from_the_seed(self):
        settings = Settings()
        self.assertEqual(settings.draw(5, 8), settings.draw(5, 8))
        self.assertNotEqual(settings.draw(5, 8), settings.draw(6, 8))


class Built(unittest.TestCase):
    """Programs that run, on a runtime that is right or wrong."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="lares-generated-test-"))
        cls.builder = Builder(cls.folder)
        cls.wrong = wrong_runtime(cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setting(self, fault):
        return Setting(("env", f"LD_PRELOAD={self.wrong}", f"WRONG={fault}"), FOUR)

    def build(self, statements, number=1):
        body = [Parallel(0, [Single(statements)])]
        return self.builder.build(Program(0, "c", "gcc", [Case(number, body)]))

    def finds(self, fault, statements, kind="wrong", limit=LIMIT, kib=0):
        """The program passes stock, and fails with the fault within some runs."""
        program = self.build(statements)
        self.assertEqual(run(program, Setting((), FOUR), [], LIMIT).fault, "")
        self.assertTrue(self.shows(program, fault, kind, limit, kib))

    def shows(self, program, fault, kind="wrong", limit=LIMIT, kib=0):
        """On a busy machine some faults need luck to show."""
        return any(run(program, self.setting(fault), [], limit, kib).fault == kind for _ in range(40))

    @staticmethod
    def many(*statements):
        return [Repeat(50, list(statements))]

    def test_generated_programs_pass_on_a_right_runtime(self):
        for language, compiler in (("c", "gcc"), ("cpp", "clang"), ("fortran", "gcc")):
            with self.subTest(language=language):
                program = generate.generate(3, language, compiler, 3, ["cancel", "detach", "flood", "successors"])
                outcomes = run_each(self.builder.build(program), Setting((), FOUR), [1, 2, 3], LIMIT)
                self.assertEqual([outcome.fault for outcome in outcomes.values()], ["", "", ""])

    def test_dropped_dependences_are_found(self):
        self.finds("dropped-dependences", [Domain(1, self.many(Task([Work(1500)], [Depend("inout", 0)])))])

    def test_readers_that_do_not_wait_are_found(self):
        self.finds("dropped-dependences", [Domain(1, self.many(
            Task([Work(1500)], [Depend("out", 0)]), Task([], [Depend("in", 0)])))])

    def test_members_of_a_mutexinoutset_that_overlap_are_found(self):
        self.finds("shared-mutexinoutset", [Domain(1, self.many(Task([Work(1500)], [Depend("mutexinoutset", 0)])))])

    def test_a_task_that_runs_twice_is_found(self):
        self.finds("task-twice", self.many(Task()))

    def test_a_task_that_is_lost_is_found(self):
        self.finds("lost-task", self.many(Task()))

    def test_a_taskwait_that_does_not_wait_is_found(self):
        self.finds("skipped-taskwait", self.many(Task([Work(20)]), Taskwait()))

    def test_a_barrier_that_does_not_wait_is_found(self):
        body = [Parallel(0, [Task([Work(200)]), model.Barrier(), Task([Work(20)]), model.Barrier()])]
        program = self.builder.build(Program(0, "c", "gcc", [Case(1, body)]))
        self.assertEqual(run(program, Setting((), FOUR), [], LIMIT).fault, "")
        self.assertTrue(self.shows(program, "skipped-barrier"))

    def test_a_crash_is_found(self):
        self.finds("crash", [Taskgroup([Task()])], "crash")

    def test_a_hang_is_found(self):
        program = self.build([Taskgroup([Task()])])
        self.assertEqual(run(program, self.setting("hang"), [], 1).fault, "hang")

    def test_growth_is_found(self):
        self.finds("growth", self.many(Task()), "growth", kib=100 * 1024)

    def test_only_the_case_that_fails_counts_as_failed(self):
        good = [Parallel(0, [Single([Task()])])]
        bad = [Parallel(0, [Single([Taskgroup([Task()])])])]
        program = self.builder.build(Program(0, "c", "gcc", [Case(1, good), Case(2, bad), Case(3, good)]))
        outcomes = run_each(program, self.setting("crash"), [1, 2, 3], LIMIT)
        self.assertEqual([outcome.fault for outcome in outcomes.values()], ["", "crash", ""])

    def test_what_fails_only_after_other_cases_is_confirmed_with_them(self):
        many = [Parallel(1, [Repeat(20, [Task()])])]
        program = Program(0, "c", "gcc", [Case(1, many), Case(2, [Parallel(1, [Task()])])])
        built, setting = self.builder.build(program), self.setting("crash-late")
        outcome = run_each(built, setting, [1, 2], LIMIT)[2]
        self.assertEqual(outcome.fault, "crash")
        report = suite.Report()
        tried = suite.Suite(suite.parse_arguments(["--build", str(self.folder), "--shrink-seconds", "0"]), report)
        with contextlib.redirect_stdout(io.StringIO()) as text:
            tried._failed(program, built, setting, 2, outcome, 1, 0, [1])
        self.assertRegex(text.getvalue(), r"again: +0 of 12 runs, 3 of 3 with all before it")
        self.assertNotIn("--case ", text.getvalue())

    def test_the_smallest_program_that_fails_is_found(self):
        noise = [Task([Work(3), Taskwait()], untied=True, priority=2), Work(4), Domain(3, [
            Task([Taskgroup([Task(payload=3)])], [Depend("inout", 1)]), Task([], [Depend("in", 1)])])]
        body = [Parallel(4, [Single([*noise, Repeat(3, [Taskgroup([Task(mergeable=True)]), *noise]), *noise])])]

        def fails(candidate, setting):
            built = self.builder.build(candidate)
            return run(built, setting, [], LIMIT).fault == "crash"

        program, setting = Shrinker(fails, 60).shrink(Program(0, "c", "gcc", [Case(1, body)]), Setting(
            self.setting("crash").launcher, (*FOUR, ("OMP_DYNAMIC", "true"))))
        self.assertEqual(repr(program.cases[0].body), repr([Taskgroup()]))
        self.assertEqual(setting.variables, (("OMP_NUM_THREADS", "1"),))


class Limits(unittest.TestCase):
    def test_memory_is_bounded_by_what_stock_takes(self):
        self.assertGreater(suite.kib_limit(Setting((), FOUR), 1000), 1000)

    def test_a_sanitizer_may_take_more(self):
        plain, watched = (Setting((f"/any/{name}", "run", "--"), FOUR) for name in ("lares", "lares-sanitized"))
        self.assertEqual(suite.kib_limit(watched, 1000), 4 * suite.kib_limit(plain, 1000))

    def test_who_wants_no_throttling_may_take_any(self):
        unbounded = Setting((), (*FOUR, ("KMP_ENABLE_TASK_THROTTLING", "0")))
        self.assertEqual(suite.kib_limit(unbounded, 1000), 0)


class Shrinking(unittest.TestCase):
    """With a failure that is known without a run."""

    @staticmethod
    def shrink(fails, seed=3):
        program = generate.generate(seed, "c", "gcc", 8)
        setting = Setting(("lares", "run", "--policy", "central", "--domain", "l2", "--"),
                          (("OMP_NUM_THREADS", "8"), ("OMP_DYNAMIC", "true")))
        assert fails(program, setting)
        return Shrinker(fails, 60).shrink(program, setting)

    def test_nothing_is_left_but_what_fails(self):
        def fails(program, _):
            tasks = [s for case in program.cases for s in model.walk(case) if isinstance(s, Task)]
            return any(any(isinstance(child, Taskwait) for child in task.body) for task in tasks)

        program, setting = self.shrink(fails)
        bodies = [case.body for case in program.cases if case.body]
        self.assertEqual(repr(bodies), repr([[Task([Taskwait()])]]))
        self.assertEqual(setting, Setting(("lares", "run", "--policy", "auto", "--"), (("OMP_NUM_THREADS", "1"),)))

    def test_a_setting_that_matters_stays(self):
        def fails(_, setting):
            return "central" in setting.launcher and dict(setting.variables)["OMP_NUM_THREADS"] > "2"

        program, setting = self.shrink(fails)
        self.assertEqual([case.body for case in program.cases if case.body], [])
        self.assertEqual(setting, Setting(("lares", "run", "--policy", "central", "--"), (("OMP_NUM_THREADS", "3"),)))

    def test_every_step_of_the_shrinker_is_a_program(self):
        def fails(program, _):
            text_of(program)
            return zlib.crc32(repr(program).encode()) % 3 != 0 or len(repr(program)) > 3000

        for seed in (3, 4):
            self.shrink(fails, seed)


if __name__ == "__main__":
    unittest.main()
