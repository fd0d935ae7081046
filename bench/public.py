#!/usr/bin/env python3
"""Runs programs that nobody here wrote, as they are, stock and under Lares: are results right, what
times do they take here, and which cache lines cross between nodes in a guest?

    bench/public.py FOLDER                  times, five interleaved rounds at the level l2
    bench/public.py FOLDER --count          counts in a guest of 4 nodes instead
    bench/public.py FOLDER --programs sort,stream --lares-args now= --lares-args "--loops numa"

FOLDER has the programs, built by GCC and by Clang as NAME-gcc and NAME-clang, and a list of them,
programs.json: an array of objects with "name", "arguments", "lab_arguments" (smaller, for the guest),
"files" (that the guest needs), "right" (a regular expression that the output has if the result is
right) and "seconds" (one whose group is the time). None of them is part of this project. A guest's
counts are of the whole program, what it does to check its result included.
"""

import json
import pathlib
import re
import tempfile

import harness
import lab_compare

LEVEL = "l2"


def programs_of(options):
    path = options.folder / "programs.json"
    try:
        programs = {program["name"]: program for program in json.loads(path.read_text())}
    except OSError as error:
        raise harness.Mistake(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise harness.Mistake(f"{path} is no list of programs with names") from None
    if options.programs is None:
        return list(programs.values())
    return [programs[name]
            for name in lab_compare.chosen("--programs", options.programs, programs)]


def one_time(options, program, compiler, configuration):
    """Seconds as the program says them, or None if its result is wrong."""
    words = [harness.program(options.folder, f"{program['name']}-{compiler}"),
             *program["arguments"]]
    if not configuration.is_stock:
        words = harness.under_lares(lab_compare.lares_of(options), "--quiet", "--domain",
                                    LEVEL, *configuration.arguments) + words
    environment = harness.clean_environment(**(lab_compare.BOUND if configuration.is_stock else {}))
    with tempfile.TemporaryDirectory(prefix="lares-bench-") as room:  # some write files
        output = harness.run(words, environment, options.timeout, room)
    said = re.search(program["seconds"], output)
    return float(said[1]) if said and re.search(program["right"], output) else None


def times(options, programs, configurations):
    """The rows of a table, and all runs: {round: seconds} of each configuration."""
    compilers = lab_compare.chosen("--compilers", options.compilers, lab_compare.COMPILERS)
    plan = [(at, compiler, how) for at in range(len(programs)) for compiler in compilers
            for how in [lab_compare.STOCK, *configurations]]
    runs = {each: {} for each in plan}
    wrong = {each: [] for each in plan}
    progress = harness.Progress(len(plan) * options.rounds)
    for number, each in harness.interleaved(plan, options.rounds, 1):
        at, compiler, how = each
        progress.step(f"{programs[at]['name']} {compiler} {how.name}")
        try:
            seconds = one_time(options, programs[at], compiler, how)
        except harness.ProgramFailed as failure:  # a finding of its own; the others go on
            wrong[each].append(str(failure))
            continue
        if seconds is None:
            wrong[each].append("wrong result")
        else:
            runs[each][number] = seconds
    progress.end()
    return runs, wrong


def milliseconds(seconds):
    return harness.Spread([1000 * s for s in seconds.values()]).text(harness.three_digits)


def table_of_times(programs, runs, wrong):
    table = harness.Table(["program, policy", "milliseconds", "of stock", "wrong or failed"])
    for (at, compiler, how), seconds in runs.items():
        ratio = harness.paired_ratio(seconds, runs[at, compiler, lab_compare.STOCK])
        name = f"stock {lab_compare.COMPILERS[compiler]}" if how.is_stock else how.name
        table.add(f"{programs[at]['name']}-{compiler}, {name}",
                  milliseconds(seconds) if seconds else "-",
                  ratio.text(harness.two_decimals) if ratio else "-",
                  len(wrong[at, compiler, how]))
    return table


def compare_times(options, programs, configurations):
    where = harness.provenance()
    runs, wrong = times(options, programs, configurations)
    print(table_of_times(programs, runs, wrong).text())
    for (at, compiler, how), sentences in wrong.items():
        for sentence in sorted(set(sentences)):
            print(f"{programs[at]['name']}-{compiler}, {how.name}: {sentence}")
    print(harness.provenance_line(where))
    if options.json:
        harness.write_json(options.json, {"where": where, "runs": [
            {"program": programs[at]["name"], "compiler": compiler, "policy": how.name,
             "seconds": seconds, "wrong": wrong[at, compiler, how]}
            for (at, compiler, how), seconds in runs.items()]})
    return 1 if any(wrong.values()) else 0


def count(options, programs, configurations):
    cases = [lab_compare.Case(program["name"], program["name"], program["lab_arguments"], "program",
                              None, program["right"], options.folder, program.get("files", ()))
             for program in programs]
    failed = []
    print(lab_compare.table_of(lab_compare.measure(options, cases, configurations, failed=failed)).text())
    for sentence in failed:
        print(sentence)
    return 1 if failed else 0


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/public.py /tmp/programs --count --rounds 1")
    parser.add_argument("folder", type=pathlib.Path, help="the programs and their list")
    parser.add_argument("--programs", metavar="LIST", help="which of them (default: all)")
    parser.add_argument("--count", action="store_true", help="count in a guest, in place of times")
    lab_compare.guest_options(parser, rounds=5)
    lab_compare.add_lares_args(parser)
    options = parser.parse_args()
    work = count if options.count else compare_times
    return work(options, programs_of(options), lab_compare.lares_args(options))


if __name__ == "__main__":
    harness.main("public", body)
