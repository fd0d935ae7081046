"""Shares as bars in a terminal: `bars([("node 0", (0.8, 0.2))], KINDS)`.

Colours are for terminals only, and not where NO_COLOR is set (no-color.org); bars are told apart by their
characters as well, which are ASCII where the output cannot say others.
"""

import os
import shutil
import sys

GREEN, YELLOW, RED = "32", "33", "31"


class Kind:
    """A part of a bar: what it means, its character, the one in ASCII, and its colour."""

    def __init__(self, name, character, plain, colour):
        self.name, self.character, self.plain, self.colour = name, character, plain, colour


HOME = Kind("at home", "█", "#", GREEN)
NEAR = Kind("same domain", "▓", "=", YELLOW)
AWAY = Kind("elsewhere", "░", ".", RED)


class Canvas:
    """What the output can show."""

    def __init__(self, stream=None, environment=None):
        stream = sys.stdout if stream is None else stream
        environment = os.environ if environment is None else environment
        terminal = stream.isatty()
        self.coloured = (terminal and not environment.get("NO_COLOR")
                         and environment.get("TERM") != "dumb")
        self.columns = shutil.get_terminal_size().columns if terminal else 80
        try:
            (HOME.character + NEAR.character + AWAY.character).encode(stream.encoding or "ascii")
            self.ascii = False
        except (UnicodeEncodeError, LookupError):
            self.ascii = True

    def stripe(self, kind, cells):
        text = (kind.plain if self.ascii else kind.character) * cells
        return f"\033[{kind.colour}m{text}\033[0m" if self.coloured and cells else text


def cells_of(shares, width):
    """Whole cells for shares that add up to 1: exactly `width`, and each as near as can be."""
    ends, total = [0], 0.0
    for share in shares:
        total += share
        ends.append(round(min(total, 1.0) * width))
    ends[-1] = width
    return [end - start for start, end in zip(ends, ends[1:])]


def bars(rows, kinds, canvas):
    """A line for each (label, shares), with the first share as a number; then what the parts mean."""
    label_width = max(len(label) for label, _ in rows)
    width = max(10, min(50, canvas.columns - label_width - 12))
    lines = []
    for label, shares in rows:
        stripes = zip(kinds, cells_of(shares, width))
        drawn = "".join(canvas.stripe(kind, cells) for kind, cells in stripes)
        lines.append(f"  {label.ljust(label_width)}  {drawn} {100 * shares[0]:3.0f} %")
    legend = "   ".join(f"{canvas.stripe(kind, 1)} {kind.name}" for kind in kinds)
    return "\n".join([*lines, f"  {' ' * label_width}  {legend}"])
