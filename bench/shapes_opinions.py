#!/usr/bin/env python3
"""For each shape of bench/shapes: how many tasks Lares had an opinion of, from what, and how right it was.

    bench/shapes_opinions.py --rounds 1             about six minutes on two cores
    bench/shapes_opinions.py --write                also writes the table into docs/lab.md

What Lares believes is what `lares run --explain` says. Whether it is right only the guest's counts can
tell: of the lines that were fetched from memory, those of the own node. If a share h of the tasks that
have a home ran there, and a share r of these homes is where the data is, then about h * r of the lines
are near, and of what else is fetched one in `nodes`: r follows from what was counted. What other tasks
have in common with their neighbours is in it, so that r is rather too small. A program without tasks has
no opinions to speak of, but static loops that can be followed.
"""

import collections
import json

import harness
import lab_compare
import lab_guests
import shapes

SOURCES = {"data": "`depend`, `affinity`", "name": "name", "argument": "pointer", "series": "series",
           "taskloop": "taskloop"}
TALK = ["--explain", "--summary=json", "-"]


def summary_of(run):
    """The JSON that `lares run` wrote among what else was said."""
    begin = run.errors.find("\n{\n") + 1 if not run.errors.startswith("{\n") else 0
    try:
        return json.JSONDecoder().raw_decode(run.errors[begin:])[0]
    except ValueError:
        raise harness.ProgramFailed("`lares run` wrote no summary", run.errors) from None


class Beliefs:
    """What Lares said of one run's tasks."""

    def __init__(self, summary):
        constructs = summary["constructs"] or []
        self.tasks = sum(each["tasks"] for each in constructs)
        self.by_source = collections.Counter()
        self.homed = self.at_home = 0
        for each in constructs:
            located = {kind: count for kind, count in each["located_by"].items() if kind in SOURCES}
            self.by_source.update(located)
            share = each["at_home_later"]
            if share is None:
                share = each["at_home_first"]
            if share is not None:
                self.homed += sum(located.values())
                self.at_home += share * sum(located.values())

    @property
    def opinions(self):
        return sum(self.by_source.values()) / self.tasks if self.tasks else None

    @property
    def home_share(self):
        return self.at_home / self.homed if self.homed else None

    def sources(self):
        """The most frequent first; those of one in a hundred at least."""
        all_ = max(sum(self.by_source.values()), 1)
        shown = [f"{SOURCES[kind]} {100 * count / all_:.0f} %"
                 for kind, count in self.by_source.most_common() if 100 * count >= all_]
        return ", ".join(shown) or "-"


def near_share(run):
    fetched = lab_guests.fetched(run.region("warm"))
    all_ = sum(map(sum, fetched))
    return 1 - lab_guests.remote(fetched) / all_ if all_ else 0


def right_share(near, at_home, nodes):
    """The r of the text above."""
    return min(max((near - (1 - at_home) / nodes) / at_home, 0), 1) if at_home else None


def percent(values):
    known = [100 * value for value in values if value is not None]
    if not known:
        return "-"
    return (harness.Spread(known).text("{:.0f}".format) if len(known) > 1 else f"{known[0]:.0f}") + " %"


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/shapes_opinions.py --rounds 1 --shapes flags,slots")
    lab_compare.options_of(parser, shapes.SHAPES, rounds=3)
    lab_compare.add_lares_args(parser)
    options = parser.parse_args()
    configurations = options.lares_args or [lab_compare.named("auto="),
                                            lab_compare.named("learn=--learn")]
    cases = [lab_compare.Case(shape, "shapes", [shape, *shapes.SHAPES[shape]], "warm", None)
             for shape in lab_compare.chosen("--shapes", options.shapes, shapes.SHAPES)]
    compilers = lab_compare.chosen("--compilers", options.compilers, lab_compare.COMPILERS)
    plan = [(case, compiler, how) for case in cases for compiler in compilers
            for how in configurations]
    runs = {each: [] for each in plan}
    progress = harness.Progress(len(plan) * options.rounds)
    for _, each in harness.interleaved(plan, options.rounds, 1):
        case, compiler, how = each
        progress.step(f"{case.name} {compiler} {how.name}")
        run = lab_compare.guest_run(options, case, compiler, how, TALK)
        runs[each].append((Beliefs(summary_of(run)), near_share(run)))
    progress.end()
    table = harness.Table(["shape, policy", "tasks", "with an opinion", "from", "ran at home",
                           "lines from the own node", "opinions right, about"])
    for (case, compiler, how), some in runs.items():
        beliefs = [belief for belief, _ in some]
        rights = [right_share(near, belief.home_share, options.nodes) for belief, near in some]
        table.add(f"{case.name}-{compiler}, {how.name}", beliefs[0].tasks or "-",
                  percent([each.opinions for each in beliefs]), beliefs[0].sources(),
                  percent([each.home_share for each in beliefs]),
                  percent([near for _, near in some]), percent(rights))
    print(table.text())
    if options.write:
        harness.replace_marked(harness.ROOT / "docs" / "lab.md", f"opinions-{options.nodes}",
                               f"{table.markdown()}\n\n{lab_compare.guest_sentence(options)}")
    return 0


if __name__ == "__main__":
    harness.main("shapes_opinions", body)
