"""Runs a built program case by case: how each ended, how long it took, how much memory it held."""

import dataclasses
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One process. fault: "", wrong, crash, hang or growth; case: where, 0 if unknown."""

    fault: str
    case: int
    text: str
    seconds: float
    kib: int

    def __str__(self):
        return f"{self.fault}: {self.text}" if self.fault else "passed"


@dataclasses.dataclass(frozen=True)
class Setting:
    """How a run is made: what stands before the program, and the environment."""

    launcher: tuple = ()
    variables: tuple = ()  # pairs

    def stock(self):
        """The same without Lares."""
        kept = tuple(pair for pair in self.variables if not pair[0].startswith("LARES_"))
        return Setting((), kept)

    def environment(self):
        kept = {name: value for name, value in os.environ.items()
                if not re.match(r"(OMP|GOMP|KMP|LIBOMP|LARES)_|LD_PRELOAD$", name)}
        return {**kept, **dict(self.variables)}

    def command(self, program, *arguments):
        words = [f"{name}={value}" for name, value in self.variables]
        return " ".join([*words, *map(str, self.launcher), str(program), *map(str, arguments)])

    def __str__(self):
        return self.command("PROGRAM")


def _ends(descriptor, limit, progress, stall):
    """Whether the process ends within the limit, and no case takes longer than a stall (0: however long)."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    end = time.monotonic() + limit
    seen, case_end = None, end
    while (left := min(end, case_end) - time.monotonic()) > 0:
        if poll.poll(min(left, 1 if stall else left) * 1000):
            return True
        at = _case_of(progress)
        if stall and at != seen:
            seen, case_end = at, time.monotonic() + stall
    return False


def _case_of(progress):
    return int.from_bytes(progress.read_bytes(), "little") if progress.exists() else 0


def _wait(process, limit, progress, stall):
    """(status, rusage), or None if a limit came first; the process is reaped either way."""
    descriptor = os.pidfd_open(process.pid)
    try:
        ended = _ends(descriptor, limit, progress, stall)
        if not ended:
            os.killpg(process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        os.close(descriptor)
    if not ended:
        return None
    try:
        os.killpg(process.pid, signal.SIGKILL)  # whatever it left behind
    except ProcessLookupError:
        pass
    return process.returncode, usage


def run(program, setting, cases, limit, kib_limit=0, stall=0):
    """One process that runs these cases (numbers; all if there are none)."""
    with tempfile.TemporaryDirectory(prefix="lares-generated-") as folder:
        progress = pathlib.Path(folder) / "progress"
        command = [*map(str, setting.launcher), str(program), "--progress", str(progress), *map(str, cases)]
        begin = time.monotonic()
        with open(pathlib.Path(folder) / "out", "w+", encoding="utf-8", errors="replace") as out:
            process = subprocess.Popen(command, env=setting.environment(), stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
            ended = _wait(process, limit, progress, stall)
            seconds = time.monotonic() - begin
            out.seek(0)
            text = out.read(20000).strip()
        case = _case_of(progress)
    if ended is None:
        return Outcome("hang", case, f"no end after {seconds:.0f} s", seconds, 0)
    status, usage = ended
    kib = usage.ru_maxrss
    last = text.splitlines()[-1] if text else ""
    if status == 1 and re.search(r"^case \d+: ", text, re.M):
        return Outcome("wrong", case, re.search(r"^case \d+: (.*)", text, re.M).group(1), seconds, kib)
    if status or not re.search(r"^ok \d+ cases$", text, re.M):
        what = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        assertion = re.search(r"Assertion failure.*|.*(?:[Ee]rror|ERROR):.*", text)
        return Outcome("crash", case, f"{what}; {assertion.group(0) if assertion else last}"[:300], seconds, kib)
    if kib_limit and kib > kib_limit:
        return Outcome("growth", 0, f"{kib // 1024} MiB, more than {kib_limit // 1024}", seconds, kib)
    return Outcome("", 0, last, seconds, kib)


def run_each(program, setting, cases, limit, kib_limit=0, alone=False, stall=0):
    """The outcome of every case: all in one process as long as none fails.

    Growth shows only in the whole process, so then each case runs again in a process of its own.
    """
    outcomes = {}
    left = list(cases)
    while left:
        outcome = run(program, setting, left[:1] if alone else left, limit, kib_limit, stall)
        if outcome.fault == "growth" and len(left) > 1 and not alone:
            return {**outcomes, **run_each(program, setting, left, limit, kib_limit, True, stall)}
        if alone or outcome.fault == "growth":
            done, at = 1, left[0]
        elif outcome.fault:
            at = outcome.case if outcome.case in left else left[0]
            done = left.index(at) + 1
        else:
            done, at = len(left), None
        for case in left[:done]:
            outcomes[case] = outcome if case == at else Outcome("", case, "", outcome.seconds, outcome.kib)
        left = left[done:]
    return outcomes
