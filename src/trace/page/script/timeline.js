// The timeline: threads from top to bottom, time from left to right.

class Timeline {
  constructor(run, runs) {
    this.run = run;
    this.runs = runs;
    this.layout = layLanes(run);
    this.base = element("canvas", { "aria-hidden": "true" });
    this.over = element("canvas", { class: "over", tabindex: "0", role: "application", "aria-label": this.label() });
    this.parallelism = element("canvas", { "aria-hidden": "true" });
    this.stack = element("div", { class: "stack" }, this.base, this.over);
    const title = runs.length > 1 ? element("h3", {}, "Run " + runLetter(run)) : null;
    this.element = element("div", { class: "timeline" }, title, this.parallelism, this.stack);
    this.drag = null;
    this.redraw = oncePerFrame(() => this.draw());
    this.listen();
  }

  label() {
    return "Timeline of " + counted(this.run.trace.threads.length, "thread") + ", " + counted(this.run.count, "grain")
      + ". Keys: plus and minus zoom, arrows move, Home and f show all, Enter selects, n and p go to the next and the previous grain.";
  }

  // From times to pixels of the page.
  scale() {
    const width = Math.max(100, Math.floor(this.element.clientWidth) - GUTTER - RIGHT_MARGIN);
    const timePerPixel = (view.to - view.from) / width;
    return { width, timePerPixel, x: (time) => GUTTER + (time - view.from) / timePerPixel };
  }

  draw() {
    const began = performance.now();
    const scale = this.scale();
    const { run, layout } = this;
    const context = sizedContext(this.base, GUTTER + scale.width + RIGHT_MARGIN, layout.height);
    drawAxis(context, scale, layout.height - 4);
    drawRegions(context, run, scale);
    drawLaneNames(context, run, layout);
    this.drawLanes(context, scale);
    drawGrainNames(context, run, layout, scale);
    drawMoveMarks(context, run, layout, scale);
    drawPath(context, run, layout, scale);
    drawParallelism(this.parallelism, run, scale, mostParallel(this.runs));
    // On paper there is one picture, as printers make canvases that lie over others opaque.
    if (isPrinting) drawSelection(context, run, layout, scale);
    else this.drawOver();
    this.lastDraw = performance.now() - began;
  }

  drawLanes(context, scale) {
    const ratio = this.base.width / (GUTTER + scale.width + RIGHT_MARGIN);
    const columns = Math.round(scale.width * ratio);
    const timePerPixel = (view.to - view.from) / columns;
    const level = levelFor(pyramidOf(this.run), timePerPixel);
    const kindOf = kindsOf(this.run);
    const mix = new Float64Array(columns * KINDS);
    for (const { thread, top, height } of this.layout.lanes) {
      const painter = this.painterFor(columns, Math.round(height * ratio), ratio);
      mix.fill(0);
      if (level !== null) mixFromLevel(mix, columns, level, thread, view.from, timePerPixel);
      else mixFromGrains(mix, columns, this.run, kindOf, thread, view.from, timePerPixel);
      painter.paintMix(mix, 0, painter.height, timePerPixel);
      if (level === null) painter.paintEdges(this.run, kindOf, thread, 0, painter.height, view.from, timePerPixel);
      else this.paintLong(painter, kindOf, thread, timePerPixel);
      context.putImageData(painter.image, Math.round(GUTTER * ratio), Math.round(top * ratio));
    }
  }

  // Single grains may be wide where others are not, unless there are too many to look at them all.
  paintLong(painter, kindOf, thread, timePerPixel) {
    const { begin, of } = this.run.grains;
    const last = lastAtMost(begin, of[thread], of[thread + 1], view.to);
    const first = lastAtMost(begin, of[thread], last + 1, view.from);
    if (last - first < 20000) painter.paintEdges(this.run, kindOf, thread, 0, painter.height, view.from, timePerPixel);
  }

  painterFor(width, height, ratio) {
    const { painter } = this;
    if (painter === undefined || painter.width !== width || painter.height !== height || painter.theme !== isDark()) {
      this.painter = new LanePainter(width, height, ratio);
      this.painter.theme = isDark();
    }
    return this.painter;
  }

  drawOver() {
    const scale = this.scale();
    const context = sizedContext(this.over, GUTTER + scale.width + RIGHT_MARGIN, this.layout.height);
    drawSelection(context, this.run, this.layout, scale);
    if (this.drag === null || this.drag.pans) return;
    const left = Math.min(this.drag.x, this.drag.now);
    context.fillStyle = colour("brush");
    context.fillRect(left, AXIS_HEIGHT, Math.abs(this.drag.now - this.drag.x), this.layout.height - AXIS_HEIGHT);
  }

  timeAt(x) {
    return view.from + (x - GUTTER) * this.scale().timePerPixel;
  }

  spotOf(event) {
    const box = this.over.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  // What is under the pointer, or null.
  pickAt({ x, y }) {
    const lane = laneAt(this.layout, y);
    if (lane === null || x < GUTTER) return null;
    const { timePerPixel } = this.scale();
    const time = this.timeAt(x);
    const picked = pick(this.run, lane.thread, time - timePerPixel, time + timePerPixel);
    const reach = MARK_WIDTH * timePerPixel;
    return { thread: lane.thread, picked, moves: movesBetween(this.run, lane.thread, time - reach, time + reach) };
  }

  listen() {
    const { over } = this;
    over.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    over.addEventListener("pointerdown", (event) => this.onDown(event));
    over.addEventListener("pointermove", (event) => this.onMove(event));
    over.addEventListener("pointerup", (event) => this.onUp(event));
    over.addEventListener("pointercancel", () => { this.drag = null; this.drawOver(); });
    over.addEventListener("pointerleave", hideTip);
    over.addEventListener("dblclick", (event) => zoomAt(this.timeAt(this.spotOf(event).x), 0.25));
    this.parallelism.addEventListener("pointermove", (event) => parallelismTip(this.run, this.scale(), this.parallelism, event));
    this.parallelism.addEventListener("pointerleave", hideTip);
    over.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.redraw()).observe(this.element);
  }

  // The page scrolls under a wheel until the timeline was clicked, or Ctrl is held.
  onWheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.over) return;
    event.preventDefault();
    hideTip();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      panBy((event.deltaX || event.deltaY) / 1000);
    } else {
      zoomAt(this.timeAt(this.spotOf(event).x), Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))));
    }
  }

  // Over the lanes a drag moves; over the axis, or with Shift, it marks what to zoom to.
  onDown(event) {
    if (event.button !== 0) return;
    const { x, y } = this.spotOf(event);
    this.drag = { x, now: x, from: view.from, to: view.to, moved: false, pans: y > AXIS_HEIGHT && !event.shiftKey };
    this.over.setPointerCapture(event.pointerId);
  }

  onMove(event) {
    const spot = this.spotOf(event);
    if (this.drag === null) {
      const found = this.pickAt(spot);
      if (found === null) hideTip();
      else tipOf(this.run, found, event);
      return;
    }
    this.drag.now = spot.x;
    if (Math.abs(spot.x - this.drag.x) > 3) this.drag.moved = true;
    hideTip();
    if (!this.drag.moved) return;
    const step = (this.drag.x - spot.x) * this.scale().timePerPixel;
    if (this.drag.pans) setRange(this.drag.from + step, this.drag.to + step);
    else this.drawOver();
  }

  onUp(event) {
    const { drag } = this;
    this.drag = null;
    if (drag === null) return;
    if (drag.moved && !drag.pans) {
      const [from, to] = [drag.x, drag.now].sort((a, b) => a - b).map((x) => this.timeAt(x));
      setRange(from, to);
    } else if (!drag.moved) {
      this.selectAt(this.spotOf(event));
    }
    this.drawOver();
  }

  selectAt(spot) {
    const found = this.pickAt(spot);
    const grain = found === null ? NONE : found.picked.grain ?? found.picked.longest ?? NONE;
    select(this.run, grain);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = (view.from + view.to) / 2;
    const keys = {
      "+": () => zoomAt(middle, 0.5), "=": () => zoomAt(middle, 0.5), "-": () => zoomAt(middle, 2),
      ArrowUp: () => zoomAt(middle, 0.5), ArrowDown: () => zoomAt(middle, 2),
      ArrowLeft: () => panBy(-0.2), ArrowRight: () => panBy(0.2),
      Home: fitRange, f: fitRange, Escape: () => { view.highlighted = null; select(this.run, NONE); },
      n: () => this.step(1), p: () => this.step(-1), Enter: () => this.step(0),
    };
    if (keys[event.key] === undefined) return;
    event.preventDefault();
    keys[event.key]();
  }

  // To the next or the previous grain of the thread; at first to one in the middle of the view.
  step(by) {
    const { selected } = view;
    if (selected === null || selected.run !== this.run) {
      const thread = this.layout.lanes[0]?.thread ?? 0;
      const { of, begin } = this.run.grains;
      const grain = lastAtMost(begin, of[thread], of[thread + 1], (view.from + view.to) / 2);
      if (grain >= of[thread]) goTo(this.run, grain);
    } else {
      const grain = selected.grain + by;
      if (grain >= 0 && grain < this.run.count && threadOf(this.run, grain) === threadOf(this.run, selected.grain)) goTo(this.run, grain);
    }
  }
}

function makeTimelines(runs) {
  const section = byId("timeline");
  const timelines = runs.map((run) => new Timeline(run, runs));
  section.append(timelineControls(), timelineLegend(runs), ...timelines.map((timeline) => timeline.element));
  const redrawAll = () => timelines.forEach((timeline) => timeline.redraw());
  viewListeners.push(redrawAll);
  themeListeners.push(() => timelines.forEach((timeline) => (isPrinting ? timeline.draw() : timeline.redraw())));
  return timelines;
}

// Both ends as exactly as the view is wide.
function rangeText() {
  const [from, to] = [Math.max(0, view.from), Math.min(view.longest, view.to)];
  const step = roundStep(to - from, 100);
  return tickText(from, step) + " to " + tickText(to, step) + ", " + timeText(to - from) + " wide";
}

function timelineControls() {
  const middle = () => (view.from + view.to) / 2;
  const range = element("span", { class: "range", "aria-live": "polite" });
  const clear = button("Show all constructs", () => highlight(null), { hidden: true, class: "kept" });
  const path = element("input", { type: "checkbox", onchange: () => { view.showsPath = path.checked; viewChanged(); } });
  viewListeners.push(() => {
    range.textContent = rangeText();
    clear.hidden = view.highlighted === null;
    clear.textContent = view.highlighted === null ? "" : "Highlighted: " + view.highlighted.name + " \u2715";
  });
  return element("div", { class: "controls" },
    button("+", () => zoomAt(middle(), 0.5), { "aria-label": "Zoom in", title: "Zoom in (+)" }),
    button("\u2212", () => zoomAt(middle(), 2), { "aria-label": "Zoom out", title: "Zoom out (-)" }),
    button("\u2190", () => panBy(-0.2), { "aria-label": "Earlier" }),
    button("\u2192", () => panBy(0.2), { "aria-label": "Later" }),
    button("Fit", fitRange, { title: "Show all (f)" }),
    element("label", {}, path, " critical path"),
    range, clear,
    element("span", { class: "hint quiet" }, "Ctrl + wheel zooms, after a click the wheel alone. A drag moves, one on the axis zooms."));
}

function timelineLegend(runs) {
  const haveMoves = runs.some((run) => run.moves.kind.length > 0);
  return element("p", { class: "legend" },
    LOCALITIES.map((name, i) => element("span", {}, swatch(i), name)),
    element("span", {}, swatch(WAITING), "waits"),
    element("span", {}, element("span", { class: "swatch running" }), "running"),
    element("span", {}, element("span", { class: "swatch ready" }), "ready, not taken yet"),
    haveMoves ? element("span", {}, element("span", { class: "swatch moved" }), "moved memory") : null,
    haveMoves ? element("span", {}, element("span", { class: "swatch rebound" }), "the thread goes elsewhere") : null,
    element("span", { class: "quiet" }, "Where a pixel has many grains, its height is divided as their time is."));
}
