// Puts the page together. window.laresReport is for tests: its promises, and how long things took.

const report = { timings: {}, ready: null, complete: null };
window.laresReport = report;

function note(what) {
  report.timings[what] = performance.now();
}

function prepare(run, words) {
  run.words = words;
  run.hasProcesses = new Set(run.trace.threads.map((thread) => thread.process)).size > 1;
  return run;
}

// What needs no column is there at once.
function makeTexts(runs) {
  makeSummary(runs);
  if (runs.length > 1) makeComparison(runs);
  makeDiagnoses(runs);
  makeAbout(runs);
  makePlaces(runs);
  makePages(runs);
  makeMoves(runs);
  makeConstructs(runs);
  makeModel(runs);
}

function makePictures(runs) {
  const timelines = makeTimelines(runs);
  makeDetails();
  makeTraffic(runs);
  makeLengths(runs);
  makeSearch(runs);
  return timelines;
}

async function open() {
  note("script");
  startTheme();
  const facts = JSON.parse(byId("facts").textContent);
  const tables = collectTables(facts.runs.length);
  const runs = facts.runs.map((run, index) => prepare({ index, ...run, count: tables[index].grains.of.at(-1) }, facts.words));
  makeTexts(runs);
  note("text");
  for (const run of runs) await loadRun(run, tables[run.index]);
  note("drawable");
  view.longest = Math.max(1, ...runs.map((run) => run.trace.duration));
  const timelines = makePictures(runs);
  fitRange();
  timelines.forEach((timeline) => timeline.draw());
  byId("state").hidden = true;
  note("ready");
  report.complete = Promise.all(runs.map((run) => run.complete)).then(() => {
    note("complete");
    viewChanged();
  });
  Object.assign(report, {
    runs, view, setRange, fitRange, zoomAt, highlight, goTo, select,
    // Draws at once and says how long that took, in milliseconds.
    drawNow() {
      timelines.forEach((timeline) => timeline.draw());
      return timelines.map((timeline) => timeline.lastDraw).reduce((a, b) => a + b, 0);
    },
  });
}

report.ready = open();
report.ready.then(() => report.complete).catch((error) => {
  const state = byId("state");
  state.hidden = false;
  state.classList.add("failed");
  state.textContent = "This report cannot be shown: " + error.message;
  console.error(error);
});
