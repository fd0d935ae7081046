// What moved: memory, and threads inside of regions.

function makeMoves(runs) {
  if (runs.every((run) => run.findings.moves === null && run.findings.thread_moves === null)) return;
  document.querySelectorAll("#moves, nav a[href='#moves']").forEach((part) => { part.hidden = false; });
  byId("moves").append(
    element("p", { class: "quiet" }, "What Lares moved, for whoever asked. Time is of all threads together; a fetch is part of the grain that touched."),
    element("div", { class: "runs" }, runs.map((run) => movesPanel(run, runs.length))));
}

function movesPanel(run, runs) {
  const title = runs > 1 ? element("h3", {}, "Run " + runLetter(run)) : null;
  const { moves, thread_moves: threads } = run.findings;
  const parts = [moves === null ? null : memoryTable(moves), threads === null ? null : threadsTable(threads)];
  const nothing = moves === null && threads === null ? element("p", { class: "quiet" }, "Nothing moved in this run.") : null;
  return element("article", { class: "run" }, title, nothing, parts);
}

function memoryTable(moves) {
  const heads = ["", "times", "bytes", "changed node", "time"].map((word) => element("th", { scope: "col", class: "number" }, word));
  const rows = moves.map((row) => element("tr", {},
    element("th", { scope: "row" }, row.what),
    [countText(row.times), bytesText(row.bytes), row.arrived > 0 ? bytesText(row.arrived) : "\u2013", timeText(row.took)].map((text) => element("td", { class: "number" }, text))));
  const table = element("table", {}, element("caption", { class: "unseen" }, "Memory that moved"), element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows));
  return element("div", { class: "scroll" }, table);
}

function threadsTable(threads) {
  const heads = ["threads that moved", "times", "threads"].map((word) => element("th", { scope: "col", class: "number" }, word));
  const rows = threads.map((row) => element("tr", {},
    element("th", { scope: "row" }, row.domain === null ? "to several domains" : "to " + domainName(row.domain)),
    [countText(row.times), countText(row.threads)].map((text) => element("td", { class: "number" }, text))));
  const table = element("table", {}, element("caption", { class: "unseen" }, "Threads that moved inside of regions"), element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows));
  return element("div", { class: "scroll" }, table);
}
