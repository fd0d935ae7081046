// What lies under a point of the timeline.

// Either {grain} or, where a pixel has many, {count, times by kind, longest, from, to}, or {wait}.
function pick(run, thread, from, to) {
  const middle = (from + to) / 2;
  const open = openAt(run, thread, middle);
  const inner = open[open.length - 1];
  if (inner !== undefined && run.grains.length[inner] >= (to - from)) return { grain: inner };
  const many = pickMany(run, thread, from, to, open);
  if (many.count === 1) return { grain: many.longest };
  if (many.count > 1) return many;
  return pickWait(run, thread, middle);
}

function pickMany(run, thread, from, to) {
  const { begin, length, of, locality } = run.grains;
  const last = lastAtMost(begin, of[thread], of[thread + 1], to);
  const first = lastAtMost(begin, of[thread], last + 1, from) + 1;
  const open = openAt(run, thread, from);
  const times = [0, 0, 0, 0];
  let longest = NONE;
  const consider = (grain) => {
    if (longest === NONE || length[grain] > length[longest]) longest = grain;
  };
  open.forEach(consider);
  for (let i = first; i <= last; i++) consider(i);
  eachSegment(begin, length, first, last + 1, open, from, (grain, a, b) => {
    times[locality[grain]] += Math.max(0, Math.min(b, to) - a);
  });
  return { count: open.length + last - first + 1, times, longest, from, to };
}

function pickWait(run, thread, time) {
  const { begin, length, of } = run.waits;
  const last = lastAtMost(begin, of[thread], of[thread + 1], time);
  for (let i = last; i >= Math.max(of[thread], last - 64); i--) {
    if (begin[i] + length[i] > time) return { wait: i };
  }
  return {};
}
