#!/usr/bin/env python3
"""Tests of `lares run --stall` and `lares stall`: programs that do not go on, and what is said of them.

Usage: stall_test.py LARES PROGRAM... -- [CLASS...]

The programs wait for the end of their standard input, so nothing here depends on how long things take.
"""

import functools
import os
import re
import signal
import subprocess
import sys
import unittest

LARES = os.path.abspath(sys.argv[1])
PROGRAMS = sys.argv[2:sys.argv.index("--")]
LAST_LINE = "to report this:"
PATIENCE = 120


def environment(threads=3, **more):
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("OMP_", "GOMP_", "KMP_", "LARES_"))}
    return kept | {"OMP_NUM_THREADS": str(threads)} | more


def with_each_program(test):
    """A test of one program becomes one of all."""

    @functools.wraps(test)
    def with_all(self):
        for program in PROGRAMS:
            with self.subTest(program=os.path.basename(program)):
                test(self, program)

    return with_all


class Stalled:
    """A program under `lares run` that has been started, and ends when it is told to."""

    def __init__(self, test, program, case, *options, **variables):
        self.process = subprocess.Popen(
            [LARES, "run", *options, "--", program, case], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(**variables))
        test.addCleanup(self.kill)
        # What is still missing after that is reported by the test that reads on.
        signal.alarm(PATIENCE)
        test.addCleanup(signal.alarm, 0)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def page(self):
        """The lines of the next page."""
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if LAST_LINE in line:
                return "".join(lines)
        raise AssertionError("no page: " + "".join(lines))

    def program(self):
        """The number of the program's process."""
        number = self.process.pid
        with open(f"/proc/{number}/task/{number}/children", encoding="ascii") as children:
            return int(children.read().split()[0])

    def end(self):
        """Lets the program go on; its output, the rest of standard error, and its status."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return out, err, self.process.returncode


class StallTest(unittest.TestCase):
    def start(self, program, case, *options, **variables):
        return Stalled(self, program, case, *options, **variables)

    def check_end(self, stalled, output):
        out, err, status = stalled.end()
        self.assertEqual((out, status), (output, 7))
        self.assertNotIn(LAST_LINE, err)  # one page for one stall


class Pages(StallTest):
    """What a page says."""

    @with_each_program
    def test_an_event_that_is_not_fulfilled(self, program):
        stalled = self.start(program, "event", "--stall", "0.5")
        page = stalled.page()
        self.assertIn("and 4 are open", page)
        self.assertRegex(page, r"team of 3 threads, lib(gomp|omp)\S*, region event_case\S* \(")
        self.assertIn("4 left for later, 0 of them ended", page)
        self.assertIn("3 held back by dependences", page)
        self.assertIn("1 that have ended but for their event", page)
        self.assertIn("waits in a taskwait for 4 children, in the region's own code", page)
        self.assertEqual(page.count("for all threads and all tasks"), 2)
        self.assertIn("no thread computes", page)
        self.assertRegex(page, r"lares \d\S*, lib(gomp|omp)\S*, policy .*, machine .*, command "
                               r".*stall_programs-\S* event\n")
        self.check_end(stalled, "waits\nover\n")

    @with_each_program
    def test_a_lock_of_the_program(self, program):
        stalled = self.start(program, "mutex", "--stall", "0.5")
        page = stalled.page()
        self.assertIn("and 1 is open", page)
        self.assertRegex(page, r"runs task \S*(mutex_case|omp_task_entry)\S* \(stall_programs-"
                               r"\S*\+0x[0-9a-f]+\) \(depth 1, created by worker [0-2]\), "
                               r"asleep in a system call\n")
        self.assertIn("no thread computes", page)
        self.check_end(stalled, "locked\nover\n")

    @with_each_program
    def test_a_task_that_takes_long_is_said_to_run(self, program):
        stalled = self.start(program, "long", "--stall", "0.5")
        page = stalled.page()
        self.assertRegex(page, r"runs task .*\(depth 1, created by worker \d\), ")
        # Clang's `single` ends with a barrier of its own here, GCC's with that of the region.
        self.assertEqual(page.count(", for all threads and all tasks, in the region's own"), 2)
        self.check_end(stalled, "computes\nover\n")

    @with_each_program
    def test_mutual_exclusion(self, program):
        stalled = self.start(program, "exclusive", "--stall", "0.5")
        page = stalled.page()
        self.assertIn("open are 1 that run or wait on a stack", page)
        self.assertIn("2 by mutexinoutset", page)
        self.assertIn("0 held back by dependences", page)
        self.check_end(stalled, "holds\nover\n")

    @with_each_program
    def test_the_child_of_a_fork_is_watched_and_its_parent_is_not_taken_for_it(self, program):
        stalled = self.start(program, "fork", "--stall", "0.5")
        page = stalled.page()
        self.assertEqual(page.count("  team of "), 1)
        self.assertIn("team of 1 thread,", page)
        self.assertRegex(page, r"1 run at once by their creator")
        self.check_end(stalled, "over\n")

    @with_each_program
    def test_the_variable_is_as_good_as_the_option(self, program):
        stalled = self.start(program, "event", LARES_STALL="0.5")
        self.assertIn("and 4 are open", stalled.page())
        self.check_end(stalled, "waits\nover\n")

    @with_each_program
    def test_quiet_is_quiet(self, program):
        stalled = self.start(program, "healthy", "--quiet", "--stall", "0.1")
        self.assertEqual(stalled.end()[1:], ("", 7))


class Asking(StallTest):
    """`lares stall PID`."""

    def ask(self, number):
        return subprocess.run([LARES, "stall", str(number)], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)

    @with_each_program
    def test_a_waiting_thread_answers(self, program):
        stalled = self.start(program, "event")
        self.assertEqual(stalled.process.stdout.readline(), "waits\n")
        for number in (stalled.program(), stalled.process.pid):
            done = self.ask(number)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"process \d+ \(stall_programs-\w+\), as asked: \d")
            self.assertIn("  team of 3 threads", done.stdout)
            self.assertIn(LAST_LINE, done.stdout)
        out, err, status = stalled.end()
        self.assertEqual((out, status), ("over\n", 7))
        self.assertNotIn(LAST_LINE, err)

    @with_each_program
    def test_threads_that_never_sleep_answer_too(self, program):
        stalled = self.start(program, "event", threads=2, OMP_WAIT_POLICY="active")
        self.assertEqual(stalled.process.stdout.readline(), "waits\n")
        self.assertEqual(self.ask(stalled.program()).returncode, 0)
        self.check_end(stalled, "over\n")

    @with_each_program
    def test_the_watching_thread_answers_where_no_other_can(self, program):
        stalled = self.start(program, "long", "--stall", "0.5", threads=1)
        self.assertEqual(stalled.process.stdout.readline(), "computes\n")
        stalled.page()
        done = self.ask(stalled.program())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("runs task", done.stdout)
        self.check_end(stalled, "over\n")

    @with_each_program
    def test_where_nobody_can_answer_it_says_so(self, program):
        stalled = self.start(program, "long", threads=1)
        self.assertEqual(stalled.process.stdout.readline(), "computes\n")
        done = self.ask(stalled.program())
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("lares run --stall SECONDS", done.stderr)
        self.check_end(stalled, "over\n")

    def test_other_processes_are_refused(self):
        for number in (os.getpid(), 0, -3):
            done = self.ask(number)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


class Untouched(StallTest):
    """The program does not notice."""

    @with_each_program
    def test_a_healthy_program_gets_no_page(self, program):
        # Outside of tasks it takes longer than the limit.
        stalled = self.start(program, "healthy", "--stall", "2")
        self.check_end(stalled, "over\n")

    @with_each_program
    def test_no_thread_unless_it_was_asked_for(self, program):
        stalled = self.start(program, "count", threads=1)
        out = stalled.end()[0]
        threads = int(re.search(r"Threads:\s*(\d+)", out)[1])
        self.assertEqual(threads, 1)
        stalled = self.start(program, "count", "--stall", "60", threads=1)
        self.assertEqual(int(re.search(r"Threads:\s*(\d+)", stalled.end()[0])[1]), 2)

    @with_each_program
    def test_the_watching_thread_does_not_keep_the_process_alive(self, program):
        stalled = self.start(program, "pthread_exit", "--stall", "0.5")
        out, _, status = stalled.end()
        self.assertEqual((out, status), ("ended\n", 0))

    @with_each_program
    def test_signals_to_the_launcher_reach_the_program(self, program):
        stalled = self.start(program, "event", "--stall", "60")
        self.assertEqual(stalled.process.stdout.readline(), "waits\n")
        stalled.process.send_signal(signal.SIGUSR1)
        self.assertEqual(stalled.process.wait(PATIENCE), -signal.SIGUSR1)


class BadInput(unittest.TestCase):
    def test_times_that_make_no_sense(self):
        for word in ("0", "-1", "soon", "5s", "nan", "inf", "1e9", "0.01"):
            for options, variables, source in ((["--stall=" + word], {}, "--stall"),
                                               ([], {"LARES_STALL": word}, "LARES_STALL")):
                with self.subTest(word=word, source=source):
                    done = subprocess.run([LARES, "run", *options, "--", "true"],
                                          env=environment(**variables), capture_output=True,
                                          text=True, timeout=PATIENCE, check=False)
                    self.assertEqual(done.returncode, 2)
                    self.assertEqual(
                        done.stderr,
                        f'lares: {source}: unknown time "{word}", accepted is a number of seconds '
                        "from 0.1 to 1000000\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[sys.argv.index("--") + 1:]])
