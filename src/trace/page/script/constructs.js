// Constructs: the figures of each, of two runs with what changed between them.

function makeConstructs(runs) {
  const rows = runs.length === 1 ? oneRunRows(runs[0]) : twoRunRows(runs);
  const columns = runs.length === 1 ? oneRunColumns(runs[0]) : twoRunColumns(runs);
  const table = new SortedTable({ columns, rows, caption: "Constructs", sorted: 2 });
  const search = element("input", { type: "search", placeholder: "search", "aria-label": "Search in the constructs", oninput: () => table.filter(search.value) });
  byId("constructs").append(element("p", { class: "controls" }, search), table.element);
}

function rowIdentity(run, construct) {
  if (construct === null) return "";
  const { place, file, offset } = run.trace.constructs[construct];
  return place !== "" ? place : file + "+" + offset;
}

function nameCell(row) {
  return button(row.name, () => {
    view.highlighted = { name: row.name, constructs: row.constructs };
    viewChanged();
    byId("timeline").scrollIntoView({ block: "start" });
  }, { class: "link", title: "Highlight in the timeline" });
}

function nameColumn() {
  return { title: "construct", isText: true, value: (row) => row.name, text: (row) => row.name, cell: nameCell };
}

// Rows that know their construct, with what nameCell wants.
function namedRows(run, rows) {
  return rows.map((row) => ({
    ...row,
    name: constructName(run, row.construct ?? NONE),
    constructs: [row.construct ?? NONE, -2],
  }));
}

function oneRunRows(run) {
  return namedRows(run, run.findings.tables.constructs);
}

function timeShare(sums, kind) {
  return sums.time > 0 ? sums.time_by[kind] / sums.time : 0;
}

function numberColumn(title, value, text, hint, look) {
  return { title, value, text: (row) => text(value(row)), hint, look };
}

function inflationText(inflation) {
  return inflation > 0 ? figures(inflation) + "\u00d7" : "\u2013";
}

function oneRunColumns(run) {
  const { critical } = run.findings;
  return [
    nameColumn(),
    numberColumn("grains", (row) => row.sums.grains, countText),
    numberColumn("own time", (row) => row.sums.time, timeText, "Sum over its grains"),
    numberColumn("of all", (row) => row.sums.time / Math.max(1, run.findings.work), shareText, "Share of all grains' own time"),
    { title: "locality", value: (row) => timeShare(row.sums, 2), text: () => "", cell: (row) => localityBar(row.sums.time_by), look: "bar-cell" },
    numberColumn("local", (row) => timeShare(row.sums, 0), shareText, "Share of its time"),
    numberColumn("same", (row) => timeShare(row.sums, 1), shareText, "Same domain: share of its time"),
    numberColumn("remote", (row) => timeShare(row.sums, 2), shareText, "Share of its time"),
    numberColumn("median", (row) => row.median, timeText),
    numberColumn("longest", (row) => row.longest, timeText),
    numberColumn("inflation", (row) => row.inflation, inflationText, "Mean time of remote grains over that of others"),
    numberColumn("stolen", (row) => row.stolen / Math.max(1, row.sums.grains), shareText, "Share of its grains"),
    numberColumn("critical", (row) => (critical > 0 ? row.critical / critical : 0), shareText, "Its part of the critical path"),
  ];
}

// Constructs that two runs share are those of the same name.
function namedPairs(runs, rowsOf) {
  const rows = pairedRows(runs, rowsOf, (run, row) => rowIdentity(run, row.construct));
  for (const row of rows) {
    const side = row.sides[0] === null ? 1 : 0;
    row.name = constructName(runs[side], row.sides[side].construct ?? NONE);
    row.constructs = row.sides.map((one) => (one === null ? -2 : one.construct ?? NONE));
  }
  return rows;
}

function twoRunRows(runs) {
  return namedPairs(runs, (run) => run.findings.tables.constructs);
}

function twoRunColumns(runs) {
  const critical = new Map(runs.flatMap((run) => run.findings.tables.constructs.map((row) => [row, run.findings.critical])));
  return [
    nameColumn(),
    ...pairColumns("time", (row) => row.sums.time, timeText),
    ...pairColumns("grains", (row) => row.sums.grains, countText),
    ...pairColumns("remote", (row) => timeShare(row.sums, 2), shareText),
    ...pairColumns("median", (row) => row.median, timeText),
    ...pairColumns("inflation", (row) => row.inflation, inflationText).slice(0, 2),
    ...pairColumns("critical", (row) => row.critical / Math.max(1, critical.get(row)), shareText).slice(0, 2),
  ];
}
