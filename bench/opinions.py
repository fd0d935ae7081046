#!/usr/bin/env python3
"""What opinions are worth, on simulated machines: programs that do not tell what their tasks use, without
and with what Lares concludes from what they do, against the same programs when they tell.

    bench/opinions.py                          all cases, on the papers' machines
    bench/opinions.py --machines bull-bcs-16s  on these only
    bench/opinions.py --write                  also writes the table into docs/simulate.md
    bench/opinions.py --check                  1 if the table there has other rows of these machines

All of it is seeded: the same commit gives the same table.
"""

import json
import pathlib
import statistics
import subprocess
import sys

import harness

# The quad-core node of Wittmann & Hager, the machines of Virouleau and of Schmidl, and one of today
# that no rule was made on.
MACHINES = ["opteron-4s-square", "sgi-uv2000-24s", "bull-bcs-16s", "epyc-9654-2s-nps4"]
# (what it is in the table, the workload, what the program tells)
CASES = [
    ("Jacobi, static start", "jacobi:limit=0,sweeps=10,init=static", "nothing"),
    ("Jacobi, tasks touch first", "jacobi:limit=0,sweeps=10,init=none", "nothing"),
    ("Jacobi, tasks touch first", "jacobi:limit=0,sweeps=10,init=none", "names"),
    ("Jacobi, dealt in turn", "jacobi:limit=0,sweeps=10,init=static1", "nothing"),
    ("Jacobi, dealt in turn", "jacobi:limit=0,sweeps=10,init=static1", "pointers"),
    ("STREAM, one creator", "stream:creators=one,init=static", "nothing"),
    ("Cholesky", "cholesky:n=8192", "names"),
    ("QR", "qr:n=8192", "names"),
]
POLICY = "auto"
WITHOUT = f"{POLICY},opinions=off"
PAGE = harness.ROOT / "docs" / "simulate.md"


def rows_of(options, machine, workload, tells, policies):
    """By policy, what the simulator says."""
    command = [str(harness.program(options.build, "lares")), "simulate", f"{workload},tells={tells}",
               "--machine", machine, "--no-ranges", "--seeds", str(options.seeds), "--format", "json"]
    for policy in policies:
        command += ["--policy", policy]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise harness.ProgramFailed(done.stderr.strip() or harness.shown(command))
    found = json.loads(done.stdout)
    return {row["policy"]: row for row in found["rows"]}


def ratio(row, told):
    """Of the median time of the program that tells, over the seeds."""
    base = told["seconds"]
    least, most = row["seconds_over_seeds"]
    text = f"{row['seconds'] / base:.2f}"
    low, high = f"{least / base:.2f}", f"{most / base:.2f}"
    return text if low == high else f"{text} [{low}..{high}]"


def percent(share):
    return f"{100 * share:.0f} %"


def cells(told, rows):
    """A row of the table: of the program that tells all, and of itself without and with opinions."""
    opinions = rows[POLICY]["opinions"]
    right = percent(opinions["right"] / opinions["tasks"]) if opinions["tasks"] else "-"
    return [percent(told["remote_share"]), ratio(rows[WITHOUT], told),
            percent(rows[WITHOUT]["remote_share"]), ratio(rows[POLICY], told),
            percent(rows[POLICY]["remote_share"]), right]


def body():
    parser = harness.Parser(description=__doc__.split("\n\n", 1)[0],
                            epilog="Example: bench/opinions.py --machines bull-bcs-16s")
    parser.add_argument("--build", type=pathlib.Path, default=harness.DEFAULT_BUILD,
                        metavar="DIR", help="build folder with lares (default: build/release)")
    parser.add_argument("--machines", default=",".join(MACHINES), metavar="LIST",
                        help=f"which machines (default: {','.join(MACHINES)})")
    parser.add_argument("--seeds", type=harness.positive, default=3, metavar="N",
                        help="runs of each with different chance (default: 3)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/simulate.md")
    parser.add_argument("--check", action="store_true",
                        help="end with 1 if docs/simulate.md has other rows of these machines")
    options = parser.parse_args()
    machines = options.machines.split(",")
    if options.write and machines != MACHINES:
        raise harness.Mistake("--write is of all machines")
    table = harness.Table(["program, tells", "machine", "remote, told", "time without", "remote",
                           "time with", "remote", "opinions right"])
    progress = harness.Progress(len(CASES) * len(machines))
    ratios = {"without": [], "with": []}
    for name, workload, tells in CASES:
        for machine in machines:
            progress.step(f"{workload} {machine}")
            told = rows_of(options, machine, workload, "data", [POLICY])[POLICY]
            rows = rows_of(options, machine, workload, tells, [WITHOUT, POLICY])
            table.add(f"{name}, {tells}", machine, *cells(told, rows))
            ratios["without"].append(rows[WITHOUT]["seconds"] / told["seconds"])
            ratios["with"].append(rows[POLICY]["seconds"] / told["seconds"])
    progress.end()
    means = {name: statistics.geometric_mean(values) for name, values in ratios.items()}
    better = sum(w < o for w, o in zip(ratios["with"], ratios["without"]))
    sentence = (f"Geometric means of the times: {means['without']:.2f} without and {means['with']:.2f} "
                f"with opinions; {better} of {len(ratios['with'])} rows are faster with them. Medians of "
                f"{options.seeds} seeds [least..most].")
    print(table.text())
    print(sentence)
    text = f"{table.markdown()}\n\n{sentence}"
    if options.write:
        harness.replace_marked(PAGE, "opinions", text)
    missing = set(table.markdown().splitlines()) - set(PAGE.read_text().splitlines())
    if options.check and missing:
        print("docs/simulate.md lacks these rows: run bench/opinions.py --write and look at what "
              "changed\n" + "\n".join(sorted(missing)), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    harness.main("opinions", body)
