// The axis of time, the names of lanes, and the regions above them.

// A round step such that about `wanted` of them make `width`.
function roundStep(width, wanted) {
  const raw = width / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= raw);
}

// Times on an axis share a unit and as many decimals as their step needs.
function tickText(time, step) {
  const units = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];
  const [name, size] = units.find(([, s]) => step >= s) || units[3];
  const [, coarser] = units[Math.max(0, units.findIndex(([n]) => n === name) - 1)];
  const [unit, divisor] = step * 1000 >= coarser && Math.abs(time) >= coarser && name !== "s"
    ? units[units.findIndex(([n]) => n === name) - 1] : [name, size];
  const decimals = Math.max(0, -Math.floor(Math.log10(step / divisor) + 1e-9));
  return (time / divisor).toFixed(Math.min(decimals, 9)) + " " + unit;
}

function drawAxis(context, scale, bottom) {
  const step = roundStep(view.to - view.from, scale.width / 110);
  context.font = "11px " + colour("font");
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (let i = Math.ceil(view.from / step); i * step <= view.to; i++) {
    const x = Math.round(scale.x(i * step)) + 0.5;
    context.strokeStyle = colour("grid");
    context.beginPath();
    context.moveTo(x, AXIS_HEIGHT - 5);
    context.lineTo(x, bottom);
    context.stroke();
    context.fillStyle = colour("quiet");
    if (x > GUTTER + 20 && x < GUTTER + scale.width - 24) context.fillText(tickText(i * step, step), x, AXIS_HEIGHT / 2 - 1);
  }
}

// Names as many as there is room for.
function drawLaneNames(context, run, layout) {
  context.font = "11px " + colour("font");
  context.textBaseline = "middle";
  const every = Math.ceil(12 / ((layout.lanes[1]?.top ?? 100) - (layout.lanes[0]?.top ?? 0)));
  layout.lanes.forEach((lane, i) => {
    if (i % every !== 0) return;
    context.textAlign = "right";
    context.fillStyle = colour("quiet");
    context.fillText(threadName(run, lane.thread), GUTTER - 10, lane.top + lane.height / 2);
  });
  for (const group of layout.groups) {
    context.fillStyle = colour("ink");
    context.textAlign = "left";
    context.fillText(domainName(group.domain), 4, Math.min((group.top + group.bottom) / 2, group.top + 60), GUTTER - 46);
    context.fillStyle = colour("line");
    context.fillRect(GUTTER - 5, group.top, 2, group.bottom - group.top);
  }
}

// Brackets; regions that are narrower than a pixel become one line.
function drawRegions(context, run, scale) {
  const { begin, length, team } = run.regions;
  const top = AXIS_HEIGHT + 3.5;
  let drawn = -Infinity;
  context.font = "10px " + colour("font");
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.strokeStyle = colour("bracket");
  const last = lastAtMost(begin, 0, begin.length, view.to);
  for (let i = 0; i <= last; i++) {
    if (begin[i] + length[i] < view.from) continue;
    const left = Math.max(GUTTER, scale.x(begin[i]));
    const right = Math.min(GUTTER + scale.width, scale.x(begin[i] + length[i]));
    if (right - left < 1 && right - drawn < 1) continue;
    drawn = right;
    context.beginPath();
    if (scale.x(begin[i]) >= GUTTER) { context.moveTo(left + 0.5, top + 9); context.lineTo(left + 0.5, top); }
    else context.moveTo(left, top);
    context.lineTo(Math.max(left + 1, right - 0.5), top);
    if (scale.x(begin[i] + length[i]) <= GUTTER + scale.width) context.lineTo(Math.max(left + 1, right - 0.5), top + 9);
    context.stroke();
    const name = "region " + i + ", " + counted(team[i], "thread");
    if (context.measureText(name).width + 12 < right - left) {
      context.fillStyle = colour("quiet");
      context.fillText(name, left + 6, top + 7);
    }
  }
}
