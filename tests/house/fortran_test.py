#!/usr/bin/env python3
"""The Fortran module has all that the C headers have: functions and their arguments, enumerators
with their values, and the fields of types in their order."""

import pathlib
import re
import unittest

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include" / "lares"
HEADERS = ("lares.h", "memory.h")


def pieces(text):
    """`text` cut at the commas that are in no brackets."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [*found, text[start:].strip()]


def name_of_argument(declaration):
    """The last name, or that of a pointer to a function: "const int* domains", "int (*f)(void)"."""
    pointer = re.search(r"\(\*(\w+)\)", declaration)
    return pointer[1] if pointer else re.search(r"(\w+)$", declaration)[1]


def plain_c(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def c_functions(text):
    """{name: [its arguments' names]}"""
    found = {}
    text = re.sub(r"^\s*#.*$", "", plain_c(text), flags=re.MULTILINE)
    for name, arguments in re.findall(r"\b(lares_\w+)\s*\(([^;{}]*)\)\s*;", text):
        words = [] if arguments.strip() == "void" else pieces(" ".join(arguments.split()))
        found[name] = [name_of_argument(word) for word in words]
    return found


def c_enumerators(text):
    found = {}
    for body in re.findall(r"\benum\s+\w+\s*\{([^}]*)\}", plain_c(text)):
        value = -1
        for word in (word for word in pieces(body) if word):
            name, _, given = (part.strip() for part in word.partition("="))
            value = int(given) if given else value + 1
            found[name] = value
    return found


def c_types(text):
    """{name: [its fields]}"""
    found = {}
    for name, body in re.findall(r"\btypedef struct (\w+)\s*\{([^}]*)\}", plain_c(text)):
        found[name] = [re.search(r"(\w+)$", field)[1] for line in body.split(";") if line.strip()
                       for field in pieces(line)]
    return found


def plain_fortran(text):
    """Without comments, and with continued lines as one."""
    return re.sub(r"&\s*\n\s*", " ", re.sub(r"!.*", "", text))


def f_functions(text):
    found = {}
    for name, arguments in re.findall(r"^\s*function (lares_\w+)\((.*?)\) bind\(c\)",
                                      plain_fortran(text), re.MULTILINE):
        found[name] = [word for word in pieces(arguments) if word]
    return found


def f_enumerators(text):
    return {name: int(value) for name, value in
            re.findall(r"integer\(c_int\), parameter :: (\w+) = (\d+)", plain_fortran(text))}


def f_types(text):
    found = {}
    for name, body in re.findall(r"type, bind\(c\) :: (\w+)\n(.*?)end type",
                                 plain_fortran(text), re.DOTALL):
        found[name] = [field.split("=")[0].strip() for line in body.splitlines() if "::" in line
                       for field in pieces(line.split("::")[1])]
    return found


class Reading(unittest.TestCase):
    """What the comparison rests on."""

    HEADER = """
    /* int lares_no(void); */
    enum lares_e { LARES_A = 3, /* three */ LARES_B };
    typedef struct lares_t { const int* list; uint64_t one, two; } lares_t;
    int lares_f(void);
    void* lares_g(size_t n, int (*call)(void* a, int b), lares_t* t);
    """
    MODULE = """
      integer(c_int), parameter :: LARES_A = 3  ! three
      type, bind(c) :: lares_t
        type(c_ptr) :: list = c_null_ptr
        integer(c_int64_t) :: one, two
      end type lares_t
      function lares_f() bind(c)
      end function lares_f
      function lares_g(n, call, &
                       t) bind(c)
      end function lares_g
    """
    FUNCTIONS = {"lares_f": [], "lares_g": ["n", "call", "t"]}
    TYPES = {"lares_t": ["list", "one", "two"]}

    def test_headers(self):
        self.assertEqual(c_functions(self.HEADER), self.FUNCTIONS)
        self.assertEqual(c_enumerators(self.HEADER), {"LARES_A": 3, "LARES_B": 4})
        self.assertEqual(c_types(self.HEADER), self.TYPES)

    def test_module(self):
        self.assertEqual(f_functions(self.MODULE), self.FUNCTIONS)
        self.assertEqual(f_enumerators(self.MODULE), {"LARES_A": 3})
        self.assertEqual(f_types(self.MODULE), self.TYPES)


class Module(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None
        self.module = (INCLUDE / "lares.f90").read_text(encoding="utf-8")
        self.headers = "\n".join((INCLUDE / name).read_text(encoding="utf-8") for name in HEADERS)

    def test_functions(self):
        functions = c_functions(self.headers)
        self.assertGreater(len(functions), 40)
        self.assertEqual(f_functions(self.module), functions)

    def test_enumerators(self):
        self.assertEqual(f_enumerators(self.module), c_enumerators(self.headers))

    def test_types(self):
        self.assertEqual(f_types(self.module), c_types(self.headers))


if __name__ == "__main__":
    unittest.main()
