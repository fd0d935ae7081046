#!/usr/bin/env python3
"""What `lares export` writes, read by other people's tools.

Usage: exports.py MAKE_EXPORTS FOLDER_FOR_PYTHON CLASS    CLASS: Csv, Sqlite, Speedscope, Otf2, Perfetto

A reader that is missing skips its class (exit status 77) and says what to install.
"""

import collections
import csv
import importlib
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
# perfetto needs protobuf and does not say so.
FROM_PYPI = ("perfetto==0.59.1", "protobuf==7.36.2")
ODD_NAME = 'a "quoted", <b>odd</b>\nname \N{REPLACEMENT CHARACTER}[31m \N{REPLACEMENT CHARACTER}'


class ReaderMissing(Exception):
    """The sentence that says what to install."""


class ExportTest(unittest.TestCase):
    MAKE = ""
    PYTHON = pathlib.Path()
    SUFFIX = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        done = subprocess.run([cls.MAKE, cls.folder.name], capture_output=True, text=True, check=True)
        cls.expected = {name: int(number) for name, number in
                        (line.split() for line in done.stdout.splitlines())}
        cls.file = pathlib.Path(cls.folder.name) / f"sample{cls.SUFFIX}"
        if not cls.file.exists():
            raise ReaderMissing(done.stderr.strip())


class Csv(ExportTest):
    SUFFIX = ".csv"

    def test_a_row_for_each_grain(self):
        with open(self.file, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual(len(rows), self.expected["grains"])
        self.assertNotIn(None, rows[0], "a row with more fields than the header")
        self.assertTrue(all(None not in row.values() for row in rows), "a row with fewer")
        self.assertIn(ODD_NAME, {row["place"] for row in rows})
        self.assertEqual(sum(row["kind"] == "chunk" for row in rows), self.expected["chunks"])
        self.assertEqual(sum(row["unfinished"] == "1" for row in rows), 1)
        for row in rows:
            self.assertLessEqual(int(row["begin_ns"]), int(row["end_ns"]))
            self.assertEqual(int(row["end_ns"]) - int(row["begin_ns"]), int(row["length_ns"]))


class Sqlite(ExportTest):
    SUFFIX = ".sqlite"

    def setUp(self):
        self.database = sqlite3.connect(self.file)
        self.addCleanup(self.database.close)

    def one(self, query):
        return self.database.execute(query).fetchone()[0]

    def test_tables_have_what_the_trace_has(self):
        for table in ("grains", "threads", "waits", "loops", "regions"):
            self.assertEqual(self.one(f"SELECT count(*) FROM {table}"), self.expected[table], table)
        self.assertEqual(self.one("SELECT place FROM constructs WHERE id = 1"), ODD_NAME)
        self.assertEqual(self.one("SELECT value FROM run WHERE name = 'note'"),
                         'a note with a "quote"')
        self.assertEqual(self.one("SELECT count(*) FROM grains WHERE creator IS NOT NULL") +
                         self.one("SELECT count(*) FROM grains WHERE released_by IS NOT NULL"),
                         self.expected["flows"])

    def test_it_is_whole(self):
        self.assertEqual(self.one("PRAGMA integrity_check"), "ok")
        self.assertEqual(self.database.execute("PRAGMA foreign_key_check").fetchall(), [])
        self.assertEqual(self.one("PRAGMA user_version"), 1)

    def test_indices_are_used(self):
        plan = self.database.execute("EXPLAIN QUERY PLAN SELECT * FROM grains WHERE thread = 1 "
                                     "ORDER BY begin_ns").fetchall()
        self.assertIn("grains_by_thread", str(plan))


class Speedscope(ExportTest):
    SUFFIX = ".speedscope.json"

    def test_events_pair_up(self):
        file = json.loads(self.file.read_text(encoding="utf-8"))
        frames = file["shared"]["frames"]
        self.assertIn(ODD_NAME, {frame["name"] for frame in frames})
        self.assertEqual(len(file["profiles"]), self.expected["threads"])
        opened = 0
        for profile in file["profiles"]:
            stack, last = [], profile["startValue"]
            for event in profile["events"]:
                self.assertGreaterEqual(event["at"], last)
                last = event["at"]
                if event["type"] == "O":
                    self.assertIn(event["frame"], range(len(frames)))
                    stack.append(event["frame"])
                    opened += 1
                else:
                    self.assertEqual(stack.pop(), event["frame"])
            self.assertEqual(stack, [])
            self.assertLessEqual(last, profile["endValue"])
        self.assertEqual(opened, self.expected["grains"])


class Otf2(ExportTest):
    SUFFIX = ".otf2"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if shutil.which("otf2-print") is None:
            raise ReaderMissing("no otf2-print; install otf2-tools")

    def print(self, *words):
        done = subprocess.run(["otf2-print", *words, self.file / "traces.otf2"], text=True,
                              capture_output=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0)
        # It shows a reference to nothing as INVALID or UNKNOWN.
        self.assertNotRegex(done.stdout, r"\b(WARNING|ERROR|Warning|Error|INVALID|UNKNOWN)\b")
        return done.stdout

    def test_events(self):
        text = self.print()
        kinds = collections.Counter(re.findall(r"^([A-Z_]+)  +\d+ +\d+", text, re.MULTILINE))
        tasks = self.expected["grains"] - self.expected["chunks"]
        # One task has two parts, and one is cut off.
        self.assertEqual(kinds["THREAD_TASK_CREATE"], tasks - 1)
        self.assertEqual(kinds["THREAD_TASK_COMPLETE"], tasks - 2)
        self.assertEqual(kinds["THREAD_TASK_SWITCH"], 2 * tasks)
        self.assertEqual(kinds["THREAD_TEAM_BEGIN"], self.expected["threads"])
        self.assertEqual(kinds["THREAD_TEAM_END"], self.expected["threads"])
        self.assertEqual(kinds["THREAD_FORK"], 1)
        self.assertEqual(kinds["THREAD_JOIN"], 1)
        enters = (tasks - 2 + self.expected["chunks"] + self.expected["waits"] +
                  self.expected["loops"] + self.expected["regions"])
        self.assertEqual(kinds["ENTER"], enters)
        self.assertEqual(kinds["LEAVE"], enters)

    def test_each_switch_is_to_a_task_that_exists(self):
        """Per location: times never go back, enters and leaves pair up, a task that completes is
        the one that was switched to."""
        last, stack, running = {}, collections.defaultdict(list), {}
        created, completed = set(), set()
        for line in self.print().splitlines():
            match = re.match(r"([A-Z_]+)  +(\d+) +(\d+) *(.*)", line)
            if not match:
                continue
            kind, location, time, rest = match[1], match[2], int(match[3]), match[4]
            self.assertGreaterEqual(time, last.get(location, 0))
            last[location] = time
            if kind == "ENTER":
                stack[location].append(rest.split("<")[1].split(">")[0])
            elif kind == "LEAVE":
                self.assertEqual(stack[location].pop(), rest.split("<")[1].split(">")[0])
            if not kind.startswith("THREAD_TASK_"):
                continue
            task = tuple(re.search(r"Creating Thread: (\d+).*Generation Number: (\d+)", rest)
                         .groups())
            if kind == "THREAD_TASK_CREATE":
                self.assertNotIn(task, created)
                created.add(task)
            elif kind == "THREAD_TASK_SWITCH":
                if task[1] != "0":
                    self.assertIn(task, created)
                    self.assertNotIn(task, completed)
                running[location] = task
            else:
                self.assertEqual(running[location], task)
                completed.add(task)
        self.assertTrue(all(not open_ones for open_ones in stack.values()))

    def test_definitions(self):
        text = self.print("--show-global-defs")
        kinds = collections.Counter(re.findall(r"^([A-Z_]+)  +\S", text, re.MULTILINE))
        self.assertEqual(kinds["LOCATION"], self.expected["threads"])
        self.assertEqual(kinds["LOCATION_GROUP"], 2, "one for each domain")
        self.assertEqual(kinds["SYSTEM_TREE_NODE"], 3)
        self.assertEqual(kinds["COMM"], 1)
        self.assertIn("THREAD_FORK_JOIN", text)
        self.assertIn("quoted", text)
        self.assertNotIn("\x1b", text)


class Perfetto(ExportTest):
    SUFFIX = ".perfetto-trace"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.use_package()

    @classmethod
    def use_package(cls):
        """Perfetto's definitions of its messages, from PyPI; once for a build tree."""
        packages = cls.PYTHON / "packages"
        # A folder half filled by a run that was ended is not used.
        filled = packages / ".filled"
        if not filled.exists() or filled.read_text() != str(FROM_PYPI):
            shutil.rmtree(packages, ignore_errors=True)
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target",
                                   packages, *FROM_PYPI], capture_output=True, text=True)
            if done.returncode != 0:
                why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
                raise ReaderMissing(f"cannot install {' '.join(FROM_PYPI)} from PyPI ({why}); "
                                    "it needs python3-pip and a network")
            filled.write_text(str(FROM_PYPI))
        sys.path.insert(0, str(packages))
        messages = importlib.import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
        cls.trace = messages.Trace.FromString(cls.file.read_bytes())
        cls.messages = messages

    def events(self, *types):
        for packet in self.trace.packet:
            if packet.HasField("track_event") and packet.track_event.type in types:
                yield packet

    def test_nothing_is_unknown(self):
        unknown = importlib.import_module("google.protobuf.unknown_fields").UnknownFieldSet

        def check(message):
            self.assertEqual(len(unknown(message)), 0, message)
            for field, value in message.ListFields():
                if field.message_type is None:
                    continue
                for part in value if field.is_repeated else [value]:
                    check(part)
        check(self.trace)
        self.assertEqual(self.trace.ByteSize(), self.file.stat().st_size)

    def test_interned_words_are_there(self):
        first = self.trace.packet[0]
        self.assertEqual(first.sequence_flags, 3)
        self.assertTrue(all(packet.sequence_flags == 2 for packet in self.trace.packet[1:]))
        self.assertEqual({packet.trusted_packet_sequence_id for packet in self.trace.packet}, {1})
        data = first.interned_data
        names = {name.iid: name.name for name in data.event_names}
        self.assertIn(ODD_NAME, names.values())
        categories = {entry.iid for entry in data.event_categories}
        notes = {entry.iid for entry in data.debug_annotation_names}
        texts = {entry.iid for entry in data.debug_annotation_string_values}
        for packet in self.events(1):
            event = packet.track_event
            self.assertIn(event.name_iid, names)
            self.assertTrue(set(event.category_iids) <= categories)
            for note in event.debug_annotations:
                self.assertIn(note.name_iid, notes)
                if note.HasField("string_value_iid"):
                    self.assertIn(note.string_value_iid, texts)

    def test_tracks_form_a_tree(self):
        parents, processes = {}, set()
        for packet in self.trace.packet:
            if not packet.HasField("track_descriptor"):
                continue
            track = packet.track_descriptor
            self.assertNotIn(track.uuid, parents)
            if track.HasField("process"):
                processes.add(track.uuid)
                self.assertEqual(track.process.pid, 4711)
            else:
                self.assertIn(track.parent_uuid, parents)
                self.assertTrue(track.name)
            parents[track.uuid] = track.parent_uuid
        # The process, what counts in it, two domains, and the threads.
        self.assertEqual(len(parents), 4 + self.expected["threads"])
        self.assertEqual(len(processes), 1)
        for packet in self.events(1, 2, 3, 4):
            self.assertIn(packet.track_event.track_uuid, parents)

    def test_slices_nest(self):
        depth, last = collections.Counter(), {}
        slices = 0
        for packet in self.events(1, 2):
            track = packet.track_event.track_uuid
            self.assertGreaterEqual(packet.timestamp, last.get(track, 0))
            last[track] = packet.timestamp
            depth[track] += 1 if packet.track_event.type == 1 else -1
            slices += packet.track_event.type == 1
            self.assertGreaterEqual(depth[track], 0)
        self.assertEqual(set(depth.values()), {0})
        self.assertEqual(slices, self.expected["grains"] + self.expected["waits"] +
                         self.expected["loops"] + self.expected["threads"])

    def test_flows_have_a_begin_before_their_end(self):
        begins, ends = {}, {}
        for packet in self.events(1):
            for flow in packet.track_event.flow_ids:
                self.assertNotIn(flow, begins)
                begins[flow] = packet.timestamp
            for flow in packet.track_event.terminating_flow_ids:
                self.assertNotIn(flow, ends)
                ends[flow] = packet.timestamp
        self.assertEqual(len(begins), self.expected["flows"])
        self.assertEqual(begins.keys(), ends.keys())
        self.assertTrue(all(begins[flow] <= ends[flow] for flow in begins))

    def test_the_counter_counts_threads(self):
        values = [packet.track_event.counter_value for packet in self.events(4)]
        times = [packet.timestamp for packet in self.events(4)]
        self.assertEqual(times, sorted(set(times)))
        self.assertEqual(max(values), self.expected["threads"])
        self.assertEqual(min(values), 0)
        self.assertEqual(values[-1], 0)


def main():
    ExportTest.MAKE, ExportTest.PYTHON = sys.argv[1], pathlib.Path(sys.argv[2])
    chosen = {"Csv": Csv, "Sqlite": Sqlite, "Speedscope": Speedscope, "Otf2": Otf2,
              "Perfetto": Perfetto}[sys.argv[3]]
    try:
        chosen.setUpClass()
        chosen.doClassCleanups()
    except ReaderMissing as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    return unittest.main(argv=[sys.argv[0], sys.argv[3], *sys.argv[4:]])


if __name__ == "__main__":
    sys.exit(main())
