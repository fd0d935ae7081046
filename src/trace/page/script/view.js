// What is looked at: a stretch of time, a selected grain, highlighted constructs. All parts of the
// page share it and redraw when it changes.

const view = {
  from: 0,
  to: 1,
  longest: 1,          // the longest run's duration
  selected: null,      // {run, grain}
  highlighted: null,   // {name, constructs: by run, an index or NONE}
  showsPath: false,
};
const viewListeners = [];

function viewChanged() {
  viewListeners.forEach((listener) => listener());
}

// A view is at least 20 ns wide and reaches a little beyond the run at most.
function setRange(from, to) {
  const width = Math.min(Math.max(to - from, 20), view.longest * 1.02);
  const margin = view.longest * 0.01;
  const begin = Math.min(Math.max((from + to - width) / 2, -margin), view.longest + margin - width);
  view.from = begin;
  view.to = begin + width;
  viewChanged();
}

function fitRange() {
  setRange(-view.longest * 0.01, view.longest * 1.01);
}

// Zooms by `factor` (below 1: nearer) such that `time` stays where it is.
function zoomAt(time, factor) {
  setRange(time - (time - view.from) * factor, time + (view.to - time) * factor);
}

function panBy(share) {
  const step = (view.to - view.from) * share;
  setRange(view.from + step, view.to + step);
}

function showRange(from, to) {
  const margin = Math.max(10, (to - from) * 0.1);
  setRange(from - margin, to + margin);
}

function select(run, grain) {
  view.selected = grain === NONE ? null : { run, grain };
  viewChanged();
}

// Selects a grain and brings it into sight.
function goTo(run, grain) {
  const begin = run.grains.begin[grain];
  const end = endOf(run, grain);
  const width = view.to - view.from;
  const visible = begin >= view.from && end <= view.to && (end - begin) > width / 400;
  view.selected = { run, grain };
  if (visible) viewChanged();
  else showRange(begin - (end - begin) * 4, end + (end - begin) * 4);
}

function highlight(name, constructs) {
  view.highlighted = name === null ? null : { name, constructs };
  viewChanged();
}
