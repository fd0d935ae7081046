#!/usr/bin/env python3
"""Remote shares, counted in a guest of the lab and simulated: the same program, policy and machine.

The program runs in the guest under `lares run --record`, the lines that it fetches from memory are
counted by the node of the memory, and the graph that it wrote is simulated on the description of the
same machine under the same policy. The guest's nodes have a cache each that their cpus share, as the
simulated domains have. What comes out of another node's cache is left out on both sides.

The graph is simulated as recorded, and once more after it was told what no dependence tells: that a
task of Jacobi reads one face of each neighbouring column, how long a block is where the compiler drops
that, and what recording took the creator.

Load balancing is a loop: it is recorded under `--loops numa`, and what each schedule would fetch from
elsewhere is predicted from that; the counts are of another run, without a recording. A loop says
nothing of its data, so the graph is told of the packages, their sizes and their homes.

    bench/lab_simulated.py --nodes 4 --rounds 1
    bench/lab_simulated.py --write          enters the table into docs/simulate.md
"""

import datetime
import json
import pathlib
import re
import tempfile

import harness
import lab_guests

POLICIES = ("stock-like", "locality-queues", "virouleau")
LOOPS = ("dynamic", "numa,steal=nearest", "numa,steal=most-loaded")
RECORDED_LOOPS = "numa,steal=nearest"
COMPILERS = ("gcc", "clang")
# Arguments, region, the lines that count, and KiB of a cache that hold no blocks. Tasks are long beside
# what the runtime costs, which in a guest is many times more than elsewhere, and mostly not in the model.
# Cholesky's tasks read every tile before they write it, so what its stores fetch is other memory. BLAS
# packs two tiles for each product, into the same two buffers over and over.
CASES = {"cholesky": (["1024", "64", "1", "interleaved"], "factorise", ["read"], 64),
         "jacobi": (["192", "12", "4", "parallel"], "sweeps", ["read", "written"], 0),
         "load_balance": (["packages=480", "gb=0.05", "times=2", "method=dynamic"], "additions",
                          ["read", "written"], 0)}
# A few tiles, as a real cache holds of real ones. Where it holds nearly all of a node's, a little more or
# less decides what is fetched.
L2_KIB, L3_KIB = 64, 128
SEEDS = 21


def machine_file(options, other_kib, folder):
    """The guest's machine: nodes that are all equally far from each other.

    A node's caches are one: what leaves a private one goes into the shared one, and not before.
    """
    nodes, cpus = options.nodes, options.cpus
    bytes_of_node = 256 << 20
    document = {
        "format": "lares-machine", "version": 1, "name": f"guest of {nodes} nodes",
        "domain_level": "numa",
        "domains": [{"name": f"numa {n}", "node": n, "memory_bytes": bytes_of_node}
                    for n in range(nodes)],
        "cores": [{"domain": n, "cpus": [n * cpus + c]} for n in range(nodes) for c in range(cpus)],
        "memory": [{"node": n, "total_bytes": bytes_of_node, "has_cores": True, "domain": n}
                   for n in range(nodes)],
        "distances": {"matrix": [[10 if a == b else 20 for b in range(nodes)]
                                 for a in range(nodes)]},
        "simulation": {"source": "the lab's model of caches", "write_factor": 2,
                       "cache_bytes": (L3_KIB + cpus * L2_KIB - other_kib) * 1024},
    }
    file = folder / "guest.json"
    file.write_text(json.dumps(document))
    return file


def face_bytes(arguments):
    """Of a column of Jacobi: a line of N + 2 points for each of BLOCK."""
    n, block = int(arguments[0]), int(arguments[1])
    return block * (n + 2) * 8


def block_bytes(case, arguments):
    """Of a tile of Cholesky, or a column of Jacobi. GCC drops lengths; a gap behind counts as well then."""
    edge = int(arguments[1])
    return edge * edge * 8 if case == "cholesky" else edge * face_bytes(arguments)


def told(case, compiler, arguments, text):
    """The graph with what its dependences do not say."""
    # A task names the column that it reads whole before its neighbours, and GCC turns the order round.
    own = {"gcc": -1, "clang": 0}[compiler]
    lines = []
    recording = 0.0
    for line in text.splitlines():
        if found := re.fullmatch(r"# recording took its creator (\S+) seconds a task besides", line):
            recording = float(found[1])
        if line.startswith("create "):
            line = f"create {float(line.split()[1]) + recording}"
        if line.startswith("block "):
            line = f"block {block_bytes(case, arguments)} {line.split()[2]}"
        if case == "jacobi" and line.startswith("task "):
            words = line.split(" ")
            reads = [i for i, word in enumerate(words) if word.startswith("r:")]
            for i in set(reads) - {reads[own]}:
                words[i] += f":{face_bytes(arguments)}"
            line = " ".join(words)
        lines.append(line)
    return "\n".join(lines) + "\n"


def package_bytes(packages, all_bytes):
    """Of each of a package's three vectors: bench/load_balance."""
    return [8 * (int(all_bytes * (i + 0.5) / (packages * packages / 2) / 24) + 1) for i in range(packages)]


def told_packages(arguments, nodes, text):
    """The graph of load balancing with the packages: two vectors that are read, and one that is written."""
    settings = dict(word.split("=") for word in arguments)
    packages = int(settings["packages"])
    lines = []
    piece = 0
    for line in text.splitlines():
        if line.startswith("loop "):
            piece = 0
        if line.startswith("piece "):
            line += f" r:{2 * piece} w:{2 * piece + 1}"
            piece += 1
        lines.append(line)
    if piece != packages:
        raise harness.ProgramFailed(f"{piece} pieces were recorded of {packages} packages")
    blocks = []
    for package, size in enumerate(package_bytes(packages, 1e9 * float(settings["gb"]))):
        home = package * nodes // packages  # of whom a static loop lets write it
        blocks += [f"block {2 * size} {home}", f"block {size} {home}"]
    return "\n".join([lines[0], *blocks, *lines[1:]]) + "\n"


def simulated(options, lares, graph, machine, policy):
    """The remote share of the bytes fetched from memory: the median over the seeds."""
    command = [lares, "simulate", f"file:{graph}", "--machine", machine, "--policy", policy,
               "--seeds", SEEDS, "--format", "json"]
    found = json.loads(harness.run(command, harness.clean_environment(), options.timeout))
    return found["rows"][0]["fetched_remote_share"]


def is_loop(case):
    return case == "load_balance"


def run_program(options, lares, case, compiler, settings, graph=None):
    """One run in the guest under `lares run` with `settings`."""
    program = harness.program(options.build / ("bench" if is_loop(case) else "examples"),
                              f"{case}-{compiler}")
    words = [*harness.under_lares(lares, "--quiet", *settings), program, *CASES[case][0]]
    guest = ["--nodes", options.nodes, "--cpus-per-node", options.cpus, "--cache",
             f"l2={L2_KIB}K,l3={L3_KIB}K"]
    if graph is not None:
        graph.write_text("")
        guest += ["--output", graph]
    run = lab_guests.run_guest(lares, guest, words, count=True,
                               environment=harness.clean_environment(), timeout=options.timeout)
    if ('"wrong":0' if is_loop(case) else "result=ok") not in run.output:
        raise harness.ProgramFailed(f"{case} computed something wrong with {' '.join(map(str, settings))}")
    return run


def run_in_guest(options, lares, case, compiler, policy, folder):
    """Leaves the graph and the counts in `folder`."""
    graph = folder / "app.graph"
    if is_loop(case):
        run_program(options, lares, case, compiler,
                    ["--loops", RECORDED_LOOPS, "--record", graph], graph)
        loops = "stock" if policy == "dynamic" else policy
        run = run_program(options, lares, case, compiler, ["--loops", loops])
    else:
        run = run_program(options, lares, case, compiler, ["--policy", policy, "--record", graph], graph)
    harness.write_json(folder / "counts.json", run.counts)


def check_kept(options, arguments, counts, folder):
    """What an earlier call kept must be what this one would have counted."""
    was = (counts["command"][-len(arguments):], counts["cpus"],
           counts["caches"]["l2_bytes"], counts["caches"]["l3_bytes"])
    wanted = (arguments, [options.cpus] * options.nodes, L2_KIB * 1024, L3_KIB * 1024)
    if was != wanted:
        raise harness.Mistake(f"'{folder}' holds counts of other arguments, cpus or caches; give "
                              "--keep another folder")


def one_run(options, lares, case, compiler, policy, folder):
    """The remote shares, as counted and as simulated. What `folder` has of an earlier call is used."""
    arguments, region, kinds, other_kib = CASES[case]
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "counts.json").exists():
        run_in_guest(options, lares, case, compiler, policy, folder)
    counts = json.loads((folder / "counts.json").read_text())
    check_kept(options, arguments, counts, folder)
    matrix = lab_guests.lines_of(lab_guests.GuestRun("", 0, counts, "").region(region), kinds)
    machine = machine_file(options, other_kib, folder)
    graph, whole = folder / "app.graph", folder / "told.graph"
    text = graph.read_text()
    whole.write_text(told_packages(arguments, options.nodes, text) if is_loop(case) else
                     told(case, compiler, arguments, text))
    return {"counted": lab_guests.remote(matrix) / sum(map(sum, matrix)),
            "recorded": None if is_loop(case) else simulated(options, lares, graph, machine, policy),
            "simulated": simulated(options, lares, whole, machine, policy)}


def table_of(plan, runs, nodes):
    """(n-1)/n is what one says who knows nothing: all but a node's own part is remote."""
    table = harness.Table(["program, policy", "remote, counted, %", "simulated, %", "of medians, points",
                           "of runs, points", "(n-1)/n, points", "simulated as recorded, %"])
    blind = 100 * (nodes - 1) / nodes
    for case, compiler, policy in plan:
        some = runs[case, compiler, policy]
        spread = {key: harness.Spread([100 * run[key] for run in some])
                  for key in ("counted", "simulated", "recorded") if some[0][key] is not None}
        percent = lambda key: spread[key].text("{:.1f}".format)
        difference = harness.Spread([100 * (run["simulated"] - run["counted"]) for run in some])
        table.add(f"{case}-{compiler}, {policy}", percent("counted"), percent("simulated"),
                  f"{spread['simulated'].median - spread['counted'].median:+.1f}",
                  difference.text("{:+.1f}".format), f"{blind - spread['counted'].median:+.1f}",
                  percent("recorded") if "recorded" in spread else "no data told")
    return table


def body():
    parser = harness.Parser(prog="lab_simulated.py", description=__doc__.splitlines()[0],
                            epilog="Example: bench/lab_simulated.py --rounds 1 --cases jacobi")
    lab_guests.lab_options(parser, nodes=4)
    parser.add_argument("--cpus", type=harness.positive, default=1, metavar="N",
                        help="cpus of a node (default: 1)")
    parser.add_argument("--rounds", type=harness.positive, default=3, metavar="N",
                        help="how often each configuration runs (default: 3)")
    parser.add_argument("--cases", default=",".join(CASES), metavar="LIST",
                        help=f"which programs (default: {','.join(CASES)})")
    parser.add_argument("--compilers", default=",".join(COMPILERS), metavar="LIST",
                        help=f"built by whom (default: {','.join(COMPILERS)})")
    parser.add_argument("--policies", default=";".join(POLICIES), metavar="LIST",
                        help=f"policies, with ; between (default: {';'.join(POLICIES)})")
    parser.add_argument("--keep", metavar="FOLDER",
                        help="keep graphs and counts there, and use those that are there already")
    parser.add_argument("--timeout", type=harness.positive, default=600, metavar="S",
                        help="seconds after which a run counts as hung (default: 600)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/simulate.md")
    options = parser.parse_args()
    lares = harness.program(options.build, "lares")
    plan = [(case, compiler, policy) for case in options.cases.split(",")
            for compiler in options.compilers.split(",")
            for policy in (LOOPS if is_loop(case) else options.policies.split(";"))
            # libomp's `dynamic` starts from static parts and steals: no counter that serves all.
            if (compiler, policy) != ("clang", "dynamic")]
    runs = {}
    progress = harness.Progress(len(plan) * options.rounds)
    with tempfile.TemporaryDirectory(prefix="lares-lab-") as folder:
        for number, each in harness.interleaved(plan, options.rounds, 1):
            progress.step(" ".join(each))
            name = re.sub(r"[,=]", "-", "-".join([str(options.nodes), *each, str(number)]))
            place = pathlib.Path(options.keep or folder) / name
            runs.setdefault(each, []).append(one_run(options, lares, *each, place))
    progress.end()
    print(harness.provenance_line(harness.provenance()))
    table = table_of(plan, runs, options.nodes)
    print(table.text())
    if options.json:
        harness.write_json(options.json, [{"case": c, "compiler": b, "policy": p, "runs": some}
                                          for (c, b, p), some in runs.items()])
    if options.write:
        rounds = ("one run each" if options.rounds == 1 else
                  f"medians [least..most] of {options.rounds} interleaved runs")
        cpus = "one cpu" if options.cpus == 1 else f"{options.cpus} cpus"
        text = (f"{table.markdown()}\n\n{options.nodes} nodes with {cpus} each, {L2_KIB} KiB of L2 per cpu "
                f"and {L3_KIB} KiB of L3 per node; {rounds}, {datetime.date.today().isoformat()}.")
        harness.replace_marked(harness.ROOT / "docs" / "simulate.md", f"lab-{options.nodes}", text)
    return 0


if __name__ == "__main__":
    harness.main("lab_simulated", body)
