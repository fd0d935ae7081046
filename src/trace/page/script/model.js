// The model: what the bytes of each construct take at least on a measured machine.

function makeModel(runs) {
  const judged = runs.filter((run) => run.model !== null);
  if (judged.length === 0) return;
  document.querySelectorAll("#model, nav a[href='#model']").forEach((part) => { part.hidden = false; });
  const longest = Math.max(1, ...judged.flatMap((run) => run.model.rows.flatMap((row) => [row.measured, row.least ?? 0])));
  const columns = runs.length === 1 ? oneRunModel(longest) : twoRunModel(longest);
  const rows = runs.length === 1 ? namedRows(runs[0], runs[0].model.rows) : namedPairs(runs, (run) => run.model?.rows ?? []);
  const table = new SortedTable({ columns, rows, caption: "Least times" });
  byId("model").append(
    element("p", { class: "quiet" }, "Measured is the own time of a thread, of the domain that was busy longest. Least is what the bytes take that grains name, on ", printable(judged[0].model.machine), "; data that they use without naming it is not in it."),
    element("p", { class: "legend" }, modelKey("ready", "measured"), modelKey("running", "least")),
    table.element,
    element("ul", { class: "remarks" }, judged.flatMap((run) => modelSentences(run, runs.length)).map((sentence) => element("li", {}, sentence))));
}

function modelKey(look, word) {
  return element("span", {}, element("span", { class: "swatch " + look, "aria-hidden": "true" }), word);
}

function modelSentences(run, runs) {
  const before = runs > 1 ? "Run " + runLetter(run) + ": " : "";
  return [...run.model.notes, ...run.model.remarks].map((sentence) => before + printable(sentence));
}

// A column that has nothing to say of constructs that name no bytes.
function leastColumn(title, value, text, hint) {
  return { title, hint, value: (row) => value(row) ?? -1, text: (row) => (value(row) === null ? "\u2013" : text(value(row))) };
}

function oneRunModel(longest) {
  return [
    nameColumn(),
    leastColumn("bytes", (row) => row.bytes, bytesText, "That its grains name, each time"),
    leastColumn("measured", (row) => row.measured, timeText, "Own time of a thread, of the domain that was busy longest"),
    leastColumn("least", (row) => row.least, timeText, "What the bytes take"),
    { title: "both", value: (row) => row.measured, text: () => "", cell: (row) => measuredBars(row, longest), look: "bar-cell" },
    leastColumn("of it", (row) => row.efficiency, shareText, "Least over measured"),
    leastColumn("all local", (row) => row.all_local, timeText, "What it would have taken with all data at home where it is used"),
    { title: "verdict", isText: true, value: (row) => row.verdict, text: (row) => printable(row.verdict) },
  ];
}

function twoRunModel(longest) {
  const side = (row, i) => row.sides[i];
  const bars = (i) => ({ title: "both " + "AB"[i], value: (row) => side(row, i)?.measured ?? -1, text: () => "", cell: (row) => (side(row, i) === null ? "\u2013" : measuredBars(side(row, i), longest)), look: "bar-cell" });
  const verdict = (i) => ({ title: "verdict " + "AB"[i], isText: true, value: (row) => side(row, i)?.verdict ?? "", text: (row) => printable(side(row, i)?.verdict ?? "\u2013") });
  return [
    nameColumn(),
    ...pairColumns("measured", (row) => row.measured, timeText),
    ...pairColumns("least", (row) => row.least, timeText),
    bars(0), bars(1),
    ...pairColumns("of it", (row) => row.efficiency, shareText).slice(0, 2),
    verdict(0), verdict(1),
  ];
}

// What was measured above what it takes at least, on the scale of the longest of all.
function measuredBars({ measured, least }, longest) {
  const text = "measured " + timeText(measured) + ", least " + (least === null ? "not known" : timeText(least));
  const bar = (time, look) => element("span", { class: look, style: "width:" + time / longest * 100 + "%" });
  return element("span", { class: "measures", role: "img", "aria-label": text, title: text }, bar(measured, "ready"), least === null ? null : bar(least, "running"));
}
