#!/usr/bin/env python3
"""Checks that every lock which a whole process shares is renewed in the child of a fork.

Usage: locks.py SOURCE_FOLDER    Example: locks.py src

In what is preloaded, a spinlock at namespace scope or a static one must be defined by
LARES_PROCESS_LOCK (runtime/process_lock.hpp), and mutexes are not used so at all. Prints every
other; exit status 1 if there is one.
"""

import pathlib
import re
import sys

FOLDERS = ("base", "machine", "policy", "decide", "memory", "runtime", "host")
LOCK = r"(?:(?:\w+::)*(?:Spinlock|ProcessLock)|std::\w*mutex|pthread_mutex_t|std::atomic_flag)"
# Members end with an underscore or stand indented in a class; what is shared is called g_, or static.
SHARED = re.compile(rf"^\s*(?:(?:static|inline|constinit|alignas\(\d+\))\s+)*{LOCK}\s+(g_\w+)|"
                    rf"^\s*static\s+(?:inline\s+)?(?:constinit\s+)?{LOCK}\s+(\w+)")


def strangers(path: pathlib.Path) -> list[str]:
    """Complaints about one file."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = SHARED.match(line)
        if match:
            name = match[1] or match[2]
            found.append(f"{path}:{number}: '{name}' would stay locked in the child of a fork; "
                         f"define it by LARES_PROCESS_LOCK({name})")
    return found


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    complaints = []
    for folder in FOLDERS:
        for path in sorted(pathlib.Path(sys.argv[1], folder).rglob("*.[ch]pp")):
            complaints += strangers(path)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
