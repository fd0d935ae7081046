"""What the tests of `lares bench NAME`, of the commands that start programs, have in common.

A test's words are LARES PROGRAM... -- [TEST...]; the programs are one for each compiler.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BAR = sys.argv.index("--")
LARES, PROGRAMS = sys.argv[1], sys.argv[2:BAR]
ARGUMENTS = [sys.argv[0], *sys.argv[BAR + 1:]]


def run(words):
    environment = dict(os.environ, OMP_NUM_THREADS="3")
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)


class BenchCommand:
    """For a TestCase with the command's NAME, its PROGRAM, the words of a SMALL run, and those of
    ONE_RUN of a single process."""

    def words(self, *words):
        family = PROGRAMS[0].rsplit("-", 1)[1]
        return [LARES, "bench", self.NAME, *self.SMALL, "--compiler", family, *words]

    def output(self, *words, **environment):
        done = subprocess.run(self.words(*words), capture_output=True, text=True, timeout=240,
                              env=dict(os.environ, **environment))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, *words):
        done = subprocess.run(self.words(*words), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def refuses_value(self, option, value, said):
        """For an option that SMALL may have, too: given twice it would be refused for that."""
        done = subprocess.run([LARES, "bench", self.NAME, option, value], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (option, value))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(option, done.stderr)
        self.assertIn(said, done.stderr)

    def test_a_program_that_fails_or_lies_is_not_believed(self):
        with tempfile.TemporaryDirectory() as folder:
            lares = shutil.copy(LARES, folder)
            shutil.copy(f"{LARES}-study", folder)
            program = pathlib.Path(folder, "bench", self.PROGRAM + "-gcc")
            program.parent.mkdir()
            for script, said in (
                ("exit 3", "ended with status 3"),
                ("kill -9 $$", "ended by signal 9"),
                ("true", "ended with status 0"),
                ("echo no JSON", "something else than its results"),
                ("echo '{}'", "something else than its results"),
                ("echo '{\"wrong\": 3}'; exit 1", "3 "),
                ("echo '{\"wrong\": 0, \"method\": \"dynamic\"}'", "other work"),
            ):
                program.write_text("#!/bin/sh\n" + script + "\n")
                program.chmod(0o755)
                done = run([lares, "bench", self.NAME, *self.ONE_RUN])
                self.assertEqual((done.returncode, done.stdout), (1, ""), script)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(said, done.stderr)
            program.unlink()
            done = run([lares, "bench", self.NAME])
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("cannot find", done.stderr)

    def test_help_has_an_example(self):
        done = run([LARES, "bench", self.NAME, "--help"])
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"Example: lares bench {self.NAME}", done.stdout)
