// Grains at a time, above the timeline and on its axis.

const PARALLELISM_HEIGHT = 74;

function mostParallel(runs) {
  let most = 1;
  for (const run of runs) {
    most = Math.max(most, run.trace.threads.length);
    for (const [running] of run.findings.charts.parallelism) most = Math.max(most, running);
  }
  return most;
}

// Means over each pixel's slices: [running, waiting].
function parallelismAt(run, from, to) {
  const { parallelism, slice } = run.findings.charts;
  let running = 0;
  let waiting = 0;
  let count = 0;
  const last = Math.min(parallelism.length - 1, Math.floor(to / slice));
  for (let i = Math.max(0, Math.floor(from / slice)); i <= last; i++, count++) {
    running += parallelism[i][0];
    waiting += parallelism[i][1];
  }
  return count === 0 ? [0, 0] : [running / count, waiting / count];
}

function drawParallelism(canvas, run, scale, most) {
  const context = sizedContext(canvas, GUTTER + scale.width + RIGHT_MARGIN, PARALLELISM_HEIGHT);
  const bottom = PARALLELISM_HEIGHT - 6;
  const room = bottom - 10;
  const threads = run.trace.threads.length;
  context.font = "11px " + colour("font");
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillStyle = colour("ink");
  context.fillText("parallelism", 4, bottom - room / 2);
  const tops = Array.from({ length: scale.width }, (_, x) => {
    const [running, waiting] = parallelismAt(run, view.from + x * scale.timePerPixel, view.from + (x + 1) * scale.timePerPixel);
    return [running, running + waiting].map((value) => bottom - Math.min(room, value / most * room));
  });
  fillBelow(context, tops.map(([, both]) => both), bottom, colour("ready"));
  fillBelow(context, tops.map(([running]) => running), bottom, colour("running"));
  drawParallelismGrid(context, scale, bottom, room, most, threads);
}

// One shape, since a printer shows the seams between many.
function fillBelow(context, tops, bottom, fill) {
  context.fillStyle = fill;
  context.beginPath();
  context.moveTo(GUTTER, bottom);
  tops.forEach((top, x) => {
    context.lineTo(GUTTER + x, top);
    context.lineTo(GUTTER + x + 1, top);
  });
  context.lineTo(GUTTER + tops.length, bottom);
  context.fill();
}

function drawParallelismGrid(context, scale, bottom, room, most, threads) {
  context.textAlign = "right";
  context.fillStyle = colour("quiet");
  context.strokeStyle = colour("line");
  for (const value of [0, threads]) {
    const y = Math.round(bottom - value / most * room) + 0.5;
    context.beginPath();
    context.moveTo(GUTTER, y);
    context.lineTo(GUTTER + scale.width, y);
    context.stroke();
    context.fillText(String(value), GUTTER - 10, y);
  }
}

function parallelismTip(run, scale, canvas, event) {
  const x = event.clientX - canvas.getBoundingClientRect().left - GUTTER;
  if (x < 0 || x >= scale.width) return hideTip();
  const time = view.from + x * scale.timePerPixel;
  const [running, waiting] = parallelismAt(run, time, time + scale.timePerPixel);
  return showTip(event, "at " + tickText(time, roundStep(view.to - view.from, 100)), [
    ["running", figures(running) + " of " + run.trace.threads.length],
    ["ready", figures(waiting) + ", not taken yet"],
  ]);
}
