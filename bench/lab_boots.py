#!/usr/bin/env python3
"""How long the lab takes to boot, how much counting slows a program down, and whether it always boots.

    bench/lab_boots.py                      medians of five: boots of 4 and 24 nodes, counting
    bench/lab_boots.py --boots 100          also a hundred boots of 4 nodes in a row

A boot is a whole `lares lab run -- /bin/true`, from the shell and back. A guest that had to be started
again is reported; a run that fails ends the script with status 1.
"""

import json
import re

import harness
import lab_guests


def boot(lares, nodes):
    return lab_guests.run_guest(lares, ["--nodes", nodes], ["/bin/true"])


def boots(lares, nodes, rounds, progress):
    """Spread of seconds of several boots, and how many guests were started again."""
    runs = []
    for _ in range(rounds):
        progress.step(f"boot {nodes} nodes")
        runs.append(boot(lares, nodes))
    return harness.Spread([r.seconds for r in runs]), sum(map(lab_guests.retries, runs))


def seconds_inside(output):
    """What the program itself measured: examples/jacobi.c prints seconds=..."""
    return float(re.search(r"seconds=([0-9.]+)", output).group(1))


def slow_down(options, lares, progress):
    """Spreads of Jacobi's own seconds in a guest without and with counting, and of their ratio."""
    program = harness.program(options.build / "examples", "jacobi-gcc")
    seconds = {False: {}, True: {}}
    for number in range(options.rounds):
        for count in (False, True):
            progress.step(f"jacobi {'with' if count else 'without'} counting")
            run = lab_guests.run_guest(lares, ["--nodes", options.nodes],
                                       [program, 128, 16, 8, "parallel"], count=count)
            seconds[count][number] = seconds_inside(run.output)
    return (harness.Spread(seconds[False].values()), harness.Spread(seconds[True].values()),
            harness.paired_ratio(seconds[True], seconds[False]))


def body():
    parser = harness.Parser(description=__doc__.splitlines()[0],
                            epilog="Example: bench/lab_boots.py --boots 100")
    lab_guests.lab_options(parser, nodes=4)
    parser.add_argument("--rounds", type=harness.positive, default=5, metavar="N",
                        help="how often each thing is timed (default: 5)")
    parser.add_argument("--large", type=harness.positive, default=24, metavar="N",
                        help="nodes of the large guest (default: 24)")
    parser.add_argument("--boots", type=harness.positive, default=None, metavar="N",
                        help="also boot this often in a row")
    options = parser.parse_args()
    lares = harness.program(options.build, "lares")
    progress = harness.Progress(4 * options.rounds + (options.boots or 0))
    table = harness.Table(["what", "median [least..most]", "started again"])
    results = {}
    for nodes in (options.nodes, options.large):
        spread, again = boots(lares, nodes, options.rounds, progress)
        results[f"boot {nodes}"] = spread.as_json()
        table.add(f"boot of {nodes} nodes, s", spread.text(harness.three_digits), again)
    without, counted, ratio = slow_down(options, lares, progress)
    results["slow-down"] = ratio.as_json()
    table.add("jacobi in the guest, s", without.text(harness.three_digits), "")
    table.add("the same, counted, s", counted.text(harness.three_digits), "")
    table.add("slow-down by counting", ratio.text(harness.two_decimals), "")
    if options.boots:
        spread, again = boots(lares, options.nodes, options.boots, progress)
        results["row of boots"] = spread.as_json() | {"again": again}
        table.add(f"{options.boots} boots in a row, s", spread.text(harness.three_digits), again)
    progress.end()
    print(table.text())
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    harness.main("lab_boots", body)
