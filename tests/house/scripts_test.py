#!/usr/bin/env python3
"""Tests of scripts/ and of what bench/ draws: what users meet first."""

import io
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import picture  # noqa: E402  (the path must be set first)
import shapes_bound  # noqa: E402


class Output(io.StringIO):
    """A stream that is a terminal or not, of some encoding."""

    def __init__(self, terminal, encoding="utf-8"):
        super().__init__()
        self._terminal, self._encoding = terminal, encoding

    def isatty(self):
        return self._terminal

    @property
    def encoding(self):
        return self._encoding


def drawn(shares, *, terminal=False, encoding="utf-8", environment=None):
    canvas = picture.Canvas(Output(terminal, encoding), environment or {})
    return picture.bars([("node 0", shares)], (picture.HOME, picture.AWAY), canvas)


class Picture(unittest.TestCase):
    def test_cells_fill_the_width(self):
        for shares in ((1.0, 0.0), (0.0, 1.0), (1 / 3, 2 / 3), (0.333, 0.333, 0.334), (0.05,) * 20):
            for width in (10, 33, 50):
                with self.subTest(shares=shares, width=width):
                    cells = picture.cells_of(shares, width)
                    self.assertEqual(sum(cells), width)
                    self.assertTrue(all(abs(cell - share * width) <= 1
                                        for cell, share in zip(cells, shares)))

    def test_a_terminal_gets_colours_unless_told_otherwise(self):
        self.assertIn("\033[32m", drawn((0.5, 0.5), terminal=True))
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\033", drawn((0.5, 0.5), terminal=True, environment=environment))

    def test_an_empty_no_color_says_nothing(self):
        self.assertIn("\033", drawn((0.5, 0.5), terminal=True, environment={"NO_COLOR": ""}))

    def test_a_pipe_gets_no_colours(self):
        self.assertNotIn("\033", drawn((0.5, 0.5)))

    def test_shares_can_be_told_apart_without_colours(self):
        first = drawn((0.25, 0.75)).splitlines()[0]
        self.assertEqual((first.count("█"), first.count("░")), tuple(picture.cells_of((0.25, 0.75), 50)))
        self.assertTrue(first.endswith(" 25 %"), first)

    def test_ascii_where_nothing_else_can_be_shown(self):
        text = drawn((0.5, 0.5), encoding="ascii")
        self.assertTrue(text.isascii())
        self.assertIn("#", text)

    def test_lines_fit_a_narrow_terminal(self):
        with mock.patch.object(picture.shutil, "get_terminal_size", return_value=os.terminal_size((40, 24))):
            text = drawn((0.5, 0.5), terminal=True, environment={"NO_COLOR": "1"})
        self.assertTrue(all(len(line) <= 40 for line in text.splitlines()), text)


def packages(*words, environment=None):
    done = subprocess.run([ROOT / "scripts" / "install-packages", "--list", *words],
                          env={"PATH": os.environ["PATH"], **(environment or {})},
                          capture_output=True, text=True, check=True)
    return done.stdout.split()


class Packages(unittest.TestCase):
    def test_groups_together_are_everything(self):
        groups = [packages(group) for group in ("build", "bench", "lab", "report", "test")]
        self.assertEqual(sorted({name for group in groups for name in group}), sorted(packages()))

    def test_what_builds_needs_no_test_and_no_guest(self):
        names = packages("build")
        self.assertIn("libhwloc-dev", names)
        for name in ("libgtest-dev", "qemu-system-x86", "clang-19", "libopenblas-pthread-dev"):
            self.assertNotIn(name, names)

    def test_who_names_a_compiler_has_one(self):
        self.assertIn("g++", packages("build"))
        self.assertNotIn("g++", packages("build", environment={"CXX": "clang++-16"}))

    def test_other_words_are_packages(self):
        self.assertIn("hello", packages("lab", "hello"))
        self.assertNotIn("cmake", packages("lab", "hello"))

    def test_each_package_once(self):
        names = packages()
        self.assertEqual(len(names), len(set(names)))

    def test_an_unknown_option_is_a_mistake(self):
        done = subprocess.run([ROOT / "scripts" / "install-packages", "--everything"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--everything", done.stderr)


class Presets(unittest.TestCase):
    def setUp(self):
        document = json.loads((ROOT / "CMakePresets.json").read_text())
        self.presets = {preset["name"]: preset for preset in document["configurePresets"]}

    def variables(self, name):
        preset = self.presets[name]
        inherited = self.variables(preset["inherits"]) if "inherits" in preset else {}
        return inherited | preset.get("cacheVariables", {})

    def test_users_choose_their_compiler_and_warnings_do_not_stop_them(self):
        variables = self.variables("user")
        self.assertFalse([name for name in variables if "COMPILER" in name])
        self.assertNotIn("LARES_WERROR", variables)
        self.assertEqual(variables["BUILD_TESTING"], "OFF")

    def test_developers_have_one_compiler_and_no_warnings(self):
        for name, preset in self.presets.items():
            if preset.get("hidden") or name == "user":
                continue
            with self.subTest(preset=name):
                variables = self.variables(name)
                self.assertEqual(variables["LARES_WERROR"], "ON")
                self.assertIn("CMAKE_CXX_COMPILER", variables)

    def test_the_build_script_knows_all_presets(self):
        text = (ROOT / "scripts" / "build").read_text()
        named = re.search(r"presets=\((.*)\)", text)[1].split()
        self.assertEqual(sorted(named), sorted(name for name, preset in self.presets.items()
                                               if not preset.get("hidden")))


class Bounds(unittest.TestCase):
    """What has to cross between nodes, against small cases counted by hand."""

    def test_a_single_node_has_nothing_to_cross(self):
        for shape, of_sweep in shapes_bound.OF_SWEEP.items():
            self.assertEqual(of_sweep((12, 8), 1), 0, shape)

    def test_two_rows_cross_at_each_border(self):
        self.assertEqual(shapes_bound.halo((64, 8), 4), 3 * 2 * 8)

    def test_all_keys_cross_but_those_that_are_there(self):
        self.assertEqual(shapes_bound.sort((1024, 8), 4), 48)

    def test_blocks_go_to_those_that_read_them(self):
        # Of four blocks on two nodes, by rows or by columns: the first and one of its neighbours.
        self.assertEqual(shapes_bound.lu((2, 4), 2), 2)


if __name__ == "__main__":
    unittest.main()
