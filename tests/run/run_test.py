#!/usr/bin/env python3
"""Tests of `lares run`: that the program does not notice it, and what the user is told.

Usage: run_test.py LARES FAKE_LIBRARY SIGNALS SANITIZED_SIGNALS STATIC_OPENMP_PROGRAM|- [CLASS...]

FAKE_LIBRARY stands in for the preloaded library (fake_library.cpp), so only the launcher is tested.
"""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SANITIZED = os.path.abspath(sys.argv[4])
STATIC = os.path.abspath(sys.argv[5])
SPEAKS_OF_LARES = ("LARES_", "OMP_", "GOMP_", "KMP_", "LD_PRELOAD")


class LauncherTest(unittest.TestCase):
    """Each test has a folder with the command, the fake library beside it, and a runtime folder."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lares-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.lares = str(self.folder / "lares")
        shutil.copy(sys.argv[1], self.lares)
        self.library = str(self.folder / "liblares-openmp.so")
        self.loops_library = str(self.folder / "liblares-openmp-loops.so")
        for library in (self.library, self.loops_library):
            shutil.copy(sys.argv[2], library)
        self.signals = os.path.abspath(sys.argv[3])
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(SPEAKS_OF_LARES)}
        self.env = {**kept, "XDG_RUNTIME_DIR": str(self.runtime)}

    def run_lares(self, *words, env=None, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.run(
            [self.lares, "run", *words], env={**self.env, **(env or {})}, cwd=self.folder,
            timeout=120, check=False, **options)

    def start(self, *words, env=None, **options):
        process = subprocess.Popen(
            [self.lares, "run", *words], env={**self.env, **(env or {})}, cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(self.finish, process)
        return process

    @staticmethod
    def finish(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def program_environment(self, *options, env=None):
        """The environment that a program finds under `lares run options`."""
        done = self.run_lares(*options, "--", "env", "-0", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        entries = done.stdout.decode().rstrip("\0").split("\0")
        return dict(entry.split("=", 1) for entry in entries)

    def script(self, name, text, mode=0o755):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)
        return "./" + name

    def assert_mistake(self, done, *parts, status=2):
        """One sentence that names all parts, the status, and the program did not start."""
        message = done.stderr.decode()
        self.assertEqual(done.returncode, status, message)
        self.assertTrue(message.startswith("lares: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        for part in parts:
            self.assertIn(part, message)
        self.assertEqual(done.stdout, b"")
        self.assert_no_session_left()

    def assert_no_session_left(self):
        self.assertEqual(list(self.runtime.iterdir()), [])


class Untouched(LauncherTest):
    """What the program reads, writes and returns is as without Lares."""

    def test_exit_status(self):
        for status in (0, 1, 2, 42, 126, 127, 255):
            done = self.run_lares("sh", "-c", f"exit {status}")
            self.assertEqual((done.returncode, done.stderr), (status, b""))
        self.assert_no_session_left()

    def test_input_and_output_byte_by_byte(self):
        data = bytes(range(256)) * 4096
        done = self.run_lares("--", "cat", input=data)
        self.assertEqual((done.stdout, done.stderr, done.returncode), (data, b"", 0))

    def test_error_output(self):
        done = self.run_lares("--", "sh", "-c", "printf 'a\\0b' >&2")
        self.assertEqual(done.stderr, b"a\0b")

    def test_arguments_are_never_taken_for_ours(self):
        command = ["printf", "<%s>", "x", "--help", "--quiet", "--", "[a,b]", "", "=x", "%%", "++",
                   "run", "-", "{}", "--domain"]
        expected = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        for start in ([], ["--"], ["--quiet"], ["--quiet", "--"], ["--bind=close"],
                      ["--bind", "none"], ["--summary", "text", "-", "--"]):
            self.assertEqual(self.run_lares(*start, *command).stdout, expected, start)

    def test_programs_may_be_named_like_commands(self):
        self.script("topo", "#!/bin/sh\necho mine\n")
        for start in ([], ["--"]):
            path = f"{self.folder}:{os.environ['PATH']}"
            done = self.run_lares(*start, "topo", env={"PATH": path})
            self.assertEqual(done.stdout, b"mine\n")

    def test_closed_standard_streams_stay_closed(self):
        look = "for fd in 0 1 2; do test -e /proc/self/fd/$fd || echo $fd >> seen; done"
        code = f"exec {self.lares} run --summary=json s.json -- sh -c '{look}' 0<&- 1>&- 2>&-"
        done = subprocess.run(["sh", "-c", code], env=self.env, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((self.folder / "seen").read_text(), "0\n1\n2\n")
        json.loads((self.folder / "s.json").read_text())

    def test_open_files_are_those_of_the_caller(self):
        done = self.run_lares("sh", "-c", "ls /proc/$$/fd")
        plain = subprocess.run(["sh", "-c", "ls /proc/$$/fd"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, plain.stdout)

    def test_signal_mask_actions_and_process_group(self):
        def prepare():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})

        plain = subprocess.run([self.signals, "show"], stdout=subprocess.PIPE, check=True,
                               preexec_fn=prepare)
        done = self.run_lares(self.signals, "show", preexec_fn=prepare)
        self.assertEqual(done.stdout, plain.stdout)
        self.assertIn(f"ignored {int(signal.SIGCHLD)}\n".encode(), done.stdout)
        self.assertEqual(done.returncode, 0)

    def test_script_without_interpreter_line(self):
        done = self.run_lares(self.script("plain", "echo $1; exit 3\n"), "one")
        self.assertEqual((done.stdout, done.returncode), (b"one\n", 3))

    def test_programs_with_address_sanitizer_run(self):
        done = self.run_lares(SANITIZED, "show")
        plain = subprocess.run([SANITIZED, "show"], stdout=subprocess.PIPE, check=True)
        self.assertEqual((done.stdout, done.stderr, done.returncode), (plain.stdout, b"", 0))
        env = self.program_environment(env={"ASAN_OPTIONS": "verbosity=0"})
        self.assertEqual(env["ASAN_OPTIONS"], "verify_asan_link_order=0:verbosity=0")

    def test_runs_without_lares_when_there_is_no_place_for_a_session(self):
        env = {"XDG_RUNTIME_DIR": "/proc/nowhere", "TMPDIR": "/proc/nowhere"}
        if os.path.isdir("/dev/shm"):
            env.pop("TMPDIR")  # /dev/shm will do: the program simply runs
        done = self.run_lares("sh", "-c", "exit 9", env=env)
        self.assertEqual(done.returncode, 9)


class Signals(LauncherTest):
    """Signals reach the program once, and the launcher ends as the program ended."""

    def test_dies_of_the_signal_that_killed_the_program(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGKILL,
                       signal.SIGINT, signal.SIGPIPE, signal.SIGUSR1, signal.SIGFPE):
            done = self.run_lares(self.signals, "die", str(int(number)))
            self.assertEqual(done.returncode, -number)
            self.assertEqual(done.stderr, b"")
        self.assert_no_session_left()

    def test_leaves_no_second_core_dump(self):
        def allow_cores():
            _, most = resource.getrlimit(resource.RLIMIT_CORE)
            resource.setrlimit(resource.RLIMIT_CORE, (most, most))

        done = self.run_lares(self.signals, "die", str(int(signal.SIGSEGV)), preexec_fn=allow_cores)
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertLessEqual(len(list(self.folder.glob("core*"))), 1)

    def test_passes_signals_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT,
                       signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGWINCH,
                       signal.SIGRTMIN + 3):
            process = self.start(self.signals, "wait", str(int(number)))
            self.assertEqual(process.stdout.readline(), b"ready\n")
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), b"received\n", number)
            self.assertEqual(process.wait(60), 41)
        self.assert_no_session_left()

    def test_dies_of_a_signal_that_the_program_does_not_catch(self):
        process = self.start("sh", "-c", "echo ready; exec cat", stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), -signal.SIGTERM)
        self.assert_no_session_left()

    def test_timers_of_the_caller_count_for_the_program(self):
        code = "import signal, os, sys; signal.setitimer(signal.ITIMER_REAL, 0.2); " \
               "os.execv(sys.argv[1], sys.argv[1:])"
        done = subprocess.run(
            [sys.executable, "-c", code, self.lares, "run", self.signals, "wait",
             str(int(signal.SIGALRM))], env=self.env, stdout=subprocess.PIPE, timeout=60,
            check=False)
        self.assertEqual((done.stdout, done.returncode), (b"ready\nreceived\n", 41))

    def test_terminal_interrupts_once(self):
        pid, terminal = os.forkpty()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(self.lares, [self.lares, "run", self.signals, "count",
                                   str(int(signal.SIGINT))], self.env)
        with os.fdopen(terminal, "rb", buffering=0) as screen:
            self.read_until(screen, b"ready")
            os.write(screen.fileno(), b"\x03")  # the terminal sends SIGINT to the whole group
            self.read_until(screen, b"counted 1")
            # The launcher takes its signals in their order, so a SIGINT passed on would come first.
            os.kill(pid, signal.SIGTERM)
            self.read_until(screen, b"in all 1")
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_a_program_that_signals_its_own_group_gets_one(self):
        process = self.start("sh", "-c", "trap 'echo got' USR1; kill -USR1 0; echo end",
                             preexec_fn=os.setpgrp)
        out, _ = process.communicate(timeout=60)
        self.assertEqual((out, process.returncode), (b"got\nend\n", 0))

    def read_until(self, screen, text):
        seen = b""
        while text not in seen:
            try:
                data = screen.read(1024)
            except OSError:  # the other side of a pseudo terminal is closed
                data = b""
            self.assertNotEqual(data, b"", seen)
            seen += data

    def test_stops_and_continues_with_the_program(self):
        process = self.start("sh", "-c", "echo $$; read line; echo $line", stdin=subprocess.PIPE,
                             preexec_fn=os.setpgrp)
        program = int(process.stdout.readline())
        os.kill(program, signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status))
        os.kill(process.pid, signal.SIGCONT)
        out, _ = process.communicate(b"on\n", timeout=60)
        self.assertEqual((out, process.returncode), (b"on\n", 0))

    def test_stop_sent_to_the_launcher_stops_the_program(self):
        process = self.start("sh", "-c", "echo $$; read line; echo $line", stdin=subprocess.PIPE,
                             preexec_fn=os.setpgrp)
        program = int(process.stdout.readline())
        process.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status))
        state = pathlib.Path(f"/proc/{program}/stat").read_text().rsplit(")", 1)[1].split()[0]
        self.assertEqual(state, "T")
        os.killpg(process.pid, signal.SIGCONT)
        out, _ = process.communicate(b"on\n", timeout=60)
        self.assertEqual((out, process.returncode), (b"on\n", 0))

    def test_killing_the_launcher_kills_the_program(self):
        process = self.start("sh", "-c", "echo $$; exec cat", stdin=subprocess.PIPE)
        program = int(process.stdout.readline())
        descriptor = os.pidfd_open(program)
        self.addCleanup(os.close, descriptor)
        process.kill()
        process.wait(60)
        # The program held the other end of the pipe: its end is the end of the stream.
        self.assertEqual(process.stdout.read(), b"")
        self.assertEqual(len(list(self.runtime.iterdir())), 1)  # nobody was left to remove it ...
        self.assertEqual(self.run_lares("true").returncode, 0)
        self.assert_no_session_left()  # ... until the next run

    def test_keeps_the_session_of_another_launcher(self):
        process = self.start("sh", "-c", "echo $LARES_SESSION; exec cat", stdin=subprocess.PIPE)
        session = process.stdout.readline().decode().strip()
        self.assertEqual(self.run_lares("true").returncode, 0)
        self.assertTrue(os.path.isfile(session + "/machine"))
        process.communicate(timeout=60)
        self.assert_no_session_left()


class ProgramEnvironment(LauncherTest):
    """What the program and its library are told."""

    def test_session(self):
        done = self.run_lares("sh", "-c", "stat -c %a $LARES_SESSION; cat $LARES_SESSION/machine")
        mode, machine = done.stdout.split(b"\n", 1)
        self.assertEqual(mode, b"700")
        self.assertGreater(len(machine), 20)

    def test_preload_is_first_and_keeps_the_users(self):
        self.assertEqual(self.program_environment()["LD_PRELOAD"], self.library)
        # The second variable is for a `lares` that is itself built with AddressSanitizer.
        env = self.program_environment(env={"LD_PRELOAD": f"{self.library} libm.so.6",
                                            "ASAN_OPTIONS": "verify_asan_link_order=0"})
        self.assertEqual(env["LD_PRELOAD"], f"{self.library}:libm.so.6")

    def test_library_in_a_folder_that_the_loader_cannot_name(self):
        folder = self.folder / "a folder: odd"
        folder.mkdir()
        for path in (self.lares, self.library):
            shutil.copy(path, folder)
        self.lares = str(folder / "lares")
        done = self.run_lares("true", env={"FAKE_TASKS": "10"})
        self.assertIn(b"lares: tasks     20", done.stderr)

    def test_nested_runs_do_not_load_twice(self):
        done = self.run_lares(self.lares, "run", "env")
        lines = [line for line in done.stdout.decode().split("\n") if line.startswith("LD_PRELOAD")]
        self.assertEqual(lines, [f"LD_PRELOAD={self.library}"])

    def test_loops_take_another_library(self):
        for loops, library in (("stock", self.library), ("numa", self.loops_library)):
            env = self.program_environment("--loops", loops)
            self.assertEqual(env["LD_PRELOAD"], library)

    def test_an_inner_run_replaces_the_library_of_the_outer_one(self):
        done = self.run_lares("--loops", "numa", self.lares, "run", "--loops", "stock", "env")
        lines = [line for line in done.stdout.decode().split("\n") if line.startswith("LD_PRELOAD")]
        self.assertEqual(lines, [f"LD_PRELOAD={self.library}"])

    def binding_variables(self, *options, env=None):
        found = self.program_environment(*options, env=env)
        return {k: v for k, v in found.items()
                if k.startswith(("OMP_", "GOMP_", "KMP_", "LARES_BOUND")) and k != self.KEEPS}

    KEEPS = "KMP_HOT_TEAMS_MAX_LEVEL"

    def test_binds_by_itself_when_the_user_said_nothing(self):
        # No variable of OpenMP: what the program starts, and its answers, are as without Lares.
        self.assertEqual(self.binding_variables(), {"LARES_BOUND": "spread"})

    def test_libomps_masters_keep_their_threads_where_lares_binds_them(self):
        def told(*options, **env):
            return self.program_environment(*options, env=env).get(self.KEEPS)
        fit = len(os.sched_getaffinity(0)) >= 8  # within teams; hardware threads are taken for cores
        self.assertIn(told(), ("4", None) if fit else (None,))
        self.assertEqual(told(KMP_HOT_TEAMS_MAX_LEVEL="2"), "2")
        for limit in ("OMP_THREAD_LIMIT", "KMP_DEVICE_THREAD_LIMIT", "KMP_ALL_THREADS"):
            self.assertIsNone(told(**{limit: "9"}))
        self.assertIsNone(told("--bind", "none"))
        self.assertIsNone(told(OMP_PROC_BIND="close"))

    def test_says_when_the_system_refuses_to_bind(self):
        refuse = [sys.executable, str(pathlib.Path(__file__).parent / "refuse.py")]
        done = subprocess.run([*refuse, "sched_setaffinity", self.lares, "run", "true"],
                              env={**self.env, "FAKE_TASKS": "10"}, cwd=self.folder, timeout=120,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"not bound, because the system refuses sched_setaffinity", done.stderr)

    def test_runs_without_lares_where_the_system_does_not_tell_processors(self):
        refuse = [sys.executable, str(pathlib.Path(__file__).parent / "refuse.py")]
        for words, status, out in ((["run", "sh", "-c", "echo on; exit 3"], 3, b"on\n"),
                                   (["topo"], 2, b"")):
            done = subprocess.run([*refuse, "sched_getaffinity", self.lares, *words], env=self.env,
                                  cwd=self.folder, timeout=60, check=False, capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (status, out), done.stderr)
            self.assertIn(b"the system refuses sched_getaffinity", done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)

    def test_leaves_the_users_binding_alone(self):
        for name, value in (("OMP_PLACES", "threads"), ("OMP_PROC_BIND", "spread"),
                            ("GOMP_CPU_AFFINITY", "0"), ("KMP_AFFINITY", "compact")):
            env = self.program_environment(env={name: value})
            found = {k: v for k, v in env.items() if k.startswith(("OMP_", "GOMP_", "KMP_"))}
            self.assertEqual(found, {name: value})

    def test_bind_option(self):
        users = {"OMP_PLACES": "cores", "KMP_AFFINITY": "x"}
        self.assertEqual(self.binding_variables("--bind", "spread", env=users),
                         {"OMP_PLACES": "cores", "OMP_PROC_BIND": "spread"})
        self.assertEqual(self.binding_variables("--bind=close", env={"OMP_PROC_BIND": "spread"}),
                         {"LARES_BOUND": "close"})
        shutil.copy(self.library, self.folder / "liblares-placement.so")
        self.assertEqual(self.binding_variables("--bind=by-data"), {"LARES_BOUND": "by-data"})
        self.assertEqual(self.binding_variables("--bind=by-data", env=users), users)
        self.assertEqual(self.binding_variables("--bind=none"), {"OMP_PROC_BIND": "false"})
        self.assertEqual(self.binding_variables("--bind=as-is"), {})
        self.assertEqual(self.binding_variables(env={"LARES_BIND": "close"}),
                         {"LARES_BOUND": "close"})

    def test_does_not_bind_to_a_machine_from_a_file(self):
        words = ("--machine", "synthetic:package:4 core:64 pu:1")
        self.assertEqual(self.binding_variables(*words), {})
        done = self.run_lares(*words, "true", env={"FAKE_TASKS": "10"})
        self.assertIn(b"threads are not bound", done.stderr)

    def test_policy_comes_from_the_option_then_the_variable(self):
        variable = {"LARES_POLICY": "central"}
        self.assertEqual(self.program_environment(env=variable)["LARES_POLICY"], "central")
        env = self.program_environment("--policy=stock-like", env=variable)
        self.assertEqual(env["LARES_POLICY"], "stock-like")
        self.assertEqual(self.program_environment()["LARES_POLICY"], "auto")


class BadInput(LauncherTest):
    """A mistake gets one sentence and status 2, and nothing starts."""

    def test_options(self):
        for words, parts in (
                ([], ["no program"]),
                (["--"], ["no program"]),
                (["--bogus", "true"], ["--bogus", "--policy"]),
                (["--policy", "nonsense", "echo"], ["--policy", "nonsense", "virouleau"]),
                (["--policy", "push=nonsense", "echo"], ["nonsense", "writer-domain"]),
                (["--domain", "socket", "echo"], ["--domain", "socket", "l3"]),
                (["--bind", "far", "echo"], ["--bind", "far", "spread"]),
                (["--summary", "xml", "f", "echo"], ["--summary", "xml", "json"]),
                (["--summary=json", "--", "echo"], ["--summary", "file"]),
                (["--summary=json", "/nowhere/f", "echo"], ["/nowhere/f"]),
                (["--machine", "/nowhere/m.json", "echo"], ["/nowhere/m.json"])):
            self.assert_mistake(self.run_lares(*words), *parts)

    def test_broken_machine_file(self):
        (self.folder / "broken.json").write_text("{")
        self.assert_mistake(self.run_lares("--machine", "broken.json", "echo"), "broken.json")

    def test_variables(self):
        for name, value, accepted in (
                ("LARES_POLICY", "nonsense", "virouleau"), ("LARES_DOMAIN", "socket", "l3"),
                ("LARES_BIND", "far", "spread"), ("LARES_SUMMARY", "xml f", "json"),
                ("LARES_SUMMARY", "json", "file"), ("LARES_QUIET", "maybe", "1"),
                ("LARES_MACHINE", "/nowhere/m", "cannot")):
            done = self.run_lares("echo", env={name: value})
            self.assert_mistake(done, name, value.split()[0], accepted)

    def test_unknown_variable_is_named_and_the_program_runs(self):
        done = self.run_lares("echo", "on", env={"LARES_POLCY": "x"})
        self.assertEqual((done.returncode, done.stdout), (0, b"on\n"))
        self.assertIn(b"LARES_POLCY", done.stderr)
        self.assertEqual(self.run_lares("--quiet", "true", env={"LARES_POLCY": "x"}).stderr, b"")

    def test_programs(self):
        # The statuses of env(1).
        def refuse(word, status, *parts):
            self.assert_mistake(self.run_lares(word), *parts, status=status)
            expected = subprocess.run(["env", word], cwd=self.folder, check=False,
                                      env={**os.environ, "PATH": self.env["PATH"]},
                                      capture_output=True).returncode
            self.assertEqual(status, expected, word)

        refuse("./absent", 127, "./absent")
        refuse("absent-program", 127, "absent-program", "PATH")
        refuse("", 127, "cannot run")
        refuse(str(self.folder), 126, "folder")
        refuse(self.script("plain", "echo\n", 0o644), 126, "./plain", "executable")
        refuse("./plain/below", 126, "./plain/below")
        self.env["PATH"] = f"{self.folder}:{self.env['PATH']}"
        refuse("plain", 126, "plain", "executable")
        # There, but exec refuses them with ENOENT, so env(1) says 127.
        refuse(self.script("lost", "#!/nowhere/sh\n"), 127, "./lost", "interpreter")
        refuse(self.script("lost-too", "#!  /nowhere/sh -e\n"), 127, "./lost-too", "interpreter")

    def test_variables_of_the_lab_are_known(self):
        done = self.run_lares("true", env={"LARES_LAB_KERNEL": "/boot/vmlinuz"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_program_for_another_processor(self):
        # A complete ELF header of a machine type that nothing runs.
        header = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xfe\xfe" + bytes(44)
        path = self.folder / "foreign"
        path.write_bytes(header)
        path.chmod(0o755)
        self.assert_mistake(self.run_lares("./foreign"), "./foreign", "processor", status=126)

    def test_missing_library(self):
        os.remove(self.library)
        self.assert_mistake(self.run_lares("echo"), "liblares-openmp.so")

    def test_missing_program_of_other_commands(self):
        for command in ("simulate", "measure", "bench"):
            done = subprocess.run([self.lares, command, "--help"], env=self.env, capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, f"^lares: {command}: cannot find .*lares-study.*\n$")

    def test_program_of_other_commands_that_cannot_be_started(self):
        self.script("lares-study", "", mode=0o644)
        done = subprocess.run([self.lares, "simulate", "--help"], env=self.env, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^lares: simulate: cannot start .*/lares-study: Permission denied\n$")

    def test_missing_library_of_loops(self):
        os.remove(self.loops_library)
        self.assert_mistake(self.run_lares("--loops", "numa", "echo"), "liblares-openmp-loops.so",
                            "--loops")
        self.assertEqual(self.run_lares("true").returncode, 0)


class Summary(LauncherTest):
    """What the user is told at the end."""

    def test_is_silent_without_openmp(self):
        done = self.run_lares("sh", "-c", "sh -c true; true")
        self.assertEqual((done.stdout, done.stderr), (b"", b""))

    def test_has_at_most_twelve_lines(self):
        done = self.run_lares("true", env={"FAKE_TASKS": "600", "FAKE_NOTE": "left target regions"})
        lines = done.stderr.decode().splitlines()
        self.assertLessEqual(len(lines), 12)
        for line in lines:
            self.assertTrue(line.startswith("lares: "), line)
        text = "\n".join(lines)
        for part in ("2 threads", "libgomp.so.1", "auto", "1,200", "50.0 % local",
                     "100.0 % remote", "left target regions"):
            self.assertIn(part, text)
        self.assertEqual(done.stdout, b"")

    def test_quiet(self):
        done = self.run_lares("--quiet", "true", env={"FAKE_TASKS": "600"})
        self.assertEqual(done.stderr, b"")
        done = self.run_lares("true", env={"FAKE_TASKS": "600", "LARES_QUIET": "1"})
        self.assertEqual(done.stderr, b"")

    def test_json_file(self):
        done = self.run_lares("--policy", "virouleau", "--summary=json", "s.json", "--",
                              "sh", "-c", "exit 5", env={"FAKE_TASKS": "600"})
        self.assertEqual((done.returncode, done.stderr), (5, b""))
        data = json.loads((self.folder / "s.json").read_text())
        self.assertEqual((data["format"], data["version"]), ("lares-summary", 1))
        self.assertEqual(data["ending"], {"exit_status": 5, "signal": None})
        self.assertEqual(data["policy"]["name"], "virouleau")
        self.assertEqual(data["policy"]["push"], "writer-domain-or-local")
        self.assertEqual(data["tasks"]["run"], 1200)
        self.assertEqual(data["bytes"]["remote"], 600 * 64)
        self.assertEqual(data["command"], ["sh", "-c", "exit 5"])
        self.assertEqual(data["binding"]["bound"], True)

    def test_other_targets(self):
        self.run_lares("--summary=text", "s.txt", "true", env={"FAKE_TASKS": "600"})
        self.assertIn("1,200", (self.folder / "s.txt").read_text())
        done = self.run_lares("--summary=json", "-", "true", env={"FAKE_TASKS": "600"})
        self.assertEqual(json.loads(done.stderr)["tasks"]["run"], 1200)
        self.run_lares("true", env={"FAKE_TASKS": "600", "LARES_SUMMARY": "json a file.json"})
        self.assertEqual(json.loads((self.folder / "a file.json").read_text())["openmp"], True)

    def test_two_files_to_write_are_two(self):
        done = self.run_lares("--record", "file", "--summary=json", "./file", "true")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, b'lares: --record and --summary would both write "./file"; '
                                      b'give each a file of its own\n')
        self.assertFalse((self.folder / "file").exists())
        done = self.run_lares("--record", "/dev/null", "--summary=json", "/dev/null", "true")
        self.assertEqual(done.returncode, 0)

    def test_says_when_a_wanted_summary_has_nothing_to_tell(self):
        done = self.run_lares("--summary=text", "-", "true")
        self.assertEqual(done.stderr, b"lares: no OpenMP parallel region or task was seen\n")
        self.run_lares("--summary=json", "s.json", "true")
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["openmp"], False)

    def test_adds_up_a_tree_of_processes(self):
        code = "for i in 1 2 3; do true & done; /bin/true; wait; exec /bin/true"
        done = self.run_lares("--summary=json", "s.json", "sh", "-c", code,
                              env={"FAKE_TASKS": "7", "FAKE_ONLY": "true"})
        self.assertEqual(done.returncode, 0)
        data = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(len(data["processes"]), 2)  # the shell's own `true` loads nothing
        self.assertEqual(data["tasks"]["run"], 2 * 2 * 7)

    def test_tells_of_a_program_that_was_killed(self):
        done = self.run_lares("--summary=json", "s.json", self.signals, "die",
                              str(int(signal.SIGKILL)), env={"FAKE_TASKS": "7"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        data = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(data["ending"], {"exit_status": None, "signal": int(signal.SIGKILL)})
        self.assertEqual(data["tasks"]["run"], 14)

    def test_leaves_out_damaged_counters(self):
        done = self.run_lares("sh", "-c", "exit 4", env={"FAKE_TASKS": "7", "FAKE_GARBAGE": "1"})
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"1 process left damaged counters", done.stderr)

    def test_a_closed_pipe_does_not_change_the_status(self):
        code = f"{self.lares} run sh -c 'exit 6' 2>&1 >/dev/null | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", code], env={**self.env, "FAKE_TASKS": "7"},
                              stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, b"6\n")


class StaticPrograms(LauncherTest):
    """Nothing can be preloaded into them, and the user is told so, once."""

    def test_says_what_was_left(self):
        done = self.run_lares(STATIC)
        self.assertEqual((done.returncode, done.stdout), (0, b"2\n"))
        self.assertIn(b"linked statically", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertEqual(self.run_lares("--quiet", STATIC).stderr, b"")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[6:]])
