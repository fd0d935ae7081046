// The histogram of lengths: one bar per doubling, divided by locality.

const LENGTHS_HEIGHT = 210;

function makeLengths(runs) {
  const what = element("select", { "aria-label": "What the bars count" }, element("option", { value: "time_by" }, "time"), element("option", { value: "grains_by" }, "grains"));
  const charts = runs.map((run) => ({ run, canvas: element("canvas", { role: "img", "aria-label": lengthsLabel(run) }) }));
  const articles = charts.map(({ run, canvas }) => element("article", { class: "run" }, runs.length > 1 ? element("h3", {}, "Run " + runLetter(run)) : null, canvas));
  byId("lengths").append(
    element("p", { class: "controls" }, element("label", {}, "Own time of grains; bars count ", what)),
    element("div", { class: "runs" }, articles));
  const draw = () => charts.forEach(({ run, canvas }) => drawLengths(run, runs, canvas, what.value));
  what.addEventListener("change", draw);
  themeListeners.push(draw);
  charts.forEach(({ run, canvas }) => {
    new ResizeObserver(draw).observe(canvas.parentElement);
    canvas.addEventListener("pointermove", (event) => lengthsTip(run, runs, canvas, event));
    canvas.addEventListener("pointerleave", hideTip);
  });
}

function sumOf(values) {
  return values.reduce((a, b) => a + b, 0);
}

function lengthsLabel(run) {
  const bins = run.findings.charts.lengths.filter((bin) => sumOf(bin.grains_by) > 0);
  if (bins.length === 0) return "No grains";
  return "Histogram of lengths from " + timeText(2 ** bins[0].log2) + " to " + timeText(2 ** (bins[bins.length - 1].log2 + 1));
}

// The doublings that any run has, so that runs side by side have the same axis.
function binRange(runs) {
  const used = runs.flatMap((run) => run.findings.charts.lengths.filter((bin) => sumOf(bin.grains_by) > 0).map((bin) => bin.log2));
  return used.length === 0 ? [0, 1] : [Math.max(0, Math.min(...used) - 1), Math.max(...used) + 2];
}

function lengthsScale(canvas, runs) {
  const width = Math.max(160, Math.min(900, canvas.parentElement.clientWidth));
  const [from, to] = binRange(runs);
  return { width, from, to, left: 44, bin: (width - 54) / (to - from) };
}

function drawLengths(run, runs, canvas, what) {
  const scale = lengthsScale(canvas, runs);
  const context = sizedContext(canvas, scale.width, LENGTHS_HEIGHT);
  const bottom = LENGTHS_HEIGHT - 22;
  const room = bottom - 8;
  const total = Math.max(1, sumOf(run.findings.charts.lengths.map((bin) => sumOf(bin[what]))));
  const most = Math.max(...runs.map((other) => {
    const { lengths } = other.findings.charts;
    return Math.max(0, ...lengths.map((bin) => sumOf(bin[what]))) / Math.max(1, sumOf(lengths.map((bin) => sumOf(bin[what]))));
  }), 0.01);
  drawLengthsGrid(context, scale, bottom, room, most);
  const fills = [0, 1, 2, 3].map((kind) => fillOf(context, kind));
  for (const bin of run.findings.charts.lengths) {
    const x = Math.round(scale.left + (bin.log2 - scale.from) * scale.bin) + 1;
    let y = bottom;
    for (const kind of [2, 3, 1, 0]) {
      const high = bin[what][kind] / total / most * room;
      context.fillStyle = fills[kind];
      context.fillRect(x, y - high, Math.max(1, Math.floor(scale.bin) - 2), high);
      y -= high;
    }
  }
}

function drawLengthsGrid(context, scale, bottom, room, most) {
  context.font = "11px " + colour("font");
  context.textBaseline = "middle";
  context.textAlign = "right";
  const step = roundStep(most, 4);
  for (let share = 0; share <= most; share += step) {
    const y = Math.round(bottom - share / most * room) + 0.5;
    context.strokeStyle = colour("grid");
    context.beginPath();
    context.moveTo(scale.left, y);
    context.lineTo(scale.width - 10, y);
    context.stroke();
    context.fillStyle = colour("quiet");
    context.fillText(shareText(share), scale.left - 6, y);
  }
  context.textAlign = "center";
  const every = Math.ceil(64 / scale.bin);
  for (let log2 = scale.from; log2 <= scale.to; log2++) {
    const x = scale.left + (log2 - scale.from) * scale.bin;
    if ((log2 - scale.from) % every === 0 && x < scale.width - 24) context.fillText(timeText(2 ** log2), x, bottom + 12);
  }
}

function lengthsTip(run, runs, canvas, event) {
  const scale = lengthsScale(canvas, runs);
  const log2 = scale.from + Math.floor((event.clientX - canvas.getBoundingClientRect().left - scale.left) / scale.bin);
  const bin = run.findings.charts.lengths.find((other) => other.log2 === log2);
  if (bin === undefined) return hideTip();
  const pairs = LOCALITIES.map((name, i) => [name, bin.grains_by[i] > 0 ? counted(bin.grains_by[i], "grain") + ", " + timeText(bin.time_by[i]) : null]);
  return showTip(event, timeText(2 ** log2) + " to " + timeText(2 ** (log2 + 1)), pairs);
}
