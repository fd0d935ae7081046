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


def beliefs(summary):
    """What Lares said of one run's tasks: how many, by which sources, and which share ran at home."""
    constructs = summary["constructs"] or []
    by_source = collections.Counter()
    homed = at_home = 0
    for each in constructs:
        located = {kind: count for kind, count in each["located_by"].items() if kind in SOURCES}
        by_source.update(located)
        share = each["at_home_later"] if each["at_home_later"] is not None else each["at_home_first"]
        if share is not None:
            homed += sum(located.values())
            at_home += share * sum(located.values())
    tasks = sum(each["tasks"] for each in constructs)
    return {"tasks": tasks, "by_source": dict(by_source),
            "opinions": sum(by_source.values()) / tasks if tasks else None,
            "at_home": at_home / homed if homed else None}


def sources(by_source):
    """The most frequent first; those of one in a hundred at least."""
    all_ = max(sum(by_source.values()), 1)
    shown = [f"{SOURCES[kind]} {100 * count / all_:.0f} %"
             for kind, count in collections.Counter(by_source).most_common() if 100 * count >= all_]
    return ", ".join(shown) or "-"


def near_share(run):
    fetched = lab_guests.fetched(run.region("warm"))
    all_ = sum(map(sum, fetched))
    return 1 - lab_guests.remote(fetched) / all_ if all_ else 0


def right_share(near, at_home, nodes):
    """The r of the text above."""
    return min(max((near - (1 - at_home) / nodes) / at_home, 0), 1) if at_home else None


def one_run(options, case, compiler, configuration):
    run = lab_compare.guest_run(options, case, compiler, configuration, TALK)
    said, near = beliefs(summary_of(run)), near_share(run)
    return {**said, "near": near, "right": right_share(near, said["at_home"], options.nodes)}


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
    table = harness.Table(["shape, policy", "tasks", "with an opinion", "from", "ran at home",
                           "lines from the own node", "opinions right, about"])
    runs = lab_compare.measure(options, cases, configurations, one_run, beside=())
    for (case, compiler, how), some in runs.items():
        shares = [percent([run[what] for run in some])
                  for what in ("opinions", "at_home", "near", "right")]
        table.add(f"{case.name}-{compiler}, {how.name}", some[0]["tasks"] or "-", shares[0],
                  sources(some[0]["by_source"]), *shares[1:])
    print(table.text())
    if options.write:
        harness.replace_marked(harness.ROOT / "docs" / "lab.md", f"opinions-{options.nodes}",
                               f"{table.markdown()}\n\n{lab_compare.guest_sentence(options)}")
    return 0


if __name__ == "__main__":
    harness.main("shapes_opinions", body)
