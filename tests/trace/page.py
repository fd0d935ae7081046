#!/usr/bin/env python3
"""Opens pages of made-up runs in a headless Chromium and works with them.

Usage: page.py MAKE_PAGE OUT_FOLDER    Example: page.py build/release/tests/trace/trace_make_page /tmp/page

MAKE_PAGE is the program that writes pages (tests/trace/make_page.cpp). Screenshots of both themes and
the printed page stay in OUT_FOLDER. Exit status 77 without a browser: skipped.
"""

import pathlib
import subprocess
import sys
import unittest

import browser

SKIPPED = 77
# Generous: a machine of a test farm, with others beside it. bench/report_page.py measures.
OPEN_MS, ZOOM_MS = 20_000, 1_000
READY = """new Promise((resolve, reject) => {
  const look = () => window.laresReport?.ready
      ? window.laresReport.ready.then(() => window.laresReport.complete).then(resolve, reject)
      : setTimeout(look, 5);
  look();
}).then(() => laresReport.timings)"""
# Two frames: what was asked for is drawn.
SETTLED = "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))"

make_page = out = window = None


def page(name: str, *shape: int | str) -> pathlib.Path:
    """Makes a page: threads, grains per thread, domains, runs, "hostile"."""
    path = out / f"{name}.html"
    subprocess.run([make_page, path, *map(str, shape)], check=True)
    return path


class Page(unittest.TestCase):
    """Each test opens what it needs; all share a browser."""

    def open(self, path: pathlib.Path, theme: str = "light") -> dict:
        """Opens a page and waits until all of it is there; its timings."""
        window.window(1440, 900)
        window.theme(theme)
        window.open(path)
        return window.value(READY)

    def tearDown(self):
        self.assertEqual(window.complaints(), [])
        self.assertEqual([url for url in window.requests() if not url.startswith("file:")], [])

    def text(self, selector: str) -> str:
        """What is written in an element."""
        return window.value(f"document.querySelector({selector!r}).innerText")

    def press(self, key: str):
        """A key, to what has the focus."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        window.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        window.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str):
        """Text, to what has the focus."""
        window.call("Input.insertText", text=text)

    def mouse(self, kind: str, x: float, y: float, **more):
        """An event of the mouse, in pixels of the window."""
        window.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def lanes(self) -> dict:
        """Where the first timeline is in the window."""
        window.value("document.documentElement.style.scrollBehavior = 'auto', "
                     "document.getElementById('timeline').scrollIntoView()")
        return window.value("(({left, top, width, height}) => ({left, top, width, height}))"
                            "(document.querySelector('.over').getBoundingClientRect())")

    def view(self) -> tuple[float, float]:
        """The stretch of time in sight, in nanoseconds."""
        window.value(SETTLED)
        return tuple(window.value("[laresReport.view.from, laresReport.view.to]"))

    def test_shows_a_run(self):
        self.open(page("small", 4, 500, 2))
        self.assertIn("./sample --size 1000", self.text("#summary"))
        self.assertIn("spent away from their data", self.text("#summary"))
        self.assertIn("lacks 12 ms", self.text(".notes"))
        self.assertIn("exchange<int> runs away", self.text(".card"))
        self.assertIn("solver.cpp:42 sweep", self.text("#constructs"))
        self.assertEqual(window.value("document.querySelectorAll('#places tbody tr').length"), 6)
        self.assertTrue(window.value("document.getElementById('state').hidden"))

    def test_pictures_of_both_themes_and_of_paper(self):
        for name, shape in {"small": (4, 500, 2, 1), "two": (12, 3000, 4, 2)}.items():
            path = page(name, *shape)
            for theme in ("light", "dark"):
                self.open(path, theme)
                self.assertEqual(window.value("document.documentElement.dataset.theme"), theme)
                window.picture(out / f"{name}-{theme}.png")
            window.paper(out / f"{name}.pdf")
            window.value(SETTLED)
            # It was printed light and goes on dark.
            self.assertEqual(window.value("document.documentElement.dataset.theme"), "dark")

    def test_opens_and_zooms_soon_enough(self):
        timings = self.open(page("large", 8, 25_000, 2))
        self.assertLess(timings["complete"], OPEN_MS)
        for part in (1, 7, 300, 20_000):
            took = window.value(f"(({{view, setRange, drawNow}}) => (setRange(view.longest / 3, "
                                f"view.longest / 3 + view.longest / {part}), drawNow()))(laresReport)")
            self.assertLess(took, ZOOM_MS)

    def test_keys_zoom_and_move(self):
        self.open(page("small", 4, 500, 2))
        self.lanes()
        window.value("document.querySelector('.over').focus()")
        first = self.view()
        self.press("+")
        second = self.view()
        self.assertAlmostEqual(second[1] - second[0], (first[1] - first[0]) / 2, delta=1)
        self.press("ArrowRight")
        self.assertGreater(self.view()[0], second[0])
        self.press("-")
        self.press("Home")
        self.assertEqual(self.view(), first)

    def test_wheel_and_drag(self):
        self.open(page("small", 4, 500, 2))
        box = self.lanes()
        x, y = box["left"] + box["width"] / 2, box["top"] + 50
        first = self.view()
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
        self.assertEqual(self.view(), first)  # the page's, as nothing was clicked
        box = self.lanes()
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300, modifiers=2)
        second = self.view()
        self.assertLess(second[1] - second[0], first[1] - first[0])
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", x - 200, y, button="left", buttons=1)
        self.mouse("mouseReleased", x - 200, y, button="left", clickCount=1)
        self.assertGreater(self.view()[0], second[0])
        third = self.view()
        axis = box["top"] + 8
        self.mouse("mousePressed", x, axis, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", x + 120, axis, button="left", buttons=1)
        self.mouse("mouseReleased", x + 120, axis, button="left", clickCount=1)
        self.assertLess(self.view()[1] - self.view()[0], third[1] - third[0])

    def test_a_click_selects_a_grain_and_hovering_tells(self):
        self.open(page("small", 4, 500, 2))
        box = self.lanes()
        window.value("laresReport.setRange(1e6, 1.1e6)")
        window.value(SETTLED)
        x, y = box["left"] + 400, box["top"] + 55
        for dx in range(0, 60, 5):  # until it is over a grain instead of between two
            self.mouse("mouseMoved", x + dx, y)
            if not window.value("document.getElementById('tip').hidden"):
                break
        self.assertIn("grain ", self.text("#tip"))
        self.mouse("mousePressed", x + dx, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x + dx, y, button="left", clickCount=1)
        self.view()
        details = self.text(".details")
        for word in ("construct", "own time", "created by", "ready", "home", "ran in", "located by"):
            self.assertIn(word, details)
        self.assertIn("the clause's data", details)

    def test_hovering_counts_what_a_pixel_holds(self):
        self.open(page("large", 8, 25_000, 2))
        box = self.lanes()
        self.mouse("mouseMoved", box["left"] + 500, box["top"] + 55)
        self.assertRegex(self.text("#tip"), r"^\d+ grains")
        self.assertIn("longest", self.text("#tip"))

    def test_finds_a_grain_and_a_construct(self):
        self.open(page("large", 8, 25_000, 2))
        window.value("document.getElementById('search').focus()")
        self.type("grain 123456")
        self.press("Enter")
        self.view()
        self.assertIn("grain 123456", self.text(".details"))
        grain = window.value("(({grains}) => ({from: grains.begin[123456], "
                             "to: grains.begin[123456] + grains.length[123456]}))(laresReport.runs[0])")
        self.assertLess(self.view()[0], grain["from"])
        self.assertGreater(self.view()[1], grain["to"])
        window.value("document.getElementById('search').value = ''")
        self.type("exchange")
        self.press("Enter")
        self.view()
        self.assertEqual(window.value("laresReport.view.highlighted.name"),
                         "solver.cpp:77 exchange<int>")

    def test_a_diagnosis_is_shown(self):
        self.open(page("small", 4, 500, 2))
        whole = self.view()
        window.value("document.querySelector('.card button').click()")
        self.assertLess(self.view()[1] - self.view()[0], (whole[1] - whole[0]) / 2)
        self.assertEqual(window.value("laresReport.view.highlighted.constructs"), [1, -2])
        self.assertIn("grain 666", self.text(".details"))

    def test_tables_sort_and_search(self):
        self.open(page("small", 4, 500, 2))
        first = "#constructs tbody tr th"
        window.value("document.querySelector('#constructs thead button').click()")
        self.assertEqual(self.text(first), "main.cpp:9 loop")
        window.value("document.querySelector('#constructs thead button').click()")
        self.assertEqual(self.text(first), "solver.cpp:77 exchange<int>")
        window.value("document.querySelector('#constructs input').focus()")
        self.type("sweep")
        self.assertEqual(window.value("document.querySelectorAll('#constructs tbody tr').length"), 1)

    def test_the_pyramid_holds_all_of_the_time(self):
        self.open(page("small", 4, 500, 2))
        sums = window.value("""(({pyramid, grains, outer}) => {
          let own = 0;
          for (let i = 0; i < outer.length; i++) if (outer[i] === 0) own += grains.length[i];
          return pyramid.map(({cells}) => {
            let sum = 0;
            for (let i = 0; i < cells.length; i++) if (i % 6 < 4) sum += cells[i];
            return sum / own;
          });
        })(laresReport.runs[0])""")
        self.assertGreater(len(sums), 3)
        for share in sums:
            self.assertAlmostEqual(share, 1, places=3)

    def test_two_runs_side_by_side(self):
        self.open(page("two", 12, 3000, 4, 2))
        self.assertEqual(window.value("document.querySelectorAll('.timeline').length"), 2)
        self.assertIn("change", self.text("#constructs"))
        self.assertRegex(self.text("#constructs"), r"\u2212\d+ %")
        self.assertIn("Run B", self.text("#traffic"))
        for section in ("#summary", "#places"):
            self.assertRegex(self.text(section), r"\u2212\d+ %")

    def test_pages_are_told_by_thread(self):
        self.open(page("small", 4, 500, 2))
        self.assertFalse(window.value("document.getElementById('pages').hidden"))
        self.assertFalse(window.value("document.querySelector(\"nav a[href='#pages']\").hidden"))
        # Thread 0 came first to 4 MiB, of which domain 0 uses one half, and to what nobody names.
        parts = window.value("[...document.querySelectorAll('.touches tbody td:nth-child(2) .shares > span')]"
                             ".map((part) => part.className)")
        self.assertEqual(set(parts), {"local", "remote", "unknown"})
        others = window.value("[...document.querySelectorAll('.touches tbody td:nth-child(5) .shares > span')]"
                              ".map((part) => part.className)")
        self.assertEqual(set(others), {"unknown"})
        self.assertIn("4.25 MiB", self.text(".touches tfoot"))
        self.assertIn("0x7f0000000000", self.text("#pages"))
        label = window.value("document.querySelector('.touches td[aria-label*=remote]').getAttribute('aria-label')")
        self.assertIn("first by thread 0", label)

    def test_pages_of_one_run_of_two(self):
        self.open(page("two", 12, 3000, 4, 2))
        self.assertIn("traced without --pages", self.text("#pages"))

    def test_moves_are_summed_up(self):
        self.open(page("small", 4, 500, 2))
        self.assertFalse(window.value("document.getElementById('moves').hidden"))
        rows = window.value("[...document.querySelectorAll('#moves tbody tr')].map((row) => row.innerText.trim().split(/\\s{2,}|\\t/))")
        self.assertEqual([row[0] for row in rows], ["marked for the next touch", "fetched at a touch", "into domain 0",
                                                     "sampled, to learn who uses it", "to domain 1"])
        self.assertEqual(rows[1][1:4], ["2", "2.00 MiB", "512 KiB"])
        self.assertIn("50", rows[1][4])
        self.assertIn("Nothing moved", self.text_of_second_run("#moves"))

    def test_the_timeline_shows_what_moves(self):
        self.open(page("small", 4, 500, 2))
        self.assertIn("the thread goes elsewhere", self.text(".legend"))
        box = self.lanes()
        # Thread 0 is the first lane; in the middle of the run it touches a sampled page and goes to domain 1.
        middle = window.value("(({view}) => view.longest / 2)(laresReport)")
        window.value(f"laresReport.setRange({middle} - 1e4, {middle} + 1e4)")
        window.value(SETTLED)
        left = window.value("document.querySelector('.over').getBoundingClientRect().width")
        x = box["left"] + 118 + (left - 118 - 10) / 2
        self.mouse("mouseMoved", x, box["top"] + 46)
        tip = self.text("#tip")
        for word in ("sampled", "4.00 KiB", "goes to", "domain 1, core 1"):
            self.assertIn(word, tip)
        self.mouse("mouseMoved", x + 200, box["top"] + 46)
        self.assertNotIn("goes to", self.text("#tip"))
        # Drawn: the colour is on the lanes where there were moves, and nowhere in a stretch without.
        drawn = """(() => {
          const [canvas] = document.querySelectorAll('.stack canvas');
          const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const hex = getComputedStyle(document.documentElement).getPropertyValue('--moved').trim();
          const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
          let count = 0;
          for (let i = 0; i < data.length; i += 4) count += data[i] === r && data[i + 1] === g && data[i + 2] === b;
          return count;
        })()"""
        self.assertGreater(window.value(drawn), 20)
        window.value(f"laresReport.setRange({middle} + 1e4, {middle} + 3e4)")
        window.value(SETTLED)
        self.assertEqual(window.value(drawn), 0)

    def test_a_run_without_moves_has_no_signs_of_them(self):
        self.open(page("empty", 1, 0, 1))
        self.assertNotIn("goes elsewhere", self.text(".legend"))

    def test_sampled_pages_are_told_by_thread(self):
        self.open(page("small", 4, 500, 2))
        self.assertIn("Sampled pages", self.text("#pages"))
        labels = window.value("[...document.querySelectorAll('.touches')].at(-1).querySelectorAll('td[aria-label]').length")
        self.assertEqual(labels, 2)

    def text_of_second_run(self, section):
        self.open(page("two", 12, 3000, 4, 2))
        return self.text(section)

    def test_without_pages_there_is_no_section(self):
        self.open(page("empty", 1, 0, 1))
        self.assertTrue(window.value("document.getElementById('pages').hidden"))

    def test_least_times_stand_beside_measured_ones(self):
        self.open(page("small", 4, 500, 2))
        self.assertFalse(window.value("document.getElementById('model').hidden"))
        self.assertFalse(window.value("document.querySelector(\"nav a[href='#model']\").hidden"))
        first, second, third = window.value(
            "[...document.querySelectorAll('#model tbody tr')].map((row) => row.innerText)")
        for word in ("solver.cpp:42 sweep", "20.0 ms", "15.0 ms", "75 %", "domain 0 with the memory of 1"):
            self.assertIn(word, first)
        self.assertIn("names no bytes", second)
        self.assertNotIn("%", second)
        self.assertIn("not memory-bound", third)
        bars = window.value("[...document.querySelectorAll('#model tbody tr:first-child .measures > span')]"
                            ".map((bar) => bar.getBoundingClientRect().width)")
        self.assertAlmostEqual(bars[1] / bars[0], 0.75, delta=0.02)
        for sentence in ("measured here", "Made-up figures.", "1 of 3 constructs name no bytes"):
            self.assertIn(sentence, self.text("#model"))

    def test_least_times_sort_and_point_to_the_timeline(self):
        self.open(page("small", 4, 500, 2))
        heads = "[...document.querySelectorAll('#model thead button')]"
        window.value(f"{heads}.find((button) => button.textContent === 'of it').click()")
        names = "[...document.querySelectorAll('#model tbody th')].map((cell) => cell.innerText)"
        order = ["solver.cpp:42 sweep", "main.cpp:9 loop", "solver.cpp:77 exchange<int>"]
        self.assertEqual(window.value(names), order)
        window.value(f"{heads}.find((button) => button.textContent === 'of it').click()")
        self.assertEqual(window.value(names), order[::-1])
        window.value("document.querySelector('#model tbody th button').click()")
        self.assertEqual(window.value("laresReport.view.highlighted.constructs"), [1, -2])

    def test_least_times_of_two_runs(self):
        self.open(page("two", 12, 3000, 4, 2))
        text = self.text("#model")
        for word in ("measured A", "least B", "change", "verdict B", "Run B: Made-up figures."):
            self.assertIn(word, text)
        self.assertEqual(window.value("document.querySelectorAll('#model tbody tr').length"), 3)

    def test_without_a_machine_there_is_no_model(self):
        self.open(page("empty", 1, 0, 1))
        self.assertTrue(window.value("document.getElementById('model').hidden"))
        self.assertTrue(window.value("document.querySelector(\"nav a[href='#model']\").hidden"))

    def test_names_stay_text(self):
        self.open(page("hostile", 4, 500, 2, 1, "hostile"))
        window.value("laresReport.goTo(laresReport.runs[0], "
                     "laresReport.runs[0].grains.construct.indexOf(1))")
        self.view()
        shown = "</script><img src=x onerror=alert(1)>\u240a\u241b[31m"
        self.assertIn(shown, self.text("#constructs"))
        self.assertEqual(self.text("#model").count(shown), 2)  # of a construct, and of the machine
        self.assertIn(shown, self.text(".details"))
        self.assertEqual(window.value("document.images.length"), 0)

    def test_a_run_without_grains_has_a_page(self):
        self.open(page("empty", 1, 0, 1))
        self.assertTrue(window.value("document.getElementById('state').hidden"))
        self.lanes()
        window.value("document.querySelector('.over').focus()")
        self.press("n")
        self.press("+")
        self.view()

    def test_a_damaged_page_says_so(self):
        text = page("small", 4, 500, 2).read_text()
        column = 'data-column="length" data-code="plain" data-planes="3">'
        at = text.index(column) + len(column)
        damaged = out / "damaged.html"
        damaged.write_text(text[:at] + "A" * 40 + text[at + 40:])
        window.window(1440, 900)
        window.open(damaged)
        with self.assertRaises(RuntimeError):
            window.value(READY)
        self.assertIn("cannot be shown", self.text("#state"))
        window.events.clear()  # the complaint is what was wanted


def main() -> int:
    global make_page, out, window
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    path = browser.find()
    if path is None:
        print(f"skipped: no browser is installed (looked for {', '.join(browser.NAMES)})")
        return SKIPPED
    make_page, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    with browser.Browser(path) as window:
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(Page)
        done = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    return 0 if done.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
