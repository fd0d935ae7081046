#!/usr/bin/env python3
"""Tests of `lares run` with real OpenMP programs on guests of several nodes, by what they count.

Usage: lab_programs_test.py BUILD [CLASS...]

BUILD has lares, examples/ and tests/lab/. Counts come from emulated cpus that take turns on a few of
the host's: what is asserted of schedules has a wide margin, what arithmetic says has a narrow one.
Ends with status 77, "skipped", where there is no QEMU.
"""

import json
import pathlib
import re
import shutil
import statistics
import sys
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

# pylint: disable=wrong-import-position
import harness  # noqa: E402
import lab_guests  # noqa: E402

LARES = BUILD / "lares"
PATIENCE = 280
JACOBI = ("64", "8", "3", "parallel")
CHOLESKY = ("768", "64", "1", "interleaved")


def program(name):
    path = BUILD / name
    if not path.exists():
        raise unittest.SkipTest(f"{name} was not built")
    return path


def run(nodes, *words, count=True, guest=(), **environment):
    return lab_guests.run_guest(LARES, ["--nodes", nodes, *guest], words, count=count,
                                environment=harness.clean_environment(**environment),
                                timeout=PATIENCE)


def under_lares(policy, *words):
    return [LARES, "run", "--quiet", "--policy", policy, "--", *words]


def shares_of(matrix):
    """Its cells as shares of their sum."""
    total = sum(map(sum, matrix))
    return [[cell / total for cell in row] for row in matrix]


def bytes_named(report):
    return report["bytes_by_home_and_domain"]


class Counts(unittest.TestCase):
    """The counts are what arithmetic says."""

    def check(self, run_of, region):
        expected = lab_guests.expectations(run_of)
        self.assertTrue(expected)
        for e in expected:
            self.assertLess(abs(e.error(run_of)), 0.05, vars(e))
        self.assertLess(lab_guests.elsewhere(run_of, region, expected), 0.01)

    def test_a_stream_is_counted_where_its_memory_is(self):
        self.check(run(4, program("tests/lab/lab_triad"), "0", "3"), "triad")

    def test_a_node_without_cpus_serves_lines_and_fetches_none(self):
        triad = run(3, program("tests/lab/lab_triad"), "1", "2", guest=("--cpuless", "1"))
        self.check(triad, "triad")
        self.assertEqual(sum(triad.region("triad")["read"][2]), 0)

    def test_serial_parallel_and_interleaved_first_touch(self):
        for mode in ("serial", "parallel", "interleave"):
            with self.subTest(mode):
                self.check(run(4, program("tests/lab/lab_placement"), mode), "sum")

    def test_tiles_that_are_used_again_are_fetched_once(self):
        self.check(run(2, program("tests/lab/lab_multiply"), "8"), "multiply")


class Shares(unittest.TestCase):
    """What of a program's lines comes from the node that fetches them."""

    def local_share(self, nodes, region, words):
        done = run(nodes, *words)
        self.assertIn("result=ok", done.output)
        matrix = lab_guests.fetched(done.region(region))
        self.assertEqual(len(matrix), nodes)
        return 1 - lab_guests.remote(matrix) / sum(map(sum, matrix))

    def compare(self, nodes, name, arguments, region, compiler, policy):
        """A policy that goes by data has a much larger local share than one that does not. What one run
        counts is chance, too: it may take the means of up to three pairs of runs to tell."""
        words = [program(f"{name}-{compiler}"), *arguments]
        blind, shares = [], []
        for _ in range(3):
            blind.append(self.local_share(nodes, region, under_lares("stock-like", *words)))
            shares.append(self.local_share(nodes, region, under_lares(policy, *words)))
            print(f"{name}-{compiler}, {nodes} nodes: {blind[-1]:.3f} local under stock-like, "
                  f"{shares[-1]:.3f} under {policy}")
            gained = statistics.mean(shares) - statistics.mean(blind)
            if gained > 0.1:
                return
        self.fail(f"{name}-{compiler}, {nodes} nodes, {policy}: {gained:.3f} gained on average")


class Locality(Shares):
    """`lares run` keeps real programs at home: stencils, a factorisation and a stream, of each compiler."""

    def test_jacobi_stays_at_home_on_four_nodes(self):
        self.compare(4, "examples/jacobi", JACOBI, "sweeps", "clang", "virouleau")

    def test_cholesky_stays_at_home_on_four_nodes(self):
        self.compare(4, "examples/cholesky", CHOLESKY, "factorise", "gcc", "virouleau")

    def test_loops_of_tasks_stay_at_home_on_four_nodes(self):
        for shape, compiler in (("stencil", "gcc"), ("stream", "clang")):
            with self.subTest(shape):
                arguments = {"stencil": ("stencil", "3", "800", "16"),
                             "stream": ("stream", "4", "600000", "8192")}[shape]
                self.compare(4, "bench/taskloops", arguments, "sweeps", compiler, "auto")


class Pointers(unittest.TestCase):
    """Tasks go where the blocks are that their arguments point to, whoever has filled these."""

    def remote(self, compiler, *words):
        done = run(4, *words, program(f"tests/lab/lab_own_blocks-{compiler}"))
        self.assertIn("result=ok", done.output)
        matrix = lab_guests.fetched(done.region("late"))
        return lab_guests.remote(matrix) / sum(map(sum, matrix))

    def test_tasks_go_to_the_blocks_that_they_point_to(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                stock = self.remote(compiler)
                ours = self.remote(compiler, LARES, "run", "--quiet", "--")
                print(f"own_blocks-{compiler}: {stock:.3f} remote, under lares run {ours:.3f}")
                self.assertGreater(stock, 0.6)
                self.assertLess(ours, stock / 2)


class Tiles(unittest.TestCase):
    """Dependences name a table's entries: rows of tiles lie where the row before does, whichever lines make them."""

    def remote(self, compiler, mode, *words, **environment):
        done = run(4, *words, program(f"tests/lab/lab_tiles-{compiler}"), mode, **environment)
        self.assertIn("result=ok", done.output)
        matrix = lab_guests.fetched(done.region("steps"))
        return lab_guests.remote(matrix) / sum(map(sum, matrix))

    def test_rows_of_tiles_stay_at_home(self):
        for compiler, mode in (("gcc", "turns"), ("clang", "turns"), ("gcc", "rows")):
            with self.subTest(compiler, mode=mode):
                stock = self.remote(compiler, mode, OMP_PROC_BIND="close", OMP_PLACES="cores")
                ours = self.remote(compiler, mode, LARES, "run", "--quiet", "--")
                print(f"tiles-{compiler} {mode}: {stock:.3f} remote, under lares run {ours:.3f}")
                self.assertLess(ours, stock / 2)


class Columns(unittest.TestCase):
    """A program goes down the columns of a matrix, and pages belong to blocks side by side: nearly all of them are
    where their blocks are worked on, what was tried to find that out included, whatever `depend` names."""

    def remote(self, compiler, shape, *words, **environment):
        done = run(4, *words, program(f"bench/shapes-{compiler}"), shape, "6", "1024", "128",
                   guest=("--cache", "l2=64K"), **environment)
        self.assertIn("result=ok", done.output)
        matrix = lab_guests.fetched(done.region("warm"))
        return lab_guests.remote(matrix) / sum(map(sum, matrix))

    def test_blocks_stay_at_home(self):
        for compiler in ("gcc", "clang"):
            for shape in ("flags", "sections"):
                with self.subTest(compiler, shape=shape):
                    stock = self.remote(compiler, shape, OMP_PROC_BIND="close", OMP_PLACES="cores")
                    ours = min(self.remote(compiler, shape, LARES, "run", "--quiet", "--") for _ in range(2))
                    print(f"{shape}-{compiler}: {stock:.3f} remote, under lares run {ours:.3f}")
                    self.assertGreater(stock, 0.5)
                    self.assertLess(ours, stock / 6)


class Groups(unittest.TestCase):
    """Tasks of a group go to the memory that the group is said to use, although they name none."""

    def remote(self, compiler, what):
        done = run(4, LARES, "run", "--quiet", "--", program(f"tests/lab/lab_grouped-{compiler}"), what)
        self.assertIn("result=ok", done.output)
        matrix = lab_guests.fetched(done.region("late"))
        return lab_guests.remote(matrix) / sum(map(sum, matrix))

    def test_a_group_goes_to_its_memory(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                unsaid, said = self.remote(compiler, "unsaid"), self.remote(compiler, "said")
                print(f"grouped-{compiler}: {unsaid:.3f} remote, said {said:.3f}")
                self.assertGreater(unsaid, 0.5)
                self.assertLess(said, unsaid / 4)


class Programs(Shares):
    """`lares run` in other guests: at home there too, with right results."""

    def test_jacobi_stays_at_home_on_two_nodes(self):
        self.compare(2, "examples/jacobi", JACOBI, "sweeps", "gcc", "locality-queues")

    def test_eight_nodes_give_right_results_under_the_default(self):
        for name, arguments in (("jacobi", JACOBI), ("cholesky", CHOLESKY)):
            done = run(8, LARES, "run", "--summary=text", "-", "--",
                       program(f"examples/{name}-clang"), *arguments, count=False,
                       guest=("--cpus-per-node", "1"))
            self.assertIn("result=ok", done.output)
            self.assertIn("8 numa domains", done.errors + done.output)


class Traces(unittest.TestCase):
    """What `lares report` says of a traced run is what the machine under it counts."""

    # Of each, all data is several times all caches: else what lies in a cache is named and not fetched.
    LOAD_BALANCE = ("bench/load_balance", ("packages=480", "gb=0.2", "times=2", "method=depend"),
                    "additions", "l2=64K")
    CHOLESKY = ("examples/cholesky", ("1536", "64", "1", "interleaved"), "factorise", "l2=256K")
    # Lines of points that are whole lines of a cache, for the arithmetic of faces below.
    BLOCK = 14
    JACOBI = ("examples/jacobi", ("126", str(BLOCK), "3", "parallel"), "sweeps", "l2=128K")

    def traced(self, policy, name, arguments, count=True, guest=()):
        """The run, and its report as programs read it."""
        words = program(name)
        libraries = [word for library in ("openmp", "openmp-loops", "placement")
                     for word in ("--file", BUILD / f"liblares-{library}.so")]
        script = (f"{LARES} run --quiet --policy {policy} --trace /tmp/trace -- {words} {' '.join(arguments)} && "
                  f"{LARES} report /tmp/trace --format json")
        done = run(4, "/bin/sh", "-c", script, count=count,
                   guest=("--with", LARES, "--with", BUILD / "lares-study", "--with", words, *libraries, *guest))
        return done, json.loads(done.output[done.output.index("\n{\n"):])["runs"][0]

    def pair(self, policy, compiler, case):
        """The report, and the lines counted. A row of these is who fetched; of the report, the home."""
        name, arguments, region, cache = case
        done, report = self.traced(policy, f"{name}-{compiler}", arguments, guest=("--cache", cache))
        return report, list(zip(*lab_guests.fetched(done.region(region))))

    def check(self, what, told, counted):
        """Within 10 %: of all, what is in another cell; and of the remote share, which may be off by two
        points where it is small: a fiftieth of the lines are the runtime's own."""
        told, counted = shares_of(told), shares_of(counted)
        remote, remote_lines = lab_guests.remote(told), lab_guests.remote(counted)
        elsewhere = sum(abs(a - b) for row in zip(told, counted) for a, b in zip(*row)) / 2
        print(f"{what}: {remote:.3f} of the bytes remote, {remote_lines:.3f} of the lines counted; "
              f"{elsewhere:.3f} in other cells")
        self.assertLess(abs(remote - remote_lines), max(0.1 * remote_lines, 0.02), what)
        self.assertLess(elsewhere, 0.1, what)
        return remote

    def check_bytes(self, case, matrix):
        """By both compilers: `matrix` of the report is what is counted, whether tasks run anywhere or at home."""
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                remote = []
                for policy in ("central", "auto"):
                    report, lines = self.pair(policy, compiler, case)
                    remote.append(self.check(f"{case[0]}-{compiler}, {policy}", matrix(report), lines))
                self.assertGreater(remote[0] - remote[1], 0.1, "two shares, for one could be met by chance")

    def test_bytes_of_a_stream_are_the_lines_counted(self):
        self.check_bytes(self.LOAD_BALANCE, bytes_named)

    def test_bytes_of_a_factorisation_are_the_lines_counted(self):
        self.check_bytes(self.CHOLESKY, bytes_named)

    def test_bytes_of_a_stencil_are_the_lines_counted_if_faces_count_as_faces(self):
        """A task names six columns as a whole, and of four of them it touches a face: one line of points in
        BLOCK. The two others are the one that it writes and its twin in the old grid, of the same home."""
        def touched(report):
            written = report["written_bytes_by_home_and_domain"]
            return [[2 * own + (named - 2 * own) / self.BLOCK for named, own in zip(*rows)]
                    for rows in zip(bytes_named(report), written)]

        self.check_bytes(self.JACOBI, touched)

    def test_every_task_has_a_home(self):
        _, report = self.traced("central", "examples/jacobi-gcc", JACOBI, count=False)
        self.assertEqual(sum(map(sum, report["grains_by_home_and_domain"])), 3 * 64)

    def test_a_central_queue_has_the_shares_of_chance(self):
        """Schmidl 2016, Table 5.3: on four sockets of eight cores, 3.2, 22.5 and 74.3 %. Of 7680 tasks chance
        makes a standard deviation of half a point at most. Creators run tasks themselves once 64 for each
        thread are queued: fewer are made at a time."""
        published = {"local": 0.032, "same_domain": 0.225, "remote": 0.743}
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                done, report = self.traced("central", f"tests/lab/lab_central_queue-{compiler}",
                                           ("4", "60", "2000"), count=False,
                                           guest=("--cpus-per-node", "8", "--memory-per-node", "128M"))
                grains = report["all"]["grains_by"]
                own, node, remote = (grains[kind] for kind in published)
                self.assertIn(f"own={own} node={node} remote={remote}\n", done.output, "the program's own count")
                self.assertEqual(own + node + remote, 4 * 60 * 32)
                for kind, share in published.items():
                    self.assertLess(abs(grains[kind] / (4 * 60 * 32) - share), 0.03, (kind, grains))


class Placement(unittest.TestCase):
    """`lares run --placement`: a triad on four nodes, initialised by one thread on node 0."""

    def shares(self, placement, *arguments):
        """Local shares of the first sweep and of those after it, and the matrix of the latter."""
        done = run(4, LARES, "run", "--placement", placement, "--",
                   program("tests/lab/lab_serial_start-gcc"), *arguments)
        self.assertIn("result=ok", done.output)
        matrices = [lab_guests.fetched(done.region(name)) for name in ("first", "sweeps")]
        return [1 - lab_guests.remote(m) / sum(map(sum, m)) for m in matrices], matrices[1], done

    def test_first_touch_leaves_all_on_one_node(self):
        _, matrix, _ = self.shares("first-touch")
        self.assertGreater(sum(row[0] for row in matrix), 0.95 * sum(map(sum, matrix)))

    def test_interleave_uses_all_nodes_alike(self):
        _, matrix, _ = self.shares("interleave")
        total = sum(map(sum, matrix))
        for column in zip(*matrix):
            self.assertLess(abs(sum(column) - total / 4), 0.02 * total)

    def test_repair_brings_data_to_its_users_in_the_first_sweep(self):
        # A chunk in which two nodes' shares meet goes to the first to touch it. With 9 such places and
        # 12288 pages that is at most 1.2 % in chunks of 16 pages. Static arrays are one area, whose
        # chunks have 64 pages: 4.7 %.
        for arguments, least in ((("48", "4"), 0.98), (("48", "4", "static"), 0.93)):
            with self.subTest(arguments):
                (first, later), _, done = self.shares("repair", *arguments)
                self.assertGreater(first, 0.9)
                self.assertGreater(later, least)
                self.assertIn("one thread had written", done.errors + done.output)


class Copies(unittest.TestCase):
    """Look-ups by random keys in a table that one thread wrote, on four nodes."""

    def remote_share(self, how):
        done = run(4, LARES, "run", "--quiet", "--", program("examples/lookup-gcc"), how, "16", "20")
        self.assertIn("wrong=0 result=ok", done.output)
        self.assertIn("copies=" + ("3" if how == "copies" else "0"), done.output)
        matrix = lab_guests.fetched(done.region("look-ups"))
        return lab_guests.remote(matrix) / sum(map(sum, matrix))

    def test_one_table_is_far_for_three_of_four_and_copies_are_near_for_all(self):
        self.assertGreater(self.remote_share("plain"), 0.65)
        self.assertLess(self.remote_share("copies"), 0.1)


class Teams(unittest.TestCase):
    """What ForestGOMP's nested STREAMs count on four nodes."""

    def run_of(self, lares, *settings):
        words = [program("bench/nested_stream-gcc"), "teams=4", "mb=1", *settings]
        bound = {} if lares else {"OMP_PLACES": "cores", "OMP_PROC_BIND": "spread,close"}
        done = run(4, *([LARES, "run", "--quiet", *lares, "--"] if lares else []), *words, **bound)
        told = json.loads(done.output)
        self.assertEqual(told["wrong"], 0)
        return done, told["moved_bytes"]

    def crossing(self, done, region):
        matrix = lab_guests.met(done.region(region))
        return lab_guests.remote(matrix) / sum(map(sum, matrix))

    def stay(self, bubbles):
        done, _ = self.run_of(["--bubbles", bubbles], "kind=nested", "inner=2", "times=2")
        self.assertLess(self.crossing(done, "nested"), 0.02)

    def late_lines(self, shape, passes, *options, compiler="gcc"):
        """Crossing lines of passes that nobody says anything about, and threads that moved by what was seen."""
        done = run(4, LARES, "run", "--bubbles", "memory", *options, "--",
                   program(f"tests/lab/lab_nested_passes-{compiler}"), shape, "4", "2", "8", "2", passes)
        self.assertIn("result=ok", done.output)
        moved = re.search(r"(\d+) to what they were seen to touch", done.errors + done.output)
        return lab_guests.remote(lab_guests.met(done.region("late"))), int(moved.group(1))


class NestedTeams(Teams):
    """Teams stay on their nodes, go to their data, and take data along."""

    def test_each_team_stays_on_its_node(self):
        self.stay("cache")

    def test_threads_that_move_repair_the_second_phase(self):
        twisted = ("kind=twisted", "data=remote", "inner=2", "passes=4")
        stock, _ = self.run_of(None, *twisted)
        moved, moved_bytes = self.run_of(["--bubbles", "memory"], *twisted, "tell=threads")
        self.assertGreater(self.crossing(stock, "phase2"), 0.95)
        self.assertLess(self.crossing(moved, "phase2"), 0.05)
        self.assertEqual(moved_bytes, 0)

    def test_threads_and_one_vector_repair_the_mixed_one(self):
        twisted = ("kind=twisted", "data=mixed", "inner=2", "passes=4")
        mixed, moved_bytes = self.run_of(["--bubbles", "memory"], *twisted, "tell=mixed")
        touched, touched_bytes = self.run_of(["--bubbles", "cache"], *twisted, "tell=next-touch")
        self.assertLess(self.crossing(mixed, "phase2"), 0.05)
        self.assertLess(self.crossing(touched, "phase2"), 0.05)
        # One vector of four teams, and two.
        self.assertLess(abs(moved_bytes - 4e6), 0.1e6)
        self.assertLess(abs(touched_bytes - 8e6), 0.2e6)

    def test_watched_threads_go_to_what_they_use(self):
        said_nothing, moved = self.late_lines("remote", "100")
        self.assertEqual(moved, 0)
        learnt, moved = self.late_lines("remote", "100", "--learn")
        print(f"{said_nothing} lines cross, {learnt} with --learn, {moved} threads moved")
        self.assertGreaterEqual(moved, 8)
        self.assertLess(learnt, 0.4 * said_nothing)


class MoreTeams(Teams):
    """The same, under the other scheduler and by the other compiler."""

    def test_each_team_stays_on_its_node(self):
        self.stay("memory")

    def test_watched_threads_that_are_at_home_stay(self):
        _, moved = self.late_lines("local", "40", "--learn", compiler="clang")
        self.assertEqual(moved, 0)


BY_DATA = ("--bind", "by-data")  # so that barriers within regions are seen
BROUGHT = r"[123]\d{3} pages went to the tasks that name them"


class Repeated(unittest.TestCase):
    """Work that repeats itself, with its data elsewhere, on four nodes."""

    def late(self, placement, *arguments, compiler="gcc", how=(), nodes=4, guest=()):
        placed = () if placement is None else ("--placement", placement)
        done = run(nodes, LARES, "run", *placed, *how, "--",
                   program(f"tests/lab/lab_repeated_work-{compiler}"), *arguments, guest=guest)
        self.assertIn("result=ok", done.output)
        matrix = lab_guests.fetched(done.region("late"))
        return lab_guests.remote(matrix) / sum(map(sum, matrix)), done.errors + done.output

    def bring(self, shape, compiler, most=0.5, how=BROUGHT, placement=None):
        before, _ = self.late("first-touch", shape, "12", "12", compiler=compiler)
        after, said = self.late(placement, shape, "12", "12", compiler=compiler)
        print(f"{shape}-{compiler}: {before:.3f} remote after the third sweep, {after:.3f} with "
              f"{placement or 'lares run'}")
        self.assertGreater(before, 0.6)
        self.assertLess(after, most * before)
        self.assertRegex(said, how)

    def follow(self, shape, compiler):
        before, _ = self.late("first-touch", shape, "12", "12", compiler=compiler)
        after, said = self.late("follow:12", shape, "12", "12", compiler=compiler)
        print(f"{shape}-{compiler}: {before:.3f} remote after the third sweep, {after:.3f} with follow")
        self.assertLess(after, before / 2)
        self.assertIn("waited for their next touch", said)


class Bringing(Repeated):
    """Plain `lares run`: data goes once to the tasks that name it or have pointers to it."""

    def test_pages_that_tasks_name(self):
        for compiler in ("gcc", "clang"):
            self.bring("named", compiler)

    def test_pages_that_named_slots_point_to(self):
        """Tasks of 32 KiB are stolen: 27 to 49 % of the lines are remote, run by run."""
        self.bring("slots", "clang", most=0.8)

    def test_pages_that_arguments_point_to(self):
        self.bring("given", "gcc", most=0.8)

    def test_pages_that_a_recursion_shares_out(self):
        for compiler in ("gcc", "clang"):
            self.bring("halves", compiler)

    def test_a_recursion_on_one_processor_for_each_node(self):
        """Neither worker runs the other's half. Without the rules that keep them from it: 0.22 to
        0.70 remote in five runs."""
        shares = sorted(self.late(None, "halves", "12", "24", nodes=2,
                                  guest=("--cpus-per-node", "1"))[0] for _ in range(3))
        print("halves-gcc: {:.3f}, {:.3f}, {:.3f} remote on two processors".format(*shares))
        self.assertLess(shares[1], 0.2)

    def test_what_the_program_has_placed_stays(self):
        before, _ = self.late("first-touch", "halves", "12", "12", "interleaved")
        after, said = self.late(None, "halves", "12", "12", "interleaved")
        print(f"halves: {before:.3f} remote if interleaved, {after:.3f} with lares run")
        self.assertNotIn("pages went to", said)
        self.assertGreater(before, 0.6)

    def test_data_that_no_task_names_stays(self):
        for shape in ("serial", "pieces"):
            _, said = self.late(None, shape, "12", "12")
            self.assertNotIn("pages went to", said)

    def test_whatever_the_program_does_meanwhile_its_numbers_are_right(self):
        self.late(None, "changing", "12", "12")


class Following(Repeated):
    """`lares run --placement follow`: data goes to those who use it again and again."""

    def test_pages_that_one_thread_touched_first(self):
        self.follow("serial", "gcc")

    def test_pages_of_tasks(self):
        self.follow("tasks", "clang")

    def bring(self, *arguments, **more):
        super().bring(*arguments, placement="follow", **more)

    def test_pages_that_tasks_name(self):
        """They need no look, and go all at once, as soon as it is known to pay."""
        for compiler in ("gcc", "clang"):
            self.bring("named", compiler)

    def test_pages_that_named_slots_point_to(self):
        self.bring("slots", "gcc", most=0.6)

    def test_pages_that_arguments_point_to(self):
        """Whoever knows it first brings them: who looks at samples, or who looks at arguments."""
        self.bring("given", "clang", most=0.6, how=f"{BROUGHT}|used elsewhere went there at once")

    def test_pages_that_a_recursion_shares_out(self):
        """Thieves take leaves of it, and leave branches to those at home."""
        self.bring("halves", "gcc")

    def test_a_round_of_many_loops(self):
        """A loop within it that uses little and comes again at once is none."""
        for shape, compiler, how in (("steps", "gcc", ()), ("phases", "clang", BY_DATA)):
            with self.subTest(shape):
                before, _ = self.late("first-touch", shape, "12", "24", compiler=compiler)
                after, _ = self.late("follow:24", shape, "12", "24", compiler=compiler, how=how)
                print(f"{shape}-{compiler}: {before:.3f} remote after the third sweep, {after:.3f} "
                      "with follow")
                self.assertGreater(before, 0.6)
                self.assertLess(after, 0.5 * before)

    def test_arrays_of_one_size_tell_of_each_other(self):
        """None of them has samples enough; together they show the shares, which go at once."""
        self.bring("arrays", "clang", how=r"[1-9]\d* MiB that were used elsewhere went there at once")

    def test_data_whose_users_change_stays(self):
        _, said = self.late("follow:20", "shifting", "12", "12")
        self.assertNotIn("waited for their next touch", said)

    def test_whatever_the_program_does_meanwhile_its_numbers_are_right(self):
        self.late("follow:20", "changing", "12", "12")


class MoreFollowing(Repeated):
    """The same in small pieces, and by the other compiler."""

    def test_pages_of_small_pieces(self):
        self.follow("pieces", "gcc")

    def test_whatever_the_program_does_meanwhile_its_numbers_are_right(self):
        self.late("follow:20", "changing", "12", "12", compiler="clang")


class Rebinding(unittest.TestCase):
    """`lares run --bind by-data`: threads that share work out by their numbers, on four nodes."""

    def late(self, bind, shape, compiler):
        done = run(4, LARES, "run", "--bind", bind, "--",
                   program(f"tests/lab/lab_repeated_work-{compiler}"), shape, "12", "12")
        self.assertIn("result=ok", done.output)
        matrix = lab_guests.fetched(done.region("late"))
        return lab_guests.remote(matrix) / sum(map(sum, matrix)), done.errors + done.output

    def test_threads_go_to_what_they_use_again_and_again(self):
        for shape, compiler in (("opposite", "gcc"), ("inside", "clang")):
            with self.subTest(shape):
                before, _ = self.late("spread", shape, compiler)
                after, said = self.late("by-data", shape, compiler)
                print(f"{shape}-{compiler}: {before:.3f} remote after the third sweep, {after:.3f} "
                      "by data")
                self.assertGreater(before, 0.9)
                self.assertLess(after, before / 4)
                self.assertIn("threads change places", said)

    def test_threads_whose_data_lies_together_stay(self):
        _, said = self.late("by-data", "serial", "gcc")
        self.assertNotIn("threads change places", said)


class Contents(unittest.TestCase):
    """`lares run --placement`: no byte of the program's changes, and no allocation fails for it."""

    def check(self, placement, least_share):
        done = run(2, LARES, "run", "--quiet", "--placement", placement, "--",
                   program("tests/lab/lab_contents"), count=False)
        self.assertEqual(done.output.count("ok "), 4, done.output)
        self.assertNotIn("wrong ", done.output.replace("bytes wrong", ""))
        pages = [int(line.split(": ")[1]) for line in done.output.splitlines()
                 if line.startswith("pages on")]
        self.assertEqual(len(pages), 2, done.output)
        self.assertGreater(min(pages), least_share * sum(pages), done.output)

    def test_blocks_of_a_page(self):
        self.check("cyclic:4K", 0.45)

    def test_larger_blocks(self):
        self.check("cyclic:64K", 0.45)

    def test_a_piece_for_each_domain(self):
        self.check("blocked", 0.45)


class Allocators(unittest.TestCase):
    """OpenMP's allocators under `lares run`: the kernel is asked where every page is."""

    def check(self, guest, *words):
        done = lab_guests.run_guest(LARES, guest, [LARES, "run", "--quiet", "--", *words],
                                    environment=harness.clean_environment(), timeout=PATIENCE)
        lines = [line for line in done.output.splitlines() if "pages" in line]
        self.assertTrue(lines)
        for line in lines:
            self.assertTrue(line.startswith("ok "), done.output)

    def test_partitions_on_four_nodes(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                self.check(("--nodes", "4"), program(f"tests/lab/lab_omp_allocators-{compiler}"))

    def test_partitions_on_two_nodes(self):
        self.check(("--nodes", "2"), program("tests/lab/lab_omp_allocators-gcc"))

    def test_high_bandwidth_memory_is_hbm(self):
        self.check(("--machine", "hbm"), program("tests/lab/lab_omp_spaces-gcc"), "hbm")

    def test_large_capacity_memory_is_cxl(self):
        self.check(("--machine", "cxl"), program("tests/lab/lab_omp_spaces-clang"), "cxl")


if __name__ == "__main__":
    if shutil.which("qemu-system-x86_64") is None:
        print("skipped: no qemu-system-x86_64 (package qemu-system-x86)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
