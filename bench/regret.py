#!/usr/bin/env python3
"""How far a policy is behind the best one, over every workload, machine and size of team of the simulator.

    bench/regret.py --json regret.json             all cases; the worst ones and the means of `auto`
    bench/regret.py --machines xeon-max-2s-hbm     some machines only
    bench/regret.py --read regret.json --of virouleau     the tables of another policy, simulating nothing
    bench/regret.py --write docs/policies.md       puts the tables between the page's marks

Regret of a policy in a case is its median time over the seeds against that of the policy with the least
median, in percent. The best of many medians is a lucky one: where nothing matters, regret is not quite 0.
So --confirm judges in each case the policy that came out best on other seeds than those that chose it, three
times as many: what it then is ahead is no luck of the draw.

Rules are made on the training machines, every second one in the order of the alphabet from the first on; the
others, which are to be looked at only when a rule is done, are the test.
"""

import argparse
import concurrent.futures
import itertools
import json
import pathlib
import statistics
import subprocess

import harness

# Each as small as shows what the whole does, since there are thousands of runs.
WORKLOADS = [
    "stream:times=2",
    "stream:times=2,init=serial",
    "balance:gb=10",
    "balance:gb=10,order=front",
    "jacobi:ni=1200,nj=300",
    "jacobi:ni=1200,nj=300,order=kji",
    "jacobi:ni=1200,nj=300,limit=0",
    "jacobi:ni=1200,nj=300,limit=0,sweeps=2,init=none",
    "jacobi:ni=1200,nj=300,limit=0,init=serial",
    "cholesky:n=4096",
    "cholesky:n=12288",
    "cholesky:n=8192,init=serial",
    "qr:n=4096",
    "cg:iterations=2",
]
PRESETS = ["auto", "locality-queues", "virouleau", "stock-like", "central"]
PUSHES = ["local", "writer-domain", "writer-domain-or-local", "most-bytes"]
STEALS = ["nearest", "patient", "most-loaded", "domain-first", "core-first", "break-even"]
PAIRS = [f"distribution=cyclic,push={push},steal={steal}" for push, steal in itertools.product(PUSHES, STEALS)]
ENOUGH = 5.0  # percent: what a default may cost in a single case
ON_AVERAGE = 2.0
FRESH = 3  # times as many seeds judge what some have chosen
SHOWN = 10


def domain_counts(lares, machine):
    """Teams on two domains, on half of them and on all."""
    text = subprocess.run([lares, "topo", "--machine", machine, "--format", "json"],
                          capture_output=True, text=True, check=True).stdout
    found = json.loads(text)
    with_cores = len({core["domain"] for core in found["cores"]})
    return sorted({min(2, with_cores), max(1, with_cores // 2), with_cores})


def all_machines():
    return sorted(p.stem for p in (harness.ROOT / "machines").glob("*.json"))


def training_machines():
    return set(all_machines()[::2])


def simulate(lares, workload, machine, sweep, policies, seeds, first_seed=1):
    """Rows of one workload on one machine; none where its data does not fit."""
    command = [lares, "simulate", workload, "--machine", machine, "--seeds", str(seeds), "--no-ranges",
               "--first-seed", str(first_seed), "--sweep", sweep, "--format", "json"]
    for policy in policies:
        command += ["--policy", policy]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == harness.MISTAKE and "GiB" in done.stderr:
        return []
    if done.returncode != 0:
        raise harness.ProgramFailed(done.stderr.strip())
    return [{"machine": machine, "workload": workload, "cores": row["cores"], "policy": row["policy"],
             "seconds": row["seconds"]} for row in json.loads(done.stdout)["rows"]]


def all_rows(options):
    lares = options.lares or options.build / "lares"
    machines = options.machines or all_machines()
    policies = PRESETS + PAIRS + options.policy
    counts = {machine: "domains=" + ",".join(map(str, domain_counts(lares, machine)))
              for machine in machines}
    cases = list(itertools.product(options.workloads or WORKLOADS, machines))
    progress = harness.Progress(len(cases))
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(simulate, lares, workload, machine, counts[machine], policies,
                               options.seeds): (workload, machine) for workload, machine in cases}
        for future in concurrent.futures.as_completed(futures):
            progress.step(" on ".join(futures[future]))
            rows += future.result()
    progress.end()
    return sorted(rows, key=lambda r: (r["machine"], r["workload"], r["cores"], r["policy"]))


def fresh_rows(options, cases, policy):
    """The policy and the best of each case once more, with seeds that did not choose the best."""
    lares = options.lares or options.build / "lares"
    progress = harness.Progress(len(cases))

    def again(key):
        machine, workload, cores = key
        best = min(cases[key], key=cases[key].get)
        return simulate(lares, workload, machine, f"cores={cores}", sorted({policy, best}),
                        FRESH * options.seeds, options.seeds + 1)

    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(again, key): key for key in cases}
        for future in concurrent.futures.as_completed(futures):
            progress.step("other seeds")
            rows += future.result()
    progress.end()
    return sorted(rows, key=lambda r: (r["machine"], r["workload"], r["cores"], r["policy"]))


def cases_of(rows):
    """{(machine, workload, cores): {policy: seconds}}"""
    cases = {}
    for row in rows:
        key = (row["machine"], row["workload"], row["cores"])
        cases.setdefault(key, {})[row["policy"]] = row["seconds"]
    return cases


def regret(times, policy):
    """Percent behind the best, and the name of the best."""
    best = min(times, key=times.get)
    return 100 * (times[policy] / times[best] - 1), best


def lag(times, policy):
    """The same against the one other policy of a case, which may be the slower one here; 0 without one."""
    others = [seconds for name, seconds in times.items() if name != policy]
    return 100 * (times[policy] / min(others) - 1) if others else 0.0


def summary_cells(regrets):
    return (f"{statistics.mean(regrets):.1f}", f"{max(regrets):.1f}",
            str(sum(r > ENOUGH for r in regrets)), str(len(regrets)))


def policy_table(cases):
    """Each policy that every case has, the least mean first."""
    policies = set.intersection(*(set(times) for times in cases.values()))
    found = {p: [regret(times, p)[0] for times in cases.values()] for p in policies}
    table = harness.Table(["policy", "mean, %", "worst, %", f"cases above {ENOUGH:.0f} %", "of"])
    for policy in sorted(found, key=lambda p: (statistics.mean(found[p]), p)):
        table.add(f"`{policy}`", *summary_cells(found[policy]))
    return table


def grouped_table(cases, policy, name, part):
    table = harness.Table([name, "mean, %", "worst, %", f"cases above {ENOUGH:.0f} %", "of"])
    for group in sorted({key[part] for key in cases}):
        table.add(f"`{group}`", *summary_cells(
            [regret(times, policy)[0] for key, times in cases.items() if key[part] == group]))
    return table


def split_table(cases, fresh, policy):
    """Training and test machines; with `fresh` also against each case's best as other seeds judge it.

    The best of some seeds may be behind on others, so that chance takes as much away as it adds."""
    table = harness.Table(["machines", "mean, %", "worst, %", f"cases above {ENOUGH:.0f} %", "of"])
    train = training_machines()
    parts = (("training", lambda m: m in train), ("test", lambda m: m not in train), ("all", lambda m: True))
    for seeds, times_of, behind in (("", cases, lambda times: regret(times, policy)[0]),
                                    (", other seeds", fresh, lambda times: lag(times, policy))):
        for name, belongs in parts:
            regrets = [behind(times) for key, times in times_of.items() if belongs(key[0])]
            if regrets:
                table.add(name + seeds, *summary_cells(regrets))
    return table


def worst_table(cases, policy):
    rows = sorted(((*regret(times, policy), key) for key, times in cases.items()), reverse=True)
    table = harness.Table(["case", "cores", "behind, %", "best"])
    for value, best, (machine, workload, cores) in rows[:SHOWN]:
        table.add(f"`{workload}` on `{machine}`", cores, f"{value:.1f}", f"`{best}`")
    return table


def body():
    parser = harness.Parser(prog="regret", description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=harness.DEFAULT_BUILD, metavar="DIR",
                        help="build folder with lares (default: build/release)")
    parser.add_argument("--lares", type=pathlib.Path, metavar="FILE", help="the command lares")
    parser.add_argument("--seeds", type=harness.positive, default=5, metavar="N",
                        help="runs of each case with different chance (default: 5)")
    parser.add_argument("--jobs", type=harness.positive, default=2, metavar="N",
                        help="cases at a time (default: 2)")
    parser.add_argument("--machines", nargs="+", metavar="NAME", help="presets (default: all)")
    parser.add_argument("--workloads", nargs="+", metavar="W", help="as `lares simulate` takes them")
    parser.add_argument("--policy", action="append", default=[], metavar="POLICY",
                        help="one more that may be the best; may be repeated")
    parser.add_argument("--of", default="auto", metavar="POLICY", help="whose regret (default: auto)")
    parser.add_argument("--confirm", action="store_true",
                        help="also judge each case's best policy on other seeds")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write all times")
    parser.add_argument("--read", type=pathlib.Path, metavar="FILE",
                        help="simulate nothing; take the times that --json wrote")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE",
                        help="put the tables between the lines <!-- regret --> of a page")
    options = parser.parse_args()
    known = json.loads(options.read.read_text()) if options.read else {"rows": all_rows(options)}
    cases = cases_of(known["rows"])
    if options.confirm:
        known["fresh"] = fresh_rows(options, cases, options.of)
    if options.json:
        harness.write_json(options.json, {"seeds": options.seeds, **known})
    fresh = cases_of(known.get("fresh", []))
    tables = [policy_table(cases), split_table(cases, fresh, options.of),
              grouped_table(cases, options.of, "workload", 1),
              grouped_table(cases, options.of, "machine", 0), worst_table(cases, options.of)]
    if fresh:
        tables.append(worst_table(fresh, options.of))
    if options.write:
        harness.replace_marked(options.write, "regret", "\n\n".join(t.markdown() for t in tables))
    print("\n\n".join(t.text() for t in tables))
    return 0


if __name__ == "__main__":
    harness.main("regret", body)
