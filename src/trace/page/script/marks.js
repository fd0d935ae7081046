// What is drawn over the lanes: names in grains, the selected grain with its arrows, the critical path.

const MOST_ARROWS = 200;

function drawGrainNames(context, run, layout, scale) {
  if (run.grains.construct === undefined || layout.lanes.length === 0 || layout.lanes[0].height < 12) return;
  const { begin, length, of, construct } = run.grains;
  context.font = "11px " + colour("font");
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillStyle = colour("on-grain");
  context.lineWidth = 3;
  context.lineJoin = "round";
  const colours = KIND_NAMES.map(colour);
  const kindOf = kindsOf(run);
  const narrowest = 46 * scale.timePerPixel;
  for (const { thread, top, height } of layout.lanes) {
    const last = lastAtMost(begin, of[thread], of[thread + 1], view.to);
    const first = lastAtMost(begin, of[thread], last + 1, view.from) + 1;
    if (last - first > 20000) continue;
    for (const grain of [...openAt(run, thread, view.from), ...rangeOf(first, last)]) {
      if (length[grain] < narrowest) continue;
      const left = Math.max(GUTTER, scale.x(begin[grain]));
      const next = grain < last && begin[grain + 1] < begin[grain] + length[grain] ? begin[grain + 1] : begin[grain] + length[grain];
      const room = Math.min(GUTTER + scale.width, scale.x(next)) - left - 8;
      if (room < 38) continue;
      context.strokeStyle = colours[kindOf(grain)];
      drawClipped(context, constructName(run, construct[grain] - 1), left + 4, top + height / 2 + 0.5, room);
    }
  }
  context.lineWidth = 1;
}

function* rangeOf(first, last) {
  for (let i = first; i <= last; i++) yield i;
}

// As much of a text as there is room for, with a margin that keeps patterns away from it.
function drawClipped(context, text, x, y, room) {
  let shown = text;
  if (context.measureText(shown).width > room) {
    const letters = Math.max(1, Math.floor(shown.length * room / context.measureText(shown).width) - 1);
    shown = shown.slice(0, letters) + "\u2026";
  }
  context.strokeText(shown, x, y);
  context.fillText(shown, x, y);
}

// A line under the grains of the critical path; while few are in sight, also from each to the next.
function drawPath(context, run, layout, scale) {
  if (!view.showsPath || run.path.length === 0) return;
  const laneOf = new Map(layout.lanes.map((lane) => [lane.thread, lane]));
  context.strokeStyle = colour("path");
  context.fillStyle = colour("path");
  let before = null;
  const drawn = new Map();
  for (let i = firstOnPath(run, view.from); i < run.path.length; i++) {
    const grain = run.path[i] - 1;
    const begin = run.grains.begin[grain];
    const end = endOf(run, grain);
    if (begin > view.to) break;
    if (end < view.from) continue;
    const thread = threadOf(run, grain);
    const lane = laneOf.get(thread);
    const left = Math.max(GUTTER, scale.x(begin));
    const right = Math.min(GUTTER + scale.width, Math.max(left + 1, scale.x(end)));
    if (before !== null && before.lane !== lane && left - before.x > 2) {
      context.beginPath();
      context.moveTo(before.x, before.lane.top + before.lane.height - 1);
      context.lineTo(left, lane.top + lane.height - 1);
      context.stroke();
    }
    before = { lane, x: right };
    if ((drawn.get(thread) ?? -1) > right - 0.5) continue;
    drawn.set(thread, right);
    context.fillRect(left, lane.top + lane.height - 3, right - left, 3);
  }
}

// The last one that begins before `time`: the path is in order of time.
function firstOnPath(run, time) {
  let low = 0;
  let high = run.path.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (run.grains.begin[run.path[middle] - 1] <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

// Grains that name `grain` in a column of links.
function linkedTo(links, grain) {
  const found = [];
  for (let i = 0; i < links.length; i++) if (links[i] === grain + 1) found.push(i);
  return found;
}

// Which arrows belong to a selected grain: what made it, and what it made. Kept, since it takes a
// look at all grains.
function arrowsOf(run, grain) {
  if (run.arrows !== undefined && run.arrows.grain === grain) return run.arrows;
  const { creator, released_by: released } = run.grains;
  run.arrows = { grain, created: linkedTo(creator, grain), released: linkedTo(released, grain) };
  return run.arrows;
}

function drawSelection(context, run, layout, scale) {
  const { selected } = view;
  if (selected === null || selected.run !== run) return;
  const laneOf = new Map(layout.lanes.map((lane) => [lane.thread, lane]));
  const { grain } = selected;
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, scale.width, layout.height);
  context.clip();
  if (run.isComplete) drawArrows(context, run, grain, laneOf, scale);
  outline(context, run, grain, laneOf, scale, colour("selection"));
  context.restore();
}

function outline(context, run, grain, laneOf, scale, stroke) {
  const lane = laneOf.get(threadOf(run, grain));
  const left = scale.x(run.grains.begin[grain]);
  const right = Math.max(left + 2, scale.x(endOf(run, grain)));
  context.strokeStyle = stroke;
  context.lineWidth = 2;
  context.strokeRect(left, lane.top - 1, right - left, lane.height + 2);
  context.lineWidth = 1;
}

function drawArrows(context, run, grain, laneOf, scale) {
  const { creator, released_by: released, begin } = run.grains;
  const spot = (g, time) => {
    const lane = laneOf.get(threadOf(run, g));
    return { x: scale.x(time), y: lane.top + lane.height / 2 };
  };
  const { created, released: freed } = arrowsOf(run, grain);
  const creation = (child) => arrow(context, spot(creator[child] - 1, createdAt(run, child)), spot(child, begin[child]), colour("creation"), true);
  const release = (child) => arrow(context, spot(released[child] - 1, endOf(run, released[child] - 1)), spot(child, begin[child]), colour("release"), false);
  created.slice(0, MOST_ARROWS).forEach(creation);
  freed.slice(0, MOST_ARROWS).forEach(release);
  if (creator[grain] > 0) creation(grain);
  if (released[grain] > 0) release(grain);
}

function createdAt(run, grain) {
  return run.grains.begin[grain] - run.grains.queued[grain] - run.grains.held[grain];
}

// Dashed where a grain was created, solid where it was released.
function arrow(context, from, to, stroke, isDashed) {
  const bend = Math.max(8, Math.abs(to.x - from.x) / 3);
  context.strokeStyle = stroke;
  context.fillStyle = stroke;
  context.lineWidth = 1.5;
  context.setLineDash(isDashed ? [4, 3] : []);
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x - 1, to.y);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(to.x, to.y);
  context.lineTo(to.x - 6, to.y - 3.5);
  context.lineTo(to.x - 6, to.y + 3.5);
  context.fill();
  context.lineWidth = 1;
}
