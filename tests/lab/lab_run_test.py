#!/usr/bin/env python3
"""Tests of `lares lab run` and `lares lab shell` with real guests: that the program cannot tell the
way from here, and that whatever breaks is said in one sentence and leaves nothing behind.

Usage: lab_run_test.py LARES GUEST_PROGRAM [CLASS...]

Ends with status 77, "skipped", where there is no QEMU.
"""

import fcntl
import itertools
import json
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

LARES = os.path.abspath(sys.argv[1])
PROGRAM = os.path.abspath(sys.argv[2])
SMALL = ("--nodes", "1", "--cpus-per-node", "1", "--memory-per-node", "192M")
PATIENCE = 240
LAB_FAILED = 125
EARLIER = json.dumps({
    "format": "lares-lab-counts", "version": 1, "complete": True, "cpus": [1], "regions": [],
    "caches": {"line_bytes": 64, "l2_bytes": 65536, "l3_bytes": 0, "l3_per": "node"},
    "elsewhere": 0, "unmatched_ends": 0, "regions_left_out": 0})  # what --json writes, without a region


def children_of(pid):
    """The processes below `pid`, by their numbers."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(stat.parent.name)
            found += [child, *children_of(child)]
    return found


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.02)


class LabTest(unittest.TestCase):
    """Each test has a folder to work in and one for everybody's temporary files, which must stay
    empty."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lares-lab-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        self.env = {**os.environ, "TMPDIR": str(self.scratch), "XDG_RUNTIME_DIR": str(self.scratch)}
        self.shared_memory = set(os.listdir("/dev/shm"))

    def command(self, *words, lab=SMALL):
        return [LARES, "lab", "run", *lab, *words]

    def run_lab(self, *words, lab=SMALL, env=None, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run(self.command(*words, lab=lab), env={**self.env, **(env or {})},
                              cwd=self.work, timeout=PATIENCE, check=False, **options)
        self.assert_nothing_left()
        return done

    def start(self, *words, lab=SMALL, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen(self.command(*words, lab=lab), env=self.env, cwd=self.work,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(self.finish, process)
        return process

    @staticmethod
    def finish(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def start_ready(self, *words, **options):
        """A program that has said "ready\\n"."""
        process = self.start("--", PROGRAM, *words, **options)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def assert_nothing_left(self):
        self.assertEqual(list(self.scratch.iterdir()), [])
        self.assertLessEqual(set(os.listdir("/dev/shm")), self.shared_memory)

    def assert_sentence(self, done, status, *parts):
        message = done.stderr.decode() if isinstance(done.stderr, bytes) else done.stderr
        self.assertEqual(done.returncode, status, message)
        self.assertTrue(message.startswith("lares: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        for part in parts:
            self.assertIn(part, message)

    @staticmethod
    def guests_of(process):
        """Not what else the command starts for a moment, nor a child before it has become QEMU."""
        return [child for child in children_of(process.pid) if name_of(child).startswith("qemu-system")]


class Untouched(LabTest):
    """What the program reads, writes and returns is as it would be here."""

    def test_exit_status(self):
        for status in (0, 1, 2, 124, 255):
            done = self.run_lab("--", PROGRAM, "exit", str(status))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (status, b"", b""))

    def test_ends_by_the_signal_that_ended_the_program(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            done = self.run_lab("--", PROGRAM, "raise", str(int(number)))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (-number, b"", b""))

    def test_both_outputs_byte_by_byte(self):
        size = 50_000_000
        expected = subprocess.run([PROGRAM, "pattern", str(size)], capture_output=True, check=True)
        done = self.run_lab("--", PROGRAM, "pattern", str(size))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout), size)
        self.assertTrue(done.stdout == expected.stdout, "standard output differs")
        self.assertTrue(done.stderr == expected.stderr, "standard error differs")

    def test_input_byte_by_byte(self):
        data = random.Random(1).randbytes(20_000_000)
        done = self.run_lab("--", "cat", input=data)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout == data, "the output is not the input")

    def test_output_order_is_kept_when_both_go_to_one_file(self):
        with open(self.folder / "both", "wb") as both:
            self.run_lab("--", "sh", "-c", "for i in 1 2 3 4 5 6; do echo $i; echo e$i >&2; done",
                         stdout=both, stderr=both)
        lines = "".join(f"{i}\ne{i}\n" for i in range(1, 7))
        self.assertEqual((self.folder / "both").read_text(), lines)

    def test_surroundings(self):
        words = ["a b", "", "--help", "--", "=x", "[1,2]", "ä", "'\"\n"]
        env = {"LAB_TEST": "x=y\nz", "EMPTY": ""}
        old = os.umask(0o27)
        self.addCleanup(os.umask, old)
        here = subprocess.run([PROGRAM, "show", *words], cwd=self.work, env={**self.env, **env},
                              capture_output=True, check=True)
        done = self.run_lab("--", PROGRAM, "show", *words, env=env)
        self.assertEqual(done.stdout, here.stdout)

    def test_relative_paths_and_scripts(self):
        shutil.copy(PROGRAM, self.work / "app")
        script = self.work / "script"
        script.write_text('#!/bin/sh\necho "$0" "$@"; exit 5\n')
        script.chmod(0o755)
        self.assertEqual(self.run_lab("--", "./app", "exit", "6").returncode, 6)
        done = self.run_lab("--", "./script", "one", "two words")
        self.assertEqual((done.stdout, done.returncode), (b"./script one two words\n", 5))
        # A program that another one starts comes along if it is written as a path.
        self.assertEqual(self.run_lab("--", "env", "./app", "exit", "7").returncode, 7)

    def test_the_program_that_lares_becomes_comes_along(self):
        done = self.run_lab("--", LARES, "simulate", "jacobi:ni=60,nj=60", "--seeds", "1", "--format", "csv")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"stock-like", done.stdout)

    def test_files_come_and_go(self):
        (self.work / "in put").write_bytes(b"\0content\n")
        done = self.run_lab("--file", "in put", "--", "cat", "in put")
        self.assertEqual(done.stdout, b"\0content\n")
        (self.work / "deep").mkdir()
        self.run_lab("--output", "out", "--output=deep/second", "--", PROGRAM, "write", "out",
                     str(self.work / "deep/second"))
        for number, name in enumerate(("out", "deep/second")):
            expected = bytes((i % 251 + number) % 256 for i in range(300000))
            self.assertEqual((self.work / name).read_bytes(), expected)

    def test_an_output_file_that_was_not_made_is_said(self):
        done = self.run_lab("--output", "missing", "--", PROGRAM, "exit", "3")
        self.assert_sentence(done, 3, "made no file", "missing")
        self.assertFalse((self.work / "missing").exists())

    def test_a_reader_that_goes_away_ends_the_program_by_sigpipe(self):
        process = self.start("--", "yes")
        self.assertEqual(process.stdout.readline(), b"y\n")
        process.stdout.close()
        self.assertEqual(process.wait(PATIENCE), -signal.SIGPIPE)

    def test_the_guest_is_the_machine_that_was_asked_for(self):
        done = self.run_lab("--", "sh", "-c", "cat /sys/devices/system/node/node*/cpulist; "
                            "cat /sys/devices/system/node/node*/distance",
                            lab=("--nodes", "3", "--cpus-per-node", "2,1,0", "--memory-per-node",
                                 "128M", "--with", "cat"))
        lines = [line.split() for line in done.stdout.decode().splitlines()]
        self.assertEqual(lines[:3], [["0-1"], ["2"], []])
        self.assertEqual(lines[3][0], "10")


class Signals(LabTest):
    """Signals reach the program, and nothing survives the command."""

    def test_signals_reach_the_program(self):
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT):
            process = self.start_ready("catch", "9")
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((out, err, process.returncode),
                             (f"caught {int(number)}\n".encode(), b"", 9))

    def test_a_program_that_dies_of_the_signal_makes_the_command_die_of_it(self):
        process = self.start_ready("hang")
        guests = self.guests_of(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
        self.assertFalse([pid for pid in guests if is_alive(pid)])

    def test_a_second_signal_ends_a_guest_whose_program_does_not_listen(self):
        process = self.start_ready("stubborn")
        guests = self.guests_of(process)
        self.assertTrue(guests)
        process.send_signal(signal.SIGINT)
        self.assertIn(b"another signal ends the guest", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
        self.assertFalse([pid for pid in guests if is_alive(pid)])
        self.assert_nothing_left()

    def test_a_signal_ends_a_guest_that_boots(self):
        process = self.start("--", PROGRAM, "exit", "0")
        wait_until(lambda: self.guests_of(process), "QEMU starts")
        guests = self.guests_of(process)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), -signal.SIGTERM)
        self.assertFalse([pid for pid in guests if is_alive(pid)])
        self.assert_nothing_left()

    def test_nothing_survives_a_killed_command(self):
        process = self.start_ready("hang")
        guests = self.guests_of(process)
        self.assertTrue(guests)
        process.kill()
        process.wait(PATIENCE)
        wait_until(lambda: not [pid for pid in guests if is_alive(pid)], "QEMU ends")
        self.assert_nothing_left()


class Breakage(LabTest):
    """A guest that breaks is one sentence and status 125; time that is over is 124."""

    def test_timeout(self):
        for what in ("hang", "stubborn"):
            done = self.run_lab("--timeout", "2", "--", PROGRAM, what)
            self.assertEqual(done.stdout, b"ready\n")
            self.assert_sentence(done, 124, "2 s", "--timeout")

    def test_out_of_memory(self):
        done = self.run_lab("--", PROGRAM, "hog")
        self.assert_sentence(done, LAB_FAILED, "ran out of memory", "Killed process",
                             "--memory-per-node")

    def test_panic(self):
        done = self.run_lab("--", PROGRAM, "sysrq", "c")
        self.assert_sentence(done, LAB_FAILED, "before the program had ended", "Kernel panic")

    def test_shutdown_by_the_program(self):
        done = self.run_lab("--", PROGRAM, "sysrq", "b")
        self.assert_sentence(done, LAB_FAILED, "shut down", "before the program had ended")

    def test_qemu_that_dies(self):
        process = self.start_ready("hang")
        os.kill(self.guests_of(process)[0], signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE)
        done = subprocess.CompletedProcess([], process.returncode, b"", err)
        self.assert_sentence(done, LAB_FAILED, "killed by signal 9")

    def test_a_boot_that_hangs_is_tried_again_and_given_up(self):
        process = self.start("--boot-timeout", "5", "--", PROGRAM, "exit", "0")
        for _ in range(3):
            wait_until(lambda: self.guests_of(process), "QEMU starts")
            guest = self.guests_of(process)[0]
            os.kill(guest, signal.SIGSTOP)
            wait_until(lambda g=guest: not is_alive(g), "the hung QEMU is ended")
        _, err = process.communicate(timeout=PATIENCE)
        lines = err.decode().splitlines()
        self.assertEqual((process.returncode, len(lines)), (LAB_FAILED, 3), lines)
        self.assertIn("did not boot within 5 s; it is started again", lines[0])
        self.assertIn("3 starts", lines[2])

    def test_a_boot_that_hangs_once_is_no_failure(self):
        process = self.start("--boot-timeout", "60", "--", PROGRAM, "exit", "3")
        wait_until(lambda: self.guests_of(process), "QEMU starts")
        os.kill(self.guests_of(process)[0], signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 3)
        self.assertIn("it is started again", err.decode())


class BadInput(LabTest):
    """One sentence each."""

    def test_a_program_that_is_not_there(self):
        self.assert_sentence(self.run_lab("--", "./nothing"), 127, "./nothing", "no such file")
        self.assert_sentence(self.run_lab("--", "no-such-program-"), 127, "no-such-program-")

    # Every option with a value, each fit for a guest of two nodes with two cpus, one of them cpuless.
    VALUES = {"--machine": ["nehalem-ep-2s"], "--nodes": ["2"], "--cpuless": ["1"],
              "--cpus-per-node": ["2,2"], "--memory-per-node": ["256M"], "--distances": ["fully-connected"],
              "--cache": ["l2=64K"], "--with": ["true"], "--file": ["data"], "--output": ["result"],
              "--timeout": ["60"], "--boot-timeout": ["60"], "--count": [], "--json": ["counts.json"],
              "--compare": ["earlier.json"]}
    NEED_COUNT = ("--cache", "--json", "--compare")
    CONTRADICT = {frozenset(("--machine", "--nodes")), frozenset(("--machine", "--cpuless")),
                  frozenset(("--cpus-per-node", "--cpuless"))}

    def test_knows_each_pair_of_options_that_contradict_each_other(self):
        help_text = subprocess.run([LARES, "lab", "run", "--help"], capture_output=True, text=True,
                                   check=True).stdout
        options = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", help_text, re.M)) - {"--help"}
        self.assertEqual(options, set(self.VALUES))
        (self.work / "data").write_text("text")
        (self.work / "earlier.json").write_text(EARLIER)
        no_boot = {"LARES_LAB_KERNEL": "/no/such/kernel"}  # asked for when all options are understood
        for first, second in itertools.combinations(self.VALUES, 2):
            pair = frozenset((first, second))
            words = [word for name in (first, second) for word in (name, *self.VALUES[name])]
            with self.subTest(first=first, second=second):
                done = self.run_lab(*words, "--", "true", lab=(), env=no_boot)
                alone = [name for name in self.NEED_COUNT if name in pair and "--count" not in pair]
                if pair in self.CONTRADICT:
                    self.assert_sentence(done, 2, first, second, "cannot stand beside")
                elif alone:
                    self.assert_sentence(done, 2, "cannot stand without --count")
                else:
                    self.assertEqual(done.returncode, LAB_FAILED, done.stderr)

    def test_two_files_to_write_are_two(self):
        (self.work / "folder").mkdir()
        (self.work / "link").symlink_to("counts")
        for path in ("counts", "./counts", "folder/../counts", str(self.work / "counts"), "link"):
            if path == "link":
                (self.work / "counts").touch()
            done = self.run_lab("--count", "--json", "counts", "--output", "other", "--output", path,
                                "--", "true")
            self.assert_sentence(done, 2, "--json and --output would both write", path)

    def test_a_shell_counts_nothing(self):
        done = subprocess.run([LARES, "lab", "shell", "--cache", "l2=64K"], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=False)
        self.assert_sentence(done, 2, "--cache")

    def test_a_program_that_cannot_be_executed(self):
        (self.work / "data").write_text("text")
        self.assert_sentence(self.run_lab("--", "./data"), 126, "./data", "not executable")
        self.assert_sentence(self.run_lab("--", "./"), 126, "./", "folder")

    def test_a_file_that_is_no_program(self):
        (self.work / "data").write_text("text\n")
        (self.work / "data").chmod(0o755)
        self.assert_sentence(self.run_lab("--", "./data"), 126, "data")

    def test_a_script_whose_interpreter_is_missing(self):
        (self.work / "lost").write_text("#!/nowhere/sh\n")
        (self.work / "lost").chmod(0o755)
        self.assert_sentence(self.run_lab("--", "./lost"), 127, "lost", "/nowhere/sh")

    def test_options(self):
        for words, parts in (
                (("--timeout", "soon"), ("--timeout", "soon")),
                (("--timeout=0",), ("--timeout", "0")),
                (("--output", "nowhere/file"), ("--output", "nowhere/file")),
                (("--output", "."), ("--output", "folder")),
                (("--file", "nowhere"), ("--file", "nowhere")),
                (("--with", "no-such-program-"), ("--with", "no-such-program-")),
                (("--nodes", "0"), ("nodes", "0")),
                (("--frobnicate",), ("lab run", "--frobnicate"))):
            self.assert_sentence(self.run_lab(*words, "--", PROGRAM, "exit", "0", lab=()), 2, *parts)

    def test_no_program(self):
        self.assert_sentence(self.run_lab(), 2, "lab run", "no program")

    def test_without_qemu_the_package_is_named(self):
        lonely = self.folder / "bin"
        lonely.mkdir()
        done = self.run_lab("--", PROGRAM, "exit", "0", env={"PATH": str(lonely)})
        self.assert_sentence(done, LAB_FAILED, "qemu-system-x86")

    def test_a_program_that_does_not_fit(self):
        with open(self.work / "large", "wb") as large:
            large.truncate(300 << 20)
        done = self.run_lab("--file", "large", "--", PROGRAM, "exit", "0")
        self.assert_sentence(done, 2, "MiB", "--memory-per-node")


class Terminal(LabTest):
    """With a terminal on both sides the program has a terminal."""

    def start_on_terminal(self, command):
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 97, 0, 0))
        process = subprocess.Popen(
            command, env=self.env, cwd=self.work, stdin=side, stdout=side, stderr=side,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(side)
        self.addCleanup(os.close, main)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process, main

    def read_until(self, main, text):
        seen = b""
        end = time.monotonic() + PATIENCE
        while text not in seen and time.monotonic() < end:
            if select.select([main], [], [], 1)[0]:
                try:
                    seen += os.read(main, 4096)
                except OSError:
                    break
        self.assertIn(text, seen)
        return seen

    def test_the_program_has_a_terminal_of_the_same_size(self):
        process, main = self.start_on_terminal(self.command("--", PROGRAM, "terminal"))
        before = termios.tcgetattr(main)
        self.read_until(main, b"111 33x97\r\n")
        os.write(main, b"hello\r")
        self.read_until(main, b"got hello\r\n")
        os.write(main, b"\x04")
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(termios.tcgetattr(main), before)

    def test_ctrl_c_is_a_key_for_the_guest(self):
        process, main = self.start_on_terminal(self.command("--", PROGRAM, "catch", "9"))
        self.read_until(main, b"ready")
        os.write(main, b"\x03")
        self.read_until(main, b"caught 2")
        self.assertEqual(process.wait(PATIENCE), 9)

    def test_three_escapes_end_a_stubborn_guest(self):
        process, main = self.start_on_terminal(self.command("--", PROGRAM, "stubborn"))
        self.read_until(main, b"ready")
        guests = self.guests_of(process)
        os.write(main, b"\x1d\x1d\x1d")
        self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
        self.assertFalse([pid for pid in guests if is_alive(pid)])

    def test_shell(self):
        process, main = self.start_on_terminal([LARES, "lab", "shell", *SMALL])
        self.read_until(main, b"lab:")
        os.write(main, b"ls /sys/devices/system/node\r")
        self.read_until(main, b"node0")
        os.write(main, b"exit 4\r")
        self.assertEqual(process.wait(PATIENCE), 4)

    def test_shell_without_a_terminal_takes_commands_from_standard_input(self):
        done = subprocess.run([LARES, "lab", "shell", *SMALL], input=b"echo $((6*7)); exit 3\n",
                              env=self.env, cwd=self.work, capture_output=True, timeout=PATIENCE,
                              check=False)
        self.assertEqual((done.stdout, done.returncode), (b"42\n", 3))


if __name__ == "__main__":
    if shutil.which("qemu-system-x86_64") is None:
        print("skipped: there is no qemu-system-x86_64", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
