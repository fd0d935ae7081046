// Domains and threads: who worked, who waited.

function makePlaces(runs) {
  const tables = runs.length > 1 ? [twoRunDomains(runs), twoRunThreads(runs)] : [domainTable(runs[0]), threadTable(runs[0])];
  byId("places").append(element("div", { class: "beside" }, tables.map((table) => table.element)));
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

function twoRunDomains(runs) {
  const columns = [
    { title: "domain", isText: true, value: (row) => anySide(row).domain ?? Infinity, text: (row) => domainName(anySide(row).domain) },
    ...pairColumns("own time", (row) => row.sums.time, timeText),
    ...pairColumns("remote", (row) => timeShare(row.sums, 2), shareText),
    ...pairColumns("idle", (row) => row.idle, timeText),
  ];
  const rows = pairedRows(runs, (run) => run.findings.tables.domains, (_, row) => row.domain);
  return new SortedTable({ columns, rows, caption: "Domains of both runs" });
}

function busyShare(row) {
  return row.work / Math.max(1, row.work + row.create + row.idle + row.other);
}

function coreText({ core, bound }) {
  return core === null ? "\u2013" : core + (bound ? "" : " (free)");
}

function threadTable(run) {
  const thread = (row) => run.trace.threads[row.thread];
  const columns = [
    { title: "thread", isText: true, value: (row) => row.thread, text: (row) => threadName(run, row.thread) },
    { title: "domain", isText: true, value: (row) => thread(row).domain ?? Infinity, text: (row) => domainName(thread(row).domain) },
    { title: "core", value: (row) => thread(row).core ?? Infinity, text: (row) => coreText(thread(row)), hint: "free: it was not bound there" },
    numberColumn("work", (row) => row.work, timeText, "In grains"),
    numberColumn("creating", (row) => row.create, timeText),
    numberColumn("idle", (row) => row.idle, timeText, "Waiting without a grain"),
    numberColumn("other", (row) => row.other, timeText, "The region's own code"),
    numberColumn("busy", busyShare, shareText, "Share of work"),
  ];
  return new SortedTable({ columns, rows: run.findings.tables.threads, caption: "Threads" });
}

// Threads have no names; those that came at the same place in their runs are compared.
function twoRunThreads(runs) {
  const named = (row) => threadName(runs[row.sides[0] === null ? 1 : 0], anySide(row).thread);
  const columns = [
    { title: "thread", isText: true, value: (row) => anySide(row).thread, text: named },
    ...pairColumns("work", (row) => row.work, timeText),
    ...pairColumns("creating", (row) => row.create, timeText),
    ...pairColumns("idle", (row) => row.idle, timeText),
    ...pairColumns("busy", busyShare, shareText).slice(0, 2),
  ];
  const rows = pairedRows(runs, (run) => run.findings.tables.threads, (_, row) => row.thread);
  return new SortedTable({ columns, rows, caption: "Threads of both runs" });
}
