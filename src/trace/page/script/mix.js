// What each column of pixels of a lane shows: how much of its time went into what.

// The coarsest level of a pyramid whose slices are no wider than a pixel; null: all are wider.
function levelFor(pyramid, timePerPixel) {
  let found = null;
  for (const level of pyramid) if (level.width <= timePerPixel) found = level;
  return found;
}

// Adds to mix[x * KINDS + kind] from slices; those on a border between pixels go to both.
function mixFromLevel(mix, columns, level, thread, from, timePerPixel) {
  const base = thread * level.slices * KINDS;
  const first = Math.max(0, Math.floor(from / level.width));
  const last = Math.min(level.slices, Math.ceil((from + columns * timePerPixel) / level.width));
  for (let slice = first; slice < last; slice++) {
    const at = base + slice * KINDS;
    const left = (slice * level.width - from) / timePerPixel;
    const right = left + level.width / timePerPixel;
    const x = Math.floor(left);
    const border = x + 1;
    const part = right <= border ? 1 : (border - left) / (right - left);
    for (let k = 0; k < KINDS; k++) {
      const time = level.cells[at + k];
      if (time === 0) continue;
      if (x >= 0 && x < columns) mix[x * KINDS + k] += time * part;
      if (part < 1 && border < columns && border >= 0) mix[border * KINDS + k] += time * (1 - part);
    }
  }
}

function addToMix(mix, columns, kind, from, to, timePerPixel) {
  const end = Math.min(to / timePerPixel, columns);
  let left = Math.max(0, from / timePerPixel);
  if (left >= columns || to < 0) return;
  do {
    const x = Math.floor(left);
    const right = Math.min(end, x + 1);
    mix[x * KINDS + kind] += Math.max(LEAST, (right - left) * timePerPixel);
    left = x + 1;
  } while (left < end);
}

// The same from the grains themselves, for views in which pixels are narrower than slices.
function mixFromGrains(mix, columns, run, kindOf, thread, from, timePerPixel) {
  const { begin, length, of } = run.grains;
  const first = lastAtMost(begin, of[thread], of[thread + 1], from) + 1;
  const last = lastAtMost(begin, of[thread], of[thread + 1], from + columns * timePerPixel) + 1;
  eachSegment(begin, length, first, last, openAt(run, thread, from), from, (grain, a, b) =>
    addToMix(mix, columns, kindOf(grain), a - from, b - from, timePerPixel));
  const waits = run.waits;
  const lastWait = lastAtMost(waits.begin, waits.of[thread], waits.of[thread + 1], from + columns * timePerPixel);
  const firstWait = firstWaitReaching(run, thread, from, lastWait);
  for (let i = firstWait; i <= lastWait; i++) {
    addToMix(mix, columns, WAITING, waits.begin[i] - from, waits.begin[i] + waits.length[i] - from, timePerPixel);
  }
}

// Waits nest as grains do, but an outer one is never far: looking back some is enough to draw.
function firstWaitReaching(run, thread, time, last) {
  const { begin, of } = run.waits;
  const before = lastAtMost(begin, of[thread], last + 1, time);
  return Math.max(of[thread], before - 64);
}

// The kind that a grain is drawn as: its locality, unless others are highlighted.
function kindsOf(run) {
  const { locality, construct } = run.grains;
  const wanted = highlightedIn(run);
  if (wanted === null || construct === undefined) return (grain) => locality[grain];
  return (grain) => (construct[grain] === wanted + 1 ? locality[grain] : DIMMED);
}

// The construct that is highlighted in a run, null if all look alike. One that this run lacks is -2.
function highlightedIn(run) {
  return view.highlighted === null ? null : view.highlighted.constructs[run.index];
}

function highlightOf(run, construct) {
  const constructs = [-2, -2];
  constructs[run.index] = construct;
  return { name: constructName(run, construct), constructs };
}

// The pyramid of what is highlighted is built when it is first asked for; the last one is kept.
function pyramidOf(run) {
  const wanted = highlightedIn(run);
  if (wanted === null || run.grains.construct === undefined) return run.pyramid;
  if (run.highlightedPyramid === undefined || run.highlightedPyramid.wanted !== wanted) {
    const { of, begin, length, locality, construct } = run.grains;
    const kinds = new Uint8Array(locality.length);
    for (let i = 0; i < kinds.length; i++) kinds[i] = construct[i] === wanted + 1 ? locality[i] : DIMMED;
    const levels = buildPyramid({ of, begin, length, kinds, waits: run.waits }, run.trace.duration);
    run.highlightedPyramid = { wanted, levels };
  }
  return run.highlightedPyramid.levels;
}
