#!/usr/bin/env python3
"""What moving a page costs: by raw move_pages, lares_migrate and next touch, beside memcpy.

All methods run in one process, interleaved, on areas of their own; ratios are taken within a round.
With --nodes the program runs in a guest of the lab, where pages really move between nodes; its times
are those of an emulated machine, so only the ratios mean something.
"""

import json

import harness

METHODS = ["move_pages", "migrate", "next_touch", "memcpy"]
WAYS = ["thread", "signal", "protect"]


def reference_of(domains):
    """What the others are compared with: on one node move_pages has nothing to move."""
    return "memcpy" if domains == 1 else "move_pages"


def read_options():
    parser = harness.Parser(prog="next_touch.py", description=__doc__,
                            epilog="Example: bench/next_touch.py --nodes 4 --chunk 1,16,64,256")
    harness.common_options(parser, rounds=7)
    parser.add_argument("--nodes", type=harness.positive, metavar="N",
                        help="run in a guest of the lab with so many nodes (default: run here)")
    parser.add_argument("--chunk", type=harness.whole_numbers, default=[1, 16, 64, 256],
                        metavar="LIST", help="pages that move as one (default: 1,16,64,256)")
    parser.add_argument("--pages", type=harness.positive, default=4096, metavar="N",
                        help="pages of an area (default: 4096)")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text",
                        help="what is printed (default: text)")
    return parser.parse_args()


def run_once(options, lares, way, chunk):
    """Domains, and method -> round -> microseconds per page."""
    path = harness.program(options.build / "bench", "next_touch")
    command = [path, "--pages", options.pages, "--rounds", options.rounds, "--chunk", chunk,
               "--way", way]
    if options.nodes:
        command = [lares, "lab", "run", "--nodes", options.nodes, "--", *command]
    output = harness.run(command, harness.clean_environment(), options.timeout)
    samples = {}
    domains = 0
    for line in output.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "domains":
            domains = int(words[1])
        if len(words) == 3 and words[0] in METHODS:
            samples.setdefault(words[0], {})[int(words[1])] = float(words[2])
    if set(samples) != set(METHODS):
        raise harness.ProgramFailed(f"printed no result: {harness.shown(command)}")
    return domains, samples


def rows_of(way, chunk, domains, samples):
    reference = samples[reference_of(domains)]
    for method in METHODS:
        ratio = harness.paired_ratio(samples[method], reference)
        yield {"way": way, "chunk": chunk, "method": method,
               "us_per_page": harness.Spread(samples[method].values()).as_json(),
               "of_reference": ratio.as_json()}


def measure(options):
    lares = harness.lares_command(options) if options.nodes else None
    setups = [(way, chunk) for way in WAYS for chunk in options.chunk]
    progress = harness.Progress(len(setups))
    rows = []
    domains = 0
    for way, chunk in setups:
        progress.step(f"{way}, chunks of {chunk} pages")
        domains, samples = run_once(options, lares, way, chunk)
        rows += rows_of(way, chunk, domains, samples)
    progress.end()
    return domains, rows


def spread_text(spread):
    return f"{spread['median']:.2f} [{spread['min']:.2f}..{spread['max']:.2f}]"


def print_text(rows, domains, options, where):
    place = f"in a guest with {options.nodes} nodes" if options.nodes else "here"
    print(f"Moving {options.pages} pages {place}, microseconds a page; {options.rounds} interleaved "
          "rounds: median [least..most]")
    print(harness.provenance_line(where))
    if domains == 1:
        print("One node, so no page moves: move_pages and migrate only find that out, and next touch "
              "costs what marking, faults and (thread, signal) copies cost.")
    print()
    table = harness.Table(["way, pages per chunk", "method", "us per page", f"this / {reference_of(domains)}"])
    for row in rows:
        table.add(f"{row['way']}, {row['chunk']}", row["method"], spread_text(row["us_per_page"]),
                  spread_text(row["of_reference"]))
    print(table.text())


def print_csv(rows):
    print("way,chunk,method,median_us,min_us,max_us,of_reference")
    for row in rows:
        times = (f"{row['us_per_page'][key]:.4f}" for key in ("median", "min", "max"))
        print(",".join([row["way"], str(row["chunk"]), row["method"], *times,
                        f"{row['of_reference']['median']:.4f}"]))


def body():
    options = read_options()
    where = harness.provenance()
    domains, rows = measure(options)
    document = {"format": "lares-next-touch", "version": 1, "provenance": where,
                "domains": domains, "reference": reference_of(domains),
                "options": {"nodes": options.nodes, "pages": options.pages,
                            "rounds": options.rounds}, "rows": rows}
    if options.json:
        harness.write_json(options.json, document)
    if options.format == "json":
        print(json.dumps(document, indent=1))
    elif options.format == "csv":
        print_csv(rows)
    else:
        print_text(rows, domains, options, where)
    return 0


if __name__ == "__main__":
    harness.main("next_touch.py", body)
