#!/usr/bin/env python3
"""Checks that a shared library defines no dynamic symbol but those that it is meant to.

Usage: exports.py LIBRARY PATTERN...    Example: exports.py liblares.so 'lares_.*'

Each PATTERN is a regular expression for a whole name. Prints every other name; exit status 1 if
there was one, or if the library exports nothing at all.
"""

import re
import subprocess
import sys


def exported(library: str) -> list[str]:
    """Names of the defined dynamic symbols, without versions."""
    nm = ["nm", "--dynamic", "--defined-only", "--format=posix", library]
    output = subprocess.run(nm, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in output.splitlines()]
    # Absolute symbols are the names of version nodes, not code or data.
    return sorted({row[0].split("@")[0] for row in rows if len(row) > 1 and row[1] != "A"})


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    library, patterns = sys.argv[1], [re.compile(pattern) for pattern in sys.argv[2:]]
    names = exported(library)
    strangers = [name for name in names if not any(p.fullmatch(name) for p in patterns)]
    for name in strangers:
        print(f"{library}: exports '{name}', which is no entry point")
    if not names:
        print(f"{library}: exports nothing")
    return 1 if strangers or not names else 0


if __name__ == "__main__":
    sys.exit(main())
