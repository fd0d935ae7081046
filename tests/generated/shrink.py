"""The smallest program, and the plainest setting, that still fail.

`fails(program, setting)` says whether they do; it may be wrong now and then in one direction, as
failures come and go: then what is kept is only larger than it need be.
"""

import copy
import dataclasses
import time

import model
from execute import Setting


class Shrinker:
    """Works until nothing more can be taken away, or the time is over."""

    def __init__(self, fails, seconds):
        self._fails = fails
        self._end = time.monotonic() + seconds
        self.tried = 0

    def shrink(self, program, setting):
        best = (program, setting)
        before = None
        while before != self._measure(*best) and not self._late():
            before = self._measure(*best)
            best = (self._delete(*best), best[1])
            best = (self._hoist(*best), best[1])
            best = self._settings(*best)
            best = (self._knobs(*best), best[1])
        return best

    @staticmethod
    def _measure(program, setting):
        return (repr(program), setting)

    def _late(self):
        return time.monotonic() > self._end

    def _still(self, program, setting):
        if self._late():
            return False
        self.tried += 1
        return self._fails(program, setting)

    # Each pass names what it would change by a path that is found again in a fresh copy.

    def _delete(self, program, setting):
        """Takes statements out of every list, first in large pieces."""
        for at in range(10**6):
            lists = _lists(program)
            if at >= len(lists):
                return program
            piece = len(lists[at])
            while piece:
                begin = 0
                while begin < len(_lists(program)[at]):
                    smaller = copy.deepcopy(program)
                    del _lists(smaller)[at][begin:begin + piece]
                    if self._late():
                        return program
                    if self._still(smaller, setting):
                        program = smaller
                    else:
                        begin += piece
                piece //= 2
                if at >= len(_lists(program)):
                    break
        return program

    def _hoist(self, program, setting):
        """Puts what a statement contains in its place."""
        at = 0
        while at < len(_positions(program)) and not self._late():
            smaller = copy.deepcopy(program)
            place, index = _positions(smaller)[at]
            inside = [child for body in model.bodies(place[index]) for child in body]
            place[index:index + 1] = inside
            if inside and self._still(smaller, setting):
                program = smaller
            else:
                at += 1
        return program

    def _knobs(self, program, setting):
        """Sets every choice back to its simplest value, and numbers as low as they can be."""
        at = 0
        while at < len(_choices(program)) and not self._late():
            holder, field = _choices(program)[at]
            for value in _simpler(getattr(holder, field.name), field.default):
                smaller = copy.deepcopy(program)
                other, _ = _choices(smaller)[at]
                setattr(other, field.name, value)
                if self._still(smaller, setting):
                    program = smaller
                    break
            at += 1
        return program

    def _settings(self, program, setting):
        for name, _ in setting.variables:
            plainer = Setting(setting.launcher, tuple(p for p in setting.variables if p[0] != name))
            if name not in ("OMP_NUM_THREADS", "WALK_DROP") and self._still(program, plainer):
                setting = plainer
        for threads in ("1", "2", "3", "4"):
            fewer = Setting(setting.launcher, tuple(
                (name, threads if name == "OMP_NUM_THREADS" else value) for name, value in setting.variables))
            if fewer == setting or self._still(program, fewer):
                setting = fewer
                break
        for option, value in (("--domain", None), ("--bubbles", None), ("--policy", "auto")):
            plainer = Setting(_with(setting.launcher, option, value), setting.variables)
            if plainer != setting and self._still(program, plainer):
                setting = plainer
        return program, setting


def _with(launcher, option, value):
    """The words with another value for an option, or without it if there is none."""
    words = list(launcher)
    if option not in words:
        return launcher
    at = words.index(option)
    words[at:at + 2] = [option, value] if value else []
    return tuple(words)


def _holders(program):
    return [statement for case in program.cases for statement in model.walk(case)]


def _lists(program):
    """All lists that elements may be taken out of: bodies, and the items of depend clauses."""
    found = []
    for holder in _holders(program):
        found += model.bodies(holder)
        for field in dataclasses.fields(holder):
            if field.metadata.get("items") or field.metadata.get("bodies"):
                found.append(getattr(holder, field.name))
    return found


def _positions(program):
    return [(body, index) for holder in _holders(program) for body in model.bodies(holder)
            for index, statement in enumerate(body) if model.bodies(statement)]


def _choices(program):
    """All pairs (holder, field) whose value is not the simplest one."""
    found = []
    for holder in _holders(program):
        items = [item for field in dataclasses.fields(holder) if field.metadata.get("items")
                 for item in getattr(holder, field.name)]
        for one in [holder, *items]:
            found += [(one, field) for field in dataclasses.fields(one)
                      if field.metadata.get("knob") and getattr(one, field.name) != field.default]
    return found


def _simpler(value, simplest):
    yield simplest
    if isinstance(value, int) and not isinstance(value, bool):
        for part in (16, 4, 2):
            between = simplest + (value - simplest) // part
            if between not in (simplest, value):
                yield between
