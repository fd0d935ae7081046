// The head of the page: what ran, and three sentences about it.

function makeSummary(runs) {
  const section = byId("summary");
  section.append(element("div", { class: "runs" }, runs.map((run) => summaryOf(run, runs.length))));
  const titles = runs.map((run) => commandText(run.trace.about.command));
  document.title = "Lares report: " + [...new Set(titles)].join(" / ");
}

function summaryOf(run, runs) {
  const { about, notes, duration, domains, threads } = run.trace;
  const key = runs > 1 ? element("span", { class: "key" }, runLetter(run)) : null;
  const facts = termList([
    ["Policy", printable(about.policy)],
    ["Machine", printable(about.machine)],
    ["Domains", countText(domains)],
    ["Threads", countText(threads.length)],
    ["Grains", countText(run.count)],
    ["Traced", timeText(duration)],
    ["In regions", timeText(run.findings.in_regions)],
    ["No schedule is faster than", timeText(run.findings.critical)],
  ], { class: "facts" });
  return element("article", { class: "run" },
    element("p", { class: "command" }, key, element("code", {}, commandText(about.command) || "(command not known)")),
    facts,
    element("ul", { class: "verdict" }, run.findings.verdict.filter((s) => s !== "").map((sentence) =>
      element("li", {}, printable(sentence)))),
    element("div", { class: "overall" }, localityBar(run.findings.all.time_by)),
    notesOf(run, notes));
}

function notesOf(run, notes) {
  const sentences = notes.map(printable);
  const cut = run.trace.threads.filter((thread) => thread.is_cut).length;
  if (run.trace.dropped > 0) sentences.push(counted(run.trace.dropped, "event") + " could not be made sense of.");
  if (cut > 0) sentences.push(counted(cut, "thread") + " met the limit of the trace: what came later is missing.");
  if (!run.trace.about.finished) sentences.push("The trace ends before the program does.");
  if (sentences.length === 0) return null;
  return element("div", { class: "notes" }, element("h3", {}, "What is missing"),
    element("ul", {}, sentences.map((sentence) => element("li", {}, sentence))));
}

function makeAbout(runs) {
  byId("about").append(element("div", { class: "runs" }, runs.map((run) => aboutOf(run, runs.length))));
}

function endText(about) {
  if (!about.finished) return "not seen";
  return about.signal !== 0 ? "signal " + about.signal : "exit status " + about.exit_status;
}

function aboutOf(run, runs) {
  const { about } = run.trace;
  const environment = about.environment.map(([name, value]) => printable(name + "=" + value));
  const terms = termList([
    ["Command", element("code", {}, commandText(about.command))],
    ["Started", printable(about.started)],
    ["End", endText(about)],
    ["Policy", printable(about.policy)],
    ["Loops", printable(about.loops)],
    ["Placement", printable(about.placement)],
    ["Binding", printable(about.binding)],
    ["Machine", printable(about.machine)],
    ["Processors", about.cpus > 0 ? countText(about.cpus) : null],
    ["OpenMP runtime", printable(about.openmp) + (about.runtimes > 1 ? ", one of " + about.runtimes : "")],
    ["Automatic balancing", about.numa_balancing ? "the kernel moves pages by itself" : null],
    ["Environment", environment.length > 0 ? element("code", {}, environment.join("\n")) : null],
    ["Lares", printable(about.lares_version)],
  ], { class: "terms" });
  return element("article", { class: "run" }, runs > 1 ? element("h3", {}, "Run " + runLetter(run)) : null, terms, distancesOf(about));
}

function distancesOf(about) {
  if (about.distances.length < 2) return null;
  const numbers = about.distances.map((_, i) => i);
  const head = element("tr", {}, element("th", { scope: "col" }, "distance"), numbers.map((i) => element("th", { scope: "col", class: "number" }, String(i))));
  const rows = about.distances.map((row, i) => element("tr", {}, element("th", { scope: "row" }, domainName(i)),
    row.map((distance) => element("td", { class: "number" }, String(distance)))));
  return element("div", { class: "scroll" }, element("table", { class: "narrow" }, element("caption", { class: "unseen" }, "Distances of domains"), element("thead", {}, head), element("tbody", {}, rows)));
}
