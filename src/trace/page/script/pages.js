// Pages by threads: who came to which addresses first, against the domains that use them.

// In the order of trace::PageUse; drawn as localities are.
const PAGE_USES = ["local", "shared", "remote", "not named"];

function makePages(runs) {
  const areTouched = runs.some((run) => run.findings.pages !== null);
  const areSampled = runs.some((run) => run.findings.samples !== null);
  if (!areTouched && !areSampled) return;
  document.querySelectorAll("#pages, nav a[href='#pages']").forEach((part) => { part.hidden = false; });
  if (areTouched) makeFirstTouches(runs);
  if (areSampled) makeSamples(runs);
}

function makeFirstTouches(runs) {
  byId("pages").append(
    element("p", { class: "quiet" }, "Rows are addresses, columns the threads that came to a page first, which decides where it lies. Local is what grains in that thread's domain then use most; remote, what those of another one do; shared, what no domain has two thirds of the uses of."),
    element("p", { class: "legend" }, PAGE_USES.map((word, kind) => element("span", {}, swatch(kind), word))),
    element("div", { class: "runs" }, runs.map((run) => pagesPanel(run, runs.length))));
}

function pagesPanel(run, runs) {
  const title = runs > 1 ? element("h3", {}, "Run " + runLetter(run)) : null;
  const { pages } = run.findings;
  if (pages === null) return element("article", { class: "run" }, title, element("p", { class: "quiet" }, "This run was traced without --pages."));
  return element("article", { class: "run" }, title, element("div", { class: "scroll" }, touchTable(run, pages, "Pages by the thread that came first", "first by")), areaTable(run, pages).element, pagesBesides(pages));
}

function makeSamples(runs) {
  byId("pages").append(
    element("h3", {}, "Sampled pages"),
    element("p", { class: "quiet" }, "A few pages at which Lares looked, to learn who uses them: rows are addresses, columns the threads that touched them. Local is what lay in the domain of its toucher."),
    element("p", { class: "legend" }, [0, 2].map((kind) => element("span", {}, swatch(kind), PAGE_USES[kind]))),
    element("div", { class: "runs" }, runs.map((run) => samplesPanel(run, runs.length))));
}

function samplesPanel(run, runs) {
  const title = runs > 1 ? element("h3", {}, "Run " + runLetter(run)) : null;
  const { samples } = run.findings;
  if (samples === null) return element("article", { class: "run" }, title, element("p", { class: "quiet" }, "No page was looked at."));
  return element("article", { class: "run" }, title, element("div", { class: "scroll" }, touchTable(run, samples, "Sampled pages by threads", "by")));
}

function pagesBesides(pages) {
  return termList([
    ["areas beside these", pages.more_areas > 0 ? countText(pages.more_areas) + ", " + bytesText(sumOf(pages.more_bytes)) : null],
    ["first by a thread that was not bound then", pages.unbound > 0 ? bytesText(pages.unbound) : null],
    ["named, nobody seen", pages.not_seen > 0 ? bytesText(pages.not_seen) : null],
    ["other processes", pages.of_others > 0 ? bytesText(pages.of_others) : null],
  ], { class: "terms" });
}

function toucherName(run, thread) {
  return thread === null ? "others" : threadName(run, thread);
}

function usesText(bytes) {
  return PAGE_USES.map((word, i) => (bytes[i] > 0 ? bytesText(bytes[i]) + " " + word : "")).filter((text) => text !== "").join(", ");
}

function touchTable(run, pages, caption, by) {
  const names = pages.columns.map((column) => toucherName(run, column.thread));
  const most = pages.rows.reduce((m, row) => Math.max(m, ...row.cells.map((cell) => sumOf(cell))), 1);
  const head = element("tr", {}, element("th", { scope: "col" }, "from address"), names.map((name) => element("th", { scope: "col" }, name)));
  const rows = pages.rows.map((row) => element("tr", {},
    element("th", { scope: "row", title: row.begin + " to " + row.end + (run.hasProcesses ? " of process " + row.process : "") }, row.begin),
    row.cells.map((cell, i) => touchCell(cell, most, row, by + " thread " + names[i]))));
  const sums = element("tr", {}, element("th", { scope: "row" }, "all"), pages.columns.map((column) => element("td", { title: usesText(column.bytes) }, bytesText(sumOf(column.bytes)))));
  return element("table", { class: "touches" }, element("caption", { class: "unseen" }, caption), element("thead", {}, head), element("tbody", {}, rows), element("tfoot", {}, sums));
}

// As long as there is memory, divided as it is used.
function touchCell(bytes, most, row, toucher) {
  const sum = sumOf(bytes);
  if (sum === 0) return element("td", { class: "none" });
  const text = usesText(bytes) + ", " + toucher + ", from " + row.begin;
  const bar = element("span", { class: "shares", style: "width:" + Math.max(6, sum / most * 100) + "%" });
  bytes.forEach((part, i) => {
    if (part > 0) bar.append(element("span", { class: KIND_NAMES[i], style: "flex-grow:" + part / sum }));
  });
  return element("td", { title: text, role: "img", "aria-label": text }, bar);
}

function areaTable(run, pages) {
  const columns = [
    { title: "from address", isText: true, value: (row) => row.process + ":" + row.begin.padStart(20), text: (row) => row.begin },
    { title: "first by", isText: true, value: (row) => row.thread ?? Infinity, text: (row) => toucherName(run, row.thread) },
    { title: "in", isText: true, value: (row) => row.domain ?? Infinity, text: (row) => domainName(row.domain) },
    { title: "used most in", isText: true, value: (row) => row.user ?? Infinity, text: (row) => (row.user === null ? "\u2013" : domainName(row.user) + ", " + shareText(row.user_share)) },
    numberColumn("bytes", (row) => sumOf(row.bytes), bytesText),
    ...PAGE_USES.map((word, i) => numberColumn(word, (row) => row.bytes[i], (bytes) => (bytes > 0 ? bytesText(bytes) : "\u2013"))),
  ];
  return new SortedTable({ columns, rows: pages.areas, caption: "Areas, each touched first by one thread" });
}
