// Two runs in one table: what was measured in A and in B, and how it changed.

// [{sides: [row of A or null, row of B or null]}], rows of the same key together.
function pairedRows(runs, rowsOf, keyOf) {
  const pairs = new Map();
  runs.forEach((run, side) => {
    for (const row of rowsOf(run)) {
      const key = keyOf(run, row);
      if (!pairs.has(key)) pairs.set(key, { sides: [null, null] });
      pairs.get(key).sides[side] = row;
    }
  });
  return [...pairs.values()];
}

// The side that has the row at all.
function anySide(row) {
  return row.sides[0] ?? row.sides[1];
}

function pairColumns(title, value, text) {
  const of = (row, side) => (row.sides[side] === null ? null : value(row.sides[side]));
  const one = (side) => ({
    title: title + " " + "AB"[side],
    value: (row) => of(row, side) ?? -1,
    text: (row) => (of(row, side) === null ? "\u2013" : text(of(row, side))),
    look: side === 0 ? "first" : "",
  });
  const change = {
    title: "change",
    hint: "of " + title + ", from A to B",
    value: (row) => (of(row, 1) ?? 0) / (of(row, 0) ?? 0),
    text: (row) => (row.sides.includes(null) ? "\u2013" : changeText(of(row, 0), of(row, 1))),
    look: "change",
  };
  return [one(0), one(1), change];
}

// The figures of whole runs.
function makeComparison(runs) {
  const rows = [
    ["traced", (run) => run.trace.duration, timeText],
    ["in regions", (run) => run.findings.in_regions, timeText],
    ["grains", (run) => run.count, countText],
    ["own time of grains", (run) => run.findings.work, timeText],
    ["creating them", (run) => run.findings.creation, timeText],
    ["waiting without a grain", (run) => run.findings.idle, timeText],
    ["critical path", (run) => run.findings.critical, timeText],
    ["remote, of the grains' time", (run) => timeShare(run.findings.all, 2), shareText],
  ].map(([name, value, text]) => ({ name, text, values: runs.map(value) }));
  const column = (side) => ({ title: "AB"[side], value: (row) => row.values[side], text: (row) => row.text(row.values[side]) });
  const columns = [
    { title: "", isText: true, value: (row) => row.name, text: (row) => row.name },
    column(0), column(1),
    { title: "change", value: (row) => row.values[1] / row.values[0], text: (row) => changeText(...row.values), look: "change" },
  ];
  byId("summary").append(element("div", { class: "comparison" }, new SortedTable({ columns, rows, caption: "Both runs" }).element));
}
