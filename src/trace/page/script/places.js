// Domains and threads: who worked, who waited.

function makePlaces(runs) {
  byId("places").append(element("div", { class: "runs" }, runs.map((run) => {
    const title = runs.length > 1 ? element("h3", {}, "Run " + runLetter(run)) : null;
    const tables = [domainTable(run).element, threadTable(run).element];
    return element("article", { class: "run" }, title, element("div", { class: "beside" }, tables));
  })));
}

function domainTable(run) {
  const columns = [
    { title: "domain", isText: true, value: (row) => row.domain ?? Infinity, text: (row) => domainName(row.domain) },
    numberColumn("threads", (row) => row.threads, countText),
    numberColumn("grains", (row) => row.sums.grains, countText),
    numberColumn("own time", (row) => row.sums.time, timeText),
    { title: "locality", value: (row) => timeShare(row.sums, 2), text: () => "", cell: (row) => localityBar(row.sums.time_by), look: "bar-cell" },
    numberColumn("remote", (row) => timeShare(row.sums, 2), shareText, "Share of its time"),
    numberColumn("remote data", (row) => row.sums.bytes_by[2], bytesText, "Bytes that remote grains named"),
    numberColumn("idle", (row) => row.idle, timeText, "Its threads' waits without a grain"),
  ];
  return new SortedTable({ columns, rows: run.findings.tables.domains, caption: "Domains" });
}

function threadTable(run) {
  const thread = (row) => run.trace.threads[row.thread];
  const all = (row) => Math.max(1, row.work + row.create + row.idle + row.other);
  const columns = [
    { title: "thread", isText: true, value: (row) => row.thread, text: (row) => threadName(run, row.thread) },
    { title: "domain", isText: true, value: (row) => thread(row).domain ?? Infinity, text: (row) => domainName(thread(row).domain) },
    { title: "core", value: (row) => thread(row).core ?? Infinity, text: (row) => (thread(row).core === null ? "\u2013" : String(thread(row).core) + (thread(row).bound ? "" : " (free)")), hint: "free: it was not bound there" },
    numberColumn("work", (row) => row.work, timeText, "In grains"),
    numberColumn("creating", (row) => row.create, timeText),
    numberColumn("idle", (row) => row.idle, timeText, "Waiting without a grain"),
    numberColumn("other", (row) => row.other, timeText, "The region's own code"),
    numberColumn("busy", (row) => row.work / all(row), shareText, "Share of work"),
  ];
  return new SortedTable({ columns, rows: run.findings.tables.threads, caption: "Threads" });
}
