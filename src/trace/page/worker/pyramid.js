// Time by what was done in it, per thread and slice, at several widths of slice: what the timeline
// is drawn from while a pixel holds many grains. Nothing is sampled, so nothing is missing in it.

// What a slice's time is divided into; the first four are Locality's.
const KINDS = 6;
const WAITING = 4;
const DIMMED = 5;
// A grain of no length is something too.
const LEAST = 1e-3;

function slicesPerThread(threads) {
  let slices = 1 << 20;
  while (slices > 1024 && slices * Math.max(1, threads) > 1 << 20) slices >>= 1;
  return Math.min(slices, 1 << 17);
}

// Adds `kind` from `from` to `to` to slices of `width` that begin at cells[base].
function addTime(cells, base, slices, width, kind, from, to) {
  let slice = Math.min(slices - 1, Math.floor(from / width));
  const last = Math.min(slices - 1, Math.floor(to / width));
  if (slice === last) {
    cells[base + slice * KINDS + kind] += Math.max(LEAST, to - from);
    return;
  }
  cells[base + slice * KINDS + kind] += (slice + 1) * width - from;
  for (slice++; slice < last; slice++) cells[base + slice * KINDS + kind] += width;
  cells[base + last * KINDS + kind] += to - last * width;
}

// The same as eachSegment of all grains of a thread with addTime, in one loop: calling back for each
// of millions of pieces would take most of the time.
function addGrains(cells, base, slices, width, { begin, length, kinds }, first, last) {
  const stack = new Uint32Array(1 << 16);
  let depth = 0;
  let at = 0;
  for (let i = first; i <= last; i++) {
    const next = i < last ? begin[i] : Infinity;
    while (depth > 0) {
      const top = stack[depth - 1];
      const end = begin[top] + length[top];
      const until = end < next ? end : next;
      if (until > at) {
        const slice = Math.floor(at / width);
        if (until <= (slice + 1) * width && slice < slices) cells[base + slice * KINDS + kinds[top]] += until - at;
        else addTime(cells, base, slices, width, kinds[top], at, until);
        at = until;
      }
      if (end > next) break;
      depth--;
    }
    if (i === last) break;
    at = next;
    if (length[i] === 0 || depth === stack.length) addTime(cells, base, slices, width, kinds[i], at, at);
    else stack[depth++] = i;
  }
}

function finestLevel(data, duration) {
  const threads = data.of.length - 1;
  const slices = slicesPerThread(threads);
  const width = Math.max(1, duration) / slices;
  const cells = new Float32Array(threads * slices * KINDS);
  for (let t = 0; t < threads; t++) {
    const base = t * slices * KINDS;
    addGrains(cells, base, slices, width, data, data.of[t], data.of[t + 1]);
    const waits = data.waits;
    for (let i = waits.of[t]; i < waits.of[t + 1]; i++) {
      addTime(cells, base, slices, width, WAITING, waits.begin[i], waits.begin[i] + waits.length[i]);
    }
  }
  return { slices, width, cells };
}

function coarser(level, threads) {
  const slices = level.slices / 2;
  const cells = new Float32Array(threads * slices * KINDS);
  for (let slice = 0; slice < threads * slices; slice++) {
    const to = slice * KINDS;
    const from = to * 2;
    for (let k = 0; k < KINDS; k++) cells[to + k] = level.cells[from + k] + level.cells[from + KINDS + k];
  }
  return { slices, width: level.width * 2, cells };
}

// data: {of, begin, length, kinds, waits: {of, begin, length}}, kinds being the kind of each grain.
// The result's levels get coarser; each has cells[(thread * slices + slice) * KINDS + kind] in
// nanoseconds.
function buildPyramid(data, duration) {
  const threads = data.of.length - 1;
  const levels = [finestLevel(data, duration)];
  while (levels[levels.length - 1].slices > 256) levels.push(coarser(levels[levels.length - 1], threads));
  return levels;
}
