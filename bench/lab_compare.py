"""What the scripts share that count programs of several shapes in a guest, built by both compilers,
stock and under Lares: the interleaved runs, and the table of lines that cross between nodes."""

import datetime
import pathlib
import re

import harness
import lab_guests

COMPILERS = {"gcc": "libgomp", "clang": "libomp"}
BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}


class Case:
    """A shape of a program: what runs, the region that is looked at, how many lines a perfect schedule
    has crossing there (None: not derived), what it says when its result is right, where it is (None:
    with the project's own), and what files it reads."""

    def __init__(self, name, program, arguments, region, bound, right="result=ok", folder=None,
                 files=()):
        self.name, self.program, self.arguments = name, program, arguments
        self.region, self.bound, self.right = region, bound, right
        self.folder, self.files = folder, files

    def path(self, options, compiler):
        return harness.program(self.folder or options.build / "bench",
                               f"{self.program}-{compiler}")


class Configuration:
    """How a program runs: stock, or with these options of `lares run`."""

    def __init__(self, name, arguments=None):
        self.name, self.arguments = name, arguments

    @property
    def is_stock(self):
        return self.arguments is None


STOCK = Configuration("stock")


def add_lares_args(parser):
    parser.add_argument("--lares-args", action="append", type=named, metavar="WORDS",
                        help="[NAME=]OPTIONS of `lares run`; may be repeated, to compare (default: "
                             "auto=, which is none)")


def lares_args(options):
    return options.lares_args or [Configuration("auto", [])]


def named(text):
    """The value of --lares-args: [NAME=]OPTIONS."""
    match = re.fullmatch(r"(\w[\w.+-]*)=(.*)", text)
    name, options = match.groups() if match else (text, text)
    return Configuration(name.strip() or "lares", options.split())


def guest_options(parser, rounds):
    """The options of all scripts that count in a guest."""
    lab_guests.lab_options(parser, nodes=4)
    parser.add_argument("--lares", type=pathlib.Path, metavar="FILE",
                        help="the command lares (default: in the build folder)")
    parser.add_argument("--cpus", type=harness.positive, default=2, metavar="N",
                        help="cpus of a node (default: 2)")
    parser.add_argument("--cache", default="l2=64K", metavar="SIZES",
                        help="caches, as `lares lab run --cache` (default: l2=64K)")
    parser.add_argument("--guest", default="", metavar="OPTIONS",
                        help="more options of `lares lab run`, as one word, such as "
                             "'--boot-timeout 300' where other work competes")
    parser.add_argument("--rounds", type=harness.positive, default=rounds, metavar="N",
                        help=f"how often each configuration runs (default: {rounds})")
    parser.add_argument("--compilers", default=",".join(COMPILERS), metavar="LIST",
                        help="whose programs (default: gcc,clang)")
    parser.add_argument("--timeout", type=harness.positive, default=600, metavar="S",
                        help="seconds after which a run counts as hung (default: 600)")


def options_of(parser, shapes, rounds):
    """The options of those that have shapes of their own, and a table in docs/lab.md."""
    guest_options(parser, rounds)
    parser.add_argument("--shapes", default=",".join(shapes), metavar="LIST",
                        help=f"which shapes (default: {','.join(shapes)})")
    parser.add_argument("--write", action="store_true", help="write the table into docs/lab.md")


def chosen(option, text, known):
    names = text.split(",")
    for name in names:
        if name not in known:
            raise harness.Mistake(f"{option}: '{name}' is none of {', '.join(known)}")
    return names


def lares_of(options):
    path = options.lares or options.build / "lares"
    return harness.program(path.parent, path.name)


def guest_words(options):
    return ["--nodes", options.nodes, "--cpus-per-node", options.cpus, "--cache", options.cache,
            *options.guest.split()]


def guest_sentence(options):
    return (f"A guest of {options.nodes} nodes with {options.cpus} cpus each, {options.cache} per "
            f"cpu; medians [least..most] of {options.rounds} interleaved runs, "
            f"{datetime.date.today().isoformat()}.")


def guest_run(options, case, compiler, configuration, talk):
    """One run in a guest. `talk`: the options by which `lares run` says something, or nothing."""
    lares = lares_of(options)
    words = [case.path(options, compiler), *case.arguments]
    if not configuration.is_stock:
        words = harness.under_lares(lares, *talk, *configuration.arguments) + words
    environment = harness.clean_environment(**(BOUND if configuration.is_stock else {}))
    guest = guest_words(options)
    for file in case.files:
        guest += ["--file", file]
    run = lab_guests.run_guest(lares, guest, words, count=True, environment=environment,
                               timeout=options.timeout)
    if not re.search(case.right, run.output + run.errors):
        raise harness.ProgramFailed(
            f"{case.name}-{compiler} computed something wrong under {configuration.name}")
    return run


def one_run(options, case, compiler, configuration):
    run = guest_run(options, case, compiler, configuration, ["--quiet"])
    region = run.region(case.region)
    met = lab_guests.met(region)
    return {"remote": lab_guests.remote(lab_guests.fetched(region)),
            "crossing": lab_guests.remote(met), "all": sum(map(sum, met)),
            "guest_seconds": run.seconds, "again": lab_guests.retries(run)}


def measure(options, cases, configurations, once=one_run, beside=(STOCK,), failed=None):
    """The runs of each (case, compiler, configuration), as `once` answers each; with these beside.

    `failed`: a list for what is said of runs that fail, so that the others go on; None: the first one ends it.
    """
    compilers = chosen("--compilers", options.compilers, COMPILERS)
    plan = [(case, compiler, configuration) for case in cases for compiler in compilers
            for configuration in [*beside, *configurations]]
    runs = {each: [] for each in plan}
    progress = harness.Progress(len(plan) * options.rounds)
    for _, each in harness.interleaved(plan, options.rounds, 1):
        case, compiler, configuration = each
        progress.step(f"{case.name} {compiler} {configuration.name}")
        try:
            runs[each].append(once(options, *each))
        except harness.ProgramFailed as failure:
            if failed is None:
                raise
            failed.append(f"{case.name}-{compiler}, {configuration.name}: {failure}")
            continue
        if options.json:  # whatever was counted is kept, if a later run should fail
            harness.write_json(options.json, as_json(runs))
    progress.end()
    return runs


def median(runs, what):
    return harness.Spread([run[what] for run in runs]).median


def better_stock(runs, case):
    """The crossing lines of the stock runtime that has fewer of them; None if no run has been counted."""
    return min((median(some, "crossing") for (of, _, how), some in runs.items()
                if of is case and how.is_stock and some), default=None)


def table_of(runs):
    table = harness.Table(["shape, policy", "remote, thousands", "of lines",
                           "crossing, thousands", "of the better stock", "bound"])
    for (case, compiler, how), some in runs.items():
        name = f"stock {COMPILERS[compiler]}" if how.is_stock else how.name
        if not some:
            table.add(f"{case.name}-{compiler}, {name}", *["-"] * 5)
            continue
        remote = harness.Spread([r["remote"] / 1000 for r in some])
        crossing = harness.Spread([r["crossing"] / 1000 for r in some])
        share = harness.Spread([100 * r["crossing"] / r["all"] for r in some])
        stock = better_stock(runs, case)
        table.add(f"{case.name}-{compiler}, {name}", remote.text("{:.0f}".format),
                  share.text("{:.0f}".format) + " %", crossing.text("{:.0f}".format),
                  harness.two_decimals(1000 * crossing.median / stock) if stock else "-",
                  "-" if case.bound is None else f"{case.bound / 1000:.0f}")
    return table


def as_json(runs):
    return [{"shape": case.name, "compiler": compiler, "bound": case.bound,
             "policy": None if how.is_stock else how.name,
             "arguments": how.arguments, "runs": some}
            for (case, compiler, how), some in runs.items()]
