// A run: its facts and columns, and what is asked of them again and again.

const NONE = -1;

// All tables of all runs, still packed: tables[run][name] = {of, columns}.
function collectTables(runs) {
  const tables = Array.from({ length: runs }, () => ({}));
  for (const script of document.querySelectorAll("script[type='application/x-lares-table']")) {
    tables[script.dataset.run][script.dataset.table] = { of: JSON.parse(script.textContent), scripts: [] };
  }
  for (const script of document.querySelectorAll("script[type='application/x-lares-column']")) {
    tables[script.dataset.run][script.dataset.table].scripts.push(script);
  }
  return tables;
}

// The columns of a table that are named, or all the others; their text leaves the page.
function takeColumns(table, names, others = false) {
  const taken = table.scripts.filter((script) => names.includes(script.dataset.column) !== others);
  const columns = taken.map((script) => {
    const packed = bytesOfBase64(script.textContent);
    script.remove();
    return { name: script.dataset.column, code: script.dataset.code, planes: Number(script.dataset.planes), packed };
  });
  return { of: table.of, columns };
}

function packedBuffers(...tables) {
  return tables.flatMap((table) => table.columns.map((column) => column.packed.buffer));
}

const DRAWN_GRAINS = ["begin", "length", "locality"];
const DRAWN_WAITS = ["begin", "length"];

// Fills a run with its columns. Resolves once it can be drawn; its `complete` resolves once
// everything about it is known.
async function loadRun(run, tables) {
  const first = makeHelper();
  const second = makeHelper();
  const job = {
    what: "drawable",
    duration: run.trace.duration,
    grains: takeColumns(tables.grains, DRAWN_GRAINS),
    waits: takeColumns(tables.waits, DRAWN_WAITS),
  };
  const drawable = first.ask(job, packedBuffers(job.grains, job.waits));
  const ask = (helper, name, skip) => {
    const table = takeColumns(tables[name], skip, true);
    return helper.ask({ what: "table", table }, packedBuffers(table));
  };
  const names = ["regions", "critical_path", "traffic", "loops", "moves"];
  const small = Promise.all(names.map((name) => ask(second, name, [])));
  const rest = Promise.all([ask(second, "grains", DRAWN_GRAINS), ask(second, "waits", DRAWN_WAITS)]);
  const [parts, [regions, path, traffic, loops, moves]] = await Promise.all([drawable, small]);
  Object.assign(run, parts, { regions, loops, moves, path: path.grain, traffic: traffic.bytes, isComplete: false });
  run.complete = rest.then(([grains, waits]) => {
    Object.assign(run.grains, grains);
    Object.assign(run.waits, waits);
    run.isComplete = true;
    first.end();
    second.end();
  });
}

function runLetter(run) {
  return "AB"[run.index];
}

// The last index below `to` and from `from` on whose value is at most `limit`; from - 1 if none is.
function lastAtMost(values, from, to, limit) {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function threadOf(run, grain) {
  return lastAtMost(run.grains.of, 0, run.grains.of.length, grain);
}

function endOf(run, grain) {
  return run.grains.begin[grain] + run.grains.length[grain];
}

// Grains that thread `thread` is in at `time`, outer ones first.
function openAt(run, thread, time) {
  const { of, begin } = run.grains;
  const open = [];
  let grain = lastAtMost(begin, of[thread], of[thread + 1], time);
  if (grain < of[thread]) return open;
  for (; grain !== NONE; grain = run.outer[grain] - 1) {
    if (endOf(run, grain) > time) open.push(grain);
  }
  return open.reverse();
}

function constructName(run, construct) {
  return construct < 0 ? "(construct not known)" : printable(run.trace.constructs[construct].place);
}

function threadName(run, thread) {
  const { process, number } = run.trace.threads[thread];
  return run.hasProcesses ? process + "." + number : String(number);
}

function domainName(domain) {
  return domain === null || domain < 0 ? "no domain" : "domain " + domain;
}
