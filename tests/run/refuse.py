#!/usr/bin/env python3
"""Runs a command for which a system call is refused with EPERM, as sandboxes do.

Usage: refuse.py NAME COMMAND...    NAME is one of sched_setaffinity, sched_getaffinity, userfaultfd,
perf_event_open
"""

import ctypes
import os
import platform
import struct
import sys

NUMBERS = {"x86_64": {"sched_setaffinity": 203, "sched_getaffinity": 204,
                      "userfaultfd": 323, "perf_event_open": 298},
           "aarch64": {"sched_setaffinity": 122, "sched_getaffinity": 123,
                       "userfaultfd": 282, "perf_event_open": 241}}
EPERM = 1
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
RETURN_ERRNO, RETURN_ALLOW = 0x00050000, 0x7FFF0000


def refuse(number: int) -> None:
    """From now on the call answers EPERM, in this process and those below it."""
    steps = [(LOAD_WORD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, number),
             (RETURN, 0, 0, RETURN_ERRNO | EPERM), (RETURN, 0, 0, RETURN_ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(steps), ctypes.cast(code, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                  (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)):
        if libc.prctl(*words) != 0:
            sys.exit(f"refuse.py: prctl: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    refuse(NUMBERS[platform.machine()][sys.argv[1]])
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
